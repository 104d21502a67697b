"""Expected reciprocal rank."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, decimal
from tiebreak.exact.held import Places
from tiebreak.exact.logarithms import power_of_two
from tiebreak.metrics.base import Metric, Traits, last_position
from tiebreak.metrics.graded_entries import LARGEST_EXPONENT, GradedEntries
from tiebreak.projection import Positions


@dataclass(frozen=True)
class ExpectedReciprocalRank(Metric):
    r"""Expected reciprocal rank at which a user stops (cascade model): the better the grade, the likelier.

    .. math:: \mathrm{ERR} = \sum_{k} \frac{1}{k} R_k \prod_{j < k} (1 - R_j), \qquad
        R = \frac{2^{\text{grade}} - 1}{2^{\text{max\_grade}}}

    Parameters
    ----------
    max_grade : float
        The largest grade of the scale; 4 as in gdeval, which ir_measures calls.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> ExpectedReciprocalRank(max_grade=2).evaluate(p).tolist()      # 1/4 + 1/2 * 3/4 * 3/4
    [[0.53125]]
    """

    max_grade: float = parameter(4, check_number, above=0, high=LARGEST_EXPONENT, name="ERR: max_grade")
    name: ClassVar[str] = "ERR"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)

    def stop(self, grade: Fraction) -> Fraction:
        return (power_of_two(grade) - 1) / power_of_two(decimal(self.max_grade))

    def values(self, positions: Positions) -> ExactValues:
        if (largest := positions.grade_scale.highest) > self.max_grade:
            raise InputError(
                f"{self}: there are grades up to {largest:g}. Write ERR(max_grade={largest:g}).", kind="spec"
            )
        entries = GradedEntries(positions, self.rel)
        exact = entries.exact(self.stop)
        stop, go_on = (Doubles.from_exact(np.array(row, dtype=object)) for row in (exact, [1 - r for r in exact]))
        total = Doubles.full(entries.shape, np.nan)
        last = last_position(self.cutoff)
        for block in entries.blocks():
            order = np.argsort(block.ranks, axis=-1, kind="stable")
            ranks = np.take_along_axis(block.ranks, order, axis=-1)
            codes = np.take_along_axis(np.broadcast_to(block.grade, ranks.shape), order, axis=-1)
            reached, expected = Doubles(np.ones(ranks.shape[:2])), Doubles(np.zeros(ranks.shape[:2]))
            for level in range(ranks.shape[-1]):
                k, code = ranks[..., level], codes[..., level]
                expected = expected + (reached * stop[code] / k.astype(np.float64)).where(k <= last)
                reached = reached * go_on[code]
            total[:, block.requests] = expected

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [exact_err(entries.cell(run, q), exact, last) for q in requests.tolist()]

        return ExactValues.from_doubles(
            total,
            0.0,
            exactly,
            entries.is_zero(self.cutoff),
            is_rational=not (entries.grades % 1).any() and decimal(self.max_grade).denominator == 1,
            labels=lambda: entries.labels(self.cutoff),
        )


def exact_err(items: list[tuple[int, int]], stop: list[Fraction], last: int) -> Fraction:
    """The exact value for one ranking: rank and code of grade of every item."""
    total, reached = Fraction(0), Fraction(1)
    for rank, code in items:
        if rank > last:
            break
        total += reached * stop[code] / rank
        reached *= 1 - stop[code]
    return total
