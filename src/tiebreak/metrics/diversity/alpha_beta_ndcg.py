"""Accuracy and diversity in one: alpha-beta-nDCG and its relatives, of items with aspects that users rate (AB)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tiebreak.errors import UnknownNameError
from tiebreak.exact import ExactValues
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.candidates import POOLS, candidates
from tiebreak.metrics.diversity.greedy import Codes, Left, first_largest
from tiebreak.metrics.diversity.scale import check_between, check_ratings, check_scale
from tiebreak.metrics.diversity.user_functions import UserFunction, called, check_chance, function_of
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats

RANKINGS_AT_ONCE = 1 << 13
"""So many that the interests of their users stay close to the processor."""


def highest_rating(r_max: float | None, rankings: AspectRankings) -> float:
    """The largest rating of the scale; by default the largest that was given, which none may exceed."""
    highest = r_max or rankings.largest or 1.0
    check_ratings(rankings.largest, highest)
    return highest


def slots_of(rankings: AspectRankings, item: Codes) -> Codes:
    """The aspects [slot, ...] of items; the place behind the last aspect where there is none."""
    unknown = len(rankings.table.of_item) - 1
    return np.take(rankings.table.slots, np.where(item == NOBODY, unknown, item), axis=1)


@dataclass(frozen=True)
class InterestMetric(AspectMetric):
    """A measure that weighs aspects by a user's interest in them.

    Parameters
    ----------
    interest : {"profile", "uniform"}
        How much of the user's ratings each aspect has (AB eq 9), or the same for all aspects.
    """

    interest: str = field(default="profile", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("interest", self.interest, ("profile", "uniform"))

    def interests(self, rankings: AspectRankings) -> Floats:
        """How much every user is interested in every aspect: [request, aspect], and 0 for none of them."""
        if self.interest == "profile":
            return rankings.interest
        counted = rankings.available
        shares = np.zeros(rankings.interest.shape)
        shares[:, :-1] = counted / np.maximum(counted.sum(axis=1, keepdims=True), 1)
        return shares


def check_word(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UnknownNameError(name, str(value), known)


@dataclass(frozen=True)
class NoisyOrNDCG(InterestMetric):
    r"""Discounted gains, each the chance that an item serves an interest that is left, over those of the greedy order.

    .. math:: G[k] = 1 - \prod_a \Big(1 - P(a|u, i_k) \, \gamma_a \prod_{j < k} (1 - P(a|u, i_j))\Big)

    Parameters
    ----------
    pool : {"rated", "runs", "all"}
        Of which items the greedy order is made: those that the user rated, also those that any run shows up to the
        cutoff, or all that have aspects. Values above 1 can occur, the less the wider it is.
    """

    pool: str = field(default="rated", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("pool", self.pool, POOLS)

    def served(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has (AB eq 5), for items and ratings [request, ...]."""
        raise NotImplementedError

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        interests = self.interests(rankings)
        ideal = self.ideal(rankings, interests)
        found = self.discounted(self.gains(rankings, interests))
        # Nothing can serve a user without interests.
        return np.divide(found, ideal, out=np.zeros_like(found), where=np.broadcast_to(ideal > 0, found.shape))

    def discounted(self, gains: Floats) -> Floats:
        """The sum of gains [.., rank], each divided by the logarithm of its rank and one."""
        summed: Floats = (gains / np.log2(np.arange(2, gains.shape[-1] + 2))).sum(axis=-1)
        return summed

    def gains(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The gain [run, request, rank] of the items of all runs."""
        runs, users, listed = rankings.item.shape
        item, rating = rankings.item.reshape(-1, listed), rankings.rating.reshape(-1, listed)
        depth = min(int(self.cutoff or 1), listed)
        gains = np.zeros((len(item), depth))
        lengths = (item[:, :depth] != NOBODY).sum(axis=1)
        longest_first = np.argsort(-lengths, kind="stable")
        for begin in range(0, len(item), RANKINGS_AT_ONCE):
            rows = longest_first[begin : begin + RANKINGS_AT_ONCE]
            shown, requests = item[rows, : lengths[rows[0]]], rows % users
            chance = self.served(rankings, requests, shown, rating[rows, : shown.shape[1]])
            chance[shown == NOBODY] = 0.0
            left = Left(interests[requests])
            slots, by_rank = slots_of(rankings, shown.T), np.ascontiguousarray(chance.T)
            for rank, served in enumerate(by_rank):
                gains[rows, rank] = left.see(slots[:, rank], served)
        return gains.reshape(runs, users, depth)

    def ideal(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The discounted gain [request] of the order in which each next item gains most, ties to the least id."""
        found = np.zeros(len(rankings.requests))
        for requests, item, rating in candidates(rankings, self.pool, int(self.cutoff or 1)):
            left = Left(interests[requests])
            found[requests] = self.discounted(self.greedy(rankings, left, requests, item, rating))
        return found

    def greedy(self, rankings: AspectRankings, left: Left, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """The gains [request, rank] of the greedy order of some items [request, candidate]."""
        slots = slots_of(rankings, item)
        places = left.places(slots)
        chance = np.where(item == NOBODY, 0.0, self.served(rankings, requests, item, rating))
        depth = min(int(self.cutoff or 1), item.shape[1])
        gains, every = np.zeros((len(item), depth)), np.arange(len(item))
        for rank in range(depth):
            best = first_largest(left.gain(places, chance))
            gains[:, rank] = left.see(slots[:, every, best], chance[every, best])
            chance[every, best] = 0.0  # what is taken gains nothing more
        return gains


@dataclass(frozen=True)
class AlphaBetaNDCG(NoisyOrNDCG):
    r"""Accuracy and diversity as one gain, over that of the greedy order of what the user rated (AB eqs 4-16).

    .. math:: G[k] = 1 - \prod_a \Big(1 - P(a|u, i_k) \, \gamma_a \prod_{j < k} (1 - P(a|u, i_j))\Big)

    with P of 0 where an item lacks the aspect, alpha where it is not rated, and beta r / r_max where it is.

    Parameters
    ----------
    alpha : float or function
        How likely an item that was not rated serves an aspect of its own; or a function alpha(user, item) that says
        so, as itself or as ``'module:function'``.
    beta : float or function
        How likely one of the largest rating does; or a function beta(user, rating) for all ratings.
    r_max : float, optional
        The largest rating of the scale; by default the largest that was given.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"b": 2.0, "a": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> made = exp.evaluate("alpha_beta_nDCG(beta=1)@2")     # interest in war 6/8, in love 2/8; P is 1/2 and 1
    >>> made.to_flat_dict()     # (1 - 5/8 x 7/8 + 3/8 / log2(3)) / (3/4 + 1/8 / log2(3))
    {'run1/alpha_beta_nDCG(beta=1)@2': 0.8321290476260073}
    """

    alpha: float | str | UserFunction = 0.005
    beta: float | str | UserFunction = 0.5
    r_max: float | None = None
    name: ClassVar[str] = "alpha_beta_nDCG"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_chance("alpha", self.alpha)
        check_chance("beta", self.beta)
        check_scale(self.r_max)

    def served(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has: by its rating, alpha where there is none."""
        unrated, given = np.isnan(rating), np.maximum(rating, 0.0)
        alpha, beta = function_of(self.alpha), function_of(self.beta)
        if isinstance(beta, float):
            share: Floats = np.where(unrated, 0.0, beta * given / highest_rating(self.r_max, rankings))
        else:
            share = called("beta", beta, rankings.requests, requests, given, np.where(unrated, 0, 1) > 0)
        if isinstance(alpha, float):
            return np.where(unrated, alpha, share)
        known = unrated & (item >= 0) & (item < len(rankings.table.names))
        return np.where(
            unrated, called("alpha", alpha, rankings.requests, requests, item, known, rankings.table.names), share
        )


@dataclass(frozen=True)
class VargasNDCG(NoisyOrNDCG):
    """alpha-nDCG as a chance of relevance (Vargas 2014; AB eqs 1-3): relevant items serve each of their aspects alike.

    It is alpha-beta-nDCG where unrated items serve nothing and all relevant ones serve as likely.

    Parameters
    ----------
    alpha : float
        How likely a relevant item serves an aspect of its own.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"a": 2.0, "b": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> made = exp.evaluate("vargas_nDCG@2")     # interest in war 6/8, in love 2/8
    >>> made.to_flat_dict()     # (3/8 + (1 - 13/16 x 7/8) / log2(3)) / (1 - 5/8 x 7/8 + 3/16 / log2(3))
    {'run1/vargas_nDCG@2': 0.975418972915403}
    """

    alpha: float = 0.5
    name: ClassVar[str] = "vargas_nDCG"
    has_level: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("alpha", self.alpha, 0, 1)

    def served(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        level = rankings.min_grade if self.rel is None else self.rel
        return np.where(is_relevant(np.nan_to_num(rating), level), self.alpha, 0.0)


@dataclass(frozen=True)
class EffortMetric(InterestMetric):
    """What every item gives its user, less the effort of looking at it, as far as users look.

    Parameters
    ----------
    p : float
        The chance that a user looks at the next item.
    e : float
        The effort of looking at an item.
    r_max : float, optional
        The largest rating of the scale; by default the largest that was given.
    """

    p: float = 0.99
    e: float = 0.05
    r_max: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("p", self.p, 0, 1)
        check_between("e", self.e, 0, 1)
        check_scale(self.r_max)

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        highest = highest_rating(self.r_max, rankings)
        depth = min(int(self.cutoff or 1), rankings.item.shape[2])
        values = np.zeros(rankings.item.shape[:2])
        every = np.arange(rankings.item.shape[1])
        for run, (item, rating) in enumerate(zip(rankings.item, rankings.rating, strict=True)):
            left = self.interests(rankings).copy()
            for rank in range(depth):
                slots, there = slots_of(rankings, item[:, rank]), item[:, rank] != NOBODY
                given = np.nan_to_num(np.maximum(rating[:, rank], 0.0))
                worth, kept = self.served(given, highest), self.kept(given, highest)
                gained = worth * left[every, slots].sum(axis=0) - self.e
                values[run] += np.where(there, self.looked_at(rank + 1) * gained, 0.0)
                left[every, slots] *= kept
        return values

    def looked_at(self, rank: int) -> float:
        """How likely a user looks at this rank."""
        raise NotImplementedError

    def served(self, rating: Floats, highest: float) -> Floats:
        """What an item with this rating gives for each of its aspects; 0 where it was not rated."""
        raise NotImplementedError

    def kept(self, rating: Floats, highest: float) -> Floats:
        """How much of the interest in its aspects is left behind an item with this rating."""
        raise NotImplementedError


@dataclass(frozen=True)
class RankBiasedUtility(EffortMetric):
    r"""Rank-biased utility (Amigo et al. 2018), with the interests of users as weights of aspects.

    .. math:: \sum_{i \le k} p^i \Big(\sum_a \gamma_a r_{ia} \prod_{j < i} (1 - r_{ja}) - e\Big), \qquad
        r = (2^g - 1) / 2^{g_{max}}

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 2, "b": 1}}, {"u": {"a": 2.0, "b": 1.0}}, aspects={"a": ["war"], "b": ["war"]})
    >>> exp.evaluate("RBU(p=0.5, e=0)@2").to_flat_dict()     # 1/2 x 3/4 + 1/4 x 1/4 x 1/4
    {'run1/RBU(p=0.5, e=0)@2': 0.390625}
    """

    name: ClassVar[str] = "RBU"

    def looked_at(self, rank: int) -> float:
        return float(self.p**rank)

    def served(self, rating: Floats, highest: float) -> Floats:
        share: Floats = np.exp2(rating - highest) - np.exp2(-highest)  # no scale is too long for floats
        return share

    def kept(self, rating: Floats, highest: float) -> Floats:
        return 1 - self.served(rating, highest)


@dataclass(frozen=True)
class ExpectedUtility(EffortMetric):
    r"""Expected utility (Yang and Lad 2009), our reading of it, with the interests of users as weights of aspects.

    .. math:: \sum_{i \le k} p^{i - 1} \Big(\sum_a \gamma_a \frac{g_{ia}}{g_{max}} (1 - \alpha)^{c_{ia}} - e\Big)

    where c is the number of items above with the aspect.

    Parameters
    ----------
    alpha : float
        How much an aspect is worth less for each item above that shows it.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 2, "b": 1}}, {"u": {"a": 2.0, "b": 1.0}}, aspects={"a": ["war"], "b": ["war"]})
    >>> exp.evaluate("EU(p=0.5, e=0)@2").to_flat_dict()     # 1 + 1/2 x 1/2 x 3/4
    {'run1/EU(p=0.5, e=0)@2': 1.1875}
    """

    alpha: float = 0.25
    name: ClassVar[str] = "EU"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("alpha", self.alpha, 0, 1)

    def looked_at(self, rank: int) -> float:
        return float(self.p ** (rank - 1))

    def served(self, rating: Floats, highest: float) -> Floats:
        return rating / highest

    def kept(self, rating: Floats, highest: float) -> Floats:
        return np.full_like(rating, 1 - self.alpha)


@dataclass(frozen=True)
class AspectRecall(AspectMetric):
    """The share of all aspects that the first items show, rated or not (S-Recall, Zhai et al. 2003).

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 4}}, {"u": {"b": 2.0, "a": 1.0}}, aspects={"a": ["war"], "b": ["love"]})
    >>> exp.evaluate("S-Recall@1").to_flat_dict()
    {'run1/S-Recall@1': 0.5}
    """

    name: ClassVar[str] = "S-Recall"

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        return self.values_of(rankings).nearest

    def values_of(self, rankings: AspectRankings) -> ExactValues:
        counted = rankings.available
        shown = (first_shown(rankings) <= int(self.cutoff or 1)) & counted
        return ExactValues.quotients(shown.sum(axis=-1), np.maximum(counted.sum(axis=-1), 1))


@dataclass(frozen=True)
class AspectReciprocalRank(AspectMetric):
    """One over the first rank at which all aspects have been shown; 0 beyond the cutoff (S-RR, Zhai et al. 2003).

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"u": {"a": 4}}, {"u": {"b": 2.0, "a": 1.0}}, aspects={"a": ["war"], "b": ["love"]})
    >>> exp.evaluate("S-RR@5").to_flat_dict()
    {'run1/S-RR@5': 0.5}
    """

    name: ClassVar[str] = "S-RR"

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        return self.values_of(rankings).nearest

    def values_of(self, rankings: AspectRankings) -> ExactValues:
        last = np.where(rankings.available, first_shown(rankings), 1.0).max(axis=-1)
        is_shown = last <= int(self.cutoff or 1)
        return ExactValues.quotients(is_shown.astype(np.int64), np.where(is_shown, last, 1).astype(np.int64))


def first_shown(rankings: AspectRankings) -> Floats:
    """The first rank [run, request, aspect] at which an aspect is shown; infinite where it is not."""
    runs, requests, depth = rankings.item.shape
    found = np.full((runs, requests, len(rankings.table.labels) + 1), np.inf)
    run, request = np.arange(runs)[:, None], np.arange(requests)
    for rank in range(depth, 0, -1):
        found[run, request, slots_of(rankings, rankings.item[:, :, rank - 1])] = rank
    return found[..., :-1]
