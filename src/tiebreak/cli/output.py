"""Results in the format that was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import click

from tiebreak.errors import InputError

if TYPE_CHECKING:
    from tiebreak.reports.tables import Table

Rows = tuple[Sequence[str], Iterable[Sequence[Any]]]
"""Names of columns, and rows."""


class Report(Protocol):
    """What a command has to say, in every format."""

    def table(self) -> Table:
        """For people."""

    def rows(self) -> Rows:
        """For programs."""

    def jsonl(self) -> Rows:
        """The same, by the keys that people expect in JSON lines."""

    def trec(self) -> Iterable[Sequence[Any]]:
        """As trec_eval prints."""


def check_output(format_: str, out: str | None, inputs: Iterable[str]) -> None:
    """Refuse before anything is read what could not be written, or should not be."""
    if format_ == "parquet" and out is None:
        raise click.UsageError("--format parquet needs --out FILE.")
    if out is not None and not os.path.isdir(folder := os.path.dirname(os.path.realpath(out))):
        raise InputError(
            f"{out}: cannot be written: there is no folder {folder}. Make it first.", kind="output", file=out
        )
    if out is not None and os.path.isfile(out):
        for path in filter(os.path.exists, inputs):
            if os.path.samefile(out, path):
                raise click.UsageError(f"--out {out} would overwrite what is read.")


def write(report: Report, format_: str, out: str | None) -> None:
    """Write a report; whoever reads it may stop reading, which is no failure and stops nothing else."""
    try:
        _write(report, format_, out)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Let what is still to be printed go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(report: Report, format_: str, out: str | None) -> None:
    from tiebreak.reports.formats import WRITERS, text_output, write_parquet, write_tsv

    if format_ == "table" and out is None:
        report.table().print()
    elif format_ == "parquet":
        write_parquet(*report.rows(), str(out))
    else:
        with text_output(out) as file:
            if format_ in ("table", "latex"):
                file.write(report.table().to_latex() if format_ == "latex" else report.table().to_text() + "\n")
            elif format_ == "trec":
                write_tsv((), report.trec(), file)
            else:
                WRITERS[format_](*(report.jsonl() if format_ == "jsonl" else report.rows()), file)
