"""What every measure of items with aspects is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class AspectMetric(Metric):
    """A measure of the first items of a ranking, with their aspects and ratings."""

    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, low=-np.inf, high=np.inf)
    has_level: ClassVar[bool] = False
    """Whether items are relevant or not, from a rating on."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None and not self.has_level:
            raise InputError(f"{self.name} counts ratings as they are. Leave out rel={self.rel:g}.", kind="spec")

    @property
    def needs(self) -> Needs:
        return Needs(aspects=int(self.cutoff or 1))

    def values(self, positions: Positions) -> ExactValues:
        source = positions.aspect_source
        if source is None or not source.is_known:
            raise InputError(
                f"{self} needs the aspects of items: Experiment(..., aspects=...), --aspects FILE.", kind="aspects"
            )
        return self.values_of(positions.aspect_rankings)

    def of_rankings(self, rankings: AspectRankings) -> Floats:
        """Values [run, request]."""
        raise NotImplementedError

    def values_of(self, rankings: AspectRankings) -> ExactValues:
        """The same; their floats are what they are, the same bits for the same input in any order."""
        return ExactValues.from_floats(self.of_rankings(rankings))
