"""Ballots: the preferences and win rates of all requests, from which systems are ordered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues, Number
from tiebreak.exact.slices import Totals
from tiebreak.exact.sums import sum_fractions
from tiebreak.exact.values import CANCELLED, Places
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True, eq=False)
class Ballots:
    """Win rates of all runs in every request, and the preferences between all pairs.

    A run's win rate in a request is the sum of its preferences over the other runs (RPP eq 7). The values are those of
    `Preferred`: signs and preferences [pair, request], `by_run` and labels [run, request].
    """

    runs: tuple[str, ...]
    x: Places
    y: Places
    signs: NDArray[np.int8]
    preferences: ExactValues
    numerator: NDArray[np.integer] | None = None
    denominator: Places | None = None
    by_run: ExactValues | None = None
    labels: Callable[[], Places] | None = None

    def take(self, requests: Places) -> Ballots:
        """The ballots of some requests; repeated ones count repeatedly."""
        labels = self.labels
        return replace(
            self,
            signs=self.signs[:, requests],
            preferences=self.preferences.take_columns(requests),
            numerator=None if self.numerator is None else self.numerator[:, requests],
            denominator=None if self.denominator is None else self.denominator[requests],
            by_run=None if self.by_run is None else self.by_run.take_columns(requests),
            labels=None if labels is None else lambda: labels()[:, requests],
        )

    @property
    def n_requests(self) -> int:
        return int(self.signs.shape[1])

    def unit_weights(self) -> Floats:
        """Weights of one sample that counts every request once: [1, request]."""
        return np.ones((1, self.n_requests))

    @cached_property
    def win_rate(self) -> ExactValues:
        """The exact win rates [run, request]."""
        if self.numerator is not None and self.denominator is not None:
            whole = np.zeros((len(self.runs), self.n_requests), dtype=np.int64)
            for pair, (x, y) in enumerate(zip(self.x.tolist(), self.y.tolist(), strict=True)):
                whole[x] += self.numerator[pair]
                whole[y] -= self.numerator[pair]
            return ExactValues.quotients(whole, self.denominator)
        rates = Doubles(*(np.zeros((len(self.runs), self.n_requests)) for _ in range(2)))
        for pair, (x, y) in enumerate(zip(self.x.tolist(), self.y.tolist(), strict=True)):
            preferred = Doubles(self.preferences.nearest[pair], self.preferences.rest[pair])
            for run, after in ((x, rates[x] + preferred), (y, rates[y] - preferred)):
                rates.high[run], rates.low[run] = after.high, after.low
        largest = np.abs(self.preferences.nearest).max(initial=0.0, axis=0)
        met = np.zeros(rates.shape, dtype=bool)
        for rows in (self.x, self.y):
            np.logical_or.at(met, rows, self.signs != 0)
        error = 2 * self.preferences.share * len(self.runs) * largest
        return ExactValues.from_doubles(
            rates,
            error,
            self._exact_win_rates,
            ~met,
            is_signed=True,
            share=CANCELLED,
            is_rational=self.preferences.is_rational,
            labels=self.labels,
        )

    def _exact_win_rates(self, run: int, requests: Places) -> list[Fraction]:
        rates = [[Fraction(0)] for _ in requests]
        for rows, sign in ((self.x, 1), (self.y, -1)):
            for pair in np.flatnonzero(rows == run).tolist():
                for rate, number in zip(rates, self.preferences.exactly(pair, requests), strict=True):
                    rate.append(sign * number)
        return [sum_fractions(rate) for rate in rates]

    @cached_property
    def win_rate_codes(self) -> Places:
        """Whole numbers [run, request] that order and tie the runs of a request as their win rates do."""
        return (self.win_rate if self.by_run is None else self.by_run).codes(by_column=True)

    @cached_property
    def mean_win_rates(self) -> list[Number]:
        """The exact mean over requests of every run's win rate."""
        if self.by_run is None:
            return [self.win_rate.sample(run).mean() for run in range(len(self.runs))]
        means = [self.by_run.sample(run).mean() for run in range(len(self.runs))]
        everything = sum(means[1:], means[0])
        return [len(means) * mean - everything for mean in means]

    def win_rate_signs(self, run: int) -> NDArray[np.int64]:
        """Sign of the win-rate difference between a run and every run: [run, request]."""
        signs: NDArray[np.int64] = np.sign(self.win_rate_codes[run] - self.win_rate_codes)
        return signs

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        """Majority relation per sample: [sample, run, run], 1 where more requests prefer the first run."""
        return self.to_square(np.sign(weights @ self.signs.T.astype(np.float64)))  # sums of whole numbers are exact

    def to_square(self, signs: NDArray[np.number]) -> NDArray[np.int8]:
        """Signs [sample, pair] as [sample, run, run]."""
        square = np.zeros((len(signs), len(self.runs), len(self.runs)), dtype=np.int8)
        square[:, self.x, self.y] = signs
        square[:, self.y, self.x] = -signs
        return square

    def placements(self, weights: Floats) -> NDArray[np.int8]:
        """Majority relation of win rates per sample: [sample, run, run], 1 where the first is more often higher."""
        signs = [np.sign(weights @ self.win_rate_signs(run).T.astype(np.float64)) for run in range(len(self.runs))]
        return np.stack(signs, axis=1).astype(np.int8)

    @cached_property
    def totals(self) -> Totals:
        """Sums over requests of win rates, or of numbers that order runs as they do."""
        return Totals(self.win_rate if self.by_run is None else self.by_run)

    @cached_property
    def pair_totals(self) -> Totals:
        """Sums over requests of preferences."""
        return Totals(self.preferences)

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The Condorcet cycles among all requests."""
        return condorcet_cycles(self.majorities(self.unit_weights())[0], self.runs)


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
