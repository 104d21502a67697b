"""Tables of exact values: the nearest floats, what is left, and the exact values on demand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.exact.arithmetic import whole_doubles
from tiebreak.exact.decimals import decimal_number, remainders
from tiebreak.exact.doubles import RELATIVE_ERROR, UNDERFLOW, Doubles, Floats, fast_two_sum, two_product, two_sum
from tiebreak.exact.held import DistinctValues, Exactly, ExactRows, FloatQuotients, NotHeld, Places
from tiebreak.exact.number import as_number, snap_to_zero, tolerance
from tiebreak.exact.sample import Sample

DIFFERENCE_ERROR = 2.0**-65
"""Relative error of a difference of two numbers, where most of their digits do not cancel."""
CELLS_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class ExactValues:
    """Numbers [row, column], each ``nearest + rest`` to within a tiny share of its size; NaN where there is none."""

    nearest: Floats  # the floats nearest the exact values
    rest: Floats  # what is left of the exact values, nearly
    exactly: Exactly  # to more than 60 digits where logarithms enter
    is_rational: bool = True  # exact values are compared as they are, else to 60 digits
    is_injective: bool = False  # different exact values never share a float
    terms: tuple[float, float] | None = None  # of quotients: the largest numerator and the largest denominator
    labels: Callable[[], Places] | None = None  # [row, column]: cells with the same label have the same value
    relative_error: float = RELATIVE_ERROR  # each number is known to within this share of its size
    error: float = math.inf  # and within this much

    @classmethod
    def quotients(cls, numerator: ArrayLike, denominator: ArrayLike) -> ExactValues:
        """Whole numbers over whole numbers above 0; none where the denominator is 0."""
        above, below = np.broadcast_arrays(np.asarray(numerator), np.asarray(denominator))

        def exactly(row: int, columns: Places) -> list[Fraction]:
            pairs = zip(above[row, columns].tolist(), below[row, columns].tolist(), strict=True)
            return [Fraction(a, b) for a, b in pairs]

        if max(np.abs(above).max(initial=0), below.max(initial=0)) >= 2**53:
            whole, parts = whole_doubles(above), whole_doubles(below)
            parts = parts.where(below != 0, np.nan)
            return cls.from_doubles(whole / parts, 0.0, exactly, above == 0)
        n, d = above.astype(np.float64), np.where(below == 0, np.nan, below.astype(np.float64))
        nearest = n / d
        product, lost = two_product(nearest, d)
        terms = float(np.abs(n).max(initial=0.0)), float(np.nanmax(d, initial=1.0))
        return cls(nearest, ((n - product) - lost) / d, exactly, is_injective=are_apart(terms), terms=terms)

    @classmethod
    def from_floats(cls, values: Floats) -> ExactValues:
        """Floats, as the decimals that they mean."""

        def exactly(row: int, columns: Places) -> list[Fraction]:
            return [decimal_number(value) for value in values[row, columns].tolist()]

        return cls(values, remainders(np.where(np.isfinite(values), values, 0.0)), exactly, is_injective=True)

    @classmethod
    def from_exact(cls, numbers: NDArray[Any]) -> ExactValues:
        """Fractions, as an object array."""
        x = Doubles.from_exact(numbers)

        def exactly(row: int, columns: Places) -> list[Fraction]:
            return [Fraction(number) for number in numbers[row, columns].tolist()]

        return cls(x.high, x.low, exactly)

    @classmethod
    def from_numbers(cls, rows: list[list[Any]]) -> ExactValues:
        """Rows of exact numbers, or of floats."""
        if any(isinstance(number, float) for row in rows for number in row):
            return cls.from_floats(np.array([[float(number) for number in row] for row in rows]))
        numbers = [[as_number(number) for number in row] for row in rows]
        nearest = np.array([[float(number) for number in row] for row in numbers])
        rest = np.array(
            [
                [float(x.estimate - Fraction(near)) for x, near in zip(*row, strict=True)]
                for row in zip(numbers, nearest, strict=True)
            ]
        )

        def exactly(row: int, columns: Places) -> list[Fraction]:
            return [numbers[row][column].exact for column in columns.tolist()]

        return cls(nearest, rest, exactly, all(number.is_rational for row in numbers for number in row))

    @classmethod
    def from_doubles(
        cls,
        x: Doubles,
        error: ArrayLike,
        exactly: Exactly,
        is_zero: NDArray[np.bool_] | None = None,
        is_signed: bool = False,
        relative_error: float = RELATIVE_ERROR,
        **more: Any,
    ) -> ExactValues:
        """Rounded double-double numbers, each within an absolute error; what that leaves undecided is computed exactly.

        `is_zero` tells which are 0 for certain. With `is_signed` what is not 0 is not rounded to 0.
        """
        nearest, rest = two_sum(x.high, x.low)
        slack = 2 * np.asarray(error) + RELATIVE_ERROR / 16 * np.abs(nearest)
        open_ = ~(nearest + (rest + slack) == nearest + (rest - slack))
        open_ |= (np.asarray(error) > relative_error / 2 * np.abs(nearest)) | (nearest == 0)
        open_ &= ~np.isnan(nearest)
        if is_zero is not None:
            is_zero = is_zero & ~np.isnan(nearest)
            nearest, rest, open_ = (np.where(is_zero, 0, part) for part in (nearest, rest, open_))
        for row in np.flatnonzero(open_.any(axis=1)).tolist():
            columns = np.flatnonzero(open_[row])
            exact = exactly(row, columns)
            near = [float_with_sign(number) if is_signed else float(number) for number in exact]
            nearest[row, columns] = near
            rest[row, columns] = [float_with_sign(x - Fraction(y)) for x, y in zip(exact, near, strict=True)]
        largest = float(np.abs(nearest).max(initial=0.0, where=~np.isnan(nearest)))
        most = 2 * float(np.nanmax(error, initial=0.0)) + RELATIVE_ERROR / 16 * largest
        return cls(nearest, rest, exactly, relative_error=relative_error, error=most, **more)

    @classmethod
    def concatenate(cls, parts: Sequence[ExactValues]) -> ExactValues:
        """The columns of several tables, one table after the other."""
        bounds = np.cumsum([0, *(part.nearest.shape[1] for part in parts)])

        def exactly(row: int, columns: Places) -> list[Fraction]:
            which = np.searchsorted(bounds, columns, side="right") - 1
            exact: dict[int, Fraction] = {}
            for k in np.unique(which).tolist():
                places = np.flatnonzero(which == k)
                exact.update(zip(places.tolist(), parts[k].exactly(row, columns[places] - bounds[k]), strict=True))
            return [exact[place] for place in range(len(columns))]

        def labels() -> Places:
            """Those of every part, moved so that no two parts share one."""
            several, begin = [], 0
            for part in parts:
                own = part.labels() if part.labels is not None else np.arange(part.nearest.size)
                several.append(own.reshape(part.nearest.shape) + begin - min(int(own.min(initial=0)), 0))
                begin = int(several[-1].max(initial=begin - 1)) + 1
            return np.concatenate(several, axis=1)

        terms = [part.terms for part in parts if part.terms is not None]
        largest = (max(n for n, _ in terms), max(d for _, d in terms)) if terms else None
        is_alike = len(terms) in (0, len(parts)) and (largest is None or are_apart(largest))
        return cls(
            np.concatenate([part.nearest for part in parts], axis=1),
            np.concatenate([part.rest for part in parts], axis=1),
            exactly,
            is_rational=all(part.is_rational for part in parts),
            is_injective=is_alike and all(part.is_injective for part in parts),
            terms=largest,
            labels=labels if any(part.labels is not None for part in parts) else None,
            relative_error=max(part.relative_error for part in parts),
            error=max(part.error for part in parts),
        )

    def detach(self) -> ExactValues:
        """The same floats without what they were computed from; `attach` says where exact values come from."""
        if self.is_injective and self.terms is not None:
            return replace(self, exactly=FloatQuotients(self.nearest, int(self.terms[1])), labels=None)
        return replace(self, exactly=NotHeld(self.labels is not None), labels=None)

    def attach(self, load: Callable[[], ExactValues]) -> ExactValues:
        """Detached values whose exact ones are asked of what `load` returns: once, where labels tell equal values."""
        if not isinstance(self.exactly, NotHeld):
            return self
        if not self.exactly.has_labels:
            return replace(self, exactly=lambda row, columns: load().exactly(row, columns))
        distinct = cache(lambda: load().distinct())
        return replace(
            self,
            exactly=lambda row, columns: distinct()(row, columns),
            labels=lambda: distinct().label.astype(np.int64),
        )

    def distinct(self) -> DistinctValues:
        """The exact values of all labels."""
        if isinstance(self.exactly, DistinctValues):
            return self.exactly
        assert self.labels is not None
        known = ~np.isnan(self.nearest)
        _, first, label = np.unique(self.labels()[known], return_index=True, return_inverse=True)
        rows, columns = (axis[first] for axis in np.nonzero(known))
        labels = np.full(known.shape, -1, dtype=np.int32)
        labels[known] = label.ravel()
        return DistinctValues(labels, self.exact_cells(rows, columns))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: exact values as they are, in place of functions."""
        exactly: Any = self.exactly
        if self.labels is not None:
            exactly = self.distinct()
        elif not isinstance(exactly, (DistinctValues, ExactRows, FloatQuotients, NotHeld)):
            exactly = ExactRows.from_function(exactly, self.nearest)
        return vars(self) | {"exactly": exactly, "labels": None}

    def where(self, mask: NDArray[np.bool_]) -> ExactValues:
        """Values without those of columns that the mask leaves out."""
        return replace(self, nearest=np.where(mask, self.nearest, np.nan))

    def zero_where(self, mask: NDArray[np.bool_]) -> ExactValues:
        """Values with 0 in some cells."""

        def exactly(row: int, columns: Places) -> list[Fraction]:
            is_zero = mask[row, columns]
            others = iter(self.exactly(row, columns[~is_zero]))
            return [Fraction(0) if zero else next(others) for zero in is_zero.tolist()]

        nearest, rest = (np.where(mask, 0.0, part) for part in (self.nearest, self.rest))
        return replace(self, nearest=nearest, rest=rest, exactly=exactly, is_injective=False, terms=None, labels=None)

    def take_columns(self, columns: Places) -> ExactValues:
        labels = self.labels
        return replace(
            self,
            nearest=np.ascontiguousarray(self.nearest[:, columns]),
            rest=np.ascontiguousarray(self.rest[:, columns]),
            exactly=lambda row, places: self.exactly(row, columns[places]),
            labels=None if labels is None else lambda: labels()[:, columns],
        )

    def take_rows(self, rows: Sequence[int]) -> ExactValues:
        labels, places = self.labels, list(rows)
        return replace(
            self,
            nearest=self.nearest[places],
            rest=self.rest[places],
            exactly=lambda row, columns: self.exactly(places[row], columns),
            labels=None if labels is None else lambda: labels()[places],
        )

    def remember(self) -> ExactValues:
        """The same values, of which none is computed exactly twice: for many samples of them."""
        known: dict[tuple[int, int], Fraction] = {}

        def exactly(row: int, columns: Places) -> list[Fraction]:
            lacking = [column for column in dict.fromkeys(columns.tolist()) if (row, column) not in known]
            if lacking:
                known.update(zip([(row, c) for c in lacking], self.exactly(row, np.array(lacking)), strict=True))
            return [known[row, column] for column in columns.tolist()]

        return replace(self, exactly=exactly)

    def __neg__(self) -> ExactValues:
        return replace(
            self,
            nearest=0.0 - self.nearest,
            rest=0.0 - self.rest,
            exactly=lambda row, columns: [-number for number in self.exactly(row, columns)],
        )

    def sample(self, row: int) -> Sample:
        """The numbers of a row, without cells that have none."""
        columns = np.flatnonzero(~np.isnan(self.nearest[row]))
        high, low = self.nearest[row, columns], self.rest[row, columns]
        return Sample(high, low, lambda: self.exactly(row, columns), self.is_rational, self.relative_error, self.error)

    def differences(self, x: Places, y: Places) -> ExactValues:
        """Rows x less rows y: [pair, column]."""

        def exactly(pair: int, columns: Places) -> list[Fraction]:
            both = (self.exactly(int(rows[pair]), columns) for rows in (x, y))
            return [snap_to_zero(a - b, self.is_rational) for a, b in zip(*both, strict=True)]

        codes = self.codes(by_column=True)
        shape = len(x), self.nearest.shape[1]
        nearest, rest, error = np.empty(shape), np.empty(shape), 0.0
        step = max(1, CELLS_AT_ONCE // max(shape[1], 1))
        for begin in range(0, len(x), step):
            pairs = slice(begin, begin + step)
            i, j = x[pairs], y[pairs]
            high, low = two_sum(self.nearest[i], -self.nearest[j])
            difference = Doubles(*fast_two_sum(high, low + (self.rest[i] - self.rest[j])))
            largest = np.maximum(np.abs(self.nearest[i]), np.abs(self.nearest[j]))
            off = 2 * self.relative_error * largest + UNDERFLOW

            def exactly_here(row: int, columns: Places, begin: int = begin) -> list[Fraction]:
                return exactly(begin + row, columns)

            is_tied = codes[i] == codes[j]
            part = self.from_doubles(
                difference, off, exactly_here, is_tied, is_signed=True, relative_error=DIFFERENCE_ERROR
            )
            nearest[pairs], rest[pairs], error = part.nearest, part.rest, max(error, part.error)
        return ExactValues(nearest, rest, exactly, self.is_rational, relative_error=DIFFERENCE_ERROR, error=error)

    def plus(self, number: Fraction) -> ExactValues:
        """Every value plus a number."""
        total = Doubles(self.nearest, self.rest) + Doubles.from_exact(number)

        def exactly(row: int, columns: Places) -> list[Fraction]:
            return [snap_to_zero(value + number, self.is_rational) for value in self.exactly(row, columns)]

        return ExactValues.from_doubles(
            total,
            2 * self.relative_error * (np.abs(self.nearest) + abs(float(number))) + UNDERFLOW,
            exactly,
            is_signed=True,
            relative_error=DIFFERENCE_ERROR,
            is_rational=self.is_rational,
        )

    def scale_negative(self, factor: Fraction) -> ExactValues:
        """Values with those below 0 multiplied."""
        is_below = self.nearest < 0
        x = Doubles(self.nearest, self.rest)
        y = x * Doubles.from_exact(factor)
        scaled = Doubles(np.where(is_below, y.high, x.high), np.where(is_below, y.low, x.low))

        def exactly(row: int, columns: Places) -> list[Fraction]:
            return [number * factor if number < 0 else number for number in self.exactly(row, columns)]

        return ExactValues.from_doubles(
            scaled,
            self.relative_error * np.abs(scaled.high),
            exactly,
            self.nearest == 0,
            is_signed=True,
            relative_error=4 * self.relative_error,
            is_rational=self.is_rational,
        )

    def codes(self, *, by_column: bool = False) -> Places:
        """Integers that order and tie as the exact values do (with `by_column`, within a column only); -1 for none."""
        known = ~np.isnan(self.nearest)
        codes = np.full(self.nearest.shape, -1, dtype=np.int64)
        floats, code = np.unique(self.nearest[known], return_inverse=True)
        if self.is_injective:
            codes[known] = code.ravel()
            return codes
        group = code.ravel().astype(np.int64)
        if by_column:
            group = group + len(floats) * np.nonzero(known)[1]
        codes[known] = self._compare_exactly(group, known)
        return codes

    def _compare_exactly(self, group: Places, known: NDArray[np.bool_]) -> Places:
        """Codes of cells whose group, by their float, is known: exact values decide within a group."""
        label = np.arange(len(group)) if self.labels is None else self.labels()[known]
        _, first, which = np.unique(np.stack([group, label]), axis=1, return_index=True, return_inverse=True)
        rest, near = self.rest[known][first], self.nearest[known][first]
        order = np.lexsort((rest, group[first]))
        # Neighbours are apart where their floats or, clearly, their rests are; a run of others is a cluster.
        error = np.minimum(self.relative_error * np.abs(near[order][1:]), self.error) + UNDERFLOW
        gap = np.diff(rest[order]) > 4 * error
        apart = np.concatenate([[True], (np.diff(group[first][order]) != 0) | gap])[: len(order)]
        cluster = np.cumsum(apart)
        shared = np.flatnonzero(np.bincount(cluster)[cluster] > 1)
        rows, columns = (axis[first[order[shared]]] for axis in np.nonzero(known))
        exact = self.exact_cells(rows, columns)
        of_cluster = cluster[shared].tolist()
        increasing = sorted(range(len(shared)), key=lambda k: (of_cluster[k], exact[k]))
        order[shared] = order[shared[increasing]]
        for k, (below, above) in enumerate(itertools.pairwise(increasing), start=1):
            if of_cluster[below] == of_cluster[above]:
                apart[shared[k]] = exact[above] - exact[below] > tolerance(self.is_rational)
        code = np.empty(len(order), dtype=np.int64)
        code[order] = np.cumsum(apart)
        return code[which.ravel()]

    def exact_cells(self, rows: Places, columns: Places) -> list[Fraction]:
        """The exact values of some cells."""
        exact: list[Fraction] = [Fraction(0)] * len(rows)
        for row in np.unique(rows).tolist():
            places = np.flatnonzero(rows == row)
            for place, number in zip(places.tolist(), self.exactly(row, columns[places]), strict=True):
                exact[place] = number
        return exact


def are_apart(terms: tuple[float, float]) -> bool:
    """Whether different quotients of whole numbers as large as these never share a float."""
    return terms[0] * terms[1] < 2.0**52


def float_with_sign(number: Fraction) -> float:
    """The float nearest a number; of one that is not 0 the least that is not 0 either, so that its sign is kept."""
    near = float(number)
    return near if near or not number else math.copysign(5e-324, number)
