"""Utilities rounded to some decimals, half to even."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.exact.arithmetic import fractions
from tiebreak.exact.doubles import two_product
from tiebreak.exact.number import tolerance
from tiebreak.exact.value_counts import ValueCounts
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.inputs.utilities import UtilityTable

Vector: TypeAlias = "NDArray[Any]"
"""Utilities of one run: float64, or exact fractions as objects."""
MOST_UNITS = 2.0**50
UNSURE = 2.0**-20
"""Numbers farther than this from a half are certainly on one side of it."""


def round_utilities(table: UtilityTable, digits: int) -> Vector:
    """The utilities in units of the last decimal, rounded half to even."""
    values = table.numbers
    rows = [round_row(values, row, digits) for row in range(len(table.values))]
    exact = any(row.dtype == object for row in rows)
    return np.stack([fractions(row) if exact and row.dtype != object else row for row in rows])


def round_numbers(counts: ValueCounts, digits: int) -> list[int]:
    """The numbers that are counted, in units of the last decimal, rounded half to even."""
    same = tolerance(counts.is_rational) * 10**digits
    return [half_to_even(number * 10**digits, same) for number in counts.numbers]


def round_table(table: UtilityTable, digits: int) -> UtilityTable:
    """The utilities, rounded half to even."""
    if isinstance(table, CountedUtilities):
        numbers = [Fraction(units, 10**digits) for units in round_numbers(table.counts, digits)]
        return replace(table, counts=ValueCounts(numbers, table.counts.counts).in_order())
    units = round_utilities(table, digits)
    if units.dtype == object:
        exact = ExactValues.from_exact(units * Fraction(1, 10**digits))
    else:
        exact = ExactValues.quotients(units.astype(np.int64), np.int64(10**digits))
    return replace(table, values=exact.nearest, exact=exact)


def round_row(values: ExactValues, row: int, digits: int) -> Vector:
    """Round one run: double-double numbers decide if they can, else exact values."""
    high, low, scale = values.nearest[row], values.rest[row], 10.0**digits
    is_small = np.abs(high) < MOST_UNITS / scale
    product, lost = two_product(np.where(is_small, high, 0.0), scale)
    whole: Vector = np.rint(product)
    rest = (product - whole) + (lost + low * scale)
    columns = np.flatnonzero(~is_small | (np.abs(rest) >= 0.5 - UNSURE))
    if len(columns):
        same = tolerance(values.is_rational) * 10**digits
        units = [half_to_even(number * 10**digits, same) for number in values.exactly(row, columns)]
        whole = whole if max(map(abs, units)) < 2**53 else fractions(whole)
        whole[columns] = np.array(units, dtype=whole.dtype)
    return whole


def half_to_even(number: Fraction, same: Fraction | int) -> int:
    """The nearest whole number; within `same` of a half, the even one."""
    half = floor(number) + Fraction(1, 2)
    return round(half if abs(number - half) <= same else number)
