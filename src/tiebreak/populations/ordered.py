"""Ordered weighted averages: between the mean and the minimum, by how much more the worst-off requests count (PE 7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count
from tiebreak._base.text import plural
from tiebreak.errors import InputError
from tiebreak.exact import Number
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics.weights import Weights, check_weights, exact_weights, is_rational
from tiebreak.populations.base import Aggregation


@dataclass(frozen=True)
class OrderedWeightedAverage(Aggregation):
    r"""Ordered weighted average (Yager 1988): utilities count by their place, from the worst up.

    .. math:: \sum_{i=1}^n w_i\, u_{(i)} \Big/ \sum_{i=1}^n w_i

    with the utilities from the smallest, :math:`u_{(1)}`, up. Equal weights are the mean, ``'1,0'`` is the minimum.
    Weights that never increase are a generalised Gini welfare function (Weymark 1981): what is transferred from a
    better-off request to a worse-off one makes a run no worse.

    Parameters
    ----------
    weights : {"inverse", "dcg", "uniform"} or tuple of float
        Of the worst request, the next and so on: 1/i, 1/log2(i + 1), 1, or numbers, the last of them for all beyond.

    Examples
    --------
    >>> utilities = tb.Utilities({"a": {"p": 0.9, "q": 0.3}, "b": {"p": 0.5, "q": 0.5}})
    >>> [row.value for row in utilities.evaluate("owa(weights='2,1')").values]      # (2 x 0.3 + 0.9) / 3
    [0.5, 0.5]
    """

    weights: Weights = "inverse"
    name: ClassVar[str] = "owa"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = check_weights(self.weights, "owa: weights", "worst request")
        if not isinstance(weights, str) and not any(weights):
            raise InputError(f"owa: weights={self.weights!r}. Give at least one above 0.", kind="weights")
        object.__setattr__(self, "weights", weights)

    def check(self, table: UtilityTable) -> None:
        super().check(table)
        n = len(table.requests)
        if not isinstance(self.weights, str) and len(self.weights) > n:
            raise InputError(
                f"{self}: {len(self.weights)} weights for {plural(n, 'request')}. Give at most one for each.",
                kind="size",
            )

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return weigh_by_place(u, weights_by_place(len(u), self.weights))


@dataclass(frozen=True)
class GiniWelfare(Aggregation):
    r"""Generalised Gini welfare with one parameter: the expected worst of `delta` requests drawn at random.

    .. math:: \sum_{i=1}^n \frac{(n - i + 1)^\delta - (n - i)^\delta}{n^\delta}\, u_{(i)}

    with the utilities from the smallest, :math:`u_{(1)}`, up (Donaldson and Weymark 1980). For 1 it is the mean, for 2
    the mean times 1 less the Gini coefficient; the larger, the nearer to the minimum.

    Parameters
    ----------
    delta : int
        How many requests are drawn, with replacement.

    Examples
    --------
    >>> utilities = tb.Utilities({"a": {"p": 0.9, "q": 0.3}, "b": {"p": 0.5, "q": 0.5}})
    >>> [row.value for row in utilities.evaluate("gini_welfare").values]      # (3 x 0.3 + 0.9) / 4
    [0.45, 0.5]
    """

    delta: int = parameter(2, check_count, high=1000)
    name: ClassVar[str] = "gini_welfare"

    def value(self, u: Sample, weights: Sample | None = None) -> Number:
        return weigh_by_place(u, drawn_worst(len(u), self.delta))


def weigh_by_place(u: Sample, weights: Sample) -> Number:
    """The mean of the utilities in increasing order, each with the weight of its place."""
    return u.in_order().dot(weights) / weights.total()


@lru_cache(8)
def weights_by_place(n: int, weights: Weights) -> Sample:
    """The weights of n requests in increasing order of utility."""
    exact, _ = exact_weights(n, weights)
    return Sample.from_exact(exact, is_rational(weights))


@lru_cache(8)
def drawn_worst(n: int, delta: int) -> Sample:
    """How likely each of n, in increasing order, is the smallest of `delta` that are drawn with replacement."""
    powers = [k**delta for k in range(n, -1, -1)]
    return Sample.from_exact([Fraction(a - b, powers[0]) for a, b in pairwise(powers)])
