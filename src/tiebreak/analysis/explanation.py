"""Why one run is preferred to another: the recall levels of a request, and what requests contribute (RPP section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import find_pair
from tiebreak._base.text import format_signed, plural
from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak.analysis.disaggregation import disaggregate
from tiebreak.comparison import compare, compare_pairs
from tiebreak.errors import InputError
from tiebreak.metrics import Metric, measure_label
from tiebreak.preferences import DEFAULTS, Pairs, Preference, preference
from tiebreak.projection import Positions, pair_signs
from tiebreak.results.cells import MOST_ROWS, Cell, grade_text, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.joint_table import check_digits
from tiebreak.results.record import Result, Rows
from tiebreak.results.tables import Table

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

MEASURES = (*DEFAULTS, "diff(AP)")
MOST_REQUESTS = 20


class Level(NamedTuple):
    """One recall level of two rankings: the i-th relevant item of each, None if unretrieved.

    `preferred` is the sign of the preference, `AP` the level's part of the difference in average precision.
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
class Explanation(Drawable, Result):
    """Two rankings of one request side by side.

    Attributes
    ----------
    run, other, request : str
    levels : tuple of Level
    values : dict
        The value of each preference; positive where `run` is better.
    """

    run: str
    other: str
    request: str
    levels: tuple[Level, ...]
    values: dict[str, float]
    notes: tuple[str, ...] = ()
    columns = Level._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "other": self.other,
            "request": self.request,
            "preferences": self.values,
            **self.more_settings,
        }

    def rows(self) -> tuple[Level, ...]:
        return self.levels

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """How many relevant items both rankings hold down to every position."""
        from tiebreak.results.pictures import recall_curve

        title = f"Request {self.request}: relevant items that {self.run} and {self.other} hold down to each position"
        positions = {
            self.run: [level.position for level in self.levels],
            self.other: [level.other_position for level in self.levels],
        }
        return {"levels": lambda: recall_curve(title, positions, self.notes[: len(self.values)])}

    def table(self, digits: int = 4, most: int | None = MOST_ROWS) -> Table:
        """The positions of both runs side by side."""
        check_digits(digits)
        retrieved = [level for level in self.levels if level.position or level.other_position]
        better = {1: self.run, -1: self.other, 0: "="}
        rows = tuple(
            (str(level.level), *map(format_cell, level[1:7]), better[level.preferred], format_signed(level.AP, digits))
            for level in retrieved
        )
        header = ("level", self.run, "item", "grade", self.other, "item", "grade", "better", "AP")
        rest = len(self.levels) - len(retrieved)
        more = [f"{plural(rest, 'relevant item')} retrieved by neither."] if rest else []
        notes = (f"Request {self.request}.", *more, *self.notes)
        return Table(header, rows, notes, optional=("grade", "better"))


class Contribution(NamedTuple):
    """The value of one preference for two runs in one request with m relevant items; positive where `run` is better."""

    request: str
    m: int
    measure: str
    value: float


class Contributions(Drawable, Rows[Contribution]):
    """Requests by how much they contribute to the preference between two runs, the largest first.

    They are sorted by the first preference, then by the others.
    """

    columns = Contribution._fields
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": signed_column("value")}

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """The preference in every request, by the first measure."""
        from tiebreak.results.pictures import contribution_bars

        first = self.settings["measures"][0]
        values = [(row.request, row.value) for row in self.values if row.measure == first and row.value == row.value]
        return {"requests": lambda: contribution_bars(first, self.settings["run"], self.settings["other"], values)}

    def table(self, digits: int = 4, most: int | None = MOST_REQUESTS) -> Table:
        return super().table(digits, most)


