"""Interleaving, offline and experimental: the ranking is better that offers more by the time a user stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from operator import mul
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.exact.arithmetic import FRACTIONS, counting
from tiebreak.exact.sums import WholeUnits, whole_units
from tiebreak.metrics.weights import Weights, check_weights, exact_weights, is_rational, level_weights
from tiebreak.preferences.base import ENTRIES_AT_ONCE, Preference, Traits, position_labels
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import UNRETRIEVED, Positions
from tiebreak.projection.primitives import Ranks


@dataclass(frozen=True)
class StoppingPreference(Preference):
    """Users stop after k positions of both rankings and prefer the one with more relevant items among them.

    Parameters
    ----------
    rel : float, optional
        Grade from which an item is relevant; by default the experiment's.
    """

    rel: float | None = None
    traits: ClassVar[Traits] = Traits(rises=False, is_experimental=True)

    def between(self, x: Ranks, y: Ranks) -> list[Fraction]:
        """The exact preference between ``x[row, item]`` and ``y[row, item]``, items in the same order."""
        raise NotImplementedError

    @property
    def is_rational(self) -> bool:
        """Whether no logarithm enters."""
        return True

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        m = np.zeros(len(positions.requests), dtype=np.int64)
        values = np.full((len(pairs), len(m)), Fraction(0), dtype=object)
        for bucket in positions.only_relevant(self.rel).buckets():
            m[bucket.requests] = bucket.m
            for block in bucket.blocks(ENTRIES_AT_ONCE):
                p, requests = bucket.p[:, block], bucket.requests[block]
                step = max(1, ENTRIES_AT_ONCE // p[0].size)
                for begin in range(0, len(pairs), step):
                    rows = slice(begin, begin + step)
                    x, y = (p[runs[rows]].reshape(-1, bucket.m) for runs in (pairs.x, pairs.y))
                    exact = np.array(self.between(x, y), dtype=object)
                    values[rows, requests] = exact.reshape(-1, len(requests))
        known = replace(ExactValues.from_exact(values), is_rational=self.is_rational)
        return PairValues.from_exact(positions, pairs, known, m > 0, labels=lambda: position_labels(positions))


@dataclass(frozen=True)
class OfflineInterleaving(StoppingPreference):
    r"""What balanced interleaving would show for a simulated user (RPP 5.5); experimental.

    The user walks down the interleaved list and clicks relevant items until they have i of them; i is distributed over
    the relevant items in the list. With k the smaller of the last clicked item's two ranks,

    .. math:: \mathrm{OI}(p, p') = \sum_i p(i) \, \mathrm{sgn}\big( |\{j : p_j \le k_i\}| - |\{j : p'_j \le k_i\}| \big)

    Whichever ranking begins, the i-th relevant item of the list is one with the i-th smallest k: an item enters at its
    better rank. Both starting sides therefore give the same value.

    Parameters
    ----------
    user : {"uniform", "dcg", "inverse"} or tuple of float
        How likely it is to want i items.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 4], [2, 3]]), "OI").values.tolist()      # k = 1: 1 > 0; k = 3: 1 < 2
    [[0.0]]
    """

    user: Weights = "uniform"
    name: ClassVar[str] = "OI"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "user", check_weights(self.user, "user"))

    @property
    def is_rational(self) -> bool:
        return is_rational(self.user)

    def between(self, x: Ranks, y: Ranks) -> list[Fraction]:
        k = np.sort(np.minimum(x, y), axis=-1)
        retrieved = (k != UNRETRIEVED).sum(axis=-1)
        signs = np.sign(number_up_to(k, x) - number_up_to(k, y))
        return [self.mean_sign(row[:size]) for row, size in zip(signs.tolist(), retrieved.tolist(), strict=True)]

    def mean_sign(self, clicks: list[int]) -> Fraction:
        """The mean sign, each click weighed by how likely it is the last."""
        if not any(clicks) or self.user == "uniform":
            return Fraction(sum(clicks), len(clicks) or 1)
        shares = click_shares(len(clicks), self.user)
        value = sum(map(mul, shares.numbers, clicks))
        return Fraction(0) if abs(value) <= shares.same else value * shares.unit


@dataclass(frozen=True)
class Interleaving(StoppingPreference):
    r"""Interleaving with a distribution of the position at which users stop (RPP eq 2); experimental.

    .. math:: \mathrm{I}(p, p') = \sum_k p(k) \, \mathrm{sgn}\big( |\{j : p_j \le k\}| - |\{j : p'_j \le k\}| \big)

    Parameters
    ----------
    stops : tuple of float
        How many users stop after position 1, 2, ...; in a spec as text such as ``'3,2,1'``. Nobody goes further.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 4], [2, 3]]), "Interleaving(stops='2,1,1')").values.tolist()   # (2 + 0 - 1) / 4
    [[0.25]]
    """

    stops: Weights = (1.0,)
    name: ClassVar[str] = "Interleaving"

    def __post_init__(self) -> None:
        super().__post_init__()
        stops = check_weights(self.stops, "stops")
        if isinstance(stops, str) or not any(stops):
            raise InputError(f"stops={self.stops!r}. Give numbers of 0 and above, not all 0.", kind="spec")
        object.__setattr__(self, "stops", stops)

    def between(self, x: Ranks, y: Ranks) -> list[Fraction]:
        weights = level_weights(counting(len(self.stops), FRACTIONS), self.stops).tolist()
        total = [Fraction(0)] * len(x)
        for k, weight in enumerate(weights, start=1):
            signs = np.sign((x <= k).sum(axis=-1) - (y <= k).sum(axis=-1)).tolist()
            total = [value + weight * sign for value, sign in zip(total, signs, strict=True)]
        return [value / sum(weights) for value in total]


@cache
def click_shares(clicks: int, user: Weights) -> WholeUnits:
    """How likely each of so many clicks is the last, as multiples of a unit: sums of fractions take far longer."""
    weights, total = exact_weights(clicks, user)
    return whole_units([weight / total for weight in weights], is_rational(user))


def number_up_to(k: Ranks, ranks: Ranks) -> NDArray[np.int64]:
    """How many of a request's items are at each k or above: [request, k], for increasing k."""
    m = ranks.shape[-1]
    order = np.argsort(np.concatenate([np.sort(ranks, axis=-1), k], axis=-1), axis=-1, kind="stable")
    place = np.argsort(order, axis=-1)  # where each of them went
    return np.asarray(place[:, m:] - np.arange(k.shape[-1]))
