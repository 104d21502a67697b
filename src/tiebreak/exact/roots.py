"""Geometric means as exact numbers: roots of products, by their logarithms to as many digits as needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil, gcd

import numpy as np

from tiebreak.exact import Number, decimal
from tiebreak.exact.arithmetic import doubles_from_units
from tiebreak.exact.doubles import UNDERFLOW, Doubles, fast_two_sum, two_product, two_sum
from tiebreak.exact.logarithms import BITS, log_units, many_digits
from tiebreak.exact.number import Real
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import exact_sum, whole_units

DIGITS = 105
"""Digits of a root that are computed where fewer do not decide."""
LOGARITHM_ERROR = Fraction(1, 2**88)
"""Of the natural logarithm of a double-double number."""
MOST_BITS = 1 << 22
"""Products of up to this size are compared as whole numbers, larger ones by the digits of their logarithms."""
AT_ONCE = 1 << 15
STEPS = 1 << 12


FLOOR = 1e-5
"""Below this a number counts as this much in the geometric mean (Voorhees 2004; PE eq 6)."""


def geometric_mean(sample: Sample, floor: float = FLOOR, weights: Sample | None = None) -> Root:
    """The weighted geometric mean of a sample, in which what is below the floor is raised to it."""
    return Root(raise_to_floor(sample, floor), weights)


def raise_to_floor(sample: Sample, floor: float) -> Sample:
    """A sample in which every number is at least the floor."""
    least = decimal(floor)
    x, bound = Doubles(sample.high, sample.low), Doubles.from_exact(least)
    is_below = (x.high < bound.high) | ((x.high == bound.high) & (x.low < bound.low))
    high, low = np.where(is_below, bound.high, x.high), np.where(is_below, bound.low, x.low)
    return replace(sample, high=high, low=low, exactly=lambda: [max(least, number) for number in sample.exact])


class Root(Number):
    """The weighted geometric mean of a sample of numbers above 0.

    Roots of rational numbers with the same weights are ordered by their products, exactly; others to 60 digits.
    """

    __slots__ = ("sample", "weights")

    def __init__(self, sample: Sample, weights: Sample | None = None) -> None:
        self.sample, self.weights = sample, weights
        logarithm, error = mean_logarithm(sample, weights)
        estimate = exponential(logarithm, 50)
        super().__init__(estimate, estimate * (error * Fraction(9, 8) + Fraction(1, 10**45)), self._root, False)

    def compare(self, other: Real) -> int:
        if (
            other is self
            or not isinstance(other, Root)
            or abs(self.estimate - other.estimate) > self.error + other.error
        ):
            return super().compare(other)
        are_rational = self.sample.is_rational and other.sample.is_rational
        if are_rational and self.weights is other.weights and len(self.sample) == len(other.sample):
            quotient = self.factors()
            quotient.subtract(other.factors())
            return compare_products({factor: times for factor, times in quotient.items() if times})
        return super().compare(other)

    def factors(self) -> Counter[Fraction]:
        """The product of which this is a root: the exponent of each number."""
        times = [1] * len(self.sample)
        if self.weights is not None:
            times = whole_units(self.weights.exact, is_rational=True).numbers
            common = gcd(*times)
            times = [number // common for number in times]
        factors: Counter[Fraction] = Counter()
        for factor, number in zip(self.sample.exact, times, strict=True):
            factors[factor] += number
        return factors

    def _root(self) -> Fraction:
        factors = self.factors()
        digits = DIGITS + max(0, ceil(Decimal(float(self.estimate)).log10()))
        logarithm = exact_logarithm(factors, digits + 20) / factors.total()
        # The last digits are left out, so that a root that has few is found.
        return exponential(logarithm, digits + 10, shown=digits)


def mean_logarithm(sample: Sample, weights: Sample | None) -> tuple[Fraction, Fraction]:
    """The approximate mean of the natural logarithms, and a bound of its error."""
    logarithms = natural_logarithms(Doubles(sample.high, sample.low))
    smallest = Fraction(float(sample.high.min()))
    error = Fraction(sample.relative_error) + LOGARITHM_ERROR + 2 * Fraction(UNDERFLOW) / smallest
    if weights is None:
        return (exact_sum(logarithms.high) + exact_sum(logarithms.low)) / len(sample), error
    largest = Fraction(float(np.abs(logarithms.high).max()))
    summed = Sample(logarithms.high, logarithms.low, list).dot(weights).estimate
    return summed / weights.total().estimate, error + 2 * Fraction(weights.relative_error) * largest


def natural_logarithms(x: Doubles) -> Doubles:
    """Natural logarithms of numbers above 0, right to 88 binary digits after the point."""
    parts = [some_logarithms(x[k : k + AT_ONCE]) for k in range(0, len(x), AT_ONCE)]
    return Doubles(np.concatenate([part.high for part in parts]), np.concatenate([part.low for part in parts]))


def some_logarithms(x: Doubles) -> Doubles:
    r"""Natural logarithms of a small array, by a table of those of c = j / 4096, 1/2 <= c <= 1.

    .. math:: \log \big( 2^e (c + d) \big) = e \log 2 + \log c + 2 \operatorname{artanh} \frac{d}{2 c + d}
    """
    mantissa, exponent = np.frexp(x.high)
    low = np.ldexp(x.low, -exponent)
    j = np.rint(mantissa * STEPS)
    c = j / STEPS
    d, (divisor, rest_of_divisor) = mantissa - c, two_sum(mantissa, c)
    rest_of_divisor = rest_of_divisor + low
    q = d / divisor
    product, lost = two_product(q, divisor)
    rest = (((d - product) - lost) + (low - q * rest_of_divisor)) / divisor
    square = q * q
    series = q * square * (2 / 3 + square * (2 / 5 + square * (2 / 7)))
    first, second, third = logarithm_of_two()
    table = table_of_logarithms()
    place = j.astype(np.int64) - STEPS // 2
    high, a = two_sum(exponent * first, table.high[place])
    high, b = two_sum(high, 2 * q)
    high, f = two_sum(high, exponent * second)
    smallest = series + (2 * rest * (1 + square) + (exponent * third + table.low[place]))
    return Doubles(*fast_two_sum(high, (a + b) + (f + smallest)))


@cache
def logarithm_of_two() -> tuple[float, float, float]:
    """The logarithm of 2 in three parts, of which whole multiples of the first two are exact."""
    unit = log_units(2)
    first = unit >> BITS - 42 << BITS - 42
    second = unit - first >> BITS - 84 << BITS - 84
    first_part, second_part, third_part = (part / (1 << BITS) for part in (first, second, unit - first - second))
    return first_part, second_part, third_part


@cache
def table_of_logarithms() -> Doubles:
    """The logarithms of j / 4096 from j = 2048 on."""
    whole = range(STEPS // 2, STEPS + 1)
    return doubles_from_units([log_units(j) - log_units(STEPS) for j in whole], (len(whole),))


def compare_products(factors: dict[Fraction, int]) -> int:
    """1 where a product of powers is above 1, -1 where below, 0 where it is 1."""
    common = gcd(*factors.values()) or 1
    factors = {factor: times // common for factor, times in factors.items()}
    sizes = (abs(k) * (x.numerator.bit_length() + x.denominator.bit_length()) for x, k in factors.items())
    if sum(sizes) <= MOST_BITS:
        above = product([(x.numerator if k > 0 else x.denominator) ** abs(k) for x, k in factors.items()])
        below = product([(x.denominator if k > 0 else x.numerator) ** abs(k) for x, k in factors.items()])
        return (above > below) - (above < below)
    logarithm = exact_logarithm(factors, DIGITS + 20)
    return 0 if abs(logarithm) < Fraction(1, 10**DIGITS) else 1 if logarithm > 0 else -1


def product(numbers: list[int]) -> int:
    """By halves, so that large numbers are multiplied by numbers of their size."""
    while len(numbers) > 1:
        numbers = [a * b for a, b in zip(numbers[::2], numbers[1::2], strict=False)] + numbers[len(numbers) & ~1 :]
    return numbers[0] if numbers else 1


def exact_logarithm(factors: dict[Fraction, int], digits: int) -> Fraction:
    """The natural logarithm of a product of powers, to `digits` digits."""
    context = many_digits(digits)
    total = Decimal(0)
    for factor, number in factors.items():
        total = context.fma(number, context.ln(context.divide(factor.numerator, factor.denominator)), total)
    return Fraction(total)


def exponential(x: Fraction, digits: int, shown: int | None = None) -> Fraction:
    """The exponential to `digits` digits, rounded to `shown`."""
    context = many_digits(digits)
    return Fraction(many_digits(shown or digits).plus(context.exp(context.divide(x.numerator, x.denominator))))
