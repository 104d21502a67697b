"""What the requests say of all runs: the ground on which systems are ordered."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.means import exact_means
from tiebreak.projection.primitives import Floats

Integers = NDArray[np.int64]
TOLERANCE = Fraction(1, 10**12)
"""Preferences that are sums of floats differ by noise: win rates this close, for each run summed over, are the same."""


class Whole(NamedTuple):
    """Numbers as whole multiples of a unit; sums that differ by no more than `slack` units are the same."""

    numbers: Integers
    unit: Fraction
    slack: int = 0


@dataclass(frozen=True, eq=False)
class Ballots:
    """Win rates of all runs in every request, and the preferences between all pairs.

    A run's win rate in a request is the sum of its preferences over the other runs (RPP eq 7).

    Attributes
    ----------
    runs : tuple of str
    win_rate : Whole
        [run, request], in units of ``unit / denominator[request]``: integers decide who is above whom.
    preferred : Whole
        [pair, request], in the same units.
    denominator : int array [request]
    x, y : int arrays [pair]
    """

    runs: tuple[str, ...]
    win_rate: Whole
    preferred: Whole
    denominator: Integers
    x: Integers
    y: Integers
    signs: NDArray[np.int8]

    @classmethod
    def of(
        cls, runs: tuple[str, ...], x: Integers, y: Integers, numerator: NDArray[Any], denominator: Integers
    ) -> Ballots:
        """The ballots that preferences ``numerator[pair, request] / denominator[request]`` between all pairs make."""
        preferred = whole(numerator, terms=len(runs) * len(denominator))
        rates = np.zeros((len(runs), len(denominator)), dtype=np.int64)
        for pair, (first, second) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            rates[first] += preferred.numbers[pair]
            rates[second] -= preferred.numbers[pair]
        slack = ceil(TOLERANCE * len(runs) / preferred.unit) if preferred.slack else 0
        win_rate = Whole(rates, preferred.unit, slack)
        return cls(runs, win_rate, preferred, denominator, x, y, np.sign(numerator).astype(np.int8))

    @property
    def n_requests(self) -> int:
        return len(self.denominator)

    def once(self) -> Floats:
        """Weights that count every request once, as a single sample: [1, request]."""
        return np.ones((1, self.n_requests))

    @cached_property
    def mean_win_rates(self) -> list[Fraction]:
        """The exact mean over requests of every run's win rate."""
        return [self.win_rate.unit * mean for mean in exact_means(self.win_rate.numbers, self.denominator)]

    def above(self, run: int) -> NDArray[np.int64]:
        """Whether a run stands above each run in each request, by win rate: [run, request], 1, 0 or -1."""
        lead = self.win_rate.numbers[run] - self.win_rate.numbers
        signs: NDArray[np.int64] = np.sign(lead) * (np.abs(lead) > self.win_rate.slack)
        return signs

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        """Who is preferred in more requests, by sample: [sample, run, run], 1 where the first is.

        Sums of whole numbers are exact in floats, however they are added up.
        """
        return self.both_ways(np.sign(weights @ self.signs.T.astype(np.float64)))

    def both_ways(self, signs: Floats) -> NDArray[np.int8]:
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

    def additive(self, of: Whole) -> Whole:
        """Numbers that can be added up over requests, whatever their denominators: exact where they fit."""
        common = lcm(*np.unique(self.denominator).tolist())
        largest = int(np.abs(of.numbers).max(initial=0))
        if common * largest * self.n_requests < 2**53:
            return Whole(of.numbers * (common // self.denominator), of.unit / common, of.slack * self.n_requests)
        rounded = whole(of.numbers / self.denominator, terms=self.n_requests)
        slack = ceil(of.slack / rounded.unit) * self.n_requests
        return Whole(rounded.numbers, of.unit * rounded.unit, slack + 2 * rounded.slack * self.n_requests)


def whole(values: NDArray[Any], terms: int) -> Whole:
    """Values as whole multiples of a unit, the finest for which sums of so many terms are exact, also in floats.

    Examples
    --------
    >>> made = whole(np.array([0.5, -0.25]), terms=4)
    >>> [float(number * made.unit) for number in made.numbers.tolist()]
    [0.5, -0.25]
    """
    if np.issubdtype(values.dtype, np.integer):
        return Whole(values.astype(np.int64), Fraction(1))
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    bits = 52 - int(np.ceil(np.log2(largest * max(terms, 1))))
    return Whole(np.rint(np.ldexp(values, bits)).astype(np.int64), Fraction(2) ** -bits, slack=1)
