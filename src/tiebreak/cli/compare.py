"""``tiebreak compare``: who is preferred to whom, and by how much."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tiebreak.cli.options import (
    OWN_FUNCTION,
    CatalogueHelp,
    aspect_options,
    experiment,
    output_options,
    reading_options,
)
from tiebreak.cli.output import Rows, write

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.reports.tables import Table


class PreferencesHelp(CatalogueHelp):
    """Lists the known preferences at the end of the help."""

    catalogues: ClassVar[dict[str, str]] = {"Preferences": "tiebreak.preferences"}


@click.command("compare", cls=PreferencesHelp)
@reading_options
@aspect_options
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Such as RPP, LexiRecall or diff(AP); repeatable." + OWN_FUNCTION,
)
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option(
    "--baseline", "baselines", multiple=True, metavar="NAME", help="Compare all others with this run; repeatable."
)
@click.option(
    "--fail-if-worse",
    "gates",
    multiple=True,
    metavar="SPEC",
    help="Exit with 1 if a run is significantly worse than the baseline, by default the first run. Repeatable.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance of --fail-if-worse.",
)
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    baselines: tuple[str, ...],
    gates: tuple[str, ...],
    alpha: float,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Compare runs by preferences; positive where the first is better.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values.
    """
    from tiebreak.cli.gate import worse
    from tiebreak.errors import InputError
    from tiebreak.preferences import DEFAULTS, preference

    gates = tuple(dict.fromkeys(map(str.strip, gates)))
    asked = tuple(dict.fromkeys(map(str.strip, measures or gates or DEFAULTS)))
    for spec in (*asked, *gates):
        preference(spec)  # a bad name is refused before anything is read
    if not 0 < alpha < 1:  # also where it is NaN, which no range refuses
        raise InputError(f"--alpha {alpha}. Give a number between 0 and 1.", kind="choice")
    made = experiment(qrels, runs, **options)
    against = baselines or ((made.runs[0].name,) if gates else None)
    found = {spec: made.compare(spec, baseline=against) for spec in dict.fromkeys((*asked, *gates))}
    write(Report([found[spec] for spec in asked], per_request, digits), format_, out)
    # No gate is forgotten: a run that fails one of them fails.
    if [spec for spec in gates if worse(found[spec], alpha)]:
        sys.exit(1)


class Report:
    """Several comparisons of the same pairs, in every format."""

    def __init__(self, found: list[Comparison], per_request: bool, digits: int) -> None:
        self.found, self.per_request, self.digits = found, per_request, digits
        self.measures = tuple(comparison.measure for comparison in found)

    def table(self) -> Table:
        from itertools import islice

        from tiebreak.comparison import MOST_ROWS, not_shown
        from tiebreak.reports.tables import Table
        from tiebreak.words import signed

        if self.per_request:
            header, wide = self.rows()
            rows = ((*row[:3], *(signed(v, self.digits) for v in row[3:])) for row in islice(wide, MOST_ROWS))
            said = (*self._notes(), *not_shown(max(c.numerator.size for c in self.found), "row"))
            return Table(tuple(header), tuple(rows), said)
        return self.found[0].summary().table(self.digits) if len(self.found) == 1 else self._side_by_side()

    def _side_by_side(self) -> Table:
        """Means and wins/ties/losses of several preferences."""
        from tiebreak.comparison import CLEAR, MOST_ROWS, not_shown
        from tiebreak.reports.tables import Table

        rows, marked = [], []
        summaries = [comparison.summary().rows[:MOST_ROWS] for comparison in self.found]
        for place, parts in enumerate(zip(*summaries, strict=True)):
            cells = [cell for row in parts for cell in (row.marked_mean(self.digits), "/".join(map(str, row[5:])))]
            rows.append((parts[0].run, parts[0].other, *cells))
            marked += [(place, 2 + 2 * k) for k, row in enumerate(parts) if row.is_clear]
        header = ("run", "other", *(title for name in self.measures for title in (name, "w/t/l")))
        more = ("w/t/l: requests won, tied and lost.", CLEAR, *not_shown(len(self.found[0].pairs), "pair"))
        return Table(header, tuple(rows), (*self._notes(), *more), frozenset(marked))

    def _notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(c.described() for c in self.found), *(n for c in self.found for n in c.notes)]))

    def rows(self) -> Rows:
        """Names of columns, and a row per pair and measure, or per pair and request."""
        if self.per_request:
            return ("run", "other", "request", *self.measures), self._wide()
        from tiebreak.comparison import PairSummary

        long = ((*row[:2], c.measure, *row[2:]) for c in self.found for row in c.summary().rows)
        return ("run", "other", "measure", *PairSummary._fields[2:]), long

    def _wide(self) -> Iterator[tuple[Any, ...]]:
        """A row per request and pair, with the value of each measure; NaN where one has none."""
        known = [dict(zip(c.requests, c.values.T.tolist(), strict=True)) for c in self.found]
        names = list(self.found[0].names())
        nothing = [float("nan")] * len(names)
        for request in dict.fromkeys(request for values in known for request in values):
            columns = [values.get(request, nothing) for values in known]
            for (run, other), *values in zip(names, *columns, strict=True):
                yield run, other, request, *values

    def jsonl(self) -> Rows:
        """The keys that users of pref_eval expect."""
        header = ("qid", "runi", "runj", "type", *self.measures)
        if self.per_request:
            return header, ((q, run, other, "preference", *values) for run, other, q, *values in self._wide())
        means = zip(self.found[0].names(), *(c.mean.tolist() for c in self.found), strict=True)
        return header, (("all", *names, "preference", *values) for names, *values in means)

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Run, other, measure, request or ``all``, value."""
        if self.per_request:
            for run, other, request, *values in self._wide():
                yield from ((run, other, m, request, v) for m, v in zip(self.measures, values, strict=True))
        for c in self.found:
            yield from (
                (*names, c.measure, "all", mean) for names, mean in zip(c.names(), c.mean.tolist(), strict=True)
            )
