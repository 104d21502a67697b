"""What every preference is: two rankings in, a signed number out, positive where the first is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import Entry
from tiebreak.exact.held import Places
from tiebreak.metrics.base import check_rel
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.levels import distinct_vectors
from tiebreak.projection.needs import Needs

ENTRIES_AT_ONCE = 1 << 19


@dataclass(frozen=True, slots=True)
class Traits:
    """Which laws a preference obeys; the shared tests hold it to them."""

    rises: bool = True  # moving a relevant item of x up never makes x worse against any y
    is_transitive: bool = False  # it orders the rankings of a request
    uses_grades: bool = False  # grades above the smallest relevant one make a difference
    is_experimental: bool = False  # it may change
    favours_depth: bool = False  # of two runs it favours the one that retrieves more items
    is_sign: bool = False  # it says which ranking is better, and not by how much


@dataclass(frozen=True)
class Preference(Entry):
    """(p, p') -> signed preference per request, positive where p is better; antisymmetric, 0 exactly when tied."""

    traits: ClassVar[Traits] = Traits()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rel(self.relevant_from)

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        """Compare some pairs of runs in every request; positions have all that the preference `needs`."""
        raise NotImplementedError

    @property
    def relevant_from(self) -> float | None:
        """The grade from which it calls an item relevant, where it has its own."""
        level: float | None = getattr(self, "rel", None)
        return level

    @property
    def needs(self) -> Needs:
        """What has to be read beyond the positions of judged items."""
        return Needs()


def position_labels(positions: Positions) -> Places:
    """Whole numbers [run, request], equal where runs have the same positions of a request's relevant items."""
    labels = np.full((len(positions.runs), len(positions.requests)), -1, dtype=np.int64)
    for bucket in positions.buckets():
        labels[:, bucket.requests] = distinct_vectors(bucket.p)
    return labels
