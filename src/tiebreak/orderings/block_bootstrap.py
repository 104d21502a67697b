"""Votes and sums of resampled requests, block by block: the bootstrap of orders where values are not held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact.doubles import Doubles
from tiebreak.exact.held import Places
from tiebreak.exact.totals import Totals
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.poisson import PoissonWeights, hash_names
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats

WEIGHTS_AT_ONCE = 1 << 22
CELLS_AT_ONCE = 1 << 16
SUM_ERROR = 2.0**-90
"""Relative error of a sum of two numbers, which is far less."""


class Estimates(NamedTuple):
    """Sums [draw, row] as two floats each, and how far they may be off: [draw]."""

    high: Floats
    low: Floats
    error: Floats
    can_vary: NDArray[np.bool_]  # which rows have anything but 0
    is_rational: bool

    @classmethod
    def from_totals(cls, totals: Totals, weights: Floats) -> Estimates:
        total, error = totals.estimates(weights)
        return cls(total.high, total.low, error, totals.can_vary, totals.is_rational)

    @classmethod
    def join(cls, parts: Sequence[Estimates]) -> Estimates:
        """Those of several draws."""
        high, low, error = (np.concatenate(part) for part in zip(*(part[:3] for part in parts), strict=True))
        return cls(high, low, error, *parts[0][3:])

    @classmethod
    def add(cls, parts: Sequence[Estimates]) -> Estimates:
        """Those of several blocks."""
        first, *others = parts
        total, error, can_vary, is_rational = Doubles(first.high, first.low), *first[2:]
        for one in others:
            total = total + Doubles(one.high, one.low)
            error = error + one.error + SUM_ERROR * np.abs(total.high).max(axis=1, initial=0.0)
            can_vary, is_rational = can_vary | one.can_vary, is_rational and one.is_rational
        return cls(total.high, total.low, error, can_vary, is_rational)


class BallotSums(NamedTuple):
    """What orders need of every draw: sums of votes, and of numbers of runs and of pairs."""

    placements: Floats  # [draw, run, run]: by how many requests more the first has the higher win rate
    majorities: Floats  # [draw, pair]: by how many more it is preferred
    points: Floats  # [draw, run]: twice the points of Borda's rule
    by_run: Estimates
    by_pair: Estimates

    @classmethod
    def from_ballots(cls, ballots: Ballots, weights: Floats) -> BallotSums:
        return cls(
            ballots.placement_sums(weights),
            ballots.majority_sums(weights),
            ballots.point_sums(weights),
            Estimates.from_totals(ballots.totals, weights),
            Estimates.from_totals(ballots.pair_totals, weights),
        )


@dataclass(frozen=True)
class DrawnVotes:
    """Sums what orders need of some draws."""

    weights: PoissonWeights
    draws: range

    def reduce(self, values: PairValues) -> BallotSums:
        ballots = Ballots(values)
        step = max(1, WEIGHTS_AT_ONCE // max(1, values.n_requests))
        parts = [
            BallotSums.from_ballots(ballots, draw_weights(self.weights, self.draws[begin : begin + step], values))
            for begin in range(0, len(self.draws), step)
        ]
        *votes, by_run, by_pair = zip(*parts, strict=True)
        placements, majorities, points = map(np.concatenate, votes)
        return BallotSums(placements, majorities, points, Estimates.join(by_run), Estimates.join(by_pair))

    def add(self, states: Sequence[BallotSums]) -> BallotSums:
        *votes, by_run, by_pair = zip(*states, strict=True)
        placements, majorities, points = (np.sum(parts, axis=0) for parts in votes)
        return BallotSums(placements, majorities, points, Estimates.add(by_run), Estimates.add(by_pair))


def draw_weights(weights: PoissonWeights, draws: range, values: PairValues) -> Floats:
    """How often every request is drawn: [draw, request]."""
    return weights(draws, hash_names(values.requests)[:, None]).T.astype(np.float64)


@dataclass(frozen=True)
class ExactDraws:
    """Exact sums [draw, row] of some draws, of runs or of pairs."""

    weights: PoissonWeights
    draws: list[int]
    name: str

    def reduce(self, values: PairValues) -> NDArray[Any]:
        totals: Totals = getattr(Ballots(values), self.name)
        rows = range(len(totals.values.nearest))
        every = (draw_weights(self.weights, range(draw, draw + 1), values)[0] for draw in self.draws)
        return np.array([[totals.exact_sum(row, weights) for row in rows] for weights in every], dtype=object)

    def add(self, states: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.asarray(sum(states[1:], states[0]))


@dataclass(frozen=True, eq=False)
class DrawnTotals(Totals):
    """Sums of draws that were added up: in place of weights, draws are given by their places [draw, 1]."""

    values: Any = None
    estimated: Estimates = field(kw_only=True)
    exactly: Callable[[list[int]], NDArray[Any]] = field(kw_only=True)

    @property
    def is_rational(self) -> bool:
        return self.estimated.is_rational

    @property
    def can_vary(self) -> NDArray[np.bool_]:
        return self.estimated.can_vary

    def estimates(self, weights: Floats) -> tuple[Doubles, Floats]:
        return Doubles(self.estimated.high, self.estimated.low), self.estimated.error

    def exact_sum(self, row: int, weights: Floats) -> Any:
        return self._exact[int(weights[0])][row]

    @cached_property
    def _exact(self) -> dict[int, NDArray[Any]]:
        """The exact sums of all draws in which a sign or an order may be undecided."""
        high, _, error = self.estimated[:3]
        near = np.diff(np.sort(high, axis=1), axis=1, prepend=-np.inf).min(axis=1)
        sizes = np.where(self.can_vary, np.abs(high), np.inf).min(axis=1)
        least = np.minimum(near, sizes) - 2.0**-40 * np.abs(high).max(axis=1)
        draws = np.flatnonzero(least <= 2 * error).tolist()
        step = max(1, CELLS_AT_ONCE // high.shape[1])
        parts = [self.exactly(draws[begin : begin + step]) for begin in range(0, len(draws), step)]
        return dict(zip(draws, np.concatenate(parts), strict=True))


@dataclass(frozen=True, eq=False)
class DrawnBallots(Ballots):
    """Ballots of draws that were added up; in place of weights, draws are given by their places [draw, 1]."""

    sums: BallotSums
    exactly: Callable[[str, list[int]], NDArray[Any]]

    def placement_sums(self, weights: Floats) -> Floats:
        return self.sums.placements

    def majority_sums(self, weights: Floats) -> Floats:
        return self.sums.majorities

    def point_sums(self, weights: Floats) -> Floats:
        return self.sums.points

    @cached_property
    def totals(self) -> Totals:
        return DrawnTotals(estimated=self.sums.by_run, exactly=partial(self.exactly, "totals"))

    @cached_property
    def pair_totals(self) -> Totals:
        return DrawnTotals(estimated=self.sums.by_pair, exactly=partial(self.exactly, "pair_totals"))


def draw_ballots(values: PairValues, totals: PairTotals, resamples: int, seed: int) -> Iterator[tuple[Places, Ballots]]:
    """Ballots of some draws at a time, and the places of these."""
    weights, size = PoissonWeights(seed), len(totals.runs)

    def exactly(first: int, name: str, draws: list[int]) -> NDArray[Any]:
        sums: NDArray[Any] = totals.visit.run(ExactDraws(weights, [first + draw for draw in draws], name))
        return sums

    for some in totals.visit.passes(resamples, size**2 + 3 * size + 3 * len(totals.pairs)):
        sums: BallotSums = totals.visit.run(DrawnVotes(weights, some))
        yield np.arange(some.start, some.stop), DrawnBallots(values, sums, partial(exactly, some.start))
