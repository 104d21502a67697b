"""Sums of products without a rounding error: numbers are cut into slices of few bits, whose sums are exact floats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import LOST, Doubles, two_sum

Floats = NDArray[np.float64]
LEAST_EXPONENT = -1074
"""The smallest float above 0 is two to this power."""
KEPT = 92
"""Bits of the smallest summand that slices keep."""
MOST_BITS = 260
"""So many are kept at the most; where summands differ by more, the small ones are left to exact arithmetic."""


@dataclass(frozen=True, eq=False)
class SlicedTable:
    """A table of numbers of 0 and above, as a sum of slices; ``table[k]`` is within `error` of that sum.

    Look-ups beyond the end mean the last entry.
    """

    slices: list[Floats]
    error: float

    @classmethod
    def from_table(cls, table: Doubles, weight: float) -> SlicedTable:
        """Slices of which sums are exact as long as weights are whole and add up to no more than `weight`."""
        bits = exact_bits(weight)
        assert bits >= 8, "weights are small whole numbers"
        largest, smallest = float(table.high.max(initial=0.0)), float(table.high.min(initial=1.0, where=table.high > 0))
        spread = int(np.frexp(largest)[1]) - int(np.frexp(smallest)[1])
        wanted = min(MOST_BITS, KEPT + spread + int(weight).bit_length())
        return cls(*slice_numbers(table, bits, -(-wanted // bits))) if largest else cls([np.zeros(len(table))], 0.0)

    def sums(self, places: NDArray[Any], weights: Any = None) -> Iterator[Floats]:
        """For every slice the exact sum along the last axis of what stands at these places, times whole weights."""
        for piece in self.slices:
            x = piece.take(places, mode="clip")
            yield (x if weights is None else np.ascontiguousarray(x * weights)).sum(-1)


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
    return slices, float(np.abs(high).max(initial=0.0)) * 2 + LOST


def sum_slices(parts: list[Floats]) -> Doubles:
    """The sum of slices, the largest first."""
    total = Doubles(parts[-1])
    for piece in reversed(parts[:-1]):
        total = total + piece
    return total
