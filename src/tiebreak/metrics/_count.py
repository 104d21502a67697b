"""What counts of items share: the shared base of metrics that are whole numbers, and the relevant items retrieved."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Levels, Positions


class Count(Metric):
    """A whole number for every request; over all requests the sum is reported."""

    traits: ClassVar[Traits] = Traits(high=inf, cutoff="no", has_direction=False)
    total: ClassVar[str] = "sum"

    def count(self, positions: Positions) -> NDArray[Any]:
        """Whole numbers [run, request]."""
        raise NotImplementedError

    def values(self, positions: Positions) -> ExactValues:
        has_value = (positions.relevant(self.rel) > 0).astype(np.int64)
        return ExactValues.quotients(self.count(positions), has_value)


def relevant_retrieved(levels: Levels) -> NDArray[np.int64]:
    """How many relevant items each run retrieves for each request: [run, request]."""
    counts = np.zeros(levels.retrieved.shape, dtype=np.int64)
    for bucket in levels.buckets():
        for block in bucket.blocks():
            some = bucket.requests[block]
            counts[:, some] = np.count_nonzero(bucket.p[:, block] <= levels.retrieved[:, some, None], axis=-1)
    return counts
