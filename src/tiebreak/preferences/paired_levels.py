r"""Recall levels of two rankings, paired and compared: what RPP is over one population of users, and over several.

A user wants i relevant items and prefers the ranking that lets them stop earlier. Users come from populations, each
with its own relevant items; a population has as many users as it has items, unless weights say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels import sum_pair_signs
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import DOUBLES, FRACTIONS, counting, whole_numbers
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.number import snap_to_zero
from tiebreak.exact.slices import SlicedTable, sum_slices
from tiebreak.metrics.weights import Weights, check_weights, is_rational, level_weights, whole_weights
from tiebreak.preferences.base import ENTRIES_AT_ONCE, Preference, position_labels
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.levels import Bucket
from tiebreak.projection.primitives import Floats, Ranks, pair_signs

Mask = NDArray[np.bool_]
POPULATED_AT_ONCE = 1 << 20
SUMS_AT_ONCE = 1 << 20
WEIGHTED_AT_ONCE = 1 << 18
"""Preferences of pairs that are weighed in one go."""
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

    def has_weights(self, positions: Positions) -> bool:
        """Whether populations are weighed by something else than their number of items."""
        return False

    def users(self, positions: Positions, sizes: Places, x: Any) -> Sequence[Any]:
        """For each population its weight [request], in the arithmetic of x; by default its number of items.

        ``sizes[population, request]`` are these numbers; where one is 0, so is the weight.
        """
        return [whole_numbers(size, x) for size in sizes]

    def min_grade(self, positions: Positions) -> float | None:
        return positions.min_grade if self.rel is None else self.rel

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        if self.weights != "uniform" or self.has_weights(positions):
            return self.compare_weighted(positions, pairs)
        size = np.zeros(len(positions.requests), dtype=np.int64)
        total = np.zeros((len(size), len(pairs)), dtype=np.int64)
        step = max(1, SUMS_AT_ONCE // max(len(pairs), 1))
        for bucket, requests, _ in self.buckets(positions, DOUBLES):
            size[requests] += bucket.m
            for begin in range(0, len(requests), step):
                block = slice(begin, begin + step)
                total[requests[block]] += sum_pair_signs(bucket.p[:, block], pairs.x, pairs.y)
        return PairValues.from_counts(positions, pairs, np.ascontiguousarray(total.T), size)

    def buckets(self, positions: Positions, x: Any) -> Iterator[tuple[Bucket, Places, Any]]:
        """The levels of every population by size, the places of their requests, and the weights that it has there."""
        for places, some in by_requests(positions):
            masks = list(self.populations(some))
            sizes = [np.bincount(some.layout.request[mask], minlength=len(places)) for mask in masks]
            for mask, users in zip(masks, self.users(some, np.array(sizes), x), strict=True):
                for bucket in some.levels(self.rel, mask=mask).buckets():
                    yield bucket, places[bucket.requests], users[bucket.requests]

    def compare_weighted(self, positions: Positions, pairs: Pairs) -> PairValues:
        """Weighted preferences: signs are added up in slices of the weights, exactly, and rounded once."""
        shape = len(pairs), len(positions.requests)
        total, is_zero = Doubles.full(shape, 0.0), np.ones(shape, dtype=bool)
        everybody, error = Doubles.full(shape[1], 0.0), np.zeros(shape)
        for blocks in self.weighted_blocks(positions, len(pairs)):
            requests = np.concatenate([block.requests for block in blocks])
            users = Doubles(*(np.concatenate([getattr(b.users, part) for b in blocks]) for part in ("high", "low")))
            m = np.repeat([block.m for block in blocks], [len(block.requests) for block in blocks])
            sliced, factor = sliced_weights(int(m.max()), self.weights), users / weight_sums(m, self.weights)
            parts, differ = weighted_signs(blocks, pairs, sliced)
            everybody[requests] = everybody[requests] + users
            # What is added up may cancel: the error is a share of its size, not of what is left.
            lost = sliced.error * m + ROUNDING_ERROR * np.abs(parts).sum(axis=0)
            error[:, requests] += factor.high * lost
            total[:, requests] = total[:, requests] + factor * sum_slices(list(parts))
            is_zero[:, requests] &= ~differ

        def exactly(pair: int, requests: Places) -> list[Fraction]:
            both = positions.take_runs([int(pairs.x[pair]), int(pairs.y[pair])]).take_requests(requests)
            return self.exact(both)

        is_counted = everybody.high > 0
        everybody = everybody.where(is_counted, np.nan)
        exact = ExactValues.from_doubles(
            total / everybody,
            error / everybody.high,
            exactly,
            is_zero,
            is_signed=True,
            is_rational=is_rational(self.weights),
        )
        return PairValues.from_exact(positions, pairs, exact, is_counted, labels=lambda: self.labels(positions))

    def weighted_blocks(self, positions: Positions, pairs: int) -> Iterator[list[WeightedBlock]]:
        """Blocks of all populations, as many together as have each request once and few enough pairs."""
        group: list[WeightedBlock] = []
        is_held = np.zeros(len(positions.requests), dtype=bool)
        most = max(1, WEIGHTED_AT_ONCE // pairs)
        for bucket, requests, users in self.buckets(positions, DOUBLES):
            for block in bucket.blocks(min(ENTRIES_AT_ONCE, most * bucket.m * len(bucket.p))):
                some = requests[block]
                if is_held[some].any() or sum(len(one.requests) for one in group) + len(some) > most:
                    yield group
                    group = []
                    is_held[:] = False
                is_held[some] = True
                group.append(WeightedBlock(bucket.p[:, block], some, users[block]))
        if group:
            yield group

    def labels(self, positions: Positions) -> Places:
        """Whole numbers [run, request]; runs with the same have the same preferences in a request."""
        return position_labels(positions)

    def exact(self, positions: Positions) -> list[Fraction]:
        """The exact preference between two runs in every request."""
        total, everybody = ([Fraction(0)] * len(positions.requests) for _ in range(2))
        for bucket, requests, users in self.buckets(positions, FRACTIONS):
            weights, whole = whole_weights(bucket.m, self.weights)
            signs = pair_signs(bucket.p[0], bucket.p[1])
            for request, row, number in zip(requests.tolist(), signs.tolist(), users.tolist(), strict=True):
                total[request] += number * Fraction(sum(map(mul, weights, row)), whole)
                everybody[request] += number
        values = (value / (number or 1) for value, number in zip(total, everybody, strict=True))
        return [snap_to_zero(value, is_rational(self.weights)) for value in values]


class WeightedBlock(NamedTuple):
    """Positions ``p[run, request, level]`` of some users, which requests these are, and the weights of their users."""

    p: Ranks
    requests: Places
    users: Doubles

    @property
    def m(self) -> int:
        return int(self.p.shape[-1])


def weighted_signs(blocks: list[WeightedBlock], pairs: Pairs, sliced: SlicedTable) -> tuple[Floats, Mask]:
    """Signs added up with every slice of the weights: [slice, pair, request]; and whether any level differs."""
    shape = len(pairs), sum(len(block.requests) for block in blocks)
    parts, differ, begin = np.empty((len(sliced.slices), *shape)), np.empty(shape, dtype=bool), 0
    slices = np.array(sliced.slices)
    for block in blocks:
        columns = slice(begin, begin + len(block.requests))
        for x, y, rows, sign in opponents(block.p, pairs):
            signs = pair_signs(x, y)
            # The sums are exact in any order.
            parts[:, rows, columns] = np.tensordot(sign * slices[:, : block.m], signs.astype(np.float64), axes=1)
            differ[rows, columns] = signs.any(axis=0)
        begin = columns.stop
    return parts, differ


@lru_cache(maxsize=1 << 10)
def sliced_weights(m: int, weights: Weights) -> SlicedTable:
    """The weights of the first m recall levels, in slices whose signed sums are exact."""
    return SlicedTable.from_table(level_weights(counting(m, DOUBLES), weights), m)


def weight_sums(m: Places, weights: Weights) -> Doubles:
    """The sums of the weights of the first m recall levels, of every m."""
    sums = [weight_sum(size, weights) for size in m.tolist()]
    return Doubles(np.array([one.high for one in sums]), np.array([one.low for one in sums]))


@lru_cache(maxsize=1 << 14)
def weight_sum(m: int, weights: Weights) -> Doubles:
    return sliced_weights(m, weights).table.sum()


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
