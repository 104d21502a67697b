"""How many requests a test needs to show a difference of a given size."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiebreak._base.checks import check_number
from tiebreak.projection.primitives import Floats

POWER = 0.8
"""The probability with which a difference should be shown."""
MANY = 1e7
"""From here on the normal approximation is as good."""


def requests_needed(mean: Any, deviation: Any, *, alpha: float = 0.05, power: float = POWER) -> Floats:
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


def power_of_t(d: Floats, n: Floats, critical: Floats) -> Floats:
    """The probability that Student's t of n differences with mean d and deviation 1 is beyond a critical value."""
    from scipy.special import nctdtr

    shift = d * np.sqrt(n)
    probability: Floats = 1 - nctdtr(n - 1, shift, critical) + nctdtr(n - 1, shift, -critical)
    return probability
