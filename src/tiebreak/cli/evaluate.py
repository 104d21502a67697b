"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tiebreak.cli.options import CatalogueHelp, experiment, output_options, reading_options
from tiebreak.cli.output import Rows, write

if TYPE_CHECKING:
    from tiebreak.reports.tables import Table
    from tiebreak.scores import Scores
    from tiebreak.utilities import PopulationScores


class MeasuresHelp(CatalogueHelp):
    """Lists the known measures at the end of the help."""

    catalogues: ClassVar = {"Measures": "tiebreak.metrics"}


@click.command("evaluate", cls=MeasuresHelp)
@reading_options
@click.option("-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as AP, nDCG@10 or RBP(p=0.9).")
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
    made = experiment(qrels, runs, **options)
    found = [made.utilities(m, weights=weights, groups=groups).evaluate(populations or ("mean",)) for m in asked]
    write(PopulationReport(asked, found, digits), format_, out)


def check_numbers(populations: tuple[str, ...]) -> None:
    """Refuse before anything is read what is no population, or has no number for a run."""
    from tiebreak.populations import population

    for spec in populations:
        made = population(spec)
        if not made.is_number:
            raise click.UsageError(f"{spec} orders runs and has no number for each: tiebreak order --by '{spec}(AP)'.")
        if made.metric is not None:
            raise click.UsageError(f"--population {spec}: name the measure with -m {made.metric}.")


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
    """Populations of several measures, in every format."""

    def __init__(self, measures: Sequence[str], found: list[PopulationScores], digits: int) -> None:
        self.measures, self.found, self.digits = measures, found, digits

    def table(self) -> Table:
        from tiebreak.reports.tables import Table

        header, rows = self.rows()
        shown = (tuple(f"{v:.{self.digits}f}" if isinstance(v, float) else v for v in row) for row in rows)
        notes = dict.fromkeys(note for scores in self.found for note in scores.notes)
        return Table(tuple(header), tuple(shown), tuple(notes))

    def rows(self) -> Rows:
        """Names of columns, and a row per run, or per run and group, with a value per measure and population."""
        (header, first), *_ = parts = [scores.wide_rows() for scores in self.found]
        names = [name for name in header if name in ("run", "group")]
        columns = [f"{p}({m})" for m, (of, _) in zip(self.measures, parts, strict=True) for p in of[len(names) :]]
        rows = [
            (*first[k][: len(names)], *(value for _, rows in parts for value in rows[k][len(names) :]))
            for k in range(len(first))
        ]
        return (*names, *columns), rows

    jsonl = rows

    def trec(self) -> Iterator[tuple[Any, ...]]:
        """Run, measure of the population, group or ``all``, value."""
        for measure, scores in zip(self.measures, self.found, strict=True):
            yield from ((row.run, f"{row.population}({measure})", row.group or "all", row.value) for row in scores.rows)
