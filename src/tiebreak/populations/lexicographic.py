"""Leximin and its relatives: total preorders that no single number represents (PE 3.3, 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cmp_to_key
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count
from tiebreak.errors import InputError
from tiebreak.exact import Number, Real, competition_ranks
from tiebreak.exact.held import Places
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population
from tiebreak.populations.rounding import round_numbers, round_table, round_utilities

FIRST_BLOCK = 1024
Block = Callable[[int, int, int], tuple[Any, ...]]
"""(row, first column, end) -> what is compared there."""


@dataclass(frozen=True)
class Lexicographic(Population):
    """Compares sorted utilities one after another; the first difference decides.

    `digits` first rounds exact utilities to this many decimals, half to even: 0.575 and 0.585 are both 0.58.
    """

    digits: int | None = parameter(None, check_count, low=0, high=15)
    is_number: ClassVar[bool] = False
    direction: ClassVar[int] = 1
    """1 from the worst utility up, -1 from the best down."""

    def scores(self, table: UtilityTable) -> list[Real]:
        """The number of runs below each run."""
        return runs_below(len(table.runs), *self.sorted_blocks(table))

    def sorted_blocks(self, table: UtilityTable) -> tuple[int, Block]:
        """How many numbers of every run are compared one after another, and blocks of them."""
        if isinstance(table, CountedUtilities):
            # From the worst value up: where runs first differ in how often they have one, more of it is worse.
            counts = self.sorted_counts(table)
            return len(counts), lambda run, begin, end: tuple((-self.direction * counts[begin:end, run]).tolist())
        return self._sort(self._numbers(table))

    def sorted_counts(self, table: CountedUtilities) -> NDArray[np.int64]:
        """How often every run has each value, in the order in which they are compared: [value, run]."""
        numbers = table.counts.numbers
        codes = [*range(len(numbers))] if self.digits is None else round_numbers(table.counts, self.digits)
        return table.grouped_counts(codes, self.direction)

    def sample_ranks(self, table: UtilityTable, samples: Iterable[Places]) -> Iterator[NDArray[np.int64]]:
        numbers = self._numbers(table)  # the same for all samples
        for places in samples:
            yield competition_ranks(runs_below(len(numbers), *self._sort(numbers[:, places])))

    def _numbers(self, table: UtilityTable) -> NDArray[Any]:
        """What orders and ties as the utilities do, rounded if they are."""
        return table.codes() if self.digits is None else round_utilities(table, self.digits)

    def _sort(self, numbers: NDArray[Any]) -> tuple[int, Block]:
        ordered = np.sort(numbers, axis=-1)[:, :: self.direction]

        def block(row: int, begin: int, end: int) -> tuple[Any, ...]:
            return tuple(ordered[row, begin:end].tolist())

        return ordered.shape[1], block


@dataclass(frozen=True)
class Leximin(Lexicographic):
    """Lexicographic minimum: compares the worst utilities, then the next worst, and so on (PE eq 5)."""

    name: ClassVar[str] = "leximin"


@dataclass(frozen=True)
class Leximax(Lexicographic):
    """Lexicographic maximum: compares the best utilities, then the next best, and so on (PE 6)."""

    name: ClassVar[str] = "leximax"
    direction: ClassVar[int] = -1


@dataclass(frozen=True)
class SmoothedLeximin(Lexicographic):
    """Leximin on moving sums (window `lag`) of the sorted utilities; lag 1 is leximin, lag n the mean (PE 7)."""

    lag: int = parameter(5, check_count)
    name: ClassVar[str] = "smoothed_leximin"

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        if self.lag > len(table.requests):
            raise InputError(
                f"{self}: the lag is {self.lag}, but there are {len(table.requests)} requests. Give a smaller one.",
                kind="size",
            )

    def sample_ranks(self, table: UtilityTable, samples: Iterable[Places]) -> Iterator[NDArray[np.int64]]:
        if self.lag == 1:
            return super().sample_ranks(table, samples)
        return Population.sample_ranks(self, table, samples)

    def sorted_blocks(self, table: UtilityTable) -> tuple[int, Block]:
        if self.lag == 1:
            return super().sorted_blocks(table)
        if self.digits is not None:
            table = round_table(table, self.digits)
        samples = list(table.samples())
        width = len(table.requests) - self.lag + 1

        def block(row: int, begin: int, end: int) -> tuple[Number, ...]:
            return tuple(samples[row].windows(self.lag, begin, min(end, width)))

        return width, block


def scores_by_tier(order: Population, tiers: Iterable[UtilityTable]) -> list[Real]:
    """The number of runs below each run: by a population of the first tier; where that ties, of the next, and so on."""
    tables = list(tiers)
    for table in tables:
        order.check(table)
    by_tier = [order.scores(table) for table in tables]

    def block(run: int, begin: int, end: int) -> tuple[Real, ...]:
        return tuple(scores[run] for scores in by_tier[begin:end])

    return runs_below(len(tables[0].runs), len(tables), block)


def runs_below(runs: int, width: int, block: Block) -> list[Real]:
    """For every run the number of runs below it, by blocks that grow: the first that differ decide."""
    known = cache(block)

    def compare(x: int, y: int) -> int:
        return first_difference(x, y, width, known)[1]

    increasing = sorted(range(runs), key=cmp_to_key(compare))
    below: dict[int, Real] = {}
    for place, run in enumerate(increasing):
        is_tied = place > 0 and compare(run, increasing[place - 1]) == 0
        below[run] = below[increasing[place - 1]] if is_tied else place
    return [below[run] for run in range(runs)]


def first_difference(x: int, y: int, width: int, block: Block) -> tuple[int, int]:
    """The first place at which two runs differ, and 1 where the first is larger there, else -1; 0 where they tie."""
    begin, end = 0, FIRST_BLOCK
    while begin < width:
        a, b = block(x, begin, end), block(y, begin, end)
        if a != b:
            place = next(k for k, (p, q) in enumerate(zip(a, b, strict=True)) if p != q)
            return begin + place, 1 if a[place] > b[place] else -1
        begin, end = end, 2 * end
    return width, 0
