"""What the requests say of all runs: the ground on which systems are ordered."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.projection.primitives import Floats

Wholes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ballots:
    """Win rates of all runs in every request, and the preferences between all pairs.

    A run's win rate in a request is the sum of its preferences over the other runs (RPP eq 7).

    Attributes
    ----------
    runs : tuple of str
    win_rate : int array [run, request]
        In units of ``unit / denominator[request]``, so that integers decide who is above whom.
    denominator : int array [request]
    unit : Fraction
    x, y : int arrays [pair]
    signs : int8 array [pair, request]
        Who wins each pair: 1 for x, -1 for y, 0 where they tie.
    """

    runs: tuple[str, ...]
    win_rate: Wholes
    denominator: Wholes
    unit: Fraction
    x: Wholes
    y: Wholes
    signs: NDArray[np.int8]

    @property
    def n_requests(self) -> int:
        return len(self.denominator)

    def once(self) -> Floats:
        """Weights that count every request once, as a single sample: [1, request]."""
        return np.ones((1, self.n_requests))

    @cached_property
    def mean_win_rates(self) -> list[Fraction]:
        """The exact mean over requests of every run's win rate."""
        sizes, which = np.unique(self.denominator, return_inverse=True)
        common = lcm(*sizes.tolist())
        factors = [common // size for size in sizes.tolist()]
        of_size = np.zeros((len(self.runs), len(sizes)), dtype=np.int64)
        for k in range(len(sizes)):
            of_size[:, k] = self.win_rate[:, which == k].sum(axis=1)
        totals = (sum(f * total for f, total in zip(factors, row, strict=True)) for row in of_size.tolist())
        return [self.unit * Fraction(total, common * self.n_requests) for total in totals]

    def majorities(self, weights: Floats) -> NDArray[np.int8]:
        """Who is preferred in more requests, by sample: [sample, run, run], 1 where the first is.

        Sums of whole numbers are exact in floats, however they are added up.
        """
        won = np.sign(weights @ self.signs.T.astype(np.float64)).astype(np.int8)
        found = np.zeros((len(weights), len(self.runs), len(self.runs)), dtype=np.int8)
        found[:, self.x, self.y] = won
        found[:, self.y, self.x] = -won
        return found

    def placements(self, weights: Floats) -> NDArray[np.int8]:
        """Who stands above the other in more requests, by win rate: [sample, run, run], 1 where the first does."""
        found = np.empty((len(weights), len(self.runs), len(self.runs)), dtype=np.int8)
        for r in range(len(self.runs)):
            above = np.sign(self.win_rate[r] - self.win_rate).astype(np.float64)
            found[:, r] = np.sign(weights @ above.T)
        return found


def whole(values: NDArray[Any], terms: int) -> tuple[Wholes, Fraction]:
    """Values as whole multiples of a unit, the finest for which sums of so many terms are exact, also in floats.

    Examples
    --------
    >>> numbers, unit = whole(np.array([0.5, -0.25]), terms=4)
    >>> [float(n * unit) for n in numbers.tolist()]
    [0.5, -0.25]
    """
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64), Fraction(1)
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    bits = 52 - int(np.ceil(np.log2(largest * max(terms, 1))))
    return np.rint(np.ldexp(values, bits)).astype(np.int64), Fraction(2) ** -bits
