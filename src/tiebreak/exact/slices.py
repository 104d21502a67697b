"""Error-free transformation: exact dot products by splitting numbers into slices (Ozaki et al. 2012)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import UNDERFLOW, Doubles, Floats, two_sum

LEAST_EXPONENT = -1074
"""The smallest float above 0 is two to this power."""
SMALLEST_BITS = 92
"""Bits of the smallest summand that slices keep."""
MOST_BITS = 260
"""Bits that slices keep at most; where summands differ by more, the small ones are left to exact arithmetic."""


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
