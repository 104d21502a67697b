"""Error-free transformation: exact dot products by splitting numbers into slices (Ozaki et al. 2012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import UNDERFLOW, Doubles, Floats, two_sum
from tiebreak.exact.number import Number, competition_ranks, snap_to_zero
from tiebreak.exact.sums import WholeUnits, whole_units
from tiebreak.exact.values import ExactValues

LEAST_EXPONENT = -1074
"""The smallest float above 0 is two to this power."""
SMALLEST_BITS = 92
"""Bits of the smallest summand that slices keep."""
MOST_BITS = 260
"""Bits that slices keep at most; where summands differ by more, the small ones are left to exact arithmetic."""
SLICES = 3
"""Of values that are added up with weights."""


@dataclass(frozen=True, eq=False)
class SlicedTable:
    """A table of numbers of 0 and above, as a sum of slices; look-ups beyond the end mean the last entry."""

    table: Doubles
    slices: list[Floats]  # none where weights are not whole
    error: float  # how far each number may be from the sum of its slices

    @classmethod
    def from_table(cls, table: Doubles, weight: float | None) -> SlicedTable:
        """Slices of which sums are exact as long as weights are whole and add up to no more than `weight`."""
        largest, smallest = float(table.high.max(initial=0.0)), float(table.high.min(initial=1.0, where=table.high > 0))
        if weight is None:
            return cls(table, [], 0.0)
        if not largest:
            return cls(table, [np.zeros(len(table))], 0.0)
        bits = exact_bits(weight)
        assert bits >= 8, "weights are small whole numbers"
        spread = int(np.frexp(largest)[1]) - int(np.frexp(smallest)[1])
        wanted = min(MOST_BITS, SMALLEST_BITS + spread + int(weight).bit_length())
        return cls(table, *slice_numbers(table, bits, -(-wanted // bits)))

    def sums(self, places: NDArray[Any], weights: Doubles) -> Iterator[Floats]:
        """Parts, the largest first, of the sum along the last axis of the numbers at these indices, times weights."""
        if not self.slices:
            total = (self.table.take(places) * weights).sum()
            yield from (total.high, total.low)
        has_weights = bool((weights.high != 1).any())
        for piece in self.slices:
            x = piece.take(places, mode="clip")
            yield (np.ascontiguousarray(x * weights.high) if has_weights else x).sum(-1)


def exact_bits(weight: float) -> int:
    """How many bits slices may have so that sums with whole weights of this total are exact."""
    return 52 - int(weight).bit_length()


def slice_numbers(numbers: Doubles, bits: int, count: int) -> tuple[list[Floats], float]:
    """Up to `count` slices, the largest first, and how far numbers may be from their sum."""
    high, low = numbers.high, numbers.low
    top = int(np.frexp(float(np.abs(high).max(initial=0.0)) or 1.0)[1])
    slices: list[Floats] = []
    while len(slices) < count and (high.any() or not slices):
        unit = float(np.ldexp(1.0, max(top - (len(slices) + 1) * bits, LEAST_EXPONENT)))
        slices.append(np.rint(high / unit) * unit)
        high, low = two_sum(high - slices[-1], low)
    return slices, float(np.abs(high).max(initial=0.0)) * 2 + UNDERFLOW


def sum_slices(parts: list[Floats]) -> Doubles:
    """The sum of slices, the largest first."""
    total = Doubles(parts[-1])
    for piece in reversed(parts[:-1]):
        total = total + piece
    return total


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over columns of values [row, column], each column counted as often as whole weights say."""

    values: ExactValues
    _exact_rows: dict[int, WholeUnits] = field(default_factory=dict)

    def ranks(self, weights: Floats) -> NDArray[np.int64]:
        """Ranks [sample, row] by descending sum, the best rank shared; ``weights[sample, column]``."""
        total, error = self.estimates(weights)
        order = np.lexsort((total.low, total.high), axis=1)[:, ::-1]
        high, low = (np.take_along_axis(part, order, axis=1) for part in (total.high, total.low))
        gap = (high[:, :-1] - high[:, 1:]) + (low[:, :-1] - low[:, 1:])
        ranks = np.empty(order.shape, dtype=np.int64)
        np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1), axis=1)
        for sample in np.flatnonzero((gap <= 2 * error[:, None]).any(axis=1)).tolist():
            ranks[sample] = competition_ranks(self.numbers(weights[sample], total[sample], Fraction(error[sample])))
        return ranks

    def signs(self, weights: Floats) -> NDArray[np.int8]:
        """Whether each sum is above 0, 0 or below: [sample, row]."""
        total, error = self.estimates(weights)
        signs = np.sign(total.high).astype(np.int8)
        is_undecided = (np.abs(total.high) <= 2 * error[:, None]) & self._can_vary
        signs[:, ~self._can_vary] = 0
        for sample, row in np.argwhere(is_undecided).tolist():
            exact = snap_to_zero(self.exact_sum(row, weights[sample]), self.values.is_rational)
            signs[sample, row] = (exact > 0) - (exact < 0)
        return signs

    @cached_property
    def _can_vary(self) -> NDArray[np.bool_]:
        """Which rows have anything but 0."""
        return np.asarray(self.values.nearest.any(axis=1))

    def estimates(self, weights: Floats) -> tuple[Doubles, Floats]:
        """Sums [sample, row], and how far they may be off: [sample]."""
        heaviest = weights.sum(axis=1)
        numbers = Doubles(self.values.nearest, self.values.rest)
        slices, error = slice_numbers(numbers, exact_bits(heaviest.max(initial=1.0)), SLICES)
        total = sum_slices([weights @ piece.T for piece in slices])
        most = self.values.relative_error * float(np.abs(self.values.nearest).max(initial=0.0))
        return total, heaviest * (error + 2 * min(most, self.values.error))

    def numbers(self, weights: Floats, total: Doubles, error: Fraction) -> list[Number]:
        """The sums of one sample as numbers that are computed exactly on demand."""
        estimates = [Fraction(a) + Fraction(b) for a, b in zip(total.high.tolist(), total.low.tolist(), strict=True)]
        return [
            Number(estimate, error, partial(self.exact_sum, row, weights), self.values.is_rational)
            for row, estimate in enumerate(estimates)
        ]

    def exact_sum(self, row: int, weights: Floats) -> Fraction:
        """The exact sum of a row, whose values are kept as whole multiples of a unit."""
        if row not in self._exact_rows:
            exact = self.values.exactly(row, np.arange(len(weights)))
            self._exact_rows[row] = whole_units(exact, self.values.is_rational)
        numbers, unit, _ = self._exact_rows[row]
        times = weights.astype(np.int64).tolist()
        return Fraction(sum(n * x for n, x in zip(times, numbers, strict=True) if n)) * unit
