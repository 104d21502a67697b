"""Whether a metric is top-heavy (LR def 2.2), by trying all position vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.analysis.theory import check_sizes, recall_level_metric
from tiebreak.exact.number import snap_to_zero
from tiebreak.metrics import Metric, RecallLevelMetric
from tiebreak.projection import Levels
from tiebreak.projection.primitives import Ranks

VECTORS_AT_ONCE = 2**16
Function: TypeAlias = "Callable[[tuple[int, ...]], Fraction | float]"


@dataclass(frozen=True)
class TopHeaviness:
    """Whether a metric is top-heavy as far as it was tried; true or false as such.

    Attributes
    ----------
    n, m_max : int
        All position vectors within n, of up to m_max items, were tried.
    counterexample : tuple, optional
        Positions p, and a number j of items at their top without which the metric would be higher.
    """

    n: int
    m_max: int
    counterexample: tuple[tuple[int, ...], int] | None

    def __bool__(self) -> bool:
        return self.counterexample is None


def is_top_heavy(metric: str | Metric | Function, n: int, m_max: int) -> TopHeaviness:
    r"""Whether users never do better for wanting fewer of the items at the top (LR def 2.2), by trying all cases.

    .. math:: \sum_{i=1}^{m} e(p_i) z(i, m) \ge \sum_{i=j+1}^{m} e(p_i) z(i - j, m - j), \qquad 0 \le j < m

    Parameters
    ----------
    metric : str, Metric, or function of p
        A recall-level metric, compared by its exact values. The numbers that a function of the increasing positions p
        returns are compared as they are: let it return Fractions.
    n : int
        The last position.
    m_max : int
        The largest number of relevant items; all :math:`\binom{n}{m}` position vectors of each m are tried.

    Examples
    --------
    >>> bool(is_top_heavy("AP", 8, 4))
    True
    >>> from tiebreak.metrics.rank_based import NormalisedCumulativePrecision
    >>> is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 20, 3).counterexample
    ((1, 2, 8), 1)
    """
    n, m_max = check_sizes(n, m_max)
    form = recall_level_metric(metric) if isinstance(metric, (str, Metric)) else metric
    for m in range(2, m_max + 1):
        vectors = combinations(range(1, n + 1), m)
        while some := list(islice(vectors, VECTORS_AT_ONCE)):
            p = np.array(some, dtype=np.int32)
            for j in range(1, m):
                violations = np.flatnonzero(is_higher(form, p[:, j:], p))
                if len(violations):
                    return TopHeaviness(n, m_max, (some[violations[0]], j))
    return TopHeaviness(n, m_max, None)


def is_higher(form: RecallLevelMetric | Function, x: Ranks, y: Ranks) -> NDArray[np.bool_]:
    """Where a metric is higher for the first of two ``p[case, m]``; exact values decide between equal floats."""
    if not isinstance(form, RecallLevelMetric):
        pairs = zip(map(tuple, x.tolist()), map(tuple, y.tolist()), strict=True)
        return np.array([bool(form(p) > form(q)) for p, q in pairs])
    first, second = (form.level_values(Levels.from_vectors(p[None])) for p in (x, y))
    higher: NDArray[np.bool_] = first.nearest[0] > second.nearest[0]
    if not (first.is_injective and second.is_injective):
        for case in np.flatnonzero(first.nearest[0] == second.nearest[0]).tolist():
            gap = form.exact(x[case].tolist()) - form.exact(y[case].tolist())
            higher[case] = snap_to_zero(gap, form.is_rational) > 0
    return higher
