r"""Recall-level metrics (LR eq 1): one form, an exposure and a normalisation each.

.. math:: \mu(p) = \sum_{i=1}^{m} e(p_i) \, z(i, m)

:math:`e(k)` is the exposure of position k, 0 for unretrieved items; :math:`z(i, m)` weighs the recall levels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from tiebreak.errors import InputError
from tiebreak.metrics.base import LevelMetric, Metric, Traits, check_number
from tiebreak.metrics.weights import Weights, checked_weights, recall_weights
from tiebreak.projection.levels import Levels, deepest_of
from tiebreak.projection.primitives import Floats, Ranks, exposure, weighted_sum


class RecallLevelMetric(LevelMetric):
    """A sum over recall levels of exposure times normalisation.

    Where the exposure strictly decreases (`has_strict_exposure`) and the metric is top-heavy, its worst case over users
    and over providers is total search efficiency, e(p_m); `tiebreak.theory.worst_case_is_tse` decides.
    """

    has_strict_exposure: ClassVar[bool] = True

    def exposure(self, k: Floats, m: int) -> Floats:
        """e(k) of positions k = 1, 2, ..., for requests with m relevant items."""
        raise NotImplementedError

    def normalisation(self, m: int) -> Floats:
        """z(i, m) for i = 1, ..., m."""
        raise NotImplementedError

    def table(self, deepest: int, m: int) -> Floats:
        """Exposure by position, for look-up: unused at 0, and 0 at the end for every position beyond the deepest."""
        k = np.arange(1, deepest + 1, dtype=np.float64)
        return np.concatenate([[0.0], self.exposure_to_cutoff(k, m), [0.0]])

    def exposure_to_cutoff(self, k: Floats, m: int) -> Floats:
        e = self.exposure(k, m)
        return e if self.cutoff is None else np.where(k <= self.cutoff, e, 0.0)

    def by_level(self, p: Ranks) -> Floats:
        """The contribution e(p_i) z(i, m) of every recall level: [run, request, m]."""
        m = p.shape[-1]
        return exposure(p, self.table(deepest_of(p), m)) * self.normalisation(m)

    def score(self, p: Ranks) -> Floats:
        return self.scorer(deepest_of(p), p.shape[-1])(p)

    def over(self, levels: Levels) -> Floats:
        scorers = {bucket.m: self.scorer(levels.deepest, bucket.m) for bucket in levels.buckets()}
        return levels.each(lambda p: scorers[p.shape[-1]](p))

    def scorer(self, deepest: int, m: int) -> Callable[[Ranks], Floats]:
        """The function of ``p[run, request, m]``, with its table of exposures and its weights made once."""
        table, z = self.table(deepest, m), self.normalisation(m)
        used = np.flatnonzero(z)
        if not len(used):
            return lambda p: np.zeros(p.shape[:-1])
        levels = slice(used[0], used[-1] + 1)
        return lambda p: weighted_sum(exposure(p[..., levels], table), z[levels])


def only(i: int, m: int) -> Floats:
    """All weight on recall level i; on none where there are fewer levels."""
    z = np.zeros(m)
    z[i - 1 : i] = 1.0
    return z


class AveragePrecision(RecallLevelMetric):
    r"""Mean over relevant items of the precision at each one's position.

    .. math:: \mathrm{AP}(p) = \frac{1}{m} \sum_{i=1}^{m} \frac{i}{p_i}, \qquad e(k) = 1/k, \; z(i, m) = i/m

    The expected precision of a user who wants i relevant items, every i alike (RPP 3.2).

    Examples
    --------
    >>> import tiebreak as tb
    >>> AveragePrecision().evaluate(tb.positions([[2, 5], [4, None]])).ravel().tolist()
    [0.45, 0.125]
    """

    name: ClassVar[str] = "AP"

    def exposure(self, k: Floats, m: int) -> Floats:
        return 1.0 / k

    def normalisation(self, m: int) -> Floats:
        return np.arange(1, m + 1) / m


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
    >>> import tiebreak as tb
    >>> ReciprocalRank().evaluate(tb.positions([[2, 5], [4, 9]])).ravel().tolist()
    [0.5, 0.25]
    """

    level: int = 1
    name: ClassVar[str] = "RR"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.level, bool) or not isinstance(self.level, int) or self.level < 1:
            raise InputError(f"RR(level={self.level!r}). Give a whole number from 1 on.", kind="spec")

    def exposure(self, k: Floats, m: int) -> Floats:
        return 1.0 / k

    def normalisation(self, m: int) -> Floats:
        return only(self.level, m)


