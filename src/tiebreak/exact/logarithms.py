"""Natural logarithms of whole numbers, as whole numbers of a tiny unit: 96 digits, of which 60 are relied on."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

BITS = 320
"""Logarithms are whole multiples of 2^-BITS."""


@cache
def log_units(n: int) -> int:
    r"""The natural logarithm of n >= 1 in units of 2^-BITS, off by no more than a few hundred of them.

    A composite number is taken apart; for a prime p the neighbours p - 1 and p + 1 are even, and

    .. math:: 2 \\log p = \\log (p - 1) + \\log (p + 1) + 2 \\operatorname{artanh} \\frac{1}{2 p^2 - 1}
    """
    if n == 1:
        return 0
    if n == 2:
        return sum(weight * inverse_artanh(q) for weight, q in ((18, 26), (-2, 4801), (8, 8749)))
    factor = smallest_factor(n)
    if factor < n:
        return log_units(factor) + log_units(n // factor)
    halves = (log_units(2) + log_units((k) // 2) for k in (n - 1, n + 1))
    return sum(halves) // 2 + inverse_artanh(2 * n * n - 1)


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


def power_of_two(exponent: Fraction) -> Fraction:
    """2 to a power; to 96 digits where that is irrational."""
    whole, rest = divmod(exponent, 1)
    if not rest:
        return Fraction(2) ** int(whole)
    return Fraction(2) ** int(whole) * Fraction(exp_units(rest.numerator * log_units(2) // rest.denominator), 1 << BITS)


def exp_units(x: int) -> int:
    """The exponential of a number from 0 to 1, both in units of 2^-BITS, by its series."""
    total, term, k = 0, 1 << BITS, 0
    while term:
        total += term
        k += 1
        term = (term * x >> BITS) // k
    return total
