"""The input of tests: signed values of pairs of runs in every request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.exact.decimals import decimal_number
from tiebreak.exact.values import ExactRows
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs
from tiebreak.projection.primitives import Floats

NUMBERS_AT_ONCE = 1 << 22

Places: TypeAlias = NDArray[np.int64]
Exactly: TypeAlias = Callable[[int, Places], list[Fraction]]
"""(pair, requests) -> the exact values."""


@dataclass(frozen=True, eq=False)
class Paired:
    """Values [pair, request], positive where the first run is better, 0 exactly where they tie.

    Exact values come from `exactly`, else they are whole numbers over the denominators [request], else the decimals
    that the floats mean. `is_rational` compares them as they are, otherwise to 60 digits.
    """

    measure: str
    runs: tuple[str, ...]
    requests: Ids
    pairs: Pairs
    values: Floats
    mean: Floats
    """Exactly rounded: [pair]."""
    is_sign: bool = False
    """Whether values say only which run is better."""
    is_difference: bool = False
    """Whether values are differences of metric values per run."""
    denominator: NDArray[np.int64] | None = None
    exactly: Exactly | None = None
    is_rational: bool = True
    of_runs: ExactValues | None = None
    """Numbers [run, request] whose differences the values are."""

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: exact values as they are, in place of a function."""
        exactly = None if self.exactly is None else ExactRows.from_function(self.exactly, self.values)
        return vars(self) | {"exactly": exactly}

    @property
    def n(self) -> int:
        """The number of requests."""
        return int(self.values.shape[1])

    @cached_property
    def wins(self) -> NDArray[np.int64]:
        """Requests that the first run of each pair wins, ties and loses: [pair, 3]."""
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
        return np.concatenate([row_deviations(self.values[k : k + step]) for k in range(0, len(self.values), step)])

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """The interval of every mean at 1 - alpha, by Student's t."""
        from scipy.special import stdtrit

        if self.n < 2:
            return np.full(len(self.mean), -inf), np.full(len(self.mean), inf)
        margin = stdtrit(self.n - 1, 1 - alpha / 2) * self.deviation / np.sqrt(self.n)
        return self.mean - margin, self.mean + margin

    def by_name(self) -> Paired:
        """Runs and requests sorted by name, so that random draws do not depend on the order of the input."""
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

    def same_values(self, pair: int, requests: Places) -> Places:
        """Labels of requests: equal labels mean equal values."""
        if self.of_runs is None or not self.of_runs.is_injective:
            return np.arange(len(requests))
        x, y = (self.of_runs.nearest[int(rows[pair]), requests] for rows in (self.pairs.x, self.pairs.y))
        return np.unique(x + 1j * y, return_inverse=True)[1].ravel()

    def wilcoxon_ranks(self, pair: int) -> Floats:
        """Numbers with the signs of the values that are not 0, whose sizes order and tie as the exact values do."""
        untied = np.flatnonzero(self.values[pair])
        values = self.values[pair, untied]

        def exactly(_: int, columns: Places) -> list[Fraction]:
            return [abs(number) for number in self.exact_values(pair, untied[columns])]

        sizes = ExactValues(
            np.abs(values)[None],
            np.zeros((1, len(values))),
            exactly,
            self.is_rational,
            labels=lambda: self.same_values(pair, untied)[None],
        )
        signed: Floats = np.sign(values) * (1.0 + sizes.codes()[0])
        return signed

    def by_run(self, numbers: NDArray[Any] | None = None) -> NDArray[Any]:
        """Numbers [run, request] whose differences are the values, or other numbers [pair, request]: run 1 has 0."""
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


def largest_sizes(values: Floats) -> Floats:
    """The size of the largest value of every row: [row, 1]."""
    low, high = (end(axis=1, keepdims=True, initial=0.0) for end in (values.min, values.max))
    largest: Floats = np.maximum(high, -low)
    return largest


def row_deviations(values: Floats) -> Floats:
    """The standard deviation of every row."""
    largest = largest_sizes(values)
    scaled = values / np.where(largest > 0, largest, 1.0)  # squares of tiny numbers would vanish
    deviations: Floats = np.where(np.ptp(scaled, axis=1) == 0, 0.0, scaled.std(axis=1, ddof=1)) * largest[:, 0]
    return deviations
