"""Recall-level metrics by the positions of relevant items: AP, RR, NCP, linear exposure, search efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count, check_flag
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, like
from tiebreak.exact.arithmetic import ones, whole_numbers
from tiebreak.metrics._recall_level import RecallLevelMetric, recall_level_form
from tiebreak.metrics.base import Metric, Traits, check_corpus_size, last_position
from tiebreak.metrics.weights import Weights, check_weights, is_rational, level_weights
from tiebreak.projection.levels import Levels


@dataclass(frozen=True)
class AveragePrecision(RecallLevelMetric):
    r"""Average precision: the mean over relevant items of the precision at each one's position.

    .. math:: \mathrm{AP}(p) = \frac{1}{m} \sum_{i=1}^{m} \frac{i}{p_i}, \qquad e(k) = 1/k, \; z(i, m) = i/m

    The expected precision of a user who wants i relevant items, all i equally likely (RPP 3.2).

    Parameters
    ----------
    relative : bool
        Divide by the best possible with a cutoff k, min(k, m), in place of m, as LensKit does.

    Examples
    --------
    >>> AveragePrecision().evaluate(tb.positions([[2, 5], [4, None]])).ravel().tolist()
    [0.45, 0.125]
    >>> AveragePrecision(cutoff=2, relative=True).evaluate(tb.positions([[1, 5, 9]])).ravel().tolist()      # 1 / 2
    [0.5]
    """

    relative: bool = parameter(False, check_flag, name="AP: relative", kw_only=True)
    name: ClassVar[str] = "AP"

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / k

    def weight(self, i: Any, m: int) -> Any:
        return i

    def divisor(self, i: Any, m: int) -> Any:
        return like(min(m, self.cutoff) if self.relative and self.cutoff else m, i)


@dataclass(frozen=True)
class ReciprocalRank(RecallLevelMetric):
    r"""Inverse position of the first relevant item, or of the one at another recall level.

    .. math:: \mathrm{RR}_i(p) = 1 / p_i, \qquad 0 \text{ if it was not retrieved.}

    Only :math:`p_i` counts, so runs that agree on it tie; lexiprecision separates them.

    Parameters
    ----------
    level : int
        The recall level i; a request with fewer relevant items has the value 0.

    Examples
    --------
    >>> ReciprocalRank().evaluate(tb.positions([[2, 5], [4, 9]])).ravel().tolist()
    [0.5, 0.25]
    """

    level: int = parameter(1, check_count, name="RR: level")
    name: ClassVar[str] = "RR"

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / k

    def weight(self, i: Any, m: int) -> Any:
        return one_level(self.level, m, i)

    def level_values(self, levels: Levels) -> ExactValues:
        return inverse_positions(levels, self.level - 1, self.cutoff)


@dataclass(frozen=True)
class NormalisedCumulativePrecision(RecallLevelMetric):
    r"""Expected precision of a user who wants i relevant items with probability w_i (RPP 3.2).

    .. math:: \mathrm{NCP}(p) = \sum_{i=1}^{m} w_i \frac{i}{p_i}, \qquad e(k) = 1/k, \; z(i, m) = i \, w_i

    With uniform weights it is AP.

    Parameters
    ----------
    weights : {"uniform", "dcg", "inverse"} or tuple of float
        How likely each recall level is; see `recall_weights`.

    Examples
    --------
    >>> NormalisedCumulativePrecision(weights="inverse").evaluate(tb.positions([[2, None]])).round(4).tolist()
    [[0.3333]]
    """

    weights: Weights = "uniform"
    name: ClassVar[str] = "NCP"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", check_weights(self.weights))

    @property
    def is_rational(self) -> bool:
        return is_rational(self.weights)

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / k

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i) if self.weights == "inverse" else i * level_weights(i, self.weights)

    def divisor(self, i: Any, m: int) -> Any:
        return level_weights(i, self.weights).sum()


@dataclass(frozen=True)
class LinearExposure(RecallLevelMetric):
    r"""Exposure that falls linearly to 0 at the end of a corpus of n items (LR 2.3.1).

    .. math:: e(k) = 1 - k/n, \qquad z(i, m) = 1/m

    Parameters
    ----------
    n : int
        Number of items in the corpus.

    Examples
    --------
    >>> LinearExposure(n=10).evaluate(tb.positions([[1, 5]])).ravel().tolist()
    [0.7]
    """

    n: int = parameter(0, check_corpus_size, name="linear")
    name: ClassVar[str] = "linear"

    def exposure(self, k: Any, m: int) -> Any:
        last = float((k.high if isinstance(k, Doubles) else k)[-1]) if len(k) else 0.0
        if last > self.n:
            raise InputError(
                f"{self}: an item is at position {last:.0f} of a corpus of {self.n}. Give its true size.",
                kind="corpus_size",
            )
        return 1 - k / like(self.n, k)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


INVERSE = AveragePrecision()
"""Whose exposure is 1/k."""


@dataclass(frozen=True)
class TotalSearchEfficiency(RecallLevelMetric):
    r"""Exposure of the last relevant item: what the worst-off user gets (LR eq 3).

    .. math:: \mathrm{TSE}_e(p) = e(p_m), \qquad 0 \text{ unless everything relevant was retrieved.}

    Most runs miss some relevant item and tie at 0; lexirecall separates them.

    Parameters
    ----------
    base : recall-level metric
        Whose exposure e is used; by default that of AP and RR, 1/k.

    Examples
    --------
    >>> TotalSearchEfficiency().evaluate(tb.positions([[2, 5], [4, None]])).ravel().tolist()
    [0.2, 0.0]
    """

    base: Metric = INVERSE
    name: ClassVar[str] = "TSE"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form.rel is not None:
            raise InputError(f"{self.base} says what is relevant. Write TSE({self.base.name}, rel=...).", kind="spec")

    @property
    def form(self) -> RecallLevelMetric:
        return recall_level_form(self.base)

    @property
    def is_rational(self) -> bool:
        return self.form.is_rational

    @property
    def depends_on_size(self) -> bool:
        return self.form.depends_on_size

    def exposure(self, k: Any, m: int) -> Any:
        return self.form.exposure_to_cutoff(k, m)

    def weight(self, i: Any, m: int) -> Any:
        return one_level(m, m, i)

    def level_values(self, levels: Levels) -> ExactValues:
        if isinstance(self.form, (AveragePrecision, ReciprocalRank)):
            return inverse_positions(levels, -1, self.form.cutoff)
        return super().level_values(levels)


def one_level(level: int, m: int, x: Any) -> Any:
    """All weight on one recall level, on none where there are fewer, in the arithmetic of x."""
    return whole_numbers(np.arange(1, m + 1) == level, x)


def inverse_positions(levels: Levels, level: int, cutoff: int | None) -> ExactValues:
    """1 / p at a recall level, by its index; 0 beyond the cutoff and where there is no such level."""
    last = np.ones((len(levels.runs), len(levels.requests)), dtype=np.int64)
    counts = np.zeros(last.shape, dtype=np.int64)
    for bucket in levels.buckets():
        if level < bucket.m:
            p = bucket.p[..., level]
            is_counted = p <= last_position(cutoff)
            counts[:, bucket.requests], last[:, bucket.requests] = is_counted, np.where(is_counted, p, 1)
    return ExactValues.quotients(counts, np.where(levels.sizes > 0, last, 0))
