"""Tukey's HSD test of all pairs, parametric: the honestly significant difference by the studentised range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.preferences import PairValues
from tiebreak.significance.base import Outcome, Test, against_first
from tiebreak.significance.studentized_range import quantile, survival


@dataclass(frozen=True)
class TukeyHSD(Test):
    """Tukey's HSD by the studentised range, blocked by request, for metrics."""

    name: ClassVar[str] = "tukey"
    words: ClassVar[str] = "Tukey's HSD test, blocked by request"
    min_requests: ClassVar[int] = 2
    is_signed: ClassVar[bool] = False
    is_familywise: ClassVar[bool] = True

    def check(self, paired: PairValues) -> None:
        super().check(paired)
        if not paired.is_difference:
            raise InputError("tukey needs metric values per run. Use hsd for preferences.", kind="choice")

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        values, n = against_first(paired, paired.values), paired.n_requests
        largest = float(np.abs(values).max(initial=0.0)) or 1.0
        values /= largest  # squares of tiny numbers would vanish
        size = len(paired.runs)
        freedom = (size - 1) * (n - 1)
        residual = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
        error = largest * np.sqrt((residual**2).sum() / freedom / n)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = np.where(paired.mean == 0, 0.0, np.abs(paired.mean) / error)
        margin = quantile(alpha, size, freedom) * error
        return Outcome(q, survival(q, size, freedom), paired.mean - margin, paired.mean + margin)
