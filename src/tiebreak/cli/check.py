"""``tiebreak check``: what was read, and what was odd about it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak.cli.options import experiment, output_options, reading_options
from tiebreak.cli.output import FORMATS, Output


@click.command("check")
@partial(reading_options, audit=True)
@partial(output_options, formats=[name for name in FORMATS if name != "trec"])
def command(qrels: str, runs: tuple[str, ...], output: Output, **options: Any) -> None:
    """Read judgements and runs, and report what they hold."""
    output.write([experiment(qrels, runs, **options).audit()])
