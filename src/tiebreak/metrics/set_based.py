"""Recall-level metrics that count the relevant items among the first: recall, precision, R-precision, success."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues, like
from tiebreak.exact.arithmetic import ones, whole_numbers
from tiebreak.metrics._recall_level import RecallLevelMetric
from tiebreak.metrics.base import Traits, last_position, quotients
from tiebreak.projection.levels import Levels
from tiebreak.projection.primitives import Ranks


class CountMetric(RecallLevelMetric):
    """A number of relevant items among the first, over another whole number: one rounding."""

    has_strict_exposure: ClassVar[bool] = False

    def count(self, p: Ranks) -> NDArray[np.int64]:
        """How many relevant items count: [run, request]."""
        return np.asarray(np.count_nonzero(p <= last_position(self.cutoff), axis=-1))

    def denominator(self, m: int) -> int:
        return m

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k)

    def divisor(self, i: Any, m: int) -> Any:
        return like(self.denominator(m), i)

    def level_values(self, levels: Levels) -> ExactValues:
        return quotients(levels, self.count, self.denominator)


class Recall(CountMetric):
    r"""Share of the relevant items among the first k; without a cutoff, among all retrieved.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = 1/m

    Divided by m, never by min(k, m).

    Examples
    --------
    >>> Recall(cutoff=4).evaluate(tb.positions([[2, 5, None]])).round(4).ravel().tolist()
    [0.3333]
    """

    name: ClassVar[str] = "R"


class RPrecision(CountMetric):
    r"""Precision at position m, the number of relevant items.

    .. math:: e(j) = \mathbb{I}(j \le m), \qquad z(i, m) = 1/m

    Examples
    --------
    >>> RPrecision().evaluate(tb.positions([[2, 5]])).ravel().tolist()
    [0.5]
    """

    name: ClassVar[str] = "RP"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    @property
    def depends_on_size(self) -> bool:
        return True

    def count(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(np.count_nonzero(p <= p.shape[-1], axis=-1))

    def exposure(self, k: Any, m: int) -> Any:
        return whole_numbers((k.high if isinstance(k, Doubles) else k) <= m, k)


class Precision(CountMetric):
    r"""Share of relevant items among the first k positions, retrieved or not.

    .. math:: e(j) = \mathbb{I}(j \le k) / k, \qquad z(i, m) = 1

    Examples
    --------
    >>> Precision(cutoff=10).evaluate(tb.positions([[2, 5, 11]])).ravel().tolist()
    [0.2]
    """

    name: ClassVar[str] = "P"
    traits: ClassVar[Traits] = Traits(cutoff="must")

    def denominator(self, m: int) -> int:
        return int(self.cutoff or 1)

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k) / like(self.denominator(m), k)

    def divisor(self, i: Any, m: int) -> Any:
        return like(1, i)


class Success(CountMetric):
    r"""Whether any relevant item is among the first k.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = \mathbb{I}(i = 1)

    Examples
    --------
    >>> Success(cutoff=10).evaluate(tb.positions([[2, 5], [11, 12]])).ravel().tolist()
    [1.0, 0.0]
    """

    name: ClassVar[str] = "Success"
    traits: ClassVar[Traits] = Traits(cutoff="must")

    def count(self, p: Ranks) -> NDArray[np.int64]:
        return np.minimum(super().count(p), 1)

    def denominator(self, m: int) -> int:
        return 1

    def weight(self, i: Any, m: int) -> Any:
        return whole_numbers(np.arange(m) == 0, i)
