"""What every measure of items with aspects is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import Floats

Codes: TypeAlias = NDArray[np.int64]


class AspectMetric(Metric):
    """A measure of the first items of a ranking, with their aspects and ratings."""

    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, low=-np.inf, high=np.inf)
    spec_parameters: ClassVar[tuple[str, ...]] = ()
    has_level: ClassVar[bool] = False
    """Whether items are relevant or not, from a rating on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None and not self.has_level:
            raise InputError(f"{self.name} counts ratings as they are. Leave out rel={self.rel:g}.", kind="spec")

    @property
    def depth(self) -> int:
        return int(self.cutoff or 1)

    @property
    def needs(self) -> Needs:
        return Needs(aspects=self.depth)

    def values(self, positions: Positions) -> ExactValues:
        source = positions.aspect_source
        if source is None or not source.is_known:
            raise InputError(
                f"{self} needs the aspects of items: Experiment(..., aspects=...), --aspects FILE.", kind="aspects"
            )
        return self.ranking_values(positions.aspect_rankings)

    def ranking_values(self, rankings: AspectRankings) -> ExactValues:
        """Exact values [run, request]; by default the floats of `score_rankings`."""
        return ExactValues.from_floats(self.score_rankings(rankings))

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        """The floats [run, request] nearest the values; the same bits for the same input in any order."""
        return self.ranking_values(rankings).nearest

    def score_depths(self, rankings: AspectRankings, depths: Sequence[int]) -> list[Floats]:
        """The floats of `score_rankings` at several cutoffs; a measure may share what they have in common."""
        return [replace(self, cutoff=depth).score_rankings(rankings) for depth in depths]


@dataclass(frozen=True)
class InterestMetric(AspectMetric):
    """A measure that weighs aspects by a user's interest in them.

    Parameters
    ----------
    interest : {"profile", "uniform"}
        How much of the user's ratings each aspect has (AB eq 9), or the same for all aspects.
    """

    interest: str = parameter("profile", check_choice, choices=("profile", "uniform"), kw_only=True)

    def interests(self, rankings: AspectRankings) -> Floats:
        """How much every user is interested in every aspect: [request, aspect], and 0 for none of them."""
        if self.interest == "profile":
            return rankings.interest
        counted = rankings.available
        shares = np.zeros(rankings.interest.shape)
        shares[:, :-1] = counted / np.maximum(counted.sum(axis=1, keepdims=True), 1)
        return shares


def aspect_slots(rankings: AspectRankings, item: Codes) -> Codes:
    """The aspects [slot, ...] of items; the code after the last aspect where there is none."""
    unknown = len(rankings.table.of_item) - 1
    return np.take(rankings.table.slots, np.where(item == NOBODY, unknown, item), axis=1)


def check_ratings(largest: float, r_max: float) -> None:
    """Check that no rating is above the scale."""
    if largest > r_max:
        raise InputError(f"r_max={r_max:g} is below a rating. Give the maximum of the scale.", kind="range")


def highest_rating(r_max: float | None, rankings: AspectRankings) -> float:
    """The largest rating of the scale; by default the largest that occurs, which none may exceed."""
    highest = r_max or rankings.largest or 1.0
    check_ratings(rankings.largest, highest)
    return highest
