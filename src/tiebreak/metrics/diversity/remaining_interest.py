"""What users have left of their interests while they walk down rankings, many rankings at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tiebreak.metrics.diversity.base import Codes
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings, AspectTable
from tiebreak.projection.primitives import Floats

RANKINGS_AT_ONCE = 1 << 13
"""So many that the interests of their users stay in the cache."""
Cells = slice | Codes


class Rankings(NamedTuple):
    """Some rankings, the longest first."""

    rows: Codes  # their places among all [run, request]
    requests: Codes
    item: Codes  # [ranking, rank]
    rating: Floats
    sizes: list[int]  # how many of the rankings have an item at every rank: the first ones


def longest_first(rankings: AspectRankings, depth: int) -> Iterator[Rankings]:
    """The first items of all rankings, those of about the same length together."""
    users, listed = rankings.item.shape[1:]
    item, rating = rankings.item.reshape(-1, listed), rankings.rating.reshape(-1, listed)
    lengths = (item[:, :depth] != NOBODY).sum(axis=1)
    order = np.argsort(-lengths, kind="stable")
    for begin in range(0, len(item), RANKINGS_AT_ONCE):
        rows = order[begin : begin + RANKINGS_AT_ONCE]
        longest = int(lengths[rows[0]])
        sizes = np.searchsorted(-lengths[rows], -np.arange(longest)).tolist()
        yield Rankings(rows, rows % users, item[rows, :longest], rating[rows, :longest], sizes)


class RemainingInterest:
    """How much of their interests users have left, [user, aspect], the last aspect being none."""

    def __init__(self, interest: Floats, table: AspectTable) -> None:
        self.table = table
        self.left = interest.ravel().copy()
        self.start = np.arange(0, len(self.left), interest.shape[1])

    def places(self, item: Codes) -> Iterator[tuple[Cells, Codes]]:
        """The first, second, ... aspects of items [user, ...]: which items have one, and where it stands in `left`."""
        start = np.broadcast_to(self.start[: len(item)].reshape(-1, *[1] * (item.ndim - 1)), item.shape).ravel()
        flat = item.ravel()
        aspects = self.table.n_aspects.take(flat)
        for k in range(int(aspects.max(initial=0))):
            some = np.flatnonzero(aspects > k)
            cells = slice(None) if len(some) == len(flat) else some
            yield cells, start[cells] + self.table.slots[k].take(flat[cells])

    def gain(self, places: list[tuple[Cells, Codes]], chance: Floats) -> Floats:
        """The probability [user, candidate] that an item serves an interest that is left (AB eq 8)."""
        missed, flat = np.ones(chance.size), chance.ravel()
        for cells, place in places:
            served = self.left.take(place)
            served *= flat[cells]
            missed[cells] *= np.subtract(1, served, out=served)
        gain: Floats = np.subtract(1, missed, out=missed).reshape(chance.shape)
        return gain

    def show(self, item: Codes, chance: Floats) -> Floats:
        """Show one item to each of the first users, which serves what it can (AB eq 7); the probability of any."""
        missed = np.ones(len(chance))
        for cells, place in self.places(item):
            wanted = self.left.take(place)
            served = chance[cells] * wanted
            self.left[place] = wanted - served
            missed[cells] *= 1 - served
        gain: Floats = 1 - missed
        return gain

    def total_interest(self, item: Codes) -> Floats:
        """The interest of each of the first users in the aspects of one item."""
        wanted = np.zeros(len(item))
        for cells, place in self.places(item):
            wanted[cells] += self.left.take(place)
        return wanted

    def multiply(self, item: Codes, factor: Floats) -> None:
        """Multiply the interest of each of the first users in the aspects of one item."""
        for cells, place in self.places(item):
            self.left[place] *= factor[cells]
