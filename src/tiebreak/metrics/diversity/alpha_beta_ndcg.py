"""Accuracy and diversity in one gain: alpha-beta-nDCG and its relative by Vargas (AB)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice, check_number, check_share
from tiebreak._base.tolerance import TOLERANCE
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.diversity.base import Codes, InterestMetric, aspect_slots, highest_rating
from tiebreak.metrics.diversity.candidates import POOLS, candidates
from tiebreak.metrics.function import UserFunction, call_for_pairs, resolve_chance
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats

RANKINGS_AT_ONCE = 1 << 13
"""So many that the interests of their users stay in the cache."""


class RemainingInterest:
    """How much of their interests users have left, [user, aspect], the last aspect being none."""

    def __init__(self, interest: Floats) -> None:
        self.none = interest.shape[1] - 1
        self.left = interest.ravel().copy()
        self.start = np.arange(0, len(self.left), interest.shape[1])

    def places(self, slots: Codes) -> Codes:
        """Where the aspects [slot, user, candidate] of items stand."""
        return slots + self.start[:, None]

    def gain(self, places: Codes, chance: Floats) -> Floats:
        """The probability [user, candidate] that an item serves an interest that is left (AB eq 8)."""
        missed = np.ones(chance.shape)
        for place in places:
            served = self.left.take(place)
            served *= chance
            missed *= np.subtract(1, served, out=served)
        gain: Floats = np.subtract(1, missed, out=missed)
        return gain

    def show(self, slots: Codes, chance: Floats) -> Floats:
        """The same gain [user] of items, one shown to each user; they serve what they can (AB eq 7)."""
        missed = np.ones(len(chance))
        for slot in slots:
            is_aspect = slot != self.none
            is_dense = 2 * np.count_nonzero(is_aspect) > len(slot)
            users = slice(None) if is_dense else np.flatnonzero(is_aspect)
            place = self.start[users] + slot[users]
            wanted = self.left.take(place)
            served = chance[users] * wanted
            self.left[place] = wanted - served
            missed[users] *= 1 - served
        gain: Floats = 1 - missed
        return gain


def first_largest(gain: Floats) -> Codes:
    """The first candidate of every row [request, candidate] that gains as much as any, to a relative tolerance."""
    largest = gain.max(axis=1, keepdims=True)
    # Gains are sums and products of floats: those that are equal on paper may differ by rounding.
    first: Codes = (gain >= largest - TOLERANCE * np.abs(largest)).argmax(axis=1)
    return first


@dataclass(frozen=True)
class NoisyOrNDCG(InterestMetric):
    """Discounted gains, each the probability that an item serves a remaining interest, over those of the greedy order.

    Parameters
    ----------
    pool : {"rated", "runs", "all"}
        Of which items the greedy order is made: those that the user rated, also those that any run shows up to the
        cutoff, or all that have aspects. Values above 1 can occur, the less the wider it is.
    """

    pool: str = parameter("rated", check_choice, choices=POOLS, kw_only=True)

    def chance(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has (AB eq 5), for items and ratings [request, ...]."""
        raise NotImplementedError

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        interests = self.interests(rankings)
        ideal = self.ideal(rankings, interests)
        values = dcg(self.gains(rankings, interests))
        # Nothing can serve a user without interests.
        return np.divide(values, ideal, out=np.zeros_like(values), where=np.broadcast_to(ideal > 0, values.shape))

    def gains(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The gain [run, request, rank] of the items of all runs."""
        runs, users, listed = rankings.item.shape
        item, rating = rankings.item.reshape(-1, listed), rankings.rating.reshape(-1, listed)
        depth = min(self.depth, listed)
        gains = np.zeros((len(item), depth))
        lengths = (item[:, :depth] != NOBODY).sum(axis=1)
        longest_first = np.argsort(-lengths, kind="stable")
        for begin in range(0, len(item), RANKINGS_AT_ONCE):
            rows = longest_first[begin : begin + RANKINGS_AT_ONCE]
            some, requests = item[rows, : lengths[rows[0]]], rows % users
            chance = self.chance(rankings, requests, some, rating[rows, : some.shape[1]])
            chance[some == NOBODY] = 0.0
            interest = RemainingInterest(interests[requests])
            slots, by_rank = aspect_slots(rankings, some.T), np.ascontiguousarray(chance.T)
            for rank, of_rank in enumerate(by_rank):
                gains[rows, rank] = interest.show(slots[:, rank], of_rank)
        return gains.reshape(runs, users, depth)

    def ideal(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The discounted gain [request] of the order in which each next item gains most, ties to the least id."""
        ideal = np.zeros(len(rankings.requests))
        for requests, item, rating in candidates(rankings, self.pool, self.depth):
            slots, interest = aspect_slots(rankings, item), RemainingInterest(interests[requests])
            places = interest.places(slots)
            chance = np.where(item == NOBODY, 0.0, self.chance(rankings, requests, item, rating))
            depth, every = min(self.depth, item.shape[1]), np.arange(len(item))
            gains = np.zeros((len(item), depth))
            for rank in range(depth):
                best = first_largest(interest.gain(places, chance))
                gains[:, rank] = interest.show(slots[:, every, best], chance[every, best])
                chance[every, best] = 0.0  # what is taken gains nothing more
            ideal[requests] = dcg(gains)
        return ideal


def dcg(gains: Floats) -> Floats:
    """The sum of gains [.., rank], each divided by the logarithm of its rank and one."""
    total: Floats = (gains / np.log2(np.arange(2, gains.shape[-1] + 2))).sum(axis=-1)
    return total


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
        The largest rating of the scale; by default the largest that occurs.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"b": 2.0, "a": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> scores = exp.evaluate("alpha_beta_nDCG(beta=1)@2")     # interest in war 6/8, in love 2/8; P is 1/2 and 1
    >>> scores.to_flat_dict()     # (1 - 5/8 x 7/8 + 3/8 / log2(3)) / (3/4 + 1/8 / log2(3))
    {'run1/alpha_beta_nDCG(beta=1)@2': 0.8321290476260073}
    """

    alpha: float | str | UserFunction = parameter(0.005, resolve_chance)
    beta: float | str | UserFunction = parameter(0.5, resolve_chance)
    r_max: float | None = parameter(None, check_number, above=0)
    name: ClassVar[str] = "alpha_beta_nDCG"

    def chance(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has: by its rating, alpha where there is none."""
        unrated, ratings = np.isnan(rating), np.maximum(rating, 0.0)
        alpha, beta = resolve_chance(self.alpha, "alpha"), resolve_chance(self.beta, "beta")
        if isinstance(beta, float):
            share: Floats = np.where(unrated, 0.0, beta * ratings / highest_rating(self.r_max, rankings))
        else:
            share = call_for_pairs("beta", beta, rankings.requests, requests, ratings, ~unrated)
        if isinstance(alpha, float):
            return np.where(unrated, alpha, share)
        known, names = unrated & (item >= 0) & (item < len(rankings.table.items)), rankings.table.items
        return np.where(unrated, call_for_pairs("alpha", alpha, rankings.requests, requests, item, known, names), share)


@dataclass(frozen=True)
class VargasNDCG(NoisyOrNDCG):
    """alpha-nDCG as a probability of relevance, the same for all relevant items (Vargas 2014; AB eqs 1-3).

    It is alpha-beta-nDCG where unrated items serve nothing and all relevant ones are equally likely to serve.

    Parameters
    ----------
    alpha : float
        How likely a relevant item serves an aspect of its own.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"a": 2.0, "b": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> scores = exp.evaluate("vargas_nDCG@2")     # interest in war 6/8, in love 2/8
    >>> scores.to_flat_dict()     # (3/8 + (1 - 13/16 x 7/8) / log2(3)) / (1 - 5/8 x 7/8 + 3/16 / log2(3))
    {'run1/vargas_nDCG@2': 0.975418972915403}
    """

    alpha: float = parameter(0.5, check_share)
    name: ClassVar[str] = "vargas_nDCG"
    has_level: ClassVar[bool] = True

    def chance(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        level = rankings.min_grade if self.rel is None else self.rel
        return np.where(is_relevant(np.nan_to_num(rating), level), self.alpha, 0.0)
