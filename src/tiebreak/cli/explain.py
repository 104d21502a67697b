"""``tiebreak explain``: why one run is preferred to another."""

from __future__ import annotations

from typing import Any

import click

from tiebreak.cli.options import OWN_FUNCTION, experiment, output_options, reading_options
from tiebreak.cli.output import write


@click.command("explain")
@reading_options
@click.option("--request", "request_", metavar="ID", help="Show the recall levels of this request.")
@click.option(
    "-m",
    "--measure",
    metavar="SPEC",
    help="Sort requests by the size of this preference; by default RPP." + OWN_FUNCTION,
)
@output_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    request_: str | None,
    measure: str | None,
    digits: int,
    format_: str,
    out: str | None,
    **options: Any,
) -> None:
    """Show what makes one run better than another: give two runs.

    Without --request, the requests that contribute most to the difference; with it, the positions of that request's
    relevant items side by side, and the recall level that decided each preference.
    """
    from tiebreak.errors import InputError
    from tiebreak.preferences import preference

    if measure is not None and request_ is not None:
        raise click.UsageError("-m sorts requests; with --request there is one. Leave one of them out.")
    if measure is not None:
        preference(measure)  # a bad name is refused before anything is read
    made = experiment(qrels, runs, [measure] if measure else (), **options)
    if len(made.positions.runs) != 2:
        raise InputError(f"an explanation is of two runs; {len(made.positions.runs)} were given.", kind="runs")
    run, other = made.positions.runs
    write([made.explain(run, other, request_, measure=measure)], format_, digits, out)
