"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    from tiebreak.populations import Population
    from tiebreak.reports.tables import Table
    from tiebreak.scores import Scores
    from tiebreak.utilities import PopulationScores


class MeasuresHelp(CatalogueHelp):
    """Lists the known measures at the end of the help."""

    catalogues: ClassVar = {"Measures": "tiebreak.metrics"}


@click.command("evaluate", cls=MeasuresHelp)
@reading_options
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Such as AP, nDCG@10 or RBP(p=0.9)." + OWN_FUNCTION,
)
@aspect_options
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option(
    "--population",
    "populations",
    multiple=True,
    metavar="SPEC",
    help="Instead of means: such as gmean, min, auc4 or cvar(share=0.1); repeatable.",
)
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take weights.")
@click.option("--groups", metavar="FILE", help="A table of request and group: populations of every group.")
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    populations: tuple[str, ...],
    weights: str | None,
    groups: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Score every run by every measure.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. Measures are
    named as in trec_eval, ir_measures, ranx or below.
    """
    from tiebreak.experiment import DEFAULT_MEASURES, named_metrics

    asked = measures or DEFAULT_MEASURES
    named_metrics(asked)  # a bad name is refused before anything is read
    if not (populations or weights or groups):
        scores = experiment(qrels, runs, **options).evaluate(asked)
        write(Report(scores, per_request, digits), format_, out)
        return
    if per_request:
        raise click.UsageError("populations are over requests: leave out -q.")
    check_numbers(populations)
    over = {"weights": weights, "groups": groups}
    made = experiment(qrels, runs, **options)
    found = [
        (title, made.utilities(metric, **over).evaluate(population))
        for title, metric, population in columns(populations or ("mean",), measures, asked)
    ]
    write(PopulationReport(found, digits), format_, out)


def columns(
    populations: tuple[str, ...], measures: tuple[str, ...], asked: Sequence[str]
) -> Iterator[tuple[str, Any, Population]]:
    """A title, a metric and a population for every column; a population of its own metric needs no measure."""
    from dataclasses import replace

    from tiebreak.metrics import metric
    from tiebreak.populations import population

    own = [spec for spec in populations if population(spec).metric is not None]
    others = [spec for spec in populations if spec not in own]
    for measure in asked if others or measures else ():
        for spec in others:
            made = population(spec)
            title = str(replace(made, metric=metric(measure))) if "(" in spec else f"{spec}({measure})"
            yield title, measure, made
    for spec in own:
        yield spec, population(spec).metric, population(spec).bare


def check_numbers(populations: tuple[str, ...]) -> None:
    """Refuse before anything is read what is no population, or has no number for a run."""
    from tiebreak.populations import population

    for spec in populations:
        made = population(spec)
        if not made.is_number:
            raise click.UsageError(f"{spec} orders runs and has no number for each: tiebreak order --by '{spec}(AP)'.")


class Report:
    """Scores in every format."""

    def __init__(self, scores: Scores, per_request: bool, digits: int) -> None:
        self.scores, self.per_request, self.digits = scores, per_request, digits

    def table(self) -> Table:
        return self.scores.request_table(self.digits) if self.per_request else self.scores.table(self.digits)

    def rows(self) -> Rows:
        return self.scores.wide_rows(self.per_request)

    jsonl = rows

    def trec(self) -> Iterator[tuple[Any, ...]]:
        return self.scores.trec_rows(self.per_request)


class PopulationReport:
    """Populations of measures, in every format."""

    def __init__(self, found: list[tuple[str, PopulationScores]], digits: int) -> None:
        self.found, self.digits = found, digits

    def table(self) -> Table:
        from tiebreak.reports.tables import Table

        header, rows = self.rows()
        shown = (tuple(f"{v:.{self.digits}f}" if isinstance(v, float) else v for v in row) for row in rows)
        notes = dict.fromkeys(note for _, scores in self.found for note in scores.notes)
        return Table(tuple(header), tuple(shown), tuple(notes))

    def rows(self) -> Rows:
        """Names of columns, and a row per run, or per run and group, with a value per column."""
        (header, first), *_ = parts = [scores.wide_rows() for _, scores in self.found]
        keys = len(header) - 1
        rows = [(*first[k][:keys], *(rows[k][keys] for _, rows in parts)) for k in range(len(first))]
        return (*header[:keys], *(title for title, _ in self.found)), rows

    jsonl = rows

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Run, population, group or ``all``, value."""
        for title, scores in self.found:
            yield from ((row.run, title, row.group or "all", row.value) for row in scores.rows)
