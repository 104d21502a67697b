"""Results in the format that was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TextIO

import click

from tiebreak._base.text import escape_controls
from tiebreak.errors import InputError

if TYPE_CHECKING:
    from tiebreak.results.drawable import Drawable
    from tiebreak.results.record import Result
    from tiebreak.results.tables import Table

FORMATS = {
    "table": ("", "txt"),
    "csv": ("csv",),
    "tsv": ("tsv",),
    "jsonl": ("jsonl", "ndjson"),
    "json": ("json",),
    "parquet": ("parquet",),
    "latex": ("tex",),
    "markdown": ("md",),
    "html": ("html", "htm"),
    "trec": (),
}
"""Every format that results are written in, with the endings of file names that mean it."""
HTML_HEAD = '<!doctype html>\n<meta charset="utf-8">\n<title>tiebreak</title>\n'
"""A page of its own: without the encoding, browsers may misread ± and names."""
FORMAT_BY_ENDING = {ending: name for name, endings in FORMATS.items() for ending in endings}
EXTENSIONS = ", ".join(f".{ending}" for ending in FORMAT_BY_ENDING if ending)


@dataclass
class Output:
    """The format, digits and file of results, which a command writes once: a second table would overwrite the first."""

    format: str
    digits: int
    path: str | None
    plot: str | None = None
    plot_kind: str | None = None
    is_written: bool = False

    @property
    def is_table(self) -> bool:
        """Whether results are printed as a table, with their notes under it."""
        return self.format == "table" and self.path is None

    def _begin(self) -> None:
        if self.is_written:
            raise RuntimeError("output was written before: write all results at once.")
        self.is_written = True

    def draw(self, results: Sequence[Drawable]) -> None:
        """Save a plot of all results of a command, where one is asked for."""
        if self.plot is None:
            return
        from tiebreak.results.plots import save

        first, *others = results
        save(first.picture_with(others, self.plot_kind), self.plot)

    def write(self, results: Sequence[Result]) -> None:
        """Write all results of a command, which are of one kind."""
        from tiebreak.results.files import text_output
        from tiebreak.results.formats import WRITERS, write_json, write_parquet, write_tsv
        from tiebreak.results.trec import trec_rows

        self._begin()
        columns, rows = results[0].columns, chain.from_iterable(result.rows() for result in results)
        with broken_pipe_silenced():
            if self.is_table:
                self._table(results, **({} if sys.stdout.isatty() else {"most": None})).print()
                return
            if self.format == "parquet":
                write_parquet(columns, rows, str(self.path))
                return
            with text_output(self.path) as file:
                if self.format == "table":
                    file.write(self._table(results, most=None).to_text() + "\n")
                elif self.format == "latex":
                    file.write(self._table(results, most=None).to_latex())
                elif self.format == "markdown":
                    file.write(self._table(results, most=None).to_markdown())
                elif self.format == "html":
                    file.write(f"{HTML_HEAD}{self._table(results, most=None).to_html()}\n")
                elif self.format == "json":
                    write_json([result.to_dict() for result in results], file)
                elif self.format == "trec":
                    write_tsv((), trec_rows(results), file)
                else:
                    WRITERS[self.format](columns, rows, file)

    def _table(self, results: Sequence[Result], **limit: None) -> Table:
        from tiebreak.results.joint_table import joint_table

        one = results[0]
        return one.table(self.digits, **limit) if len(results) == 1 else joint_table(results, self.digits, **limit)

    def write_jsonl(self, keys: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write JSON lines with keys of their own."""
        from tiebreak.results.files import text_output
        from tiebreak.results.formats import write_jsonl

        self._begin()
        with broken_pipe_silenced(), text_output(self.path) as file:
            write_jsonl(keys, rows, file)


@contextmanager
def broken_pipe_silenced() -> Iterator[None]:
    """Whoever reads the output may stop reading, which is no failure and stops nothing else."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def format_by_ending(out: str | None) -> str:
    """The format by the ending of a file's name; a table where there is none."""
    ending = os.path.splitext(out or "")[1].lstrip(".").lower()
    if ending not in FORMAT_BY_ENDING:
        raise click.UsageError(f"{out}: unknown file extension .{ending}. Use {EXTENSIONS} or --format.")
    return FORMAT_BY_ENDING[ending]


def check_output(out: str | None, inputs: Iterable[str]) -> None:
    """Validate before reading that the output can be written, and is no input."""
    if out is None:
        return
    if not os.path.isdir(folder := os.path.dirname(os.path.realpath(out))):
        raise InputError(
            f"{out}: cannot be written: there is no folder {folder}. Make it first.", kind="output", file=out
        )
    if os.path.isfile(out):
        from tiebreak.inputs.runs import is_among

        if is_among(out, inputs):
            raise click.UsageError(f"{out} is also an input file. Choose another output file.")


def say(text: str) -> None:
    """Print a message to standard error, where it cannot control the terminal; that nobody reads it is no failure."""
    try:
        # Not click.echo, which would write over a progress bar.
        print(fold(escape_controls(text, keep="\n"), sys.stderr), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def fold(text: str, stream: TextIO) -> str:
    """Lines of whole words, as wide as the terminal that shows them."""
    if not stream.isatty():
        return text
    from shutil import get_terminal_size

    width = get_terminal_size().columns
    return "\n".join(fold_line(line, width) for line in text.split("\n"))


def fold_line(line: str, width: int) -> str:
    from textwrap import fill

    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip(" "))]
    return fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def silence(stream: TextIO) -> None:
    """Discard what is still to be printed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
