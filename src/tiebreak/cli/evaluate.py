"""``tiebreak evaluate``: measures of every run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.engine import engine_options
from tiebreak.cli.opening import experiment
from tiebreak.cli.output import Output
from tiebreak.cli.tables import TableOptions, table_options
from tiebreak.cli.testing import check_test, chooses_test, test_options
from tiebreak.errors import UnknownNameError

if TYPE_CHECKING:
    from typing import TypeAlias

    from tiebreak.populations import Population
    from tiebreak.populations.values import PopulationScores, PopulationValue
    from tiebreak.score_groups import ScoreGroups
    from tiebreak.scores import Scores
    from tiebreak.utilities import Utilities

    Sources: TypeAlias = dict[str, tuple[Utilities, str | Population]]


@click.command("evaluate", cls=CatalogueHelp, catalogues={"Measures": "metrics"})
@partial(options.reading_options, is_needed=False)
@engine_options
@options.measures_option("AP, nDCG@10 or RBP(p=0.9)")
@options.aspect_options
@click.option("-q", "--per-request", is_flag=True, help="A value for every request, instead of means.")
@click.option(
    "--sort", metavar="MEASURE", help="Sort runs, best first: by this measure, by default the first one; or none."
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    metavar="NAME",
    help="95% intervals, changes from this run, and marks where runs differ from it; repeatable.",
)
@click.option(
    "--letters", is_flag=True, help="95% intervals, and letters: runs that share one were not shown to differ."
)
@test_options
@click.option(
    "--population",
    "populations",
    multiple=True,
    metavar="SPEC",
    help="Instead of means: such as gmean, min, auc4 or cvar(share=0.1); repeatable.",
)
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take weights.")
@click.option(
    "--groups",
    metavar="FILE",
    help="A table of request and group: means, or populations, of every group and of all requests, and the gap between "
    "the best and the worst served group; with --baseline or --letters, that table for every group.",
)
@table_options
@options.output_options
@options.plot_options("leaderboard", "bump", "sorted", "forest", "heat", "groups")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_request: bool,
    sort: str | None,
    baselines: tuple[str, ...],
    letters: bool,
    how: dict[str, Any],
    populations: tuple[str, ...],
    weights: str | None,
    groups: str | None,
    utilities: TableOptions | None,
    output: Output,
    **reading: Any,
) -> None:
    """Score every run by every measure.

    Measures are named as in trec_eval, ir_measures, ranx, LensKit or below; official, set and all_trec stand for
    several, as in trec_eval, and so does P.5,10. With --utilities no rankings are needed.
    """
    from tiebreak._base.nicknames import expand_all
    from tiebreak.experiment import DEFAULT_MEASURES
    from tiebreak.metrics import parse_metrics

    shown = tuple(expand_all(measures)) or DEFAULT_MEASURES
    if utilities is None:
        parse_metrics(shown)  # a bad name is an error before anything is read
    is_compared = bool(baselines or letters)
    options.require(not (baselines and letters), "--letters are for all pairs: leave out --baseline")
    is_plain = not (per_request or populations or weights)
    options.require(is_plain or not is_compared, "--baseline and --letters go with means only")
    options.require(sort is None or not per_request, "--sort goes without -q")
    options.require(
        is_compared or not chooses_test(**how),
        "--test, --correction, --alpha, --permutations and --seed are for --baseline and --letters",
    )
    check_test(**how)
    over: dict[str, Any] = {"weights": weights, "groups": groups}
    table = None if utilities is None else utilities.read(measures, columns=reading["columns"], **over)
    if is_compared or not (populations or weights or groups):
        scores: Scores
        if table is None:
            kept = True if per_request or is_compared else None
            scores = experiment(str(qrels), runs, shown, **reading).evaluate(shown, per_request=kept)
        else:
            scores = table.scores()
        if not is_compared:
            output.draw([scores])
            means = () if per_request and output.format != "trec" else (scores.summary(sort),)
            output.write((*((scores,) if per_request else ()), *means))
        elif groups is None:
            write_marked(output, scores, scores, baselines, sort, how)
        else:
            by_group = scores.by_group(groups, columns=reading["columns"])
            write_marked(output, scores, by_group, baselines, sort, how)
        return
    options.require(not per_request, "populations are over requests: leave out -q")
    if table is None:
        results, sources = evaluate_populations(str(qrels), runs, populations, measures, shown, over, reading)
    else:
        populations = populations or ("mean",)
        results, sources = [table.evaluate(populations)], {name: (table, name) for name in populations}
    if sort != "none":
        ranks = run_ranks(sources, sort)
        results = [sort_runs(result, ranks) for result in results]
    output.draw(results)
    output.write(results)


def write_marked(
    output: Output,
    scores: Scores,
    tested: Scores | ScoreGroups[Scores],
    baselines: tuple[str, ...],
    sort: str | None,
    how: dict[str, Any],
) -> None:
    """The table for a paper, of all requests or of every group."""
    from tiebreak.cli.progress import progress

    with progress("testing", "draws") as tick:
        marked = tested.against(baselines or None, sort=sort, **how, tick=tick)
    output.draw([scores if output.plot_kind in ("bump", "sorted") else marked])
    output.write([marked])


def evaluate_populations(
    qrels: str,
    runs: tuple[str, ...],
    populations: tuple[str, ...],
    measures: tuple[str, ...],
    shown: Sequence[str],
    over: dict[str, Any],
    reading: dict[str, Any],
) -> tuple[list[PopulationScores], Sources]:
    """Populations of every measure, with weights and groups of requests; and of what they are, by their titles."""
    from tiebreak.populations import population  # only now: plain means do without what it imports

    for spec in populations:
        advice = f"{spec} orders runs and has no number for each: tiebreak order --by '{spec}(AP)'"
        options.require(population(spec).is_number, advice)
    exp = experiment(qrels, runs, (*shown, *populations), **reading)
    results: list[PopulationScores] = []
    sources: Sources = {}
    for title, metric, chosen in columns(populations or ("mean",), measures, shown):
        kept = population(chosen).compares_requests or None
        utilities = exp.utilities(metric, **over, per_request=kept)
        numbers, sources[title] = utilities.evaluate(chosen), (utilities, chosen)
        results.append(replace_rows(numbers, (row._replace(measure=title) for row in numbers.values)))
    return results, sources


def run_ranks(sources: Sources, sort: str | None) -> dict[str, int]:
    """The rank of every run over all requests, by a population, by default the first one."""
    from tiebreak.utilities import Utilities

    if sort is not None and sort not in sources:
        raise UnknownNameError("measure", sort, (*sources, "none"))
    utilities, chosen = sources[sort or next(iter(sources))]
    ordering = Utilities.from_table(utilities.table, utilities.measure).order(chosen)  # without groups
    return dict(zip(ordering.runs, ordering.ranks.tolist(), strict=True))


def sort_runs(scores: PopulationScores, ranks: dict[str, int]) -> PopulationScores:
    """The same numbers, with the best run first in every group."""
    places = {part: k for k, part in enumerate(dict.fromkeys((row.measure, row.group) for row in scores.values))}
    return replace_rows(scores, sorted(scores.values, key=lambda row: (places[row.measure, row.group], ranks[row.run])))


def replace_rows(scores: PopulationScores, rows: Iterable[PopulationValue]) -> PopulationScores:
    """Other rows with the same notes and settings."""
    return type(scores)(tuple(rows), scores.notes, library=scores.library, more_settings=scores.settings)


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
