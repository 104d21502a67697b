"""What recall levels contribute to the difference of two runs (RPP 4.1, Fig 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tiebreak._base.checks import find_name
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.metrics import RecallLevelMetric
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics.search_length import UNION, AverageSearchLength, union_sizes
from tiebreak.preferences import Preference
from tiebreak.preferences import preference as preference_of
from tiebreak.preferences.rpp import RecallPairedPreference
from tiebreak.projection import Levels, Positions
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks, pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings
from tiebreak.studies.measures import measure_name

Contribution: TypeAlias = Callable[[Ranks, Ranks], Floats]
"""What every level [..., m] adds to the difference of two rankings; positive where the first is better."""


CONTRIBUTION, PRECISION = "share of all contributions", "precision"
TITLES = (("level", "recall level"), ("line", "measure or run"))


class LevelRow(NamedTuple):
    """What one level adds to the difference by a measure, and the precision at which both runs reach it."""

    measure: str
    level: int
    difference: float
    share: float
    precision: float
    other_precision: float
    requests: int


class ByLevel(NamedTuple):
    """A measure as a sum over recall levels."""

    name: str
    levels: Levels
    between: Contribution


def by_level(measure: Any, positions: Positions) -> ByLevel:
    """What a measure adds by level: z(i, m) (e(p_i) - e(p'_i)); for RPP sgn(p'_i - p_i), for ASL (p'_i - p_i) / m."""
    name = measure_name(measure)
    made = level_measure(measure)
    if isinstance(made, RecallPairedPreference):
        return ByLevel(name, positions.levels(made.rel), lambda x, y: pair_signs(x, y).astype(np.float64))
    if isinstance(made, AverageSearchLength):
        return ByLevel(name, standing(made, positions), lambda x, y: (y.astype(np.int64) - x) / x.shape[-1])
    form = made.on(positions)
    if not isinstance(form, RecallLevelMetric):
        raise InputError(
            f"{name} is not a sum over recall levels on these judgements. Try AP, binary_nDCG or RPP.", kind="spec"
        )
    return ByLevel(name, positions.levels(form.rel), form.level_differences)


def standing(made: AverageSearchLength, positions: Positions) -> Levels:
    """Positions with unretrieved items at the end of the corpus; its size must be known where there are any."""
    levels = positions.levels(made.rel)
    if made.n is not None:
        return levels.pessimistic(union_sizes(positions, made.rel) if made.n == UNION else made.n)
    levels.each(made.finite_length)
    return levels


def level_measure(measure: Any) -> Any:
    """The metric or RPP that is meant; another preference is refused."""
    try:
        made = None if isinstance(measure, Preference) else metric_of(measure)
    except UnknownNameError:
        made = None
    if made is not None:
        return made
    asked = preference_of(measure)
    if type(asked) is not RecallPairedPreference or asked.weights != "uniform":
        raise InputError(f"{asked} is not a sum over recall levels. Try RPP, AP or binary_nDCG.", kind="spec")
    return asked


def level(
    experiment: Experiment,
    measures: list[Any],
    *,
    run: str | None = None,
    other: str | None = None,
    request: str | None = None,
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """What every level adds to the difference of two runs: of one request, or the mean over those that have it."""
    positions = experiment.positions
    x, y = two_runs(positions.runs, run, other)
    place = None if request is None else positions.requests.place(str(request), "request")
    rows = tuple(row for one in measures for row in level_rows(by_level(one, positions), x, y, place))
    if not rows:
        raise InputError(f"request {request} has nothing relevant.", kind="empty")
    names = positions.runs[x], positions.runs[y]
    first = "; ".join(f"{row.measure} {abs(row.share):.0%}" for row in rows if row.level == 1)
    over = "the mean over requests with so many relevant items" if request is None else f"request {request}"
    return Findings(
        LevelRow._fields,
        rows,
        f"{names[0]} minus {names[1]}: the first level's part of all contributions is {first}.",
        (
            f"difference: {over}. share: the difference over the sum of all levels' absolute differences.",
            "precision: of both runs where they reach the level, uninterpolated.",
        ),
        Picture("line", "level", "value", color="line", facet="what", is_log=True, titles=TITLES),
        drawn=(("what", "line", "level", "value"), tuple(curves(rows, names))),
    )


def two_runs(runs: tuple[str, ...], run: str | None, other: str | None) -> tuple[int, int]:
    """The places of the runs that were asked for; by default of the first that are free."""
    x = find_name(run, runs) if run is not None else int(other is not None and find_name(other, runs) == 0)
    y = find_name(other, runs) if other is not None else int(x == 0)
    if x == y:
        raise InputError(f"{runs[x]} cannot be compared with itself. Give two runs.", kind="runs")
    return x, y


def level_rows(one: ByLevel, x: int, y: int, place: int | None) -> list[LevelRow]:
    """A row per level of a measure."""
    found: dict[int, list[tuple[float, ...]]] = {}
    for bucket in one.levels.buckets():
        kept = slice(None) if place is None else bucket.requests == place
        p, other = bucket.p[x, kept], bucket.p[y, kept]
        values = np.stack([one.between(p, other), precision(p), precision(other)], axis=-1)
        for of_request in values.tolist():
            for i, of_level in enumerate(of_request, start=1):
                found.setdefault(i, []).append(of_level)
    means = {i: np.mean(values, axis=0).tolist() for i, values in sorted(found.items())}
    size = sum(abs(mean[0]) for mean in means.values())
    return [
        LevelRow(one.name, i, mean, mean / size if size > 0 else 0.0, ours, theirs, len(found[i]))
        for i, (mean, ours, theirs) in means.items()
    ]


def precision(p: Ranks) -> Floats:
    """Precision where level i is reached, i / p_i; 0 where it is not: [..., m]."""
    return np.where(p == UNRETRIEVED, 0.0, np.arange(1, p.shape[-1] + 1) / p)


def curves(rows: tuple[LevelRow, ...], names: tuple[str, str]) -> Iterator[tuple[Any, ...]]:
    """Contributions of all measures, then the precision of both runs, which is the same whatever the measure."""
    for row in rows:
        yield CONTRIBUTION, row.measure, row.level, row.share
    for place, name in enumerate(names):
        for row in rows:
            if row.measure == rows[0].measure:
                yield PRECISION, name, row.level, (row.precision, row.other_precision)[place]
