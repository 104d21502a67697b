"""Parametric and exact tests: t-test, sign test, Wilcoxon signed-rank test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.distributions import binomial_tail, student_tail
from tiebreak._base.tolerance import TOLERANCE
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, Test
from tiebreak.significance.size_counts import SizeCounts, signed_counts
from tiebreak.significance.whole_numbers import whole_pairs

ENUMERATED = 13
"""Number of differences up to which SciPy enumerates all signs if sizes tie; counting subsets is much faster."""
EXACT_UP_TO = 50
"""Number of differences up to which the one-sided test counts subsets of ranks: 2^50 is exact in float64."""


@dataclass(frozen=True)
class TTest(Test):
    """Student's t of the mean against 0, as the papers use for RPP, rrLP and metrics."""

    name: ClassVar[str] = "t"
    words: ClassVar[str] = "a two-sided paired t-test"
    is_directed: ClassVar[bool] = True
    min_requests: ClassVar[int] = 2

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        error = paired.deviation / np.sqrt(paired.n_requests)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Where all differences are equal the mean is certain: nothing where it is 0, else infinite.
            t = np.where(paired.mean == 0, 0.0, paired.mean / error)
        freedom = paired.n_requests - 1
        if self.side:
            is_tied = paired.win_tie_loss[:, 1] == paired.n_requests
            p = np.where(is_tied, 1.0, student_tail(freedom, self.side * t))
        else:
            p = np.minimum(2 * student_tail(freedom, np.abs(t)), 1.0)
        return Outcome(t, p, *paired.student_interval(alpha))


@dataclass(frozen=True)
class SignTest(Test):
    """Exact binomial test of wins and losses, ties dropped, as the papers use for sgnLP and lexirecall."""

    name: ClassVar[str] = "sign"
    words: ClassVar[str] = "an exact two-sided sign test, ties dropped"
    is_directed: ClassVar[bool] = True

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        wins, _, losses = paired.win_tie_loss.T
        against = {1: losses, 0: np.minimum(wins, losses), -1: wins}[self.side]
        others = wins + losses - against
        tail = np.where(others > 0, binomial_tail(np.maximum(others, 1), np.maximum(others + against, 1)), 1.0)
        p = tail if self.side else np.minimum(2 * tail, 1.0)
        return Outcome((wins - losses).astype(np.float64), p, *paired.student_interval(alpha))


@dataclass(frozen=True)
class Wilcoxon(Test):
    """Wilcoxon's signed-rank test, ties dropped."""

    name: ClassVar[str] = "wilcoxon"
    is_signed: ClassVar[bool] = False
    words: ClassVar[str] = "a two-sided Wilcoxon signed-rank test, ties dropped"
    is_directed: ClassVar[bool] = True

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        if paired.totals is not None:
            statistic, p = np.array([self.of_sizes(signed) for signed in count_sizes(paired.totals)]).T
            return Outcome(statistic, p, *paired.student_interval(alpha))
        statistic, p = np.zeros(len(paired.values)), np.ones(len(paired.values))
        # Equal values are equal floats; different ones are different floats where these are few whole numbers.
        may_share_a_float = whole_pairs(paired).slack > 0
        for k, row in enumerate(paired.values):
            if tick and k % 16 == 0:
                tick(k, len(paired.values))
            if row.any():
                differing = wilcoxon_ranks(paired, k) if may_share_a_float[k] else row[row != 0]
                statistic[k], p[k] = self.of_differences(differing)
        return Outcome(statistic, p, *paired.student_interval(alpha))

    def of_differences(self, differences: Floats) -> tuple[float, float]:
        """The statistic and the p-value of differences that are not 0."""
        from scipy.stats import wilcoxon

        if len(differences) <= ENUMERATED:
            return wilcoxon_exact(differences, self.side)
        statistic, p = wilcoxon(differences, alternative=self.alternative)
        return float(statistic), float(p)

    def of_sizes(self, signed: Sequence[tuple[int, int]]) -> tuple[float, float]:
        """The statistic and the p-value of so many positive and negative differences of every size."""
        n = sum(map(sum, signed))
        if n <= EXACT_UP_TO:
            ranks = np.outer(np.arange(1.0, len(signed) + 1), [1, -1]).ravel()
            return self.of_differences(np.repeat(ranks, np.ravel(signed))) if n else (0.0, 1.0)
        return wilcoxon_by_size(signed, n, self.side)


def count_sizes(totals: PairTotals) -> Iterable[list[tuple[int, int]]]:
    """For every pair the numbers of positive and of negative differences of every size, from the smallest up."""
    if totals.quotients is None:
        return signed_counts(totals.visit.run(SizeCounts()), len(totals.pairs))
    return map(by_size, totals.counts)


