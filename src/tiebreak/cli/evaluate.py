"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import experiment, output_options, reading_options

if TYPE_CHECKING:
    from tiebreak.scores import Scores


class MeasuresHelp(click.Command):
    """Lists the known measures at the end of the help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from tiebreak.metrics import CATALOGUE

        rows = [(name, (entry.__doc__ or "").strip().splitlines()[0]) for name, entry in CATALOGUE.items()]
        with formatter.section("Measures"):
            formatter.write_dl(rows)


@click.command("evaluate", cls=MeasuresHelp)
@reading_options
@click.option("-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as AP, nDCG@10 or RBP(p=0.9).")
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals in tables.")
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

    QRELS and RUN are files in TREC's formats, plain or compressed by gzip or zstd, or - for standard input. A run can
    be given as NAME=PATH. Measures are named as in trec_eval, ir_measures, ranx or below.
    """
    from tiebreak.experiment import DEFAULT_MEASURES, named_metrics

    asked = measures or DEFAULT_MEASURES
    named_metrics(asked)  # a bad name is refused before anything is read
    scores = experiment(qrels, runs, **options).evaluate(asked)
    write(scores, format_, out, per_request, digits)


def write(scores: Scores, format_: str, out: str | None, per_request: bool, digits: int) -> None:
    from tiebreak.reports.formats import WRITERS, text_output, write_parquet, write_tsv

    if format_ in ("table", "latex"):
        table = scores.request_table(digits) if per_request else scores.table(digits)
        if format_ == "table" and out is None:
            table.print()
            return
        with text_output(out) as file:
            file.write(table.to_latex() if format_ == "latex" else table.to_text() + "\n")
        return
    if format_ == "trec":
        with text_output(out) as file:
            write_tsv((), scores.trec_rows(per_request), file)
        return
    header, rows = scores.wide_rows(per_request)
    if format_ == "parquet":
        if out is None:
            raise click.UsageError("--format parquet needs --out FILE.")
        write_parquet(header, rows, out)
        return
    with text_output(out) as file:
        WRITERS[format_](header, rows, file)
