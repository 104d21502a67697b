"""``tiebreak check``: what was read, and what was odd about it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak.cli.options import experiment, output_options, reading_options
from tiebreak.cli.output import write


@click.command("check")
@partial(reading_options, audit=True)
@output_options
def command(qrels: str, runs: tuple[str, ...], digits: int, format_: str, out: str | None, **options: Any) -> None:
    """Read judgements and runs, and say what they hold.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH.
    """
    write([experiment(qrels, runs, **options).audit()], format_, digits, out)
