"""``tiebreak check``: what was read, and what was odd about it."""

from __future__ import annotations

from typing import Any

import click

from tiebreak.cli.options import experiment, reading_options


@click.command("check")
@reading_options
def command(qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Read judgements and runs, and say what they hold.

    QRELS and RUN are files in TREC's formats, plain or compressed by gzip or zstd, or - for standard input. A run can
    be given as NAME=PATH.
    """
    from tiebreak.reports.overview import overview

    made = experiment(qrels, runs, **options)
    overview(made.positions, made.judgements).print()
