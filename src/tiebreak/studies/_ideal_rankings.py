"""The ideal ordering of what a user rated, and rankings that are step by step worse (AB 5.1 and 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TypeVar

from tiebreak.projection.proportional import Order, proportional

Item = TypeVar("Item")


@dataclass(frozen=True)
class Rater:
    """One user: ratings and aspects of items in the order of their ids; whole numbers, so that ties are exact."""

    ratings: Sequence[int]
    aspects: Sequence[tuple[int, ...]]
    liked: Sequence[int]
    """How much of the user's ratings each aspect has: AB eq 9, before it is divided by their sum."""

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

    def best_with(self, aspect: int) -> Iterator[int]:
        """The items with an aspect, the best first."""
        return (item for item in self.best_first if aspect in self.aspects[item])


def whole_ratings(ratings: Iterable[float]) -> dict[float, int]:
    """Every rating as it is written, in whole numbers of one unit."""
    exact = {rating: Fraction(repr(float(rating))) for rating in ratings}
    unit = lcm(*(value.denominator for value in exact.values()))
    return {rating: int(value * unit) for rating, value in exact.items()}


def swap_ends(ideal: Sequence[Item]) -> Iterator[list[Item]]:
    """The s-th item is swapped with the s-th from the end, for s up to half the length."""
    order = list(ideal)
    for s in range(len(order) // 2):
        order[s], order[-1 - s] = order[-1 - s], order[s]
        yield order.copy()


def add_redundant(user: Rater, k: int) -> Iterator[Order]:
    """Where the ideal ranking first turns to another aspect, s more of the best items of the aspect before it."""
    chosen = [aspect for _, aspect in user.picks[:k]]
    turn = next((p for p in range(1, len(chosen)) if chosen[p] != chosen[p - 1]), None)
    if turn is None:
        return
    order = user.ideal.copy()
    above = set(order[:turn])
    left = (item for item in user.best_with(chosen[turn - 1]) if item not in above)
    # Not strict: it ends where the ranking does, or where no item of the aspect is left.
    for index, item in zip(range(turn, len(chosen)), left, strict=False):
        put(order, index, item)
        yield order[:k]


def swap_aspects(user: Rater, k: int) -> Iterator[Order]:
    """First the best item of the s-th most liked aspect that the ideal ranking's first item does not show."""
    if not user.ideal:
        return
    first = user.aspects[user.ideal[0]]
    others = (a for a in range(len(user.liked)) if user.liked[a] > 0 and a not in first)
    for aspect in sorted(others, key=lambda a: -user.liked[a]):
        if (item := next(user.best_with(aspect), None)) is not None:
            order = user.ideal.copy()
            put(order, 0, item)
            yield order[:k]


def put(order: Order, index: int, item: int) -> None:
    """Swap an item with the one at an index."""
    order[order.index(item)], order[index] = order[index], item


PERTURBATIONS: dict[str, Callable[[Rater, int], Iterator[Order]]] = {
    "bottom to top": lambda user, k: swap_ends(user.ideal[:k]),
    "redundant aspect": add_redundant,
    "swapped aspects": swap_aspects,
}
"""Rankings of 1, 2, ... steps of size k; each ends where the user's list is too short for the next."""
