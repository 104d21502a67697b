r"""Recall-paired preference (RPP): the share of users who are better off, minus that of those who are worse off.

A user wants i relevant items and prefers the ranking that lets them stop earlier. Users come from populations, each
with its own relevant items; one population is weighed by its number of items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import DOUBLES, counting
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.number import snap_to_zero
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.exact.sums import sum_fractions
from tiebreak.exact.values import Places
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.graded_entries import GradedEntries
from tiebreak.metrics.weights import Weights, check_weights, exact_weights, is_rational, level_weights
from tiebreak.preferences.base import ENTRIES_AT_ONCE, Preference, Traits, position_labels
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.levels import Bucket
from tiebreak.projection.primitives import Floats, Ranks, pair_signs

Mask = NDArray[np.bool_]
POPULATED_AT_ONCE = 1 << 20
PAIRED_AT_ONCE = 1 << 18
"""Recall levels of pairs that are compared in one go."""


@dataclass(frozen=True)
class PairedPreference(Preference):
    """Recall levels of two rankings, paired and compared, over several populations of users.

    Parameters
    ----------
    weights : {"uniform", "dcg", "inverse"} or tuple of float
        How likely each recall level is: 1, 1/log2(i + 1), 1/i, or numbers; normalised over the m levels.
    rel : float, optional
        Grade from which an item is relevant; by default the experiment's.
    """

    weights: Weights = "uniform"
    rel: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", check_weights(self.weights))

    def populations(self, positions: Positions) -> Iterator[Mask]:
        """For each population the entries that are relevant to its users; one per request at a time."""
        raise NotImplementedError

    def min_grade(self, positions: Positions) -> float | None:
        return positions.min_grade if self.rel is None else self.rel

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        if self.weights != "uniform":
            return self.compare_weighted(positions, pairs)
        size = np.zeros(len(positions.requests), dtype=np.int64)
        total = np.zeros((len(pairs), len(size)), dtype=np.int64)
        for bucket, requests in self.buckets(positions):
            size[requests] += bucket.m
            for block in bucket.blocks(ENTRIES_AT_ONCE):
                for x, y, rows, sign in opponents(bucket.p[:, block], pairs):
                    total[rows, requests[block]] += sign * sum_signs(x, y)
        return PairValues.from_counts(positions, pairs, total, size)

    def buckets(self, positions: Positions) -> Iterator[tuple[Bucket, Places]]:
        """The levels of every population by size, and the places of their requests."""
        for places, some in by_requests(positions):
            for mask in self.populations(some):
                for bucket in some.levels(self.rel, mask=mask).buckets():
                    yield bucket, places[bucket.requests]

    def compare_weighted(self, positions: Positions, pairs: Pairs) -> PairValues:
        """Weighted preferences: signs are added up in slices of the weights, exactly, and rounded once."""
        shape = len(pairs), len(positions.requests)
        size, error = np.zeros(shape[1], dtype=np.int64), np.zeros(shape)
        total, is_zero = Doubles.full(shape, 0.0), np.ones(shape, dtype=bool)
        for bucket, requests in self.buckets(positions):
            weights = level_weights(counting(bucket.m, DOUBLES), self.weights)
            sliced = SlicedTable.from_table(weights, bucket.m)
            factor = bucket.m / weights.sum()  # a population counts by its number of items
            size[requests] += bucket.m
            error[:, requests] += sliced.error * bucket.m * factor.high
            for block in bucket.blocks(ENTRIES_AT_ONCE):
                columns = requests[block]
                for x, y, rows, sign in opponents(bucket.p[:, block], pairs):
                    signs = np.moveaxis(pair_signs(x, y), 0, -1)
                    parts = [(signs * piece).sum(-1) for piece in sliced.slices]
                    # What is added up may cancel: the error is a share of its size, not of what is left.
                    error[rows, columns] += ROUNDING_ERROR * factor.high * np.abs(parts).sum(axis=0)
                    total[rows, columns] = total[rows, columns] + factor * (sign * sum_slices(parts))
                    is_zero[rows, columns] &= ~signs.any(axis=-1)

        def exactly(pair: int, requests: Places) -> list[Fraction]:
            both = positions.take_runs([int(pairs.x[pair]), int(pairs.y[pair])]).take_requests(requests)
            return self.exact(both)

        whole = Doubles(np.where(size > 0, size, np.nan))
        exact = ExactValues.from_doubles(
            total / whole, error / whole.high, exactly, is_zero, is_signed=True, is_rational=is_rational(self.weights)
        )
        return PairValues.from_exact(positions, pairs, exact, size > 0, labels=lambda: self.labels(positions))

    def labels(self, positions: Positions) -> Places:
        """Whole numbers [run, request]; runs with the same have the same preferences in a request."""
        return position_labels(positions)

    def exact(self, positions: Positions) -> list[Fraction]:
        """The exact preference between two runs in every request."""
        total, size = [Fraction(0)] * len(positions.requests), [0] * len(positions.requests)
        for bucket, requests in self.buckets(positions):
            weights, whole = exact_weights(bucket.m, self.weights)
            signs = pair_signs(bucket.p[0], bucket.p[1])
            for request, row in zip(requests.tolist(), signs.tolist(), strict=True):
                preferred = sum_fractions([w if s > 0 else -w for w, s in zip(weights, row, strict=True) if s])
                total[request] += bucket.m * preferred / whole
                size[request] += bucket.m
        values = (value / (n or 1) for value, n in zip(total, size, strict=True))
        return [snap_to_zero(value, is_rational(self.weights)) for value in values]


def by_requests(positions: Positions) -> Iterator[tuple[NDArray[np.int64], Positions]]:
    """Some requests at a time, by their places, so that the memory of populations does not grow with all requests."""
    step = np.cumsum(positions.layout.sizes) // POPULATED_AT_ONCE
    if not step.any():
        yield np.arange(len(positions.requests)), positions
        return
    bare = replace(positions, nonrelevant=None, top=None, pool=None)
    for places in np.split(positions.request_order, np.flatnonzero(np.diff(step)) + 1):
        yield places, bare.take_requests(places)


def opponents(p: Ranks, pairs: Pairs) -> Iterator[tuple[Ranks, Ranks, slice, int]]:
    """Positions ``p[level, ...]`` to compare, the rows of their pairs and the sign of the result.

    All pairs together where their levels are few; else one run at a time with all it meets, which copies nothing.
    """
    p = np.ascontiguousarray(p.transpose(2, 0, 1))  # whole rows are compared at once
    if p[:, 0].size * len(pairs) <= PAIRED_AT_ONCE:
        yield p[:, pairs.x], p[:, pairs.y], slice(None), 1
        return
    for fan in pairs.fans:
        yield p[:, fan.run, None], p[:, fan.others], fan.rows, fan.sign


def sum_signs(x: Ranks, y: Ranks) -> NDArray[np.int32]:
    """Sum over recall levels, the first axis, of the sign of y - x."""
    total = np.zeros(y.shape[1:], dtype=np.int32)
    for begin in range(0, len(x), 127):  # as many signs as a byte can sum
        levels = slice(begin, begin + 127)
        total += np.add.reduce(pair_signs(x[levels], y[levels]), axis=0, dtype=np.int8)
    return total


class RecallPairedPreference(PairedPreference):
    r"""Average case: how many more users prefer one ranking, all recall levels 1, ..., m being equally likely.

    .. math:: \mathrm{RPP}(p, p') = \sum_{i=1}^{m} w_i \, \mathrm{sgn}(p'_i - p_i)

    Where a request has several grades, each grade that is present makes a population whose users are content with it
    and better, weighed by its number of items (RPP eqs 4 and 5). Ties only where as many users gain as lose.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 2, 3, None], [10, 20, 30, 40]]), "RPP").values.tolist()   # (3 - 1) / 4
    [[0.5]]
    """

    name: ClassVar[str] = "RPP"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def labels(self, positions: Positions) -> Places:
        return GradedEntries(positions, self.min_grade(positions)).labels(None)

    def populations(self, positions: Positions) -> Iterator[Mask]:
        relevant = is_relevant(positions.grade, self.min_grade(positions))
        yield from grade_populations(positions.layout.request, positions.grade, relevant)


class SubtopicRecallPairedPreference(PairedPreference):
    r"""RPP for users who want one subtopic each, and for users who want any (RPP eq 6).

    Every subtopic with a relevant item makes a population, weighed by its number of items; all relevant items make one
    more. Grades do not count inside a population; an item may count in several.

    Examples
    --------
    >>> judged = {"q": {"a": {"1": 1}, "b": {"2": 1}}}
    >>> exp = tb.Experiment(judged, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0}}])
    >>> exp.compare("ST-RPP").values.tolist()      # (1 + 1 - 1 + 0) / 4: any item at 2 levels, topic 1, topic 2
    [[0.25]]
    """

    name: ClassVar[str] = "ST-RPP"

    def populations(self, positions: Positions) -> Iterator[Mask]:
        rows = positions.subtopics
        if rows is None:
            raise InputError(
                "ST-RPP needs subtopics: several values in the judgements' second column.", kind="subtopic"
            )
        yield is_relevant(positions.grade, self.min_grade(positions))
        wanted = np.flatnonzero(is_relevant(rows.grade, self.min_grade(positions)))
        entry = rows.entry[wanted]
        place = dense_places(positions.layout.request[entry], rows.label[wanted])
        for k in range(place.max(initial=-1) + 1):
            mask = np.zeros(len(positions.item), dtype=bool)
            mask[entry[place == k]] = True
            yield mask


def grade_populations(request: NDArray[np.int64], grade: Floats, relevant: Mask) -> Iterator[Mask]:
    """For k = 1, 2, ...: the relevant entries with the k largest grades of their request, where it has k."""
    entries = np.flatnonzero(relevant)
    if len(entries) == 0 or np.ptp(grade[entries]) == 0:  # one grade is one population
        yield relevant
        return
    place = np.full(len(relevant), -1)
    place[entries] = dense_places(request[entries], -grade[entries])
    last = np.full(request.max(initial=-1) + 1, -1)
    np.maximum.at(last, request[entries], place[entries])
    for k in range(place.max(initial=-1) + 1):
        yield (place >= 0) & (place <= k) & (last[request] >= k)


def dense_places(request: NDArray[np.int64], key: NDArray[Any]) -> NDArray[np.int64]:
    """The rank 0, 1, ... of every key among the distinct keys of its request."""
    order = np.lexsort((key, request))
    new_request = np.diff(request[order], prepend=-1) != 0
    new_key = new_request | (np.diff(key[order], prepend=0) != 0)
    count = np.cumsum(new_key) - 1
    place = np.empty_like(order)
    place[order] = count - np.maximum.accumulate(np.where(new_request, count, 0))
    return place
