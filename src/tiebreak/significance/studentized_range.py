"""The studentised range: the largest difference of means of equal groups, over an estimate of their standard error.

SciPy integrates twice for every value. Here the range of normal numbers, which depends on how many there are and on
nothing else, is integrated once for all values, and a sum over the estimate's distribution follows. Both integrands
are analytic and vanish at both ends, where sums at equal steps converge faster than any power of the step.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike

from tiebreak.exact.doubles import Floats

LONGEST = 40.0  # longer ranges of normal numbers are less likely than 1e-170
DEGREE = 400
SMALLEST = 80.0  # -log of what is left out of the estimate's distribution
VALUES_AT_ONCE = 256


def survival(q: ArrayLike, size: int, freedom: float) -> Floats:
    """The probability that the studentised range of `size` groups is at least q, for every q."""
    q = np.asarray(q, dtype=np.float64)
    s, weight = estimates(freedom)
    series = log_range_series(size)
    parts = np.array_split(q.ravel(), q.size // VALUES_AT_ONCE + 1)
    # Sums of rows, not a product of matrices: a value is the same whatever stands beside it.
    chances = np.concatenate([(np.exp(log_survival(np.outer(part, s), series)) * weight).sum(axis=1) for part in parts])
    return np.where(q > 0, np.minimum(chances, 1).reshape(q.shape), 1.0)


@lru_cache(maxsize=64)
def quantile(alpha: float, size: int, freedom: float) -> float:
    """The q that is reached with probability alpha."""
    low, high = 0.0, 1.0
    while survival(high, size, freedom) > alpha:
        low, high = high, 2 * high
    for _ in range(11):  # 33 to the power of 11 is beyond the precision of floats
        grid = np.linspace(low, high, 34)
        first = max(1, int(np.argmax(survival(grid, size, freedom) <= alpha)))
        low, high = float(grid[first - 1]), float(grid[first])
    return high


def estimates(freedom: float) -> tuple[Floats, Floats]:
    """Estimates of a standard deviation of 1, a root of chi-square over its freedom, and their weights."""
    wide = np.sqrt(SMALLEST / freedom)
    step = min(1 / 8, 0.35 / np.sqrt(freedom))
    u = np.arange(-wide - SMALLEST / freedom, wide, step)
    weight = np.exp(freedom * (u - np.expm1(2 * u) / 2))
    return np.exp(u), weight / weight.sum()


def log_survival(w: Floats, series: Chebyshev) -> Floats:
    """The log of the probability that the range is at least w."""
    log_chance = series(np.minimum(w, LONGEST)) - w**2 / 4
    return np.where(w < LONGEST, np.minimum(log_chance, 0), -np.inf)


@lru_cache(maxsize=8)
def log_range_series(size: int) -> Chebyshev:
    """The same plus w**2 / 4, to which it tends, as a series of Chebyshev polynomials.

    The highest of the normal numbers is z, and not all others are within w of it.
    """
    from scipy.special import log_ndtr

    z = np.arange(-10, LONGEST / 2 + 10, 0.1)
    others, below = size - 1, log_ndtr(z)
    highest = np.exp(others * below - z**2 / 2)
    highest /= highest.sum()

    def remainder(w: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            outside = -np.expm1(others * np.log1p(-np.minimum(np.exp(log_ndtr(z - w[:, np.newaxis]) - below), 1)))
        smooth: Floats = np.log(outside @ highest) + w**2 / 4
        return smooth

    return Chebyshev.interpolate(remainder, DEGREE, domain=[0, LONGEST])
