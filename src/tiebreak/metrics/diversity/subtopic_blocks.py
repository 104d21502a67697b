"""Which subtopics the relevant items of a request cover, in the order of every ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, decimal, like
from tiebreak.exact.arithmetic import decimals, power, whole_numbers
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import AspectRankings, AspectTable
from tiebreak.projection.primitives import Floats, Ranks

NUMBERS_AT_ONCE = 1 << 20
NO_DIFFERENCE = 2.0**-90
"""Gains whose double-double numbers are as close as this are the same."""
Members = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Block:
    """Some requests with the same number m of relevant items."""

    requests: NDArray[np.int64]
    p: Ranks  # [run, request, m]: increasing positions of the relevant items
    grade: Floats  # [run, request, m, subtopic]: the grade of the item at each of them; 0 where it is not relevant
    by_id: Floats  # [request, m, subtopic]: the grades of the relevant items by descending id
    weight: Any  # [request, subtopic]: how likely a subtopic is meant, times their number; sets the arithmetic

    @cached_property
    def covers(self) -> Members:
        """Which subtopics the item at each position is relevant to."""
        return np.asarray(self.grade > 0)

    @property
    def covers_by_id(self) -> Members:
        """Which subtopics each of the items by descending id is relevant to."""
        return np.asarray(self.by_id > 0)

    @cached_property
    def subtopics(self) -> NDArray[np.int64]:
        return np.asarray(self.covers_by_id.any(axis=1).sum(axis=-1))

    def worth(self, grade: Floats, r_max: float | None) -> Any:
        """What an item is worth for a subtopic before any is covered: by its grade if there is a scale, else 1."""
        if r_max is None:
            return whole_numbers(grade > 0, self.weight)
        distinct, which = np.unique(grade, return_inverse=True)
        return (decimals(distinct, self.weight) / like(r_max, self.weight))[which.reshape(grade.shape)]

    def gains(self, alpha: float, r_max: float | None = None) -> Any:
        """The gain of every relevant item [run, request, m]: a subtopic counts 1 - alpha times what it did above."""
        before = np.cumsum(self.covers, axis=2, dtype=np.int32) - self.covers
        kept = powers(1 - decimal(alpha), int(before.max(initial=0)), self.weight)
        # Items cover few subtopics: those are gathered, with one of no worth for where there is none.
        _, request, _, subtopic = np.nonzero(self.covers)
        worth = self.worth(np.append(self.grade[self.covers], 0.0), r_max)
        request, subtopic = np.append(request, 0), np.append(subtopic, 0)
        gains = worth * self.weight[request, subtopic] * kept[np.append(before[self.covers], 0)]
        return gains[self.covered_places].sum(axis=-1)

    @property
    def covered_places(self) -> NDArray[np.int64]:
        """The subtopics that the item at each position covers: their places among those of all, one more for none."""
        slot = np.cumsum(self.covers, axis=-1, dtype=np.int32)
        places = np.full((*self.covers.shape[:-1], int(slot.max(initial=0))), np.count_nonzero(self.covers))
        row = np.flatnonzero(self.covers) // self.covers.shape[-1]
        places.reshape(-1, places.shape[-1])[row, slot[self.covers] - 1] = np.arange(len(row))
        return places

    def greedy_gains(self, alpha: float, r_max: float | None = None) -> Any:
        """The gains [request, m] of the greedy order, in which each next item gains most.

        Of equal ones the largest id is taken, as in ndeval; with r_max, which ndeval lacks, the smallest.
        """
        requests, m, subtopics = self.by_id.shape
        by_id = self.by_id if r_max is None else self.by_id[:, ::-1]
        covers, worth = by_id > 0, self.worth(by_id, r_max) * self.weight[:, None, :]
        seen, every = np.zeros((requests, subtopics), dtype=np.int64), np.arange(requests)
        kept = powers(1 - decimal(alpha), m, self.weight)
        is_open = np.ones((requests, m), dtype=bool)
        columns = []
        for _ in range(m):
            gains = (worth * kept[seen][:, None, :]).sum(axis=-1)
            best = best_candidates(gains, is_open)
            columns.append(gains[every, best])
            is_open[every, best] = False
            seen = seen + covers[every, best]
        return stack_columns(columns)


def powers(base: Fraction, highest: int, x: Any) -> Any:
    """The powers 0, 1, ... of a number, in the arithmetic of x."""
    return power(like(base, x), whole_numbers(np.arange(highest + 1), x))


def best_candidates(gains: Any, is_open: Members) -> NDArray[np.int64]:
    """The first of the open candidates of every row [request, candidate] that gains as much as any."""
    if isinstance(gains, Doubles):
        high = np.where(is_open, gains.high, -np.inf)
        top = high.max(axis=1, keepdims=True)
        largest = np.where(high == top, gains.low, -np.inf).max(axis=1, keepdims=True)
        is_best = is_open & ((high - top) + gains.low >= largest - NO_DIFFERENCE * np.abs(top))
        return np.asarray(np.argmax(is_best, axis=1))
    return np.asarray(np.argmax(np.where(is_open, gains, -1), axis=1))


def stack_columns(columns: list[Any]) -> Any:
    """Numbers [request] for every place as [request, place]."""
    if isinstance(columns[0], Doubles):
        return Doubles(*(np.stack([getattr(c, part) for c in columns], axis=1) for part in ("high", "low")))
    return np.stack(columns, axis=1)


def blocks(positions: Positions, rel: float | None, x: Any) -> Iterator[Block]:
    """All requests with an item relevant to a subtopic that may be meant, by their number of relevant items.

    Weights are in the arithmetic of x.
    """
    kept = with_subtopics(positions, rel)
    grade, weight = grades(kept, rel, x)
    is_meant = np.asarray((weight.high if isinstance(weight, Doubles) else weight != 0).any(axis=1))
    place_of_id = kept.items.places_in_order[kept.item]
    for m, requests, entries in kept.layout.blocks():
        step = max(1, NUMBERS_AT_ONCE // max(1, len(kept.runs) * m * grade.shape[1]))
        ranks = kept.ranks[:, entries].reshape(len(kept.runs), -1, m)
        of_block, ids = grade[entries].reshape(-1, m, grade.shape[1]), place_of_id[entries].reshape(-1, m)
        for begin in range(0, len(requests) if m else 0, step):
            part = begin + np.flatnonzero(is_meant[requests[begin : begin + step]])
            yield block(requests[part], ranks[:, part], of_block[part], ids[part], weight[requests[part]])


def ranking_blocks(rankings: AspectRankings, rel: float | None) -> Iterator[Block]:
    """Blocks of rankings of rated items, whose aspects are the subtopics: an item at every rank, relevant or not."""
    runs, _, depth = rankings.item.shape
    labels = len(rankings.table.labels)
    relevant = is_relevant(rankings.rated.rating, rel)
    sizes = np.bincount(rankings.rated.request[relevant], minlength=len(rankings.requests))
    ratings = np.where(relevant, rankings.rated.rating, 0.0)
    graded = ratings[:, None] * aspect_mask(rankings.table, rankings.rated.item)
    with_any = np.flatnonzero(np.bincount(rankings.rated.request[graded.any(axis=1)], minlength=len(sizes)))
    step = max(1, NUMBERS_AT_ONCE // max(1, runs * depth * labels))
    for begin in range(0, len(with_any), step):
        requests = with_any[begin : begin + step]
        by_id = np.zeros((len(requests), int(sizes[requests].max()), labels))
        for row, request in zip(by_id, requests, strict=True):
            of_request = slice(*rankings.rated.starts[request : request + 2])
            row[: sizes[request]] = graded[of_request][relevant[of_request]][::-1]  # by descending id
        item, rating = rankings.item[:, requests], rankings.rating[:, requests]
        grade: Floats = np.where(is_relevant(rating, rel), rating, 0.0)[..., None] * aspect_mask(rankings.table, item)
        p = np.broadcast_to(np.arange(1, depth + 1), item.shape)
        yield Block(requests, p, grade, by_id, Doubles(np.ones((len(requests), labels))))


def aspect_mask(table: AspectTable, item: NDArray[np.int64]) -> Members:
    """Which aspects [.., aspect] items have; none where there is no item."""
    has = np.zeros((len(table.of_item), len(table.labels) + 1), dtype=bool)
    np.put_along_axis(has, table.of_item, True, axis=1)
    return np.asarray(has[:, :-1][item])  # NOBODY is the last row, of an item without aspects


def with_subtopics(positions: Positions, rel: float | None) -> Positions:
    """Only the entries that are relevant to a subtopic."""
    rows = positions.require_subtopics()
    mask = np.zeros(len(positions.item), dtype=bool)
    mask[rows.entry[is_relevant(rows.grade, positions.min_grade if rel is None else rel)]] = True
    return positions.keep(mask)


def block(requests: NDArray[np.int64], ranks: Ranks, grade: Floats, ids: NDArray[np.int64], weight: Any) -> Block:
    order = np.argsort(ranks, axis=-1, kind="stable")
    by_id = np.argsort(-ids, axis=-1)
    return Block(
        requests,
        np.take_along_axis(ranks, order, axis=-1),
        np.take_along_axis(grade[None], order[..., None], axis=2),
        np.take_along_axis(grade, by_id[..., None], axis=1),
        weight,
    )


def grades(positions: Positions, rel: float | None, x: Any) -> tuple[Floats, Any]:
    """Grades [entry, subtopic], 0 where not relevant, and weights [request, subtopic], numbered within the request."""
    rows = positions.subtopics
    assert rows is not None
    kept = is_relevant(rows.grade, positions.min_grade if rel is None else rel)
    entry, label = rows.entry[kept], rows.label[kept].astype(np.int64)
    request = positions.layout.request[entry]
    pairs, first, which = np.unique(request * len(rows.labels) + label, return_index=True, return_inverse=True)
    of_request = pairs // max(len(rows.labels), 1)
    number = np.arange(len(pairs)) - np.searchsorted(of_request, of_request)
    width = int(number.max(initial=-1)) + 1
    grade = np.zeros((len(positions.item), width))
    grade[entry, number[which.ravel()]] = rows.grade[kept]
    weight = np.zeros((len(positions.requests), width))
    weight[of_request, number] = 1.0 if rows.intent is None else rows.intent[kept][first]
    subtopics = np.bincount(of_request, minlength=len(weight))
    if rows.intent is None:
        return grade, whole_numbers(weight.astype(np.int64), x)
    likely = decimals(weight, x)
    # Where no subtopic with a relevant item is meant at all, there is nothing to measure.
    whole = likely.sum(axis=1) + whole_numbers(~weight.any(axis=1), x)
    return grade, likely * (whole_numbers(subtopics, x) / whole)[:, None]
