"""One number for every request, of which sums and order statistics are exact `Number`s."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import accumulate
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.decimals import decimal_number, remainders
from tiebreak.exact.doubles import RELATIVE_ERROR, UNDERFLOW, Doubles, Floats, two_product
from tiebreak.exact.number import Number
from tiebreak.exact.sums import exact_sum, sum_fractions, whole_units


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of one run, approximately ``high + low``."""

    high: Floats  # the floats nearest the exact values
    low: Floats  # what is left of the exact values, nearly
    exactly: Callable[[], list[Fraction]]
    is_rational: bool = True
    relative_error: float = RELATIVE_ERROR  # each number is known to within this share of its size
    error: float = inf  # and within this much

    @classmethod
    def from_floats(cls, values: Floats) -> Sample:
        """Floats, as the decimals that they mean."""
        return cls(values, remainders(values), lambda: list(map(decimal_number, values.tolist())))

    @classmethod
    def from_exact(cls, numbers: list[Fraction], is_rational: bool = True) -> Sample:
        """Fractions; where they are not rational, to more than 60 digits."""
        x = Doubles.from_exact(np.array(numbers, dtype=object))
        return cls(x.high, x.low, lambda: numbers, is_rational)

    def __len__(self) -> int:
        return len(self.high)

    @cached_property
    def exact(self) -> list[Fraction]:
        """The exact values; irrational ones over one power of two, so that sums stay short."""
        numbers = self.exactly()
        if self.is_rational:
            return numbers
        units = whole_units(numbers, is_rational=False)
        return [number * units.unit for number in units.numbers]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return np.lexsort((self.low, self.high))

    def _smallest(self, k: int) -> NDArray[np.int64]:
        """The places of the k smallest numbers, in increasing order; of few of many without sorting all."""
        if not 0 < k <= len(self) // 4:
            return self._order[:k]
        some = np.flatnonzero(self.high <= np.partition(self.high, k - 1)[k - 1])
        return some[np.lexsort((self.low[some], self.high[some]))][:k]

    @cached_property
    def _exact_in_order(self) -> list[Fraction]:
        return sorted(self.exact)

    @property
    def largest_error(self) -> Fraction:
        """How far any number may be from its estimate."""
        most = Fraction(self.relative_error) * Fraction(float(np.abs(self.high).max(initial=0.0)))
        return (min(most, Fraction(self.error)) if isfinite(self.error) else most) + Fraction(UNDERFLOW)

    def _number(self, estimate: Fraction, factor: Fraction | int, exactly: Callable[[], Fraction]) -> Number:
        return Number(estimate, self.largest_error * factor, exactly, self.is_rational)

    def item(self, place: int) -> Number:
        """The number at a place of the increasing order, from 0."""
        k = self._smallest(place + 1)[place]
        estimate = Fraction(float(self.high[k])) + Fraction(float(self.low[k]))
        return self._number(estimate, 1, lambda: self._exact_in_order[place])

    def total(self) -> Number:
        estimate = exact_sum(self.high) + exact_sum(self.low)
        return self._number(estimate, len(self), lambda: sum_fractions(self.exact))

    def mean(self, weights: Sample | None = None) -> Number:
        """The mean, or the weighted mean, of one number or more."""
        if weights is None or weights.high.min() == weights.high.max():
            return self.total() / len(self)
        return self.dot(weights) / weights.total()

    def lowest(self, k: int) -> Number:
        """The sum of the k smallest numbers."""
        some = self._smallest(k)
        estimate = exact_sum(self.high[some]) + exact_sum(self.low[some])
        return self._number(estimate, k, lambda: sum_fractions(self._exact_in_order[:k]))

    def windows(self, lag: int, begin: int, end: int) -> Iterator[Number]:
        """The sums of `lag` neighbours in increasing order, of the windows that begin at some places."""
        some = self._order[begin : end + lag - 1]
        numbers = zip(self.high[some].tolist(), self.low[some].tolist(), strict=True)
        sums = [Fraction(0), *accumulate(Fraction(a) + Fraction(b) for a, b in numbers)]
        for place, (before, after) in enumerate(zip(sums, sums[lag:], strict=False), start=begin):
            yield self._number(after - before, lag, partial(self._window, place, lag))

    def _window(self, place: int, lag: int) -> Fraction:
        return sum_fractions(self._exact_in_order[place : place + lag])

    def mean_of_lowest_means(self, k: int) -> Number:
        """The mean of the means of the smallest, the two smallest, ..., the k smallest numbers."""
        some = self._smallest(k)
        high, low = self.high[some].tolist(), self.low[some].tolist()
        scale = 1 << 128
        total = prefix = 0
        for j, (a, b) in enumerate(zip(high, low, strict=True), start=1):
            prefix += int(Fraction(a) * scale) + int(Fraction(b) * scale)
            total += prefix // j

        def exactly() -> Fraction:
            prefixes = accumulate(self._exact_in_order[:k])
            return sum_fractions([prefix / j for j, prefix in enumerate(prefixes, start=1)]) / k

        return Number(Fraction(total, k * scale), self.largest_error + Fraction(4, scale), exactly, self.is_rational)

    def in_order(self) -> Sample:
        """The numbers in increasing order."""
        high, low = self.high[self._order], self.low[self._order]
        return replace(self, high=high, low=low, exactly=lambda: self._exact_in_order)

    def dot(self, weights: Sample) -> Number:
        """The sum of the numbers, each times its own weight."""
        product, lost = two_product(self.high, weights.high)
        cross = self.high * weights.low + self.low * weights.high
        estimate = exact_sum(product) + exact_sum(lost) + exact_sum(cross)
        factor = 4 * Fraction(float(np.abs(weights.high).sum()))

        def exactly() -> Fraction:
            return sum_fractions([w * u for w, u in zip(weights.exact, self.exact, strict=True)])

        return Number(estimate, self.largest_error * factor, exactly, self.is_rational and weights.is_rational)
