"""nDCG averaged over positions that depend on judgements: those of relevant items, and the numbers of each grade."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, dcg_discount
from tiebreak.exact.arithmetic import DOUBLES, counting
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.logarithms import BITS, dcg_discount_units
from tiebreak.metrics.base import Traits
from tiebreak.metrics.gains import GainMetric
from tiebreak.metrics.graded_entries import GradedBlock, GradedEntries
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_rank
from tiebreak.projection.primitives import UNRETRIEVED

SMALLEST = Fraction(1, 10**100)
"""The smallest grade as a share of the largest, so that sums are far from what floats cannot hold."""


class PointsMetric(GainMetric):
    """The mean of nDCG, each with the ideal ranking truncated at the same position, over some positions."""

    traits: ClassVar[Traits] = Traits(cutoff="no", uses_grades=True)

    def block_values(self, block: GradedBlock, curve: Curve, retrieved: Places) -> Doubles:
        """Values [run, request]."""
        raise NotImplementedError

    def points(self, ranks: list[int], gains: list[int], retrieved: int) -> list[int]:
        """The positions, for one ranking: ranks of items in increasing order, gains of all in decreasing order."""
        raise NotImplementedError

    def labels(self, entries: GradedEntries, retrieved: Places) -> Places:
        """Whole numbers [run, request], the same where values are."""
        return entries.labels(None)

    def gain_values(self, positions: Positions) -> ExactValues:
        entries = GradedEntries(positions, None)
        grades = entries.exact(lambda grade: grade)
        largest = max(grades, default=Fraction(1))
        grades = [grade / largest for grade in grades]
        if min(grades, default=Fraction(1)) < SMALLEST:
            raise InputError(f"{self}: grades differ by too much. Give numbers of one scale.", kind="grade")
        total, retrieved = Doubles.full(entries.shape, np.nan), positions.retrieved.astype(np.int64)
        deepest = max(deepest_rank(entries.kept.ranks), int(entries.sizes.max(initial=0)))
        curve = Curve(Doubles.from_exact(np.array([*grades, Fraction(0)], dtype=object)), deepest)
        for block in entries.blocks():
            total[:, block.requests] = self.block_values(block, curve, retrieved[:, block.requests])

        common = lcm(*(grade.denominator for grade in grades))
        whole = [int(grade * common) for grade in grades]

        def exact(run: int, request: int) -> Fraction:
            items = [(k, whole[code]) for k, code in entries.cell(run, request)]
            ideal = sorted((gain for _, gain in items), reverse=True)
            points = self.points([k for k, _ in items], ideal, int(retrieved[run, request]))
            return exact_mean(points, items, ideal)

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [exact(run, request) for request in requests.tolist()]

        return ExactValues.from_doubles(
            total,
            ROUNDING_ERROR * 4 * np.nan_to_num(total.high),
            exactly,
            entries.is_zero(None),
            is_rational=False,
            labels=lambda: self.labels(entries, retrieved),
        )


class Curve:
    """DCG of rankings, and of the ideal, as functions of the position."""

    def __init__(self, gains: Doubles, deepest: int) -> None:
        discount = dcg_discount(counting(deepest, DOUBLES))
        self.gains = gains
        self.discount = Doubles(*(np.concatenate([part, [0.0]]) for part in (discount.high, discount.low)))

    def terms(self, block: GradedBlock) -> Doubles:
        """What every item adds to DCG: [run, request, m]."""
        return self.discount.take(block.ranks - 1) * self.gains[block.grade]

    def ideal(self, block: GradedBlock) -> Doubles:
        """DCG of the first k items of the ideal ranking: [request, k] from k = 1 on."""
        m = block.grade.shape[-1]
        terms = self.gains[-np.sort(-block.grade, axis=-1)] * self.discount[:m]
        return cumulative_sums(terms)


def cumulative_sums(terms: Doubles) -> Doubles:
    """Sums of the first numbers along the last axis."""
    sums = Doubles.full(terms.shape, 0.0)
    total = Doubles(np.zeros(terms.shape[:-1]))
    for k in range(terms.shape[-1]):
        total = total + terms[..., k]
        sums[..., k] = total
    return sums


def exact_mean(points: list[int], items: list[tuple[int, int]], ideal: list[int]) -> Fraction:
    """The mean of nDCG at some positions, to 96 digits, of items (rank, gain) and the gains of the ideal ranking."""
    total = 0
    for point in points:
        dcg = sum(gain * dcg_discount_units(k) for k, gain in items if k <= point and k != UNRETRIEVED)
        best = sum(gain * dcg_discount_units(k) for k, gain in enumerate(ideal[:point], start=1))
        total += (dcg << BITS) // best
    return Fraction(total, len(points) << BITS)


class NDCGAtRelevantItems(PointsMetric):
    r"""Mean of nDCG at the position of each relevant item, as ``ndcg_rel`` of trec_eval.

    .. math:: \frac{1}{m} \sum_{i=1}^{m} \mathrm{nDCG}@p_i

    of all items with a grade above 0; for those that are not retrieved, nDCG of the whole ranking.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "y": 1.0}})
    >>> NDCGAtRelevantItems().evaluate(p).round(4).tolist()      # (1 + 1 / (1 + 1/log2(3))) / 2
    [[0.8066]]
    """

    name: ClassVar[str] = "nDCG_rel"

    def points(self, ranks: list[int], gains: list[int], retrieved: int) -> list[int]:
        return ranks

    def block_values(self, block: GradedBlock, curve: Curve, retrieved: Places) -> Doubles:
        order = np.argsort(block.ranks, axis=-1, kind="stable")
        ranks = np.take_along_axis(block.ranks, order, axis=-1)
        terms = curve.terms(block)
        in_order = Doubles(*(np.take_along_axis(part, order, axis=-1) for part in (terms.high, terms.low)))
        m = ranks.shape[-1]
        ideal, last = curve.ideal(block), np.minimum(ranks, m) - 1
        best = Doubles(
            *(np.take_along_axis(np.broadcast_to(part, ranks.shape), last, axis=-1) for part in (ideal.high, ideal.low))
        )
        return (cumulative_sums(in_order) / best).sum() / Doubles(float(m))


class NDCGAtGradeCounts(PointsMetric):
    r"""Mean of nDCG at the numbers of items with the largest grade, the two largest grades, ..., as in trec_eval.

    With 5 items of grade 3 and 10 of grade 1 these are the positions 5 and 15: R-precision for grades, ``Rndcg``. As
    in trec_eval, nDCG of the whole ranking is one more point if at least two items follow after the last of them.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"x": 3.0, "a": 2.0}})
    >>> NDCGAtGradeCounts().evaluate(p).round(4).tolist()      # (0 + (2/log2(3)) / (2 + 1/log2(3))) / 2
    [[0.2398]]
    """

    name: ClassVar[str] = "RnDCG"

    def labels(self, entries: GradedEntries, retrieved: Places) -> Places:
        return 2 * entries.labels(None) + (retrieved > entries.sizes + 1)

    def points(self, ranks: list[int], gains: list[int], retrieved: int) -> list[int]:
        numbers = [k for k, gain in enumerate(gains, start=1) if k == len(gains) or gains[k] < gain]
        return [*numbers, *([retrieved] if retrieved > len(gains) + 1 else [])]

    def block_values(self, block: GradedBlock, curve: Curve, retrieved: Places) -> Doubles:
        terms, ideal = curve.terms(block), curve.ideal(block)
        m = block.grade.shape[-1]
        total, n_points = Doubles(np.zeros(block.ranks.shape[:2])), np.zeros(block.ranks.shape[:2])
        for depth, is_point in self.depths(block, retrieved):
            dcg = terms.where(block.ranks <= depth[..., None]).sum()
            last = np.minimum(depth, m) - 1
            best = Doubles(*(np.take_along_axis(part, last.T, axis=-1).T for part in (ideal.high, ideal.low)))
            total = total + (dcg / best).where(is_point)
            n_points += is_point
        return total / Doubles(n_points)

    def depths(self, block: GradedBlock, retrieved: Places) -> Iterator[tuple[Places, NDArray[np.bool_]]]:
        """Positions [run, request], and where they count."""
        m, shape = block.grade.shape[-1], retrieved.shape
        for code in np.unique(block.grade).tolist():
            depth = np.count_nonzero(block.grade >= code, axis=-1)
            is_point = (block.grade == code).any(axis=-1)
            yield np.broadcast_to(np.maximum(depth, 1), shape), np.broadcast_to(is_point, shape)
        yield np.maximum(retrieved, 1), retrieved > m + 1
