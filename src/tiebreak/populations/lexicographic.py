"""Leximin and its relatives: total preorders that no single number stands for (PE 3.3, 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.exact import Number
from tiebreak.exact.given import given_number
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population, Score, Vector

FIRST_BLOCK = 1024
Block = Callable[[int, int, int], tuple[Any, ...]]
"""(row, first column, end) -> what is compared there."""


@dataclass(frozen=True)
class Lexicographic(Population):
    """Compares sorted utilities one after another; the first difference decides.

    Parameters
    ----------
    digits : int, optional
        Round the utilities to so many decimals first; by default exactly equal floats tie.
    """

    digits: int | None = None
    is_number: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = isinstance(self.digits, int) and not isinstance(self.digits, bool)
        if self.digits is not None and not (whole and 0 <= self.digits <= 15):
            raise InputError(f"digits={self.digits}. Give a whole number from 0 to 15.", kind="spec")

    def scores(self, table: UtilityTable) -> list[Score]:
        """How many runs a run stands above."""
        width, block = self.compared(self.sorted(table))
        return runs_below(tied_groups(len(table.values), width, block))

    def sorted(self, table: UtilityTable) -> Vector:
        """The utilities of every run from the worst to the best; codes that order as they do, where they are exact."""
        if self.digits is not None:
            return np.sort(rounded(table, self.digits), axis=-1)
        return np.sort(table.values if table.exact is None else table.exact.codes(), axis=-1)

    def compared(self, ordered: Vector) -> tuple[int, Block]:
        """How many numbers are compared, and which, in this order."""
        raise NotImplementedError


@dataclass(frozen=True)
class Leximin(Lexicographic):
    """From the worst utility up (PE eq 5)."""

    name: ClassVar[str] = "leximin"

    def compared(self, ordered: Vector) -> tuple[int, Block]:
        return ordered.shape[1], lambda row, begin, end: tuple(ordered[row, begin:end].tolist())


@dataclass(frozen=True)
class Leximax(Lexicographic):
    """From the best utility down (PE 6)."""

    name: ClassVar[str] = "leximax"

    def compared(self, ordered: Vector) -> tuple[int, Block]:
        downwards = ordered[:, ::-1]
        return ordered.shape[1], lambda row, begin, end: tuple(downwards[row, begin:end].tolist())


@dataclass(frozen=True)
class SmoothedLeximin(Lexicographic):
    """Sums of `lag` neighbours of the sorted utilities, from the worst up; lag 1 is leximin, lag n the mean (PE 7)."""

    lag: int = 5
    name: ClassVar[str] = "smoothed_leximin"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.lag, bool) or not isinstance(self.lag, int) or self.lag < 1:
            raise InputError(f"lag={self.lag}. Give a whole number from 1 on.", kind="spec")

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        if self.lag > len(table.requests):
            raise InputError(
                f"{self}: the lag is {self.lag}, but there are {len(table.requests)} requests. Give a smaller one.",
                kind="size",
            )

    def scores(self, table: UtilityTable) -> list[Score]:
        if self.lag == 1:
            return super().scores(table)
        if self.digits is not None:
            table = replace(table, values=exact_numbers(rounded(table, self.digits)), exact=None)
        samples = list(table.samples())
        width = len(table.requests) - self.lag + 1

        def block(row: int, begin: int, end: int) -> tuple[Number, ...]:
            return tuple(samples[row].windows(self.lag, begin, min(end, width)))

        return runs_below(tied_groups(len(samples), width, block))

    def compared(self, ordered: Vector) -> tuple[int, Block]:
        return ordered.shape[1], lambda row, begin, end: tuple(ordered[row, begin:end].tolist())


def rounded(table: UtilityTable, digits: int) -> Vector:
    """The utilities to so many decimals."""
    if table.exact is None and table.values.dtype != object:
        return np.round(table.values, digits)
    flat = [[round(number, digits) for number in sample.exact] for sample in table.samples()]
    return np.array(flat, dtype=object).reshape(table.values.shape)


def exact_numbers(values: Vector) -> Vector:
    """What rounded utilities mean, as fractions."""
    numbers = [given_number(float(value)) for value in values.ravel().tolist()]
    return np.array(numbers, dtype=object).reshape(values.shape)


def tied_groups(rows: int, width: int, block: Block) -> list[list[int]]:
    """Rows by what they hold, the largest first; those that are equal in all of it are one group.

    Only rows that tie so far are looked at further, in blocks that grow.
    """
    groups = [list(range(rows))]
    begin, end = 0, FIRST_BLOCK
    while begin < width and any(len(group) > 1 for group in groups):
        groups = [finer for group in groups for finer in refined(group, begin, end, block)]
        begin, end = end, 2 * end
    return groups


def refined(group: list[int], begin: int, end: int, block: Block) -> Iterator[list[int]]:
    """A group of rows told apart by what they hold in some columns, the largest first."""
    if len(group) == 1:
        yield group
        return
    held = {row: block(row, begin, end) for row in group}
    ordered = sorted(group, key=held.__getitem__, reverse=True)
    same = [ordered[0]]
    for row in ordered[1:]:
        if held[row] != held[same[0]]:
            yield sorted(same)
            same = []
        same.append(row)
    yield sorted(same)


def runs_below(groups: list[list[int]]) -> list[Score]:
    """For every row how many stand in later groups."""
    below: dict[int, Score] = {}
    rest = sum(map(len, groups))
    for group in groups:
        rest -= len(group)
        below |= dict.fromkeys(group, rest)
    return [below[row] for row in range(len(below))]
