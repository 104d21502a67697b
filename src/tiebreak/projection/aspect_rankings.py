"""The first items of every ranking with their aspects and ratings: what measures of diversity see.

A sibling of `Positions`: those hold the ranks of relevant items, these hold the items of the first ranks, rated or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError, quote
from tiebreak.inputs import Ids, Judgements
from tiebreak.inputs.ids import offsets, ranges
from tiebreak.inputs.judgements import Subtopics
from tiebreak.projection.aspect_source import EVERY, AspectSource, Mask
from tiebreak.projection.position_table import Positions, take_top
from tiebreak.projection.primitives import Floats

NOBODY = -1


@dataclass(frozen=True, eq=False)
class AspectTable:
    """The aspects of items: `of_item` [item, slot] are indices into `labels`, `len(labels)` where an item has fewer.

    The last row is that of an item without aspects, of which nothing is known.
    """

    items: Ids
    labels: tuple[str, ...]
    of_item: NDArray[np.int64]

    @classmethod
    def from_aspects(cls, aspects: Mapping[str, Sequence[str]]) -> AspectTable:
        labels = tuple(sorted({label for of_item in aspects.values() for label in of_item}))
        place = {label: k for k, label in enumerate(labels)}
        widest = max(map(len, aspects.values()), default=1)
        of_item = np.full((len(aspects) + 1, max(widest, 1)), len(labels), dtype=np.int64)
        for row, named in enumerate(aspects.values()):
            of_item[row, : len(named)] = sorted(place[label] for label in named)
        return cls(Ids.from_names(aspects), labels, of_item)

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """`of_item` transposed, contiguous."""
        return np.ascontiguousarray(self.of_item.T)

    @cached_property
    def n_aspects(self) -> NDArray[np.int64]:
        """How many aspects every item has; they are in its first slots."""
        return np.asarray((self.of_item < len(self.labels)).sum(axis=1))

    @cached_property
    def id_order(self) -> NDArray[np.int64]:
        """The rank of each row's item in the order of ids; the last row is the unknown item."""
        return np.append(self.items.places_in_order, len(self.items))

    def codes(self, names: Ids) -> NDArray[np.int64]:
        """The row of every item; the last where it is not in the table."""
        rows = self.items.indices(names)
        return np.where(rows < 0, len(self.items), rows)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Items that users rated, by request: entries ``starts[r]`` to ``starts[r + 1]``, in the order of their ids."""

    starts: NDArray[np.int64]
    item: NDArray[np.int64]
    rating: Floats

    @classmethod
    def from_judgements(
        cls, judgements: Judgements, requests: Ids, table: AspectTable | None, kept: Mask | None = None
    ) -> Ratings:
        """What these requests rated, of the judgements that are kept; without a table these themselves are its rows."""
        codes = np.arange(len(judgements)) if table is None else table.codes(judgements.items)[judgements.item]
        chosen = judgements.requests.indices(requests)
        sizes = np.where(chosen < 0, 0, np.diff(judgements.starts)[chosen])
        entries = ranges(np.where(chosen < 0, 0, judgements.starts[chosen]), sizes)
        request = np.repeat(np.arange(len(chosen)), sizes)
        if kept is not None:
            request, entries = request[kept[entries]], entries[kept[entries]]
            sizes = np.bincount(request, minlength=len(chosen))
        by_id = judgements.items.places_in_order[judgements.item[entries]]
        order = np.lexsort((by_id, request))
        return cls(offsets(sizes), codes[entries][order], judgements.grade[entries][order])

    @property
    def request(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class AspectRankings:
    """The first k items of every ranking.

    `item` [run, request, k] are rows of the table, -1 where a ranking is shorter; `rating` is NaN where the user did
    not rate the item. `rated` is all that users rated, of which ideal rankings are made, `profile` what tells which
    aspects a user likes, and `largest` the largest rating. Items are relevant from the rating `min_grade` on, by
    default above 0. `own` [request, aspect] are the aspects that a request has, where they are its subtopics. `is_part`
    says that these are some of the requests.
    """

    runs: tuple[str, ...]
    requests: Ids
    table: AspectTable
    item: NDArray[np.int64]
    rating: Floats
    rated: Ratings
    profile: Ratings
    largest: float
    min_grade: float | None = None
    own: NDArray[np.bool_] | None = None
    is_part: bool = False

    @property
    def available(self) -> NDArray[np.bool_]:
        """Which aspects [request, aspect] a request could be shown."""
        return np.ones((len(self.requests), len(self.table.labels)), dtype=bool) if self.own is None else self.own

    @cached_property
    def interest(self) -> Floats:
        """The share of a user's ratings that each aspect has (AB eq 9): [request, aspect], and a last column of 0."""
        size = len(self.table.labels) + 1
        of_user, ratings = self.profile.request * size, np.maximum(self.profile.rating, 0.0)
        places = (of_user + slot.take(self.profile.item) for slot in self.table.slots)
        summed: Floats = np.zeros((len(self.requests), size))
        for place in places:
            summed += np.bincount(place, ratings, summed.size).reshape(-1, size)
        summed[:, -1] = 0.0
        whole = summed.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(summed, whole, out=np.zeros_like(summed), where=whole > 0)
        return shares

    @property
    def n_without_aspect(self) -> int:
        """How many rated items have no aspect."""
        return int((self.table.of_item[self.rated.item, 0] == len(self.table.labels)).sum())

    @property
    def n_without_profile(self) -> int:
        """How many users' ratings say nothing about aspects."""
        return int((self.interest.sum(axis=1) == 0).sum())

    @property
    def n_unserved(self) -> int:
        """How many users have an interest that nothing they rated serves."""
        request = self.rated.request
        wanted = [self.interest[request, slot.take(self.rated.item)] > 0 for slot in self.table.slots]
        serves = np.any(wanted, axis=0) & (self.rated.rating > 0)
        served = np.bincount(request, serves, len(self.requests)) > 0
        return int((~served & (self.interest.sum(axis=1) > 0)).sum())


