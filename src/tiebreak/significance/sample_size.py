"""How many requests a test needs to show a difference of a given size."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiebreak._base.checks import check_number
from tiebreak._base.corrections import ALPHA
from tiebreak.projection.primitives import Floats

POWER = 0.8
"""The probability with which a difference should be shown."""
MANY = 1e7
"""From here on the normal approximation is as good."""


def requests_needed(mean: Any, deviation: Any, *, alpha: float = ALPHA, power: float = POWER) -> Floats:
    """The smallest number of requests with which a two-sided t-test shows a mean difference with this power.

    Parameters
    ----------
    mean, deviation : float or array
        Of the differences over requests, as one expects them; infinitely many are needed where the mean is 0.
    alpha : float
        Significance level.
    power : float
        The probability that the test is significant.

    Examples
    --------
    >>> requests_needed([0.5, 0.2, 0.0], 1.0).tolist()      # as in tables of power
    [34.0, 199.0, inf]
    """
    from scipy.special import ndtri, stdtrit

    check_number(alpha, "alpha", above=0, below=1)
    check_number(power, "power", above=alpha, below=1)
    mean, deviation = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, dtype=np.float64)) for x in (mean, deviation)))
    with np.errstate(divide="ignore", invalid="ignore"):
        d: Floats = np.where(mean == 0, 0.0, np.abs(mean) / deviation)
        n: Floats = np.ceil(((ndtri(1 - alpha / 2) + ndtri(power)) / d) ** 2)  # too few: Student's t has heavier tails
    n = np.asarray(np.maximum(n, 2.0))
    short = np.isfinite(d) & (n < MANY)
    while short.any():
        size = n[short]
        reached = power_of_t(d[short], size, stdtrit(size - 1, 1 - alpha / 2)) >= power
        n[short] += ~reached
        short[short] = ~reached
    return n


def detectable_difference(deviation: Any, n: int, *, alpha: float = ALPHA, power: float = POWER) -> Floats:
    """The minimum detectable effect: the smallest mean difference that a two-sided t-test shows with this power.

    Parameters
    ----------
    deviation : float or array
        Of the differences over requests.
    n : int
        The number of requests; no difference can be shown with fewer than two.
    alpha, power : float
        As in `requests_needed`, of which this is the inverse.

    Examples
    --------
    >>> detectable_difference(1.0, 34).round(3).tolist()      # 34 requests show a difference of half a deviation
    [0.495]
    """
    from scipy.special import ndtri, stdtrit

    check_number(alpha, "alpha", above=0, below=1)
    check_number(power, "power", above=alpha, below=1)
    deviation = np.atleast_1d(np.asarray(deviation, dtype=np.float64))
    if n < 2:
        return np.full(len(deviation), np.nan)
    high = (ndtri(1 - alpha / 2) + ndtri(power)) / np.sqrt(np.full(1, float(n)))
    if n < MANY:
        size, critical = np.full(1, float(n)), stdtrit(n - 1, 1 - alpha / 2)
        low = high
        while power_of_t(high, size, critical)[0] < power:
            low, high = high, 2 * high
        while (middle := (low + high) / 2)[0] not in (low[0], high[0]):
            is_enough = power_of_t(middle, size, critical)[0] >= power
            low, high = (low, middle) if is_enough else (middle, high)
        if np.isnan(power_of_t(high, size, critical)[0]):  # beyond what the distribution is known for
            high = np.full(1, np.nan)
    return np.asarray(high * deviation)


def power_of_t(d: Floats, n: Floats, critical: Floats) -> Floats:
    """The probability that Student's t of n differences with mean d and deviation 1 is beyond a critical value."""
    from scipy.special import nctdtr

    shift = d * np.sqrt(n)
    probability: Floats = 1 - nctdtr(n - 1, shift, critical) + nctdtr(n - 1, shift, -critical)
    return probability
