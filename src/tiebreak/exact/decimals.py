"""Floats as the decimals that people write.

Decimals of up to 15 significant digits survive as float64, so a float with at most 15 digits means that decimal:
0.1 + 0.2 ties with 0.3. Any other float means itself.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tiebreak.exact.doubles import Floats, two_product

DIGITS = 15
SMALLEST, LARGEST = 1e-7, 1e15
"""Between them the power of ten that makes such a decimal whole is exact as a float."""


def decimal(number: float | int | Fraction | str) -> Fraction:
    """A parameter as the decimal that was written, however many digits it has."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def decimal_number(value: float) -> Fraction:
    """The decimal that a float means."""
    text = repr(value)
    digits = text.partition("e")[0].replace("-", "").replace(".", "").strip("0")
    return Fraction(text) if len(digits) <= DIGITS else Fraction(value)


def remainders(values: Floats) -> Floats:
    """What each number means, less the float that holds it."""
    size = np.abs(values)
    ordinary = (size >= SMALLEST) & (size < LARGEST)
    x = np.where(ordinary, values, 1.0)
    exponent = np.floor(np.log10(np.abs(x)))
    exponent -= 10.0**exponent > np.abs(x)  # the logarithm of a number just below a power of ten is rounded up
    scale = 10.0 ** (DIGITS - 1 - exponent)
    whole = np.rint(x * scale)
    product, lost = two_product(x, scale)
    low = np.where(whole / scale == x, ((whole - product) - lost) / scale, 0.0)
    for place in zip(*np.nonzero(~ordinary & (values != 0)), strict=True):
        value = float(values[place])
        low[place] = float(decimal_number(value) - Fraction(value))
    low[values == 0] = 0.0
    return low
