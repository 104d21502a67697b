"""What a test sees: signed values of pairs of runs in every request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.exact.decimals import decimal_number
from tiebreak.exact.values import ranks_below_largest
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs
from tiebreak.projection.primitives import Floats
from tiebreak.significance.whole_numbers import largest_of

NUMBERS_AT_ONCE = 1 << 22

Places: TypeAlias = NDArray[np.int64]
Exactly: TypeAlias = Callable[[int, Places], list[Fraction]]
"""(pair, requests) -> the exact values."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Values [pair, request], positive where the first run is better, 0 exactly where they tie.

    Attributes
    ----------
    measure : str
    runs : tuple of str
    requests : Ids
    pairs : Pairs
    values : array [pair, request]
    mean : array [pair]
        Exactly rounded.
    is_sign : bool
        Values say only which run is better.
    is_difference : bool
        Values are differences of a number that every run has by itself.
    denominator : int array [request], optional
        Values are whole numbers over these.
    exactly : callable, optional
        Gives the exact values of a pair in some requests; by default whole numbers over the denominators or, without
        these, what the values mean as numbers that are given.
    is_rational : bool
        Whether exact values are compared as they are, or to 60 digits.
    of_runs : ExactValues, optional
        Numbers [run, request] whose differences the values are.
    """

    measure: str
    runs: tuple[str, ...]
    requests: Ids
    pairs: Pairs
    values: Floats
    mean: Floats
    is_sign: bool = False
    is_difference: bool = False
    denominator: NDArray[np.int64] | None = None
    exactly: Exactly | None = None
    is_rational: bool = True
    of_runs: ExactValues | None = None

    @property
    def n(self) -> int:
        """The number of requests."""
        return int(self.values.shape[1])

    @cached_property
    def wins(self) -> NDArray[np.int64]:
        """In how many requests the first run of each pair is better, ties, and is worse: [pair, 3]."""
        won, lost = (self.values > 0).sum(axis=1), (self.values < 0).sum(axis=1)
        return np.stack([won, self.n - won - lost, lost], axis=1)

    @property
    def has_all_pairs(self) -> bool:
        return len(self.pairs) == len(self.runs) * (len(self.runs) - 1) // 2

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of every pair's values; 0 where all are equal."""
        if self.n < 2:
            return np.zeros(len(self.values))
        step = max(1, NUMBERS_AT_ONCE // self.n)
        return np.concatenate([deviations(self.values[k : k + step]) for k in range(0, len(self.values), step)])

    def by_name(self) -> Paired:
        """The same pairs, with runs and requests in the order of their names.

        What is drawn for the k-th request or run belongs to its name then, wherever it stands in the input.
        """
        places = Ids.from_names(self.runs).places_in_order
        order = np.argsort(self.requests.places_in_order)
        of_runs = None if self.of_runs is None else self.of_runs.take_rows(np.argsort(places).tolist())
        return replace(
            self,
            runs=tuple(sorted(self.runs)),
            requests=self.requests.take(order),
            pairs=Pairs(places[self.pairs.x], places[self.pairs.y], ()),
            values=np.take(self.values, order, axis=1),
            denominator=None if self.denominator is None else self.denominator[order],
            exactly=lambda pair, columns: self.exact_values(pair, order[columns]),
            of_runs=None if of_runs is None else of_runs.take_columns(order),
        )

    def exact_values(self, pair: int, requests: Places) -> list[Fraction]:
        """The exact values of a pair in some requests; to more than 60 digits where logarithms enter."""
        if self.exactly is not None:
            return self.exactly(pair, requests)
        values = self.values[pair, requests]
        if self.denominator is None:
            return [decimal_number(value) for value in values.tolist()]
        below = self.denominator[requests]
        above = np.rint(values * below).astype(np.int64)
        return [Fraction(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)]

    def distinct_values(self, pair: int, requests: Places) -> tuple[list[Fraction], Places]:
        """Exact values of a pair, those known to be equal once; and which of them each of some requests has."""
        if self.of_runs is None or not self.of_runs.is_injective:
            return self.exact_values(pair, requests), np.arange(len(requests))
        x, y = (self.of_runs.nearest[int(rows[pair]), requests] for rows in (self.pairs.x, self.pairs.y))
        _, first, which = np.unique(x + 1j * y, return_index=True, return_inverse=True)
        return self.exact_values(pair, requests[first]), which.ravel()

    def ranked_values(self, pair: int) -> Floats:
        """Numbers [request] with the signs of the values, whose sizes order and tie as those of exact values do."""
        values = self.values[pair]
        _, place, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
        rank = place.ravel().astype(np.float64) + 1
        shared = np.flatnonzero((values != 0) & (counts[place.ravel()] > 1))
        exact, which = self.distinct_values(pair, shared)
        below = np.zeros(len(exact))
        for cells in groups(rank[shared], which):
            sizes = {cell: abs(exact[cell]) for cell in cells}
            for lower, cell in ranks_below_largest(sizes, cells, self.is_rational):
                below[cell] = lower / (self.n + 1)
        rank[shared] -= below[which]
        signed: Floats = np.sign(values) * rank
        return signed

    def by_run(self, numbers: NDArray[Any] | None = None) -> NDArray[Any]:
        """A number [run, request] for every run, whose differences are the values: those against the first run.

        Or of other numbers [pair, request] than the values.
        """
        numbers = self.values if numbers is None else numbers
        against_first = np.zeros((len(self.runs), numbers.shape[1]), dtype=numbers.dtype)
        first, second = self.pairs.x == 0, self.pairs.y == 0
        against_first[self.pairs.y[first]] = -numbers[first]
        against_first[self.pairs.x[second]] = numbers[second]
        return against_first

    def matrices(self, numbers: NDArray[Any], dtype: Any) -> NDArray[Any]:
        """Numbers [pair, request] in both directions: [request, run, run]."""
        size = len(self.runs)
        square = np.zeros((numbers.shape[1], size, size), dtype=dtype)
        square[:, self.pairs.x, self.pairs.y] = numbers.T
        square[:, self.pairs.y, self.pairs.x] = -numbers.T
        return square


def groups(key: Floats, which: Places) -> Iterator[list[int]]:
    """The different things that have a key in common with another, where each of some places has a key and a thing."""
    things, first = np.unique(which, return_index=True)
    order = np.argsort(key[first], kind="stable")
    ends = np.flatnonzero(np.diff(key[first][order])) + 1
    yield from (part.tolist() for part in np.split(things[order], ends) if len(part) > 1)


def deviations(values: Floats) -> Floats:
    """The standard deviation of every row."""
    largest = largest_of(values)
    scaled = values / np.where(largest > 0, largest, 1.0)  # squares of tiny numbers would vanish
    spread = np.where(np.ptp(scaled, axis=1) == 0, 0.0, scaled.std(axis=1, ddof=1))
    found: Floats = spread * largest[:, 0]
    return found
