"""How many of the aspects the first items cover: S-Recall and S-RR."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number
from tiebreak.exact import ExactValues, decimal
from tiebreak.metrics.diversity.base import AspectMetric, aspect_slots
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats


class AspectRecall(AspectMetric):
    """The share of all aspects that the first items show, rated or not (S-Recall, Zhai et al. 2003).

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4}}, {"u": {"b": 2.0, "a": 1.0}}, aspects={"a": ["war"], "b": ["love"]})
    >>> exp.evaluate("S-Recall@1").to_flat_dict()
    {'run1/S-Recall@1': 0.5}
    """

    name: ClassVar[str] = "S-Recall"

    def ranking_values(self, rankings: AspectRankings) -> ExactValues:
        counted = rankings.available
        covered = (first_ranks(rankings) <= self.depth) & counted
        return ExactValues.quotients(covered.sum(axis=-1), np.maximum(counted.sum(axis=-1), 1))


@dataclass(frozen=True)
class AspectReciprocalRank(AspectMetric):
    """One over the first rank at which all aspects have been shown; 0 beyond the cutoff (S-RR, Zhai et al. 2003).

    Parameters
    ----------
    level : float
        The share of aspects to be shown, rounded up to whole aspects; by default all of them, S-RR@100%.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 4}}, {"u": {"b": 2.0, "a": 1.0}}, aspects={"a": ["war"], "b": ["love"]})
    >>> exp.evaluate("S-RR@5").to_flat_dict()
    {'run1/S-RR@5': 0.5}
    >>> exp.evaluate("S-RR(level=0.5)@5").to_flat_dict()      # one aspect of two
    {'run1/S-RR(level=0.5)@5': 1.0}
    """

    level: float = parameter(1.0, check_number, above=0, high=1)

    name: ClassVar[str] = "S-RR"

    def ranking_values(self, rankings: AspectRankings) -> ExactValues:
        counted, level = rankings.available.sum(axis=-1), decimal(self.level)
        needed = np.array([ceil(level * number) for number in counted.tolist()])[None, :, None]
        first = np.sort(np.where(rankings.available, first_ranks(rankings), np.inf), axis=-1)
        last = np.where(counted > 0, np.take_along_axis(first, np.maximum(needed - 1, 0), axis=-1)[..., 0], 1.0)
        is_covered = last <= self.depth
        return ExactValues.quotients(is_covered.astype(np.int64), np.where(is_covered, last, 1).astype(np.int64))


def first_ranks(rankings: AspectRankings) -> Floats:
    """The first rank [run, request, aspect] at which an aspect is shown; infinite where it is not."""
    runs, requests, depth = rankings.item.shape
    first = np.full((runs, requests, len(rankings.table.labels) + 1), np.inf)
    run, request = np.arange(runs)[:, None], np.arange(requests)
    for rank in range(depth, 0, -1):
        first[run, request, aspect_slots(rankings, rankings.item[:, :, rank - 1])] = rank
    return first[..., :-1]
