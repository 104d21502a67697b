"""Ballots: the preferences and win rates of all requests, from which systems are ordered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues, Number
from tiebreak.exact.held import Places
from tiebreak.exact.sums import sum_fractions
from tiebreak.exact.totals import Totals
from tiebreak.exact.values import DIFFERENCE_ERROR
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.preferences.pair_values import NUMBERS_AT_ONCE
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True, eq=False)
class Ballots:
    """Win rates of all runs in every request, and the majorities of all pairs.

    A run's win rate in a request is the sum of its preferences over the other runs (RPP eq 7).
    """

    values: PairValues

    def take(self, requests: Places) -> Ballots:
        """The ballots of some requests; repeated ones count repeatedly."""
        return Ballots(self.values.take_requests(requests))

    @property
    def runs(self) -> tuple[str, ...]:
        return self.values.runs

    @property
    def n_requests(self) -> int:
        return self.values.n_requests

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """The sign of every preference: [pair, request]."""
        signs: NDArray[np.int8] = np.sign(self.values.numerator).astype(np.int8)
        return signs

    @cached_property
    def preferences(self) -> ExactValues:
        """The exact preferences [pair, request]."""
        values = self.values
        return ExactValues.quotients(values.numerator, values.denominator) if values.exact is None else values.exact

    def unit_weights(self) -> Floats:
        """Weights of one sample that counts every request once: [1, request]."""
        return np.ones((1, self.n_requests))

    @cached_property
    def win_rate(self) -> ExactValues:
        """The exact win rates [run, request]."""
        shape = len(self.runs), self.n_requests
        if self.values.exact is None:
            whole = np.empty(shape, dtype=np.int64)
            for block, (preferred,) in self._by_opponent(self.values.numerator):
                whole[:, block] = preferred.sum(axis=0, dtype=np.int64)
            return ExactValues.quotients(whole, self.values.denominator)
        exact, rates, met = self.preferences, Doubles.full(shape, 0.0), np.empty(shape, dtype=bool)
        for block, (near, rest) in self._by_opponent(exact.nearest, exact.rest):
            rates[:, block] = Doubles(near, rest).sum(axis=0)
            met[:, block] = near.any(axis=0)
        largest = np.abs(exact.nearest).max(initial=0.0, axis=0)
        error = 2 * exact.relative_error * len(self.runs) * largest
        return ExactValues.from_doubles(
            rates,
            error,
            self._exact_win_rates,
            ~met,
            is_signed=True,
            relative_error=DIFFERENCE_ERROR,
            is_rational=exact.is_rational,
            labels=self.values.labels,
        )

    def _by_opponent(self, *numbers: NDArray[Any]) -> Iterator[tuple[slice, list[NDArray[Any]]]]:
        """Numbers [pair, request] as those of every run against each: [opponent, run, request], some requests."""
        step = max(1, NUMBERS_AT_ONCE // len(self.runs) ** 2)
        for begin in range(0, self.n_requests, step):
            block = slice(begin, begin + step)
            squares = (self.values.square(some[:, block].T) for some in numbers)
            yield block, [np.ascontiguousarray(square.T) for square in squares]

    def _exact_win_rates(self, run: int, requests: Places) -> list[Fraction]:
        rates = [[Fraction(0)] for _ in requests]
        for rows, sign in ((self.values.pairs.x, 1), (self.values.pairs.y, -1)):
            for pair in np.flatnonzero(rows == run).tolist():
                for rate, number in zip(rates, self.preferences.exactly(pair, requests), strict=True):
                    rate.append(sign * number)
        return [sum_fractions(rate) for rate in rates]

    @property
    def _run_values(self) -> ExactValues:
        """Numbers [run, request] that order the runs of a request as win rates do: these, or what runs differ by."""
        return self.win_rate if self.values.by_run is None else self.values.by_run

    @cached_property
    def win_rate_codes(self) -> Places:
        """Whole numbers [run, request] that order and tie the runs of a request as their win rates do."""
        return self._run_values.codes(by_column=True)

    @cached_property
    def mean_win_rates(self) -> list[Number]:
        """The exact mean over requests of every run's win rate."""
        means = [self._run_values.sample(run).mean() for run in range(len(self.runs))]
        if self.values.by_run is None:
            return means
        everything = sum(means[1:], means[0])
        return [len(means) * mean - everything for mean in means]

    def win_rate_signs(self, run: int) -> NDArray[np.int64]:
        """Sign of the win-rate difference between a run and every run: [run, request]."""
        signs: NDArray[np.int64] = np.sign(self.win_rate_codes[run] - self.win_rate_codes)
        return signs

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        """Majority relation per sample: [sample, run, run], 1 where more requests prefer the first run."""
        return self.values.square(np.sign(self.majority_sums(weights)).astype(np.int8))

    def majority_sums(self, weights: Floats) -> Floats:
        """By how many requests more the first run of a pair is preferred: [sample, pair]."""
        return np.asarray(weights @ self.signs.T.astype(np.float64))  # of whole numbers, so they are exact

    def placements(self, weights: Floats) -> NDArray[np.int8]:
        """Majority relation of win rates per sample: [sample, run, run], 1 where the first is more often higher."""
        return np.sign(self.placement_sums(weights)).astype(np.int8)

    def placement_sums(self, weights: Floats) -> Floats:
        """By how many requests more the first run has a higher win rate: [sample, run, run]."""
        runs = range(len(self.runs))
        return np.stack([weights @ self.win_rate_signs(run).T.astype(np.float64) for run in runs], axis=1)

    def point_sums(self, weights: Floats) -> Floats:
        """Twice the points of Borda's rule: [sample, run]."""
        return np.asarray(weights @ self.double_points.T.astype(np.float64))  # sums of whole numbers

    @cached_property
    def totals(self) -> Totals:
        """Sums over requests of win rates, or of numbers that order runs as they do."""
        return Totals(self._run_values)

    @cached_property
    def pair_totals(self) -> Totals:
        """Sums over requests of preferences."""
        return Totals(self.preferences)

    @cached_property
    def double_points(self) -> NDArray[np.int64]:
        """Twice the points [run, request] of Borda's rule, which are whole."""
        # Twice the average rank is 2 + 2 (those above) + (others that tie) = S + 1 + (those above) - (those below).
        size = len(self.runs)
        return np.stack([size - 1 + self.win_rate_signs(run).sum(axis=0) for run in range(size)])

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """Twice the points over all requests: [run]."""
        return np.asarray(self.double_points.sum(axis=1))

    @cached_property
    def votes(self) -> NDArray[np.int64]:
        """By how many requests more each run has a higher win rate than another: [run, run]."""
        return np.stack([self.win_rate_signs(run).sum(axis=1) for run in range(len(self.runs))])

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The Condorcet cycles among all requests."""
        return condorcet_cycles(self.majorities(self.unit_weights())[0], self.runs)


class BallotTotals(Ballots):
    """Ballots of which only totals over all requests are known, so that there are no samples of them."""

    @property
    def _pair_totals(self) -> PairTotals:
        assert self.values.totals is not None
        return self.values.totals

    def unit_weights(self) -> Floats:
        return np.ones((1, 1))

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        wins, _, losses = self.values.win_tie_loss.T
        return self.values.square(np.sign(wins - losses).astype(np.int8))[None]

    def placements(self, weights: Floats) -> NDArray[np.int8]:
        return np.sign(self._pair_totals.votes).astype(np.int8)[None]

    @cached_property
    def mean_win_rates(self) -> list[Number]:
        return self._pair_totals.run_means

    @cached_property
    def points(self) -> NDArray[np.int64]:
        return self._pair_totals.points


def condorcet_cycles(majority: NDArray[np.int8], runs: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of runs that reach each other by strict majorities, given their signs [run, run]."""
    reach = transitive_closure(majority > 0)
    both = reach & reach.T
    groups = {tuple(np.flatnonzero(both[r]).tolist()) for r in range(len(runs)) if both[r, r]}
    return tuple(tuple(runs[r] for r in group) for group in sorted(groups))


def transitive_closure(reach: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes can be reached from which, given the edges [from, to]."""
    for middle in range(len(reach)):
        reach = reach | (reach[:, middle, None] & reach[middle])
    return reach
