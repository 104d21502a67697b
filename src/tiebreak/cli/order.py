"""``tiebreak order``: systems from the best to the worst."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import click

from tiebreak.cli import options
from tiebreak.cli.catalogue_help import CatalogueHelp
from tiebreak.cli.output import FORMATS, Output

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.metrics import Metric
    from tiebreak.orderings import Ordering
    from tiebreak.results.groups import GroupResults
    from tiebreak.segments import Segments


@click.command(
    "order",
    cls=CatalogueHelp,
    catalogues={"Orderings": "orderings", "Preferences": "preferences", "Populations": "populations"},
)
@partial(options.reading_options, is_needed=False)
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
@options.UTILITIES
@options.TRIALS
@click.option("--missing", type=float, help="With --utilities: the value of missing cells.")
@click.option("--lower-is-better", is_flag=True, help="With --utilities: values are costs, such as latencies.")
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take them.")
@click.option(
    "--groups",
    metavar="FILE",
    help="A table of request and group: an order for every group; populations are over the groups' means.",
)
@click.option(
    "--tier",
    "tiers",
    multiple=True,
    metavar="GROUP",
    help="With --groups: groups by priority, repeatable; a later one decides only where all before it tie.",
)
@partial(options.output_options, formats=(*FORMATS, "pref_eval"))
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str | None,
    per_request: bool,
    resamples: int | None,
    seed: int,
    utilities: str | dict[str, str] | None,
    trials: str | None,
    missing: float | None,
    lower_is_better: bool,
    weights: str | None,
    groups: str | None,
    tiers: tuple[str, ...],
    output: Output,
    **reading: Any,
) -> None:
    """Order the runs by preferences, or by populations over requests.

    A metric such as AP means the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli import pref_eval
    from tiebreak.populations import population_for
    from tiebreak.preferences import DEFAULTS
    from tiebreak.utilities import Utilities

    options.require(groups is not None or not tiers, "--tier is for groups: give --groups FILE")
    over: dict[str, Any] = {"weights": weights, "groups": groups}
    columns = reading["columns"]
    if utilities is not None:
        is_alone = not (qrels or measures or per_request or resamples)
        options.require(is_alone, "--utilities takes the place of QRELS, -m and the rest")
        table = Utilities(
            utilities, trials=trials, columns=columns, missing=missing, lower_is_better=lower_is_better, **over
        )
        write_populations(output, [table.order(by or "leximin", tiers=tiers or None)], [by or "leximin"])
        return
    find = partial(population_for, over_requests=bool(tiers or weights))
    alone = None if measures else find(None, by)  # a population of its own metric needs no measure
    specs = options.distinct([str(by)] if alone else measures or DEFAULTS)
    populations = [alone] if alone else [find(spec, by) for spec in specs]
    options.require(bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
    is_plain = missing is None and trials is None and not lower_is_better
    options.require(is_plain, "--missing, --trials and --lower-is-better are for --utilities")
    is_plain = not (per_request and (by or resamples))
    options.require(is_plain, "-q orders each request by win rate: leave out --by and --bootstrap")
    over_requests = [population for population in populations if population is not None]
    if over_requests:
        is_one_kind = len(over_requests) == len(specs)
        options.require(is_one_kind, "order by populations or by preferences, not by both at once")
        is_plain = not (per_request or resamples)
        options.require(is_plain, "populations are over all requests: leave out -q and --bootstrap")
        exp = options.experiment(str(qrels), runs, specs, **reading)
        tables = [exp.utilities(cast("Metric", one.metric), **over) for one in over_requests]
        orders = [table.order(one, tiers=tiers or None) for table, one in zip(tables, over_requests, strict=True)]
        write_populations(output, orders, specs)
        return
    options.require(not tiers, "--tier is for populations, such as --by 'mean(AP)'")
    options.require(weights is None, "--weights is for populations, such as --by 'mean(AP)'")
    is_plain = not (per_request or output.format == "pref_eval")
    options.require(groups is None or is_plain, "--groups goes without -q and --format pref_eval")
    check_method(by)
    exp = options.experiment(str(qrels), runs, specs, **reading)
    comparisons = [exp.compare(spec) for spec in specs]
    if groups is not None:
        output.write([order_groups(one.by_group(groups, columns=columns), by, resamples, seed) for one in comparisons])
    elif output.format == "pref_eval":
        lines = pref_eval.request_orders(comparisons) if per_request else pref_eval.orders(comparisons, by)
        output.write_jsonl(*lines)
    elif per_request:
        output.write([one.order_requests() for one in comparisons])
    else:
        output.write(add_correlations([order_with_intervals(one, by, resamples, seed) for one in comparisons]))


def check_method(by: str | None) -> None:
    """Validate a method before reading; the error also suggests populations."""
    from tiebreak._base.purposes import purpose
    from tiebreak._base.spec import parse
    from tiebreak.errors import UnknownNameError
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.orderings import method
    from tiebreak.populations import CATALOGUE as POPULATIONS

    try:
        method(by or "mean")
    except UnknownNameError:
        name = parse(str(by)).name
        elsewhere = purpose(name, "ordering method", "population")
        raise UnknownNameError("ordering method", name, [*METHODS, *POPULATIONS], elsewhere) from None


def write_populations(output: Output, orderings: list[Ordering], names: tuple[str, ...] | list[str]) -> None:
    """Write orders by populations, under the names they were asked for."""
    from tiebreak.cli import pref_eval

    if output.format == "pref_eval":
        output.write_jsonl(*pref_eval.population_orders(orderings, names))
        return
    output.write(add_correlations([replace(one, measure=name) for one, name in zip(orderings, names, strict=True)]))


def order_with_intervals(comparison: Comparison, by: str | None, resamples: int | None, seed: int) -> Ordering:
    """The order that a comparison gives, with rank intervals where resamples are asked for."""
    import numpy as np

    ordering = comparison.order(by)
    if resamples is None:
        return ordering
    bootstrap = comparison.bootstrap(ordering.by, resamples=resamples, seed=seed)
    intervals = np.array([row[1:] for row in bootstrap.rows()])
    settings = {**ordering.more_settings, "resamples": resamples, "seed": seed}
    notes = (*ordering.notes, *bootstrap.notes)
    return replace(ordering, intervals=intervals, notes=notes, more_settings=settings)


def order_groups(segments: Segments[Comparison], by: str | None, resamples: int | None, seed: int) -> GroupResults:
    """The order in every group, with rank intervals where resamples are asked for."""
    orders = {group: order_with_intervals(part, by, resamples, seed) for group, part in segments.parts.items()}
    return segments.correlate(orders, segments.whole.order(by))


def add_correlations(orderings: list[Ordering]) -> list[Ordering]:
    """Add notes on how the other orders correlate with the first."""
    first, *others = orderings
    taus = ((other.measure, other.correlation(first)) for other in others)
    notes = [f"Kendall's tau_b of {first.measure} and {name}: {tau:.3f}." for name, tau in taus if tau == tau]
    return [replace(first, notes=(*first.notes, *notes)), *others]
