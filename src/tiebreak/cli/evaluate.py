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
from tiebreak.cli.output import write

if TYPE_CHECKING:
    from tiebreak.populations import Population
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
    from tiebreak.experiment import DEFAULT_MEASURES
    from tiebreak.metrics import parse_metrics

    asked = measures or DEFAULT_MEASURES
    parse_metrics(asked)  # a bad name is refused before anything is read
    if not (populations or weights or groups):
        scores = experiment(qrels, runs, asked, **options).evaluate(asked)
        means = () if per_request and format_ != "trec" else (scores.summary(),)
        write((*((scores,) if per_request else ()), *means), format_, digits, out)
        return
    if per_request:
        raise click.UsageError("populations are over requests: leave out -q.")
    check_numbers(populations)
    over = {"weights": weights, "groups": groups}
    made = experiment(qrels, runs, (*asked, *populations), **options)
    results = [
        renamed(made.utilities(metric, **over).evaluate(population), title)
        for title, metric, population in columns(populations or ("mean",), measures, asked)
    ]
    write(results, format_, digits, out)


def renamed(scores: PopulationScores, measure: str) -> PopulationScores:
    """The same under the name of a population with its metric."""
    from tiebreak.utilities import PopulationScores

    return PopulationScores(tuple(row._replace(measure=measure) for row in scores.values), scores.notes, scores.library)


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
