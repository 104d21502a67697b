"""Metrics of the retrieved items as a set, without their order: precision, F, average precision, utility."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count, check_flag, check_number
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, decimal
from tiebreak.metrics._count import relevant_retrieved
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions

LARGEST = 2**62
"""Whole numbers below this are computed as 64-bit integers, larger ones as Python's."""


class SetMetric(Metric):
    """A quotient of whole numbers: relevant items retrieved, items retrieved, relevant items m."""

    traits: ClassVar[Traits] = Traits(cutoff="no")

    def fraction(self, hits: Any, retrieved: Any, m: Any) -> tuple[Any, Any]:
        """Numerator and denominator; where nothing relevant is retrieved the denominator may be 0."""
        raise NotImplementedError

    def values(self, positions: Positions) -> ExactValues:
        m = np.broadcast_to(positions.relevant(self.rel), positions.retrieved.shape)
        hits = relevant_retrieved(positions.levels(self.rel))
        above, below = self.fraction(hits, positions.retrieved.astype(np.int64), m)
        return ExactValues.quotients(above, np.where(m > 0, np.maximum(below, 1), 0))


@dataclass(frozen=True)
class SetPrecision(SetMetric):
    r"""Share of relevant items among all retrieved; 0 where nothing is.

    .. math:: \mathrm{SetP} = \text{relevant retrieved} / \text{retrieved}

    Parameters
    ----------
    relative : bool
        Divide by the best possible, the smaller of the numbers retrieved and relevant, as ``set_relative_P``.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    >>> SetPrecision().evaluate(p).round(4).tolist(), SetPrecision(relative=True).evaluate(p).tolist()
    ([[0.3333]], [[0.5]])
    """

    relative: bool = parameter(False, check_flag, name="SetP: relative")
    name: ClassVar[str] = "SetP"

    def fraction(self, hits: Any, retrieved: Any, m: Any) -> tuple[Any, Any]:
        return hits, np.minimum(retrieved, m) if self.relative else retrieved


@dataclass(frozen=True)
class SetF(SetMetric):
    r"""Weighted harmonic mean of the precision P and the recall R of the retrieved set, as in trec_eval.

    .. math:: F = \frac{(\beta + 1) P R}{\beta P + R}
        = \frac{(\beta + 1) \cdot \text{relevant retrieved}}{\beta m + \text{retrieved}}

    As in trec_eval and ir_measures, beta is not squared: van Rijsbergen's F2 is ``beta=4``.

    Parameters
    ----------
    beta : float
        The importance of recall relative to precision.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    >>> SetF().evaluate(p).tolist()      # 2 * 1 / (2 + 3)
    [[0.4]]
    """

    beta: float = parameter(1, check_number, low=1e-9, high=1e9, name="SetF: beta")
    name: ClassVar[str] = "SetF"

    def fraction(self, hits: Any, retrieved: Any, m: Any) -> tuple[Any, Any]:
        x = decimal(self.beta)
        return scale(hits, x.numerator + x.denominator), scale(m, x.numerator) + scale(retrieved, x.denominator)


class SetAveragePrecision(SetMetric):
    r"""Precision times recall of the retrieved set: average precision without an order.

    .. math:: \mathrm{SetAP} = (\text{relevant retrieved})^2 / (\text{retrieved} \cdot m)

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    >>> SetAveragePrecision().evaluate(p).round(4).tolist()      # 1/3 * 1/2
    [[0.1667]]
    """

    name: ClassVar[str] = "SetAP"

    def fraction(self, hits: Any, retrieved: Any, m: Any) -> tuple[Any, Any]:
        return hits * hits, retrieved * m


def check_worth(value: Any, name: str) -> None:
    """A number of a size and with digits that whole numbers can hold."""
    check_number(value, name, low=-1e9, high=1e9)
    if decimal(value).denominator > 10**18:
        raise InputError(f"{name}={value} has too many decimals. Give at most 18.", kind="range")


@dataclass(frozen=True)
class SetUtility(Metric):
    r"""What a retrieved set is worth: a sum over relevant and other items, retrieved and not.

    .. math:: \text{hit} \cdot a + \text{false alarm} \cdot b + \text{miss} \cdot c + \text{rejection} \cdot d

    of a relevant and b other items retrieved, and c relevant and d other items not retrieved.

    Parameters
    ----------
    hit : float
        What a relevant item that is retrieved is worth; trec_eval lists the four in this order.
    false_alarm : float
        What another item that is retrieved is worth.
    miss : float
        What a relevant item that is not retrieved is worth.
    rejection : float
        What another item that is not retrieved is worth.
    n : int, optional
        Number of items in the corpus; needed where `rejection` is not 0.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    >>> SetUtility().evaluate(p).tolist()      # 1 - 2
    [[-1.0]]
    """

    hit: float = parameter(1, check_worth, name="utility: hit")
    false_alarm: float = parameter(-1, check_worth, name="utility: false_alarm")
    miss: float = parameter(0, check_worth, name="utility: miss")
    rejection: float = parameter(0, check_worth, name="utility: rejection")
    n: int | None = parameter(None, check_count, name="utility: n")
    name: ClassVar[str] = "utility"
    traits: ClassVar[Traits] = Traits(low=-inf, high=inf, cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rejection and self.n is None:
            raise InputError(
                f"{self} needs the number of items in the corpus, such as n=1000000, for those not retrieved.",
                kind="spec",
            )

    def values(self, positions: Positions) -> ExactValues:
        m = np.broadcast_to(positions.relevant(self.rel), positions.retrieved.shape)
        hits, retrieved = relevant_retrieved(positions.levels(self.rel)), positions.retrieved.astype(np.int64)
        others = (self.n or 0) - (retrieved + m - hits)
        if self.n is not None and (others[m > 0] < 0).any():
            raise InputError(
                f"{self}: a request has more than {self.n} items, retrieved or relevant. Give the corpus' true size.",
                kind="corpus_size",
            )
        worth = [decimal(x) for x in (self.hit, self.false_alarm, self.miss, self.rejection)]
        common = lcm(*(x.denominator for x in worth))
        numbers = (hits, retrieved - hits, m - hits, others)
        above = sum(scale(count, int(x * common)) for x, count in zip(worth, numbers, strict=True))
        return ExactValues.quotients(above, np.where(m > 0, scale(np.ones_like(m), common), 0))


def scale(counts: NDArray[np.int64], factor: int) -> NDArray[Any]:
    """Counts times a whole number of any size."""
    is_small = abs(factor) * int(np.abs(counts).max(initial=1)) < LARGEST // 4
    return counts * factor if is_small else counts.astype(object) * factor
