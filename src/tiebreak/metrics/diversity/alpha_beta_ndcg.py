"""Accuracy and diversity in one gain: alpha-beta-nDCG and its relative by Vargas (AB)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice, check_number, check_share
from tiebreak.errors import InputError
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.diversity.base import Codes, highest_rating
from tiebreak.metrics.diversity.chances import INDICATORS, largest_ratings
from tiebreak.metrics.diversity.noisy_or import NoisyOrDCG, NoisyOrNDCG
from tiebreak.metrics.function import UserFunction, call_for_pairs, resolve_chance
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class AlphaBetaDCG(NoisyOrDCG):
    r"""Accuracy and diversity as one gain, summed with a discount (AB eq 15); with ``discount='uniform'``, CG (eq 14).

    .. math:: \mathrm{DCG}[k] = \sum_{j=1}^{k} \frac{G[j]}{\log_2(1 + j)}, \qquad
        G[k] = 1 - \prod_a \Big(1 - P(a|u, i_k) \, \gamma_a \prod_{j < k} (1 - P(a|u, i_j))\Big)

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
    alpha_by : {"constant", "popularity", "mean_rating", "profile_size"}
        The same alpha for all; or alpha times the number of users who rated the item, over that of the most rated
        item; times the item's mean rating over r_max; or times the number of items that the user rated, over that of
        the user who rated most. Counted in the profile; 0 for items that nobody rated there.
    beta_by : {"scale", "user"}
        beta r / r_max, or on the user's own scale: r over the largest rating that this user gave.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"b": 2.0, "a": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> scores = exp.evaluate("alpha_beta_DCG(beta=1, discount='uniform')@2")     # as for alpha_beta_nDCG
    >>> scores.to_flat_dict()     # 1 - 5/8 x 7/8 + 3/8
    {"run1/alpha_beta_DCG(beta=1, discount='uniform')@2": 0.828125}
    """

    alpha: float | str | UserFunction = parameter(0.005, resolve_chance)
    beta: float | str | UserFunction = parameter(0.5, resolve_chance)
    r_max: float | None = parameter(None, check_number, above=0)
    alpha_by: str = parameter("constant", check_choice, choices=("constant", *INDICATORS), kw_only=True)
    beta_by: str = parameter("scale", check_choice, choices=("scale", "user"), kw_only=True)
    name: ClassVar[str] = "alpha_beta_DCG"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, plain in (("alpha", "constant"), ("beta", "scale")):
            by, chance = getattr(self, f"{name}_by"), getattr(self, name)
            if by != plain and (isinstance(chance, str) or callable(chance)):
                raise InputError(
                    f"{name}_by={by!r} is for a number. Give {name} as a number, or leave {name}_by out.", kind="spec"
                )

    def chance(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has: by its rating, alpha where there is none."""
        unrated, ratings = np.isnan(rating), np.maximum(rating, 0.0)
        share = self.rated_chance(rankings, requests, ratings, ~unrated)
        return np.where(unrated, self.unrated_chance(rankings, requests, item, unrated), share)

    def rated_chance(self, rankings: AspectRankings, requests: Codes, ratings: Floats, wanted: Any) -> Floats:
        """P by ratings [request, ...] (AB eq 6); 0 where they are not wanted."""
        beta = resolve_chance(self.beta, "beta")
        if not isinstance(beta, float):
            return call_for_pairs("beta", beta, rankings.requests, requests, ratings, wanted)
        highest: Any = highest_rating(self.r_max, rankings)
        if self.beta_by == "user":
            largest = largest_ratings(rankings)
            highest = np.where(largest > 0, largest, 1.0)[requests].reshape(-1, *[1] * (ratings.ndim - 1))
        return np.where(wanted, beta * ratings / highest, 0.0)

    def unrated_chance(self, rankings: AspectRankings, requests: Codes, item: Codes, wanted: Any) -> Any:
        """P of items [request, ...] that were not rated; of others any number."""
        alpha, names = resolve_chance(self.alpha, "alpha"), rankings.table.items
        if not isinstance(alpha, float):
            known = wanted & (item >= 0) & (item < len(names))
            return call_for_pairs("alpha", alpha, rankings.requests, requests, item, known, names)
        if self.alpha_by == "constant":
            return alpha
        if rankings.is_part:
            raise InputError(
                f"{self.name}: alpha_by={self.alpha_by!r} looks at the ratings of all users, and blocks have some. "
                "Leave block_requests out, or give more memory.",
                kind="blocks",
            )
        return alpha * INDICATORS[self.alpha_by](rankings, requests, item, highest_rating(self.r_max, rankings))


@dataclass(frozen=True)
class AlphaBetaNDCG(AlphaBetaDCG, NoisyOrNDCG):
    r"""Accuracy and diversity as one gain, over that of the greedy order of what the user rated (AB eqs 4-16).

    .. math:: G[k] = 1 - \prod_a \Big(1 - P(a|u, i_k) \, \gamma_a \prod_{j < k} (1 - P(a|u, i_j))\Big)

    with P of 0 where an item lacks the aspect, alpha where it is not rated, and beta r / r_max where it is.

    Values can exceed 1: the ideal holds only rated items, unless the pool is wider, and the greedy order need not be
    the best one. Parameters are those of `alpha_beta_DCG`, and the pool.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4, "b": 2}}, {"u": {"b": 2.0, "a": 1.0}},
    ...                     aspects={"a": ["war"], "b": ["war", "love"]})
    >>> scores = exp.evaluate("alpha_beta_nDCG(beta=1)@2")     # interest in war 6/8, in love 2/8; P is 1/2 and 1
    >>> scores.to_flat_dict()     # (1 - 5/8 x 7/8 + 3/8 / log2(3)) / (3/4 + 1/8 / log2(3))
    {'run1/alpha_beta_nDCG(beta=1)@2': 0.8321290476260073}
    """

    name: ClassVar[str] = "alpha_beta_nDCG"


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
