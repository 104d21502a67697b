"""Numbers that people give: a float with at most 15 digits means that decimal, any other is what it is.

Decimals of up to 15 significant digits survive as float64, so 0.1 + 0.2 ties with 0.3, as it was written.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Doubles, two_product
from tiebreak.exact.sample import Sample

Floats = NDArray[np.float64]
DIGITS = 15
LEAST, MOST = 1e-7, 1e15
"""Between them a power of ten that makes such a decimal whole is exact as a float."""


def decimal_number(value: float) -> Fraction:
    """What a float means.

    Examples
    --------
    >>> print(decimal_number(0.1), decimal_number(1 / 3) == Fraction(1 / 3))
    1/10 True
    """
    text = repr(value)
    digits = text.partition("e")[0].replace("-", "").replace(".", "").strip("0")
    return Fraction(text) if len(digits) <= DIGITS else Fraction(value)


def decimal_numbers(values: Floats, x: Any) -> Any:
    """Numbers that were given, in the arithmetic of x."""
    if isinstance(x, Doubles):
        return Doubles(values, remainders(values.ravel()).reshape(values.shape))
    if isinstance(x, np.ndarray) and x.dtype == object:
        exact = np.empty(values.shape, dtype=object)
        exact.ravel()[:] = [decimal_number(value) for value in values.ravel().tolist()]
        return exact
    return values


def decimal_sample(values: Floats) -> Sample:
    """Numbers that were given for every request."""
    return Sample(values, remainders(values), lambda: [decimal_number(value) for value in values.tolist()])


def remainders(values: Floats) -> Floats:
    """What each number means, less the float that holds it."""
    size = np.abs(values)
    ordinary = (size >= LEAST) & (size < MOST)
    x = np.where(ordinary, values, 1.0)
    exponent = np.floor(np.log10(np.abs(x)))
    exponent -= 10.0**exponent > np.abs(x)  # the logarithm of a number just below a power of ten is rounded up
    scale = 10.0 ** (DIGITS - 1 - exponent)
    whole = np.rint(x * scale)
    product, lost = two_product(x, scale)
    low = np.where(whole / scale == x, ((whole - product) - lost) / scale, 0.0)
    for place in np.flatnonzero(~ordinary & (values != 0)).tolist():
        value = float(values[place])
        low[place] = float(decimal_number(value) - Fraction(value))
    low[values == 0] = 0.0
    return low
