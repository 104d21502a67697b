"""Values as whole numbers, so that sums over requests are exact in any order."""

from __future__ import annotations

from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.projection.primitives import Floats

FLOAT_SUMS, INTEGER_SUMS = 2**53, 2**62
"""Sums of whole numbers are exact below these, in float64 and in int64."""

MOST_BITS = 40
"""Floats that should be equal differ in later bits."""


class Whole(NamedTuple):
    """Values [row, request] as whole numbers of a unit: [row, 1].

    Rounding moves a sum by half a unit per request, and what it is compared with by as much: sums that differ by no
    more than `slack` units may be equal. It is 0 where nothing was rounded.
    """

    numbers: NDArray[Any]
    unit: Floats
    slack: int

    def sums_seen(self) -> NDArray[Any]:
        """How far from 0 the sum of every row is: what may be equal counts as equal."""
        seen: NDArray[Any] = np.abs(self.numbers.sum(axis=1)) - self.slack
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
    >>> thirds.numbers.tolist(), thirds.slack
    ([[2.0, -4.0, 3.0]], 0)
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
            return Whole(numbers, np.full((len(values), 1), 1 / common), 0)
    n = values.shape[1]
    if one_unit:
        largest = np.full_like(largest, largest.max(initial=0.0))
    shift = bits_held(n, below) - exponents(largest)
    scaled = np.ldexp(values, shift)
    numbers = np.rint(scaled, out=scaled).astype(dtype, copy=False)
    return Whole(numbers, np.ldexp(1.0, -shift), n)


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
