"""Why one run is preferred to another: in one request level by level, or over requests by what contributes most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import find_name
from tiebreak._base.text import format_signed, plural
from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak.analysis.disaggregation import disaggregate
from tiebreak.comparison import compare, compare_pairs
from tiebreak.errors import InputError
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics import Metric
from tiebreak.preferences import DEFAULTS, Pairs, Preference, preference
from tiebreak.projection import Positions, pair_signs
from tiebreak.results.record import MOST_ROWS, Cell, Result, signed_column
from tiebreak.results.tables import Table

MEASURES = (*DEFAULTS, "diff(AP)")
MOST_REQUESTS = 20


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
class Explanation(Result):
    """Two rankings of one request side by side.

    Attributes
    ----------
    run, other, request : str
    levels : tuple of Level
    values : dict
        What each preference says; positive where `run` is better.
    """

    run: str
    other: str
    request: str
    levels: tuple[Level, ...]
    values: dict[str, float]
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = Level._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"run": self.run, "other": self.other, "request": self.request, "preferences": self.values}

    def rows(self) -> tuple[Level, ...]:
        return self.levels

    def table(self, digits: int = 4, most: int | None = MOST_ROWS) -> Table:
        """The positions of both runs side by side."""
        found = [level for level in self.levels if level.position or level.other_position]
        better = {1: self.run, -1: self.other, 0: "="}
        rows = tuple(
            (str(level.level), *map(cell, level[1:7]), better[level.preferred], format_signed(level.AP, digits))
            for level in found
        )
        header = ("level", self.run, "item", "grade", self.other, "item", "grade", "better", "AP")
        beyond = len(self.levels) - len(found)
        more = [f"{plural(beyond, 'relevant item')} retrieved by neither."] if beyond else []
        return Table(header, rows, (f"Request {self.request}.", *more, *self.notes))


class Contribution(NamedTuple):
    """What one preference says of two runs in one request with m relevant items; positive where `run` is better."""

    request: str
    m: int
    measure: str
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Contributions(Result):
    """Requests by how much they contribute to what one preference says of two runs, the largest first.

    Attributes
    ----------
    run, other : str
    measures : tuple of str
        The preferences shown; requests are sorted by the first of them, then by the others.
    values : dict
        Of each request the number of relevant items, and the value of each preference.
    """

    run: str
    other: str
    measures: tuple[str, ...]
    values: dict[str, tuple[int, tuple[float, ...]]]
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = Contribution._fields
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": signed_column("value")}

    @property
    def settings(self) -> dict[str, Any]:
        return {"run": self.run, "other": self.other, "measures": list(self.measures)}

    def rows(self) -> Iterator[Contribution]:
        """Every request and preference, the largest contribution first."""
        for request, (m, values) in self.values.items():
            for measure, value in zip(self.measures, values, strict=True):
                yield Contribution(request, m, measure, value)

    def table(self, digits: int = 4, most: int | None = MOST_REQUESTS) -> Table:
        return super().table(digits, most)


def contributions(
    positions: Positions,
    run: str,
    other: str,
    measure: str | Preference | Metric | None,
) -> Contributions:
    """Which requests make the difference between two runs."""
    pair = Pairs.one(*(find_name(name, positions.runs) for name in two_names(run, other)))
    measures = measures_shown(measure)
    found = [compare_pairs(positions, name, pair) for name in measures]
    values = [dict(zip(c.requests, c.values[0].tolist(), strict=True)) for c in found]
    sizes = dict(zip(positions.requests, positions.relevant().tolist(), strict=True))
    rows = [(request, tuple(v.get(request, np.nan) for v in values)) for request in found[0].requests]
    rows.sort(key=lambda row: [-abs(value) for value in row[1]])
    held = {request: (sizes[request], of_request) for request, of_request in rows}
    notes = (
        f"Positive where {run} is better than {other}; sorted by the size of {measures[0]}.",
        "Give a request to see its recall levels.",
    )
    return Contributions(run, other, measures, held, notes, positions.library)


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
    notes = tuple(verdicts(one, levels, values))
    return Explanation(run, other, request, levels, values, notes, positions.library)


def only_these(positions: Positions, run: str, other: str) -> Positions:
    """The positions of two runs."""
    return positions.take_runs([find_name(name, positions.runs) for name in two_names(run, other)])


def two_names(run: str, other: str) -> tuple[str, str]:
    if run == other:
        raise InputError(f"{run} cannot be compared with itself. Give two runs.", kind="runs")
    return run, other


def levels_of(one: Positions) -> Iterator[Level]:
    """The recall levels of the only request, two runs."""
    x, y = (np.argsort(ranks, kind="stable") for ranks in one.ranks)
    parts = [level.difference for level in disaggregate(one, "AP", *one.runs).rows()]
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
        size = "" if measure in ("LexiRecall", "LexiPrecision") else f" ({format_signed(value, 4)})"
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
        yield f"{better:,} against {worse:,} of {plural(len(signs), 'recall level')}{within}"


def decided(by: list[Level]) -> str:
    """Which level decided."""
    for level in by:
        sides = (f"position {p:,}" if p else "unretrieved" for p in (level.position, level.other_position))
        return f"recall level {level.level} decides, {' against '.join(sides)}"
    return "the relevant items stand at the same positions"
