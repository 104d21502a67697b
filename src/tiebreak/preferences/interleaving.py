"""Interleaving, offline and experimental: the ranking is better that offers more by the time a user stops."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.exact.arithmetic import objects
from tiebreak.exact.number import snap_to_zero
from tiebreak.metrics.weights import Weights, check_weights, is_rational, whole_weights
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
        """The exact preferences between ``x[row, item]`` and ``y[row, item]``, items in the same order."""
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
                requests, p = bucket.requests[block], bucket.p[:, block]
                step = max(1, ENTRIES_AT_ONCE // p[0].size)
                for begin in range(0, len(pairs), step):
                    rows = slice(begin, begin + step)
                    x, y = (p[runs[rows]].reshape(-1, bucket.m) for runs in (pairs.x, pairs.y))
                    values[rows, requests] = objects(self.between(x, y), (len(x) // len(requests), len(requests)))
        exact = replace(ExactValues.from_exact(values), is_rational=self.is_rational)
        return PairValues.from_exact(positions, pairs, exact, m > 0, labels=lambda: position_labels(positions))


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
        weights, total = whole_weights(len(clicks), self.user)
        return snap_to_zero(Fraction(sum(map(mul, weights, clicks)), total), self.is_rational)


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
        weights, total = whole_weights(len(self.stops), self.stops)
        k = np.arange(1, len(weights) + 1, dtype=np.int32)
        signs = np.sign(number_up_to(k, x) - number_up_to(k, y))
        return [Fraction(sum(map(mul, weights, row)), total) for row in signs.tolist()]


def number_up_to(k: Ranks, ranks: Ranks) -> NDArray[np.int64]:
    """How many of the items of every row of ranks are at each k or above: [row, k]."""
    # One search for all rows: those of each row are beyond those of the row before.
    begin = np.arange(len(ranks), dtype=np.int64)[:, None] * (UNRETRIEVED + 1)
    ends = np.searchsorted((np.sort(ranks, axis=-1) + begin).ravel(), k + begin, side="right")
    return np.asarray(ends - np.arange(len(ranks))[:, None] * ranks.shape[-1])
