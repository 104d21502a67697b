"""Tails of the binomial and of Student's t.

SciPy has them too, but importing its special functions takes longer than importing NumPy.
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log, pi
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MOST_STEPS = 100_000
MOST_COUNTED = 1000  # coins
SMALL = 1e-300


def student_tail(freedom: float, t: ArrayLike) -> Floats:
    """The probability that Student's t is above t, for every t."""
    t = np.asarray(t, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        square = t**2
        half = incomplete_beta(freedom / 2, 0.5, 1 / (1 + square / freedom), 1 / (1 + freedom / square)) / 2
    return np.where(t > 0, half, 1 - half)


@lru_cache(maxsize=64)
def student_quantile(freedom: float, tail: float) -> float:
    """The t that Student's t is above with this probability, below one half; by Newton's method from the normal one."""
    log_scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * pi) / 2
    t = NormalDist().inv_cdf(1 - tail)
    for _ in range(100):
        chance = float(student_tail(freedom, t))
        log_density = log_scale - (freedom + 1) / 2 * np.log1p(t * t / freedom)
        # In the logarithm of the tail, which is nearly straight where it is heavy.
        step = log(chance / tail) * chance / np.exp(log_density)
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return t


def binomial_tail(least: ArrayLike, n: ArrayLike) -> Floats:
    """The probability of at least so many heads, one or more, of n fair coins; of few coins the float nearest to it."""
    k, n = np.broadcast_arrays(np.asarray(least, dtype=np.int64), np.asarray(n, dtype=np.int64))
    tail, is_few = np.empty(k.shape), n <= MOST_COUNTED
    tail[is_few] = [
        coin_tails(coins)[heads] for heads, coins in zip(k[is_few].tolist(), n[is_few].tolist(), strict=True)
    ]
    k, n = k[~is_few], n[~is_few]
    tail[~is_few] = incomplete_beta(k, n - k + 1, 0.5, 0.5)
    return tail


@lru_cache(maxsize=2048)
def coin_tails(n: int) -> list[float]:
    """The probabilities of at least 0, 1, ..., n heads of n coins."""
    ways, tails = 1, [1]
    for heads in range(n, 0, -1):
        ways = ways * heads // (n - heads + 1)
        tails.append(tails[-1] + ways)
    return [tail / 2**n for tail in reversed(tails)]


def incomplete_beta(a: ArrayLike, b: ArrayLike, x: ArrayLike, rest: ArrayLike) -> Floats:
    """The regularised incomplete beta function at x; `rest` is 1 - x."""
    a, b, x, rest = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (a, b, x, rest)))
    is_upper = x > (a + 1) / (a + b + 2)
    a, b = np.where(is_upper, b, a), np.where(is_upper, a, b)
    x, rest = np.where(is_upper, rest, x), np.where(is_upper, x, rest)
    value = beta_front(a, b, x, rest) / beta_fraction(a, b, x, rest)
    return np.where(is_upper, 1 - value, value)


def beta_front(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:
    """x^a (1 - x)^b / B(a, b) as by Loader (2000): large logarithms never cancel."""
    n, above = a + b, a * rest - b * x
    with np.errstate(divide="ignore", invalid="ignore"):
        deviances = deviance(a, n * x, above) + deviance(b, n * rest, -above)
        exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) - deviances
    return np.where((x > 0) & (rest > 0), np.sqrt(a / n * b / (2 * pi)) * np.exp(exponent), 0.0)


def deviance(k: Floats, m: Floats, above: Floats) -> Floats:
    """K log(k / m) + m - k, where k is `above` m."""
    d = above / m
    near = np.abs(d) < 0.1
    small = np.where(near, d, 0.0)
    # (1 + d) log(1 + d) - d as a series: its terms are d^j / (j (j - 1)), alternating.
    series = sum((-1) ** j * small**j / (j * (j - 1)) for j in range(20, 1, -1))
    return np.where(near, m * series, k * np.log(k / m) - above)


def stirling_error(z: Floats) -> Floats:
    """Log gamma(z) less Stirling's approximation."""
    large = np.maximum(z, 16.0)
    square = 1 / large**2
    series = (
        1 / 12
        - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - 691 / 360360 * square) * square) * square) * square) * square
    ) / large
    small = np.minimum(z, 16.0)
    distinct, which = np.unique(small, return_inverse=True)
    exactly = np.array([lgamma(one) - (one - 0.5) * log(one) + one - log(2 * pi) / 2 for one in distinct.tolist()])
    return np.where(z < 16, exactly[which.ravel()].reshape(z.shape), series)


def beta_fraction(a: Floats, b: Floats, x: Floats, rest: Floats) -> Floats:
    """The continued fraction below x^a (1 - x)^b / B(a, b), by DiDonato and Morris (1992) and the method of Lentz."""
    above = a * rest - b * x + 1
    value = away_from_zero(a * above / (a + 1))
    c, d = value, np.zeros(a.shape)
    is_open = np.ones(a.shape, dtype=bool)  # a value that has converged is left alone: it does not depend on others
    for m in range(1, MOST_STEPS):
        odd = a + 2 * m - 1
        numerator = (a + m - 1) / odd * ((a + b + m - 1) / odd) * (m * (b - m) * x * x)
        term = m + m * (b - m) * x / odd + (a + m) * (above + m * (1 + rest)) / (a + 2 * m + 1)
        d = 1 / away_from_zero(term + numerator * d)
        c = away_from_zero(term + numerator / c)
        change = np.where(is_open, c * d, 1.0)
        value = value * change
        is_open = np.abs(change - 1) > 2e-16
        if not is_open.any():
            break
    return value


def away_from_zero(number: Floats) -> Floats:
    return np.where(np.abs(number) < SMALL, SMALL, number)
