"""The first items of every ranking with their aspects and ratings: what measures of diversity see.

A sibling of `Positions`: those hold where relevant items stand, these hold what stands at the top, rated or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import TopItems
from tiebreak.errors import InputError, quote
from tiebreak.inputs import Ids, Judgements
from tiebreak.inputs.ids import ranges
from tiebreak.projection.position_table import Positions, SubtopicEntries, take_top
from tiebreak.projection.primitives import Floats

NOBODY = -1


@dataclass(frozen=True, eq=False)
class AspectTable:
    """The aspects of items: `of_item` [item, slot] are places in `labels`, its last value where an item has fewer.

    The last row is that of an item without aspects, of which nothing is known.
    """

    items: dict[str, int]
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
        return cls({item: row for row, item in enumerate(aspects)}, labels, of_item)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The item of every row but the last."""
        return tuple(self.items)

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """`of_item` with the slots first, each in one piece."""
        return np.ascontiguousarray(self.of_item.T)

    @cached_property
    def place_of_id(self) -> NDArray[np.int64]:
        """Where the item of each row stands in the order of ids; that of which nothing is known is last."""
        place = np.full(len(self.of_item), len(self.items), dtype=np.int64)
        place[sorted(range(len(self.names)), key=self.names.__getitem__)] = np.arange(len(self.names))
        return place

    def codes(self, names: Ids) -> NDArray[np.int64]:
        """The row of every item; the last where it is not in the table."""
        unknown = len(self.items)
        return np.fromiter((self.items.get(name, unknown) for name in names), np.int64, len(names))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Items that users rated, by request: entries ``starts[r]`` to ``starts[r + 1]``, in the order of their ids."""

    starts: NDArray[np.int64]
    item: NDArray[np.int64]
    rating: Floats

    @classmethod
    def from_judgements(cls, judgements: Judgements, requests: Ids, table: AspectTable) -> Ratings:
        return cls.from_codes(judgements, requests, table.codes(judgements.items)[judgements.item])

    @classmethod
    def from_codes(cls, judgements: Judgements, requests: Ids, codes: NDArray[np.int64]) -> Ratings:
        """What these requests rated, where the row of every judgement is given."""
        chosen = judgements.places(requests)
        sizes = np.where(chosen < 0, 0, np.diff(judgements.starts)[chosen])
        entries = ranges(np.where(chosen < 0, 0, judgements.starts[chosen]), sizes)
        by_id = judgements.items.places_in_order[judgements.item[entries]]
        order = np.lexsort((by_id, np.repeat(np.arange(len(chosen)), sizes)))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(starts, codes[entries][order], judgements.grade[entries][order])

    @property
    def request(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


@dataclass(frozen=True, eq=False)
class AspectRankings:
    """The first k items of every ranking.

    Attributes
    ----------
    runs : tuple of str
    requests : Ids
    table : AspectTable
    item : int array [run, request, k]
        Rows of the table; -1 where a ranking is shorter.
    rating : array [run, request, k]
        NaN where the user did not rate the item.
    rated : Ratings
        All that users rated, of which ideal rankings are made.
    profile : Ratings
        What tells which aspects a user likes.
    largest : float
        The largest rating that was given.
    min_grade : float, optional
        The rating from which an item counts as relevant; by default any above 0.
    own : bool array [request, aspect], optional
        The aspects that a request has, where they are its subtopics; by default all.
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

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which aspects [request, aspect] a request could be shown."""
        return np.ones((len(self.requests), len(self.table.labels)), dtype=bool) if self.own is None else self.own

    @cached_property
    def interest(self) -> Floats:
        """How much of a user's ratings each aspect has (AB eq 9): [request, aspect], and 0 for none of them."""
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
    def without_aspect(self) -> int:
        """How many rated items have none."""
        return int((self.table.of_item[self.rated.item, 0] == len(self.table.labels)).sum())

    @property
    def without_profile(self) -> int:
        """How many users' ratings say nothing about aspects."""
        return int((self.interest.sum(axis=1) == 0).sum())

    @property
    def unserved(self) -> int:
        """How many users have an interest that nothing they rated serves."""
        request = self.rated.request
        wanted = [self.interest[request, slot.take(self.rated.item)] > 0 for slot in self.table.slots]
        serves = np.any(wanted, axis=0) & (self.rated.rating > 0)
        served = np.bincount(request, serves, len(self.requests)) > 0
        return int((~served & (self.interest.sum(axis=1) > 0)).sum())


@dataclass(frozen=True, eq=False)
class AspectSource:
    """Where the aspects of items come from: a table, or the subtopics of judgements.

    Attributes
    ----------
    judgements : Judgements
        The ratings, with all their grades.
    aspects : mapping, optional
        The aspects of every item.
    profile : Judgements, optional
        Ratings that tell which aspects a user likes; by default the judgements.
    depth : int
        How many of the first items of a ranking are looked at.
    """

    judgements: Judgements
    aspects: Mapping[str, Sequence[str]] | None = None
    profile: Judgements | None = None
    depth: int = 0

    @property
    def is_known(self) -> bool:
        return self.aspects is not None or self.judgements.subtopics is not None

    def rankings(self, positions: Positions) -> AspectRankings:
        """The first items of rankings that were read with ``top``."""
        if self.aspects is not None:
            return aspect_rankings(positions, self)
        if self.profile is not None:
            raise InputError(
                "a profile needs the aspects of items, which subtopics of judgements are not.", kind="aspects"
            )
        return subtopic_rankings(positions, self)