def read_rankings(source: AspectSource, positions: Positions) -> AspectRankings:
    """The first items of rankings that were read with ``top``.

    With subtopics, an item has those of its request that it is relevant to, and is rated by its largest grade.
    """
    judgements, requests = source.judgements, positions.requests
    if source.aspects is not None:
        table, own = AspectTable.from_aspects(source.aspects), None
    elif source.train is not None:
        raise InputError(
            "training ratings need the aspects of items, which subtopics of judgements are not.", kind="aspects"
        )
    else:
        table, own = subtopic_table(judgements, source.kept)
        own = own[judgements.requests.indices(requests)]
    codes = table if own is None else None
    item, rating = first_items(source, positions, codes)
    rated = Ratings.from_judgements(judgements, requests, codes, source.kept)
    liked = rated if source.train is None else Ratings.from_judgements(source.train, requests, table)
    largest = float(judgements.grade.max(initial=0.0)) if source.largest is None else source.largest
    return AspectRankings(
        positions.runs, requests, table, item, rating, rated, liked, largest, positions.min_grade, own, source.is_part
    )


def first_items(
    source: AspectSource, positions: Positions, table: AspectTable | None
) -> tuple[NDArray[np.int64], Floats]:
    """Rows and ratings [run, request, rank] of the first items; the rows are judgements where there is no table."""
    assert positions.top is not None, "rankings were read with their first items"
    requests = np.arange(len(positions.requests))
    tops = [take_top(top, requests, source.depth) for top in positions.top]
    depth = max((int(np.diff(top.starts).max(initial=0)) for top in tops), default=0)
    shape = len(positions.runs), len(positions.requests), max(depth, 1)
    item, rating = np.full(shape, NOBODY, dtype=np.int64), np.full(shape, np.nan)
    for run, top in enumerate(tops):
        sizes = np.diff(top.starts)
        request, rank = np.repeat(requests, sizes), ranges(np.zeros_like(sizes), sizes)
        known = (top.judgement >= 0) & (True if source.kept is None else source.kept[top.judgement])
        rows = np.where(known, top.judgement, len(source.judgements)) if table is None else table.codes(Ids(*top.items))
        item[run, request, rank] = rows
        rating[run, request[known], rank[known]] = source.judgements.grade[top.judgement[known]]
    return item, rating


def with_aspects(positions: Positions, aspects: Mapping[str, Sequence[str]]) -> Positions:
    """Judgements with the aspects of relevant items as their subtopics, where judgements have none of their own."""
    if positions.subtopics is not None:
        return positions
    table = AspectTable.from_aspects(aspects)
    slots = table.of_item[table.codes(positions.items)[positions.item]]
    entry, slot = np.nonzero(slots < len(table.labels))
    label = slots[entry, slot].astype(np.int32)
    rows = Subtopics(Ids.from_names(table.labels), label, entry.astype(np.int64), positions.grade[entry])
    return replace(positions, subtopics=rows)


def with_intents(positions: Positions, intents: Judgements) -> Positions:
    """Judgements with intent probabilities, given as grades of subtopics instead of items; `EVERY` is any request."""
    rows = positions.subtopics
    if rows is None:
        raise InputError("intents are of subtopics, and these judgements have none.", kind="subtopic")
    known, requests, labels = intents.to_dict(), list(positions.requests), list(rows.labels)
    request = positions.layout.request[rows.entry]
    pairs, which = np.unique(request * len(labels) + rows.label, return_inverse=True)
    likely = np.array([likelihood(known, requests[k // len(labels)], labels[k % len(labels)]) for k in pairs.tolist()])
    return replace(positions, subtopics=replace(rows, intent=likely[which.ravel()]))


def likelihood(known: Mapping[str, Mapping[str, float]], request: str, subtopic: str) -> float:
    own = known.get(request, known.get(EVERY, {}))
    if own and not any(own.values()):
        raise InputError(
            f"intents: all subtopics of request {quote(request)} have the likelihood 0. Give at least one more.",
            kind="subtopic",
            request=request,
        )
    value = own.get(subtopic)
    if value is None or value < 0:
        problem = "has no likelihood" if value is None else f"has the likelihood {value:g}"
        raise InputError(
            f"intents: subtopic {quote(subtopic)} of request {quote(request)} {problem}. Give a number from 0 on "
            "for each subtopic that has a judged item.",
            kind="subtopic",
            request=request,
        )
    return value


def subtopic_table(judgements: Judgements, is_left: Mask | None = None) -> tuple[AspectTable, NDArray[np.bool_]]:
    """The subtopics that every judgement is relevant to, as its aspects; and those of every request."""
    rows = judgements.subtopics
    assert rows is not None
    kept = (rows.grade > 0) & (True if is_left is None else is_left[rows.entry])
    entry, label = rows.entry[kept], rows.labels.places_in_order[rows.label[kept]]
    order = np.lexsort((label, entry))
    entry, label = entry[order], label[order]
    slot = np.arange(len(entry)) - np.searchsorted(entry, entry)
    of_item = np.full((len(judgements.item) + 1, int(slot.max(initial=0)) + 1), len(rows.labels), dtype=np.int64)
    of_item[entry, slot] = label
    own = np.zeros((len(judgements.requests), len(rows.labels)), dtype=bool)
    own[judgements.request[entry], label] = True
    names = Ids.from_names(range(len(judgements.item)))
    labels = tuple(rows.labels.take(np.argsort(rows.labels.places_in_order)))
    return AspectTable(names, labels, of_item), own
