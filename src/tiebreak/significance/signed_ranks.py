"""Wilcoxon's signed-rank test against one side, exact for few values also where some are equal."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError

TOLERANCE = 1e-12
EXACT_UP_TO = 50
"""Differences that are not 0, up to which all signs are counted; 2^50 is a whole number in float64."""


def wilcoxon_less(differences: Iterable[float]) -> float:
    """The chance of so small a sum of the ranks of positive differences, if each were as likely negative.

    Differences of 0, to 1e-12, are dropped; equal ones, to ten digits, share the mean of their ranks; 1 where all are
    0. Of more than 50 the normal approximation is taken, its variance that of the shared ranks, without a correction
    for continuity.

    Examples
    --------
    Ranks 1.5, 1.5, 3 and 4, of which 3 is positive: 5 of 16 subsets have a sum of at most 3.

    >>> wilcoxon_less([-1, -1, 2, -3])
    0.3125
    """
    d = np.array(list(differences), dtype=np.float64)
    if not np.isfinite(d).all():
        raise InputError("a difference is not a finite number. Leave it out.", kind="score")
    d = d[np.abs(d) > TOLERANCE]
    twice = twice_the_ranks(settled(np.abs(d)))
    reached = int(twice[d > 0].sum())
    if len(d) <= EXACT_UP_TO:
        return float(subsets_by_sum(twice)[: reached + 1].sum() / 2.0 ** len(d))
    from scipy.special import ndtr

    # A rank counts with a chance of one half: its variance is a quarter of its square.
    squares = (twice.astype(np.float64) ** 2).sum()
    return float(ndtr((reached - twice.sum() / 2) / sqrt(squares / 4)))


def wilcoxon_exact(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The smaller sum of ranks, and the two-sided p-value of few differences that are not 0, some of the same size.

    Examples
    --------
    Ranks 1.5, 1.5, 3 and 4, of which 3 is positive: 2 * 5 / 16.

    >>> wilcoxon_exact(np.array([-1.0, -1.0, 2.0, -3.0]))
    (3.0, 0.625)
    """
    twice = twice_the_ranks(np.abs(differences))
    reached = int(twice[differences > 0].sum())
    ways = subsets_by_sum(twice)
    less, greater = ways[: reached + 1].sum(), ways[reached:].sum()
    p = min(1.0, 2 * float(min(less, greater)) / 2.0 ** len(differences))
    return min(reached, int(twice.sum()) - reached) / 2, p


def settled(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sizes to ten digits, so that floats that should be equal are."""
    return np.array([float(f"{size:.9e}") for size in sizes.tolist()])


def twice_the_ranks(sizes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ranks from 1 for the smallest, equal ones shared, times two: whole numbers."""
    _, which, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    shared = 2 * np.cumsum(counts) - counts + 1
    ranks: NDArray[np.int64] = shared[which.ravel()].astype(np.int64)
    return ranks


def subsets_by_sum(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """How many subsets of the ranks have the sum 0, 1, ..."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] = ways[rank:] + ways[: len(ways) - rank]
    return ways
