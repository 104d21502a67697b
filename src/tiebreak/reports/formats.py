"""Rows in the formats that other programs read, and files that are there whole or not at all."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from tiebreak.errors import InputError
from tiebreak.reports.frames import to_frame

Cell = str | int | float | None


def plain(cell: Cell) -> str:
    """A number with all its digits; nothing where there is nothing."""
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)


def write_tsv(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: TextIO) -> None:
    """Tab-separated, without quotes: what could break a line is replaced by a space."""
    for row in (header, *rows) if header else rows:
        out.write("\t".join(" ".join(plain(cell).split()) for cell in row) + "\n")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: TextIO) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([plain(cell) for cell in row] for row in rows)


def write_jsonl(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: TextIO) -> None:
    """One object per line; NaN and infinities, which JSON has not, are null."""
    for row in rows:
        known = (None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row)
        out.write(json.dumps(dict(zip(header, known, strict=True)), ensure_ascii=False) + "\n")


WRITERS: dict[str, Callable[[Sequence[str], Iterable[Sequence[Cell]], TextIO], None]] = {
    "tsv": write_tsv,
    "csv": write_csv,
    "jsonl": write_jsonl,
}


def write_parquet(header: Sequence[str], rows: Iterable[Sequence[Cell]], path: str) -> None:
    frame = to_frame(header, rows)
    with whole_file(path) as draft:
        if hasattr(frame, "write_parquet"):
            frame.write_parquet(draft)
        elif hasattr(frame, "to_parquet"):
            frame.to_parquet(draft)
        else:
            from pyarrow import parquet

            parquet.write_table(frame, draft)


@contextmanager
def text_output(path: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when all is written."""
    if path is None:
        yield sys.stdout
    elif is_device(path):
        with open_text(path) as out:
            yield out
    else:
        with whole_file(path) as draft, open_text(draft) as out:
            yield out


def open_text(path: str) -> TextIO:
    return open(path, "w", encoding="utf-8", newline="", errors="backslashreplace")


def is_device(path: str) -> bool:
    """Whether something is there that is no file, such as a pipe or a terminal: it is written to, never replaced."""
    return os.path.exists(path) and not os.path.isfile(path)


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """A temporary name beside `path`, moved into place at the end; nothing is left where the work fails."""
    path = os.path.realpath(path)
    if is_device(path):
        raise InputError(f"{path}: this is not a file. Give the name of one.", kind="output", file=path)
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}.", kind="output", file=path) from None
    os.close(handle)
    try:
        yield draft
        os.chmod(draft, 0o666 & ~_umask())
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
