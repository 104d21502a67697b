"""The axioms (AB 4.1): which pairs of rankings each one orders, as two rankings that differ by the swap it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

from tiebreak.studies.axiomatic.rankings import (
    EVEN,
    ONE_SIDED,
    R_MAX,
    TWICE,
    Item,
    Items,
    Pair,
    Ranking,
    item,
    shares,
    swapped,
)

ALPHA, BETA = Fraction(1, 200), Fraction(1, 2)
"""Of the satisfaction s: the paper's, whatever the metric."""
LONGEST_HALF = 12
"""Of the rankings of the two axioms of top-heaviness."""


class Axiom(NamedTuple):
    """What a metric should respect.

    `pairs` are all that it orders of what can be made of one ranking by the swap that it names. An axiom that
    `is_existential` asks for one pair that a metric orders so, any other for all of them. `suggested` are rankings that
    it brings to mind.
    """

    name: str
    pairs: Callable[[Ranking], Iterator[Pair]]
    suggested: Callable[[], Iterator[Ranking]]
    is_existential: bool = False


def satisfaction(above: Items, aspect: str) -> Fraction:
    """s: how far a user is satisfied by items that show an aspect."""
    return 1 - prod((1 - served(item) for item in above if aspect in item.aspects), start=Fraction(1))


def served(item: Item) -> Fraction:
    """P(a | u, i) of an aspect that an item shows (AB eqs 5 and 6)."""
    return ALPHA if item.rating is None else BETA * item.rating / R_MAX


def priority(ranking: Ranking, least: int = 0) -> Iterator[Pair]:
    """Eq 17: of two items of the same one aspect, the one with the higher rating first."""
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        low, high = items[p].rating, items[q].rating
        is_ordered = low is not None and high is not None and least <= low < high
        if is_ordered and items[p].aspects == items[q].aspects and len(items[p].aspects) == 1:
            yield Pair(swapped(items, p, q), items, interest)


def deepness(ranking: Ranking) -> Iterator[Pair]:
    """Eq 18: the same swap of neighbours is worth more at the higher place."""
    items, interest = ranking
    for p, q in combinations(range(len(items) - 1), 2):
        low, high = items[p], items[p + 1]
        if (items[q], items[q + 1]) != (low, high) or low.aspects != high.aspects or len(low.aspects) != 1:
            continue
        if low.rating is not None and high.rating is not None and low.rating < high.rating:
            yield Pair(swapped(items, p, p + 1), swapped(items, q, q + 1), interest)


def saturation(ranking: Ranking) -> Iterator[Pair]:
    """Eq 19: the item with the lower rating first, where its aspect has been shown less.

    It is of no more interest than the other: else that could be the reason, and not what was shown.
    """
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        low, high = items[p], items[q]
        is_ordered = low.rating is not None and high.rating is not None and low.rating < high.rating
        if is_ordered and len(low.aspects) == len(high.aspects) == 1 and low.aspects != high.aspects:
            (of_low,), (of_high,) = low.aspects, high.aspects
            shown_less = satisfaction(items[:p], of_low) < satisfaction(items[:p], of_high)
            if shown_less and interest[of_low] <= interest[of_high]:
                yield Pair(items, swapped(items, p, q), interest)


def one_or_many(ranking: Ranking) -> Iterator[tuple[Items, Items]]:
    """Of (r, 0, ..., 0): itself, and (0, ..., 0, r, ..., r) with the same aspects at each rank."""
    items = ranking.items
    rating, half = items[0].rating, len(items) // 2
    if rating and len(items) == 2 * half and all(item.rating == 0 for item in items[1:]):
        many = (item._replace(rating=0 if rank < half else rating) for rank, item in enumerate(items))
        yield items, tuple(many)


def top_heaviness(ranking: Ranking) -> Iterator[Pair]:
    """Eq 20: one relevant item at the top before n relevant ones behind n others."""
    return (Pair(one, many, ranking.interest) for one, many in one_or_many(ranking))


def top_heaviness_complementary(ranking: Ranking) -> Iterator[Pair]:
    """Eq 21: m relevant items behind m others before one at the top."""
    return (Pair(many, one, ranking.interest) for one, many in one_or_many(ranking))


def aspect_relevance(ranking: Ranking) -> Iterator[Pair]:
    """Eq 22: of two items of one aspect each, rated alike, the one of more interest first.

    No other item above the lower of them shows either aspect: neither has been observed where they stand.
    """
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        if not items[p].rating or items[p].rating != items[q].rating:
            continue
        if not len(items[p].aspects) == len(items[q].aspects) == 1:
            continue
        (n,), (other,) = items[p].aspects, items[q].aspects
        observed = frozenset[str]().union(*(items[k].aspects for k in range(q) if k != p))
        if interest[n] > interest[other] and not observed & {n, other}:
            yield Pair(items, swapped(items, p, q), interest)


