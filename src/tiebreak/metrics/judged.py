"""Metrics that look at items judged not relevant: bpref and the share of judged items."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import Metric, Traits
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED


def nonrelevant_items(positions: Positions, metric: Metric) -> Positions:
    if positions.nonrelevant is None:
        raise InputError(
            f"{metric} needs the items judged not relevant. Project with nonrelevant=True.", kind="nonrelevant"
        )
    return positions.nonrelevant


class BinaryPreference(Metric):
    r"""Share of judged non-relevant items below relevant ones, as in trec_eval.

    .. math:: \mathrm{bpref} = \frac{1}{m} \sum_{i \text{ retrieved}} 1 - \frac{\min(n_i, m)}{\min(m, N)}

    where :math:`n_i` of the N items judged not relevant are above relevant item i. Unjudged items are ignored.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1, "x": 0, "y": 0}}
    >>> p = tb.project(qrels, {"q": {"a": 4.0, "x": 3.0, "b": 2.0}}, nonrelevant=True)
    >>> BinaryPreference().evaluate(p).tolist()      # (1 + (1 - 1/2)) / 2
    [[0.75]]
    """

    name: ClassVar[str] = "bpref"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def values(self, positions: Positions) -> ExactValues:
        other = nonrelevant_items(positions, self)
        relevant = is_relevant(positions.grade, positions.min_grade if self.rel is None else self.rel)
        request = positions.layout.request[relevant]
        # Judged below the grade that counts is judged not relevant.
        below = np.concatenate([positions.layout.request[~relevant], other.layout.request])
        below_ranks = np.concatenate([positions.ranks[:, ~relevant], other.ranks], axis=1)
        requests = len(positions.requests)
        m, nonrelevant = (np.bincount(r, minlength=requests) for r in (request, below))
        bound = np.maximum(np.minimum(m, nonrelevant), 1)[request]
        preferred = np.zeros((len(positions.runs), requests), dtype=np.int64)
        for run in range(len(positions.runs)):
            ranks = positions.ranks[run, relevant]
            above = number_above(request, ranks, below, below_ranks[run])
            # Times the bound, so that everything is whole.
            share = np.where(ranks == UNRETRIEVED, 0, bound - np.minimum(above, m[request]))
            preferred[run] = np.bincount(request, weights=share, minlength=requests)
        return ExactValues.quotients(preferred, m * np.maximum(np.minimum(m, nonrelevant), 1))


def number_above(
    request: NDArray[np.int64], ranks: NDArray[np.int32], other: NDArray[np.int64], other_ranks: NDArray[np.int32]
) -> NDArray[np.int64]:
    """For every entry, how many of the other entries of its request are above it."""
    place = np.sort(other * 2**31 + other_ranks)
    return np.asarray(np.searchsorted(place, request * 2**31 + ranks) - np.searchsorted(place, request * 2**31))


class JudgedShare(Metric):
    """Share of judged items among the first k, or among all retrieved where there are fewer; 0 where none is.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "x": 0}}, {"q": {"a": 4.0, "n": 3.0, "x": 2.0}}, nonrelevant=True)
    >>> JudgedShare(cutoff=2).evaluate(p).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = "Judged"
    traits: ClassVar[Traits] = Traits(cutoff="must")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None:
            raise InputError("Judged counts judged items of any grade: leave out rel.", kind="spec")

    def values(self, positions: Positions) -> ExactValues:
        assert self.cutoff is not None
        judged = np.zeros((len(positions.runs), len(positions.requests)), dtype=np.int64)
        for part in (positions, nonrelevant_items(positions, self)):
            for bucket in part.buckets():
                for block in bucket.blocks():
                    judged[:, bucket.requests[block]] += np.count_nonzero(bucket.p[:, block] <= self.cutoff, axis=-1)
        return ExactValues.quotients(judged, np.maximum(np.minimum(positions.retrieved, self.cutoff), 1))
