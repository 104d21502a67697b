"""Leximin and its relatives: total preorders that no single number represents (PE 3.3, 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cmp_to_key
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count
from tiebreak.errors import InputError
from tiebreak.exact import Number, Real
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population
from tiebreak.populations.rounding import round_utilities

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
        if self.digits is not None:
            utilities = round_utilities(table, self.digits)
        else:
            utilities = table.values if table.exact is None else table.exact.codes()
        ordered = np.sort(utilities, axis=-1)[:, :: self.direction]

        def block(row: int, begin: int, end: int) -> tuple[Any, ...]:
            return tuple(ordered[row, begin:end].tolist())

        return runs_below(len(ordered), ordered.shape[1], block)


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

    def scores(self, table: UtilityTable) -> list[Real]:
        if self.lag == 1:
            return super().scores(table)
        if self.digits is not None:
            units = round_utilities(table, self.digits)
            # Numbers beyond floats are kept in the size that they had.
            values = units * Fraction(1, 10**self.digits) if units.dtype == object else units
            table = replace(table, values=values, exact=None)
        samples = list(table.samples())
        width = len(table.requests) - self.lag + 1

        def block(row: int, begin: int, end: int) -> tuple[Number, ...]:
            return tuple(samples[row].windows(self.lag, begin, min(end, width)))

        return runs_below(len(samples), width, block)


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
        begin, end = 0, FIRST_BLOCK
        while begin < width:
            a, b = known(x, begin, end), known(y, begin, end)
            if a != b:
                return 1 if a > b else -1
            begin, end = end, 2 * end
        return 0

    increasing = sorted(range(runs), key=cmp_to_key(compare))
    below: dict[int, Real] = {}
    for place, run in enumerate(increasing):
        is_tied = place > 0 and compare(run, increasing[place - 1]) == 0
        below[run] = below[increasing[place - 1]] if is_tied else place
    return [below[run] for run in range(runs)]
