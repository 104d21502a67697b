"""Populations that are one number per run (PE 4)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics.base import check_number
from tiebreak.populations.base import (
    Aggregation,
    Number,
    Vector,
    average,
    check_not_negative,
    check_share,
    total,
    worst_first,
)

Weights = NDArray[np.float64]
FLOOR = 1e-5
"""Below this a utility counts as this much in the geometric mean (Voorhees 2004)."""


@dataclass(frozen=True)
class Mean(Aggregation):
    """Arithmetic mean: average utilitarianism (PE eq 2)."""

    name: ClassVar[str] = "mean"
    takes_weights: ClassVar[bool] = True

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        return average(u, weights)


@dataclass(frozen=True)
class Quantile(Aggregation):
    r"""The utility below which a share of the requests lies; between two requests on the straight line.

    .. math:: (1 - f)\, u_{(j)} + f\, u_{(j+1)}, \quad j - 1 + f = (n - 1)\, \mathrm{share}

    with the utilities from the smallest, :math:`u_{(1)}`, up.
    """

    share: float = 0.5
    name: ClassVar[str] = "quantile"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("share", self.share)
        if not 0 <= self.share <= 1:
            raise InputError(f"share={self.share}. Give a number from 0 to 1.", kind="spec")

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        return quantile(u, Fraction(str(self.share)))


@dataclass(frozen=True)
class Median(Aggregation):
    """The utility in the middle."""

    name: ClassVar[str] = "median"

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        return quantile(u, Fraction(1, 2))


def quantile(u: Vector, share: Fraction) -> Number:
    ordered = worst_first(u)
    place = (len(u) - 1) * share
    j = floor(place)
    low, high = ordered[j], ordered[min(j + 1, len(u) - 1)]
    f = place - j
    between = low + (f if u.dtype == object else float(f)) * (high - low)
    return between if isinstance(between, Fraction) else float(between)


@dataclass(frozen=True)
class Minimum(Aggregation):
    """The worst utility: the difference principle, maximin (PE eq 4)."""

    name: ClassVar[str] = "min"

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        smallest: Number = u.min()
        return smallest


@dataclass(frozen=True)
class Maximum(Aggregation):
    """The best utility."""

    name: ClassVar[str] = "max"

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        largest: Number = u.max()
        return largest


@dataclass(frozen=True)
class GeometricMean(Aggregation):
    r"""Geometric mean, utilities below the floor raised to it (PE eq 6).

    .. math:: \Big(\prod_x \max(\epsilon, \mu_x)\Big)^{1/n}
    """

    floor: float = FLOOR
    name: ClassVar[str] = "gmean"
    takes_weights: ClassVar[bool] = True
    tolerance: ClassVar[float] = 1e-12

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("floor", self.floor)
        if not self.floor > 0:
            raise InputError(f"floor={self.floor}. Give a number above 0.", kind="spec")

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        check_not_negative(self.name, table)

    def scores(self, table: UtilityTable) -> list[Number]:
        """Means of logarithms, by whose differences runs with the same product tie."""
        return [self.mean_of_logarithms(row, table.weights) for row in table.values]

    def shown(self, score: float) -> float:
        return exp(score)

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        return exp(self.mean_of_logarithms(u, weights))

    def mean_of_logarithms(self, u: Vector, weights: Weights | None) -> Number:
        return average(np.log(np.maximum(u.astype(np.float64), self.floor)), weights)


@dataclass(frozen=True)
class PositiveShare(Aggregation):
    """The share of requests with a utility above 0; of P@10 it is success at ten, s@10 (PE eq 8)."""

    name: ClassVar[str] = "positive"

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        met = int((u > 0).sum())
        return Fraction(met, len(u)) if u.dtype == object else met / len(u)


def size_of(share: float, n: int) -> int:
    """How many of n requests a share is, rounded down."""
    return floor(n * share + 1e-9)


@dataclass(frozen=True)
class LowerArea(Aggregation):
    r"""Area under the lower quartile, auc4, or under any lower share (PE eq 7).

    .. math:: \frac1k \sum_{j=1}^k \frac1j \sum_{i=1}^j u_{(i)}, \qquad k = \lfloor n \cdot \mathrm{share} \rfloor

    with the utilities from the smallest, :math:`u_{(1)}`, up.
    """

    share: float = 0.25
    name: ClassVar[str] = "lower_area"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share)

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        n = len(table.requests)
        if size_of(self.share, n) < 1:
            raise InputError(
                f"the lowest {self.share:g} of {n} requests is not even one. At least {ceil(1 / self.share)} are "
                "needed.",
                kind="size",
            )

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        # u_(i) is in the j-th average for every j from i to k: its weight is the sum of 1 / j over these.
        k = size_of(self.share, len(u))
        one = Fraction(1) if u.dtype == object else 1.0
        weight = np.cumsum(np.array([one / j for j in range(k, 0, -1)], dtype=u.dtype))[::-1]
        return total(worst_first(u)[:k] * weight) / k


@dataclass(frozen=True)
class ConditionalValueAtRisk(Aggregation):
    """The mean of the worst share of requests; the last of them counts in part where the share is no whole number."""

    share: float = 0.1
    name: ClassVar[str] = "cvar"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share)

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        size = len(u) * Fraction(str(self.share))
        whole = floor(size)
        worst = worst_first(u)[: whole + 1]
        exact = u.dtype == object
        last = worst[whole:] * (size - whole if exact else float(size - whole))
        return total(np.concatenate([worst[:whole], last])) / (size if exact else float(size))


@dataclass(frozen=True)
class Gini(Aggregation):
    r"""Inequality: the mean absolute difference over twice the mean (PE eq 10); 0 where all are equal. Lower is better.

    .. math:: \frac{1}{2 n^2} \sum_{x, x'} \frac{|\mu_x - \mu_{x'}|}{\bar\mu}
    """

    name: ClassVar[str] = "gini"
    lower_is_better: ClassVar[bool] = True

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        check_not_negative(self.name, table)

    def scores(self, table: UtilityTable) -> list[Number]:
        """Minus the coefficient: more equal is better."""
        return [-self.value(row) for row in table.values]

    def value(self, u: Vector, weights: Weights | None = None) -> Number:
        # Of the sorted utilities the i-th is the larger of a pair i - 1 times and the smaller n - i times.
        n, sum_ = len(u), total(u)
        if sum_ == 0:
            return Fraction(0) if u.dtype == object else 0.0
        rank = np.arange(1, n + 1) * 2 - n - 1
        return total(worst_first(u) * rank.astype(u.dtype)) / (n * sum_)
