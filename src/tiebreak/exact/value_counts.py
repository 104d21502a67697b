"""How often every exact value occurs, row by row: what order statistics need, and what adds up over blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Doubles
from tiebreak.exact.held import Places
from tiebreak.exact.number import Number, tolerance
from tiebreak.exact.sample import Sample
from tiebreak.exact.values import ExactValues


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """Exact numbers, and how often each row has them: [number, row]."""

    numbers: list[Fraction]
    counts: NDArray[np.int64]
    is_rational: bool = True

    @classmethod
    def from_values(cls, values: ExactValues) -> ValueCounts:
        """Of a table; cells without a value do not count."""
        numbers, label = distinct_numbers(values)
        rows = len(label)
        row = np.broadcast_to(np.arange(rows)[:, None], label.shape)[label >= 0]
        counts = np.bincount(label[label >= 0] * rows + row, minlength=len(numbers) * rows).reshape(-1, rows)
        return cls(numbers, counts, values.is_rational)

    @classmethod
    def join(cls, parts: Sequence[ValueCounts]) -> ValueCounts:
        """Of several tables of the same rows."""
        sums: dict[Fraction, NDArray[np.int64]] = {}
        for part in parts:
            for number, times in zip(part.numbers, part.counts, strict=True):
                sums[number] = sums[number] + times if number in sums else times
        shape = len(sums), parts[0].counts.shape[1]  # also where there is no number
        counts = np.array(list(sums.values()), dtype=np.int64).reshape(shape)
        return cls(list(sums), counts, all(part.is_rational for part in parts))

    @property
    def size(self) -> int:
        """How many values every row has."""
        return int(self.counts[:, 0].sum()) if len(self.counts) else 0

    @cached_property
    def doubles(self) -> Doubles:
        """The numbers, nearly."""
        return Doubles.from_exact(np.array(self.numbers, dtype=object))

    def with_counts(self, counts: Places) -> ValueCounts:
        """The same numbers as often as is said, [number, row]; those that no row has are left out."""
        known = np.flatnonzero(counts.any(axis=1))
        some = ValueCounts([self.numbers[k] for k in known.tolist()], counts[known], self.is_rational)
        vars(some)["doubles"] = self.doubles[known]  # so that they are not computed for every draw
        return some

    def __neg__(self) -> ValueCounts:
        return ValueCounts([-number for number in self.numbers], self.counts, self.is_rational)

    def in_order(self) -> ValueCounts:
        """The numbers in increasing order, those that are equal as one."""
        order = sorted(range(len(self.numbers)), key=self.numbers.__getitem__)
        numbers = [self.numbers[k] for k in order]
        apart = [True, *(b - a > tolerance(self.is_rational) for a, b in pairwise(numbers))][: len(order)]
        first = np.flatnonzero(apart)
        return ValueCounts(
            [numbers[k] for k in first.tolist()], np.add.reduceat(self.counts[order], first), self.is_rational
        )

    def places(self, values: ExactValues) -> Places:
        """Which of the numbers, in increasing order, every cell of a table is; -1 where it has no value."""
        numbers, label = distinct_numbers(values)
        same = tolerance(self.is_rational)
        known = [bisect_left(self.numbers, number - same) for number in numbers]
        return np.array([*known, -1], dtype=np.int64)[label]

    def sample(self, row: int) -> CountedSample:
        """The values of a row of numbers in increasing order."""
        known = np.flatnonzero(self.counts[:, row])
        numbers = [self.numbers[k] for k in known.tolist()]
        x = self.doubles[known]
        return CountedSample(x.high, x.low, lambda: numbers, self.is_rational, times=self.counts[known, row])


def distinct_numbers(values: ExactValues) -> tuple[list[Fraction], Places]:
    """Every exact value once, and which one each cell has: -1 where it has none."""
    codes = values.codes()
    distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
    unknown = int(np.searchsorted(distinct, 0))
    numbers = values.exact_cells(*np.divmod(first[unknown:], max(codes.shape[1], 1)))
    return numbers, np.maximum(which.reshape(codes.shape) - unknown, -1)


def whole_numbers(counts: Places) -> Sample:
    return Sample(counts.astype(np.float64), np.zeros(len(counts)), lambda: [*map(Fraction, counts.tolist())])


@dataclass(frozen=True, eq=False)
class CountedSample(Sample):
    """Numbers in increasing order, each once, with how often they occur; lengths, sums and places are of all."""

    times: NDArray[np.int64] = field(kw_only=True)

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """How many numbers there are up to each one."""
        return np.cumsum(self.times)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self.times) else 0

    def item(self, place: int) -> Number:
        return self._number(self.exact[int(np.searchsorted(self._ends, place, side="right"))])

    def total(self) -> Number:
        return self.lowest(len(self))

    def lowest(self, k: int) -> Number:
        return self.dot(whole_numbers(np.diff(np.minimum(self._ends, k), prepend=0)))

    def _number(self, exact: Fraction, *_: object) -> Number:
        return Number(exact, is_rational=self.is_rational)

    def weights(self) -> Sample:
        """How often numbers occur, as exact weights."""
        return whole_numbers(self.times)

    def spread(self) -> Sample:
        """All numbers, one by one."""
        high, low = (np.repeat(part, self.times) for part in (self.high, self.low))

        def exactly() -> list[Fraction]:
            return [number for number, n in zip(self.exact, self.times.tolist(), strict=True) for _ in range(n)]

        return Sample(high, low, exactly, self.is_rational)
