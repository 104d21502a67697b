"""Copeland's method."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats


class Copeland(Method):
    """How many runs a run beats by a majority of requests, minus how many beat it."""

    name: ClassVar[str] = "copeland"

    def resampled(self, ballots: Ballots, weights: Floats) -> Floats:
        scores: Floats = ballots.majorities(weights).sum(axis=2, dtype=np.float64)
        return scores
