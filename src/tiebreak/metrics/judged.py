"""Metrics that look at items judged not relevant: bpref, and shares and numbers of judged items."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics._count import Count, relevant_retrieved
from tiebreak.metrics._judged_items import check_no_rel, count_judged, nonrelevant_items, number_above
from tiebreak.metrics.base import Metric, Traits, last_position
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED


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


class JudgedShare(Metric):
    """Share of judged items among the first k, or among all retrieved where these are fewer; 0 where there is none.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "x": 0}}, {"q": {"a": 4.0, "n": 3.0, "x": 2.0}}, nonrelevant=True)
    >>> JudgedShare(cutoff=2).evaluate(p).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = "Judged"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_no_rel(self)

    def values(self, positions: Positions) -> ExactValues:
        first = np.minimum(positions.retrieved, last_position(self.cutoff))
        return ExactValues.quotients(count_judged(positions, self, first), np.maximum(first, 1))


class UnjudgedShare(Metric):
    """Share of unjudged items among the first k positions, retrieved or not.

    Where fewer than k items are retrieved the rest counts as judged, as in trec_eval; `Judged` divides by the number of
    items retrieved.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "x": 0}}, {"q": {"a": 4.0, "n": 3.0, "x": 2.0}}, nonrelevant=True)
    >>> UnjudgedShare(cutoff=5).evaluate(p).tolist()      # n, of five positions
    [[0.2]]
    """

    name: ClassVar[str] = "Unjudged"
    traits: ClassVar[Traits] = Traits(cutoff="must", lower_is_better=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_no_rel(self)

    def values(self, positions: Positions) -> ExactValues:
        assert self.cutoff is not None
        first = np.minimum(positions.retrieved, self.cutoff)
        has_value = positions.relevant() > 0
        return ExactValues.quotients(first - count_judged(positions, self, first), self.cutoff * has_value)


class NumberJudgedNonrelevantRetrieved(Count):
    """Number of retrieved items that are judged not relevant, summed.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "x": 0}}, {"q": {"a": 4.0, "n": 3.0, "x": 2.0}}, nonrelevant=True)
    >>> NumberJudgedNonrelevantRetrieved().evaluate(p).tolist()
    [[1.0]]
    """

    name: ClassVar[str] = "NumNonrelJudgedRet"

    def count(self, positions: Positions) -> NDArray[np.int64]:
        judged = count_judged(positions, self, positions.retrieved)
        return judged - relevant_retrieved(positions.levels(self.rel))
