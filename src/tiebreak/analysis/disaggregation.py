"""Disaggregation: the difference between two runs for users who want i items, a grade or a subtopic (RPP 2, 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice, find_pair
from tiebreak.analysis.sources import Readable, read_positions
from tiebreak.comparison import compare_pairs
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics import LevelMetric, Metric, RecallLevelMetric, measure_label
from tiebreak.metrics import metric as find_metric
from tiebreak.metrics.search_length import SearchLength
from tiebreak.metrics.weights import Weights, recall_weights
from tiebreak.preferences import Pairs, Preference
from tiebreak.preferences import preference as find_preference
from tiebreak.preferences.grades import parse_grades
from tiebreak.preferences.lexicographic import Lexicographic
from tiebreak.preferences.rpp import RecallPairedPreference
from tiebreak.projection import Levels, Positions, pair_signs
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks
from tiebreak.results.record import Rows

Measure: TypeAlias = "str | Metric | Preference"


class LevelDifference(NamedTuple):
    """What users who want `level` items add to the difference in a request: positive where the first run is better.

    `value` and `other_value` are what they add to the metric of each run; None for preferences, which have no such.
    """

    request: str
    level: int
    m: int
    difference: float
    value: float | None
    other_value: float | None


class GradeDifference(NamedTuple):
    """The difference in a request for users who want items of this grade and better, of which there are m."""

    request: str
    grade: float
    m: int
    difference: float
    value: float | None
    other_value: float | None


class SubtopicDifference(NamedTuple):
    """The difference in a request for users who want items on this subtopic, of which there are m."""

    request: str
    subtopic: str
    m: int
    difference: float
    value: float | None
    other_value: float | None


Part: TypeAlias = LevelDifference | GradeDifference | SubtopicDifference
PARTS: dict[str, type[Part]] = {"level": LevelDifference, "grade": GradeDifference, "subtopic": SubtopicDifference}


class Disaggregation(Rows[Part]):
    """A difference between two runs, by request and recall level, grade or subtopic."""

    @property
    def columns(self) -> tuple[str, ...]:
        return PARTS[self.more_settings["by"]]._fields


def disaggregate(
    positions: Positions | Readable, measure: Measure, run: str, other: str, by: str = "level"
) -> Disaggregation:
    r"""Split the difference between two runs by what users want.

    .. math:: z(i, m) \, (e(p_i) - e(p'_i)), \qquad w_i \, (p'_i - p_i), \qquad
        \mathrm{sgn}(p'_i - p_i), \qquad p(i) \, \mathrm{sgn}(p'_i - p_i)

    Recall levels i of a recall-level metric, of a search length such as ASL, of RPP, and of RPP with weights such as
    ``invRPP``. All relevant items are alike there. The levels of a request add up to the difference by the measure:
    each is :math:`p(i) \, \mathrm{E}[\mu \mid i]` (RPP 3.2). Those of RPP without weights are
    :math:`\mathrm{E}[\mu \mid i]` itself, the sign, and add up to m times RPP.

    By grade or subtopic, the measure is computed as if only the items of at least the grade, or those on the subtopic,
    were relevant, all alike; for ``RPP(grades='1,2')`` by these grades only.

    Parameters
    ----------
    positions : Positions or Experiment
    measure : str, Metric or Preference
        Such as ``"AP"``, ``"ASL(n=1000)"`` or ``"RPP"``; by grade or subtopic also a lexicographic preference.
    run, other : str
    by : {"level", "grade", "subtopic"}

    Examples
    --------
    >>> import tiebreak as tb
    >>> p = tb.positions([[1, 4], [2, 4]])
    >>> [row.difference for row in disaggregate(p, "AP", "run1", "run2").rows()]      # (1/1 - 1/2) / 2
    [0.25, 0.0]
    >>> [row.difference for row in disaggregate(p, "ASL", "run1", "run2").rows()]      # (2 - 1) / 2
    [0.5, 0.0]
    >>> [row.difference for row in disaggregate(p, "RPP(weights='2,1')", "run1", "run2").rows()]      # 2/3 x 1, 1/3 x 0
    [0.6666666666666666, 0.0]
    """
    check_choice(by, "by", PARTS)
    positions = read_positions(positions, find_measure(measure))
    pair = find_pair(run, other, positions.runs)
    rows = level_rows(positions, measure, *pair) if by == "level" else population_rows(positions, measure, *pair, by)
    settings = {"measure": measure_label(measure), "run": run, "other": other, "by": by}
    return Disaggregation(tuple(rows), library=positions.library, more_settings=settings)


def find_measure(measure: Any) -> Metric | Preference:
    """The metric that is meant, or the preference if there is none of that name."""
    if not isinstance(measure, Preference):
        try:
            return find_metric(measure)
        except UnknownNameError:
            pass
    return find_preference(measure)


# Recall levels


class LevelSum(NamedTuple):
    """A measure as a sum over recall levels: what each adds to a difference, and to the value of one ranking."""

    levels: Levels
    differences: Callable[[Ranks, Ranks], Floats]
    values: Callable[[Ranks], Floats] | None


def level_sum(measure: Measure, positions: Positions) -> LevelSum:
    """What a measure adds by level: z(i, m) (e(p_i) - e(p'_i)), w_i (p'_i - p_i), for RPP p(i) sgn(p'_i - p_i)."""
    entry = find_measure(measure)
    if type(entry) is RecallPairedPreference:
        check_no_grades(entry, "recall levels")
        return LevelSum(positions.levels(entry.rel), partial(weighted_signs, entry.weights), None)
    if isinstance(entry, SearchLength):
        length = entry
        return LevelSum(
            length.finite_levels(positions),
            length.level_differences,
            lambda p: length.level_differences(np.zeros_like(p), p),
        )
    form = entry.on(positions) if isinstance(entry, Metric) else entry
    if not isinstance(form, RecallLevelMetric):
        binary = entry.binary_form() if isinstance(entry, Metric) else entry
        advice = (
            f"Their grades differ: use {binary}, or ignore grades by binary=True, --binary"
            if isinstance(binary, RecallLevelMetric)
            else "Try AP, binary_nDCG, ASL or RPP"
        )
        raise InputError(f"{entry} is not a sum over recall levels on these judgements. {advice}.", kind="spec")
    metric = form
    return LevelSum(
        positions.levels(metric.rel),
        metric.level_differences,
        lambda p: metric.level_differences(p, np.full_like(p, UNRETRIEVED)),
    )


def weighted_signs(weights: Weights, x: Ranks, y: Ranks) -> Floats:
    """What levels add to RPP, p(i) sgn(p'_i - p_i); the sign alone where all levels are equally likely."""
    signs = pair_signs(x, y).astype(np.float64)
    return signs if weights == "uniform" else signs * recall_weights(x.shape[-1], weights)


def check_no_grades(entry: Any, what: str) -> None:
    """Parts other than grades are of all relevant items, whatever their grade."""
    if getattr(entry, "grades", None) is not None:
        raise InputError(
            f"{entry}: {what} are of all relevant items alike, so grades make no difference there. Leave them out, or "
            'split by grade: by="grade", --view grade.',
            kind="spec",
        )


def level_rows(positions: Positions, measure: Measure, x: int, y: int) -> Iterator[LevelDifference]:
    levels, differences, values = level_sum(measure, positions)
    for bucket in levels.buckets():
        parts = [differences(bucket.p[x], bucket.p[y])]
        parts += [] if values is None else [values(bucket.p[x]), values(bucket.p[y])]
        for request, *of_request in zip(bucket.requests.tolist(), *(part.tolist() for part in parts), strict=True):
            name = positions.requests[request]
            for i, (difference, *both) in enumerate(zip(*of_request, strict=True), start=1):
                yield LevelDifference(name, i, bucket.m, difference, *(both or (None, None)))


# Grades and subtopics


def population_rows(
    positions: Positions, measure: Measure, x: int, y: int, by: str
) -> Iterator[GradeDifference | SubtopicDifference]:
    entry = find_measure(measure)
    form = entry.binary_form() if isinstance(entry, Metric) else entry
    if not isinstance(form, (LevelMetric, SearchLength, Lexicographic, RecallPairedPreference)):
        raise InputError(f"{entry} looks at more than positions. Try AP, binary_nDCG, ASL or RPP.", kind="spec")
    alike: Any = replace(form, rel=None)
    lowest = positions.min_grade if form.rel is None else form.rel
    populations: Callable[..., Iterator[tuple[Any, NDArray[np.bool_]]]]
    populations = subtopic_populations if by == "subtopic" else grade_populations
    if by == "subtopic":
        check_no_grades(form, "subtopics")
    elif isinstance(form, RecallPairedPreference) and form.grades is not None:
        form.check_fit(positions)
        populations, alike = partial(listed_populations, form.grades), replace(alike, grades=None)
    make = SubtopicDifference if by == "subtopic" else GradeDifference
    for what, mask in populations(positions, lowest):
        kept = positions.keep(mask)
        kept = replace(kept, grade=np.ones_like(kept.grade), min_grade=None)
        compared = compare_pairs(kept, alike, Pairs.one(x, y))
        sizes = dict(zip(kept.requests, kept.relevant().tolist(), strict=True))
        both: list[list[float | None]] = [[None] * len(kept.requests)] * 2
        if isinstance(alike, Metric):
            both = alike.evaluate(kept.take_runs([x, y])).tolist()
        values = dict(zip(kept.requests, zip(*both, strict=True), strict=True))
        for request, difference in zip(compared.requests, compared.values[0].tolist(), strict=True):
            yield make(request, what, sizes[request], difference, *values[request])  # type: ignore[arg-type]


def grade_populations(positions: Positions, lowest: float | None) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Every relevant grade, the smallest first, and the entries that have at least it."""
    for grade in np.unique(positions.grade[is_relevant(positions.grade, lowest)]).tolist():
        yield grade, positions.grade >= grade


def listed_populations(grades: str, positions: Positions, *_: Any) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Every grade that a preference lists, and the entries that have at least it."""
    yield from ((grade, positions.grade >= grade) for grade, _ in parse_grades(grades))


def subtopic_populations(positions: Positions, lowest: float | None) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Every subtopic with a relevant item, and the entries that are relevant to it."""
    rows = positions.require_subtopics()
    relevant = is_relevant(rows.grade, lowest)
    for label, name in enumerate(rows.labels):
        mask = np.zeros(len(positions.item), dtype=bool)
        mask[rows.entry[relevant & (rows.label == label)]] = True
        if mask.any():
            yield name, mask
