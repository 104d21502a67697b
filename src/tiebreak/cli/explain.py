"""``tiebreak explain``: why one run is preferred to another."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak.cli.opening import experiment
from tiebreak.cli.options import (
    OWN_FUNCTION,
    aspect_options,
    output_options,
    plot_options,
    reading_options,
    require,
)
from tiebreak.cli.output import Output
from tiebreak.cli.tables import TableOptions, table_options


@click.command("explain")
@partial(reading_options, is_needed=False)
@aspect_options
@click.option("--request", "request_", metavar="ID", help="Show the recall levels of this request.")
@click.option(
    "-m",
    "--measure",
    metavar="SPEC",
    help="Sort requests by the size of this preference, by default RPP; a population such as leximin(AP), to see which "
    "requests decide; or, of one run and request, alpha_beta_nDCG@10, to see what every rank gains." + OWN_FUNCTION,
)
@click.option("--interleaved", is_flag=True, help="With --request: both rankings as one interleaved list.")
@click.option("--by", metavar="POPULATION", help="With --utilities: such as leximin, to see which requests decide.")
@click.option(
    "--run", "names", multiple=True, metavar="NAME", help="With --utilities: which two runs, where there are more."
)
@click.option(
    "--groups",
    metavar="FILE",
    help="With --utilities: a table of request and group, shown beside requests; populations are over group means.",
)
@table_options
@output_options
@plot_options()
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    request_: str | None,
    measure: str | None,
    interleaved: bool,
    by: str | None,
    names: tuple[str, ...],
    groups: str | None,
    utilities: TableOptions | None,
    output: Output,
    **options: Any,
) -> None:
    """Show what makes one run better than another: give two runs.

    Without --request, the requests that contribute most to the difference; with it, the positions of that request's
    relevant items side by side, and the recall level that decided each preference. One run and --request: the
    positions of its relevant items. With --utilities no rankings are needed.
    """
    require(
        not interleaved or (request_ is not None and measure is None), "--interleaved needs --request ID, and no -m"
    )
    if utilities is None:
        require(by is None and not names and groups is None, "--by, --run and --groups are for --utilities")
        result = explain_rankings(str(qrels), runs, request_, measure, interleaved, options)
    else:
        require(request_ is None, "--request is for rankings: --utilities has a number for every request")
        table = utilities.read([measure] if measure else [], columns=options["columns"], groups=groups)
        result = table.explain(*two_runs(names or table.runs), by)
    output.draw([result])
    output.write([result])


def two_runs(names: tuple[str, ...]) -> tuple[str, str]:
    """The names of two runs, not of more or fewer."""
    from tiebreak.errors import InputError

    if len(names) != 2:
        raise InputError(
            f"explain takes exactly two runs; {len(names)} were given. Choose two: --run NAME --run NAME.", kind="runs"
        )
    return names[0], names[1]


def explain_rankings(
    qrels: str,
    runs: tuple[str, ...],
    request: str | None,
    measure: str | None,
    interleaved: bool,
    options: dict[str, Any],
) -> Any:
    """What makes one ranking better than another, or what one is worth."""
    from tiebreak.errors import InputError

    exp = experiment(qrels, runs, [measure] if measure else (), holds_all=True, **options)
    names = exp.positions.runs
    if not len(names) <= 2 or (len(names) < 2 and (request is None or interleaved)):
        verb = "was" if len(names) == 1 else "were"
        raise InputError(
            f"explain takes two runs, or one run with --request ID; {len(names)} {verb} given.", kind="runs"
        )
    if len(names) == 2:
        require(measure is None or request is None, "-m sorts requests; with --request there is one. Leave one out")
    first, second = names[0], names[1] if len(names) > 1 else None
    if interleaved:
        return exp.interleave(first, str(second), str(request))
    return exp.explain(first, second, request, measure=measure)
