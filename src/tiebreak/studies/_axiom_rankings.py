"""Short rankings of items with a rating and aspects, for a user with some interest in each: what axioms compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain, combinations, groupby, product
from typing import NamedTuple, TypeAlias

import numpy as np

R_MAX = 5
"""Ratings are from 0, not relevant, to 5."""
ASPECTS = "abc"
LONGEST_RANDOM = 8
LONGEST_HALF = 12
"""Half the length of the longest ranking for the two axioms of top-heaviness."""


class Item(NamedTuple):
    """An item: its rating, None where there is none, and the aspects that it shows."""

    rating: int | None
    aspects: frozenset[str]

    def __str__(self) -> str:
        return f"{'?' if self.rating is None else self.rating}:{'+'.join(sorted(self.aspects)) or 'none'}"


Items: TypeAlias = tuple[Item, ...]
Interest: TypeAlias = Mapping[str, Fraction]
"""w(u, a): above 0 for every aspect, 1 in all."""


class Ranking(NamedTuple):
    """A ranking for one user."""

    items: Items
    interest: Interest


class Pair(NamedTuple):
    """Two rankings for one user: an axiom says that `better` has the higher value."""

    better: Items
    worse: Items
    interest: Interest

    def below(self, depth: int) -> Pair:
        """The pair below `depth` items that have no aspects and are not relevant."""
        above = (NOTHING,) * depth
        return Pair(above + self.better, above + self.worse, self.interest)

    def size(self) -> tuple[object, ...]:
        """What makes a pair harder to check by hand, the most important first."""
        items = (*self.better, *self.worse)
        is_equal = [x == y for x, y in zip(self.better, self.worse, strict=True)]
        return (
            len(is_equal),
            is_equal.index(False),
            len(self.interest),
            sum(len(item.aspects) for item in items),
            max(share.denominator for share in self.interest.values()),
            sum(item.rating or 0 for item in items),
            format_ranking(self.better),
        )


NOTHING = Item(0, frozenset())
"""An item that is worth nothing, by any measure."""


def item(rating: int | None, aspects: str) -> Item:
    """An item by the letters of its aspects."""
    return Item(rating, frozenset(aspects))


def shares(*parts: int) -> Interest:
    """The interest in a, b, ... in proportion to some whole numbers."""
    return {ASPECTS[k]: Fraction(part, sum(parts)) for k, part in enumerate(parts)}


def swap(items: Items, p: int, q: int) -> Items:
    """The ranking with two items in each other's place."""
    order = list(items)
    order[p], order[q] = order[q], order[p]
    return tuple(order)


def format_ranking(items: Items) -> str:
    """A ranking as text; more than three equal neighbours once, with their number."""
    parts: list[str] = []
    for first, equal in groupby(items):
        number = len(list(equal))
        parts += [f"{number} x {first}"] if number > 3 else [str(first)] * number
    return f"[{', '.join(parts)}]"


def format_interest(interest: Interest) -> str:
    """Interests as text; equal ones of many aspects once."""
    if len(interest) > len(ASPECTS) and len(set(interest.values())) == 1:
        return f"each of {len(interest)} aspects {next(iter(interest.values()))}"
    return ", ".join(f"{aspect} {share}" for aspect, share in interest.items())


class Grid(NamedTuple):
    """Items of these ratings and aspects make all rankings of a length, for users of these interests."""

    length: int
    ratings: tuple[int | None, ...]
    aspects: tuple[str, ...]
    interests: tuple[Interest, ...]

    def rankings(self) -> Iterator[Ranking]:
        kinds = [item(rating, aspects) for rating, aspects in product(self.ratings, self.aspects)]
        for items, interest in product(product(kinds, repeat=self.length), self.interests):
            yield Ranking(items, interest)


