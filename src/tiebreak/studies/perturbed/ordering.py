"""The ideal ordering of what a user rated: each next item serves the aspect that is most behind (AB 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, lcm

from tiebreak.errors import InputError, quote
from tiebreak.inputs import read_aspects

Order = list[int]


@dataclass(frozen=True)
class Rater:
    """One user.

    Attributes
    ----------
    ratings : sequence of int
        Of the items in the order of their ids, in whole numbers of one unit: so that ties are decided on integers.
    aspects : sequence of tuples of int
        Of the same items: at least one each, numbered in the order of their names.
    liked : sequence of int
        How much of the user's ratings each aspect has: AB eq 9, before it is divided by their sum.
    """

    ratings: Sequence[int]
    aspects: Sequence[tuple[int, ...]]
    liked: Sequence[int]

    @cached_property
    def best_first(self) -> Order:
        """Items by rating, then by the number of their aspects, then by id."""
        return sorted(range(len(self.ratings)), key=lambda i: (-self.ratings[i], -len(self.aspects[i]), i))

    @cached_property
    def picks(self) -> list[tuple[int, int]]:
        """The ideal ordering of all items, each with the aspect that it was taken for."""
        weights = [max(rating, 0) for rating in self.ratings]
        return list(proportional(self.best_first, self.aspects, weights, self.liked))

    @cached_property
    def ideal(self) -> Order:
        """The ideal ordering of all items."""
        return [item for item, _ in self.picks]

    def best_of(self, aspect: int) -> Iterator[int]:
        """The items with an aspect, the best first."""
        return (item for item in self.best_first if aspect in self.aspects[item])


def proportional(
    order: Order, aspects: Sequence[tuple[int, ...]], weights: Sequence[int], liked: Sequence[int]
) -> Iterator[tuple[int, int]]:
    r"""All items, each the first that is left of the aspect that lacks most of its share, with that aspect.

    .. math:: \arg\max_a \; w(u, a) - w(\text{items so far}, a)

    where w is the share of an aspect in all weights (AB eq 9). Items that were taken leave the lists of all their
    aspects, empty lists are skipped, and of equal aspects the first is chosen.
    """
    lists: dict[int, Order] = {a: [] for a in range(len(liked))}
    for item in reversed(order):  # the next to take stands last
        for a in aspects[item]:
            lists[a].append(item)
    shown, taken = [0] * len(liked), set[int]()
    # Both shares times both sums, so that whole numbers are compared; a sum of 0 has shares of 0.
    whole, so_far = sum(liked) or 1, 0
    while lists := {a: listed for a, listed in lists.items() if without_last(listed, taken)}:
        chosen = max(lists, key=lambda a: (liked[a] * (so_far or 1) - shown[a] * whole, -a))
        item = lists[chosen].pop()
        taken.add(item)
        for a in aspects[item]:
            shown[a] += weights[item]
        so_far += weights[item] * len(aspects[item])
        yield item, chosen


def without_last(listed: Order, taken: set[int]) -> Order:
    """The list after what was taken has left its end."""
    while listed and listed[-1] in taken:
        listed.pop()
    return listed


def whole_ratings(ratings: Iterable[float]) -> dict[float, int]:
    """Every rating as it is written, in whole numbers of one unit.

    Examples
    --------
    >>> whole_ratings([3.5, 4.0, 0.1])
    {3.5: 35, 4.0: 40, 0.1: 1}
    """
    exact = {rating: Fraction(repr(float(rating))) for rating in ratings}
    unit = lcm(*(value.denominator for value in exact.values()))
    return {rating: int(value * unit) for rating, value in exact.items()}


def rater(ratings: Mapping[str, float], aspects: Mapping[str, Iterable[str]]) -> tuple[list[str], Rater]:
    """One user's items with an aspect, in the order of their ids, and the user; interests are those of the ratings."""
    for item, rating in ratings.items():
        if isinstance(rating, bool) or not isinstance(rating, (int, float)) or not isfinite(rating):
            raise InputError(f"the rating of {quote(str(item))} is {rating!r}. Give a finite number.", kind="score")
    known = read_aspects(aspects)
    items = sorted((item for item in ratings if known.get(item)), key=lambda item: item.encode())
    labels = sorted({label for item in items for label in known[item]})
    place = {label: k for k, label in enumerate(labels)}
    whole = whole_ratings(ratings.values())
    of_items = [tuple(sorted({place[label] for label in known[item]})) for item in items]
    in_order = [whole[ratings[item]] for item in items]
    return items, Rater(in_order, of_items, summed(in_order, of_items, len(labels)))


def summed(ratings: Sequence[int], aspects: Sequence[tuple[int, ...]], labels: int) -> list[int]:
    """How much of the ratings each aspect has: AB eq 9, before it is divided by their sum."""
    found = [0] * labels
    for rating, shown in zip(ratings, aspects, strict=True):
        for a in shown:
            found[a] += max(rating, 0)
    return found


def ideal_ordering(
    ratings: Mapping[str, float], aspects: Mapping[str, Iterable[str]], k: int | None = None
) -> list[str]:
    """The first k items of the ideal ordering of one user's ratings (AB 5.1).

    Examples
    --------
    War has 7/9 of the ratings and love 2/9: after the best film of war, love lacks more.

    >>> ideal_ordering({"a": 4, "b": 3, "c": 2}, {"a": ["war"], "b": ["war"], "c": ["love"]})
    ['a', 'c', 'b']
    """
    items, user = rater(ratings, aspects)
    return [items[i] for i in user.ideal[:k]]