class BinaryNDCG(RecallLevelMetric):
    r"""Normalised discounted cumulative gain of binary relevance.

    .. math:: e(k) = \frac{1}{\log_2 (k + 1)}, \qquad z(i, m) = \Big( \sum_{j=1}^{m} \frac{1}{\log_2 (j+1)} \Big)^{-1}

    With a cutoff the ideal ranking is cut as well. `nDCG` is its graded sibling and equals it where grades are 0 and 1.

    Examples
    --------
    >>> import tiebreak as tb
    >>> BinaryNDCG().evaluate(tb.positions([[1], [3]])).ravel().tolist()
    [1.0, 0.5]
    """

    name: ClassVar[str] = "binary_nDCG"

    def exposure(self, k: Floats, m: int) -> Floats:
        return 1.0 / np.log2(k + 1)

    def normalisation(self, m: int) -> Floats:
        ideal = np.arange(1, min(m, self.cutoff or m) + 1, dtype=np.float64)
        return np.full(m, 1.0 / self.exposure(ideal, m).sum())


@dataclass(frozen=True)
class RankBiasedPrecision(RecallLevelMetric):
    r"""What a user gains who goes on to the next position with probability p.

    .. math:: \mathrm{RBP}(p) = (1 - \gamma) \sum_{i=1}^{m} \gamma^{p_i - 1}, \qquad z(i, m) = 1

    Never reaches 1; deep positions underflow to 0, so it is no way to order runs by deep differences.

    Parameters
    ----------
    p : float
        Persistence :math:`\gamma`, between 0 and 1.

    Examples
    --------
    >>> import tiebreak as tb
    >>> RankBiasedPrecision(p=0.5).evaluate(tb.positions([[1, 3]])).ravel().tolist()
    [0.625]
    """

    p: float = 0.8
    name: ClassVar[str] = "RBP"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("p", self.p)
        if not 0 < self.p < 1:
            raise InputError(f"RBP(p={self.p}). Give a persistence between 0 and 1.", kind="spec")

    def exposure(self, k: Floats, m: int) -> Floats:
        return (1 - self.p) * self.p ** (k - 1)

    def normalisation(self, m: int) -> Floats:
        return np.ones(m)


class Recall(RecallLevelMetric):
    r"""Share of the relevant items among the first k; without a cutoff, among all retrieved.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = 1/m

    Divided by m, never by min(k, m).

    Examples
    --------
    >>> import tiebreak as tb
    >>> Recall(cutoff=4).evaluate(tb.positions([[2, 5, None]])).round(4).ravel().tolist()
    [0.3333]
    """

    name: ClassVar[str] = "R"
    has_strict_exposure: ClassVar[bool] = False

    def exposure(self, k: Floats, m: int) -> Floats:
        return np.ones_like(k)

    def normalisation(self, m: int) -> Floats:
        return np.full(m, 1.0 / m)


class RPrecision(RecallLevelMetric):
    r"""Precision at position m, the number of relevant items.

    .. math:: e(j) = \mathbb{I}(j \le m), \qquad z(i, m) = 1/m

    Examples
    --------
    >>> import tiebreak as tb
    >>> RPrecision().evaluate(tb.positions([[2, 5]])).ravel().tolist()
    [0.5]
    """

    name: ClassVar[str] = "RP"
    traits: ClassVar[Traits] = Traits(cutoff="no")
    has_strict_exposure: ClassVar[bool] = False

    def exposure(self, k: Floats, m: int) -> Floats:
        return (k <= m).astype(np.float64)

    def normalisation(self, m: int) -> Floats:
        return np.full(m, 1.0 / m)


