"""What a study found, in every format and as a picture."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import wraps
from typing import Any, cast

import click
from click.core import ParameterSource

from tiebreak.cli.options import OWN_FUNCTION, Command, files_read, output_options, with_options
from tiebreak.cli.output import check_output, write

MEASURES = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SPEC",
    help="Such as RPP, LexiRecall, AP or nDCG@10." + OWN_FUNCTION,
)
SEED = click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of what is drawn.")
PLOT = click.option("--plot", metavar="FILE", help="Also draw it, to a .png, .svg, .pdf or .html file.")


def refuse_unused(view: str, only_for: Mapping[str, tuple[str, ...]], chosen_by: str = "--by") -> None:
    """Refuse options that were typed though the chosen view has no use for them."""
    context = click.get_current_context()
    for name, views in only_for.items():
        if view not in views and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} is for {chosen_by} {' or '.join(views)}.")


def study_options(command: Command) -> Command:
    """Give a command the options of all output, and ``--plot``; what cannot be drawn is refused before any work.

    The command returns what it found, which is then written and drawn.
    """

    @wraps(command)
    def studying(plot: str | None, format_: str, out: str | None, digits: int, **options: Any) -> None:
        if plot is not None:
            from tiebreak.results.plots import library, picture_format

            picture_format(plot)
            library("vl_convert")
            if out is not None and os.path.realpath(plot) == os.path.realpath(out):
                raise click.UsageError("--plot and --out name the same file.")
            check_output(plot, files_read(options))
        found = command(**options)
        if plot is not None:
            found.save(plot)
        write([found], format_, digits, out)

    return output_options(with_options(cast(Command, studying), (PLOT,)))
