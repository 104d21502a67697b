"""The Python twin of the core's shuffles: the same random words, the same permutations, the same numbers.

Shuffle b of request q is drawn from the seed, b and q alone: splitmix64 (Steele et al. 2014) from a state mixed of the
three, and with its words the shuffle of Fisher and Yates from the last place down; each word of 64 bits serves three
places, 21 bits each. ``words(seed=1, shuffle=2, request=3)`` begins with 640054951876687254, 4707003397484236752, and
shuffles 0, ..., 7 to 7, 3, 1, 2, 6, 0, 4, 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick

Words = NDArray[np.uint64]
Places = NDArray[np.int64]
Numbers = NDArray[Any]

STEP = np.uint64(0x9E3779B97F4A7C15)
PART_BITS = np.uint64(21)
PART = np.uint64(2**21 - 1)
PARTS_IN_A_WORD = 3
TOGETHER = 512


def largest_differences(
    kind: str, rows: NDArray[Any], systems: int, draw: tuple[int, int, int], jobs: int, tick: Tick | None, /
) -> NDArray[np.int64]:
    """The largest difference between two systems in every shuffle of the randomised Tukey HSD.

    `rows` holds per request `systems` values (int64) or ranks (int32), or a square matrix of preferences; sums are
    exact below 2^63. `draw` is (seed, first shuffle, number of shuffles); `tick` gets (shuffles done, shuffles in all).
    """
    numbers = np.arange(rows.size // (systems**2 if kind == "preferences" else systems))
    parts = [largest_sums(kind, sums) for sums in some_sums(kind, rows, systems, numbers, draw, tick)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts])


def shuffled_sums(
    kind: str,
    rows: NDArray[Any],
    systems: int,
    numbers: Places,
    draw: tuple[int, int, int],
    jobs: int,
    tick: Tick | None,
    /,
) -> NDArray[np.int64]:
    """The sums of every system, or of every pair, in every shuffle, which add up over parts of the requests.

    `numbers` are those of the requests that the rows are of; the rest is as in `largest_differences`.
    """
    return np.concatenate([*some_sums(kind, rows, systems, numbers, draw, tick)])


def some_sums(
    kind: str, rows: NDArray[Any], systems: int, numbers: Places, draw: tuple[int, int, int], tick: Tick | None
) -> Iterator[Numbers]:
    """Sums of some shuffles at a time."""
    seed, first, count = draw
    width = systems if kind == "values" else systems * (systems - 1) // 2
    shaped = rows.astype(np.int64).reshape((-1, systems, systems) if kind == "preferences" else (-1, systems))
    for begin in range(0, max(count, 1), TOGETHER):
        if tick:
            tick(begin, count)
        shuffles = np.arange(first + begin, first + min(begin + TOGETHER, count), dtype=np.uint64)
        orders = (permutations(systems, seed, shuffles, number) for number in numbers.tolist())
        yield np.zeros((len(shuffles), width), dtype=np.int64) + SUMS[kind](shaped, orders)  # also of no request


def value_sums(values: Numbers, orders: Iterable[Places]) -> Numbers:
    """Sums [shuffle, system] by the ``orders[shuffle, place]`` of every request."""
    sums: Numbers = sum(row[order] for row, order in zip(values, orders, strict=True))
    return sums


def pair_sums(rows: Numbers, orders: Iterable[Places]) -> Numbers:
    """Sums [shuffle, pair] over requests of the preferences between two systems; of ranks, the smaller is preferred."""
    x, y = np.triu_indices(rows.shape[1], 1)
    sums: Any = 0
    for row, order in zip(rows, orders, strict=True):
        preferences = row if row.ndim == 2 else np.sign(row[None, :] - row[:, None])
        sums = sums + preferences[order[:, x], order[:, y]]
    return np.asarray(sums)


SUMS: dict[str, Callable[[Numbers, Iterable[Places]], Numbers]] = {
    "values": value_sums,
    "ranks": pair_sums,
    "preferences": pair_sums,
}
"""What is added up in every shuffle, of numbers of 64 bits or of Python integers, by the kind of rows."""


def largest_sums(kind: str, sums: Numbers) -> Numbers:
    """The largest difference between two systems in every shuffle, of its sums."""
    if kind == "values":
        return np.asarray(sums.max(axis=1) - sums.min(axis=1))
    return np.asarray(np.abs(sums).max(axis=1, initial=0))


def permutations(n: int, seed: int, shuffles: Words, request: int | Words) -> Places:
    """The order [shuffle, place] in which each shuffle, of one request or of its own, puts 0, ..., n - 1."""
    order = np.tile(np.arange(n), (len(shuffles), 1))
    every = np.arange(len(shuffles))
    random_words = words(seed, shuffles, request)
    word = np.zeros(len(shuffles), dtype=np.uint64)
    for step, left in enumerate(range(n, 1, -1)):
        word = next(random_words) if step % PARTS_IN_A_WORD == 0 else word >> PART_BITS
        place = ((word & PART) * np.uint64(left)) >> PART_BITS
        order[every, left - 1], order[every, place] = order[every, place], order[every, left - 1]
    return order


def words(seed: int, shuffles: Words, request: int | Words) -> Iterator[Words]:
    """Random words, one for every shuffle (and request, of several) at a time."""
    with np.errstate(over="ignore"):
        state = splitmix(splitmix(splitmix(np.uint64(seed) + STEP) ^ shuffles) ^ np.asarray(request, dtype=np.uint64))
    while True:
        with np.errstate(over="ignore"):
            state = state + STEP
            word = splitmix(state)
        yield word


def splitmix(z: Any) -> Any:
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
