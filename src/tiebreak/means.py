"""Means over requests, exactly rounded, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum, nan, sqrt

CONFIDENCE = 0.95


def mean_of(values: list[float]) -> float:
    """The mean, whatever the order of the values; NaN where there is none."""
    return fsum(values) / len(values) if values else nan


def half_width(squares: Iterable[float], n: int) -> float:
    """Half the width of the 95% interval of a mean by Student's t, given the n squared deviations; NaN where n < 2."""
    if n < 2:
        return nan
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 0.5 + CONFIDENCE / 2)) * sqrt(fsum(squares) / (n - 1) / n)
