"""Runs by how much they are preferred to the others, on average."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method, Score
from tiebreak.projection.primitives import Floats


class WinRate(Method):
    """The mean over requests of the win rate: the sum of preferences over the other runs (RPP eq 7)."""

    name: ClassVar[str] = "win_rate"

    def share(self, ballots: Ballots) -> int:
        """By what a win rate is divided."""
        return 1

    def scores(self, ballots: Ballots) -> list[Score]:
        return [rate / self.share(ballots) for rate in ballots.mean_win_rates]

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        return ballots.totals.ranks(weights)


class MeanPreference(WinRate):
    """The mean over requests and over the other runs of the preference; its order is that of the win rate."""

    name: ClassVar[str] = "mean"

    def share(self, ballots: Ballots) -> int:
        return len(ballots.runs) - 1