def with_aspects(positions: Positions, aspects: Mapping[str, Sequence[str]]) -> Positions:
    """The same with the aspects of relevant items as their subtopics, where judgements have none of their own."""
    if positions.subtopics is not None:
        return positions
    table = AspectTable.from_aspects(aspects)
    slots = table.of_item[table.codes(positions.items)[positions.item]]
    entry, slot = np.nonzero(slots < len(table.labels))
    label = slots[entry, slot].astype(np.int32)
    rows = SubtopicEntries(Ids.from_names(table.labels), label, entry.astype(np.int64), positions.grade[entry])
    return replace(positions, subtopics=rows)


def with_intents(positions: Positions, intents: Judgements) -> Positions:
    """The same with how likely each subtopic is meant: grades of subtopics, in the place of items."""
    rows = positions.subtopics
    if rows is None:
        raise InputError("intents are of subtopics, and these judgements have none.", kind="subtopic")
    known, requests, labels = intents.to_dict(), list(positions.requests), list(rows.labels)
    request = positions.layout.request[rows.entry]
    pairs, which = np.unique(request * len(labels) + rows.label, return_inverse=True)
    likely = np.array([likelihood(known, requests[k // len(labels)], labels[k % len(labels)]) for k in pairs.tolist()])
    return replace(positions, subtopics=replace(rows, intent=likely[which.ravel()]))


def likelihood(known: Mapping[str, Mapping[str, float]], request: str, subtopic: str) -> float:
    found = known.get(request, {}).get(subtopic)
    if found is None or found < 0:
        problem = "has no likelihood" if found is None else f"has the likelihood {found:g}"
        raise InputError(
            f"intents: subtopic {quote(subtopic)} of request {quote(request)} {problem}. Give a number from 0 on "
            "for each subtopic that has a judged item.",
            kind="subtopic",
            request=request,
        )
    return found


def aspect_rankings(positions: Positions, source: AspectSource) -> AspectRankings:
    """The first items with aspects of a table."""
    judgements, profile = source.judgements, source.profile
    table = AspectTable.from_aspects(source.aspects or {})
    item, rating = first_items(positions, source, lambda top: table.codes(Ids(*top.items)))
    rated = Ratings.from_judgements(judgements, positions.requests, table)
    liked = rated if profile is None else Ratings.from_judgements(profile, positions.requests, table)
    largest = float(judgements.grade.max(initial=0.0))
    return AspectRankings(
        positions.runs, positions.requests, table, item, rating, rated, liked, largest, positions.min_grade
    )


def subtopic_rankings(positions: Positions, source: AspectSource) -> AspectRankings:
    """The same where subtopics are the aspects of judged items, each its request's own.

    An item has the subtopics that it is relevant to, and is rated by its largest grade; of one that is not judged no
    subtopic is known.
    """
    judgements = source.judgements
    table, own = subtopic_table(judgements)
    unknown = len(judgements.item)
    item, rating = first_items(
        positions, source, lambda top: np.where(top.judgement >= 0, top.judgement, unknown).astype(np.int64)
    )
    rated = Ratings.from_codes(judgements, positions.requests, np.arange(unknown))
    largest = float(judgements.grade.max(initial=0.0))
    return AspectRankings(
        positions.runs,
        positions.requests,
        table,
        item,
        rating,
        rated,
        rated,
        largest,
        positions.min_grade,
        own[judgements.places(positions.requests)],
    )


def first_items(
    positions: Positions, source: AspectSource, rows_of: Callable[[TopItems], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the table and ratings [run, request, rank] of what stands first, where the rows of a run's are given."""
    assert positions.top is not None, "rankings were read with their first items"
    requests = np.arange(len(positions.requests))
    tops = [take_top(top, requests, source.depth) for top in positions.top]
    depth = max((int(np.diff(top.starts).max(initial=0)) for top in tops), default=0)
    shape = len(positions.runs), len(positions.requests), max(depth, 1)
    item, rating = np.full(shape, NOBODY, dtype=np.int64), np.full(shape, np.nan)
    for run, top in enumerate(tops):
        sizes = np.diff(top.starts)
        request, rank = np.repeat(np.arange(len(sizes)), sizes), ranges(np.zeros_like(sizes), sizes)
        item[run, request, rank] = rows_of(top)
        known = top.judgement >= 0
        rating[run, request[known], rank[known]] = source.judgements.grade[top.judgement[known]]
    return item, rating


def subtopic_table(judgements: Judgements) -> tuple[AspectTable, NDArray[np.bool_]]:
    """The subtopics that every judgement is relevant to, as its aspects; and those of every request."""
    rows = judgements.subtopics
    assert rows is not None
    kept = rows.grade > 0
    entry, label = rows.judgement[kept], rows.labels.places_in_order[rows.label[kept]]
    order = np.lexsort((label, entry))
    entry, label = entry[order], label[order]
    slot = np.arange(len(entry)) - np.searchsorted(entry, entry)
    of_item = np.full((len(judgements.item) + 1, int(slot.max(initial=0)) + 1), len(rows.labels), dtype=np.int64)
    of_item[entry, slot] = label
    own = np.zeros((len(judgements.requests), len(rows.labels)), dtype=bool)
    own[judgements.request[entry], label] = True
    names = {str(k): k for k in range(len(judgements.item))}
    labels = tuple(rows.labels.take(np.argsort(rows.labels.places_in_order)))
    return AspectTable(names, labels, of_item), own
