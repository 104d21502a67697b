"""Populations that are one number per run (PE 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number, check_share
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, Number, decimal
from tiebreak.exact.held import Places
from tiebreak.exact.roots import FLOOR, Root, geometric_mean
from tiebreak.exact.sample import Sample
from tiebreak.exact.totals import Totals
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Aggregation


@dataclass(frozen=True)
class Mean(Aggregation):
    """Arithmetic mean: average utilitarianism (PE eq 2)."""

    name: ClassVar[str] = "mean"
    is_by_place: ClassVar[bool] = True
    takes_weights: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return u.mean(weights)

    def sample_ranks(self, table: UtilityTable, samples: Iterable[Places]) -> Iterator[NDArray[np.int64]]:
        if table.weights is not None:
            yield from super().sample_ranks(table, samples)
            return
        totals = Totals(table.numbers)
        for places in samples:
            yield totals.ranks(np.bincount(places, minlength=len(table.requests)).astype(np.float64)[None])[0]


@dataclass(frozen=True)
class Quantile(Aggregation):
    r"""The utility below which a share of the requests lies, with linear interpolation.

    .. math:: (1 - f)\, u_{(j)} + f\, u_{(j+1)}, \quad j - 1 + f = (n - 1)\, \mathrm{share}

    with the utilities from the smallest, :math:`u_{(1)}`, up.
    """

    share: float = parameter(0.5, check_share)
    name: ClassVar[str] = "quantile"
    is_by_place: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return quantile(u, decimal(self.share))


@dataclass(frozen=True)
class Median(Aggregation):
    """Median utility."""

    name: ClassVar[str] = "median"
    is_by_place: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return quantile(u, Fraction(1, 2))


def quantile(u: Sample, share: Fraction) -> Number:
    place = (len(u) - 1) * share
    j = floor(place)
    low, high = u.item(j), u.item(min(j + 1, len(u) - 1))
    return low + (place - j) * (high - low)


@dataclass(frozen=True)
class Minimum(Aggregation):
    """The worst utility: the difference principle, maximin (PE eq 4)."""

    name: ClassVar[str] = "min"
    is_by_place: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return u.item(0)


@dataclass(frozen=True)
class Maximum(Aggregation):
    """Largest utility."""

    name: ClassVar[str] = "max"
    is_by_place: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return u.item(len(u) - 1)


@dataclass(frozen=True)
class GeometricMean(Aggregation):
    r"""Geometric mean, utilities below the floor raised to it (PE eq 6), or all shifted.

    .. math:: \Big(\prod_x \max(\epsilon, \mu_x)\Big)^{1/n}, \qquad
        \Big(\prod_x (\mu_x + s)\Big)^{1/n} \text{ with a shift } s

    Runs tie where their products are equal.

    Parameters
    ----------
    floor : float
        Below this a utility counts as this much.
    shift : float, optional
        Added to every utility, in place of the floor.

    Examples
    --------
    >>> utilities = tb.Utilities({"a": {"p": 0.8, "q": 0}})
    >>> [row.value for row in utilities.evaluate(["gmean(floor=0.2)", "gmean(shift=0.2)"]).values]
    [0.4, 0.4472135954999579]

    The roots of 0.8 x 0.2 and of (0.8 + 0.2) x (0 + 0.2).
    """

    floor: float = parameter(FLOOR, check_number, above=0)
    shift: float | None = parameter(None, check_number, above=0)
    name: ClassVar[str] = "gmean"
    takes_weights: ClassVar[bool] = True
    takes_negative: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shift is not None and self.floor != FLOOR:
            raise InputError("gmean has a floor or a shift. Leave one of them out.", kind="spec")

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        is_weighted = weights is not None and weights.high.min() < weights.high.max()
        if self.shift is None:
            return geometric_mean(u, self.floor, weights if is_weighted else None)
        x = Doubles(u.high, u.low) + decimal(self.shift)
        shifted = replace(u, high=x.high, low=x.low, exactly=lambda: self.factors(u.exact))
        return Root(shifted, weights if is_weighted else None)

    def factors(self, utilities: Iterable[Fraction]) -> list[Fraction]:
        """Exact utilities, raised to the floor or shifted."""
        least, shift = decimal(self.floor), decimal(self.shift or 0)
        return [max(least, x) if self.shift is None else x + shift for x in utilities]

    def product(self, utilities: Iterable[Fraction]) -> Fraction:
        """The exact product, which orders equally many utilities as their geometric mean does."""
        return prod(self.factors(utilities), start=Fraction(1))


@dataclass(frozen=True)
class PositiveShare(Aggregation):
    """The share of requests with a utility above 0; of P@10 it is success at ten, s@10 (PE eq 8)."""

    name: ClassVar[str] = "positive"

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return Number(Fraction(int(((u.high > 0) | ((u.high == 0) & (u.low > 0))).sum()), len(u)))


@dataclass(frozen=True)
class LowerArea(Aggregation):
    r"""Area under the lower quartile, auc4, or under any lower share (PE eq 7).

    .. math:: \frac1k \sum_{j=1}^k \frac1j \sum_{i=1}^j u_{(i)}, \qquad k = \lfloor n \cdot \mathrm{share} \rfloor

    with the utilities from the smallest, :math:`u_{(1)}`, up.
    """

    share: float = parameter(0.25, check_number, above=0, high=1)
    name: ClassVar[str] = "lower_area"

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        n = len(table.requests)
        if n * decimal(self.share) < 1:
            raise InputError(
                f"share={self.share:g} of {n} requests is less than one request. At least {ceil(1 / self.share)} are "
                "needed.",
                kind="size",
            )

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return u.mean_of_lowest_means(floor(len(u) * decimal(self.share)))


@dataclass(frozen=True)
class ConditionalValueAtRisk(Aggregation):
    """Conditional value at risk: the mean over the worst share of requests, with a fractional last request."""

    share: float = parameter(0.1, check_number, above=0, high=1)
    name: ClassVar[str] = "cvar"
    is_by_place: ClassVar[bool] = True

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        size = len(u) * decimal(self.share)
        whole = floor(size)
        worst = u.lowest(whole)
        return (worst + (size - whole) * u.item(whole) if whole < size else worst) / size


@dataclass(frozen=True)
class Gini(Aggregation):
    r"""Inequality: the mean absolute difference over twice the mean (PE eq 10); 0 where all are equal. Lower is better.

    .. math:: \frac{1}{2 n^2} \sum_{x, x'} \frac{|\mu_x - \mu_{x'}|}{\bar\mu}
    """

    name: ClassVar[str] = "gini"
    lower_is_better: ClassVar[bool] = True
    takes_negative: ClassVar[bool] = False

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        # Of the sorted utilities the i-th is the larger of a pair i - 1 times and the smaller n - i times.
        n, total = len(u), u.total()
        if total == 0:
            return Number(Fraction(0))
        return u.in_order().dot(Sample.from_floats(np.arange(1.0 - n, n, 2))) / (n * total)
