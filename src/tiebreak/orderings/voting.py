"""Voting rules: Borda, Copeland, and mean preferences."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Real, competition_ranks
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats


class Borda(Method):
    """The mean over requests of the number of runs minus the run's rank by win rate, the average rank for ties."""

    name: ClassVar[str] = "borda"

    def scores(self, ballots: Ballots) -> list[Real]:
        return [Fraction(points, 2 * ballots.n_requests) for points in ballots.points.tolist()]

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        return competition_ranks(ballots.point_sums(weights))


class Copeland(Method):
    """The number of runs that a run beats by a majority of requests, minus the number that beat it."""

    name: ClassVar[str] = "copeland"

    def scores(self, ballots: Ballots) -> list[Real]:
        return list(self.margins(ballots, ballots.unit_weights())[0].tolist())

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        return competition_ranks(self.margins(ballots, weights))

    def margins(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        """Runs beaten minus runs that beat it: [sample, run]."""
        return np.asarray(ballots.majorities(weights).sum(axis=2, dtype=np.int64))


class WinRate(Method):
    """The mean over requests of the win rate: the sum of preferences over the other runs (RPP eq 7)."""

    name: ClassVar[str] = "win_rate"

    def scores(self, ballots: Ballots) -> list[Real]:
        return list(ballots.mean_win_rates)

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        return ballots.totals.ranks(weights)


class MeanPreference(WinRate):
    """The mean over requests and over the other runs of the preference; its order is that of the win rate."""

    name: ClassVar[str] = "mean"

    def scores(self, ballots: Ballots) -> list[Real]:
        return [rate / (len(ballots.runs) - 1) for rate in ballots.mean_win_rates]
