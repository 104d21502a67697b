"""Where a difference between two runs comes from: the contribution of every recall level (RPP section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tiebreak.errors import InputError, place_of
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics.base import Metric
from tiebreak.metrics.recall_level import RecallLevelMetric
from tiebreak.projection import Positions
from tiebreak.reports.frames import Framed
from tiebreak.words import many


class LevelDifference(NamedTuple):
    """What one recall level of one request contributes to the difference: positive where the first run is better."""

    request: str
    level: int
    m: int
    difference: float


@dataclass(frozen=True, eq=False, repr=False)
class Disaggregation(Framed):
    """A metric's difference between two runs, by request and recall level; the levels of a request add up to it."""

    metric: Metric
    run: str
    other: str
    rows: tuple[LevelDifference, ...]

    def __repr__(self) -> str:
        return f"<Disaggregation of {self.metric}, {self.run} - {self.other}: {many(len(self.rows), 'level')}>"

    def to_dict(self) -> dict[str, list[float]]:
        """``{request: [difference at level 1, 2, ..., m]}``."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            found.setdefault(row.request, []).append(row.difference)
        return found

    def to_frame(self) -> Any:
        """The rows: request, level, m, difference."""
        return self._frame(LevelDifference._fields, self.rows)


def disaggregate(positions: Positions, metric: str | Metric, run: str, other: str) -> Disaggregation:
    r"""Split the difference of a recall-level metric between two runs by recall level.

    .. math:: z(i, m) \, (e(p_i) - e(p'_i)), \qquad i = 1, \ldots, m

    Examples
    --------
    >>> import tiebreak as tb
    >>> disaggregate(tb.positions([[1, 4], [2, 4]]), "AP", "run1", "run2").to_dict()
    {'q1': [0.25, 0.0]}
    """
    x, y = (place_of(name, positions.runs) for name in (run, other))
    made = metric_of(metric)
    form = made.on(positions)
    if not isinstance(form, RecallLevelMetric):
        raise InputError(
            f"{made} is not a sum over recall levels on these judgements. Try AP or binary_nDCG.", kind="spec"
        )
    return Disaggregation(made, run, other, tuple(_differences(positions, form, x, y)), library=positions.library)


def _differences(positions: Positions, form: RecallLevelMetric, x: int, y: int) -> Iterator[LevelDifference]:
    for bucket in positions.levels(form.rel).buckets():
        differences = form.level_differences(bucket.p[x], bucket.p[y])
        for request, levels in zip(bucket.requests, differences, strict=True):
            for level, difference in enumerate(levels.tolist(), start=1):
                yield LevelDifference(positions.requests[int(request)], level, bucket.m, difference)
