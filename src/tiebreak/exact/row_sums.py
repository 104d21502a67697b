"""Sums over the columns of exact values, which add up over blocks of requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Floats, two_product
from tiebreak.exact.held import HeldSums, NotHeld
from tiebreak.exact.number import Number
from tiebreak.exact.sums import exact_sum, sum_fractions
from tiebreak.exact.value_counts import CountedSample, ValueCounts
from tiebreak.exact.values import ExactValues

LEAST, MOST = 2.0**-400, 2.0**400
"""Between them floats have squares that are sums of two floats."""


@dataclass(frozen=True, eq=False)
class RowSums:
    """Of every row the number of its values and their sums: of floats, of what is left of them, of squared floats."""

    counts: NDArray[np.int64]
    near: tuple[Fraction, ...]
    rest: tuple[Fraction, ...]
    squares: tuple[Fraction, ...]  # of the floats
    error: Fraction  # how far any value may be from its float and the rest
    is_rational: bool
    exactly: Callable[[], list[Fraction]]  # the exact sums of all rows
    value_counts: ValueCounts | None = None  # in increasing order, where a product is wanted

    @classmethod
    def from_values(cls, values: ExactValues) -> RowSums:
        """The sums of a table; cells without a value do not count."""
        samples = [values.sample(row) for row in range(len(values.nearest))]
        return cls(
            np.array([len(sample) for sample in samples], dtype=np.int64),
            tuple(exact_sum(sample.high) for sample in samples),
            tuple(exact_sum(sample.low) for sample in samples),
            tuple(sum_squares(sample.high) for sample in samples),
            max((sample.largest_error for sample in samples), default=Fraction(0)),
            values.is_rational,
            lambda: [sum_fractions(sample.exact) for sample in samples],
        )

    @classmethod
    def join(cls, parts: Sequence[RowSums]) -> RowSums:
        """The sums of several tables together."""

        def add(name: str) -> tuple[Fraction, ...]:
            return tuple(map(sum_fractions, map(list, zip(*(getattr(part, name) for part in parts), strict=True))))

        def exactly() -> list[Fraction]:
            return [sum_fractions([*row]) for row in zip(*(part.exactly() for part in parts), strict=True)]

        counts = [part.value_counts for part in parts if part.value_counts is not None]
        is_detached = any(isinstance(part.exactly, NotHeld) for part in parts)
        return cls(
            np.sum([part.counts for part in parts], axis=0, dtype=np.int64),
            add("near"),
            add("rest"),
            add("squares"),
            max(part.error for part in parts),
            all(part.is_rational for part in parts),
            NotHeld(has_labels=False) if is_detached else exactly,  # type: ignore[arg-type]
            ValueCounts.join(counts).in_order() if len(counts) == len(parts) else None,
        )

    def detach(self) -> RowSums:
        """The same without what it was computed from; `attach` says where exact sums come from."""
        return replace(self, exactly=NotHeld(has_labels=False))  # type: ignore[arg-type]

    def hold(self) -> RowSums:
        """The same with exact sums as they are, in place of what they are computed from."""
        return replace(self, exactly=HeldSums(self.exactly()))

    def attach(self, load: Callable[[], RowSums]) -> RowSums:
        """Detached sums whose exact ones are asked of what `load` returns."""
        return replace(self, exactly=lambda: load().exactly())

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: exact sums as they are, in place of functions."""
        is_data = isinstance(self.exactly, (HeldSums, NotHeld))
        return vars(self if is_data else self.hold())

    @cached_property
    def _exact(self) -> list[Fraction]:
        return self.exactly()

    def sample(self, row: int) -> RowSum:
        """The values of a row, of which only the number, the sum and the mean are known."""
        count, estimate = int(self.counts[row]), self.near[row] + self.rest[row]
        known = None if self.value_counts is None else self.value_counts.sample(row)
        return RowSum(count, Number(estimate, self.error * count, lambda: self._exact[row], self.is_rational), known)

    def squares_around(self, row: int, middle: Fraction) -> Fraction:
        """The sum of the squared differences between a row's floats and a number."""
        return self.squares[row] - 2 * middle * self.near[row] + int(self.counts[row]) * middle**2

    def deviation(self, row: int) -> float:
        """The standard deviation of a row's floats; 0 where all are equal."""
        n = int(self.counts[row])
        return sqrt(self.squares_around(row, self.near[row] / n) / (n - 1)) if n > 1 else 0.0


@dataclass(frozen=True, eq=False)
class RowSum:
    """So many numbers, and their sum; of a product also how often each occurs."""

    count: int
    sum: Number
    counted: CountedSample | None = None

    def __len__(self) -> int:
        return self.count

    def total(self) -> Number:
        return self.sum

    def mean(self) -> Number:
        return self.sum / self.count


def sum_squares(x: Floats) -> Fraction:
    """The exact sum of squares of finite floats."""
    sizes = np.abs(x[x != 0])
    if len(sizes) and not LEAST < sizes.min() <= sizes.max() < MOST:
        return sum_fractions([Fraction(number) ** 2 for number in x.tolist()])
    high, low = two_product(x, x)
    return exact_sum(high) + exact_sum(low)
