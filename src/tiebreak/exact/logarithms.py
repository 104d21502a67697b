"""Logarithms of whole numbers and powers of two, to 96 digits, of which 60 are relied on."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cache

BITS = 320
"""Logarithms are whole multiples of 2^-BITS."""
DIGITS = 110
"""Digits of a decimal number that hold such a multiple."""
MOST_FACTORED = 1 << 32
"""Numbers up to this are factored, which takes as many steps as their square root."""


def many_digits(digits: int = DIGITS) -> Context:
    """Decimal arithmetic with this many digits."""
    return Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)


def units(number: Decimal) -> int:
    """A decimal number in units of 2^-BITS."""
    return int(Fraction(number) * (1 << BITS))


@cache
def log_units(n: int) -> int:
    r"""The natural logarithm of n >= 1 in units of 2^-BITS, off by no more than a few hundred of them.

    A composite number is the product of its factors; the neighbours of a prime p > 2 are even, and

    .. math:: 2 \log p = \log (p - 1) + \log (p + 1) + 2 \operatorname{artanh} \frac{1}{2 p^2 - 1}

    which takes a tenth of the time of a decimal logarithm.
    """
    if n <= 2 or n > MOST_FACTORED:
        return units(many_digits().ln(n))
    factor = smallest_factor(n)
    if factor < n:
        return log_units(factor) + log_units(n // factor)
    return (log_units(n - 1) + log_units(n + 1)) // 2 + inverse_artanh(2 * n * n - 1)


def inverse_artanh(q: int) -> int:
    """artanh(1 / q) in units of 2^-BITS, by its series."""
    power = (1 << BITS) // q
    total, k = 0, 1
    while power:
        total += power // k
        power //= q * q
        k += 2
    return total


def smallest_factor(n: int) -> int:
    if n % 2 == 0:
        return 2
    k = 3
    while k * k <= n:
        if n % k == 0:
            return k
        k += 2
    return n


@cache
def log2_units(n: int) -> int:
    """The logarithm of n to base 2 in units of 2^-BITS."""
    return (log_units(n) << BITS) // log_units(2)


@cache
def dcg_discount_units(rank: int) -> int:
    """1 / log2(rank + 1) in units of 2^-BITS."""
    return (1 << 2 * BITS) // log2_units(rank + 1)


def power_of_two(exponent: Fraction) -> Fraction:
    """2 to a power; to 96 digits where that is irrational."""
    whole, rest = divmod(exponent, 1)
    context = many_digits()
    power = context.power(2, context.divide(rest.numerator, rest.denominator))
    return Fraction(2) ** int(whole) * Fraction(units(power), 1 << BITS)
