"""Any other metric of the package, evaluated as it is: a ranking as that of one user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tiebreak.inputs import Ids
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric
from tiebreak.projection.aspect_rankings import AspectRankings, AspectTable, Ratings
from tiebreak.studies.axiomatic.rankings import Items

DEEPEST = 1000
"""The cutoff of metrics that need one: below all rankings."""


def evaluated(made: AspectMetric | SubtopicMetric, items: Items, interest: Mapping[str, Any], r_max: int) -> float:
    """The value of a metric; 0 where it has none, because nothing is relevant."""
    value = float(made.score_rankings(as_rankings(items, interest, r_max))[0, 0])
    return 0.0 if np.isnan(value) else value


def as_rankings(items: Items, interest: Mapping[str, Any], r_max: int) -> AspectRankings:
    """One user who is shown these items, and whose profile has one item for every aspect, rated by the interest."""
    names = [f"i{k:04}" for k in range(len(items))]
    shown = {name: sorted(item.aspects) for name, item in zip(names, items, strict=True)}
    table = AspectTable.from_aspects(shown | {f"profile {aspect}": [aspect] for aspect in interest})
    ratings = np.array([np.nan if item.rating is None else item.rating for item in items], dtype=np.float64)
    rated = np.flatnonzero(~np.isnan(ratings))
    profile = Ratings(
        np.array([0, len(interest)]),
        np.arange(len(items), len(items) + len(interest)),
        np.array([float(share) for share in interest.values()]),
    )
    return AspectRankings(
        runs=("ranking",),
        requests=Ids.from_names(["user"]),
        table=table,
        item=np.arange(len(items))[None, None],
        rating=ratings[None, None],
        rated=Ratings(np.array([0, len(rated)]), rated, ratings[rated]),
        profile=profile,
        largest=float(r_max),
    )
