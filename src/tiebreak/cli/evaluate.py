"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.output import Output

if TYPE_CHECKING:
    from tiebreak.populations import Population


@click.command("evaluate", cls=CatalogueHelp, catalogues={"Measures": "metrics"})
@options.reading_options
@options.measures_option("AP, nDCG@10 or RBP(p=0.9)")
@options.aspect_options
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
@options.output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    populations: tuple[str, ...],
    weights: str | None,
    groups: str | None,
    output: Output,
    **reading: Any,
) -> None:
    """Score every run by every measure.

    Measures are named as in trec_eval, ir_measures, ranx, LensKit or below; official, set and all_trec stand for
    several, as in trec_eval, and so does P.5,10.
    """
    from tiebreak._base.nicknames import expand_all
    from tiebreak.experiment import DEFAULT_MEASURES
    from tiebreak.metrics import parse_metrics

    shown = tuple(expand_all(measures)) or DEFAULT_MEASURES
    parse_metrics(shown)  # a bad name is an error before anything is read
    if not (populations or weights or groups):
        scores = options.experiment(qrels, runs, shown, **reading).evaluate(shown)
        means = () if per_request and output.format != "trec" else (scores.summary(),)
        output.write((*((scores,) if per_request else ()), *means))
        return
    from tiebreak.populations import population  # only now: plain means do without what it imports
    from tiebreak.populations.values import PopulationScores

    options.require(not per_request, "populations are over requests: leave out -q")
    for spec in populations:
        advice = f"{spec} orders runs and has no number for each: tiebreak order --by '{spec}(AP)'"
        options.require(population(spec).is_number, advice)
    exp = options.experiment(qrels, runs, (*shown, *populations), **reading)
    results = []
    for title, metric, chosen in columns(populations or ("mean",), measures, shown):
        numbers = exp.utilities(metric, weights=weights, groups=groups).evaluate(chosen)
        rows = tuple(row._replace(measure=title) for row in numbers.values)
        results.append(PopulationScores(rows, numbers.notes, library=numbers.library, more_settings=numbers.settings))
    output.write(results)


def columns(
    populations: tuple[str, ...], measures: tuple[str, ...], shown: Sequence[str]
) -> Iterator[tuple[str, Any, Population]]:
    """A title, a metric and a population for every column; a population of its own metric needs no measure."""
    from dataclasses import replace

    from tiebreak.metrics import metric
    from tiebreak.populations import population

    own = [spec for spec in populations if population(spec).metric is not None]
    others = [spec for spec in populations if spec not in own]
    for measure in shown if others or measures else ():
        for spec in others:
            chosen = population(spec)
            title = str(replace(chosen, metric=metric(measure))) if "(" in spec else f"{spec}({measure})"
            yield title, measure, chosen
    for spec in own:
        yield spec, population(spec).metric, population(spec).bare
