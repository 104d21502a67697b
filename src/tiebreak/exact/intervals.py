"""Confidence intervals: of a mean by Student's t, of a share by Clopper and Pearson."""

from __future__ import annotations

from math import fsum, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.exact.doubles import Floats

CONFIDENCE = 0.95


def half_width(squares: Floats, n: int) -> float:
    """Half the width of the 95% interval of a mean, given the n squared deviations; NaN where n < 2."""
    if n < 2:
        return nan
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * sqrt(fsum(squares.tolist()) / (n - 1) / n)


def binomial_interval(successes: ArrayLike, n: ArrayLike, alpha: float) -> tuple[Floats, Floats]:
    """The exact intervals of shares of successes in n trials, at 1 - alpha."""
    from scipy.special import betaincinv

    k, n = np.asarray(successes, dtype=np.float64), np.asarray(n, dtype=np.float64)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha / 2), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - alpha / 2), 1.0)
    return low, high
