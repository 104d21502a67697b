"""Recall-level metrics that count the relevant items among the first: recall, precision, R-precision, success."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_flag, check_number
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


@dataclass(frozen=True)
class RPrecision(CountMetric):
    r"""Precision at position m, the number of relevant items, or at a multiple of it.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = 1/k, \qquad k = \lfloor \text{multiple} \cdot m + 0.9 \rfloor

    Rounded as in trec_eval, with floats, whose ``Rprec_mult`` it is; for the multiple 1, k is m.

    Parameters
    ----------
    multiple : float
        Of the number of relevant items.

    Examples
    --------
    >>> RPrecision().evaluate(tb.positions([[2, 5]])).ravel().tolist()
    [0.5]
    >>> RPrecision(multiple=2.5).evaluate(tb.positions([[2, 5]])).ravel().tolist()      # 2 of the first 5
    [0.4]
    """

    multiple: float = parameter(1, check_number, above=0, high=1e6, name="RP: multiple")
    name: ClassVar[str] = "RP"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    @property
    def depends_on_size(self) -> bool:
        return True

    def depth(self, m: int) -> int:
        """The last position that counts."""
        return int(self.multiple * m + 0.9)

    def count(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(np.count_nonzero(p <= self.depth(p.shape[-1]), axis=-1))

    def denominator(self, m: int) -> int:
        return max(self.depth(m), 1)

    def exposure(self, k: Any, m: int) -> Any:
        return whole_numbers((k.high if isinstance(k, Doubles) else k) <= self.depth(m), k)


@dataclass(frozen=True)
class Precision(CountMetric):
    r"""Share of relevant items among the first k positions, retrieved or not.

    .. math:: e(j) = \mathbb{I}(j \le k) / k, \qquad z(i, m) = 1

    Parameters
    ----------
    relative : bool
        Divide by the best possible, min(k, m), in place of k, as ``relative_P`` of trec_eval does.

    Examples
    --------
    >>> Precision(cutoff=10).evaluate(tb.positions([[2, 5, 11]])).ravel().tolist()
    [0.2]
    >>> Precision(cutoff=10, relative=True).evaluate(tb.positions([[2, 5, 11, 12]])).ravel().tolist()      # 2 of 4
    [0.5]
    """

    relative: bool = parameter(False, check_flag, name="P: relative")
    name: ClassVar[str] = "P"
    traits: ClassVar[Traits] = Traits(cutoff="must")

    @property
    def depends_on_size(self) -> bool:
        return self.relative

    def denominator(self, m: int) -> int:
        assert self.cutoff is not None, "it must have a cutoff"
        return min(self.cutoff, m) if self.relative else self.cutoff

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k) / like(self.denominator(m), k)

    def divisor(self, i: Any, m: int) -> Any:
        return like(1, i)


class Success(CountMetric):
    r"""Whether any relevant item is among the first k; without a cutoff, among all retrieved.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = \mathbb{I}(i = 1)

    Examples
    --------
    >>> Success(cutoff=10).evaluate(tb.positions([[2, 5], [11, 12]])).ravel().tolist()
    [1.0, 0.0]
    """

    name: ClassVar[str] = "Success"

    def count(self, p: Ranks) -> NDArray[np.int64]:
        return np.minimum(super().count(p), 1)

    def denominator(self, m: int) -> int:
        return 1

    def weight(self, i: Any, m: int) -> Any:
        return whole_numbers(np.arange(m) == 0, i)


class Hits(CountMetric):
    r"""Number of relevant items among the first k; without a cutoff, among all retrieved.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = 1

    As in ranx, its mean over requests is reported; `NumRelRet` is the sum.

    Examples
    --------
    >>> Hits(cutoff=10).evaluate(tb.positions([[2, 5, 11]])).ravel().tolist()
    [2.0]
    """

    name: ClassVar[str] = "Hits"
    traits: ClassVar[Traits] = Traits(high=inf)

    def denominator(self, m: int) -> int:
        return 1


class F1(CountMetric):
    r"""Harmonic mean of precision and recall of the first k positions, as in ranx.

    .. math:: F_1 = \frac{2 P R}{P + R} = \frac{2}{k + m} \sum_{i} \mathbb{I}(p_i \le k)

    `SetF` is that of all retrieved items.

    Examples
    --------
    >>> F1(cutoff=3).evaluate(tb.positions([[2, 5]])).ravel().tolist()      # 2 x 1 / (3 + 2)
    [0.4]
    """

    name: ClassVar[str] = "F1"
    traits: ClassVar[Traits] = Traits(cutoff="must")

    def count(self, p: Ranks) -> NDArray[np.int64]:
        return 2 * super().count(p)

    def denominator(self, m: int) -> int:
        return m + int(self.cutoff or 1)

    def weight(self, i: Any, m: int) -> Any:
        return whole_numbers(np.full(m, 2), i)
