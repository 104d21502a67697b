"""Copeland's method."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method, Score, ranks_of_rows
from tiebreak.projection.primitives import Floats


class Copeland(Method):
    """How many runs a run beats by a majority of requests, minus how many beat it."""

    name: ClassVar[str] = "copeland"

    def scores(self, ballots: Ballots) -> list[Score]:
        return list(self.beaten(ballots, ballots.once())[0].tolist())

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        return ranks_of_rows(self.beaten(ballots, weights))

    def beaten(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        """How many runs each run beats, minus how many beat it: [sample, run]."""
        return np.asarray(ballots.majorities(weights).sum(axis=2, dtype=np.int64))
