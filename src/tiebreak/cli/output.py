"""Results in the format that was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, TextIO

import click

from tiebreak._base.text import escape_controls
from tiebreak.errors import InputError

if TYPE_CHECKING:
    from tiebreak.results.record import Result
    from tiebreak.results.tables import Table


def format_by_ending(out: str | None) -> str:
    """The format that the name of a file asks for; a table where it says nothing."""
    from tiebreak.results.formats import ENDINGS, TABLE_ENDINGS

    ending = os.path.splitext(out or "")[1].lstrip(".").lower()
    if ending in TABLE_ENDINGS:
        return "table"
    if ending not in ENDINGS:
        raise click.UsageError(
            f"{out}: no format is known by the ending .{ending}. Use .{', .'.join(ENDINGS)} or --format."
        )
    return ENDINGS[ending]


def check_output(out: str | None, inputs: Iterable[str]) -> None:
    """Refuse before anything is read what could not be written, or should not be."""
    if out is not None and not os.path.isdir(folder := os.path.dirname(os.path.realpath(out))):
        raise InputError(
            f"{out}: cannot be written: there is no folder {folder}. Make it first.", kind="output", file=out
        )
    if out is not None and os.path.isfile(out) and is_among(out, inputs):
        raise click.UsageError(f"{out} would overwrite what is read.")


def is_among(out: str, inputs: Iterable[str]) -> bool:
    """Whether a file is one of those read: by its own name or a link, in a folder, or as standard input."""
    from tiebreak.inputs.runs import files_in
    from tiebreak.inputs.sources import STANDARD_INPUT

    here = os.stat(out)
    for path in (file for given in inputs for file in files_in(given)):
        with suppress(OSError, ValueError):  # what cannot be read is told by whoever reads it
            if os.path.samestat(here, os.stat(0 if path == STANDARD_INPUT else path)):
                return True
    return False


def write(results: Sequence[Result], format_: str, digits: int, out: str | None) -> None:
    """Write results of one kind; whoever reads them may stop reading, which is no failure and stops nothing else."""
    try:
        _write(results, format_, digits, out)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def write_jsonl(keys: Sequence[str], rows: Iterable[Sequence[Any]], out: str | None) -> None:
    """Write JSON lines with keys of their own."""
    from tiebreak.results import formats

    try:
        with formats.text_output(out) as file:
            formats.write_jsonl(keys, rows, file)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def say(text: str) -> None:
    """Print a message to standard error, where it cannot control the terminal; that nobody reads it is no failure."""
    try:
        click.echo(escape_controls(text, keep="\n"), err=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Let what is still to be printed go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(results: Sequence[Result], format_: str, digits: int, out: str | None) -> None:
    from tiebreak.results.formats import WRITERS, text_output, trec_rows, write_json, write_parquet, write_tsv
    from tiebreak.results.record import joint_table

    columns, rows = results[0].columns, chain.from_iterable(result.rows() for result in results)

    def table(**limit: None) -> Table:
        return results[0].table(digits, **limit) if len(results) == 1 else joint_table(results, digits, **limit)

    if format_ == "table" and out is None:
        table().print()
    elif format_ == "parquet":
        write_parquet(columns, rows, str(out))
    else:
        with text_output(out) as file:
            if format_ == "table":
                file.write(table().to_text() + "\n")
            elif format_ in ("latex", "markdown"):
                file.write(table(most=None).to_latex() if format_ == "latex" else table(most=None).to_markdown())
            elif format_ == "json":
                write_json([result.to_dict() for result in results], file)
            elif format_ == "trec":
                write_tsv((), trec_rows(results), file)
            else:
                WRITERS[format_](columns, rows, file)
