"""Sums of shuffled systems, block by block: the randomised Tukey HSD where values are not held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak.exact.held import Places
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.significance.base import against_first, ranks_by_wins
from tiebreak.significance.shuffle_rows import (
    ShuffleInput,
    exact_rows,
    preference_rows,
    rank_rows,
    rounded_rows,
    shuffle_some,
    value_rows,
)
from tiebreak.significance.surveys import Findings, Numbering, run_numerators
from tiebreak.significance.whole_numbers import INTEGER_SUMS, Scale

CELLS_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class ShuffleScale:
    """What is shuffled in every block, and of which unit: as `shuffle_rows` decides it of all requests."""

    kind: str
    denominator: int  # of the values of runs; 0 where they are rounded
    scale: Scale

    @classmethod
    def from_findings(cls, findings: Findings, paired: PairValues) -> ShuffleScale:
        n, largest = findings.n_requests, findings.largest
        if paired.is_difference:
            first = paired.runs.index(min(paired.runs))  # by name: from it the others differ
            against = largest[(paired.pairs.x == first) | (paired.pairs.y == first)].max(initial=0.0)
            scale = Scale.choose(np.full((len(paired.runs), 1), against), n, [], INTEGER_SUMS)
            return cls("values", findings.run_denominator(INTEGER_SUMS), scale)
        scale = Scale.choose(largest, n, [*findings.denominators], INTEGER_SUMS, one_unit=True)
        return cls("ranks" if findings.is_ranked else "preferences", 0, scale)

    def rows(self, values: PairValues) -> ShuffleInput:
        """What is shuffled of a block."""
        if self.kind == "ranks":
            ranks = ranks_by_wins(values)
            assert ranks is not None, "the survey found ranks"
            return rank_rows(values, ranks)
        if self.kind == "preferences":
            return preference_rows(
                values, self.scale.apply(values.values, values.denominator if values.exact is None else None)
            )
        if self.denominator and values.by_run is not None:
            numbers = run_numerators(values.by_run, self.denominator)
            return value_rows(values, numbers - numbers[0], Fraction(1, self.denominator))
        return rounded_rows(values, self.scale.apply(against_first(values, values.values), None))


class ShuffledSums(NamedTuple):
    """Observed sums of pairs, and sums [shuffle, run or pair], in units; comparisons within the slack are undecided."""

    observed: NDArray[Any]
    sums: NDArray[Any]
    unit: Fraction
    slack: Any

    @classmethod
    def add(cls, states: Sequence[ShuffledSums]) -> ShuffledSums:
        """The sums of several blocks."""
        observed, sums = (sum(parts[1:], parts[0]) for parts in zip(*(state[:2] for state in states), strict=True))
        return cls(observed, sums, states[0].unit, max(state.slack for state in states))


@dataclass(frozen=True, eq=False)
class Shuffles:
    """Sums of some random shuffles, as the core has them."""

    scale: ShuffleScale
    numbering: Numbering
    draw: tuple[int, int, int]
    jobs: int

    def reduce(self, values: PairValues) -> ShuffledSums:
        values = values.sort_by_name()
        rows, places = self.scale.rows(values), self.numbering(values.requests)
        numbers, systems = rows.numbers.ravel(), len(values.runs)
        sums = _kernels.shuffled_sums(rows.kind, numbers, systems, places, self.draw, self.jobs)
        return ShuffledSums(rows.observed, sums, rows.unit, rows.slack)

    def add(self, states: Sequence[ShuffledSums]) -> ShuffledSums:
        return ShuffledSums.add(states)


@dataclass(frozen=True, eq=False)
class ShufflesExactly:
    """Exact sums of some random shuffles, as fractions."""

    kind: str
    numbering: Numbering
    seed: int
    shuffles: Places

    def reduce(self, values: PairValues) -> ShuffledSums:
        values = values.sort_by_name()
        systems = len(values.runs)
        width = systems if self.kind == "values" else systems * (systems - 1) // 2
        requests = np.flatnonzero(values.values.any(axis=0))  # those in which runs differ
        nothing = np.full((len(self.shuffles), width), Fraction(0), dtype=object)
        if not len(requests):
            return ShuffledSums(np.full(len(values.pairs), Fraction(0), dtype=object), nothing, Fraction(1), 0)
        rows = exact_rows(values, self.kind, requests)
        sums = shuffle_some(rows, self.numbering(values.requests)[requests], self.seed, self.shuffles)
        return ShuffledSums(rows.observed * rows.unit, nothing + sums * rows.unit, Fraction(1), rows.slack * rows.unit)

    def add(self, states: Sequence[ShuffledSums]) -> ShuffledSums:
        return ShuffledSums.add(states)


def shuffle_blocks_exactly(
    totals: PairTotals, kind: str, numbering: Numbering, seed: int, shuffles: Places
) -> ShuffledSums:
    """The exact sums of some shuffles of all requests, some shuffles in each visit."""
    step = max(1, CELLS_AT_ONCE // len(totals.pairs))
    parts: list[ShuffledSums] = [
        totals.visit.run(ShufflesExactly(kind, numbering, seed, shuffles[begin : begin + step]))
        for begin in range(0, len(shuffles), step)
    ]
    return parts[0]._replace(sums=np.concatenate([part.sums for part in parts]))