EVEN, TWICE, ONE_SIDED = shares(1, 1), shares(2, 1), shares(9, 1)
GRIDS = (
    Grid(2, (None, 0, 1, 2, 4, 5), ("a", "b", "ab"), (EVEN, TWICE, ONE_SIDED)),
    Grid(2, (None, 0, 1, 5), ("a", "b", "abc"), (shares(1, 1, 1),)),
    Grid(3, (None, 0, 1, 4, 5), ("a", "b", "ab"), (EVEN, TWICE, ONE_SIDED)),
    Grid(4, (None, 0, 1, 5), ("a", "b"), (EVEN, TWICE)),
    Grid(5, (None, 0, 1, 5), ("a",), (shares(1),)),
    Grid(6, (0, 1, 5), ("a",), (shares(1),)),
)
"""The longer, the fewer kinds of items."""


def random_rankings(lists: int, seed: int) -> Iterator[Ranking]:
    """Rankings of a few kinds of items each, so that axioms apply to many of them."""
    rng = np.random.default_rng(seed)
    ratings = (None, *range(R_MAX + 1))
    for _ in range(lists):
        length, aspects, kinds = (int(rng.integers(*bounds)) for bounds in ((2, LONGEST_RANDOM + 1), (1, 4), (2, 5)))
        interest = shares(*(int(part) for part in rng.integers(1, 10, size=aspects)))
        subsets = [
            frozenset(some)
            for some in chain.from_iterable(combinations(interest, size) for size in range(1, aspects + 1))
        ]
        # Small sets twice as often as large ones: most axioms are about items of one aspect.
        items = [
            Item(ratings[int(rng.integers(len(ratings)))], subsets[int(min(rng.integers(len(subsets), size=2)))])
            for _ in range(kinds)
        ]
        yield Ranking(tuple(items[int(k)] for k in rng.integers(kinds, size=length)), interest)


def with_one_aspect() -> Iterator[Ranking]:
    """A low and a high rating, with others between; for Deep the same two again."""
    for low in (0, 1, 4):
        for between in ((), (5,), (5, 5), (low, 5), (5, low)):
            yield Ranking(tuple(item(rating, "a") for rating in (low, *between, 5)), EVEN)
        yield Ranking(tuple(item(rating, "a") for rating in (low, 5, 5, 5, low, 5)), EVEN)


def with_repeated_aspect() -> Iterator[Ranking]:
    """An aspect shown up to ten times, then the other with a lower rating before it."""
    for times in range(1, 11):
        for low in (4, 1):
            yield Ranking((*[item(5, "a")] * times, item(low, "b"), item(5, "a")), EVEN)


def with_one_relevant() -> Iterator[Ranking]:
    """(r, 0, ..., 0), where all show one aspect, or every rank one of its own."""
    for half in range(1, LONGEST_HALF + 1):
        own = [f"a{rank}" for rank in range(1, 2 * half + 1)]
        even = {aspect: Fraction(1, 2 * half) for aspect in own}
        for rating in range(1, R_MAX + 1):
            ratings = (rating, *[0] * (2 * half - 1))
            yield Ranking(tuple(item(r, "a") for r in ratings), shares(1))
            yield Ranking(tuple(Item(r, frozenset([a])) for r, a in zip(ratings, own, strict=True)), even)


def with_two_aspects() -> Iterator[Ranking]:
    """Equal ratings: of either aspect, and of one or both."""
    for interest in (EVEN, TWICE, ONE_SIDED):
        for rating in (1, 5):
            yield Ranking((item(rating, "a"), item(rating, "b")), interest)
            yield Ranking((item(rating, "a"), item(rating, "ab")), interest)


def with_missing_rating() -> Iterator[Ranking]:
    """Items that use up some of the aspects of the one without a rating are ranked above it."""
    for rating in (1, 5):
        for between in ((), ("a",), ("ab",), ("a", "b"), ("a", "a"), ("a", "b", "a")):
            for aspects in ("a", "ab"):
                above = (item(rating, shown) for shown in between)
                yield Ranking((item(0, "a"), *above, item(None, aspects)), EVEN)
