"""``tiebreak order``: systems from the best to the worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.engine import engine_options
from tiebreak.cli.opening import experiment
from tiebreak.cli.output import FORMATS, Output
from tiebreak.cli.tables import TableOptions, table_options

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.metrics import Metric
    from tiebreak.orderings import Ordering
    from tiebreak.results.groups import GroupResults
    from tiebreak.segments import Segments
    from tiebreak.utilities import Utilities


@click.command(
    "order",
    cls=CatalogueHelp,
    catalogues={"Orderings": "orderings", "Preferences": "preferences", "Populations": "populations"},
)
@partial(options.reading_options, is_needed=False)
@engine_options
@options.aspect_options
@options.measures_option("RPP, AP or leximin(AP)")
@click.option(
    "--by",
    metavar="METHOD",
    help="One of the orderings below, by default mc4, for metrics mean; or a population, such as leximin(AP).",
)
@click.option("-q", "--per-request", is_flag=True, help="The order within every request.")
@click.option(
    "--bootstrap", "resamples", type=click.IntRange(1, 1_000_000), help="Rank intervals from this many resamples."
)
@click.option("--seed", type=options.SEED, default=0, show_default=True, help="Random seed of the resamples.")
@table_options
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take them.")
@click.option(
    "--groups",
    metavar="FILE",
    help="A table of request and group: an order for every group and for all; populations are over the groups' means.",
)
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    metavar="GROUP",
    help="With --groups: groups by priority, repeatable; a later one decides only where all before it tie.",
)
@partial(options.output_options, formats=(*FORMATS, "pref_eval"))
@options.plot_options("ranks", "scores", "bump")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str | None,
    per_request: bool,
    resamples: int | None,
    seed: int,
    utilities: TableOptions | None,
    weights: str | None,
    groups: str | None,
    tiers: tuple[str, ...],
    output: Output,
    **reading: Any,
) -> None:
    """Order the runs by preferences, or by populations over requests.

    A metric such as AP means the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.populations import is_population, population_for
    from tiebreak.preferences import DEFAULTS

    is_plain = not (per_request and (by or resamples))
    options.require(is_plain, "-q orders each request by win rate: leave out --by and --bootstrap")
    options.require(groups is not None or not tiers, "--tier is for groups: give --groups FILE")
    over: dict[str, Any] = {"columns": reading["columns"], "groups": groups}
    resampling = None if resamples is None else {"resamples": resamples, "seed": seed}
    how = {"tiers": tiers or None}
    if utilities is not None:
        by = by if by or per_request else "leximin"
        if by is not None and is_population(by):
            table = utilities.read(measures, weights=weights, **over)
            write_populations(output, [add_intervals(table.order(by, **how), table, by, resampling, **how)], [by])
            return
        check_votes(by, per_request, tiers, weights, groups, output)
        write_comparisons(output, [utilities.read(measures, **over).compare()], by, per_request, resampling)
        return
    find = partial(population_for, over_requests=bool(tiers or weights))
    alone = None if measures else find(None, by)  # a population of its own metric needs no measure
    specs = options.distinct([str(by)] if alone else measures or DEFAULTS)
    populations = [alone] if alone else [find(spec, by) for spec in specs]
    over_requests = [population for population in populations if population is not None]
    if over_requests:
        is_one_kind = len(over_requests) == len(specs)
        options.require(is_one_kind, "order by populations or by preferences, not by both at once")
        options.require(not per_request, "populations are over all requests: leave out -q")
        exp = experiment(str(qrels), runs, specs, **reading)
        tables = [
            exp.utilities(
                cast("Metric", one.metric), weights=weights, groups=groups, per_request=one.compares_requests or None
            )
            for one in over_requests
        ]
        each = zip(tables, over_requests, strict=True)
        orders = [add_intervals(table.order(one, **how), table, one, resampling, **how) for table, one in each]
        write_populations(output, orders, specs)
        return
    check_votes(by, per_request, tiers, weights, groups, output)
    exp = experiment(str(qrels), runs, specs, **reading)
    compared: Sequence[Any] = [exp.compare(spec, per_request=per_request or None) for spec in specs]
    compared = [one.by_group(**over) for one in compared] if groups else compared
    write_comparisons(output, compared, by, per_request, resampling)


