"""Which subtopics the relevant items of a request show, in the order of every ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats, Ranks

NUMBERS_AT_ONCE = 1 << 24
Members = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Block:
    """Some requests with the same number m of relevant items.

    Attributes
    ----------
    requests : int array [request]
    p : array [run, request, m]
        Increasing positions of the relevant items.
    shown : bool array [run, request, m, subtopic]
        Which subtopics the item at each of them is relevant to.
    member : bool array [request, m, subtopic]
        The same for the items by descending id.
    subtopics : int array [request]
        How many subtopics have a relevant item.
    """

    requests: NDArray[np.int64]
    p: Ranks
    shown: Members
    member: Members

    @cached_property
    def subtopics(self) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = self.member.any(axis=1).sum(axis=-1)
        return numbers

    def gains(self, alpha: float) -> Floats:
        """The gain of every relevant item [run, request, m]: a subtopic counts 1 - alpha times what it did above."""
        before: NDArray[np.int64] = np.cumsum(self.shown, axis=2) - self.shown
        gains: Floats = (self.shown * (1 - alpha) ** before).sum(axis=-1)
        return gains

    def ideal_gains(self, alpha: float) -> Floats:
        """The gains [request, m] of the greedy order, in which each next item gains most, ties to the largest id."""
        requests, m, subtopics = self.member.shape
        left, every = np.ones((requests, subtopics)), np.arange(requests)
        open_ = np.ones((requests, m), dtype=bool)
        gains = np.empty((requests, m))
        for place in range(m):
            candidates = np.where(open_, (self.member * left[:, None, :]).sum(axis=-1), -1.0)
            chosen = candidates.argmax(axis=1)
            gains[:, place] = candidates[every, chosen]
            open_[every, chosen] = False
            left = np.where(self.member[every, chosen], left * (1 - alpha), left)
        return gains


def blocks(positions: Positions, rel: float | None) -> Iterator[Block]:
    """All requests with an item relevant to a subtopic, by their number of relevant items."""
    kept = with_subtopics(positions, rel)
    member = members(kept, rel)
    place_of_id = kept.items.places_in_order[kept.item]
    for m, requests, entries in kept.layout.blocks():
        step = max(1, NUMBERS_AT_ONCE // max(1, len(kept.runs) * m * member.shape[1]))
        ranks = kept.ranks[:, entries].reshape(len(kept.runs), -1, m)
        shape = (-1, m, member.shape[1])
        of_block, ids = member[entries].reshape(shape), place_of_id[entries].reshape(-1, m)
        for begin in range(0, len(requests) if m else 0, step):
            part = slice(begin, begin + step)
            yield block(requests[part], ranks[:, part], of_block[part], ids[part])


def with_subtopics(positions: Positions, rel: float | None) -> Positions:
    """Only the entries that are relevant to a subtopic."""
    rows = positions.subtopics
    if rows is None:
        raise InputError("these judgements have no subtopics: their second column never varies.", kind="subtopic")
    mask = np.zeros(len(positions.item), dtype=bool)
    mask[rows.entry[is_relevant(rows.grade, positions.min_grade if rel is None else rel)]] = True
    return positions.keep(mask)


def block(requests: NDArray[np.int64], ranks: Ranks, member: Members, ids: NDArray[np.int64]) -> Block:
    order = np.argsort(ranks, axis=-1, kind="stable")
    shown = np.take_along_axis(member[None], order[..., None], axis=2)
    by_id = np.argsort(-ids, axis=-1)
    return Block(
        requests,
        np.take_along_axis(ranks, order, axis=-1),
        shown,
        np.take_along_axis(member, by_id[..., None], axis=1),
    )


def members(positions: Positions, rel: float | None) -> Members:
    """Which subtopics each entry is relevant to: [entry, subtopic], subtopics numbered within their request."""
    rows = positions.subtopics
    assert rows is not None
    level = positions.min_grade if rel is None else rel
    kept = is_relevant(rows.grade, level)
    entry, label = rows.entry[kept], rows.label[kept].astype(np.int64)
    request = positions.layout.request[entry]
    pairs, which = np.unique(request * len(rows.labels) + label, return_inverse=True)
    of_request = pairs // max(len(rows.labels), 1)
    first = np.searchsorted(of_request, of_request)
    number = np.arange(len(pairs)) - first
    found = np.zeros((len(positions.item), int(number.max(initial=-1)) + 1), dtype=bool)
    found[entry, number[which.ravel()]] = True
    return found
