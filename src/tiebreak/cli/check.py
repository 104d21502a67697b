"""``tiebreak check``: what was read, and what was odd about it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak.cli.options import experiment, reading_options


@click.command("check")
@partial(reading_options, audit=True)
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(qrels: str, runs: tuple[str, ...], format_: str, **options: Any) -> None:
    """Read judgements and runs, and say what they hold.

    QRELS and RUN are files in TREC's formats or tables (csv, tsv, JSON lines, parquet), plain or compressed by gzip or
    zstd; a RUN may be a folder of them, or - for standard input. A run can be given as NAME=PATH.
    """
    import json

    from tiebreak.reports.formats import text_output

    found = experiment(qrels, runs, **options).audit()
    if format_ == "json":
        with text_output(None) as out:
            out.write(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n")
    else:
        found.table().print()
