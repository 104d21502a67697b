"""Sums of floats without a rounding error, as fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
HALF = 27
DIGIT = 13
AT_ONCE = 1 << 13
"""So many products of half a mantissa and a digit of a weight add up below 2^53, where floats are whole."""


def exact_sum(x: Floats) -> Fraction:
    """The sum of finite floats.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16])) == 1
    True
    """
    return sum((part(x[k : k + (1 << 25)], None) for k in range(0, len(x), 1 << 25)), Fraction(0))


def exact_dot(x: Floats, weights: NDArray[np.int64]) -> Fraction:
    """The sum of finite floats times whole numbers.

    Examples
    --------
    >>> exact_dot(np.array([0.5, 0.25]), np.array([-3, 2])) == -1
    True
    """
    total = Fraction(0)
    for k in range(0, len(x), AT_ONCE):
        some, left, sign = x[k : k + AT_ONCE], np.abs(weights[k : k + AT_ONCE]), np.sign(weights[k : k + AT_ONCE])
        unit = 1
        while left.any():
            total += unit * part(some, sign * (left & ((1 << DIGIT) - 1)))
            left, unit = left >> DIGIT, unit << DIGIT
    return total


def part(x: Floats, weights: NDArray[np.int64] | None) -> Fraction:
    """Sum by exponent: mantissas in halves are whole numbers whose sums are exact."""
    if not len(x):
        return Fraction(0)
    mantissa, exponent = np.frexp(x)
    lowest = int(exponent.min())
    place = exponent - lowest
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    total = 0
    for half, shift in ((whole >> HALF, HALF), (whole & ((1 << HALF) - 1), 0)):
        sums = np.bincount(place, weights=half if weights is None else half * weights)
        total += sum(int(number) << (shift + k) for k, number in enumerate(sums.tolist()) if number)
    return Fraction(total) * Fraction(2) ** (lowest - 53)
