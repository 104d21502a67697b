"""Counts of requests and items, as trec_eval reports them: sums over requests."""

from __future__ import annotations

from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.metrics._count import Count, relevant_retrieved
from tiebreak.metrics.base import Traits
from tiebreak.projection import Positions


class NumberOfRequests(Count):
    """Number of requests with a relevant item: 1 for each, summed.

    Examples
    --------
    >>> runs = {"q1": {"a": 1.0}, "q2": {"x": 1.0}}
    >>> tb.Experiment({"q1": {"a": 1}, "q2": {"b": 1}}, runs).evaluate("NumQ").to_flat_dict()
    {'run1/NumQ': 2.0}
    """

    name: ClassVar[str] = "NumQ"

    def count(self, positions: Positions) -> NDArray[Any]:
        return np.ones_like(positions.retrieved)


class NumberRetrieved(Count):
    """Number of items retrieved, summed; with ``rel``, of relevant ones.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}})
    >>> NumberRetrieved().evaluate(p).tolist(), NumberRetrieved(rel=2).evaluate(p).tolist()
    ([[3.0]], [[1.0]])
    """

    name: ClassVar[str] = "NumRet"

    def count(self, positions: Positions) -> NDArray[Any]:
        return positions.retrieved if self.rel is None else relevant_retrieved(positions.levels(self.rel))


class NumberRelevant(Count):
    """Number of relevant items, retrieved or not, summed.

    Examples
    --------
    >>> NumberRelevant().evaluate(tb.positions([[2, 5, None]])).tolist()
    [[3.0]]
    """

    name: ClassVar[str] = "NumRel"

    def count(self, positions: Positions) -> NDArray[Any]:
        return np.broadcast_to(positions.relevant(self.rel), positions.retrieved.shape)


class NumberRelevantRetrieved(Count):
    """Number of relevant items retrieved, summed.

    Examples
    --------
    >>> NumberRelevantRetrieved().evaluate(tb.positions([[2, 5, None]])).tolist()
    [[2.0]]
    """

    name: ClassVar[str] = "NumRelRet"
    traits: ClassVar[Traits] = Traits(high=inf, cutoff="no")

    def count(self, positions: Positions) -> NDArray[Any]:
        return relevant_retrieved(positions.levels(self.rel))
