"""The bootstrap test of pairs, over requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.orderings.bootstrap import draw_counts
from tiebreak.orderings.poisson import NOTE
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, RandomisationTest, draw_pvalues
from tiebreak.significance.block_bootstrap import bootstrap_blocks
from tiebreak.significance.whole_numbers import ExactSums, Whole, whole_pairs

DRAWS_AT_ONCE = 256
SUMS_AT_ONCE = 1 << 23
COUNTS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class BootstrapTest(RandomisationTest):
    """Percentile bootstrap: how often the mean of resampled requests is on the other side of 0."""

    name: ClassVar[str] = "bootstrap"
    words: ClassVar[str] = "a percentile bootstrap over requests"
    min_requests: ClassVar[int] = 2
    is_by_pair: ClassVar[bool] = True
    is_directed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.permutations == "all":
            raise InputError('permutations="all" is for permutation tests. Give a number.', kind="size")

    @property
    def min_count(self) -> int:
        return 1 if self.side else 2

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        draws = int(self.permutations)
        if paired.totals is not None:
            return self.over_blocks(paired, paired.totals, alpha, tick)
        low, high, p = (np.empty(len(paired.values)) for _ in range(3))
        whole, exact = whole_pairs(paired), ExactSums(paired)
        step = max(1, SUMS_AT_ONCE // draws)
        for begin in range(0, len(paired.values), step):
            rows = slice(begin, begin + step)
            sums, signs = self.sums(whole, exact, rows, tick)
            bounds = np.quantile(sums, [alpha / 2, 1 - alpha / 2], axis=0)
            low[rows], high[rows] = bounds * whole.unit[rows, 0] / paired.n_requests
            p[rows] = self.pvalues(signs)
        return Outcome(paired.mean.copy(), p, low, high)

    def over_blocks(self, paired: PairValues, totals: PairTotals, alpha: float, tick: Tick | None) -> Outcome:
        """Of values that are not held: every block is visited, and sums by Poisson's weights add up."""
        means, signs = bootstrap_blocks(totals, int(self.permutations), int(self.seed), tick)
        return Outcome(paired.mean.copy(), self.pvalues(signs), *np.quantile(means, [alpha / 2, 1 - alpha / 2], axis=0))

    def pvalues(self, signs: NDArray[np.int8]) -> Floats:
        """Of the signs of means [draw, pair]."""
        below, above = (signs <= 0).sum(axis=0), (signs >= 0).sum(axis=0)
        beyond = {1: below, 0: np.minimum(below, above), -1: above}[self.side]
        return np.minimum(self.min_count * draw_pvalues(beyond, len(signs)), 1.0)

    def notes(self, paired: PairValues) -> tuple[str, ...]:
        return () if paired.totals is None else (NOTE,)

    def sums(self, whole: Whole, exact: ExactSums, pairs: slice, tick: Tick | None) -> tuple[Floats, NDArray[np.int8]]:
        """Sums [draw, pair] of resampled requests, and their signs."""
        numbers, slack, draws = whole.numbers[pairs], whole.slack[pairs], int(self.permutations)
        sums = np.empty((draws, len(numbers)))
        signs = np.empty(sums.shape, dtype=np.int8)
        step = min(DRAWS_AT_ONCE, max(1, COUNTS_AT_ONCE // numbers.shape[1]))
        for rows, weights in draw_counts(numbers.shape[1], draws, self.seed, step):
            if tick:
                tick(pairs.start * draws + rows.start * len(numbers), len(whole.numbers) * draws)
            sums[rows] = weights @ numbers.T
            signs[rows] = np.sign(sums[rows])
            places, open_pairs = np.nonzero((np.abs(sums[rows]) <= slack) & (slack > 0))
            if len(places):
                signs[rows.start + places, open_pairs] = exact.signs(pairs.start + open_pairs, places, weights)
        return sums, signs
