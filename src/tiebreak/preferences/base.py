"""What every preference is: two rankings in, a signed number out, positive where the first is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.catalogue import Entry
from tiebreak.metrics import Metric
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats, Ranks

TOLERANCE = 1e-12
"""Values that are sums of floats count as 0 below this."""

ENTRIES_AT_ONCE = 1 << 19

Evaluate: TypeAlias = Callable[[Metric], Floats]
"""The values [run, request] of a metric."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Which laws a preference obeys; the shared tests hold it to them.

    Attributes
    ----------
    rises : bool
        Moving a relevant item of x up never makes x worse against any y.
    is_transitive : bool
        It orders the rankings of a request.
    uses_grades : bool
        Grades above the smallest relevant one make a difference.
    is_experimental : bool
        It may change.
    is_sign : bool
        It says which ranking is better, and not by how much.
    """

    rises: bool = True
    is_transitive: bool = False
    uses_grades: bool = False
    is_experimental: bool = False
    is_sign: bool = False


@dataclass(frozen=True, eq=False)
class Preferred:
    """What a preference says of some pairs: ``numerator[pair, request] / denominator[request]``, 0 exactly where tied.

    Numerators are whole where the preference is: integers decide who wins. `requests` are the places of the requests
    that count, in the order of the input.
    """

    requests: NDArray[np.int64]
    numerator: NDArray[Any]
    denominator: NDArray[np.int64]

    @classmethod
    def counted(cls, numerator: NDArray[Any], denominator: NDArray[np.int64]) -> Preferred:
        """Only the requests whose denominator is not 0: those with something relevant."""
        requests = np.flatnonzero(denominator)
        if len(requests) < len(denominator):
            numerator, denominator = numerator[:, requests], denominator[requests]
        return cls(requests, numerator, denominator)


@dataclass(frozen=True)
class Preference(Entry):
    """(p, p') -> signed preference per request, positive where p is better; antisymmetric, 0 exactly when tied."""

    traits: ClassVar[Traits] = Traits()

    def compare(self, positions: Positions, pairs: Pairs, evaluate: Evaluate) -> Preferred:
        """Compare some pairs of runs in every request.

        Parameters
        ----------
        positions : Positions
        pairs : Pairs
        evaluate : callable
            Gives the values of a metric, for preferences that are made of one.
        """
        raise NotImplementedError


def by_level(p: Ranks) -> Ranks:
    """The same positions as ``p[level, run, request]``: whole rows are compared at once."""
    return np.ascontiguousarray(p.transpose(2, 0, 1))


def settled(values: Floats) -> Floats:
    """The same with what is below the tolerance made 0, so that a tie is a tie."""
    values[np.abs(values) < TOLERANCE] = 0.0
    return values
