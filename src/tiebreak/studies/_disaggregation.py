"""What users who want i items, a grade or a subtopic add to the difference of two runs (RPP 2, 3.2, Fig 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from tiebreak._base.checks import find_run
from tiebreak._base.text import format_signed
from tiebreak._kernels.interface import Tick
from tiebreak.analysis.disaggregation import disaggregate, find_measure, level_sum
from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.preferences import Preference, preference
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks, study_from_catalogue
from tiebreak.studies.measures import Measure, list_measures, measure_name

MEASURES = ("RPP", "AP", "binary_nDCG", "RBP(p=0.8)", "RR", "ASL(n='union')")
"""Those of RPP Fig 4."""
MEAN = "the mean over requests"


class LevelPart(NamedTuple):
    """What one level adds to the difference by a measure, and the precision at which both runs reach it.

    `share` is the difference over the sum of all levels' absolute differences.
    """

    measure: str
    level: int
    difference: float
    share: float
    precision: float
    other_precision: float
    requests: int


class PopulationPart(NamedTuple):
    """The mean difference by a measure for users who want a grade or a subtopic, and the means of both runs."""

    measure: str
    wanted: Any
    difference: float
    value: float | None
    other_value: float | None
    requests: int


@study_from_catalogue("experiment")
def disaggregation(
    experiment: Experiment,
    view: str = "level",
    measures: Measure | Iterable[Measure] = MEASURES,
    *,
    run: str | None = None,
    other: str | None = None,
    request: str | None = None,
    jobs: int = 1,
    tick: Tick | None = None,
) -> Findings:
    r"""What users who want i items, a grade or a subtopic add to the difference of two runs.

    .. math:: p(i) \, \mathrm{E}[\mu \mid i], \qquad \mathrm{E}[\mu \mid \lambda], \qquad \mathrm{E}[\mu \mid t]

    The levels of a request add up to its difference by the measure; those of RPP without weights are
    :math:`\mathrm{E}[\mu \mid i]`, the sign, and add up to m times RPP.

    Parameters
    ----------
    view : {"level", "grade", "subtopic"}
        By recall level (RPP Fig 4), by the grade that users are content with, or by the subtopic they want.
    measures : one or several of str, Preference or Metric
        Recall-level metrics, search lengths such as ``ASL(n='union')``, and RPP, also with weights as ``invRPP``.
    run, other : str, optional
        Two runs; by default the first two.
    request : str, optional
        One request; by default the mean over the requests that have so many relevant items, or one of them.

    Examples
    --------
    >>> runs = [{"q": {"a": 3.0, "x": 2.0}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}]
    >>> exp = Experiment({"q": {"a": 1, "b": 2}}, runs)
    >>> [(row.level, row.difference) for row in disaggregation(exp, measures="RPP").rows()]      # (1, -) and (2, 3)
    [(1, 1.0), (2, -1.0)]
    >>> [(row[1], row.difference) for row in disaggregation(exp, "grade", "RR").rows()]      # 1 - 1/2, then 0 - 1/2
    [(1.0, 0.5), (2.0, -0.5)]
    """
    several = list_measures(measures)
    experiment.read(check(view, several))
    positions = everything = experiment.positions
    x, y = two_runs(positions.runs, run, other)
    if request is not None:
        positions = positions.take_requests([positions.requests.place(str(request), "request")])
    if not (positions.relevant() > 0).any():
        raise InputError(f"request {request} has no relevant item, so there is nothing to show.", kind="empty")
    names = positions.runs[x], positions.runs[y]
    over = MEAN if request is None else f"request {request}"
    if view != "level":
        parts = run_tasks(
            lambda one: list(population_parts(everything, one, *names, view, request)), several, jobs, tick
        )
        findings = population_findings([row for part in parts for row in part], names, view, over)
        return replace(findings, library=positions.library)
    levels = run_tasks(lambda one: list(level_parts(positions, one, x, y)), several, jobs, tick)
    rows = tuple(row for part in levels for row in part)
    first = "; ".join(f"{row.measure} {abs(row.share):.0%}" for row in rows if row.level == 1)
    titles = (("level", "recall level"), ("line", "measure or run"))
    return Findings(
        LevelPart._fields,
        rows,
        f"{names[0]} minus {names[1]}: the first level's share of all contributions is {first}.",
        (
            f"difference: {over}{' with so many relevant items' if request is None else ''}. share: the difference "
            "over the sum of all levels' absolute differences.",
            "The differences of a request add up to that by the measure, all relevant items alike: a level adds p(i) "
            "E[mu | i] (RPP 3.2). Those of RPP without weights are E[mu | i], the sign, and add up to m times RPP.",
            "precision: of both runs where they reach the level, uninterpolated.",
        ),
        Picture("line", "level", "value", color="line", facet="what", is_log=True, own_scales=("y",), titles=titles),
        drawn=(("what", "line", "level", "value"), tuple(level_curves(rows, names))),
        library=positions.library,
    )


def check(view: str = "level", measures: Any = MEASURES, **others: Any) -> list[Preference]:
    """Validate before reading; the measures to read."""
    return [preference(find_measure(measure)) for measure in list_measures(measures)]


def two_runs(runs: tuple[str, ...], run: str | None, other: str | None) -> tuple[int, int]:
    """The indices of the runs that were asked for; by default of the first two."""
    x = find_run(run, runs) if run is not None else int(other is not None and find_run(other, runs) == 0)
    y = find_run(other, runs) if other is not None else int(x == 0)
    if x == y or len(runs) < 2:
        raise InputError(f"{runs[x]} cannot be compared with itself. Give two runs.", kind="runs")
    return x, y


def level_parts(positions: Positions, measure: Measure, x: int, y: int) -> Iterator[LevelPart]:
    """A row per level of a measure."""
    entry = find_measure(measure)
    levels, differences, _ = level_sum(entry, positions)
    by_level: dict[int, list[tuple[float, ...]]] = {}
    # Precision is of rankings as they are, without items at the end of a corpus.
    retrieved = positions.levels(getattr(entry, "rel", None))
    for bucket, as_is in zip(levels.buckets(), retrieved.buckets(), strict=True):
        values = [differences(bucket.p[x], bucket.p[y]), precision(as_is.p[x]), precision(as_is.p[y])]
        for of_request in np.stack(values, axis=-1).tolist():
            for i, of_level in enumerate(of_request, start=1):
                by_level.setdefault(i, []).append(of_level)
    means = {i: np.mean(values, axis=0).tolist() for i, values in sorted(by_level.items())}
    size = sum(abs(of_level[0]) for of_level in means.values())
    for i, (difference, ours, theirs) in means.items():
        share = difference / size if size > 0 else 0.0
        yield LevelPart(measure_name(measure), i, difference, share, ours, theirs, len(by_level[i]))


def precision(p: Ranks) -> Floats:
    """Precision where level i is reached, i / p_i; 0 where it is not: [..., m]."""
    return np.where(p == UNRETRIEVED, 0.0, np.arange(1, p.shape[-1] + 1) / p)


def level_curves(rows: Sequence[LevelPart], names: tuple[str, str]) -> Iterator[tuple[Any, ...]]:
    """Contributions of all measures, then the precision of both runs."""
    yield from (("share of all contributions", row.measure, row.level, row.share) for row in rows)
    of_one = [row for row in rows if row.measure == rows[0].measure]
    yield from (("precision", names[0], row.level, row.precision) for row in of_one)
    yield from (("precision", names[1], row.level, row.other_precision) for row in of_one)


def population_parts(
    positions: Positions, measure: Measure, run: str, other: str, view: str, request: str | None
) -> Iterator[PopulationPart]:
    """A row per grade or subtopic of a measure: means over the requests that have one, or of one request."""
    groups: dict[Any, list[Any]] = {}
    for row in disaggregate(positions, find_measure(measure), run, other, view).rows():
        if request is None or row.request == str(request):
            groups.setdefault(row[1], []).append(row)
    for wanted, rows in groups.items():
        means = [mean([getattr(row, name) for row in rows]) for name in ("difference", "value", "other_value")]
        yield PopulationPart(measure_name(measure), wanted, means[0] or 0.0, means[1], means[2], len(rows))


def mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def name_group(wanted: Any) -> str:
    """A subtopic, or a grade without needless decimals."""
    return wanted if isinstance(wanted, str) else f"{wanted:g}"


def population_findings(rows: Sequence[PopulationPart], names: tuple[str, str], view: str, over: str) -> Findings:
    largest: dict[str, PopulationPart] = {}  # by measure, as their scales differ
    for row in sorted(rows, key=lambda row: -abs(row.difference)):
        largest.setdefault(row.measure, row)
    first = "; ".join(
        f"{measure} {name_group(row.wanted)} ({format_signed(row.difference, 4)})"
        for measure, row in ((measure, largest[measure]) for measure in dict.fromkeys(row.measure for row in rows))
    )
    columns = tuple(view if name == "wanted" else name for name in PopulationPart._fields)
    return Findings(
        columns,
        tuple(rows),
        f"{names[0]} minus {names[1]}: the {view} with the largest difference is {first}.",
        (
            f"difference: {over}{' with such items' if over == MEAN else ''}; positive where {names[0]} is better.",
            f"Relevant are items {'of at least the grade' if view == 'grade' else 'on the subtopic'}, all alike: "
            f"E[mu | {view}] for these users alone (RPP 3.2), not multiplied by how likely they are.",
        ),
        Picture("bar", "difference", view, facet="measure", own_scales=("x", "y")),
    )
