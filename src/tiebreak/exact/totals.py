"""Sums over the columns of exact values, with whole weights: their signs and ranks, as a bootstrap needs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Doubles, Floats
from tiebreak.exact.number import Number, competition_ranks, snap_to_zero
from tiebreak.exact.slices import exact_bits, slice_numbers, sum_slices
from tiebreak.exact.sums import WholeUnits, whole_units
from tiebreak.exact.values import ExactValues

SLICES = 3
"""Of values that are added up with weights."""


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
        is_undecided = (np.abs(total.high) <= 2 * error[:, None]) & self.can_vary
        signs[:, ~self.can_vary] = 0
        for sample, row in np.argwhere(is_undecided).tolist():
            exact = snap_to_zero(self.exact_sum(row, weights[sample]), self.is_rational)
            signs[sample, row] = (exact > 0) - (exact < 0)
        return signs

    @property
    def is_rational(self) -> bool:
        return self.values.is_rational

    @cached_property
    def can_vary(self) -> NDArray[np.bool_]:
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
            Number(estimate, error, partial(self.exact_sum, row, weights), self.is_rational)
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
