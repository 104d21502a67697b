"""Values as whole numbers, so that sums over requests are exact in any order."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.projection.primitives import Floats

FLOAT_SUMS, INTEGER_SUMS = 2**53, 2**62
"""Sums of whole numbers are exact below these, in float64 and in int64."""

MOST_BITS = 40
"""Bits of rounded numbers, far less than a float has: what rounds it hardly moves them."""

LEAST = 2.0**-960
"""Floats below have fewer digits than others, and may all be 5e-324."""

FIRST_FEW, MOST_DISTINCT = (2, 4, 8, 16), 1 << 16
"""So many values show whether a common denominator is at all likely; so many are worked out to find one."""


class Whole(NamedTuple):
    """Values [row, request] as whole numbers of a unit: [row, 1].

    Rounding moves a sum by half a unit per request, and what it is compared with by as much: which of two is larger is
    open where they differ by no more than `slack` units: [row]. It is 0 where nothing was rounded.
    """

    numbers: NDArray[Any]
    unit: Floats
    slack: NDArray[np.int64]
    denominator: int = 0
    """The unit is 1 over this, if it is not 0."""

    @classmethod
    def over(cls, denominator: int, numbers: NDArray[Any]) -> Whole:
        """Numerators over one denominator."""
        rows = len(numbers)
        return cls(numbers, np.full((rows, 1), 1 / denominator), np.zeros(rows, dtype=np.int64), denominator)

    @property
    def one_unit(self) -> Fraction:
        """The unit, where all rows have the same."""
        return Fraction(1, self.denominator) if self.denominator else Fraction(float(self.unit[0, 0]))

    def distances(self) -> NDArray[Any]:
        """How far from 0 the sum of every row is."""
        seen: NDArray[Any] = np.abs(self.numbers.sum(axis=1))
        return seen


def whole_numbers(
    values: Floats, denominator: NDArray[np.int64] | None, below: int = FLOAT_SUMS, one_unit: bool = False
) -> Whole:
    """Values whose sums over all requests stay below a bound, as floats if these hold it, else in 64 bits.

    They are exact where they are whole numbers over a denominator per request and fit. Otherwise they are rounded to a
    power of two that depends on the largest value of a row, or of all rows if these are to have one unit.

    Examples
    --------
    >>> thirds = whole_numbers(np.array([[1 / 3, -2 / 3, 1 / 2]]), np.array([3, 3, 2]))
    >>> thirds.numbers.tolist(), thirds.slack.tolist()
    ([[2.0, -4.0, 3.0]], [0])
    """
    dtype = np.float64 if below <= FLOAT_SUMS else np.int64
    largest = largest_of(values)
    if denominator is not None:
        common = lcm(*np.unique(denominator).tolist())
        bound = ceil(largest.max(initial=0.0))
        if common * bound * len(denominator) < below and int(denominator.max()) * bound < FLOAT_SUMS // 2:
            numerator = values * denominator
            numbers = np.rint(numerator, out=numerator).astype(dtype, copy=False)
            numbers *= common // denominator
            return Whole.over(common, numbers)
    n = values.shape[1]
    if one_unit:
        largest = np.full_like(largest, largest.max(initial=0.0))
    shift = bits_held(n, below) - exponents(largest)
    scaled = np.ldexp(values, shift)
    numbers = np.rint(scaled, out=scaled).astype(dtype, copy=False)
    return Whole(numbers, np.ldexp(1.0, -shift), slack_of(largest[:, 0], n, below))


def slack_of(largest: Floats, n: int, below: int) -> NDArray[np.int64]:
    """How many units two sums of n rounded numbers may be off, with room for what rounds a float."""
    slack = np.where(largest < LEAST, below // 2, n + n // 1024 + 1)
    return np.where(largest == 0, 0, slack).astype(np.int64)


def over_one_denominator(table: ExactValues, below: int) -> tuple[NDArray[np.int64], int] | None:
    """Exact values [row, column] as whole numbers over a common denominator, and that denominator.

    None where sums of differences of a row from another do not stay below a bound, or it takes too long to know.

    Examples
    --------
    >>> numbers, denominator = over_one_denominator(ExactValues.from_floats(np.array([[0.5, 0.2]])), FLOAT_SUMS)
    >>> numbers.tolist(), denominator
    ([[5, 2]], 10)
    """
    n = table.nearest.shape[1]
    largest = 2 * n * (1 + int(np.abs(table.nearest).max(initial=0.0)))
    few = (table.exactly(0, np.arange(min(n, count))) for count in FIRST_FEW)
    if not table.is_rational or any(common_denominator(numbers) * largest >= below for numbers in few):
        return None
    cells, which = distinct_cells(table)
    if len(cells) > MOST_DISTINCT:
        return None
    exact: list[Fraction] = []
    common = 1
    for row in range(len(table.nearest)):
        of_row = table.exactly(row, cells[cells // n == row] % n)
        exact += of_row
        common = lcm(common, common_denominator(of_row))
        if common * largest >= below:
            return None
    numbers = np.array([number.numerator * (common // number.denominator) for number in exact], dtype=np.int64)
    return numbers[which].reshape(table.nearest.shape), common


def common_denominator(numbers: list[Fraction]) -> int:
    return lcm(*{number.denominator for number in numbers})


def distinct_cells(table: ExactValues) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cells among which every value is found, in increasing order; and which of them has the value of each cell."""
    if not table.is_injective:
        cells = np.arange(table.nearest.size)
        return cells, cells
    _, first, which = np.unique(table.nearest.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[which.ravel()]


def bits_held(n: int, below: int) -> int:
    """Of numbers with so many bits the sum of n, of any signs, stays below a bound.

    Examples
    --------
    >>> bits_held(1_000_000, FLOAT_SUMS), bits_held(1_000_000, INTEGER_SUMS)
    (33, 40)
    """
    return min(MOST_BITS, below.bit_length() - 1 - n.bit_length())


def largest_of(values: Floats) -> Floats:
    """The size of the largest value of every row: [row, 1]."""
    low, high = (end(axis=1, keepdims=True, initial=0.0) for end in (values.min, values.max))
    largest: Floats = np.maximum(high, -low)
    return largest


def exponents(sizes: Floats) -> NDArray[np.int64]:
    """The smallest power of two that each size does not exceed."""
    powers: NDArray[np.int64] = np.ceil(np.log2(np.where(sizes > 0, sizes, 1.0))).astype(np.int64)
    return powers
