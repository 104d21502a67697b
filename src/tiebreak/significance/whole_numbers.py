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
from tiebreak.exact.sums import whole_units
from tiebreak.projection.primitives import Floats
from tiebreak.significance.paired import NUMBERS_AT_ONCE, Paired, Places, largest_sizes

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


def whole_pairs(paired: Paired) -> Whole:
    """The values of every pair: exact if runs have a common denominator, or few requests differ, and it fits."""
    common = None if paired.of_runs is None else over_one_denominator(paired.of_runs, FLOAT_SUMS)
    if common is not None:
        numbers, denominator = common
        return Whole.over(denominator, (numbers[paired.pairs.x] - numbers[paired.pairs.y]).astype(np.float64))
    whole = whole_numbers(paired.values, paired.denominator)
    untied = np.count_nonzero(paired.values, axis=1)
    is_improvable = (whole.slack > 0) & (untied <= FEW_UNTIED) & paired.is_rational
    for pair in np.flatnonzero(is_improvable).tolist():
        requests = np.flatnonzero(paired.values[pair])
        multiples, unit, _ = whole_units(paired.exact_values(pair, requests), is_rational=True)
        factor = gcd(*multiples)
        if sum(map(abs, multiples)) // factor * paired.n < FLOAT_SUMS:
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
    """Exact signs of weighted sums of the values of pairs; weights are whole and sum to at most n.

    Values are multiples of a unit, in digits of few enough bits that sums of each digit are exact as floats.
    """

    def __init__(self, paired: Paired) -> None:
        self.paired = paired
        self.bits = 51 - paired.n.bit_length()
        self.digits: dict[int, Floats] = {}
        self.same = 0

    def signs(self, pairs: Places, draws: Places, weights: NDArray[np.generic]) -> Places:
        """Signs of the sums of pairs with the ``weights[draw, request]`` of their draws."""
        step = max(1, NUMBERS_AT_ONCE // self.paired.n)
        signs = np.empty(len(pairs), dtype=np.int64)
        for begin in range(0, len(pairs), step):
            some = slice(begin, begin + step)
            signs[some] = self._signs(pairs[some], weights[draws[some]].astype(np.float64))
        return signs

    def _signs(self, pairs: Places, weights: Floats) -> Places:
        distinct, which = np.unique(pairs, return_inverse=True)
        by_pair = [self._pair_digits(pair) for pair in distinct.tolist()]
        digits = np.zeros((max(map(len, by_pair)), len(by_pair), self.paired.n))
        for place, pair_digits in enumerate(by_pair):
            digits[: len(pair_digits), place] = pair_digits
        sums = np.stack([np.einsum("ij,ij->i", weights, digit[which]) for digit in digits]).astype(np.int64)
        same = to_digits([self.same], self.bits, len(digits)).astype(np.int64)
        return (digit_signs(sums - same, self.bits) > 0).astype(np.int64) - (digit_signs(sums + same, self.bits) < 0)

    def _pair_digits(self, pair: int) -> Floats:
        """Digits [digit, request] of a pair's values, the lowest first."""
        if pair not in self.digits:
            untied = np.flatnonzero(self.paired.values[pair])
            _, first, which = np.unique(self.paired.same_values(pair, untied), return_index=True, return_inverse=True)
            whole = whole_units(self.paired.exact_values(pair, untied[first]), self.paired.is_rational)
            self.same = whole.same
            count = max(whole.same, *map(abs, whole.numbers)).bit_length() // self.bits + 1
            digits = np.zeros((count, self.paired.n))
            digits[:, untied] = to_digits(whole.numbers, self.bits, count)[:, which.ravel()]
            self.digits[pair] = digits
        return self.digits[pair]


def to_digits(numbers: list[int], bits: int, count: int) -> Floats:
    """Digits [digit, number] of `bits` bits, the lowest first, each with the sign of its number."""
    mask = (1 << bits) - 1
    sign = np.array([(number > 0) - (number < 0) for number in numbers], dtype=np.float64)
    sizes = [abs(number) for number in numbers]
    return sign * np.array([[size >> k * bits & mask for size in sizes] for k in range(count)], dtype=np.float64)


def digit_signs(digits: Places, bits: int) -> Places:
    """The signs of numbers from their digits [digit, number] of `bits` bits, each of any sign and size."""
    carry, rest = np.zeros_like(digits[0]), np.zeros(digits.shape[1], dtype=bool)
    for digit in digits[:-1]:
        total = digit + carry
        carry = total >> bits
        rest |= total & ((1 << bits) - 1) != 0
    top = digits[-1] + carry
    return np.where(top == 0, rest, np.sign(top))