class Precision(RecallLevelMetric):
    r"""Share of relevant items among the first k positions, retrieved or not.

    .. math:: e(j) = \mathbb{I}(j \le k) / k, \qquad z(i, m) = 1

    Examples
    --------
    >>> import tiebreak as tb
    >>> Precision(cutoff=10).evaluate(tb.positions([[2, 5, 11]])).ravel().tolist()
    [0.2]
    """

    name: ClassVar[str] = "P"
    traits: ClassVar[Traits] = Traits(cutoff="must")
    has_strict_exposure: ClassVar[bool] = False

    def exposure(self, k: Floats, m: int) -> Floats:
        assert self.cutoff is not None
        return np.full_like(k, 1.0 / self.cutoff)

    def normalisation(self, m: int) -> Floats:
        return np.ones(m)


class Success(RecallLevelMetric):
    r"""Whether any relevant item is among the first k.

    .. math:: e(j) = \mathbb{I}(j \le k), \qquad z(i, m) = \mathbb{I}(i = 1)

    Examples
    --------
    >>> import tiebreak as tb
    >>> Success(cutoff=10).evaluate(tb.positions([[2, 5], [11, 12]])).ravel().tolist()
    [1.0, 0.0]
    """

    name: ClassVar[str] = "Success"
    traits: ClassVar[Traits] = Traits(cutoff="must")
    has_strict_exposure: ClassVar[bool] = False

    def exposure(self, k: Floats, m: int) -> Floats:
        return np.ones_like(k)

    def normalisation(self, m: int) -> Floats:
        return only(1, m)


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
    >>> import tiebreak as tb
    >>> NormalisedCumulativePrecision(weights="inverse").evaluate(tb.positions([[2, None]])).round(4).tolist()
    [[0.3333]]
    """

    weights: Weights = "uniform"
    name: ClassVar[str] = "NCP"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", checked_weights(self.weights))

    def exposure(self, k: Floats, m: int) -> Floats:
        return 1.0 / k

    def normalisation(self, m: int) -> Floats:
        return np.arange(1, m + 1) * recall_weights(m, self.weights)


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
    >>> import tiebreak as tb
    >>> LinearExposure(n=10).evaluate(tb.positions([[1, 5]])).ravel().tolist()
    [0.7]
    """

    n: int = 0
    name: ClassVar[str] = "linear"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise InputError("linear needs the number of items in the corpus, such as linear(n=1000000).", kind="spec")

    def exposure(self, k: Floats, m: int) -> Floats:
        if k.size and k[-1] > self.n:
            raise InputError(
                f"{self}: an item stands at position {k[-1]:.0f} of a corpus of {self.n}. Give its true size.",
                kind="corpus_size",
            )
        return 1.0 - k / self.n

    def normalisation(self, m: int) -> Floats:
        return np.full(m, 1.0 / m)


RECIPROCAL = AveragePrecision()
"""Whose exposure, 1/k, is that of total search efficiency unless another is asked for."""


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
    >>> import tiebreak as tb
    >>> TotalSearchEfficiency().evaluate(tb.positions([[2, 5], [4, None]])).ravel().tolist()
    [0.2, 0.0]
    """

    base: Metric = RECIPROCAL
    name: ClassVar[str] = "TSE"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        if recall_level_form(self.base).rel is not None:
            raise InputError(f"{self.base} says what is relevant. Write TSE({self.base.name}, rel=...).", kind="spec")

    def exposure(self, k: Floats, m: int) -> Floats:
        return recall_level_form(self.base).exposure_to_cutoff(k, m)

    def normalisation(self, m: int) -> Floats:
        return only(m, m)


def recall_level_form(metric: object) -> RecallLevelMetric:
    """A metric as a sum over recall levels: graded nDCG has a binary form, others are one or are refused."""
    form = metric.binary_form() if isinstance(metric, HasBinaryForm) else metric
    if not isinstance(form, RecallLevelMetric):
        raise InputError(f"{metric} is not a sum over recall levels, such as AP, RR, nDCG or RBP.", kind="spec")
    return form


@runtime_checkable
class HasBinaryForm(Protocol):
    """A graded metric that is a recall-level metric where relevance is binary."""

    def binary_form(self) -> RecallLevelMetric: ...
