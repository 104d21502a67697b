"""The table for a paper: means with intervals, and marks where runs were shown to differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import copysign, isnan, nan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tiebreak._base.text import format_signed, join_names, plural
from tiebreak.results.cells import Cell, Row, superscript, value_or_count
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows
from tiebreak.significance import Significance
from tiebreak.significance.letters import letter

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

STAR = "*"


class MarkedMean(NamedTuple):
    """A mean with its 95% interval, compared with baselines, or by letters with all runs.

    `change` is (mean - mean of the first baseline) / |mean of the first baseline|, and `pvalue_corrected` that of the
    difference between the two; NaN for the baseline itself. `marks` name the baselines from which the run was shown to
    differ: ``*`` where there is one, else ``a`` for the first, ``b`` for the second and so on. Without baselines they
    are letters: runs that share one were not shown to differ.
    """

    run: str
    measure: str
    value: float
    low: float
    high: float
    n_requests: int
    change: float
    pvalue_corrected: float
    marks: str


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Drawable, Rows[MarkedMean]):
    """Means with 95% intervals, relative changes and significance marks; the best means are emphasised.

    Attributes
    ----------
    baselines : tuple of str
        Empty where all pairs of runs are compared, and marks are letters.
    tests : dict
        The test of every measure that can be tested.
    best : frozenset of (str, str)
        Run and measure of every best mean; all of them where runs tie.
    counts : frozenset of str
        Measures that are whole numbers, and shown as such.
    room : dict
        Characters for marks, by measure, where another table beside this one needs more.
    """

    baselines: tuple[str, ...] = ()
    tests: Mapping[str, Significance] = field(default_factory=dict)
    best: frozenset[tuple[str, str]] = frozenset()
    counts: frozenset[str] = frozenset()
    room: Mapping[str, int] = field(default_factory=dict)
    spread = "measure"
    _internals: ClassVar[tuple[str, ...]] = ("room", "replace_tests", "with_room", "widest_marks")

    @property
    def columns(self) -> tuple[str, ...]:
        return MarkedMean._fields if self.baselines else (*MarkedMean._fields[:6], "letters")

    def rows(self) -> tuple[Any, ...]:
        """Every mean; without changes and p-values where there is no baseline."""
        return self.values if self.baselines else tuple((*row[:6], row.marks) for row in self.values)

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        cells: dict[str, Cell] = {"": self._marked_value, "95%": half_interval}
        return {**cells, "change": relative_change} if self.baselines else cells

    @property
    def _marked_value(self) -> Cell:
        value, widths = value_or_count(self.counts), self.room or self.widest_marks([self])

        def cell(row: Row, digits: int) -> str:
            marks = row["marks" if self.baselines else "letters"]
            return value(row, digits) + superscript(marks) + " " * (widths[row["measure"]] - len(marks))

        return cell

    @staticmethod
    def widest_marks(tables: Iterable[ScoreTable]) -> dict[str, int]:
        """The most marks of a run in some tables, by measure."""
        widths: dict[str, int] = {}
        for row in (row for table in tables for row in table.values):
            widths[row.measure] = max(widths.get(row.measure, 0), len(row.marks))
        return widths

    def with_room(self, room: Mapping[str, int]) -> ScoreTable:
        return replace(self, room=room)

    def replace_tests(self, tests: Mapping[str, Significance]) -> ScoreTable:
        """The same means, marked by other tests, of which only the notes are kept."""
        values = tuple(mark_means([row[:6] for row in self.values], tests, self.baselines))
        notes = tuple(captions(self.settings["measures"], tests, self.baselines))
        return replace(self, values=values, notes=notes, tests=tests)

    def is_marked(self, row: Row) -> bool:
        return (row["run"], row["measure"]) in self.best

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Means with intervals and marks; and those of the tests."""
        tested = next(iter(self.tests), None)
        return {"leaderboard": self._leaderboard, **({} if tested is None else self.tests[tested].pictures)}

    def drawings(self, kind: str | None = None) -> Sequence[Drawing]:
        """One of all means; of the tests one by measure."""
        first = self.picture(kind)
        if kind in (None, "leaderboard"):
            return [first]
        return [test.picture(kind) for test in self.tests.values()]

    def _leaderboard(self) -> Drawing:
        from tiebreak.results.pictures import leaderboard

        rows = [(row.run, row.measure, row.value, row.low, row.high) for row in self.values]
        marks = {(row.run, row.measure): row.marks for row in self.values}
        measures = join_names(list(dict.fromkeys(row.measure for row in self.values)), most=4)
        requests = plural(max(row.n_requests for row in self.values), "request")
        rules = tuple(note for note in self.notes if "differ" in note)
        against = f", compared with {join_names(self.baselines)}" if self.baselines else ", all pairs compared"
        return leaderboard(f"{measures} over {requests}, with 95% intervals{against}", rows, rules, marks)


