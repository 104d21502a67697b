"""The C/W/L framework: a user looks at one position after another, and goes on from each or stops."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, decimal
from tiebreak.exact.held import Places
from tiebreak.exact.sums import sum_fractions
from tiebreak.metrics.base import Metric, Traits, check_deepest
from tiebreak.metrics.graded_entries import GradedEntries
from tiebreak.projection import Positions

MOST_POSITIONS = 1000
"""How many positions a user looks at, as in cwl_eval."""
STEP_ERROR = 2.0**-97
"""Relative error of one step of a user, in double-double numbers."""


@dataclass(frozen=True)
class UserModel(Metric):
    r"""Expected gain per position of a user who goes on from position i with probability C(i).

    .. math:: \sum_{i} W(i) \, g_i, \qquad W(i) = \frac{V(i)}{\sum_k V(k)}, \quad V(i) = \prod_{j < i} C(j)

    The gain g of a grade is its place on the scale, from 0 for ``min_rel`` to 1 for ``max_rel``; the experiment's
    ``min_grade`` does not matter. Users look at no more than 1000 positions, as in cwl_eval.

    Parameters
    ----------
    max_rel : float
        The largest grade of the scale, with a gain of 1; larger grades count as this one.
    min_rel : float
        The grade up to which nothing is gained.
    """

    max_rel: float | None = parameter(None, check_number, above=0)
    min_rel: float = parameter(0, check_number, low=0)
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)
    is_rational: ClassVar[bool] = True
    """Whether no logarithm enters."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deepest(self, MOST_POSITIONS)
        if self.max_rel is None:
            at = "@10" if self.traits.cutoff == "must" else ""
            raise InputError(
                f"{self.name} needs the largest grade of the scale, such as {self.name}(max_rel=3){at}.", kind="spec"
            )
        if self.max_rel <= self.min_rel:
            raise InputError(
                f"{self.name}: max_rel={self.max_rel:g} is not above min_rel={self.min_rel:g}. Give both ends of the "
                "scale.",
                kind="spec",
            )

    def continuation(self, k: int, gain: Any, total: Any) -> Any:
        """C(k), by the gain at position k and the gain of all positions so far: Doubles [run, request] or Fractions."""
        raise NotImplementedError

    def gain_for(self, grade: Fraction) -> Fraction:
        low, high = decimal(self.min_rel), decimal(self.max_rel or 1)
        return (min(max(grade, low), high) - low) / (high - low)

    @property
    def last(self) -> int:
        return self.cutoff or MOST_POSITIONS

    def values(self, positions: Positions) -> ExactValues:
        entries = GradedEntries(positions, self.rel)
        exact = entries.exact(self.gain_for)
        gains = Doubles.from_exact(np.array([*exact, Fraction(0)], dtype=object))
        shown = ShownGrades(entries, self.last)
        total = self.expected_gain(shown, gains).where(entries.sizes > 0, np.nan)

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [self.exact_gain(entries.cell(run, q), exact) for q in requests.tolist()]

        return ExactValues.from_doubles(
            total,
            np.abs(total.high) * STEP_ERROR * self.last,
            exactly,
            shown.is_without(gains.high > 0),
            is_rational=self.is_rational,
            labels=lambda: entries.labels(self.last),
        )

    def expected_gain(self, shown: ShownGrades, gains: Doubles) -> Doubles:
        """Values [run, request], by the gain of each code of a grade; the last is that of no gain."""
        reached = Doubles(np.ones(shown.shape))
        looked = gained = so_far = nothing = Doubles(np.zeros(shown.shape))
        for k in range(1, self.last + 1):
            looked, gain = looked + reached, nothing
            if shown.is_any_at(k):
                gain = gains[shown.codes(k, len(gains) - 1)]
                gained, so_far = gained + reached * gain, so_far + gain
            reached = reached * self.continuation(k, gain, so_far)
            if not reached.high.any():
                break
        return gained / looked

    def exact_gain(self, items: list[tuple[int, int]], gains: list[Fraction]) -> Fraction:
        """The exact value for one ranking: rank and code of grade of every item."""
        by_rank = {rank: gains[code] for rank, code in items}
        looked, gained, so_far = [Fraction(1)], [], Fraction(0)
        for k in range(1, self.last + 1):
            gain = by_rank.get(k, Fraction(0))
            so_far += gain
            if gain:
                gained.append(looked[-1] * gain)
            looked.append(looked[-1] * self.continuation(k, gain, so_far))
            if not looked[-1]:
                break
        return sum_fractions(gained) / sum_fractions(looked[: self.last])


class ShownGrades:
    """The grades of items at every position, as codes."""

    def __init__(self, entries: GradedEntries, last: int) -> None:
        self.shape = entries.shape
        run, entry = np.nonzero(entries.kept.ranks <= last)
        order = np.argsort(entries.kept.ranks[run, entry], kind="stable")
        run, entry = run[order], entry[order]
        self.cell = run * self.shape[1] + entries.kept.layout.request[entry]
        self.code = entries.code.ravel()[entry]
        self.starts = np.searchsorted(entries.kept.ranks[run, entry], np.arange(last + 2))

    def is_any_at(self, k: int) -> bool:
        return bool(self.starts[k] < self.starts[k + 1])

    def codes(self, k: int, none: int) -> Places:
        """The codes [run, request] of grades at a position; `none` where no item that counts is."""
        codes = np.full(self.shape, none)
        here = slice(*self.starts[k : k + 2])
        codes.flat[self.cell[here]] = self.code[here]
        return codes

    def is_without(self, has_gain: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Where [run, request] no item is shown whose code has a gain."""
        is_without = np.ones(self.shape, dtype=bool)
        is_without.flat[self.cell[has_gain[self.code]]] = False
        return is_without
