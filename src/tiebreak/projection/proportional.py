"""Items one by one, so that aspects are taken in proportion to given shares (AB 5.1 and 5.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Order = list[int]
Places = NDArray[np.int64]
Floats = NDArray[np.float64]
CELLS_AT_ONCE = 1 << 22
"""Items of users times aspects, of which those left are remembered."""


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


def removal_places(starts: Places, slots: Places, labels: int, random: Floats) -> Places:
    """When each entry is removed from those of its user, from 0: aspects lose in proportion to how often they occur.

    A user's entries are ``starts[u]`` to ``starts[u + 1]``, and ``slots[entry]`` their aspects, `labels` for none. The
    next one is the one with the smallest random number of the aspect whose share of what was removed is furthest below
    its share of all (AB 5.4): it is `proportional` with weights of 1, for many users at once.
    """
    sizes = np.diff(starts)
    order = np.lexsort((random, np.repeat(np.arange(len(sizes)), sizes)))
    place = np.empty(len(order), dtype=np.int64)
    largest_first = np.argsort(-sizes, kind="stable")
    begin = 0
    while begin < len(sizes) and sizes[largest_first[begin]]:
        most = int(sizes[largest_first[begin]])
        users = largest_first[begin : begin + max(1, CELLS_AT_ONCE // (most * (labels + 1)))]
        is_there = np.arange(most) < sizes[users, None]
        entries = order[np.where(is_there, starts[users, None] + np.arange(most), 0)]
        is_left = np.zeros((len(users), labels + 1, most), dtype=bool)  # which items of an aspect are left, in order
        np.put_along_axis(is_left, slots[entries].swapaxes(1, 2), is_there[:, None, :], axis=1)
        removed = remove_in_turn(is_left[:, :labels], sizes[users])
        place[entries[is_there]] = removed[is_there]
        begin += len(users)
    return place


def remove_in_turn(is_left: NDArray[np.bool_], sizes: Places) -> Places:
    """When each item of ``is_left[user, aspect, item]`` is removed: [user, item]; users with most items first."""
    occurs = is_left.sum(axis=2)
    removed, so_far, total = np.zeros_like(occurs), np.zeros(len(occurs), dtype=np.int64), occurs.sum(axis=1)
    when = np.zeros((len(is_left), is_left.shape[2]), dtype=np.int64)
    for step in range(is_left.shape[2]):
        n = int(np.searchsorted(-sizes, -step))  # the users that have an item left
        user = np.arange(n)
        lacks = occurs[:n] * np.maximum(so_far[:n], 1)[:, None] - removed[:n] * total[:n, None]
        aspect = np.where(removed[:n] < occurs[:n], lacks, np.iinfo(np.int64).min).argmax(axis=1)
        item = is_left[user, aspect].argmax(axis=1)
        aspects = is_left[user, :, item]
        removed[:n] += aspects
        so_far[:n] += aspects.sum(axis=1)
        is_left[user, :, item] = False
        when[user, item] = step
    return when