def contributions(
    positions: Positions, run: str, other: str, measure: str | Preference | Metric | None
) -> Contributions:
    """Which requests make the difference between two runs, by a preference (RPP by default)."""
    pair = Pairs.one(*find_pair(run, other, positions.runs))
    measures: tuple[str, ...] = MEASURES
    if measure is not None:
        first = preference(measure)
        measures = (measure_label(measure), *(name for name in MEASURES if preference(name) != first))
    compared = [compare_pairs(positions, name, pair) for name in measures]
    values = [dict(zip(one.requests, one.values[0].tolist(), strict=True)) for one in compared]
    sizes = dict(zip(positions.requests, positions.relevant().tolist(), strict=True))
    by_request = [(request, [known.get(request, np.nan) for known in values]) for request in values[0]]
    by_request.sort(key=lambda row: [-abs(value) for value in row[1]])
    rows = tuple(
        Contribution(request, sizes[request], name, value)
        for request, row in by_request
        for name, value in zip(measures, row, strict=True)
    )
    notes = (
        f"Positive where {run} is better than {other}; sorted by the size of {measures[0]}.",
        "Give a request to see its recall levels.",
    )
    settings = {"run": run, "other": other, "measures": list(measures)}
    return Contributions(rows, notes, library=positions.library, more_settings=settings)


def explain_request(positions: Positions, run: str, other: str, request: str) -> Explanation:
    """Two rankings of one request side by side."""
    place = positions.requests.place(request, "request")
    one = positions.take_runs(find_pair(run, other, positions.runs)).take_requests([place])
    relevant = one.only_relevant()
    if not len(relevant.item):
        raise InputError(f"request {request} has no relevant item, so there is nothing to explain.", kind="request")
    levels = tuple(recall_levels(relevant))
    values = {measure: float(compare(one, measure).values[0, 0]) for measure in MEASURES}
    notes = tuple(conclusions(relevant, levels, values))
    return Explanation(run, other, request, levels, values, notes, library=positions.library)


def recall_levels(one: Positions) -> Iterator[Level]:
    """The recall levels of the only request, two runs."""
    x, y = (np.argsort(ranks, kind="stable") for ranks in one.ranks)
    parts = [level.difference for level in disaggregate(one, "AP", *one.runs).rows()]
    signs = pair_signs(one.ranks[0, x], one.ranks[1, y]).tolist()
    for i, (part, sign) in enumerate(zip(parts, signs, strict=True)):
        yield Level(i + 1, *describe_entry(one, 0, x[i]), *describe_entry(one, 1, y[i]), sign, part)


def describe_entry(one: Positions, run: int, entry: int) -> tuple[int | None, str | None, float | None]:
    """Position, item and grade of an entry; None where the run does not retrieve it."""
    if one.ranks[run, entry] == UNRETRIEVED:
        return None, None, None
    return int(one.ranks[run, entry]), one.items[int(one.item[entry])], float(one.grade[entry])


def format_cell(value: int | float | str | None) -> str:
    """A position, an item or a grade in a table; a dash for None."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else grade_text(value) if isinstance(value, float) else f"{value:,}"


def conclusions(one: Positions, levels: tuple[Level, ...], values: dict[str, float]) -> Iterator[str]:
    """Which run each preference prefers in the only request, and why."""
    run, other = one.runs
    differing = [level for level in levels if level.preferred]
    why = {
        "RPP": "; ".join(count_levels(one)),
        "LexiRecall": deciding_level(differing[-1:]),
        "LexiPrecision": deciding_level(differing[:1]),
    }
    for measure, value in values.items():
        verdict = f"prefers {run if value > 0 else other}" if value else "ties"
        size = "" if measure in ("LexiRecall", "LexiPrecision") else f" ({format_signed(value, 4)})"
        yield f"{measure} {verdict}{size}{f': {why[measure]}' if measure in why else ''}."


def count_levels(one: Positions) -> Iterator[str]:
    """At how many recall levels each run is better, for every grade that makes a population of RPP."""
    grades = np.unique(one.grade)
    for grade in grades.tolist():
        x, y = (np.sort(ranks) for ranks in one.only_relevant(grade).ranks)
        signs = pair_signs(x, y)
        within = f" at grade {grade:g} and above" if len(grades) > 1 else ""
        better, worse = int((signs > 0).sum()), int((signs < 0).sum())
        yield f"{better:,} against {worse:,} of {plural(len(signs), 'recall level')}{within}"


def deciding_level(levels: list[Level]) -> str:
    """The deciding level, in words, of at most one."""
    if not levels:
        return "the relevant items have the same positions"
    (level,) = levels
    sides = (f"position {p:,}" if p else "unretrieved" for p in (level.position, level.other_position))
    return f"recall level {level.level} decides, {' against '.join(sides)}"
