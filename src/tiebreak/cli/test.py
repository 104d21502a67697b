"""``tiebreak test``: is a difference between runs more than chance."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
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
    from tiebreak.reports.tables import Table
    from tiebreak.significance import Significance

CORRECTIONS = ("none", "bonferroni", "holm", "bh")


class TestsHelp(CatalogueHelp):
    """Lists tests and preferences at the end of the help."""

    catalogues: ClassVar = {"Tests": "tiebreak.significance", "Preferences": "tiebreak.preferences"}


def draws(context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """A whole number, or ``all``."""
    if value is None or value == "all":
        return value
    if not value.isdecimal():
        raise click.BadParameter(f"{value!r} is neither a whole number nor 'all'.")
    return int(value)


@click.command("test", cls=TestsHelp)
@partial(reading_options, is_needed=False)
@aspect_options
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as RPP, LexiRecall or AP." + OWN_FUNCTION
)
@click.option(
    "--test",
    "test_",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The papers' test, or one of those below.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    help="For the number of pairs; by default holm, for hsd and tukey none.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Level of significance.",
)
@click.option(
    "--permutations", metavar="NUMBER|all", callback=draws, help="Draws of tests by chance, by default 10000; or all."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of tests by chance; by default 0.")
@click.option("--baseline", metavar="NAME", help="Test all others against this run only.")
@click.option("--letters", is_flag=True, help="Runs with letters: those that share one were not shown to differ.")
@click.option("--utilities", metavar="FILE", help="A table of run, request and value, in place of QRELS RUN...")
@output_options
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    test_: str,
    correction: str | None,
    alpha: float,
    permutations: int | str | None,
    seed: int | None,
    baseline: str | None,
    letters: bool,
    utilities: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Test whether runs differ by more than chance.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli.progress import progress
    from tiebreak.preferences import DEFAULTS, preference
    from tiebreak.significance import test_of
    from tiebreak.utilities import Utilities

    if test_.strip() != "auto":
        test_of(test_, permutations=permutations, seed=seed)  # a bad name is refused before anything is read
    how: dict[str, Any] = {"correction": correction, "alpha": alpha, "permutations": permutations, "seed": seed}
    how["jobs"] = options["jobs"]
    if (utilities is None) == (qrels is None) or (utilities is not None and measures):
        raise click.UsageError("Give QRELS RUN..., or --utilities FILE without -m.")
    if utilities is not None:
        with progress("testing", "draws") as tick:
            found = [Utilities(utilities).test(test_, baseline, **how, tick=tick)]
        write(Report(found, letters, digits), format_, out)
        return
    asked = tuple(dict.fromkeys(spec.strip() for spec in measures or DEFAULTS))
    for spec in asked:
        preference(spec)
    made = experiment(str(qrels), runs, **options)
    with progress("testing", "draws") as tick:
        found = [made.compare(spec, baseline).test(test_, **how, tick=tick) for spec in asked]
    write(Report(found, letters, digits), format_, out)


class Report:
    """Tests of several measures, in every format."""

    def __init__(self, found: list[Significance], letters: bool, digits: int) -> None:
        self.found, self.letters, self.digits = found, letters, digits

    def table(self) -> Table:
        from tiebreak.reports.tables import Table

        if self.letters:
            return self._letter_table()
        tables = [significance.table(self.digits) for significance in self.found]
        if len(tables) == 1:
            return tables[0]
        rows: list[tuple[str, ...]] = []
        marked: list[tuple[int, int]] = []
        for significance, table in zip(self.found, tables, strict=True):
            marked += [(len(rows) + row, column + 1) for row, column in table.best]
            rows += [(significance.paired.measure, *row) for row in table.rows]
        notes = dict.fromkeys(note for table in tables for note in table.notes)
        return Table(("measure", *tables[0].header), tuple(rows), tuple(notes), frozenset(marked), tables[0].most)

    def _letter_table(self) -> Table:
        from tiebreak.reports.tables import Table

        columns = [significance.letters() for significance in self.found]
        rows = tuple((run, *(column[run] for column in columns)) for run in columns[0])
        header = ("run", *(significance.paired.measure for significance in self.found))
        said = dict.fromkeys(note for s in self.found for note in s.letter_table().notes)
        return Table(header, rows, tuple(said))

    def rows(self) -> Rows:
        """Names of columns, and a row per measure and pair, or per run with its letters."""
        from tiebreak.significance import PairTest, Settings

        if self.letters:
            table = self._letter_table()
            return table.header, table.rows
        return (*Settings._fields, *PairTest._fields), self._pairs()

    jsonl = rows

    def _pairs(self) -> Iterator[tuple[Any, ...]]:
        for significance in self.found:
            yield from ((*significance.settings, *row) for row in significance.rows())

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Measure, run, other, corrected p-value; or measure, run, letters."""
        for significance in self.found:
            measure = significance.paired.measure
            if self.letters:
                yield from ((measure, run, of_run) for run, of_run in significance.letters().items())
                continue
            yield from ((measure, row.run, row.other, row.p_corrected) for row in significance.rows())
