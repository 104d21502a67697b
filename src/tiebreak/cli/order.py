"""``tiebreak order``: systems from the best to the worst."""

from __future__ import annotations

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
from tiebreak.cli.output import write, write_jsonl

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.experiment import Experiment
    from tiebreak.orderings import Ordering


class OrdersHelp(CatalogueHelp):
    """Lists preferences and populations at the end of the help."""

    catalogues: ClassVar = {"Preferences": "tiebreak.preferences", "Populations": "tiebreak.populations"}


@click.command("order", cls=OrdersHelp)
@partial(reading_options, is_needed=False)
@aspect_options
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="SPEC", help="Such as RPP, AP or leximin(AP)." + OWN_FUNCTION
)
@click.option(
    "--by",
    metavar="HOW",
    help="mc4, borda, copeland, win_rate or mean; by default mc4, for metrics mean. Or a population, as leximin(AP).",
)
@click.option("-q", "--per-request", is_flag=True, help="The order within every request.")
@click.option(
    "--bootstrap", "resamples", type=click.IntRange(1, 1_000_000), help="Rank intervals from so many resamples."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of the resamples.")
@click.option("--utilities", metavar="FILE", help="A table of run, request and value, in place of QRELS RUN...")
@click.option("--missing", type=float, help="With --utilities: the value of cells that are missing.")
@click.option("--lower-is-better", is_flag=True, help="With --utilities: values are costs, such as latencies.")
@click.option("--weights", metavar="FILE", help="A table of request and weight, for populations that take them.")
@click.option("--groups", metavar="FILE", help="A table of request and group: populations are over the groups' means.")
@partial(output_options, more=("pref_eval",))
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    by: str | None,
    per_request: bool,
    resamples: int | None,
    seed: int,
    utilities: str | None,
    missing: float | None,
    lower_is_better: bool,
    weights: str | None,
    groups: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Order the runs by preferences, or by populations over requests.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH. A metric
    such as AP stands for the difference of its values. With --utilities no rankings are needed.
    """
    from tiebreak.cli import pref_eval
    from tiebreak.utilities import Utilities

    over: dict[str, Any] = {"weights": weights, "groups": groups}
    if utilities is not None:
        needs(
            not (qrels or measures or per_request or resamples), "--utilities takes the place of QRELS, -m and the rest"
        )
        made = Utilities(utilities, missing=missing, lower_is_better=lower_is_better, **over)
        write_orders([made.order(by or "leximin")], [by or "leximin"], format_, digits, out)
        return
    asked, way = measures_and_way(measures, by)
    needs(bool(qrels and runs), "Give QRELS RUN..., or --utilities FILE")
    needs(missing is None and not lower_is_better, "--missing and --lower-is-better are for --utilities")
    needs(not (per_request and (by or resamples)), "-q orders each request by win rate: leave out --by and --bootstrap")
    if is_over_requests(asked, way):
        needs(not (per_request or resamples), "populations are over all requests: leave out -q and --bootstrap")
        whole = experiment(str(qrels), runs, asked, **options)
        write_orders([by_population(whole, spec, way, over) for spec in asked], asked, format_, digits, out)
        return
    needs(not (weights or groups), "--weights and --groups are for populations, such as --by 'mean(AP)'")
    check_names(asked, way)
    whole = experiment(str(qrels), runs, asked, **options)
    compared = [whole.compare(spec) for spec in asked]
    if format_ == "pref_eval":
        write_jsonl(*(pref_eval.request_orders(compared) if per_request else pref_eval.orders(compared, way)), out)
    elif per_request:
        write([one.order_requests() for one in compared], format_, digits, out)
    else:
        orderings = [with_intervals(one, way, resamples, seed) for one in compared]
        write(with_correlations(orderings), format_, digits, out)


def needs(is_so: bool, advice: str) -> None:
    if not is_so:
        raise click.UsageError(f"{advice}.")


def measures_and_way(measures: tuple[str, ...], by: str | None) -> tuple[list[str], str | None]:
    """What to order by, and how; a population of a metric given as the way is what to order by."""
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.populations import is_population
    from tiebreak.preferences import DEFAULTS

    asked = list(dict.fromkeys(spec.strip() for spec in measures))
    if by is not None and not asked and by.strip() not in METHODS and is_population(by):
        return [by.strip()], None
    return asked or list(DEFAULTS), by


def is_over_requests(asked: list[str], by: str | None) -> bool:
    """Whether all are ordered by populations; some and others by preferences is refused."""
    from tiebreak.populations import requested_population

    found = [requested_population(spec, by) is not None for spec in asked]
    needs(len(set(found)) == 1, "order by populations or by preferences, not by both at once")
    return found[0]


def check_names(asked: list[str], by: str | None) -> None:
    """Refuse a bad name before anything is read."""
    from tiebreak._base.spec import parse
    from tiebreak.errors import UnknownNameError
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.orderings import method
    from tiebreak.populations import CATALOGUE as POPULATIONS
    from tiebreak.preferences import preference

    for spec in asked:
        preference(spec)
    if by is None:
        return
    try:
        method(by)
    except UnknownNameError:
        raise UnknownNameError("way to order systems", parse(by).name, [*METHODS, *POPULATIONS]) from None


def write_orders(orderings: list[Ordering], names: list[str], format_: str, digits: int, out: str | None) -> None:
    """Write orders by populations, under the names they were asked for."""
    from dataclasses import replace

    from tiebreak.cli import pref_eval

    if format_ == "pref_eval":
        write_jsonl(*pref_eval.population_orders(orderings, names), out)
        return
    named = [replace(ordering, measure=name) for ordering, name in zip(orderings, names, strict=True)]
    write(with_correlations(named), format_, digits, out)


def with_intervals(compared: Comparison, by: str | None, resamples: int | None, seed: int) -> Ordering:
    """The order that a comparison gives, with rank intervals where resamples are asked for."""
    from dataclasses import replace

    import numpy as np

    ordering = compared.order(by)
    if resamples is None:
        return ordering
    drawn = compared.bootstrap(ordering.by, resamples=resamples, seed=seed)
    intervals = np.array([row[1:] for row in drawn.rows()])
    return replace(ordering, intervals=intervals, notes=(*ordering.notes, *drawn.notes))


def with_correlations(orderings: list[Ordering]) -> list[Ordering]:
    """The same, with notes on how alike the others are to the first."""
    from dataclasses import replace

    first, *others = orderings
    found = ((other.measure, other.correlation(first)) for other in others)
    notes = [f"Kendall's tau_b of {first.measure} and {name}: {tau:.3f}." for name, tau in found if tau == tau]
    return [replace(first, notes=(*first.notes, *notes)), *others]


def by_population(made: Experiment, measure: str, by: str | None, over: dict[str, str | None]) -> Ordering:
    from tiebreak.populations import requested_population

    found = requested_population(measure, by)
    if found is None or found.metric is None or not any(over.values()):
        return made.order(measure, by)
    return made.utilities(found.metric, **over).order(found)
