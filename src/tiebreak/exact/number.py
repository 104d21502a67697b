"""A lazily exact number: an interval, refined on demand (floating-point filter)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key, total_ordering
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

SIXTY_DIGITS = Fraction(1, 10**60)
Real: TypeAlias = "Number | Fraction | float | int"
"""What `Number` is compared and combined with: the scores of orderings and populations are of this type."""


def tolerance(is_rational: bool) -> Fraction:
    """The largest difference of two equal numbers: 0, or one in the 60th digit where logarithms enter."""
    return Fraction(0) if is_rational else SIXTY_DIGITS


def snap_to_zero(difference: Fraction, is_rational: bool) -> Fraction:
    """A difference of exact numbers; 0 where they are equal to 60 digits and logarithms enter."""
    return Fraction(0) if abs(difference) <= tolerance(is_rational) else difference


@total_ordering
class Number:
    """A number within `error` of `estimate`; where that does not decide, `exactly` computes it.

    Without `exactly` the estimate is exact. Irrational numbers are known to more than 60 digits, and compared to 60.
    """

    __slots__ = ("_exactly", "_value", "error", "estimate", "is_rational")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        estimate: Fraction,
        error: Fraction = Fraction(0),
        exactly: Callable[[], Fraction] | None = None,
        is_rational: bool = True,
    ) -> None:
        self.estimate, self.error, self._exactly, self.is_rational = estimate, error, exactly, is_rational
        self._value: Fraction | None = estimate if exactly is None else None

    @property
    def exact(self) -> Fraction:
        """The exact value; where logarithms enter, to more than 60 digits."""
        if self._value is None:
            assert self._exactly is not None
            self._value = self._exactly()
        return self._value

    def __float__(self) -> float:
        """The float nearest the exact value."""
        if self._value is None:
            low, high = float(self.estimate - self.error), float(self.estimate + self.error)
            if low == high:
                return low
        return float(self.exact)

    def nearest_difference(self) -> float:
        """The nearest float of a difference, which is 0 where it is 0 to 60 digits."""
        return float(self) if self.compare(0) else 0.0

    def compare(self, other: Real) -> int:
        """1 where this number is larger, -1 where it is smaller, 0 where they are equal."""
        if other is self:
            return 0
        y = as_number(other)
        gap = self.estimate - y.estimate
        if abs(gap) <= self.error + y.error:
            gap = snap_to_zero(self.exact - y.exact, self.is_rational and y.is_rational)
        return (gap > 0) - (gap < 0)

    def __eq__(self, other: object) -> bool:
        return self.compare(other) == 0 if isinstance(other, (Number, Fraction, float, int)) else NotImplemented

    def __lt__(self, other: Real) -> bool:
        return self.compare(other) < 0

    def __neg__(self) -> Number:
        return self._combine(-self.estimate, self.error, lambda: -self.exact)

    def __add__(self, other: Real) -> Number:
        y = as_number(other)
        return self._combine(self.estimate + y.estimate, self.error + y.error, lambda: self.exact + y.exact, y)

    __radd__ = __add__

    def __sub__(self, other: Real) -> Number:
        return self + -as_number(other)

    def __rsub__(self, other: Real) -> Number:
        return -self + other

    def __mul__(self, other: Real) -> Number:
        y = as_number(other)
        error = abs(self.estimate) * y.error + abs(y.estimate) * self.error + self.error * y.error
        return self._combine(self.estimate * y.estimate, error, lambda: self.exact * y.exact, y)

    __rmul__ = __mul__

    def __truediv__(self, other: Real) -> Number:
        y = as_number(other)
        least = abs(y.estimate) - y.error
        if least <= 0:
            return self._combine(self.exact / y.exact, Fraction(0), None, y)
        quotient = self.estimate / y.estimate
        error = (self.error + abs(quotient) * y.error) / least
        return self._combine(quotient, error, lambda: self.exact / y.exact, y)

    def __rtruediv__(self, other: Real) -> Number:
        return as_number(other) / self

    def _combine(
        self, estimate: Fraction, error: Fraction, exactly: Callable[[], Fraction] | None, other: Number | None = None
    ) -> Number:
        is_rational = self.is_rational and (other is None or other.is_rational)
        return Number(estimate, error, exactly if error else None, is_rational)

    def __repr__(self) -> str:
        return f"Number({float(self)!r})"


def as_number(x: Any) -> Number:
    return x if isinstance(x, Number) else Number(Fraction(x))


def competition_ranks(scores: Sequence[Real] | NDArray[Any]) -> NDArray[np.int64]:
    """1 + the number of larger scores: of exact scores, or along the last axis of an array of floats or integers."""
    if isinstance(scores, np.ndarray):
        larger: NDArray[np.int64] = (scores[..., None, :] > scores[..., :, None]).sum(axis=-1)
        return 1 + larger
    by_score = cmp_to_key(compare_to_all_digits)
    order = sorted(range(len(scores)), key=lambda r: by_score(scores[r]), reverse=True)
    ranks = np.empty(len(scores), dtype=np.int64)
    n_larger = 0
    for r in order:
        while compare(scores[order[n_larger]], scores[r]) > 0:
            n_larger += 1
        ranks[r] = 1 + n_larger
    return ranks


def compare(x: Real, y: Real) -> int:
    """1 where x is larger, -1 where it is smaller, 0 where they are equal."""
    if isinstance(x, Number):
        return x.compare(y)
    return -y.compare(x) if isinstance(y, Number) else (x > y) - (x < y)


def compare_to_all_digits(x: Real, y: Real) -> int:
    """As `compare`; numbers that are equal to 60 digits are ordered by their further digits, so that any list sorts."""
    sign = compare(x, y)
    if sign == 0 and (isinstance(x, Number) or isinstance(y, Number)):
        a, b = as_number(x).exact, as_number(y).exact
        return (a > b) - (a < b)
    return sign
