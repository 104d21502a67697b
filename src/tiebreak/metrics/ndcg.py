"""Normalised discounted cumulative gain: of binary relevance, a recall-level metric, and of grades."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.checks import check_choice
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, log2
from tiebreak.exact.arithmetic import DOUBLES, counting, doubles_from_units
from tiebreak.exact.logarithms import BITS, log2_units, power_of_two
from tiebreak.exact.slices import sum_slices
from tiebreak.exact.values import Places
from tiebreak.metrics.base import Metric, Traits
from tiebreak.metrics.graded_entries import LARGEST_EXPONENT, GradedEntries
from tiebreak.metrics.recall_level import LARGEST_WEIGHT, ExposureTable, RecallLevelMetric, exact_exposure
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_rank


class BinaryNDCG(RecallLevelMetric):
    r"""Normalised discounted cumulative gain of binary relevance.

    .. math:: e(k) = \frac{1}{\log_2 (k + 1)}, \qquad z(i, m) = \Big( \sum_{j=1}^{m} \frac{1}{\log_2 (j+1)} \Big)^{-1}

    With a cutoff the ideal ranking is cut as well. `nDCG` is its graded sibling and equals it where grades are 0 and 1.

    Examples
    --------
    >>> BinaryNDCG().evaluate(tb.positions([[1], [3]])).ravel().tolist()
    [1.0, 0.5]
    """

    name: ClassVar[str] = "binary_nDCG"

    @property
    def is_rational(self) -> bool:
        return False

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / log2(k + 1)

    def divisor(self, i: Any, m: int) -> Any:
        if isinstance(i, Doubles):
            return ideal_gain(m if self.cutoff is None else min(m, self.cutoff))
        return self.exposure(i[: self.cutoff], m).sum()


@cache
def ideal_gain(m: int) -> Doubles:
    """The sum of the exposures of the first m positions."""
    return doubles_from_units([sum(map(inverse_log2_units, range(2, m + 2)))], ())


@cache
def inverse_log2_units(n: int) -> int:
    """One over the logarithm of n to base 2, in units of 2^-BITS."""
    return (1 << 2 * BITS) // log2_units(n)


@dataclass(frozen=True)
class NDCG(Metric):
    r"""Normalised discounted cumulative gain, as in trec_eval.

    .. math:: \mathrm{DCG} = \sum_{i} \frac{g(\text{grade}_i)}{\log_2 (p_i + 1)}, \qquad
        \mathrm{nDCG} = \frac{\mathrm{DCG}}{\text{that of the ideal ranking}}

    Every grade above 0 counts, whatever the experiment's ``min_grade`` is.

    Parameters
    ----------
    gain : {"linear", "exp"}
        The grade itself, or 2^grade - 1.
    rel : float, optional
        Only grades from this one on count, in the ideal ranking too.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NDCG().evaluate(p).round(4).tolist()      # (1 + 2/log2(3)) / (2 + 1/log2(3))
    [[0.8597]]
    """

    gain: str = "linear"
    name: ClassVar[str] = "nDCG"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.gain, "gain", ("linear", "exp"))

    def binary_form(self) -> BinaryNDCG:
        return BinaryNDCG(cutoff=self.cutoff, rel=self.rel)

    def on(self, positions: Positions) -> Metric:
        """The recall-level form where all grades are the same, so that gains cancel."""
        grade = positions.grade
        return self.binary_form() if len(grade) and grade.min() == grade.max() else self

    def gain_for(self, grade: Fraction) -> Fraction:
        """The gain of an item with a grade."""
        if self.gain == "linear":
            return grade
        if grade > LARGEST_EXPONENT:
            raise InputError(f"{self}: a grade of {float(grade):g} is too large for an exponential gain.", kind="grade")
        return power_of_two(grade) - 1

    def values(self, positions: Positions) -> ExactValues:
        form = self.on(positions)
        return form.values(positions) if form is not self else GainSums(self, positions).values()


class GainSums:
    """Discounted gains of all rankings and of the ideal ones, to many more digits than a float has."""

    def __init__(self, metric: NDCG, positions: Positions) -> None:
        self.entries = GradedEntries(positions, metric.rel)
        self.discount = metric.binary_form()
        gains = self.entries.exact(metric.gain_for)
        # A common factor of all gains changes nothing: whole gains are added up exactly.
        common = lcm(*(gain.denominator for gain in gains))
        self.gains = [gain * common for gain in gains]
        largest = int(self.entries.kept.layout.sizes.max(initial=0))
        heaviest = max(self.gains, default=Fraction(0)) * largest
        if heaviest >= LARGEST_WEIGHT:  # too large for whole numbers, maybe for floats
            self.gains = [gain / max(self.gains) for gain in self.gains]
        deepest = max(largest, deepest_rank(self.entries.kept.ranks))
        e = self.discount.exposure_to_cutoff(counting(deepest, DOUBLES), 0)
        table = Doubles(*(np.concatenate([[0.0], part, [0.0]]) for part in (e.high, e.low)))
        self.table = ExposureTable(table, float(heaviest) if heaviest < LARGEST_WEIGHT else None)

    def values(self) -> ExactValues:
        """The values [run, request]."""
        runs, requests = self.entries.shape
        of_grade = Doubles.from_exact(np.array([*self.gains, Fraction(0)], dtype=object))
        parts = [np.zeros((runs + 1, requests)) for _ in range(self.table.n_parts)]
        error = np.zeros(requests)
        for block in self.entries.blocks():
            ideal = np.broadcast_to(np.arange(1, block.grade.shape[-1] + 1), block.grade.shape)
            gains, best = of_grade[block.grade], of_grade[-np.sort(-block.grade, axis=-1)]
            sums = zip(parts, self.table.sums(block.ranks, gains), self.table.sums(ideal, best), strict=True)
            for part, ours, theirs in sums:
                part[:-1, block.requests], part[-1, block.requests] = ours, theirs
            error[block.requests] = gains.high.sum(axis=-1) * self.table.error
        total = sum_slices(parts)
        best = total[-1].where(self.entries.sizes > 0, np.nan)
        return ExactValues.from_doubles(
            total[:-1] / best,
            2 * error / best.high,
            self.exactly,
            self.entries.is_zero(self.discount.cutoff),
            is_rational=False,
            labels=lambda: self.entries.labels(self.discount.cutoff),
        )

    def exactly(self, run: int, requests: Places) -> list[Fraction]:
        """The exact values of some requests in a run; to 96 digits."""
        return [self.exact(self.entries.cell(run, request)) for request in requests.tolist()]

    def exact(self, items: list[tuple[int, int]]) -> Fraction:
        gains = sorted((self.gains[code] for _, code in items), reverse=True)
        best = sum(gain * exact_exposure(self.discount, k, 0) for k, gain in enumerate(gains, start=1))
        return sum((self.gains[code] * exact_exposure(self.discount, k, 0) for k, code in items), Fraction(0)) / best
