"""Borda's count."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method, Score, ranks_of_rows
from tiebreak.projection.primitives import Floats


class Borda(Method):
    """The mean over requests of the number of runs minus the run's rank by win rate, the average rank for ties."""

    name: ClassVar[str] = "borda"

    def scores(self, ballots: Ballots) -> list[Score]:
        return [
            Fraction(int(self.twice_points(ballots, r).sum()), 2 * ballots.n_requests) for r in range(len(ballots.runs))
        ]

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        points = np.stack([self.twice_points(ballots, run) for run in range(len(ballots.runs))])
        return ranks_of_rows(weights @ points.T.astype(np.float64))  # sums of whole numbers

    def twice_points(self, ballots: Ballots, run: int) -> NDArray[np.int64]:
        """Twice a run's points in every request, which are whole."""
        # Twice the average rank is 2 + 2 (those above) + (others that tie) = S + 1 + (those above) - (those below).
        points: NDArray[np.int64] = len(ballots.runs) - 1 + ballots.above(run).sum(axis=0)
        return points
