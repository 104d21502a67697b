"""How often every exact value occurs, row by row: what order statistics need, and what adds up over blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Doubles
from tiebreak.exact.number import Number, tolerance
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import sum_fractions
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
        codes = values.codes()
        distinct, first, which = np.unique(codes, return_index=True, return_inverse=True)
        rows = len(codes)
        row = np.repeat(np.arange(rows), codes.shape[1])
        counts = np.bincount(which.ravel() * rows + row, minlength=len(distinct) * rows).reshape(-1, rows)
        first, counts = first[distinct >= 0], counts[distinct >= 0]
        return cls(values.exact_cells(*np.divmod(first, max(codes.shape[1], 1))), counts, values.is_rational)

    @classmethod
    def join(cls, parts: Sequence[ValueCounts]) -> ValueCounts:
        """Of several tables of the same rows."""
        sums: dict[Fraction, NDArray[np.int64]] = {}
        for part in parts:
            for number, counts in zip(part.numbers, part.counts, strict=True):
                sums[number] = sums[number] + counts if number in sums else counts
        return cls(list(sums), np.array(list(sums.values())), all(part.is_rational for part in parts))

    @property
    def size(self) -> int:
        """How many values every row has."""
        return int(self.counts[:, 0].sum()) if len(self.counts) else 0

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

    def sample(self, row: int) -> CountedSample:
        """The values of a row of numbers in increasing order."""
        known = np.flatnonzero(self.counts[:, row])
        numbers = [self.numbers[k] for k in known.tolist()]
        x = Doubles.from_exact(np.array(numbers, dtype=object))
        return CountedSample(x.high, x.low, lambda: numbers, self.is_rational, times=self.counts[known, row])


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
        taken = np.diff(np.minimum(self._ends, k), prepend=0).tolist()
        return self._number(sum_fractions([n * number for n, number in zip(taken, self.exact, strict=True) if n]))

    def _number(self, exact: Fraction, *_: object) -> Number:
        return Number(exact, is_rational=self.is_rational)

    def weights(self) -> Sample:
        """How often numbers occur, as exact weights."""
        return Sample.from_exact([*map(Fraction, self.times.tolist())])

    def spread(self) -> Sample:
        """All numbers, one by one."""
        high, low = (np.repeat(part, self.times) for part in (self.high, self.low))

        def exactly() -> list[Fraction]:
            return [number for number, n in zip(self.exact, self.times.tolist(), strict=True) for _ in range(n)]

        return Sample(high, low, exactly, self.is_rational)
