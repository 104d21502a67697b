r"""Recall-level metrics (LR eq 1): one form, an exposure and a normalisation each.

.. math:: \mu(p) = \sum_{i=1}^{m} e(p_i) \, z(i, m)

:math:`e(k)` is the exposure of position k, 0 for unretrieved items; :math:`z(i, m)` weighs the recall levels. Exposures
and weights are written once, for floats, double-double numbers and exact fractions alike (`tiebreak.exact`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import lcm
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, like, log2
from tiebreak.exact.arithmetic import (
    DOUBLES,
    FLOATS,
    FRACTIONS,
    counting,
    doubles_from_units,
    fractions,
    power,
    whole_numbers,
)
from tiebreak.exact.logarithms import BITS, log2_units
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.exact.values import Places
from tiebreak.metrics.base import LevelMetric, Metric, Traits, check_number
from tiebreak.metrics.weights import Weights, check_weights, is_rational, level_weights
from tiebreak.projection.levels import Levels, deepest_rank
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks


class RecallLevelMetric(LevelMetric):
    """A sum over recall levels of exposure times normalisation, z(i, m) = weight(i, m) / divisor(m).

    Where the exposure strictly decreases (`has_strict_exposure`) and the metric is top-heavy, its worst case over users
    and over providers is total search efficiency, e(p_m); `tiebreak.theory.worst_case_is_tse` decides.
    """

    has_strict_exposure: ClassVar[bool] = True
    depends_on_size: ClassVar[bool] = False
    """Whether the exposure of a position depends on m."""

    @property
    def is_rational(self) -> bool:
        """Whether no logarithm enters."""
        return True

    def exposure(self, k: Any, m: int) -> Any:
        """e(k) of positions k = 1, 2, ..., for requests with m relevant items, in the arithmetic of k."""
        raise NotImplementedError

    def weight(self, i: Any, m: int) -> Any:
        """The weight of recall levels i = 1, ..., m before it is divided, in the arithmetic of i."""
        raise NotImplementedError

    def divisor(self, i: Any, m: int) -> Any:
        """What the weights of levels are divided by, in the arithmetic of i; by default nothing."""
        return like(1, i)

    def normalisation(self, m: int) -> Floats:
        """z(i, m) for i = 1, ..., m."""
        i = counting(m, FLOATS)
        z: Floats = self.weight(i, m) / self.divisor(i, m)
        return z

    def exposure_to_cutoff(self, k: Any, m: int) -> Any:
        e = self.exposure(k, m)
        if self.cutoff is None:
            return e
        shown = (k.high if isinstance(k, Doubles) else k) <= self.cutoff
        return e.where(shown) if isinstance(e, Doubles) else np.where(shown, e, like(0, k))

    def level_differences(self, x: Ranks, y: Ranks) -> Floats:
        """What every recall level adds to the difference, z(i, m) (e(x_i) - e(y_i)): floats [request, m]."""
        m, last = x.shape[-1], max(deepest_rank(x), deepest_rank(y)) + 1
        e = self.exposure_to_cutoff(counting(last, DOUBLES), m)
        e = e.where(np.arange(1, last + 1) < last)  # nothing beyond the deepest
        i = counting(m, DOUBLES)
        z = self.weight(i, m) / self.divisor(i, m)
        weights, divisor = exact_weights(self, m)
        size = m if self.depends_on_size else 0

        def exactly(request: int, levels: Places) -> list[Fraction]:
            ours, theirs = ([exact_exposure(self, k, size) for k in p[request, levels].tolist()] for p in (x, y))
            return [(a - b) * weights[i] / divisor for a, b, i in zip(ours, theirs, levels.tolist(), strict=True)]

        ours, theirs = (e.take(p - 1) for p in (x, y))
        error = (np.abs(ours.high) + np.abs(theirs.high)) * np.abs(z.high) * 2.0**-98
        is_zero = (ours.high == theirs.high) & (ours.low == theirs.low)
        return ExactValues.from_doubles((ours - theirs) * z, error, exactly, is_zero, is_signed=True).nearest

    def of_levels(self, levels: Levels) -> ExactValues:
        return LevelSums(self, levels).values()

    def score(self, p: Ranks) -> Floats:
        return self.of_levels(Levels.from_vectors(p)).nearest

    def exact(self, p: Sequence[int]) -> Fraction:
        """The exact value of increasing positions; to 96 digits where logarithms enter."""
        m = len(p)
        weights, divisor = exact_weights(self, m)
        shown = [(k, w) for k, w in zip(p, weights, strict=True) if k != UNRETRIEVED and w]
        e = [exact_exposure(self, k, m if self.depends_on_size else 0) for k, _ in shown]
        common = lcm(*(number.denominator for number in e))
        total = sum(w * (x.numerator * (common // x.denominator)) for x, (_, w) in zip(e, shown, strict=True))
        return Fraction(total, common) / divisor


@lru_cache(1024)
def exact_weights(metric: RecallLevelMetric, m: int) -> tuple[list[Fraction], Fraction]:
    """The exact weights of recall levels, and what they are divided by."""
    i = counting(m, FRACTIONS)
    return metric.weight(i, m).tolist(), metric.divisor(i, m)


@lru_cache(1 << 16)
def exact_exposure(metric: RecallLevelMetric, k: int, m: int) -> Fraction:
    """The exact exposure of a position; 0 where nothing is retrieved."""
    if k == UNRETRIEVED:
        return Fraction(0)
    e: Fraction = metric.exposure_to_cutoff(fractions([k]), m)[0]
    return e


DENSE = 1 << 14
"""Up to this position exposures are worked out for all positions; in deeper rankings for those that occur."""
LARGEST_WEIGHT = 1 << 40


class LevelSums:
    """The sums of one metric over the recall levels of all requests, to many more digits than a float has."""

    def __init__(self, metric: RecallLevelMetric, levels: Levels) -> None:
        self.metric, self.levels = metric, levels
        self.positions = occurring(levels)
        self.weights = {b.m: metric.weight(counting(b.m, DOUBLES), b.m) for b in levels.buckets()}
        self.heaviest = max((float(weights.high.sum()) for weights in self.weights.values()), default=0.0)
        self.is_whole = all(is_whole(weights) for weights in self.weights.values())
        self.tables: dict[int, tuple[Doubles, SlicedTable | None]] = {}

    def values(self) -> ExactValues:
        """The values [run, request]."""
        levels, metric = self.levels, self.metric
        shape = len(levels.runs), len(levels.requests)
        parts: list[Floats] = [np.zeros(shape)]
        error, is_zero = np.zeros(shape[1]), np.ones(shape, dtype=bool)
        divisor = Doubles(np.full(shape[1], np.nan), np.zeros(shape[1]))
        for bucket in levels.buckets():
            by = metric.divisor(counting(bucket.m, DOUBLES), bucket.m)
            divisor.high[bucket.requests], divisor.low[bucket.requests] = by.high, by.low
            used = np.flatnonzero(self.weights[bucket.m].high)
            if not len(used):
                continue
            span = slice(int(used[0]), int(used[-1]) + 1)
            is_zero[:, bucket.requests] = ~self.is_shown(bucket.p[..., span.start])
            error[bucket.requests] = self.error(bucket.m) / by.high
            for block in bucket.blocks():
                for k, part in enumerate(self.sums(bucket.p[:, block, span], bucket.m, span)):
                    if k == len(parts):
                        parts.append(np.zeros(shape))
                    parts[k][:, bucket.requests[block]] = part
        return ExactValues.from_doubles(
            sum_slices(parts) / divisor,
            error,
            self.exactly,
            is_zero,
            is_rational=metric.is_rational,
            labels=lambda: levels.labels(metric.cutoff),
        )

    def is_shown(self, p: Ranks) -> NDArray[np.bool_]:
        return p <= (UNRETRIEVED - 1 if self.metric.cutoff is None else self.metric.cutoff)

    def sums(self, p: Ranks, m: int, span: slice) -> Iterable[Floats]:
        """Parts, the largest first, of the sum over some levels of weight times exposure."""
        table, sliced = self.table(m)
        weights = self.weights[m][span]
        if sliced is not None:
            return sliced.sums(p, None if (weights.high == 1).all() else weights.high)
        summed = (table.take(p) * weights).sum()
        return summed.high, summed.low

    def error(self, m: int) -> float:
        """How far the sum of parts may be from the sum that is meant, beside rounding in its last digits."""
        _, sliced = self.table(m)
        return 0.0 if sliced is None else sliced.error * float(self.weights[m].high.sum())

    def table(self, m: int) -> tuple[Doubles, SlicedTable | None]:
        """Exposures for look-up by position; cut, where weights are whole, so that their weighted sums are exact."""
        key = m if self.metric.depends_on_size else 0
        if key not in self.tables:
            e = self.metric.exposure_to_cutoff(Doubles(self.positions.astype(np.float64)), m)
            size = int(self.positions.max(initial=0)) + 2
            table = Doubles(np.zeros(size), np.zeros(size))
            table.high[self.positions], table.low[self.positions] = e.high, e.low
            self.tables[key] = table, SlicedTable.from_table(table, self.heaviest) if self.is_whole else None
        return self.tables[key]

    def exactly(self, run: int, requests: Places) -> list[Fraction]:
        """The exact values of some requests in a run."""
        known: dict[tuple[int, ...], Fraction] = {}
        vectors = [tuple(p) for p in self.levels.vectors(run, requests)]
        for p in vectors:
            if p not in known:
                known[p] = self.metric.exact(p)
        return [known[p] for p in vectors]


def is_whole(weights: Doubles) -> bool:
    """Whether weights are whole numbers of which sums are exact."""
    return not weights.low.any() and not (weights.high % 1).any() and float(weights.high.sum()) < LARGEST_WEIGHT


def occurring(levels: Levels) -> Places:
    """The positions that occur, and in rankings that are not deep all up to the deepest."""
    if levels.deepest <= DENSE:
        return np.arange(1, levels.deepest + 1)
    is_there = np.zeros(levels.deepest + 2, dtype=bool)
    for bucket in levels.buckets():
        for block in bucket.blocks():
            is_there[np.minimum(bucket.p[:, block], levels.deepest + 1)] = True
    return np.flatnonzero(is_there[:-1])


class CountMetric(RecallLevelMetric):
    """A number of relevant items among the first, over another whole number: one rounding."""

    has_strict_exposure: ClassVar[bool] = False

    def last(self, m: int) -> int:
        """The position down to which items count."""
        return UNRETRIEVED - 1 if self.cutoff is None else self.cutoff

    def numerator(self, counted: NDArray[np.int64]) -> NDArray[np.int64]:
        return counted

    def denominator(self, m: int) -> int:
        return m

    def of_levels(self, levels: Levels) -> ExactValues:
        counted = np.zeros((len(levels.runs), len(levels.requests)), dtype=np.int64)
        below = np.zeros(len(levels.requests), dtype=np.int64)
        for bucket in levels.buckets():
            below[bucket.requests] = self.denominator(bucket.m)
            for block in bucket.blocks():
                shown = bucket.p[:, block] <= self.last(bucket.m)
                counted[:, bucket.requests[block]] = np.count_nonzero(shown, axis=-1)
        return ExactValues.quotients(self.numerator(counted), below)


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

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / k

    def weight(self, i: Any, m: int) -> Any:
        return i

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


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

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / k

    def weight(self, i: Any, m: int) -> Any:
        return only(self.level, m, i)

    def of_levels(self, levels: Levels) -> ExactValues:
        return inverse_positions(levels, self.level - 1, self.cutoff)


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

    @property
    def is_rational(self) -> bool:
        return False

    def exposure(self, k: Any, m: int) -> Any:
        return 1 / log2(k + 1)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        if isinstance(i, Doubles):
            return ideal_gain(m if self.cutoff is None else min(m, self.cutoff))
        return self.exposure(i[: self.cutoff], m).sum()


@cache
def ideal_gain(m: int) -> Doubles:
    """The sum of the exposures of the first m positions."""
    return doubles_from_units([sum(map(inverse_log2_units, range(2, m + 2)))], ())


@cache
def inverse_log2_units(n: int) -> int:
    """One over the logarithm of n to base 2, in units of 2^-BITS."""
    return (1 << 2 * BITS) // log2_units(n)


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

    def exposure(self, k: Any, m: int) -> Any:
        p = like(self.p, k)
        return (1 - p) * power(p, k - 1)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)


class Recall(CountMetric):
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

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


class RPrecision(CountMetric):
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
    depends_on_size: ClassVar[bool] = True

    def exposure(self, k: Any, m: int) -> Any:
        return whole_numbers((k.high if isinstance(k, Doubles) else k) <= m, k)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)

    def last(self, m: int) -> int:
        return m


class Precision(CountMetric):
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

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k) / like(int(self.cutoff or 1), k)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def denominator(self, m: int) -> int:
        return int(self.cutoff or 1)


class Success(CountMetric):
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

    def exposure(self, k: Any, m: int) -> Any:
        return ones(len(k), k)

    def weight(self, i: Any, m: int) -> Any:
        return only(1, m, i)

    def numerator(self, counted: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(counted, 1)

    def denominator(self, m: int) -> int:
        return 1


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

    def exposure(self, k: Any, m: int) -> Any:
        last = float((k.high if isinstance(k, Doubles) else k)[-1]) if len(k) else 0.0
        if last > self.n:
            raise InputError(
                f"{self}: an item stands at position {last:.0f} of a corpus of {self.n}. Give its true size.",
                kind="corpus_size",
            )
        return 1 - k / like(self.n, k)

    def weight(self, i: Any, m: int) -> Any:
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


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

    @property
    def form(self) -> RecallLevelMetric:
        return recall_level_form(self.base)

    @property
    def is_rational(self) -> bool:
        return self.form.is_rational

    def exposure(self, k: Any, m: int) -> Any:
        return self.form.exposure_to_cutoff(k, m)

    def weight(self, i: Any, m: int) -> Any:
        return only(m, m, i)

    def of_levels(self, levels: Levels) -> ExactValues:
        if isinstance(self.form, (AveragePrecision, ReciprocalRank)):
            return inverse_positions(levels, -1, self.form.cutoff)
        return super().of_levels(levels)


def ones(m: int, x: Any) -> Any:
    """M times 1 in the arithmetic of x."""
    return whole_numbers(np.ones(m, dtype=np.int64), x)


def only(level: int, m: int, x: Any) -> Any:
    """All weight on one recall level, on none where there are fewer, in the arithmetic of x."""
    return whole_numbers(np.arange(1, m + 1) == level, x)


def inverse_positions(levels: Levels, level: int, cutoff: int | None) -> ExactValues:
    """1 / p at a recall level, by its place; 0 beyond the cutoff and where there is no such level."""
    last = np.ones((len(levels.runs), len(levels.requests)), dtype=np.int64)
    shown = np.zeros(last.shape, dtype=np.int64)
    for bucket in levels.buckets():
        if level < bucket.m:
            p = bucket.p[..., level]
            is_shown = p <= (UNRETRIEVED - 1 if cutoff is None else cutoff)
            shown[:, bucket.requests], last[:, bucket.requests] = is_shown, np.where(is_shown, p, 1)
    return ExactValues.quotients(shown, np.where(levels.sizes > 0, last, 0))


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