def half_interval(row: Row, digits: int) -> str:
    """Half the width of a symmetric interval."""
    half = row["high"] - row["value"]
    return "-" if isnan(half) else f"±{half:.{digits}f}"


def relative_change(row: Row, digits: int) -> str:
    return "-" if isnan(row["change"]) else f"{format_signed(100 * row['change'], 1)}%"


def mark_means(
    means: Sequence[tuple[str, str, float, float, float, int]],
    tests: Mapping[str, Significance],
    baselines: tuple[str, ...],
) -> Iterator[MarkedMean]:
    """Means and intervals with what tests show."""
    signs = {measure: marks(test, baselines) for measure, test in tests.items()}
    reference = {measure: value for run, measure, value, *_ in means if run in baselines[:1]}
    for mean in means:
        run, measure, value = mean[:3]
        change, pvalue = nan, nan
        if baselines and run != baselines[0]:
            base = reference[measure]
            change = (value / base - 1) * copysign(1, base) if base else nan
            pvalue = tests[measure].between(run, baselines[0]).pvalue_corrected if measure in tests else nan
        yield MarkedMean(*mean, change, pvalue, signs.get(measure, {}).get(run, ""))


def marks(test: Significance, baselines: tuple[str, ...]) -> dict[str, str]:
    """The marks of every run that has some: baselines from which it differs, or letters where there are none."""
    if not baselines:
        return test.letters()
    differing = {pair for pair, differs in zip(test.paired.names(), test.differs.tolist(), strict=True) if differs}
    differing |= {(other, run) for run, other in differing}
    signs = list(zip(baselines, baseline_signs(baselines), strict=True))
    return {run: "".join(sign for name, sign in signs if (run, name) in differing) for run in test.runs}


def baseline_signs(baselines: tuple[str, ...]) -> list[str]:
    return [STAR] if len(baselines) == 1 else [letter(k) for k in range(len(baselines))]


def captions(measures: Sequence[str], tests: Mapping[str, Significance], baselines: tuple[str, ...]) -> Iterator[str]:
    """What marks mean, once where it is the same for all measures."""
    criteria: dict[str, list[str]] = {}
    for measure, test in tests.items():
        criteria.setdefault(test.criterion, []).append(measure)
    for criterion, tested in criteria.items():
        yield f"{'' if len(criteria) == 1 else f'{join_names(tested)}: '}{meaning(baselines)}: {criterion}."
    yield from (note for test in tests.values() for note in test.cautions)
    if baselines:
        yield f"change: relative to {baselines[0]}."
    yield "95%: half the width of the interval of the mean, by Student's t."
    if untested := [measure for measure in measures if measure not in tests]:
        why = "figures of a whole run, geometric means, values of which none is better, or too few requests"
        yield f"Not tested: {join_names(untested)} ({why})."


def meaning(baselines: tuple[str, ...]) -> str:
    """What a mark says."""
    if not baselines:
        return "Runs without a common letter differ"
    if len(baselines) == 1:
        return f"{STAR} differs from {baselines[0]}"
    named = zip(baselines, baseline_signs(baselines), strict=True)
    return f"Letters: differs from {join_names([f'{name} ({sign})' for name, sign in named], most=26)}"
