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
from tiebreak.projection.proportional import aspect_sums, removal_places
from tiebreak.projection.sampling import fingerprints, mix, number_kept
from tiebreak.studies._ideal_rankings import PERTURBATIONS, Rater, whole_ratings

Entries = NDArray[np.int64]
"""Places in all ratings, [system, user, rank]."""
Kept = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Raters:
    """Users with a rating above 0 of an item with an aspect; `left_out` counts other users and ratings."""

    requests: Ids
    table: AspectTable
    rated: Ratings
    profile: Ratings | None
    largest: float
    left_out: tuple[int, int]

    @classmethod
    def from_judgements(
        cls, judgements: Judgements, aspects: Mapping[str, Sequence[str]], profile: Judgements | None
    ) -> Raters:
        table = AspectTable.from_aspects({item: labels for item, labels in aspects.items() if labels})
        has_any = table.codes(judgements.items)[judgements.item] < len(table.items)
        users = np.unique(judgements.request[has_any & (judgements.grade > 0)])
        if not len(users):
            raise InputError(
                "no item that was rated above 0 has an aspect. Give the aspects of rated items.", kind="empty"
            )
        requests = Ids.from_names(judgements.requests[int(r)] for r in users)
        rated = Ratings.from_judgements(judgements, requests, table)
        liked = None if profile is None else Ratings.from_judgements(profile, requests, table)
        left_out = len(judgements.requests) - len(users), int((~has_any).sum())
        rated = select(rated, rated.item < len(table.items))
        return cls(requests, table, rated, liked, float(judgements.grade.max()), left_out)

    @cached_property
    def users(self) -> list[Rater]:
        """Every user, with the ideal ordering of what was rated."""
        labels = len(self.table.labels)
        slots = [tuple(a for a in row if a < labels) for row in np.sort(self.table.of_item, axis=1).tolist()]
        rated, liked = (by_user(ratings, slots) for ratings in (self.rated, self.interests(self.rated)))
        return [
            Rater(ratings, aspects, aspect_sums(*profile, labels))
            for (ratings, aspects), profile in zip(rated, liked, strict=True)
        ]

    def interests(self, rated: Ratings) -> Ratings:
        """The ratings that tell which aspects users like."""
        return rated if self.profile is None else self.profile

    def rankings(self, entry: Entries) -> AspectRankings:
        """Systems that list these entries of what was rated."""
        names = tuple(f"s{run}" for run in range(len(entry)))
        item, rating = (
            np.append(part, none)[entry] for part, none in ((self.rated.item, NOBODY), (self.rated.rating, np.nan))
        )
        profile = self.interests(self.rated)
        return AspectRankings(names, self.requests, self.table, item, rating, self.rated, profile, self.largest)

    def keep_ratings(self, rankings: AspectRankings, entry: Entries, kept: Kept) -> AspectRankings:
        """The rankings of these entries where only some ratings are kept."""
        rated = select(self.rated, kept)
        rating = np.append(np.where(kept, self.rated.rating, np.nan), np.nan)[entry]
        return replace(rankings, rating=rating, rated=rated, profile=self.interests(rated))

    def perturb(self, perturbation: str, steps: int, length: int) -> Entries:
        """Entries [steps + 1, user, rank] of the ideal and perturbed rankings; NOBODY where ratings are too few."""
        longest = int(np.diff(self.rated.starts).max())
        length, steps = min(length, longest), min(steps, max(longest, len(self.table.labels)))
        entry = np.full((steps + 1, len(self.requests), length), NOBODY, dtype=np.int64)
        for u, (user, start) in enumerate(zip(self.users, self.rated.starts.tolist(), strict=False)):
            worse = PERTURBATIONS[perturbation](user, length)
            for s, order in enumerate(chain([user.ideal[:length]], islice(worse, steps))):
                entry[s, u, : len(order)] = np.array(order) + start
        return entry

    def shuffle(self, systems: int, length: int, seed: int, is_shared: bool) -> Entries:
        """Entries of random orders of the first items of every ideal ranking.

        Where a system shuffles ranks, shared by all users, shorter rankings keep the order of the ranks that they have.
        """
        ideal = self.perturb("bottom to top", 0, length)[0]
        ranks = fingerprints(Ids.from_names(str(rank) for rank in range(1, ideal.shape[1] + 1)))
        entry = np.full((systems, *ideal.shape), NOBODY, dtype=np.int64)
        for system in range(systems):
            draw = f"{seed} system {system}"
            number = mix(ranks, np.uint64(0), draw) if is_shared else self.random(draw)[ideal]
            chance = np.where(ideal == NOBODY, 2.0, number)
            entry[system] = np.take_along_axis(ideal, np.argsort(chance, axis=1, kind="stable"), axis=1)
        return entry

    def removal(self, seed: str) -> NDArray[np.int64]:
        """When each entry is taken away from its user's, from 0: aspects lose in proportion to how often they occur."""
        slots = self.table.of_item[self.rated.item]
        return removal_places(self.rated.starts, slots, len(self.table.labels), self.random(seed))

    def keep(self, removal: NDArray[np.int64], share: float) -> Kept:
        """Which entries are left after a share of every user's was taken away, at least one of each user's."""
        sizes = np.diff(self.rated.starts)
        kept: Kept = removal >= np.repeat(sizes - number_kept(sizes, 1 - share), sizes)
        return kept

    def random(self, seed: str) -> Floats:
        """A number in [0, 1) for every entry, by its user and item alone."""
        users, items = self.fingerprints
        return mix(users[self.rated.request], items[self.rated.item], seed)

    @cached_property
    def fingerprints(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        return fingerprints(self.requests), fingerprints(self.table.items)


def select(ratings: Ratings, kept: Kept) -> Ratings:
    """Some of the ratings."""
    sizes = np.bincount(ratings.request[kept], minlength=len(ratings.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return replace(ratings, starts=starts, item=ratings.item[kept], rating=ratings.rating[kept])


def by_user(ratings: Ratings, slots: list[tuple[int, ...]]) -> list[tuple[list[int], list[tuple[int, ...]]]]:
    """The ratings, in whole numbers, and the aspects of every user's items."""
    whole = whole_ratings(np.unique(ratings.rating).tolist())
    numbers = [whole[rating] for rating in ratings.rating.tolist()]
    aspects = [slots[item] for item in ratings.item.tolist()]
    return [(numbers[a:b], aspects[a:b]) for a, b in pairwise(ratings.starts.tolist())]
