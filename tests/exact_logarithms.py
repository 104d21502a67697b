"""Logarithms for the slow twins: fractions that are right to more than 80 digits, so that they can be held to 60."""

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache


@cache
def log2(number):
    """The logarithm to base 2 of a whole number or a fraction."""
    exact = Fraction(number)
    with localcontext() as context:
        context.prec = 90
        natural = Decimal(exact.numerator).ln() - Decimal(exact.denominator).ln()
        return Fraction(natural / Decimal(2).ln())
