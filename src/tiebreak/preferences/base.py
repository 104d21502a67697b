"""What every preference is: two rankings in, a signed number out, positive where the first is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import Entry
from tiebreak.exact import ExactValues
from tiebreak.exact.values import Places
from tiebreak.metrics.base import check_rel
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.levels import distinct_vectors
from tiebreak.projection.needs import Needs

ENTRIES_AT_ONCE = 1 << 19
Labels: TypeAlias = Callable[[], Places]


@dataclass(frozen=True, slots=True)
class Traits:
    """Which laws a preference obeys; the shared tests hold it to them."""

    rises: bool = True  # moving a relevant item of x up never makes x worse against any y
    is_transitive: bool = False  # it orders the rankings of a request
    uses_grades: bool = False  # grades above the smallest relevant one make a difference
    is_experimental: bool = False  # it may change
    favours_depth: bool = False  # of two runs it favours the one that retrieves more items
    is_sign: bool = False  # it says which ranking is better, and not by how much


@dataclass(frozen=True, eq=False)
class Preferred:
    """What a preference says of some pairs: ``numerator[pair, request] / denominator[request]``, 0 where tied."""

    requests: Places  # those that count, in the order of the input
    numerator: NDArray[Any]  # [pair, request]: whole numbers, else the floats nearest the exact values
    denominator: Places
    exact: ExactValues | None = None  # where numerators are not whole
    by_run: ExactValues | None = None  # numbers [run, request] of which the values are differences
    labels: Labels | None = None  # [run, request]: runs with the same label have the same preferences in a request

    @classmethod
    def from_counts(cls, numerator: NDArray[Any], denominator: Places) -> Preferred:
        """Whole numerators of the requests whose denominator is not 0: those with something relevant."""
        requests = np.flatnonzero(denominator)
        if len(requests) < len(denominator):
            numerator, denominator = numerator[:, requests], denominator[requests]
        return cls(requests, numerator, denominator)

    @classmethod
    def from_exact(
        cls,
        exact: ExactValues,
        is_counted: NDArray[np.bool_],
        by_run: ExactValues | None = None,
        labels: Labels | None = None,
    ) -> Preferred:
        """Exact values of the requests that count."""
        requests = np.flatnonzero(is_counted)
        if len(requests) < len(is_counted):
            exact, by_run = exact.take_columns(requests), None if by_run is None else by_run.take_columns(requests)
        some = None if labels is None else lambda: labels()[:, requests]
        return cls(requests, exact.nearest, np.ones(len(requests), dtype=np.int64), exact, by_run, some)


@dataclass(frozen=True)
class Preference(Entry):
    """(p, p') -> signed preference per request, positive where p is better; antisymmetric, 0 exactly when tied."""

    traits: ClassVar[Traits] = Traits()

    def __post_init__(self) -> None:
        check_rel(self.relevant_from)

    def compare(self, positions: Positions, pairs: Pairs) -> Preferred:
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
