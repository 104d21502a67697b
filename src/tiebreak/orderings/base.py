"""The base class of ordering methods, which give every run a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import Entry
from tiebreak.exact import Real, competition_ranks
from tiebreak.orderings.ballots import Ballots
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class Method(Entry):
    """Ballots -> a score per run, the larger the better; equal scores tie."""

    def scores(self, ballots: Ballots) -> list[Real]:
        """An exact score per run."""
        raise NotImplementedError

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        """Ranks [sample, run], where request q counts ``weights[sample, q]`` times; a method may have a faster way."""
        times = weights.astype(np.int64)
        places = np.arange(ballots.n_requests)
        return np.stack([competition_ranks(self.scores(ballots.take(places.repeat(row)))) for row in times])
