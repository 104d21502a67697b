"""Arrays of double-double numbers: two floats whose unevaluated sum carries about 104 bits (Dekker 1971)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SPLITTER = 2.0**27 + 1
RELATIVE_ERROR = 2.0**-85
"""By default a number ``high + low`` is known to within this share of its size."""
ROUNDING_ERROR = 2.0**-98
"""Relative error of a few operations with such numbers."""
UNDERFLOW = 2.0**-1070
"""Absolute error of any of them, where floats have no digits left."""


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded sum, and what rounding lost."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """The rounded product, and what rounding lost."""
    product = a * b
    (high, low), (other_high, other_low) = halves(a), halves(b)
    return product, low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)


def halves(x: Any) -> tuple[Any, Any]:
    """Each number as a sum of two with half the digits, whose products are exact."""
    shifted = x * SPLITTER
    high = shifted - (shifted - x)
    return high, x - high


class Doubles:
    """An array of numbers ``high + low``, of which `high` is the nearest float."""

    __array_ufunc__ = None  # so that an array leaves arithmetic with these to the methods below
    __slots__ = ("high", "low")

    def __init__(self, high: Any, low: Any = 0.0) -> None:
        self.high: Floats = np.asarray(high, dtype=np.float64)
        low = np.asarray(low, dtype=np.float64)
        self.low: Floats = low if low.shape == self.high.shape else np.broadcast_to(low, self.high.shape)

    @classmethod
    def from_exact(cls, numbers: Any) -> Doubles:
        """The numbers nearest to some fractions, an object array or one of them."""
        flat = [Fraction(number) for number in np.ravel(np.asarray(numbers, dtype=object)).tolist()]
        high = [float(number) for number in flat]
        low = [float(number - Fraction(near)) for number, near in zip(flat, high, strict=True)]
        shape = np.shape(numbers) if isinstance(numbers, np.ndarray) else ()
        return cls(np.array(high).reshape(shape), np.array(low).reshape(shape))

    @classmethod
    def full(cls, shape: int | tuple[int, ...], number: float) -> Doubles:
        return cls(np.full(shape, number), np.zeros(shape))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.high.shape

    def __len__(self) -> int:
        return len(self.high)

    def __getitem__(self, place: Any) -> Doubles:
        return Doubles(self.high[place], self.low[place])

    def __setitem__(self, place: Any, numbers: Doubles) -> None:
        self.high[place], self.low[place] = numbers.high, numbers.low

    def take(self, places: Any) -> Doubles:
        """Entries by their places; places beyond the end mean the last."""
        return Doubles(self.high.take(places, mode="clip"), self.low.take(places, mode="clip"))

    def __neg__(self) -> Doubles:
        return Doubles(-self.high, -self.low)

    def __add__(self, other: Any) -> Doubles:
        y = as_doubles(other)
        s, e = two_sum(self.high, y.high)
        t, f = two_sum(self.low, y.low)
        s, e = fast_two_sum(s, e + t)
        return Doubles(*fast_two_sum(s, e + f))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Doubles:
        return self + -as_doubles(other)

    def __rsub__(self, other: Any) -> Doubles:
        return as_doubles(other) + -self

    def __mul__(self, other: Any) -> Doubles:
        y = as_doubles(other)
        p, e = two_product(self.high, y.high)
        return Doubles(*fast_two_sum(p, e + (self.high * y.low + self.low * y.high)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Doubles:
        y = as_doubles(other)
        first = self.high / y.high
        rest = self - y * first
        second = rest.high / y.high
        rest = rest - y * second
        high, low = fast_two_sum(first, second)
        return Doubles(high, low) + rest.high / y.high

    def __rtruediv__(self, other: Any) -> Doubles:
        return as_doubles(other) / self

    def __pow__(self, exponents: Any) -> Doubles:
        """Whole powers of 0 and above, by repeated squaring."""
        left = np.asarray(exponents.high if isinstance(exponents, Doubles) else exponents).astype(np.int64)
        shape = np.broadcast_shapes(left.shape, self.shape)
        result, square = Doubles(np.ones(shape)), self
        while left.any():
            odd = left & 1 == 1
            product = result * square
            result = Doubles(np.where(odd, product.high, result.high), np.where(odd, product.low, result.low))
            square, left = square * square, left >> 1
        return result

    def sum(self, axis: int = -1) -> Doubles:
        """Pairwise summation along an axis, so that few operations add up many numbers."""
        high, low = np.moveaxis(self.high, axis, 0), np.moveaxis(self.low, axis, 0)
        parts = Doubles(high, low)
        while len(parts) > 1:
            half = len(parts) // 2
            summed = parts[:half] + parts[half : 2 * half]
            odd = parts[2 * half :]
            parts = Doubles(np.concatenate([summed.high, odd.high]), np.concatenate([summed.low, odd.low]))
        return parts[0] if len(parts) else Doubles(np.zeros(high.shape[1:]))

    def where(self, mask: Any, other: float = 0.0) -> Doubles:
        """These numbers where the mask holds, elsewhere another."""
        return Doubles(np.where(mask, self.high, other), np.where(mask, self.low, 0.0))


def fast_two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """`two_sum` where a is no smaller in size than b, or 0."""
    s = a + b
    return s, b - (s - a)


def as_doubles(x: Any) -> Doubles:
    if isinstance(x, Doubles):
        return x
    if isinstance(x, Fraction):
        return Doubles(near := float(x), float(x - Fraction(near)))
    return Doubles(x)
