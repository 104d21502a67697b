"""``tiebreak explain``: why one run is preferred to another."""

from __future__ import annotations

from typing import Any

import click

from tiebreak.cli.options import OWN_FUNCTION, experiment, output_options, reading_options, require
from tiebreak.cli.output import Output


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
    qrels: str, runs: tuple[str, ...], request_: str | None, measure: str | None, output: Output, **options: Any
) -> None:
    """Show what makes one run better than another: give two runs.

    Without --request, the requests that contribute most to the difference; with it, the positions of that request's
    relevant items side by side, and the recall level that decided each preference.
    """
    from tiebreak.errors import InputError

    require(measure is None or request_ is None, "-m sorts requests; with --request there is one. Leave one out")
    exp = experiment(qrels, runs, [measure] if measure else (), **options)
    names = exp.positions.runs
    if len(names) != 2:
        raise InputError(f"explain takes exactly two runs; {len(names)} were given.", kind="runs")
    output.write([exp.explain(*names, request_, measure=measure)])
