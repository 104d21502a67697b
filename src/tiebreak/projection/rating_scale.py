"""Judgements that look like ratings, low ones of which count as relevant too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection.position_table import Positions

FEWEST, HIGHEST = 4, 4.0
"""A scale of ratings has at least so many grades, and one as high: 1 to 5 stars, and not grades 1 to 3 of TREC."""
HIGH_SHARE = 0.75
"""High ratings are at least this share of the largest: 4 of 5 stars, 8 of 10 points."""


def rating_notes(positions: Positions) -> Iterator[str]:
    """A note where users rated items, all above 0, and the lowest ratings count as relevant."""
    source = positions.aspect_source  # which has grades as they were before they became binary
    judgements = positions.judgements if source is None else source.judgements
    if judgements is None or judgements.grade.min(initial=1) <= 0 or judgements.grade.max(initial=0) < HIGHEST:
        return
    scale = np.unique(judgements.grade)
    relevant = scale[is_relevant(scale, positions.relevant_from)]
    if len(scale) < FEWEST or not len(relevant) or relevant[0] > max(scale[0], 1):
        return
    high = scale[scale >= HIGH_SHARE * scale[-1]][0]
    yield (
        f"Grades look like ratings, from {scale[0]:g} to {scale[-1]:g}, and all from {relevant[0]:g} on count as "
        f"relevant. To count only high ones give --min-grade {high:g} (min_grade={high:g})."
    )