def by_size(counts: Mapping[Fraction, int]) -> list[tuple[int, int]]:
    """The same of how often each difference occurs."""
    sizes = sorted({abs(value) for value in counts if value})
    return [(counts.get(size, 0), counts.get(-size, 0)) for size in sizes]


def wilcoxon_ranks(paired: PairValues, pair: int) -> Floats:
    """Numbers with the signs of the values that are not 0, whose sizes order and tie as the exact values do."""
    untied = np.flatnonzero(paired.values[pair])
    values = paired.values[pair, untied]

    def exactly(_: int, columns: Places) -> list[Fraction]:
        return [abs(number) for number in paired.exact_values(pair, untied[columns])]

    sizes = ExactValues(
        np.abs(values)[None],
        np.zeros((1, len(values))),
        exactly,
        paired.is_rational,
        labels=lambda: paired.equal_values(pair, untied)[None],
    )
    signed: Floats = np.sign(values) * (1.0 + sizes.codes()[0])
    return signed


def wilcoxon_by_size(signed: Iterable[tuple[int, int]], n: int, side: int) -> tuple[float, float]:
    """The rank sum and the p-value by the normal approximation, as SciPy has it, of n differences.

    `signed` are the numbers of positive and of negative ones of every size, from the smallest up.
    """
    from scipy.special import ndtr

    below = double_sum = cubes = 0
    for more, less in signed:
        shared = more + less
        double_sum += more * (2 * below + shared + 1)
        below, cubes = below + shared, cubes + shared**3 - shared
    rank_sum = Fraction(double_sum, 2)
    variance = Fraction(2 * n * (n + 1) * (2 * n + 1) - cubes, 48)
    z = float(rank_sum - Fraction(n * (n + 1), 4)) / sqrt(variance)
    if side:
        return float(rank_sum), float(ndtr(-side * z))
    return float(min(rank_sum, Fraction(n * (n + 1), 2) - rank_sum)), min(1.0, 2 * float(ndtr(-abs(z))))


def wilcoxon_exact(differences: Floats, side: int = 0) -> tuple[float, float]:
    """The rank sum and the exact p-value of few nonzero differences; equal sizes share a rank.

    The sum is the smaller one, or that of positive differences if the test is one-sided.
    """
    ranks = double_ranks(np.abs(differences))
    observed = int(ranks[differences > 0].sum())
    subsets = count_subsets(ranks)
    less, greater = subsets[: observed + 1].sum(), subsets[observed:].sum()
    if side:
        return observed / 2, float(greater if side > 0 else less) / 2.0 ** len(differences)
    p = min(1.0, 2 * float(min(less, greater)) / 2.0 ** len(differences))
    return min(observed, int(ranks.sum()) - observed) / 2, p


def wilcoxon_less(differences: Iterable[float]) -> float:
    """One-sided p-value of the sum of the ranks of positive differences being as small as it is; 1 if all are 0.

    Differences are floats without exact values: those within the tolerance of 0 are dropped, those equal to ten digits
    share their mean rank. More than 50 take the normal approximation without continuity correction.
    """
    d = np.array(list(differences), dtype=np.float64)
    if not np.isfinite(d).all():
        raise InputError("a difference is not a finite number. Leave it out.", kind="score")
    d = d[np.abs(d) > TOLERANCE]
    ranks = double_ranks(np.array([float(f"{size:.9e}") for size in np.abs(d).tolist()]))
    observed = int(ranks[d > 0].sum())
    if len(d) <= EXACT_UP_TO:
        return float(count_subsets(ranks)[: observed + 1].sum() / 2.0 ** len(d))
    from scipy.special import ndtr

    # A rank counts with probability one half: its variance is a quarter of its square.
    squares = (ranks.astype(np.float64) ** 2).sum()
    return float(ndtr((observed - ranks.sum() / 2) / sqrt(squares / 4)))


def double_ranks(sizes: Floats) -> NDArray[np.int64]:
    """Twice the ranks from 1 for the smallest; equal sizes share their mean rank, so that twice it is whole."""
    _, which, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    shared = 2 * np.cumsum(counts) - counts + 1
    ranks: NDArray[np.int64] = shared[which.ravel()].astype(np.int64)
    return ranks


def count_subsets(ranks: NDArray[np.int64]) -> Floats:
    """The number of subsets of the ranks with sum 0, 1, ..."""
    subsets = np.zeros(int(ranks.sum()) + 1)
    subsets[0] = 1.0
    for rank in ranks.tolist():
        subsets[rank:] = subsets[rank:] + subsets[: len(subsets) - rank]
    return subsets
