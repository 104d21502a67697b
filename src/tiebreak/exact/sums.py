"""Exact summation of floats and of fractions."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Floats
from tiebreak.exact.logarithms import BITS
from tiebreak.exact.number import tolerance

HALF_MANTISSA_BITS = 27
MOST_AT_ONCE = 1 << 25
"""So many halves of mantissas add up below 2^53, where floats are whole."""


def exact_sum(x: Floats) -> Fraction:
    """The sum of finite floats."""
    return sum((sum_by_exponent(x[k : k + MOST_AT_ONCE]) for k in range(0, len(x), MOST_AT_ONCE)), Fraction(0))


def row_means(numerator: NDArray[np.integer], denominator: NDArray[np.int64]) -> list[float]:
    """The mean of every row of ``numerator[row, column] / denominator[column]``, exactly rounded."""
    sizes, which = np.unique(denominator, return_inverse=True)
    common = lcm(*sizes.tolist())
    sums = np.stack([numerator[:, which == k].sum(axis=1, dtype=np.int64) for k in range(len(sizes))], axis=1)
    factors = np.array([common // size for size in sizes.tolist()], dtype=object)
    whole = common * len(denominator)
    return [total / whole for total in (sums.astype(object) @ factors).tolist()]  # quotients of int are rounded once


def sum_by_exponent(x: Floats) -> Fraction:
    """The sum by exponent: mantissas in halves are whole numbers whose sums are exact."""
    if not len(x):
        return Fraction(0)
    mantissa, exponent = np.frexp(x)
    lowest = int(exponent.min())
    place = exponent - lowest
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    total = 0
    for half, shift in (
        (whole >> HALF_MANTISSA_BITS, HALF_MANTISSA_BITS),
        (whole & ((1 << HALF_MANTISSA_BITS) - 1), 0),
    ):
        sums = np.bincount(place, weights=half)
        total += sum(int(number) << (shift + k) for k, number in enumerate(sums.tolist()) if number)
    return Fraction(total) * Fraction(2) ** (lowest - 53)


def sum_fractions(numbers: list[Fraction]) -> Fraction:
    """The sum of fractions; those of one denominator are added up first."""
    by_denominator: dict[int, int] = {}
    for number in numbers:
        by_denominator[number.denominator] = by_denominator.get(number.denominator, 0) + number.numerator
    parts = [Fraction(numerator, denominator) for denominator, numerator in by_denominator.items()]
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) & ~1 :]
    return parts[0] if parts else Fraction(0)


class WholeUnits(NamedTuple):
    """Numbers as whole multiples of a unit; those that are no further apart than `same` are the same."""

    numbers: list[int]
    unit: Fraction
    same: int


def whole_units(numbers: list[Fraction], is_rational: bool) -> WholeUnits:
    """Fractions over their common denominator; where logarithms enter, over a power of two far beyond 60 digits."""
    if not is_rational:
        one = 1 << BITS
        whole = [number.numerator * one // number.denominator for number in numbers]
        return WholeUnits(whole, Fraction(1, one), int(tolerance(is_rational) * one))
    common = lcm(*{number.denominator for number in numbers})
    whole = [number.numerator * (common // number.denominator) for number in numbers]
    return WholeUnits(whole, Fraction(1, common), 0)
