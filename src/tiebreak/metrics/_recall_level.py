r"""The recall-level form (LR eq 1), of which most metrics are one exposure and one normalisation.

.. math:: \mu(p) = \sum_{i=1}^{m} e(p_i) \, z(i, m)

:math:`e(k)` is the exposure of position k, 0 for unretrieved items; :math:`z(i, m)` weighs the recall levels. Exposures
and weights are written once, for floats, double-double numbers and exact fractions (`tiebreak.exact`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, like
from tiebreak.exact.arithmetic import DOUBLES, FLOATS, FRACTIONS, counting, fractions, ones
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.metrics.base import LevelMetric, Metric, last_position
from tiebreak.projection.levels import Levels, deepest_rank
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks


class RecallLevelMetric(LevelMetric):
    """A sum over recall levels of exposure times normalisation, z(i, m) = weight(i, m) / divisor(m)."""

    has_strict_exposure: ClassVar[bool] = True
    """Whether the exposure strictly decreases."""

    def is_strict_at(self, positions: Iterable[int]) -> bool:
        """Whether the exposure strictly decreases over these increasing positions."""
        return self.has_strict_exposure

    @property
    def is_rational(self) -> bool:
        """Whether no logarithm enters."""
        return True

    @property
    def depends_on_size(self) -> bool:
        """Whether the exposure of a position depends on m."""
        return False

    def exposure(self, k: Any, m: int) -> Any:
        """e(k) of positions k = 1, 2, ..., for requests with m relevant items, in the arithmetic of k."""
        raise NotImplementedError

    def weight(self, i: Any, m: int) -> Any:
        """The weight of recall levels i = 1, ..., m before it is divided, in the arithmetic of i; by default 1."""
        return ones(m, i)

    def divisor(self, i: Any, m: int) -> Any:
        """What the weights of levels are divided by, in the arithmetic of i; by default 1."""
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
        counts = (k.high if isinstance(k, Doubles) else k) <= self.cutoff
        return e.where(counts) if isinstance(e, Doubles) else np.where(counts, e, like(0, k))

    def level_differences(self, x: Ranks, y: Ranks) -> Floats:
        """What every recall level adds to the difference, z(i, m) (e(x_i) - e(y_i)): floats [request, m]."""
        m, last = x.shape[-1], max(deepest_rank(x), deepest_rank(y)) + 1
        e = self.exposure_to_cutoff(counting(last, DOUBLES), m)
        e = e.where(np.arange(1, last + 1) < last)  # nothing beyond the deepest
        i = counting(m, DOUBLES)
        z = self.weight(i, m) / self.divisor(i, m)
        weights, divisor = exact_weights(self, m)

        def exactly(request: int, levels: Places) -> list[Fraction]:
            ours, theirs = ([exact_exposure(self, k, m) for k in p[request, levels].tolist()] for p in (x, y))
            return [(a - b) * weights[i] / divisor for a, b, i in zip(ours, theirs, levels.tolist(), strict=True)]

        ours, theirs = (e.take(p - 1) for p in (x, y))
        error = (np.abs(ours.high) + np.abs(theirs.high)) * np.abs(z.high) * ROUNDING_ERROR
        is_zero = (ours.high == theirs.high) & (ours.low == theirs.low)
        return ExactValues.from_doubles((ours - theirs) * z, error, exactly, is_zero, is_signed=True).nearest

    def level_values(self, levels: Levels) -> ExactValues:
        return level_sums(self, levels)

    def score(self, p: Ranks) -> Floats:
        return self.level_values(Levels.from_vectors(p)).nearest

    def exact(self, p: Sequence[int]) -> Fraction:
        """The exact value of increasing positions; to 96 digits where logarithms enter."""
        weights, divisor = exact_weights(self, len(p))
        terms = [
            (exact_exposure(self, k, len(p)), w) for k, w in zip(p, weights, strict=True) if k != UNRETRIEVED and w
        ]
        common = lcm(*(e.denominator for e, _ in terms))
        return Fraction(sum(w * (e.numerator * (common // e.denominator)) for e, w in terms), common) / divisor


@lru_cache(1024)
def exact_weights(metric: RecallLevelMetric, m: int) -> tuple[list[Fraction], Fraction]:
    """The exact weights of recall levels, and what they are divided by."""
    i = counting(m, FRACTIONS)
    return metric.weight(i, m).tolist(), metric.divisor(i, m)


def exact_exposure(metric: RecallLevelMetric, k: int, m: int) -> Fraction:
    """The exact exposure of a position in requests with m relevant items; 0 where nothing is retrieved."""
    return Fraction(0) if k == UNRETRIEVED else _exact_exposure(metric, k, m if metric.depends_on_size else 0)


@lru_cache(1 << 16)
def _exact_exposure(metric: RecallLevelMetric, k: int, m: int) -> Fraction:
    e: Fraction = metric.exposure_to_cutoff(fractions([k]), m)[0]
    return e


def recall_level_form(metric: object) -> RecallLevelMetric:
    """A metric as a sum over recall levels; graded nDCG has a binary form, others are one, or an error."""
    form = metric.binary_form() if isinstance(metric, Metric) else metric
    if not isinstance(form, RecallLevelMetric):
        raise InputError(f"{metric} is not a sum over recall levels, such as AP, RR, nDCG or RBP.", kind="spec")
    return form


DENSE = 1 << 14
"""Up to this position exposures are computed for all positions; in deeper rankings for those that occur."""
LARGEST_WEIGHT = 1 << 40


def level_sums(metric: RecallLevelMetric, levels: Levels) -> ExactValues:
    """The sums [run, request] of a metric over recall levels, to many more digits than a float has."""
    shape = len(levels.runs), len(levels.requests)
    parts: list[Floats] = [np.zeros(shape)]
    error, is_zero = np.zeros(shape[1]), np.ones(shape, dtype=bool)
    divisor = Doubles.full(shape[1], np.nan)
    weights = {bucket.m: metric.weight(counting(bucket.m, DOUBLES), bucket.m) for bucket in levels.buckets()}
    tables = exposure_tables(metric, levels, weights)
    for bucket in levels.buckets():
        by = metric.divisor(counting(bucket.m, DOUBLES), bucket.m)
        divisor[bucket.requests] = by
        w, table = weights[bucket.m], tables[bucket.m]
        used = np.flatnonzero(w.high)
        if not len(used):
            continue
        span = slice(int(used[0]), int(used[-1]) + 1)
        is_zero[:, bucket.requests] = bucket.p[..., span.start] > last_position(metric.cutoff)
        error[bucket.requests] = table.error * float(w.high.sum()) / by.high
        for block in bucket.blocks():
            for k, part in enumerate(table.sums(bucket.p[:, block, span], w[span])):
                if k == len(parts):
                    parts.append(np.zeros(shape))
                parts[k][:, bucket.requests[block]] = part

    def exactly(run: int, requests: Places) -> list[Fraction]:
        vectors = [tuple(p) for p in levels.vectors(run, requests)]
        known = {p: metric.exact(p) for p in dict.fromkeys(vectors)}
        return [known[p] for p in vectors]

    return ExactValues.from_doubles(
        sum_slices(parts) / divisor,
        error,
        exactly,
        is_zero,
        is_rational=metric.is_rational,
        labels=lambda: levels.labels(metric.cutoff),
    )


def exposure_tables(metric: RecallLevelMetric, levels: Levels, weights: dict[int, Doubles]) -> dict[int, SlicedTable]:
    """Exposures for every number m of relevant items; one table for all where they do not depend on m."""
    is_sliced = all(map(is_whole, weights.values()))
    heaviest = max((float(w.high.sum()) for w in weights.values()), default=0.0) if is_sliced else None
    positions = occurring_positions(levels)
    tables: dict[int, SlicedTable] = {}
    for m in weights:
        if tables and not metric.depends_on_size:
            tables[m] = next(iter(tables.values()))
            continue
        table = Doubles.full(int(positions.max(initial=0)) + 2, 0.0)
        table[positions] = metric.exposure_to_cutoff(Doubles(positions.astype(np.float64)), m)
        tables[m] = SlicedTable.from_table(table, heaviest)
    return tables


def is_whole(weights: Doubles) -> bool:
    """Whether weights are whole numbers of which sums are exact."""
    return not weights.low.any() and not (weights.high % 1).any() and float(weights.high.sum()) < LARGEST_WEIGHT


def occurring_positions(levels: Levels) -> Places:
    """The positions that occur, and in rankings that are not deep all up to the deepest."""
    if levels.deepest <= DENSE:
        return np.arange(1, levels.deepest + 1)
    occurs = np.zeros(levels.deepest + 2, dtype=bool)
    for bucket in levels.buckets():
        for block in bucket.blocks():
            occurs[np.minimum(bucket.p[:, block], levels.deepest + 1)] = True
    return np.flatnonzero(occurs[:-1])
