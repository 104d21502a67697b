"""Utilities of which only is known how often each value occurs: of requests too many to hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.dropped import Dropped
from tiebreak._base.visits import NO_VISIT, Visit
from tiebreak.exact.sample import Sample
from tiebreak.exact.value_counts import CountedSample, ValueCounts
from tiebreak.inputs.utilities import UtilityTable


@dataclass(frozen=True, eq=False)
class CountedUtilities(UtilityTable):
    """How often every run has each utility, from the smallest up; values of requests are refused.

    `visit` goes through the values of all requests once more; with `is_negated`, utilities are minus these.
    """

    counts: ValueCounts = field(kw_only=True)
    visit: Visit = field(default=NO_VISIT, kw_only=True)
    is_negated: bool = field(default=False, kw_only=True)

    @classmethod
    def from_counts(
        cls,
        runs: tuple[str, ...],
        counts: ValueCounts,
        library: str | None,
        visit: Visit = NO_VISIT,
        is_negated: bool = False,
    ) -> CountedUtilities:
        """Of how often values occur, in any order."""
        counts = (-counts if is_negated else counts).in_order()
        dropped: Any = Dropped(counts.size)
        return cls(runs, dropped, dropped, library=library, counts=counts, visit=visit, is_negated=is_negated)

    def with_counts(self, counts: NDArray[np.int64]) -> CountedUtilities:
        """The same utilities, each as often as is said: [utility, run]."""
        some = self.counts.with_counts(counts)
        dropped: Any = Dropped(some.size)
        return replace(self, requests=dropped, values=dropped, counts=some)

    @cached_property
    def _samples(self) -> list[CountedSample]:
        return [self.counts.sample(run) for run in range(len(self.runs))]

    def samples(self, by_place: bool = False) -> Iterator[Sample]:
        return iter(self._samples) if by_place else (sample.spread() for sample in self._samples)

    def smallest(self) -> float:
        return float(self.counts.numbers[0])

    def zeros(self) -> NDArray[np.int64]:
        is_zero = np.array([number == 0 for number in self.counts.numbers])
        return np.asarray(self.counts.counts[is_zero].sum(axis=0))

    def value_at(self, run: int, place: int) -> float:
        """The utility of a run at a place of the increasing order, from 0."""
        return float(self._samples[run].item(place))

    def grouped_counts(self, codes: list[int], direction: int) -> NDArray[np.int64]:
        """How often every run has each code, [code, run], in increasing order, or decreasing with -1.

        `codes` are of the numbers, from the smallest: neighbours may share one.
        """
        first = np.flatnonzero(np.diff(codes, prepend=codes[0] - 1))
        return np.asarray(np.add.reduceat(self.counts.counts, first)[::direction])
