"""Means over requests, exactly rounded, and how sure they are."""

from __future__ import annotations

from fractions import Fraction
from math import lcm, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.exact import Number
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import exact_sum

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def mean_of(sample: Sample) -> Number | float:
    """The exact mean; NaN where there is no value."""
    return sample.total() / len(sample) if len(sample) else nan


def sum_of(sample: Sample) -> Number | float:
    """The exact sum; NaN where there is no value."""
    return sample.total() if len(sample) else nan


def exact_means(numerator: NDArray[np.integer], denominator: NDArray[np.int64]) -> list[Fraction]:
    """The exact mean of every row of ``numerator[row, request] / denominator[request]``.

    Examples
    --------
    >>> [str(mean) for mean in exact_means(np.array([[1, 1, 1, -1], [2, 0, 0, 0]]), np.array([3, 3, 3, 1]))]
    ['0', '1/6']
    """
    sizes, which = np.unique(denominator, return_inverse=True)
    common = lcm(*sizes.tolist())
    sums = np.stack([numerator[:, which == k].sum(axis=1, dtype=np.int64) for k in range(len(sizes))], axis=1)
    factors = [common // size for size in sizes.tolist()]
    totals = (sum(f * part for f, part in zip(factors, row, strict=True)) for row in sums.tolist())
    return [Fraction(total, common * len(denominator)) for total in totals]


def half_width(squares: Floats, n: int) -> float:
    """Half the width of the 95% interval of a mean by Student's t, given the n squared deviations; NaN where n < 2."""
    if n < 2:
        return nan
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * sqrt(float(exact_sum(squares)) / (n - 1) / n)


def binomial_interval(met: ArrayLike, n: int, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The exact intervals of shares, each met so often in n, at 1 - alpha (Clopper and Pearson)."""
    from scipy.special import betaincinv

    k = np.asarray(met, dtype=np.float64)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha / 2), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - alpha / 2), 1.0)
    return low, high
