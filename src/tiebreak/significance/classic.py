"""Tests with a distribution of their own: Student's t, the sign test, Wilcoxon's signed ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.significance.base import Outcome, Test, interval
from tiebreak.significance.paired import Paired
from tiebreak.significance.signed_ranks import wilcoxon_exact
from tiebreak.significance.whole_pairs import whole_pairs

ENUMERATED = 13


@dataclass(frozen=True)
class TTest(Test):
    """Student's t of the mean against 0, as the papers use for RPP, rrLP and metrics."""

    name: ClassVar[str] = "t"
    words: ClassVar[str] = "a two-sided paired t-test"
    needs: ClassVar[int] = 2

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        from scipy.special import stdtr

        error = paired.deviation / np.sqrt(paired.n)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Where all differences are equal the mean is certain: nothing where it is 0, else infinite.
            t = np.where(paired.mean == 0, 0.0, paired.mean / error)
        p = np.minimum(2 * stdtr(paired.n - 1, -np.abs(t)), 1.0)
        return Outcome(t, p, *interval(paired, alpha))


@dataclass(frozen=True)
class SignTest(Test):
    """Exact two-sided binomial test of wins and losses, ties dropped, as the papers use for sgnLP and lexirecall."""

    name: ClassVar[str] = "sign"
    words: ClassVar[str] = "an exact two-sided sign test, ties dropped"

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        from scipy.special import betainc

        wins, _, losses = paired.wins.T
        # The binomial distribution as a beta integral: of 10^6 coins SciPy's bdtr has nine digits, this twelve.
        rarer, untied = np.minimum(wins, losses), np.maximum(wins + losses, 1)
        p = np.minimum(2 * betainc(untied - rarer, rarer + 1, 0.5), 1.0)
        p = np.where(wins + losses == 0, 1.0, p)
        return Outcome((wins - losses).astype(np.float64), p, *interval(paired, alpha))


@dataclass(frozen=True)
class Wilcoxon(Test):
    """Wilcoxon's signed-rank test, ties dropped."""

    name: ClassVar[str] = "wilcoxon"
    is_signed: ClassVar[bool] = False
    words: ClassVar[str] = "a two-sided Wilcoxon signed-rank test, ties dropped"

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        from scipy.stats import wilcoxon

        statistic, p = np.zeros(len(paired.values)), np.ones(len(paired.values))
        # Equal values are equal floats; different ones are different floats where these are few whole numbers.
        may_share_a_float = whole_pairs(paired).slack > 0
        for k, row in enumerate(paired.values):
            if tick and k % 16 == 0:
                tick(k, len(paired.values))
            if row.any():
                ranked = paired.ranked_values(k) if may_share_a_float[k] else row
                differing = ranked[row != 0]
                is_small = len(differing) <= ENUMERATED  # where SciPy goes through all signs one by one if sizes tie
                statistic[k], p[k] = wilcoxon_exact(differing) if is_small else wilcoxon(differing)
        return Outcome(statistic, p, *interval(paired, alpha))
