"""Items one by one, so that aspects are taken in proportion to given shares (AB 5.1 and 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Order = list[int]


def proportional(
    order: Order, aspects: Sequence[tuple[int, ...]], weights: Sequence[int], liked: Sequence[int]
) -> Iterator[tuple[int, int]]:
    r"""All items, each the first that is left of the aspect that lacks most of its share, with that aspect.

    .. math:: \arg\max_a \; w(u, a) - w(\text{items so far}, a)

    where w is the share of an aspect in all weights (AB eq 9). Items that were taken leave the lists of all their
    aspects, empty lists are skipped, and of equal aspects the first is chosen.
    """
    lists: dict[int, Order] = {a: [] for a in range(len(liked))}
    for item in reversed(order):  # the next to take is the last
        for a in aspects[item]:
            lists[a].append(item)
    taken_weight, taken = [0] * len(liked), set[int]()
    # Both shares times both sums, so that whole numbers are compared; a sum of 0 has shares of 0.
    total, so_far = sum(liked) or 1, 0
    while lists := {a: items for a, items in lists.items() if drop_taken(items, taken)}:
        chosen = max(lists, key=lambda a: (liked[a] * (so_far or 1) - taken_weight[a] * total, -a))
        item = lists[chosen].pop()
        taken.add(item)
        for a in aspects[item]:
            taken_weight[a] += weights[item]
        so_far += weights[item] * len(aspects[item])
        yield item, chosen


def drop_taken(items: Order, taken: set[int]) -> Order:
    """The list after what was taken has left its end."""
    while items and items[-1] in taken:
        items.pop()
    return items


def aspect_sums(ratings: Sequence[int], aspects: Sequence[tuple[int, ...]], labels: int) -> list[int]:
    """How much of the ratings each aspect has: AB eq 9, before it is divided by their sum."""
    sums = [0] * labels
    for rating, of_item in zip(ratings, aspects, strict=True):
        for a in of_item:
            sums[a] += max(rating, 0)
    return sums


def removal_order(order: Order, aspects: Sequence[tuple[int, ...]], labels: int) -> Order:
    """Items in the order in which they are removed: aspects lose in proportion to how often they occur (AB 5.4).

    Each is the first in `order` of the aspect whose share of what was removed is furthest below its share of all.
    """
    once = [1] * len(aspects)
    return [item for item, _ in proportional(order, aspects, once, aspect_sums(once, aspects, labels))]
