"""What the requests say of all runs: the ground on which systems are ordered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues, Number
from tiebreak.exact.sums import sum_fractions
from tiebreak.exact.totals import Totals
from tiebreak.exact.values import CANCELLED, Places
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True, eq=False)
class Ballots:
    """Win rates of all runs in every request, and the preferences between all pairs.

    A run's win rate in a request is the sum of its preferences over the other runs (RPP eq 7).

    Attributes
    ----------
    runs : tuple of str
    x, y : int arrays [pair]
    signs : int8 array [pair, request]
        Which run of a pair is preferred.
    preferences : ExactValues
        Exact preferences [pair, request].
    numerator, denominator : int arrays, optional
        The preferences as whole numbers [pair, request] over those of a request, where they are.
    by_run : ExactValues, optional
        Numbers [run, request] of which the preferences are differences.
    labels : callable, optional
        Gives whole numbers [run, request]; runs with the same label in a request have the same preferences there.
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

    @property
    def n_requests(self) -> int:
        return int(self.signs.shape[1])

    def once(self) -> Floats:
        """Weights that count every request once, as a single sample: [1, request]."""
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
    def standing(self) -> Places:
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

    def above(self, run: int) -> NDArray[np.int64]:
        """Whether a run stands above each run in each request, by win rate: [run, request], 1, 0 or -1."""
        signs: NDArray[np.int64] = np.sign(self.standing[run] - self.standing)
        return signs

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        """Who is preferred in more requests, by sample: [sample, run, run], 1 where the first is.

        Sums of whole numbers are exact in floats, however they are added up.
        """
        return self.both_ways(np.sign(weights @ self.signs.T.astype(np.float64)))

    def both_ways(self, signs: NDArray[np.number]) -> NDArray[np.int8]:
        """Signs [sample, pair] as [sample, run, run]."""
        found = np.zeros((len(signs), len(self.runs), len(self.runs)), dtype=np.int8)
        found[:, self.x, self.y] = signs
        found[:, self.y, self.x] = -signs
        return found

    def placements(self, weights: Floats) -> NDArray[np.int8]:
        """Who stands above the other in more requests, by win rate: [sample, run, run], 1 where the first does."""
        found = np.empty((len(weights), len(self.runs), len(self.runs)), dtype=np.int8)
        for run in range(len(self.runs)):
            found[:, run] = np.sign(weights @ self.above(run).T.astype(np.float64))
        return found

    @cached_property
    def totals(self) -> Totals:
        """Sums over requests of win rates, or of what orders runs as they do."""
        return Totals(self.win_rate if self.by_run is None else self.by_run)

    @cached_property
    def pair_totals(self) -> Totals:
        """Sums over requests of preferences."""
        return Totals(self.preferences)
