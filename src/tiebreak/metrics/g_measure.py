"""Buckley's G: gains discounted by how far the ranking has fallen behind the ideal one."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any, ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, dcg_discount, like
from tiebreak.exact.arithmetic import doubles_from_units
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.logarithms import BITS, log2_units
from tiebreak.metrics._recall_level import RecallLevelMetric, level_sums
from tiebreak.metrics.base import LevelMetric, Traits
from tiebreak.metrics.gains import GainMetric
from tiebreak.metrics.graded_entries import GradedBlock, GradedEntries
from tiebreak.projection import Positions
from tiebreak.projection.levels import Bucket, Levels
from tiebreak.projection.primitives import UNRETRIEVED

LARGEST_SUM = 1 << 52
"""Sums of gains below this, in units of their smallest digit, are exact as floats."""


class BinaryG(LevelMetric):
    r"""Mean over relevant items of a discount by the number of other items above each, as in trec_eval.

    .. math:: \mathrm{binG}(p) = \frac{1}{m} \sum_{i=1}^{m} \frac{1}{\log_2 (2 + p_i - i)}

    As in nDCG the discount is a logarithm, and as in AP only items that are not relevant cost anything.

    Examples
    --------
    >>> BinaryG().evaluate(tb.positions([[1, 4]])).ravel().tolist()      # (1 + 1 / log2(4)) / 2
    [0.75]
    """

    name: ClassVar[str] = "binG"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def level_values(self, levels: Levels) -> ExactValues:
        return level_sums(MeanDiscount(), levels.move(positions_without_relevant))


class MeanDiscount(RecallLevelMetric):
    """The mean discount of DCG."""

    @property
    def is_rational(self) -> bool:
        return False

    def exposure(self, k: Any, m: int) -> Any:
        return dcg_discount(k)

    def divisor(self, i: Any, m: int) -> Any:
        return like(m, i)


def positions_without_relevant(bucket: Bucket) -> Any:
    """The position of each relevant item if those above it were not there."""
    return np.where(bucket.p == UNRETRIEVED, UNRETRIEVED, bucket.p - np.arange(bucket.m))


class G(GainMetric):
    r"""Gains, each discounted by how much the gains so far are below the ideal ones, as in trec_eval.

    .. math:: G = \frac{1}{\sum_j g_j} \sum_{i \text{ retrieved}} \frac{g_i}{\log_2 (2 + C(p_i) - S(p_i))}

    where S(k) is the gain of the first k items, and C(k) that of the ideal ranking, in which every position counts at
    least 1. Every grade above 0 counts, regardless of the experiment's ``min_grade``; with ``rel`` those from it on.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> G().evaluate(p).tolist()      # (1 / log2(2 + 3 - 1) + 3 / log2(2 + 4 - 4)) / 4
    [[0.875]]
    """

    name: ClassVar[str] = "G"
    traits: ClassVar[Traits] = Traits(cutoff="no", uses_grades=True)

    def gain_values(self, positions: Positions) -> ExactValues:
        entries = GradedEntries(positions, None)
        grades = entries.exact(lambda grade: grade)
        unit = lcm(*(grade.denominator for grade in grades))
        largest = max(grades, default=Fraction(0)) * int(entries.sizes.max(initial=1))
        if (largest + int(positions.retrieved.max(initial=0)) + 2) * unit >= LARGEST_SUM:
            raise InputError(
                f"{self}: grades are too large, or have too many digits. Give small numbers.", kind="grade"
            )
        gains = np.array([int(grade * unit) for grade in grades] or [0])
        total = Doubles.full(entries.shape, np.nan)
        for block in entries.blocks():
            gain, behind = gains_and_lags(block, gains, unit)
            distinct, which = np.unique(behind, return_inverse=True)
            discounts = [discount_units(number, unit) for number in distinct.tolist()]
            terms = doubles_from_units(discounts, distinct.shape).take(which.reshape(behind.shape))
            total[:, block.requests] = (terms * gain).sum() / Doubles(gains[block.grade].sum(axis=-1).astype(float))

        def exact(items: list[tuple[int, int]]) -> Fraction:
            gain = [int(gains[code]) for _, code in items]
            ideal = sorted(gain, reverse=True)
            cost = [0, *accumulate(max(one, unit) for one in ideal)]
            total = 0
            for (k, _), own, so_far in zip(items, gain, accumulate(gain), strict=True):
                if k != UNRETRIEVED:
                    lag = cost[min(k, len(ideal))] + max(k - len(ideal), 0) * unit - so_far
                    total += own * discount_units(2 * unit + lag, unit)
            return Fraction(total, sum(ideal) << BITS)

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [exact(entries.cell(run, request)) for request in requests.tolist()]

        return ExactValues.from_doubles(
            total,
            ROUNDING_ERROR * np.nan_to_num(total.high),
            exactly,
            entries.is_zero(None),
            is_rational=False,
            labels=lambda: entries.labels(None),
        )


def gains_and_lags(block: GradedBlock, gains: Places, unit: int) -> tuple[Places, Places]:
    """In order of rank, the gain of each item and 2 + C - S at its position, in units: [run, request, m].

    Items that are not retrieved have a gain of 0.
    """
    order = np.argsort(block.ranks, axis=-1, kind="stable")
    ranks = np.take_along_axis(block.ranks, order, axis=-1).astype(np.int64)
    gain = np.take_along_axis(np.broadcast_to(gains[block.grade], ranks.shape), order, axis=-1)
    m = ranks.shape[-1]
    cost = np.cumsum(np.maximum(-np.sort(-gains[block.grade], axis=-1), unit), axis=-1)
    is_retrieved = ranks < UNRETRIEVED
    k = np.where(is_retrieved, ranks, 1)
    ideal = np.take_along_axis(np.broadcast_to(cost, ranks.shape), np.minimum(k, m) - 1, axis=-1)
    ideal = ideal + np.maximum(k - m, 0) * unit
    lag = np.where(is_retrieved, 2 * unit + ideal - np.cumsum(gain, axis=-1), 2 * unit)
    return np.where(is_retrieved, gain, 0), lag


def discount_units(number: int, unit: int) -> int:
    """1 / log2(number / unit) in units of 2^-BITS."""
    return (1 << 2 * BITS) // (log2_units(number) - log2_units(unit))
