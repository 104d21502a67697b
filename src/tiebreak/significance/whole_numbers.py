"""Values as whole numbers, so that sums over requests are exact in any order.

`Whole` numbers fit into floats or 64 bits and may be rounded; `ExactSums` decides what rounding leaves undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.exact.sums import WholeUnits, whole_units
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


@dataclass(frozen=True, eq=False)
class Scale:
    """How values [row, request] become whole numbers: over a common denominator, or rounded to 2^-shift.

    `shift` is [row, 1] and `slack` [row], as in `Whole`; `below` bounds sums over all requests.
    """

    below: int
    shift: NDArray[np.int64]
    slack: NDArray[np.int64]
    common: int = 0
    """The common denominator; 0 where values are rounded."""

    @classmethod
    def choose(
        cls,
        largest: Floats,
        n: int,
        denominators: Sequence[int],
        below: int,
        one_unit: bool = False,
        untied: NDArray[np.int64] | None = None,
    ) -> Scale:
        """Of n values in every row, of which the largest [row, 1] has this size.

        They are exact where values have one of these denominators and fit; otherwise rounded to a power of two that
        depends on the largest value of a row, or of all rows if `one_unit`. In other than the `untied` requests they
        are 0.
        """
        nothing = np.zeros(len(largest), dtype=np.int64)
        if len(denominators):
            common = lcm(*denominators)
            bound = ceil(largest.max(initial=0.0))
            if common * bound * n < below and max(denominators) * bound < FLOAT_SUMS // 2:
                return cls(below, nothing[:, None], nothing, common)
        if one_unit:
            largest = np.full_like(largest, largest.max(initial=0.0))
        exponents = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))).astype(np.int64)
        # Two sums of n rounded numbers are off by n units at most; a little more for what rounds a float.
        off = np.full(len(largest), n) if untied is None else untied
        slack = np.where(largest[:, 0] < LEAST, below // 2, off + off // 1024 + 1)
        return cls(below, bits_held(n, below) - exponents, np.where(largest[:, 0] == 0, 0, slack).astype(np.int64))

    def apply(self, values: Floats, denominator: NDArray[np.int64] | None) -> Whole:
        """The whole numbers of some requests, as floats if these hold their sums, else in 64 bits."""
        dtype = np.float64 if self.below <= FLOAT_SUMS else np.int64
        if self.common and denominator is not None:
            numerator = values * denominator
            numbers = np.rint(numerator, out=numerator).astype(dtype, copy=False)
            numbers *= self.common // denominator
            return Whole.over(self.common, numbers)
        scaled = np.ldexp(values, self.shift)
        numbers = np.rint(scaled, out=scaled).astype(dtype, copy=False)
        return Whole(numbers, np.ldexp(1.0, -self.shift), self.slack)


def whole_numbers(
    values: Floats, denominator: NDArray[np.int64] | None, below: int = FLOAT_SUMS, one_unit: bool = False
) -> Whole:
    """Whole numbers whose sums over all requests stay below a bound."""
    denominators = [] if denominator is None else np.unique(denominator).tolist()
    scale = Scale.choose(largest_sizes(values), values.shape[1], denominators, below, one_unit)
    return scale.apply(values, denominator)


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
    return numerators(exact, common)[which].reshape(table.nearest.shape), common


def numerators(numbers: list[Fraction], common: int) -> Places:
    """Fractions as whole numbers over a common denominator."""
    return np.array([number.numerator * (common // number.denominator) for number in numbers], dtype=np.int64)


def exact_by_float(table: ExactValues) -> tuple[list[Fraction], Places] | None:
    """Few exact values that are told apart by their floats, and which of them every cell has; else None."""
    if not (table.is_rational and table.is_injective):
        return None
    cells, which = distinct_cells(table)
    if len(cells) > MOST_DISTINCT:
        return None
    exact = table.exact_cells(*np.divmod(cells, max(table.nearest.shape[1], 1)))
    return exact, which.reshape(table.nearest.shape)


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
        self.units: dict[int, tuple[NDArray[Any], WholeUnits]] = {}

    def signs(self, pairs: Places, draws: Places, weights: NDArray[np.generic]) -> Places:
        """Signs of the sums of pairs with the ``weights[draw, request]`` of their draws."""
        signs = np.zeros(len(pairs), dtype=np.int64)
        for cells, sums, whole in self._sums(pairs, draws, weights):
            signs[cells] = (sums > whole.same).astype(np.int64) - (sums < -whole.same)
        return signs

    def sums(self, pairs: Places, draws: Places, weights: NDArray[np.generic]) -> tuple[NDArray[Any], Fraction]:
        """The exact sums themselves, and up to which size a sum is 0."""
        exact = np.full(len(pairs), Fraction(0), dtype=object)
        same = Fraction(0)
        for cells, sums, whole in self._sums(pairs, draws, weights):
            exact[cells] = sums * whole.unit
            same = whole.same * whole.unit
        return exact, same

    def _sums(
        self, pairs: Places, draws: Places, weights: NDArray[np.generic]
    ) -> Iterator[tuple[Places, NDArray[Any], WholeUnits]]:
        """Sums of some cells at a time, as multiples of a unit."""
        for pair in np.unique(pairs).tolist():
            untied = np.flatnonzero(self.paired.values[pair])
            if not len(untied):
                continue
            numbers, whole = self._pair_units(pair, untied)
            cells = np.flatnonzero(pairs == pair)
            step = max(1, NUMBERS_AT_ONCE // len(untied))
            for begin in range(0, len(cells), step):
                some = cells[begin : begin + step]
                times = weights[np.ix_(draws[some], untied)].astype(np.int64)
                yield some, times.astype(object) @ numbers, whole

    def _pair_units(self, pair: int, untied: Places) -> tuple[NDArray[Any], WholeUnits]:
        """A pair's values in the requests that are not tied, as Python integers."""
        if pair not in self.units:
            _, first, which = np.unique(self.paired.equal_values(pair, untied), return_index=True, return_inverse=True)
            whole = whole_units(self.paired.exact_values(pair, untied[first]), self.paired.is_rational)
            self.units[pair] = np.array(whole.numbers, dtype=object)[which.ravel()], whole
        return self.units[pair]
