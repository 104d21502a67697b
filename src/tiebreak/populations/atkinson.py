"""Atkinson's welfare: power means of utilities, from the mean towards the minimum (Atkinson 1970)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import exp, log
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.exact import Doubles, Number, decimal
from tiebreak.exact.doubles import UNDERFLOW
from tiebreak.exact.logarithms import BITS, log_units, many_digits
from tiebreak.exact.roots import DIGITS, Root, natural_logarithms
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import exact_sum
from tiebreak.populations.base import Aggregation

POWER_ERROR = 2.0**-78
"""Relative error of a double-double power."""
LARGEST_ERROR = 2.0**-40
"""Estimates with a larger relative error are left alone."""
HALVINGS, TERMS = 6, 10
"""Arguments of the exponential series are divided by 2^6; the next term of the series is below 2^-100."""


@dataclass(frozen=True)
class AtkinsonWelfare(Aggregation):
    r"""Atkinson's equally-distributed-equivalent utility: the one that, equal in all requests, would be as good.

    .. math:: \Big(\frac1n \sum_x \mu_x^{1-\epsilon}\Big)^{1/(1-\epsilon)}, \qquad
        \Big(\prod_x \mu_x\Big)^{1/n} \text{ where } \epsilon = 1

    For 0 it is the mean; the larger, the nearer to the minimum. From 1 on a single utility of 0 makes it 0, and runs
    with one tie: gmean has a floor instead. Divided by the mean, it is 1 less Atkinson's index of inequality.

    Parameters
    ----------
    epsilon : float
        Aversion to inequality.

    Examples
    --------
    >>> utilities = tb.Utilities({"a": {"p": 0.81, "q": 0.01}, "b": {"p": 0.25, "q": 0.25}})
    >>> [row.value for row in utilities.evaluate("atkinson_welfare").values]      # ((0.9 + 0.1) / 2)^2
    [0.25, 0.25]
    """

    epsilon: float = parameter(0.5, check_number, low=0, high=100)
    name: ClassVar[str] = "atkinson_welfare"
    takes_negative: ClassVar[bool] = False

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        power = 1 - decimal(self.epsilon)
        if power == 1:
            return u.mean()
        if power <= 0 and u.item(0) == 0:
            return Number(Fraction(0))
        return power_mean(u, power) if power else Root(u)


def power_mean(u: Sample, power: Fraction) -> Number:
    """The mean of powers, to the inverse power; numbers are above 0 where the power is below."""

    def exactly() -> Fraction:
        return exact_power_mean(u.exact, power)

    seen = np.flatnonzero(u.high > 0)
    if not len(seen) or (power < 0 and len(seen) < len(u)):  # 0, or below all floats
        return Number(exactly(), is_rational=False)
    x = Doubles(u.high[seen], u.low[seen])
    logarithms = natural_logarithms(x)
    # Relative to the number that counts most all powers are at most 1.
    most = int(x.high.argmax() if power > 0 else x.high.argmin())
    powers = exponentials((logarithms - logarithms[most]) * Doubles.from_exact(power))
    mean = (exact_sum(powers.high) + exact_sum(powers.low)) / len(u)
    context = many_digits(50)
    root = context.power(
        context.divide(mean.numerator, mean.denominator), context.divide(power.denominator, power.numerator)
    )
    estimate = (Fraction(float(x.high[most])) + Fraction(float(x.low[most]))) * Fraction(root)
    # What is 0 as a float may be anything below the smallest.
    unseen = (len(u) - len(seen)) * exp(power * (log(5e-324) - log(x.high[most]))) if power > 0 else 0.0
    error = u.relative_error + (POWER_ERROR + unseen) * (1 + 1 / abs(power)) + 2 * UNDERFLOW / float(x.high.min())
    if error > LARGEST_ERROR:
        return Number(exactly(), is_rational=False)
    return Number(estimate, estimate * Fraction(2 * error), exactly, is_rational=False)


def exponentials(y: Doubles) -> Doubles:
    """Exponentials of numbers up to 0: the series of a small part, then squares, then a power of two."""
    k = np.rint(y.high / log(2))
    r = (y - Doubles.from_exact(Fraction(log_units(2), 1 << BITS)) * k) * 2.0**-HALVINGS
    series = Doubles.full(y.shape, 1.0)
    for j in range(TERMS, 0, -1):
        series = 1 + series * r / j
    for _ in range(HALVINGS):
        series = series * series
    exponent = np.maximum(k, -2000).astype(np.int64)
    return Doubles(np.ldexp(series.high, exponent), np.ldexp(series.low, exponent))


def exact_power_mean(numbers: list[Fraction], power: Fraction) -> Fraction:
    """The power mean to more than 100 digits."""
    digits = DIGITS + len(str(int(max(numbers))))
    context = many_digits(digits + 20)
    exponent = context.divide(power.numerator, power.denominator)
    total = Decimal(0)
    for number, times in Counter(numbers).items():
        if number:
            one = context.power(context.divide(number.numerator, number.denominator), exponent)
            total = context.fma(one, times, total)
    if not total:
        return Fraction(0)
    root = context.power(context.divide(total, len(numbers)), context.divide(power.denominator, power.numerator))
    # The last digits are left out, so that a root that has few is found.
    return Fraction(many_digits(digits).plus(root))
