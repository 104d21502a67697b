"""Values as whole numbers, so that sums over requests are exact in any order.

`Whole` numbers fit into floats or 64 bits and may be rounded; `ExactSums` decides what rounding leaves undecided.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, gcd, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.exact.sums import whole_units
from tiebreak.preferences.pair_values import NUMBERS_AT_ONCE, PairValues, largest_sizes
from tiebreak.projection.primitives import Floats

FLOAT_SUMS, INTEGER_SUMS = 2**53, 2**62
"""Sums of whole numbers are exact below these, in float64 and in int64."""
MOST_BITS = 40
"""Bits of rounded numbers, far less than a float has: what rounds it hardly moves them."""
LEAST = 2.0**-960
"""Floats below have fewer digits than others, and may all be 5e-324."""
FIRST_FEW, MOST_DISTINCT = (2, 4, 8, 16), 1 << 16
"""Numbers of values tested before a common denominator is searched for; limit of that search."""
FEW_UNTIED = 16


class Whole(NamedTuple):
    """Values [row, request] as whole numbers of a unit [row, 1].

    Which of two sums is larger is undecided where they differ by at most `slack` units [row], 0 without rounding.
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
        """The absolute sum of every row."""
        distances: NDArray[Any] = np.abs(self.numbers.sum(axis=1))
        return distances


def whole_numbers(
    values: Floats, denominator: NDArray[np.int64] | None, below: int = FLOAT_SUMS, one_unit: bool = False
) -> Whole:
    """Whole numbers whose sums over all requests stay below a bound, as floats if these hold it, else in 64 bits.

    They are exact where the values have a denominator per request and fit; otherwise rounded to a power of two that
    depends on the largest value of a row, or of all rows if `one_unit`.
    """
    dtype = np.float64 if below <= FLOAT_SUMS else np.int64
    largest, n = largest_sizes(values), values.shape[1]
    if denominator is not None:
        common = lcm(*np.unique(denominator).tolist())
        bound = ceil(largest.max(initial=0.0))
        if common * bound * n < below and int(denominator.max()) * bound < FLOAT_SUMS // 2:
            numerator = values * denominator
            numbers = np.rint(numerator, out=numerator).astype(dtype, copy=False)
            numbers *= common // denominator
            return Whole.over(common, numbers)
    if one_unit:
        largest = np.full_like(largest, largest.max(initial=0.0))
    exponents = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))).astype(np.int64)
    shift = bits_held(n, below) - exponents
    scaled = np.ldexp(values, shift)
    numbers = np.rint(scaled, out=scaled).astype(dtype, copy=False)
    # Two sums of n rounded numbers are off by n units at most; a little more for what rounds a float.
    slack = np.where(largest < LEAST, below // 2, n + n // 1024 + 1)
    return Whole(numbers, np.ldexp(1.0, -shift), np.where(largest == 0, 0, slack)[:, 0].astype(np.int64))


def bits_held(n: int, below: int) -> int:
    """The number of bits such that a sum of n signed numbers stays below a bound."""
    return min(MOST_BITS, below.bit_length() - 1 - n.bit_length())


def whole_pairs(paired: PairValues) -> Whole:
    """The values of every pair: exact if runs have a common denominator, or few requests differ, and it fits."""
    common = None if paired.by_run is None else over_one_denominator(paired.by_run, FLOAT_SUMS)
    if common is not None:
        numbers, denominator = common
        return Whole.over(denominator, (numbers[paired.pairs.x] - numbers[paired.pairs.y]).astype(np.float64))
    whole = whole_numbers(paired.values, paired.denominator if paired.exact is None else None)
    untied = np.count_nonzero(paired.values, axis=1)
    is_improvable = (whole.slack > 0) & (untied <= FEW_UNTIED) & paired.is_rational
    for pair in np.flatnonzero(is_improvable).tolist():
        requests = np.flatnonzero(paired.values[pair])
        multiples, unit, _ = whole_units(paired.exact_values(pair, requests), is_rational=True)
        factor = gcd(*multiples)
        if sum(map(abs, multiples)) // factor * paired.n_requests < FLOAT_SUMS:
            whole.numbers[pair, requests] = [multiple // factor for multiple in multiples]
            whole.unit[pair], whole.slack[pair] = float(factor * unit), 0
    return whole


def over_one_denominator(table: ExactValues, below: int) -> tuple[Places, int] | None:
    """Exact values [row, column] as numerators over a common denominator, and that denominator.

    None if sums of differences between rows may exceed the bound, or the search takes too long.
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
        row_values = table.exactly(row, cells[cells // n == row] % n)
        exact += row_values
        common = lcm(common, common_denominator(row_values))
        if common * largest >= below:
            return None
    numbers = np.array([number.numerator * (common // number.denominator) for number in exact], dtype=np.int64)
    return numbers[which].reshape(table.nearest.shape), common


def common_denominator(numbers: list[Fraction]) -> int:
    return lcm(*{number.denominator for number in numbers})


def distinct_cells(table: ExactValues) -> tuple[Places, Places]:
    """Increasing cells that cover all values, and for each cell the index of the one with its value."""
    if not table.is_injective:
        cells = np.arange(table.nearest.size)
        return cells, cells
    _, first, which = np.unique(table.nearest.ravel(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[which.ravel()]


class ExactSums:
    """Exact signs of weighted sums of the values of pairs, as whole multiples of a unit; weights are whole."""

    def __init__(self, paired: PairValues) -> None:
        self.paired = paired
        self.units: dict[int, tuple[NDArray[Any], int]] = {}

    def signs(self, pairs: Places, draws: Places, weights: NDArray[np.generic]) -> Places:
        """Signs of the sums of pairs with the ``weights[draw, request]`` of their draws."""
        signs = np.empty(len(pairs), dtype=np.int64)
        for pair in np.unique(pairs).tolist():
            untied = np.flatnonzero(self.paired.values[pair])
            numbers, same = self._pair_units(pair, untied)
            cells = np.flatnonzero(pairs == pair)
            step = max(1, NUMBERS_AT_ONCE // len(untied))
            for begin in range(0, len(cells), step):
                some = cells[begin : begin + step]
                times = weights[np.ix_(draws[some], untied)].astype(np.int64)
                sums = times.astype(object) @ numbers
                signs[some] = (sums > same).astype(np.int64) - (sums < -same)
        return signs

    def _pair_units(self, pair: int, untied: Places) -> tuple[NDArray[Any], int]:
        """A pair's values in the requests that are not tied, as Python integers; sums of at most the second are 0."""
        if pair not in self.units:
            _, first, which = np.unique(self.paired.equal_values(pair, untied), return_index=True, return_inverse=True)
            whole = whole_units(self.paired.exact_values(pair, untied[first]), self.paired.is_rational)
            self.units[pair] = np.array(whole.numbers, dtype=object)[which.ravel()], whole.same
        return self.units[pair]
