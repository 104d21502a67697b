"""Why one run is preferred to another: in one request level by level, or over requests by what contributes most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tiebreak._interface import UNRETRIEVED
from tiebreak.comparison import compare, not_shown
from tiebreak.errors import InputError, place_of
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics import Metric
from tiebreak.metrics.disaggregation import disaggregate
from tiebreak.preferences import DEFAULTS, Preference, preference
from tiebreak.preferences.base import Evaluate
from tiebreak.projection import Positions, pair_signs
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.words import many, signed

MEASURES = (*DEFAULTS, "diff(AP)")
MOST_ROWS = 20


class Level(NamedTuple):
    """One recall level of two rankings: where each has its i-th relevant item, None where it retrieves fewer.

    `preferred` is 1 where the first run is better, -1 where the other is, 0 where they tie; `AP` is the level's part of
    the difference in average precision.
    """

    level: int
    position: int | None
    item: str | None
    grade: float | None
    other_position: int | None
    other_item: str | None
    other_grade: float | None
    preferred: int
    AP: float


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """Two rankings of one request side by side.

    Attributes
    ----------
    run, other, request : str
    rows : tuple of Level
    values : dict
        What each preference says; positive where `run` is better.
    verdicts : tuple of str
        The same in words, with the level that decided.
    """

    run: str
    other: str
    request: str
    rows: tuple[Level, ...]
    values: dict[str, float]
    verdicts: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        return Level._fields

    def to_frame(self) -> Any:
        """A row per recall level."""
        return self._frame(self.header, self.rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "request": self.request,
            "run": self.run,
            "other": self.other,
            "preferences": self.values,
            "levels": [level._asdict() for level in self.rows],
        }

    def table(self, digits: int = 4) -> Table:
        """The positions of both runs side by side."""
        found = [level for level in self.rows if level.position or level.other_position]
        rows = tuple(self._shown(level, digits) for level in found)
        header = ("level", self.run, "item", "grade", self.other, "item", "grade", "better", "AP")
        beyond = len(self.rows) - len(found)
        more = [f"{many(beyond, 'relevant item')} retrieved by neither."] if beyond else []
        return Table(header, rows, (f"Request {self.request}.", *more, *self.verdicts, *self.notes[:1]))

    def _shown(self, level: Level, digits: int) -> tuple[str, ...]:
        better = {1: self.run, -1: self.other, 0: "="}[level.preferred]
        return (
            str(level.level),
            *(cell(part) for part in level[1:7]),
            better,
            signed(level.AP, digits),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(Shown):
    """Requests by how much they contribute to what one preference says of two runs, the largest first.

    Attributes
    ----------
    run, other : str
    measures : tuple of str
        The preferences shown; requests are sorted by the first of them, then by the others.
    rows : tuple
        Of request, number of relevant items, and the value of each preference; positive where `run` is better.
    """

    run: str
    other: str
    measures: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        return ("request", "m", *self.measures)

    def to_frame(self) -> Any:
        """A row per request: request, m, and a column per preference."""
        return self._frame(self.header, self.rows)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{request: {preference: value}}``."""
        return {request: dict(zip(self.measures, values, strict=True)) for request, _, *values in self.rows}

    def table(self, digits: int = 4) -> Table:
        rows = tuple(
            (request, f"{m:,}", *(signed(value, digits) for value in values))
            for request, m, *values in self.rows[:MOST_ROWS]
        )
        said = [f"Positive where {self.run} is better than {self.other}; sorted by the size of {self.measures[0]}."]
        said += [
            *not_shown(len(self.rows), "request", MOST_ROWS),
            "Give a request to see its recall levels.",
            *self.notes,
        ]
        return Table(self.header, rows, tuple(said))


def contributions(
    positions: Positions,
    run: str,
    other: str,
    measure: str | Preference | Metric | None,
    evaluate: Evaluate,
) -> Contributions:
    """Which requests make the difference between two runs."""
    two = only_these(positions, run, other)
    places = [positions.runs.index(name) for name in two.runs]
    measures = measures_shown(measure)
    found = [compare(two, name, evaluate=lambda metric: evaluate(metric).take_rows(places)) for name in measures]
    values = [dict(zip(c.requests, c.values[0].tolist(), strict=True)) for c in found]
    sizes = dict(zip(positions.requests, positions.relevant().tolist(), strict=True))
    rows = [(request, sizes[request], *(v.get(request, np.nan) for v in values)) for request in found[0].requests]
    rows.sort(key=lambda row: [-abs(value) for value in row[2:]])
    return Contributions(run, other, measures, tuple(rows), library=positions.library)


