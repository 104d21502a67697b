"""Rank-biased precision: binary, graded, and what unjudged items leave open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, decimal, like
from tiebreak.exact.arithmetic import DOUBLES, counting, power
from tiebreak.exact.doubles import ROUNDING_ERROR, UNDERFLOW
from tiebreak.exact.held import Places
from tiebreak.metrics._judged_items import check_no_rel, count_judged, nonrelevant_items
from tiebreak.metrics._recall_level import RecallLevelMetric, exact_exposure
from tiebreak.metrics.base import Metric, Traits, label_zeros
from tiebreak.metrics.graded_entries import GradedEntries
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_rank
from tiebreak.projection.primitives import UNRETRIEVED


@dataclass(frozen=True)
class RankBiasedPrecision(RecallLevelMetric):
    r"""Expected utility of a user who continues to the next position with probability p (persistence).

    .. math:: \mathrm{RBP}(p) = (1 - \gamma) \sum_{i=1}^{m} \gamma^{p_i - 1}, \qquad z(i, m) = 1

    Never reaches 1; deep positions underflow to 0, so it cannot order runs by deep differences.

    Parameters
    ----------
    p : float
        Persistence :math:`\gamma`, between 0 and 1.

    Examples
    --------
    >>> RankBiasedPrecision(p=0.5).evaluate(tb.positions([[1, 3]])).ravel().tolist()
    [0.625]
    """

    p: float = parameter(0.8, check_number, above=0, below=1, name="RBP: p")
    name: ClassVar[str] = "RBP"

    def exposure(self, k: Any, m: int) -> Any:
        p = like(self.p, k)
        return (1 - p) * power(p, k - 1)


@dataclass(frozen=True)
class GradedRBP(Metric):
    r"""Rank-biased precision of grades, each as a share of the largest.

    .. math:: (1 - \gamma) \sum_{i} \frac{\text{grade}_i}{\text{largest grade}} \gamma^{p_i - 1}

    Every grade above 0 counts, regardless of the experiment's ``min_grade``. ``rbp`` of trec_eval is
    ``graded_RBP(p=0.9)``; where relevance is binary it is `RBP`.

    Parameters
    ----------
    p : float
        Persistence :math:`\gamma`, between 0 and 1.
    max_grade : float, optional
        The largest grade of the scale; by default, as in trec_eval, the largest of the request, or 1 if it is smaller.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> GradedRBP(p=0.5).evaluate(p).tolist()      # 1/2 * (1/2 + 1/2)
    [[0.5]]
    """

    p: float = parameter(0.8, check_number, above=0, below=1, name="graded_RBP: p")
    max_grade: float | None = parameter(None, check_number, above=0, name="graded_RBP: max_grade")
    name: ClassVar[str] = "graded_RBP"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def binary_form(self) -> RankBiasedPrecision:
        return RankBiasedPrecision(p=self.p, cutoff=self.cutoff, rel=self.rel)

    def values(self, positions: Positions) -> ExactValues:
        entries = GradedEntries(positions, self.rel)
        grades = entries.exact(lambda grade: grade)
        scale, binary = self.scale(entries), self.binary_form()
        gain = Doubles.from_exact(np.array([*grades, Fraction(0)], dtype=object))
        divisors = Doubles.from_exact(np.array(scale, dtype=object))
        e = exposures(binary, deepest_rank(entries.kept.ranks))
        total = Doubles.full(entries.shape, np.nan)
        for block in entries.blocks():
            summed = (e.take(block.ranks - 1) * gain[block.grade]).sum()
            total[:, block.requests] = summed / divisors[block.grade.max(axis=-1)]

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [exact(entries.cell(run, request)) for request in requests.tolist()]

        def exact(items: list[tuple[int, int]]) -> Fraction:
            summed = sum((grades[code] * exact_exposure(binary, k, 0) for k, code in items), start=Fraction(0))
            return summed / scale[max(code for _, code in items)]

        return ExactValues.from_doubles(
            total,
            ROUNDING_ERROR * np.nan_to_num(total.high) + UNDERFLOW,
            exactly,
            entries.is_zero(self.cutoff),
            labels=lambda: entries.labels(self.cutoff),
        )

    def scale(self, entries: GradedEntries) -> list[Fraction]:
        """By what grades are divided, for every largest grade of a request."""
        if self.max_grade is None:
            return entries.exact(lambda grade: max(grade, Fraction(1)))
        if (largest := entries.kept.grade_scale.highest) > self.max_grade and largest >= (self.rel or 0):
            raise InputError(f"{self}: there are grades up to {largest:g}. Give max_grade={largest:g}.", kind="spec")
        return [decimal(self.max_grade)] * len(entries.grades)


@dataclass(frozen=True)
class RBPResidual(Metric):
    r"""How much higher rank-biased precision could be if all unjudged items were relevant, as in trec_eval.

    .. math:: \gamma^n + (1 - \gamma) \sum_{k \text{ unjudged}} \gamma^{k - 1}

    over the positions k of unjudged items among the n retrieved, and all positions beyond; 0 where every retrieved item
    is judged.

    Parameters
    ----------
    p : float
        Persistence :math:`\gamma`, between 0 and 1.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "x": 0}}, {"q": {"a": 4.0, "n": 3.0, "x": 2.0}}, nonrelevant=True)
    >>> RBPResidual(p=0.5).evaluate(p).tolist()      # 1/8 + 1/2 * 1/2
    [[0.375]]
    """

    p: float = parameter(0.8, check_number, above=0, below=1, name="RBP_resid: p")
    name: ClassVar[str] = "RBP_resid"
    traits: ClassVar[Traits] = Traits(cutoff="no", lower_is_better=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_no_rel(self)

    def values(self, positions: Positions) -> ExactValues:
        """1 less the share of judged items, so that unjudged ones need not be known."""
        parts = (positions, nonrelevant_items(positions, self))
        e = exposures(RankBiasedPrecision(p=self.p), int(positions.retrieved.max(initial=0)))
        judged = Doubles.full(positions.retrieved.shape, 0.0)
        for part in parts:
            for bucket in part.buckets():
                for block in bucket.blocks():
                    some = bucket.requests[block]
                    p = bucket.p[:, block]
                    p = np.where(p <= positions.retrieved[:, some, None], p, UNRETRIEVED)
                    judged[:, some] = judged[:, some] + e.take(p - 1).sum()

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [Fraction(int(is_open[run, q])) * exact(run, q) for q in requests.tolist()]

        def exact(run: int, request: int) -> Fraction:
            ranks: set[int] = set()
            for part in parts:
                ranks.update(part.ranks[run, part.layout.entries(request)].tolist())
            return residual(decimal(self.p), ranks, int(positions.retrieved[run, request]))

        is_open = count_judged(positions, self, positions.retrieved) < positions.retrieved
        left = (1 - judged).where(positions.relevant() > 0, np.nan)
        error = ROUNDING_ERROR + UNDERFLOW
        return ExactValues.from_doubles(left, error, exactly, ~is_open, labels=lambda: label_zeros(~is_open))


def residual(p: Fraction, judged: set[int], n: int) -> Fraction:
    """The residual of n items of which those at some positions are judged, from the last position up."""
    a, b = p.numerator, p.denominator
    total, power_of_b = 1, 1  # all beyond the last
    for k in range(n, 0, -1):
        total = a * total + (0 if k in judged else (b - a) * power_of_b)
        power_of_b *= b
    return Fraction(total, power_of_b)


def exposures(metric: RecallLevelMetric, deepest: int) -> Doubles:
    """The exposure of positions 1, 2, ..., and 0 for all beyond."""
    e = metric.exposure_to_cutoff(counting(deepest, DOUBLES), 0)
    return Doubles(*(np.concatenate([part, [0.0]]) for part in (e.high, e.low)))
