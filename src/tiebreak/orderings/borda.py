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
        points = weights @ twice_points(ballots.win_rate).T.astype(np.float64)
        scores: Floats = points / (2 * weights.sum(axis=1, keepdims=True))
        return scores


def twice_points(win_rate: NDArray[np.int64]) -> NDArray[np.int64]:
    """Twice the Borda points [run, request], which are whole.

    Examples
    --------
    >>> twice_points(np.array([[5], [2], [2], [-9]])).ravel().tolist()      # ranks 1, 2.5, 2.5 and 4 of 4
    [6, 3, 3, 0]
    """
    # Twice the average rank is 2 + 2 (those above) + (others that tie) = n + 1 + (those above) - (those below).
    points = np.empty_like(win_rate)
    for r in range(len(win_rate)):
        points[r] = len(win_rate) - 1 + np.sign(win_rate[r] - win_rate).sum(axis=0)
    return points
