"""``tiebreak check``: what was read, and what was odd about it."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from tiebreak.cli.opening import experiment
from tiebreak.cli.options import output_options, reading_options, require
from tiebreak.cli.output import FORMATS, Output
from tiebreak.cli.tables import TableOptions, table_options


@click.command("check")
@partial(reading_options, audit=True, is_needed=False)
@click.option("-m", "--measure", metavar="NAME", help="With --utilities: which measure, where the table has several.")
@table_options
@partial(output_options, formats=[name for name in FORMATS if name != "trec"])
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measure: str | None,
    utilities: TableOptions | None,
    output: Output,
    **options: Any,
) -> None:
    """Read judgements and runs, or a table of utilities, and report what they hold."""
    if utilities is None:
        require(measure is None, "-m is for --utilities")
        output.write([experiment(str(qrels), runs, holds_all=True, **options).audit()])
    else:
        from tiebreak.utilities import Utilities

        output.write([Utilities.audit(measure=measure, columns=options["columns"], **utilities._asdict())])
