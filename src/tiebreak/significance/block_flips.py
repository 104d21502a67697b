"""Sums of values with random signs, block by block: the sign-flip permutation test where values are not held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.held import Places
from tiebreak.inputs import Ids
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.significance.surveys import DrawSums, Findings, Numbering, run_numerators
from tiebreak.significance.whole_numbers import FLOAT_SUMS, ExactSums, Scale

Bits = Callable[[range, NDArray[np.uint64]], NDArray[np.unsignedinteger[Any]]]
"""(draws, requests [request, 1]) -> which values [request, draw] change their signs, or how often they are drawn."""
CELLS_AT_ONCE = 1 << 16
BITS_AT_ONCE = 1 << 25


@dataclass(frozen=True, eq=False)
class PairScale:
    """How the values of pairs become whole numbers in every block: those of runs over a denominator, or by `scale`."""

    denominator: int
    scale: Scale

    @classmethod
    def from_findings(cls, findings: Findings, n: int | None = None) -> PairScale:
        """For sums over all requests, or of n values that are drawn from them."""
        size, untied = (findings.n_requests, findings.untied) if n is None else (n, None)
        scale = Scale.choose(findings.largest, size, [*findings.denominators], FLOAT_SUMS, untied=untied)
        return cls(findings.run_denominator(FLOAT_SUMS, n), scale)

    @property
    def units(self) -> Floats:
        """What whole numbers are multiples of: [pair]."""
        common = self.denominator or self.scale.common
        return np.full(len(self.slack), 1 / common) if common else np.ldexp(1.0, -self.scale.shift[:, 0])

    @property
    def slack(self) -> NDArray[np.int64]:
        return self.scale.slack * (self.denominator == 0)

    def numbers(self, values: PairValues) -> Floats:
        """Whole numbers [pair, request] of a block."""
        if self.denominator and values.by_run is not None:
            by_run = run_numerators(values.by_run, self.denominator)
            return (by_run[values.pairs.x] - by_run[values.pairs.y]).astype(np.float64)
        numbers: Floats = self.scale.apply(values.values, values.denominator if values.exact is None else None).numbers
        return numbers


@dataclass(frozen=True, eq=False)
class FlippedSums:
    """Sums [pair, draw] of whole numbers with the signs of some draws; `sums` are those of one block."""

    sums: Callable[[Floats, range, Places], Floats]
    scale: PairScale
    numbering: Numbering
    draws: range

    def reduce(self, values: PairValues) -> DrawSums:
        values = values.sort_by_name()
        numbers = self.scale.numbers(values)
        return DrawSums(numbers.sum(axis=1), self.sums(numbers, self.draws, self.numbering(values.requests)))

    def add(self, states: Sequence[DrawSums]) -> DrawSums:
        return DrawSums.add(states)


class ExactFlips(NamedTuple):
    """Exact sums of what some draws flip, one for each pair and draw, and of all values of these pairs."""

    flipped: NDArray[Any]
    everything: NDArray[Any]
    same: Fraction  # up to which size a sum is 0

    def count_below(self, pairs: Places, n_pairs: int, side: int) -> NDArray[np.int64]:
        """The number of draws that do not reach the observed sum: [pair]."""
        # What is kept less what is flipped, against their sum: nearer to 0 where both have the same sign.
        towards = side or self.signs(self.everything - self.flipped)
        is_below = self.signs(self.flipped) * towards > 0
        return np.bincount(pairs[is_below], minlength=n_pairs)

    def signs(self, sums: NDArray[Any]) -> Places:
        return (sums > self.same).astype(np.int64) - (sums < -self.same)


@dataclass(frozen=True, eq=False)
class FlippedExactly:
    """Sums some cells (pair, draw) exactly."""

    bits: Bits
    numbering: Callable[[Ids], NDArray[Any]]
    pairs: Places
    draws: Places

    def reduce(self, values: PairValues) -> ExactFlips:
        values = values.sort_by_name()
        exact, draws = ExactSums(values), np.unique(self.draws)
        flipped = np.full(len(self.pairs), Fraction(0), dtype=object)
        numbers = self.numbering(values.requests).astype(np.uint64)[:, None]
        step = max(1, BITS_AT_ONCE // max(1, len(numbers)))
        for begin in range(0, len(draws), step):
            some = draws[begin : begin + step]
            weights = np.concatenate([self.bits(range(k, k + 1), numbers) for k in some.tolist()], axis=1).T
            cells = np.flatnonzero((self.draws >= some[0]) & (self.draws <= some[-1]))
            flipped[cells], _ = exact.sums(self.pairs[cells], np.searchsorted(some, self.draws[cells]), weights)
        once = np.zeros(len(self.pairs), dtype=np.int64)
        everything, same = exact.sums(self.pairs, once, np.ones((1, len(numbers)), dtype=np.int64))
        return ExactFlips(flipped, everything, same)

    def add(self, states: Sequence[ExactFlips]) -> ExactFlips:
        flipped, everything, same = zip(*states, strict=True)
        return ExactFlips(sum(flipped[1:], flipped[0]), sum(everything[1:], everything[0]), max(same))


def split_cells(is_undecided: NDArray[np.bool_]) -> Iterator[tuple[Places, Places]]:
    """The undecided cells [pair, draw], so many as are summed exactly in one visit."""
    pairs, draws = np.nonzero(is_undecided)
    for begin in range(0, len(pairs), CELLS_AT_ONCE):
        yield pairs[begin : begin + CELLS_AT_ONCE], draws[begin : begin + CELLS_AT_ONCE]


def count_below_exactly(
    totals: PairTotals, bits: Bits, numbering: Numbering, is_undecided: NDArray[np.bool_], draws: range, side: int
) -> NDArray[np.int64]:
    """The number of undecided sums [pair, draw] that do not reach the observed one: [pair]."""
    below = np.zeros(len(is_undecided), dtype=np.int64)
    for pairs, places in split_cells(is_undecided):
        exact: ExactFlips = totals.visit.run(FlippedExactly(bits, numbering, pairs, draws.start + places))
        below += exact.count_below(pairs, len(below), side)
    return below
