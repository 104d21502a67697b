"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tiebreak.cli.options import CatalogueHelp, experiment, output_options, reading_options
from tiebreak.cli.output import Rows, write

if TYPE_CHECKING:
    from tiebreak.reports.tables import Table
    from tiebreak.scores import Scores


class MeasuresHelp(CatalogueHelp):
    """Lists the known measures at the end of the help."""

    catalogues: ClassVar = {"Measures": "tiebreak.metrics"}


@click.command("evaluate", cls=MeasuresHelp)
@reading_options
@click.option("-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as AP, nDCG@10 or RBP(p=0.9).")
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
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
    scores = experiment(qrels, runs, **options).evaluate(asked)
    write(Report(scores, per_request, digits), format_, out)


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
