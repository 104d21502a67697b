"""Exact numbers as whole multiples of one unit, so that sums of them are exact."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from tiebreak.exact.logarithms import BITS
from tiebreak.exact.number import SIXTY_DIGITS


class WholeUnits(NamedTuple):
    """Numbers as whole multiples of a unit; those that are no further apart than `same` are the same."""

    numbers: list[int]
    unit: Fraction
    same: int


def whole_units(numbers: list[Fraction], is_rational: bool) -> WholeUnits:
    """Fractions over their common denominator; where logarithms enter, over a power of two far beyond 60 digits.

    Examples
    --------
    >>> whole_units([Fraction(1, 2), Fraction(-2, 3)], True)
    WholeUnits(numbers=[3, -4], unit=Fraction(1, 6), same=0)
    """
    if not is_rational:
        one = 1 << BITS
        whole = [number.numerator * one // number.denominator for number in numbers]
        return WholeUnits(whole, Fraction(1, one), int(SIXTY_DIGITS * one))
    common = lcm(*{number.denominator for number in numbers})
    whole = [number.numerator * (common // number.denominator) for number in numbers]
    return WholeUnits(whole, Fraction(1, common), 0)
