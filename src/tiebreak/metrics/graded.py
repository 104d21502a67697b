"""Metrics that see grades: nDCG and expected reciprocal rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues, decimal
from tiebreak.exact.logarithms import power_of_two
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.exact.values import Places
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import Metric, Traits, check_number
from tiebreak.metrics.recall_level import LARGEST_WEIGHT, BinaryNDCG, exact_exposure
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_rank, distinct_vectors
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

LARGEST_EXPONENT = 1000


@dataclass(frozen=True, eq=False)
class GradedBlock:
    """Some requests of one size m: the ranks [run, request, m] of their items, and codes [request, m] of grades."""

    requests: Places
    ranks: Ranks
    grade: NDArray[np.int64]


class GradedEntries:
    """The items of every request that count, each with its rank in every run and a code for its grade."""

    def __init__(self, positions: Positions, rel: float | None) -> None:
        self.kept = positions.keep(is_relevant(positions.grade, rel))
        self.grades, self.code = np.unique(self.kept.grade, return_inverse=True)
        self.shape = len(positions.runs), len(positions.requests)

    def exact(self, worth: Callable[[Fraction], Fraction]) -> list[Fraction]:
        """What an item of each grade is worth."""
        return [worth(decimal(grade)) for grade in self.grades.tolist()]

    @property
    def has_whole_grades(self) -> bool:
        return not (self.grades % 1).any()

    def blocks(self) -> Iterator[GradedBlock]:
        for bucket, (m, _, entries) in zip(self.kept.buckets(), self.kept.layout.blocks(), strict=True):
            code = self.code.ravel()[entries].reshape(-1, m)
            for block in bucket.blocks():
                yield GradedBlock(bucket.requests[block], bucket.p[:, block], code[block])

    def sizes(self) -> Places:
        """The number of items of every request."""
        sizes = np.zeros(self.shape[1], dtype=np.int64)
        sizes[self.kept.request_order] = self.kept.layout.sizes
        return sizes

    def cell(self, run: int, request: int) -> list[tuple[int, int]]:
        """Rank and grade, as a code, of the items of a request in a run, the best rank first."""
        entries = slice(*self.kept.layout.starts[self._stored[request] :][:2])
        return sorted(zip(self.kept.ranks[run, entries].tolist(), self.code.ravel()[entries].tolist(), strict=True))

    @cached_property
    def _stored(self) -> Places:
        stored = np.empty_like(self.kept.request_order)
        stored[self.kept.request_order] = np.arange(len(stored))
        return stored

    def labels(self, cutoff: int | None) -> Places:
        """Whole numbers [run, request], the same where items of the same grades stand at the same ranks to a cutoff."""
        labels = np.full(self.shape, -1, dtype=np.int64)
        begin = 0
        for block in self.blocks():
            ranks = block.ranks if cutoff is None else np.where(block.ranks <= cutoff, block.ranks, UNRETRIEVED)
            keys = np.sort(block.grade * 2**32 + ranks, axis=-1)
            found = distinct_vectors(keys)
            labels[:, block.requests] = begin + found
            begin += int(found.max(initial=-1)) + 1
        return labels


@dataclass(frozen=True)
class NDCG(Metric):
    r"""Normalised discounted cumulative gain, as in trec_eval.

    .. math:: \mathrm{DCG} = \sum_{i} \frac{g(\text{grade}_i)}{\log_2 (p_i + 1)}, \qquad
        \mathrm{nDCG} = \frac{\mathrm{DCG}}{\text{that of the ideal ranking}}

    Every grade above 0 counts, whatever the experiment's ``min_grade`` is.

    Parameters
    ----------
    gain : {"linear", "exp"}
        The grade itself, or 2^grade - 1.
    rel : float, optional
        Only grades from this one on count, in the ideal ranking too.

    Examples
    --------
    >>> import tiebreak as tb
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NDCG().evaluate(p).round(4).tolist()      # (1 + 2/log2(3)) / (2 + 1/log2(3))
    [[0.8597]]
    """

    gain: str = "linear"
    name: ClassVar[str] = "nDCG"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gain not in ("linear", "exp"):
            raise InputError(f"nDCG(gain={self.gain!r}). Give 'linear' or 'exp'.", kind="spec")

    def binary_form(self) -> BinaryNDCG:
        return BinaryNDCG(cutoff=self.cutoff, rel=self.rel)

    def on(self, positions: Positions) -> Metric:
        """The recall-level form where all grades are the same, so that gains cancel."""
        grade = positions.grade
        return self.binary_form() if len(grade) and grade.min() == grade.max() else self

    def gain_of(self, grade: Fraction) -> Fraction:
        """The gain of an item with a grade."""
        if self.gain == "linear":
            return grade
        if grade > LARGEST_EXPONENT:
            raise InputError(f"{self}: a grade of {float(grade):g} is too large for an exponential gain.", kind="grade")
        return power_of_two(grade) - 1

    def values(self, positions: Positions) -> ExactValues:
        form = self.on(positions)
        return form.values(positions) if form is not self else GainSums(self, positions).values()


class GainSums:
    """Discounted gains of all rankings and of the ideal ones, to many more digits than a float has."""

    def __init__(self, metric: NDCG, positions: Positions) -> None:
        self.entries = GradedEntries(positions, metric.rel)
        self.discount = metric.binary_form()
        gains = self.entries.exact(metric.gain_of)
        # A common factor of all gains changes nothing: whole gains are added up exactly.
        common = lcm(*(gain.denominator for gain in gains))
        self.gains = [gain * common for gain in gains]
        largest = int(self.entries.kept.layout.sizes.max(initial=0))
        heaviest = max(self.gains, default=Fraction(0)) * largest
        if heaviest >= LARGEST_WEIGHT:  # too large for whole numbers, maybe for floats
            self.gains = [gain / max(self.gains) for gain in self.gains]
        deepest = max(largest, deepest_rank(self.entries.kept.ranks))
        k = Doubles(np.arange(1.0, deepest + 1))
        e = self.discount.exposure_to_cutoff(k, 0)
        self.table = Doubles(*(np.concatenate([[0.0], part, [0.0]]) for part in (e.high, e.low)))
        self.sliced = SlicedTable.from_table(self.table, float(heaviest)) if heaviest < LARGEST_WEIGHT else None
        self.of_grade = Doubles.from_exact(np.array([*self.gains, Fraction(0)], dtype=object))

    def values(self) -> ExactValues:
        """The values [run, request]."""
        runs, requests = self.entries.shape
        parts = [np.zeros((runs + 1, requests)) for _ in (self.sliced.slices if self.sliced else range(2))]
        is_zero, error = np.ones((runs, requests), dtype=bool), np.zeros(requests)
        for block in self.entries.blocks():
            ideal = np.broadcast_to(np.arange(1, block.grade.shape[-1] + 1), block.grade.shape)
            gains = Doubles(*(part[block.grade] for part in (self.of_grade.high, self.of_grade.low)))
            best = Doubles(*(part[-np.sort(-block.grade, axis=-1)] for part in (self.of_grade.high, self.of_grade.low)))
            for part, ours, theirs in zip(parts, self.sums(block.ranks, gains), self.sums(ideal, best), strict=True):
                part[:-1, block.requests], part[-1, block.requests] = ours, theirs
            last = UNRETRIEVED - 1 if self.discount.cutoff is None else self.discount.cutoff
            is_zero[:, block.requests] = block.ranks.min(axis=-1) > last
            error[block.requests] = gains.high.sum(axis=-1) * (self.sliced.error if self.sliced else 0.0)
        total = sum_slices(parts)
        best = total[-1].where(self.entries.sizes() > 0, np.nan)
        return ExactValues.from_doubles(
            total[:-1] / best,
            2 * error / best.high,
            self.exactly,
            is_zero,
            is_rational=False,
            labels=lambda: self.entries.labels(self.discount.cutoff),
        )

    def sums(self, ranks: NDArray[np.integer], gains: Doubles) -> Iterator[Floats]:
        """Parts, the largest first, of the sum of discounted gains."""
        if self.sliced is not None:
            yield from self.sliced.sums(ranks, gains.high)
        else:
            summed = (self.table.take(ranks) * gains).sum()
            yield from (summed.high, summed.low)

    def exactly(self, run: int, requests: Places) -> list[Fraction]:
        return [self.exact(self.entries.cell(run, request)) for request in requests.tolist()]

    def exact(self, items: list[tuple[int, int]]) -> Fraction:
        """The value of one ranking, given rank and code of grade of every item; to 96 digits."""
        gains = sorted((self.gains[code] for _, code in items), reverse=True)
        best = sum(gain * exact_exposure(self.discount, k, 0) for k, gain in enumerate(gains, start=1))
        shown = [(rank, code) for rank, code in items if rank != UNRETRIEVED]
        return sum((self.gains[code] * exact_exposure(self.discount, k, 0) for k, code in shown), Fraction(0)) / best


@dataclass(frozen=True)
class ExpectedReciprocalRank(Metric):
    r"""Expected inverse position at which a user stops, who stops at an item with a chance that grows with its grade.

    .. math:: \mathrm{ERR} = \sum_{k} \frac{1}{k} R_k \prod_{j < k} (1 - R_j), \qquad
        R = \frac{2^{\text{grade}} - 1}{2^{\text{max\_grade}}}

    Parameters
    ----------
    max_grade : float
        The largest grade of the scale; 4 as in gdeval, which ir_measures calls.

    Examples
    --------
    >>> import tiebreak as tb
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> ExpectedReciprocalRank(max_grade=2).evaluate(p).tolist()      # 1/4 + 1/2 * 3/4 * 3/4
    [[0.53125]]
    """

    max_grade: float = 4
    name: ClassVar[str] = "ERR"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("max_grade", self.max_grade)
        if not 0 < self.max_grade <= LARGEST_EXPONENT:
            raise InputError(f"ERR(max_grade={self.max_grade:g}). Give a number up to {LARGEST_EXPONENT}.", kind="spec")

    def stop(self, grade: Fraction) -> Fraction:
        """The chance to stop at an item with a grade."""
        return (power_of_two(grade) - 1) / power_of_two(decimal(self.max_grade))

    def values(self, positions: Positions) -> ExactValues:
        if len(positions.grade) and positions.grade.max() > self.max_grade:
            largest = positions.grade.max()
            raise InputError(
                f"{self}: there are grades up to {largest:g}. Write ERR(max_grade={largest:g}).", kind="spec"
            )
        entries = GradedEntries(positions, self.rel)
        exact = entries.exact(self.stop)
        stop, go_on = (Doubles.from_exact(np.array(row, dtype=object)) for row in (exact, [1 - r for r in exact]))
        total = Doubles(np.full(entries.shape, np.nan), np.zeros(entries.shape))
        last = UNRETRIEVED - 1 if self.cutoff is None else self.cutoff
        for block in entries.blocks():
            order = np.argsort(block.ranks, axis=-1, kind="stable")
            ranks = np.take_along_axis(block.ranks, order, axis=-1)
            codes = np.take_along_axis(np.broadcast_to(block.grade, ranks.shape), order, axis=-1)
            reached, summed = Doubles(np.ones(ranks.shape[:2])), Doubles(np.zeros(ranks.shape[:2]))
            for level in range(ranks.shape[-1]):
                k, code = ranks[..., level], codes[..., level]
                summed = summed + (reached * stop[code] / k.astype(np.float64)).where(k <= last)
                reached = reached * go_on[code]
            total.high[:, block.requests], total.low[:, block.requests] = summed.high, summed.low

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [expected_inverse(entries.cell(run, q), exact, last) for q in requests.tolist()]

        is_rational = entries.has_whole_grades and decimal(self.max_grade).denominator == 1
        is_zero = np.ones(entries.shape, dtype=bool)
        for block in entries.blocks():
            is_zero[:, block.requests] = block.ranks.min(axis=-1) > last
        return ExactValues.from_doubles(
            total, 0.0, exactly, is_zero, is_rational=is_rational, labels=lambda: entries.labels(self.cutoff)
        )


def expected_inverse(items: list[tuple[int, int]], stop: list[Fraction], last: int) -> Fraction:
    """The expected inverse rank at which a user stops, given rank and code of grade of every item."""
    total, reached = Fraction(0), Fraction(1)
    for rank, code in items:
        if rank > last:
            break
        total += reached * stop[code] / rank
        reached *= 1 - stop[code]
    return total
