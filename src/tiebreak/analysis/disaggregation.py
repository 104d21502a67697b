"""The difference between two runs, split by recall level (RPP section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from tiebreak import metrics
from tiebreak._base.checks import find_name
from tiebreak.errors import InputError
from tiebreak.metrics.base import Metric
from tiebreak.metrics.recall_level import RecallLevelMetric
from tiebreak.projection import Positions
from tiebreak.results.record import Result


class LevelDifference(NamedTuple):
    """The contribution of one recall level of one request: positive where the first run is better."""

    request: str
    level: int
    m: int
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class Disaggregation(Result):
    """A metric's difference between two runs, by request and recall level; the levels of a request add up to it."""

    metric: Metric
    run: str
    other: str
    differences: tuple[LevelDifference, ...]
    library: str | None = None
    columns = LevelDifference._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"metric": str(self.metric), "run": self.run, "other": self.other}

    def rows(self) -> tuple[LevelDifference, ...]:
        return self.differences


def disaggregate(positions: Positions, metric: str | Metric, run: str, other: str) -> Disaggregation:
    r"""Split the difference of a recall-level metric between two runs by recall level.

    .. math:: z(i, m) \, (e(p_i) - e(p'_i)), \qquad i = 1, \ldots, m

    Examples
    --------
    >>> import tiebreak as tb
    >>> [row.difference for row in disaggregate(tb.positions([[1, 4], [2, 4]]), "AP", "run1", "run2").rows()]
    [0.25, 0.0]
    """
    x, y = (find_name(name, positions.runs) for name in (run, other))
    measure = metrics.metric(metric)
    form = measure.on(positions)
    if not isinstance(form, RecallLevelMetric):
        raise InputError(
            f"{measure} is not a sum over recall levels on these judgements. Try AP or binary_nDCG.", kind="spec"
        )
    rows = []
    for bucket in positions.levels(form.rel).buckets():
        differences = form.level_differences(bucket.p[x], bucket.p[y]).tolist()
        for request, levels in zip(bucket.requests.tolist(), differences, strict=True):
            name = positions.requests[request]
            rows += [LevelDifference(name, i, bucket.m, part) for i, part in enumerate(levels, start=1)]
    return Disaggregation(measure, run, other, tuple(rows), positions.library)
