"""Rankings that are step by step worse than the ideal one (AB 5.2.1-5.2.3).

A perturbation yields the rankings of 1, 2, ... steps, and ends where the user's list is too short for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from tiebreak.errors import InputError
from tiebreak.studies.perturbed.ordering import Order, Rater, rater

Item = TypeVar("Item")
Perturbation = Callable[[Rater, int], Iterator[Order]]


def bottom_to_top(user: Rater, k: int) -> Iterator[Order]:
    """The s-th item of the ideal ranking of size k changes places with the s-th from its end, for s up to k/2."""
    yield from ends_swapped(user.ideal[:k])


def ends_swapped(ideal: Sequence[Item]) -> Iterator[list[Item]]:
    order = list(ideal)
    for s in range(len(order) // 2):
        order[s], order[-1 - s] = order[-1 - s], order[s]
        yield order.copy()


def redundant(user: Rater, k: int) -> Iterator[Order]:
    """Where the ideal ranking first turns to another aspect, s more of the best items of the aspect before it."""
    chosen = [aspect for _, aspect in user.picks[:k]]
    turn = next((p for p in range(1, len(chosen)) if chosen[p] != chosen[p - 1]), None)
    if turn is None:
        return
    order = user.ideal.copy()
    above = set(order[:turn])
    left = (item for item in user.best_of(chosen[turn - 1]) if item not in above)
    # Not strict: it ends where the ranking does, or where no item of the aspect is left.
    for place, item in zip(range(turn, len(chosen)), left, strict=False):
        swap(order, place, item)
        yield order[:k]


def swapped_aspect(user: Rater, k: int) -> Iterator[Order]:
    """First the best item of the s-th most liked aspect that the ideal ranking's first item does not show."""
    if not user.ideal:
        return
    shown = user.aspects[user.ideal[0]]
    others = (a for a in range(len(user.liked)) if user.liked[a] > 0 and a not in shown)
    for aspect in sorted(others, key=lambda a: -user.liked[a]):
        if (item := next(user.best_of(aspect), None)) is not None:
            order = user.ideal.copy()
            swap(order, 0, item)
            yield order[:k]


def swap(order: Order, place: int, item: int) -> None:
    """Put an item at a place, and what stood there where the item was."""
    order[order.index(item)], order[place] = order[place], item


PERTURBATIONS: dict[str, Perturbation] = {
    "bottom to top": bottom_to_top,
    "redundant aspect": redundant,
    "swapped aspects": swapped_aspect,
}


def perturb_bottom_top(ideal: Sequence[Item], s: int) -> list[Item] | None:
    """An ideal ranking with s items swapped from bottom to top; None where it is too short.

    Examples
    --------
    >>> perturb_bottom_top(["a", "b", "c", "d"], 1)
    ['d', 'b', 'c', 'a']
    """
    return list(ideal) if steps_of(s) == 0 else next(islice(ends_swapped(ideal), s - 1, None), None)


def perturb_redundant(
    ratings: Mapping[str, float], aspects: Mapping[str, Iterable[str]], k: int, s: int
) -> list[str] | None:
    """The ideal ranking of size k with s redundant items; None where there are not so many.

    Examples
    --------
    >>> perturb_redundant({"a": 4, "b": 3, "c": 2}, {"a": ["war"], "b": ["war"], "c": ["love"]}, k=3, s=1)
    ['a', 'b', 'c']
    """
    return perturbed(redundant, ratings, aspects, k, s)


def perturb_aspect(
    ratings: Mapping[str, float], aspects: Mapping[str, Iterable[str]], k: int, s: int
) -> list[str] | None:
    """The ideal ranking of size k that begins with the s-th next liked aspect; None where there is none.

    Examples
    --------
    >>> perturb_aspect({"a": 4, "b": 3, "c": 2}, {"a": ["war"], "b": ["war"], "c": ["love"]}, k=3, s=1)
    ['c', 'a', 'b']
    """
    return perturbed(swapped_aspect, ratings, aspects, k, s)


def perturbed(
    perturbation: Perturbation, ratings: Mapping[str, float], aspects: Mapping[str, Iterable[str]], k: int, s: int
) -> list[str] | None:
    items, user = rater(ratings, aspects)
    found = user.ideal[:k] if steps_of(s) == 0 else next(islice(perturbation(user, k), s - 1, None), None)
    return None if found is None else [items[i] for i in found]


def steps_of(s: int) -> int:
    if isinstance(s, bool) or not isinstance(s, int) or s < 0:
        raise InputError(f"s={s!r}. Give the number of perturbations: a whole number from 0.", kind="size")
    return s
