"""Simulated systems as rankings of what users rated: perturbed step by step, or shuffled; and ratings taken away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, pairwise

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.inputs import Ids, Judgements
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings, AspectTable, Ratings
from tiebreak.projection.primitives import Floats
from tiebreak.projection.sampling import fingerprints, mix, number_kept
from tiebreak.studies.perturbed.ordering import Order, Rater, proportional, summed, whole_ratings
from tiebreak.studies.perturbed.perturbations import PERTURBATIONS

Entries = NDArray[np.int64]
Kept = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Raters:
    """Users with what they rated, and which aspects they like.

    Attributes
    ----------
    requests : Ids
        The users with a rating above 0 of an item that has an aspect; only items with aspects are kept.
    rated : Ratings
    profile : Ratings or None
        Ratings that tell which aspects a user likes; None for those that are evaluated.
    largest : float
        The largest rating that was given.
    left_out : (int, int)
        Users without such a rating, and ratings of items without an aspect.
    """

    requests: Ids
    table: AspectTable
    rated: Ratings
    profile: Ratings | None
    largest: float
    left_out: tuple[int, int]

    @classmethod
    def of(cls, judgements: Judgements, aspects: Mapping[str, Sequence[str]], profile: Judgements | None) -> Raters:
        table = AspectTable.from_aspects({item: named for item, named in aspects.items() if named})
        has_any = table.codes(judgements.items)[judgements.item] < len(table.items)
        there = np.unique(judgements.request[has_any & (judgements.grade > 0)])
        if not len(there):
            raise InputError(
                "no item that was rated above 0 has an aspect. Give the aspects of rated items.", kind="empty"
            )
        requests = Ids.from_names(judgements.requests[int(r)] for r in there)
        rated = Ratings.from_judgements(judgements, requests, table)
        known = rated.item < len(table.items)
        liked = None if profile is None else Ratings.from_judgements(profile, requests, table)
        largest = float(judgements.grade.max())
        left_out = len(judgements.requests) - len(there), int((~has_any).sum())
        return cls(requests, table, kept_of(rated, known), liked, largest, left_out)

    @cached_property
    def each(self) -> list[Rater]:
        """Every user, with the ideal ordering of what was rated."""
        labels = len(self.table.labels)
        slots = [tuple(a for a in row if a < labels) for row in np.sort(self.table.of_item, axis=1).tolist()]
        profile = self.rated if self.profile is None else self.profile
        rated, liked = (in_parts(of, slots) for of in (self.rated, profile))
        return [
            Rater(ratings, aspects, summed(*of_profile, labels))
            for (ratings, aspects), of_profile in zip(rated, liked, strict=True)
        ]

    @cached_property
    def interested(self) -> Kept:
        """Which users' profiles tell an interest."""
        return np.array([any(user.liked) for user in self.each])

    def rankings(self, entry: Entries, kept: Kept | None = None) -> AspectRankings:
        """Systems that list these entries [run, request, rank] of what was rated, where only some ratings are kept."""
        there = entry != NOBODY
        item = np.where(there, self.rated.item[entry], NOBODY)
        known = there if kept is None else there & kept[entry]
        rating = np.where(known, self.rated.rating[entry], np.nan)
        rated = self.rated if kept is None else kept_of(self.rated, kept)
        names = tuple(f"s{run}" for run in range(len(entry)))
        profile = rated if self.profile is None else self.profile
        return AspectRankings(names, self.requests, self.table, item, rating, rated, profile, self.largest)

    def perturbed(self, perturbation: str, steps: int, length: int) -> Entries:
        """Entries [steps + 1, request, rank] of the ideal ranking and of 1, 2, ... perturbations of it.

        No item is listed for a user whose ratings are too few for so many. No list is longer than what was rated, nor
        can be perturbed more often.
        """
        longest = int(np.diff(self.rated.starts).max())
        length, steps = min(length, longest), min(steps, max(longest, len(self.table.labels)))
        entry = np.full((steps + 1, len(self.requests), length), NOBODY, dtype=np.int64)
        for u, (user, start) in enumerate(zip(self.each, self.rated.starts.tolist(), strict=False)):
            worse = PERTURBATIONS[perturbation](user, length)
            for s, order in enumerate(chain([user.ideal[:length]], islice(worse, steps))):
                entry[s, u, : len(order)] = order
                entry[s, u, : len(order)] += start
        return entry

    def shuffled(self, systems: int, length: int, seed: int) -> Entries:
        """Entries [system, request, rank] of random orders of the first items of every ideal ranking."""
        ideal = self.perturbed("bottom to top", 0, length)[0]
        entry = np.full((systems, *ideal.shape), NOBODY, dtype=np.int64)
        for system in range(systems):
            chance = np.where(ideal == NOBODY, 2.0, self.drawn(f"{seed} system {system}")[ideal])
            entry[system] = np.take_along_axis(ideal, np.argsort(chance, axis=1, kind="stable"), axis=1)
        return entry

    def removal(self, seed: str) -> NDArray[np.int64]:
        """When each entry is taken away from its user's, from 0: aspects lose in proportion to how often they occur."""
        place = np.empty(len(self.rated.item), dtype=np.int64)
        drawn = self.drawn(seed)
        for user, start in zip(self.each, self.rated.starts.tolist(), strict=False):
            size = len(user.ratings)
            order: Order = np.argsort(drawn[start : start + size], kind="stable").tolist()
            once = [1] * size
            occurs = summed(once, user.aspects, len(user.liked))
            taken = [item for item, _ in proportional(order, user.aspects, once, occurs)]
            place[start + np.array(taken)] = np.arange(size)
        return place

    def left(self, removal: NDArray[np.int64], share: float) -> Kept:
        """Which entries are left after a share of every user's was taken away, at least one of each user's."""
        sizes = np.diff(self.rated.starts)
        kept: Kept = removal >= np.repeat(sizes - number_kept(sizes, 1 - share), sizes)
        return kept

    def drawn(self, seed: str) -> Floats:
        """A number in [0, 1) for every entry, by its user and item alone."""
        users, items = self.fingerprints
        return mix(users[self.rated.request], items[self.rated.item], seed)

    @cached_property
    def fingerprints(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        return fingerprints(self.requests), fingerprints(Ids.from_names(self.table.items))


def kept_of(rated: Ratings, kept: Kept) -> Ratings:
    """Some of what was rated."""
    sizes = np.bincount(rated.request[kept], minlength=len(rated.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return replace(rated, starts=starts, item=rated.item[kept], rating=rated.rating[kept])


def in_parts(rated: Ratings, slots: list[tuple[int, ...]]) -> list[tuple[list[int], list[tuple[int, ...]]]]:
    """The ratings, in whole numbers, and the aspects of every user's items."""
    whole = whole_ratings(np.unique(rated.rating).tolist())
    ratings = [whole[rating] for rating in rated.rating.tolist()]
    aspects = [slots[item] for item in rated.item.tolist()]
    bounds = rated.starts.tolist()
    return [(ratings[a:b], aspects[a:b]) for a, b in pairwise(bounds)]
