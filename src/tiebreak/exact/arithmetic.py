"""Generic arithmetic: one definition for floats, double-doubles and fractions as objects."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from tiebreak.exact.decimals import decimal, decimal_number, remainders
from tiebreak.exact.doubles import Doubles, Floats
from tiebreak.exact.logarithms import BITS, dcg_discount_units

FLOATS = np.empty(0)
DOUBLES = Doubles(np.empty(0))
FRACTIONS = np.empty(0, dtype=object)
"""The arithmetics that a definition is used with."""


def is_exact(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == object


def like(number: float | int | Fraction, x: Any) -> Any:
    """A parameter in the arithmetic of x."""
    exact = decimal(number)
    if isinstance(x, Doubles):
        return Doubles.from_exact(exact)
    return exact if is_exact(x) else float(exact)


def counting(m: int, x: Any) -> Any:
    """1, 2, ..., m in the arithmetic of x."""
    return whole_numbers(np.arange(1, m + 1), x)


def ones(m: int, x: Any) -> Any:
    """An array of m ones in the arithmetic of x."""
    return whole_numbers(np.ones(m, dtype=np.int64), x)


def whole_numbers(numbers: Any, x: Any) -> Any:
    """Whole numbers in the arithmetic of x."""
    if isinstance(x, Doubles):
        return whole_doubles(numbers)
    return fractions(numbers) if is_exact(x) else np.asarray(numbers, dtype=np.float64)


def whole_doubles(numbers: Any) -> Doubles:
    """Whole numbers of any size as double-double numbers: those beyond 2^53 need both floats."""
    high = np.asarray(numbers, dtype=np.float64)
    if np.abs(high).max(initial=0.0) < 2.0**53:
        return Doubles(high)
    return Doubles.from_exact(np.asarray(numbers, dtype=object))


def fractions(numbers: Any) -> Any:
    """Whole numbers as an object array of fractions."""
    return objects(map(Fraction, np.ravel(numbers).tolist()), np.shape(numbers))


def objects(numbers: Iterable[Any], shape: tuple[int, ...]) -> Any:
    array = np.empty(shape, dtype=object)
    array.ravel()[:] = list(numbers)
    return array


def decimals(values: Floats, x: Any) -> Any:
    """Floats as the decimals that they mean, in the arithmetic of x."""
    if isinstance(x, Doubles):
        return Doubles(values, remainders(values))
    return objects(map(decimal_number, values.ravel().tolist()), values.shape) if is_exact(x) else values


def raise_to(numbers: Any, low: int) -> Any:
    """Whole numbers, with those below another raised to it."""
    return Doubles(np.maximum(numbers.high, low)) if isinstance(numbers, Doubles) else np.maximum(numbers, low)


def power(base: Any, exponent: Any) -> Any:
    """A number in the arithmetic of whole exponents, to the power of each."""
    if is_exact(exponent):
        return objects((base ** int(k) for k in exponent.ravel().tolist()), exponent.shape)
    return base**exponent


def dcg_discount(k: Any) -> Any:
    """The discount 1 / log2(k + 1) of DCG, in the arithmetic of k; exact ones to 96 digits, over one denominator."""
    if isinstance(k, Doubles):
        return doubles_from_units([dcg_discount_units(int(rank)) for rank in k.high.ravel().tolist()], k.shape)
    if is_exact(k):
        return objects((Fraction(dcg_discount_units(int(rank)), 1 << BITS) for rank in k.ravel().tolist()), k.shape)
    return 1 / np.log2(k + 1)


def doubles_from_units(units: list[int], shape: tuple[int, ...]) -> Doubles:
    """Whole multiples of 2^-BITS as double-double numbers."""
    high = [unit / (1 << BITS) for unit in units]
    low = [(unit - int(near * 2.0**BITS)) / (1 << BITS) for unit, near in zip(units, high, strict=True)]
    return Doubles(np.array(high).reshape(shape), np.array(low).reshape(shape))
