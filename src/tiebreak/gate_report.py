"""What a gate found: one row per run and baseline, as a table, sentences, JUnit XML and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tiebreak._base.text import format_signed, join_names, percent, plural
from tiebreak.errors import quote
from tiebreak.results.cells import Cell, Row, column, interval_columns, signed_column
from tiebreak.results.record import Rows
from tiebreak.results.tables import markdown, printable
from tiebreak.significance.result import pvalue_column, pvalue_text
from tiebreak.significance.sample_size import POWER


class GateCheck(NamedTuple):
    """One run against one baseline.

    `value` is the mean difference with its interval at 1 - alpha, positive where the run is better; of a population the
    difference of the two numbers, without an interval. `detectable` is the minimum detectable effect: the mean
    difference that a t-test of so many requests shows with a probability of 80%, given their deviation.
    """

    run: str
    other: str
    group: str | None
    measure: str
    passed: bool
    value: float
    low: float
    high: float
    pvalue_corrected: float
    detectable: float
    n_requests: int
    n_tied: int
    test: str
    correction: str
    alpha: float
    margin: float
    allow: float


class Gate(Rows[GateCheck]):
    """Whether every run passes: `passes`, and why.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"old": {f"q{k}": 0.5 for k in range(9)}, "new": {f"q{k}": 0.4 + k / 100 for k in range(9)}}
    >>> gate = tb.gate(tb.Utilities(scores), baseline="old")
    >>> print(*gate.sentences())
    FAIL "new" is worse than "old" by mean: -0.0600, 95% interval -0.0811 to -0.0389, p < 0.001.
    """

    marked_column = "passed"
    optional_columns = ("detectable",)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name in GateCheck._fields if name not in self._empty_columns)

    @property
    def _empty_columns(self) -> set[str]:
        """Columns that are empty in every row."""
        empty = {name for name in ("margin", "allow") if all(row != row for row in self._column(name))}
        return empty | ({"group"} if all(group is None for group in self._column("group")) else set())

    def _column(self, name: str) -> list[Any]:
        return [getattr(row, name) for row in self.values]

    def rows(self) -> tuple[Any, ...]:
        """Every check; without columns that are empty."""
        places = [GateCheck._fields.index(name) for name in self.columns]
        return tuple(tuple(row[k] for k in places) for row in self.values)

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        names = [name for name in ("run", "other", "group", "measure") if name in self.columns]
        return {
            **{name: column(name) for name in names},
            "passed": lambda row, digits: "pass" if row["passed"] else "FAIL",
            "value": signed_column("value"),
            **interval_columns(1 - self.values[0].alpha),
            "p": pvalue_column("pvalue_corrected"),
            "detectable": column("detectable"),
        }

    def is_marked(self, row: Row) -> bool:
        return not row["passed"]

    @property
    def passes(self) -> bool:
        """Whether no run fails."""
        return all(row.passed for row in self.values)

    def sentences(self, *, failures_only: bool = False) -> Iterator[str]:
        """A sentence for every check."""
        for row in self.values:
            if not (failures_only and row.passed):
                yield f"{'pass' if row.passed else 'FAIL'} {verdict(row)}: {evidence(row)}."

    def to_junit(self) -> str:
        """A test suite in JUnit XML, with a test case for every check."""
        cases = "".join(junit_case(row) for row in self.values)
        failures = sum(not row.passed for row in self.values)
        sizes = f'tests="{len(self.values)}" failures="{failures}" errors="0" skipped="0"'
        suite = f'<testsuite name="tiebreak" {sizes}>\n{cases}</testsuite>'
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{suite}\n</testsuites>\n'

    def to_summary(self, digits: int = 4) -> str:
        """The verdict and the table in Markdown, for the page of a pull request."""
        failing = list(dict.fromkeys(row.run for row in self.values if not row.passed))
        title = f"failed: {join_names([quote(run) for run in failing])}" if failing else "passed"
        return f"### Gate {markdown(title)}\n\n{self.to_markdown(digits)}"


def verdict(row: GateCheck) -> str:
    """What was shown of a run, or not."""
    run, group = quote(row.run), "" if row.group is None else f" in group {quote(row.group)}"
    rest = f"{quote(row.other)} by {row.measure}{group}"
    if row.margin == row.margin:
        claim = f"no more than {row.margin:g} worse than {rest}" if row.margin else f"better than {rest}"
    else:
        claim = f"more than {row.allow:g} worse than {rest}" if row.allow == row.allow else f"worse than {rest}"
    is_shown = row.passed == (row.margin == row.margin)
    return f"{run} {'is' if is_shown else 'was not shown to be'} {claim}"


def evidence(row: GateCheck) -> str:
    """The numbers behind a verdict."""
    p = pvalue_text(row.pvalue_corrected)
    interval = f"{percent(1 - row.alpha)} interval {format_signed(row.low, 4)} to {format_signed(row.high, 4)}"
    value = format_signed(row.value, 4)
    more = ""
    is_shown = row.pvalue_corrected < row.alpha
    if row.detectable > 0 and row.passed and row.margin != row.margin and not is_shown:
        requests = plural(row.n_requests, "request")
        more = f"; {requests} show a difference of {row.detectable:.4f} with a probability of {POWER:.0%}"
    return f"{value}, {interval + ', ' if row.low == row.low else ''}{p}{more}"


def junit_case(row: GateCheck) -> str:
    """A check as a test case."""
    name = f"{row.run} against {row.other}" + ("" if row.group is None else f" in {row.group}")
    case = f"<testcase classname={attribute(f'tiebreak.{row.measure}')} name={attribute(name)}"
    text = f"{verdict(row)}: {evidence(row)}."
    if row.passed:
        return f"{case}><system-out>{escape(printable(text))}</system-out></testcase>\n"
    return f"{case}><failure message={attribute(verdict(row))}>{escape(printable(text))}</failure></testcase>\n"


def attribute(text: str) -> str:
    return quoteattr(printable(text))