def more_aspects(ranking: Ranking) -> Iterator[Pair]:
    """Eq 23, its sign turned: of relevant neighbours rated alike, the one that also shows other aspects first."""
    items, interest = ranking
    for p in rated_alike(items):
        if items[p].aspects < items[p + 1].aspects:
            yield Pair(swapped(items, p, p + 1), items, interest)


def more_interest(ranking: Ranking) -> Iterator[Pair]:
    """Eq 23 for any aspects: the neighbour with more interest left, sum of w (1 - s), first."""
    items, interest = ranking
    for p in rated_alike(items):
        left = {aspect: share * (1 - satisfaction(items[:p], aspect)) for aspect, share in interest.items()}
        above, below = (sum(left[aspect] for aspect in items[k].aspects) for k in (p, p + 1))
        if above < below:
            yield Pair(swapped(items, p, p + 1), items, interest)


def rated_alike(items: Items) -> Iterator[int]:
    """Places of relevant items with some aspects whose rating the next one with some aspects equals."""
    for p, (above, below) in enumerate(pairwise(items)):
        if above.rating and above.rating == below.rating and above.aspects and below.aspects:
            yield p


def missing_over_non_relevant(ranking: Ranking) -> Iterator[Pair]:
    """Eq 24: an item without a rating before one that is not relevant; every aspect is of some interest."""
    items, interest = ranking
    for p, q in combinations(range(len(items)), 2):
        if items[p].rating == 0 and items[q].rating is None and items[q].aspects:
            yield Pair(swapped(items, p, q), items, interest)


def of_one_aspect() -> Iterator[Ranking]:
    """A low and a high rating, with others between; for Deep the same two again."""
    for low in (0, 1, 4):
        for between in ((), (5,), (5, 5), (low, 5), (5, low)):
            yield Ranking(tuple(item(rating, "a") for rating in (low, *between, 5)), EVEN)
        yield Ranking(tuple(item(rating, "a") for rating in (low, 5, 5, 5, low, 5)), EVEN)


def of_a_shown_aspect() -> Iterator[Ranking]:
    """An aspect shown up to ten times, then the other with a lower rating before it."""
    for shown in range(1, 11):
        for low in (4, 1):
            yield Ranking((*[item(5, "a")] * shown, item(low, "b"), item(5, "a")), EVEN)


def of_halves() -> Iterator[Ranking]:
    """(r, 0, ..., 0), where all show one aspect, or every rank one of its own."""
    for half in range(1, LONGEST_HALF + 1):
        own = [f"a{rank}" for rank in range(1, 2 * half + 1)]
        even = {aspect: Fraction(1, 2 * half) for aspect in own}
        for rating in range(1, R_MAX + 1):
            ratings = (rating, *[0] * (2 * half - 1))
            yield Ranking(tuple(item(r, "a") for r in ratings), shares(1))
            yield Ranking(tuple(Item(r, frozenset([a])) for r, a in zip(ratings, own, strict=True)), even)


def of_two_aspects() -> Iterator[Ranking]:
    """Equal ratings: of either aspect, and of one or both."""
    for interest in (EVEN, TWICE, ONE_SIDED):
        for rating in (1, 5):
            yield Ranking((item(rating, "a"), item(rating, "b")), interest)
            yield Ranking((item(rating, "a"), item(rating, "ab")), interest)


def of_missing_ratings() -> Iterator[Ranking]:
    """Items that use up some of the aspects of the one without a rating stand above it."""
    for rating in (1, 5):
        for between in ((), ("a",), ("ab",), ("a", "b"), ("a", "a"), ("a", "b", "a")):
            for shown in ("a", "ab"):
                above = (item(rating, aspects) for aspects in between)
                yield Ranking((item(0, "a"), *above, item(None, shown)), EVEN)


AXIOMS = (
    Axiom("Pri", priority, of_one_aspect),
    Axiom("Deep", deepness, of_one_aspect),
    Axiom("NonPriSatAsp", saturation, of_a_shown_aspect, True),
    Axiom("TopHeav", top_heaviness, of_halves, True),
    Axiom("TopHeavComp", top_heaviness_complementary, of_halves, True),
    Axiom("AspRel", aspect_relevance, of_two_aspects),
    Axiom("MoreAsp", more_aspects, of_two_aspects),
    Axiom("MissOverNon", missing_over_non_relevant, of_missing_ratings),
)
"""In the order of the paper."""
READINGS = (
    Axiom("Pri > 0", lambda ranking: priority(ranking, 1), of_one_aspect),
    Axiom("MoreAsp any", more_interest, of_two_aspects),
)
"""Readings beside those of the table: a narrower and a wider one."""