def check_votes(
    by: str | None, per_request: bool, tiers: Sequence[str], weights: str | None, groups: str | None, output: Output
) -> None:
    """Validate before reading what orders by comparisons of runs in every request."""
    options.require(not tiers, "--tier is for populations, such as --by 'mean(AP)'")
    options.require(weights is None, "--weights is for populations, such as --by 'mean(AP)'")
    is_plain = not (per_request or output.format == "pref_eval")
    options.require(groups is None or is_plain, "--groups goes without -q and --format pref_eval")
    options.require(output.plot is None or not per_request, "--plot shows all requests: leave out -q")
    check_method(by)


def write_comparisons(
    output: Output, compared: Sequence[Any], by: str | None, per_request: bool, resampling: dict[str, int] | None
) -> None:
    """Write the orders that comparisons give: over all requests, in every one, or in groups of them."""
    from tiebreak.cli import pref_eval
    from tiebreak.segments import Segments

    if isinstance(compared[0], Segments):
        by_group = [order_groups(one, by, resampling) for one in compared]
        output.draw(by_group)
        output.write(by_group)
    elif output.format == "pref_eval":
        output.draw([one.order(by) for one in compared] if output.plot else ())
        lines = pref_eval.request_orders(compared) if per_request else pref_eval.orders(compared, by)
        output.write_jsonl(*lines)
    elif per_request:
        output.write([one.order_requests() for one in compared])
    else:
        orders = [add_intervals(one.order(by), one, by, resampling) for one in compared]
        output.draw(orders)
        output.write(add_correlations(orders))


def check_method(by: str | None) -> None:
    """Validate a method before reading."""
    from tiebreak.orderings import method
    from tiebreak.populations import check_order_name

    check_order_name(by)
    method(by or "mean")


def write_populations(output: Output, orderings: list[Ordering], names: tuple[str, ...] | list[str]) -> None:
    """Write orders by populations, under the names they were asked for."""
    from tiebreak.cli import pref_eval
    from tiebreak.populations.ordering import align_columns

    renamed = [replace(one, measure=name) for one, name in zip(orderings, names, strict=True)]
    output.draw(renamed)
    if output.format == "pref_eval":
        output.write_jsonl(*pref_eval.population_orders(orderings, names))
        return
    output.write(add_correlations(align_columns(renamed) if len(renamed) > 1 else renamed))


def add_intervals(
    ordering: Ordering, source: Comparison | Utilities, by: Any, resampling: dict[str, int] | None, **how: Any
) -> Ordering:
    """An order of a comparison or of utilities, with rank intervals where resamples are asked for."""
    if resampling is None:
        return ordering
    from tiebreak.cli.progress import progress

    with progress("resampling", "resamples") as tick:
        return source.bootstrap(by, **resampling, **how, tick=tick).add_to(ordering)


def order_groups(segments: Segments[Comparison], by: str | None, resampling: dict[str, int] | None) -> GroupResults:
    """The order in every group, with rank intervals where resamples are asked for."""
    orders = {group: add_intervals(part.order(by), part, by, resampling) for group, part in segments.parts.items()}
    whole = segments.whole
    return segments.correlate(orders, add_intervals(whole.order(by), whole, by, resampling))


def add_correlations(orderings: list[Ordering]) -> list[Ordering]:
    """Add notes on how the other orders correlate with the first."""
    first, *others = orderings
    taus = ((other.measure, other.correlation(first)) for other in others)
    notes = [f"Kendall's tau_b of {first.measure} and {name}: {tau:.3f}." for name, tau in taus if tau == tau]
    return [replace(first, notes=(*first.notes, *notes)), *others]
