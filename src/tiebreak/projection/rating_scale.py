"""Judgements that look like ratings, low ones of which count as relevant too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection.position_table import Positions
from tiebreak.projection.primitives import Floats

FEWEST, HIGHEST = 4, 4.0
"""A scale of ratings has at least so many grades, and one as high: 1 to 5 stars, and not grades 1 to 3 of TREC."""
HIGH_SHARE = 0.75
"""High ratings are at least this share of the largest: 4 of 5 stars, 8 of 10 points."""


class RatingScale(NamedTuple):
    """The different grades of judgements, in increasing order, and the grade from which items are relevant.

    Only one grade is kept where some are not above 0: then these are no ratings.
    """

    grades: Floats
    relevant_from: float | None

    @classmethod
    def from_positions(cls, positions: Positions) -> RatingScale:
        source = positions.aspect_source  # which has grades as they were before they became binary
        judgements = positions.judgements if source is None else source.judgements
        grades = np.empty(0) if judgements is None else judgements.grade
        return cls(different_grades(grades), positions.relevant_from)

    def plus(self, other: RatingScale) -> RatingScale:
        """The scale of both."""
        return self._replace(grades=different_grades(np.concatenate([self.grades, other.grades])))

    def notes(self) -> Iterator[str]:
        """A note where users rated items, all above 0, and the lowest ratings count as relevant."""
        scale = self.grades
        if len(scale) < FEWEST or scale[0] <= 0 or scale[-1] < HIGHEST:
            return
        relevant = scale[is_relevant(scale, self.relevant_from)]
        if not len(relevant) or relevant[0] > max(scale[0], 1):
            return
        high = scale[scale >= HIGH_SHARE * scale[-1]][0]
        yield (
            f"Grades look like ratings, from {scale[0]:g} to {scale[-1]:g}, and all from {relevant[0]:g} on count as "
            f"relevant. To count only high ones give --min-grade {high:g} (min_grade={high:g})."
        )


def different_grades(grades: Floats) -> Floats:
    """The different ones among grades, or the lowest where some are not above 0."""
    lowest = grades.min(initial=np.inf)
    if lowest <= 0:
        return np.array([lowest])
    ordered = np.sort(grades)
    return ordered[np.diff(ordered, prepend=0) > 0]  # np.unique imports much more