def measures_shown(first: str | Preference | Metric | None) -> tuple[str, ...]:
    """The preferences shown, the one asked for first and only once."""
    if first is None:
        return MEASURES
    asked = preference(first)
    return (str(first).strip(), *(name for name in MEASURES if preference(name) != asked))


def explain_request(positions: Positions, run: str, other: str, request: str) -> Explanation:
    """Two rankings of one request side by side."""
    place = positions.requests.place(request, "request")
    one = only_these(positions, run, other).take_requests([place])
    if not is_relevant(one.grade, one.min_grade).any():
        raise InputError(f"request {request} has no relevant item, so there is nothing to explain.", kind="request")
    levels = tuple(levels_of(one.only_relevant()))
    values = {measure: float(compare(one, measure).values[0, 0]) for measure in MEASURES}
    said = tuple(verdicts(one, levels, values))
    return Explanation(run, other, request, levels, values, said, library=positions.library)


def only_these(positions: Positions, run: str, other: str) -> Positions:
    """The positions of two runs."""
    if run == other:
        raise InputError(f"{run} cannot be compared with itself. Give two runs.", kind="runs")
    return positions.take_runs([place_of(name, positions.runs) for name in (run, other)])


def levels_of(one: Positions) -> Iterator[Level]:
    """The recall levels of the only request, two runs."""
    x, y = (np.argsort(ranks, kind="stable") for ranks in one.ranks)
    (parts,) = disaggregate(one, "AP", *one.runs).to_dict().values()
    signs = pair_signs(one.ranks[0, x], one.ranks[1, y]).tolist()
    for i, (part, sign) in enumerate(zip(parts, signs, strict=True)):
        position, item, grade = standing(one, 0, x[i])
        other = standing(one, 1, y[i])
        yield Level(i + 1, position, item, grade, *other, sign, part)


def standing(one: Positions, run: int, entry: int) -> tuple[int | None, str | None, float | None]:
    """Where an item stands, which it is and its grade; nothing where the run does not retrieve it."""
    if one.ranks[run, entry] == UNRETRIEVED:
        return None, None, None
    return int(one.ranks[run, entry]), one.items[int(one.item[entry])], float(one.grade[entry])


def cell(value: int | float | str | None) -> str:
    """A position, an item or a grade as it is shown; a dash where there is none."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else f"{value:,}"


def verdicts(one: Positions, levels: tuple[Level, ...], values: dict[str, float]) -> Iterator[str]:
    """What each preference says of the only request, in words, with what decided it."""
    run, other = one.runs
    differing = [level for level in levels if level.preferred]
    why = {
        "RPP": "; ".join(counted_by_grade(one)),
        "LexiRecall": decided(differing[-1:]),
        "LexiPrecision": decided(differing[:1]),
    }
    for measure, value in values.items():
        said = f"prefers {run if value > 0 else other}" if value else "ties"
        size = "" if measure in ("LexiRecall", "LexiPrecision") else f" ({signed(value, 4)})"
        yield f"{measure} {said}{size}{f': {why[measure]}' if measure in why else ''}."


def counted_by_grade(one: Positions) -> Iterator[str]:
    """At how many recall levels each run is better, for every grade that makes a population of RPP."""
    kept = one.only_relevant()
    grades = np.unique(kept.grade)
    for grade in grades.tolist():
        x, y = (np.sort(ranks) for ranks in kept.only_relevant(grade).ranks)
        signs = pair_signs(x, y)
        within = f" at grade {grade:g} and above" if len(grades) > 1 else ""
        better, worse = int((signs > 0).sum()), int((signs < 0).sum())
        yield f"{better:,} against {worse:,} of {many(len(signs), 'recall level')}{within}"


def decided(by: list[Level]) -> str:
    """Which level decided."""
    for level in by:
        sides = (f"position {p:,}" if p else "unretrieved" for p in (level.position, level.other_position))
        return f"recall level {level.level} decides, {' against '.join(sides)}"
    return "the relevant items stand at the same positions"
