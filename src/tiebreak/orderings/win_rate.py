"""Runs by how much they are preferred to the others, on average."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method, Score
from tiebreak.projection.primitives import Floats


class WinRate(Method):
    """The mean over requests of the win rate: the sum of preferences over the other runs (RPP eq 7)."""

    name: ClassVar[str] = "win_rate"

    def share(self, ballots: Ballots) -> int:
        """By what a win rate is divided."""
        return 1

    def tolerance(self, ballots: Ballots) -> float:
        rates = ballots.additive(ballots.win_rate)
        return float(rates.slack * rates.unit / ballots.n_requests / self.share(ballots))

    def scores(self, ballots: Ballots) -> list[Score]:
        return [rate / self.share(ballots) for rate in ballots.mean_win_rates]

    def resampled(self, ballots: Ballots, weights: Floats) -> Floats:
        rates = ballots.additive(ballots.win_rate)
        totals = weights @ rates.numbers.T.astype(np.float64)
        scores: Floats = totals * float(rates.unit / self.share(ballots)) / weights.sum(axis=1, keepdims=True)
        return scores


class MeanPreference(WinRate):
    """The mean over requests and over the other runs of the preference; its order is that of the win rate."""

    name: ClassVar[str] = "mean"

    def share(self, ballots: Ballots) -> int:
        return len(ballots.runs) - 1
