"""Where judged items are, relevant or not: what metrics that look at them share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.metrics.base import Metric
from tiebreak.projection import Positions


def nonrelevant_items(positions: Positions, metric: Metric) -> Positions:
    if positions.nonrelevant is None:
        raise InputError(
            f"{metric} needs the items judged not relevant. Project with nonrelevant=True.", kind="nonrelevant"
        )
    return positions.nonrelevant


def check_no_rel(metric: Metric) -> None:
    """Refuse a relevance level for a metric that has none."""
    if metric.rel is not None:
        raise InputError(f"{metric.name} counts judged items of any grade: leave out rel.", kind="spec")


def number_above(
    request: NDArray[np.int64], ranks: NDArray[np.int32], other: NDArray[np.int64], other_ranks: NDArray[np.int32]
) -> NDArray[np.int64]:
    """For every entry, how many of the other entries of its request are above it."""
    place = np.sort(other * 2**31 + other_ranks)
    return np.asarray(np.searchsorted(place, request * 2**31 + ranks) - np.searchsorted(place, request * 2**31))


def count_judged(positions: Positions, metric: Metric, last: NDArray[np.integer]) -> NDArray[np.int64]:
    """How many judged items are no deeper than a position of each run and request: [run, request]."""
    judged = np.zeros(last.shape, dtype=np.int64)
    for part in (positions, nonrelevant_items(positions, metric)):
        for bucket in part.buckets():
            for block in bucket.blocks():
                some = bucket.requests[block]
                judged[:, some] += np.count_nonzero(bucket.p[:, block] <= last[:, some, None], axis=-1)
    return judged
