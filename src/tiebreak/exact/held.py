"""Exact values that are held as data, or not held: in place of the functions that compute them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Floats

Places: TypeAlias = NDArray[np.int64]
Exactly: TypeAlias = Callable[[int, Places], list[Fraction]]
"""(row, columns) -> their exact values."""


@dataclass(frozen=True)
class ExactRows:
    """Exact values by their columns, a dictionary per row."""

    rows: list[dict[int, Fraction]]

    @classmethod
    def from_function(cls, exactly: Exactly, values: Floats) -> ExactRows:
        """What a function returns for all values that are not NaN."""
        known = [np.flatnonzero(~np.isnan(row)) for row in values]
        return cls([dict(zip(c.tolist(), exactly(row, c), strict=True)) for row, c in enumerate(known)])

    def __call__(self, row: int, columns: Places) -> list[Fraction]:
        return [self.rows[row][column] for column in columns.tolist()]


@dataclass(frozen=True)
class DistinctValues:
    """The exact value of every label, and the label of every cell."""

    label: NDArray[np.int32]  # [row, column]; -1 where there is no value
    numbers: list[Fraction]

    def __call__(self, row: int, columns: Places) -> list[Fraction]:
        return [self.numbers[label] for label in self.label[row, columns].tolist()]


@dataclass(frozen=True)
class NotHeld:
    """Stands for exact values that are computed again where they are asked for."""

    has_labels: bool

    def __call__(self, row: int, columns: Places) -> list[Fraction]:
        raise AssertionError("detached values were not attached")


@dataclass(frozen=True)
class HeldSums:
    """The exact sums of rows."""

    numbers: list[Fraction]

    def __call__(self) -> list[Fraction]:
        return self.numbers


@dataclass(frozen=True)
class FloatQuotients:
    """Quotients of whole numbers that are known by the floats nearest them, as `are_apart` tells."""

    nearest: Floats
    largest_denominator: int

    def __call__(self, row: int, columns: Places) -> list[Fraction]:
        return [Fraction(x).limit_denominator(self.largest_denominator) for x in self.nearest[row, columns].tolist()]
