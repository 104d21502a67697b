"""Inferred average precision, for judgements of a sample of the pool."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import whole_doubles
from tiebreak.exact.held import Places
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics._judged_items import nonrelevant_items, number_above
from tiebreak.metrics.base import Metric, Traits, label_zeros
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED

SCALE = 100_000
"""The inverse of epsilon, by which terms are multiplied so that they are whole."""


class InferredAveragePrecision(Metric):
    r"""Average precision estimated from judgements of a random sample of the pool (Yilmaz and Aslam 2006).

    .. math:: \mathrm{infAP} = \frac{1}{m} \sum_{i \text{ retrieved}} \frac{1}{p_i} \Big( 1 + (r_i + n_i + u_i) \cdot
        \frac{r_i + \epsilon}{r_i + n_i + 2 \epsilon} \Big), \qquad \epsilon = 10^{-5}

    where above relevant item i there are :math:`r_i` relevant items, :math:`n_i` judged not relevant and :math:`u_i` of
    the pool that were not sampled for judging. As in trec_eval, a negative grade says that an item is in the pool but
    not judged; for all other metrics it is judged not relevant.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1, "u": -1}}
    >>> p = tb.project(qrels, {"q": {"a": 4.0, "u": 3.0, "b": 2.0}}, nonrelevant=True)
    >>> InferredAveragePrecision().evaluate(p).round(4).tolist()      # nearly (1 + (1 + 2 * 1) / 3) / 2
    [[1.0]]
    """

    name: ClassVar[str] = "infAP"
    traits: ClassVar[Traits] = Traits(cutoff="no", rises=False)

    def values(self, positions: Positions) -> ExactValues:
        is_kept = is_relevant(positions.grade, positions.min_grade if self.rel is None else self.rel)
        kept = positions.keep(is_kept)
        above, below = self.terms(positions, kept, is_kept)
        total = Doubles.full(positions.retrieved.shape, np.nan)
        for m, requests, entries in kept.layout.blocks():
            shape = len(positions.runs), -1, m
            terms = whole_doubles(above[:, entries]) / whole_doubles(below[:, entries])
            summed = Doubles(terms.high.reshape(shape), terms.low.reshape(shape)).sum()
            total[:, requests] = summed / Doubles(float(m))

        def exactly(run: int, requests: Places) -> list[Fraction]:
            places = [kept.layout.entries(request) for request in requests.tolist()]
            rows = [list(map(Fraction, above[run, some].tolist(), below[run, some].tolist())) for some in places]
            return [sum(row, start=Fraction(0)) / len(row) for row in rows]

        is_zero = total.high == 0
        return ExactValues.from_doubles(total, 0.0, exactly, is_zero, labels=lambda: label_zeros(is_zero))

    def terms(
        self, positions: Positions, kept: Positions, is_kept: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What each relevant item adds, as whole numbers over whole numbers: [run, entry]."""
        other = nonrelevant_items(positions, self)
        is_judged = other.grade >= 0
        request, pooled = kept.layout.request, other.layout.request[~is_judged]
        nonrelevant = np.concatenate([positions.layout.request[~is_kept], other.layout.request[is_judged]])
        above, below = np.zeros(kept.ranks.shape, dtype=np.int64), np.ones(kept.ranks.shape, dtype=np.int64)
        for run, ranks in enumerate(kept.ranks):
            nonrelevant_ranks = np.concatenate([positions.ranks[run, ~is_kept], other.ranks[run, is_judged]])
            r = number_above(request, ranks, request, ranks)
            n = number_above(request, ranks, nonrelevant, nonrelevant_ranks)
            u = number_above(request, ranks, pooled, other.ranks[run, ~is_judged])
            judged = SCALE * (r + n) + 2
            is_retrieved = ranks < UNRETRIEVED
            above[run] = np.where(is_retrieved, judged + (r + n + u) * (SCALE * r + 1), 0)
            below[run] = np.where(is_retrieved, ranks * judged, 1)
        return above, below
