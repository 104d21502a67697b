"""Borda's count."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats


class Borda(Method):
    """The mean over requests of the number of runs minus the run's rank by win rate, the average rank for ties."""

    name: ClassVar[str] = "borda"

    def resampled(self, ballots: Ballots, weights: Floats) -> Floats:
        points = np.stack([self.twice_points(ballots, run) for run in range(len(ballots.runs))])
        totals = weights @ points.T.astype(np.float64)
        scores: Floats = totals / (2 * weights.sum(axis=1, keepdims=True))
        return scores

    def twice_points(self, ballots: Ballots, run: int) -> NDArray[np.int64]:
        """Twice a run's points in every request, which are whole."""
        # Twice the average rank is 2 + 2 (those above) + (others that tie) = S + 1 + (those above) - (those below).
        points: NDArray[np.int64] = len(ballots.runs) - 1 + ballots.above(run).sum(axis=0)
        return points
