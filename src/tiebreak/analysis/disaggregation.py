"""Where a difference between two runs comes from: the contribution of every recall level (RPP section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tiebreak._base.checks import find_name
from tiebreak.errors import InputError
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics.base import Metric
from tiebreak.metrics.recall_level import RecallLevelMetric
from tiebreak.projection import Positions
from tiebreak.results.record import Result


class LevelDifference(NamedTuple):
    """What one recall level of one request contributes to the difference: positive where the first run is better."""

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
    made = metric_of(metric)
    form = made.on(positions)
    if not isinstance(form, RecallLevelMetric):
        raise InputError(
            f"{made} is not a sum over recall levels on these judgements. Try AP or binary_nDCG.", kind="spec"
        )
    return Disaggregation(made, run, other, tuple(_differences(positions, form, x, y)), positions.library)


def _differences(positions: Positions, form: RecallLevelMetric, x: int, y: int) -> Iterator[LevelDifference]:
    for bucket in positions.levels(form.rel).buckets():
        differences = form.level_differences(bucket.p[x], bucket.p[y])
        for request, levels in zip(bucket.requests, differences, strict=True):
            for level, difference in enumerate(levels.tolist(), start=1):
                yield LevelDifference(positions.requests[int(request)], level, bucket.m, difference)
