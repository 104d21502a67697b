"""``tiebreak measures``: every metric, preference, population, ordering and test."""

from __future__ import annotations

from functools import partial

import click

from tiebreak.cli.options import output_options
from tiebreak.cli.output import FORMATS, Output
from tiebreak.measure_list import KINDS, measures


@click.command("measures")
@click.option("--kind", "kinds", type=click.Choice(tuple(KINDS)), multiple=True, help="Only these; repeatable.")
@partial(output_options, formats=[name for name in FORMATS if name != "trec"])
def command(kinds: tuple[str, ...], output: Output) -> None:
    """List every metric, preference, population, ordering and test."""
    output.write([measures(kinds or None)])
