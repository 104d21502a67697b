"""Tables in files: csv, tsv and JSON lines, plain or compressed; parquet through a data frame library.

A file is opened for the names of its columns, and its rows are read once it is known which columns are needed: they
are held as compact columns, within the limits of docs/decisions/0006.
"""

from __future__ import annotations

import csv
import json
import os
from array import array
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from io import TextIOWrapper
from typing import Any, BinaryIO, NamedTuple, NoReturn, cast

import numpy as np

from tiebreak import _kernels
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.faults import RUN, raise_input_error
from tiebreak.inputs.ids import offsets
from tiebreak.inputs.sources import Source, calling

COMPRESSED = {
    ".gz": ("gzip",),
    ".zst": ("compression.zstd", "backports.zstd"),
    ".zstd": ("compression.zstd", "backports.zstd"),
}
"""File extensions, and the modules that can open such files."""
JSON_LINES, SEPARATED = (".jsonl", ".ndjson"), {".csv": ",", ".tsv": "\t"}
LONGEST_LINE = 65_536
ROW_COST = 32
"""Bytes that a row costs beside its item id, as a line of a run does."""
BATCH = 4096
"""Rows that are unpacked together."""

Rows = Generator[tuple[int, list[Any]]]
"""The names of the columns, then the cells of every row, each with the number of its line."""


class Contents(NamedTuple):
    """An open table: the names of its columns, a reader of some of them, and the line of the first row in a text file.

    `read` takes the columns whose ids are coded, the column of item ids, and that of numbers; without it they are 1.
    """

    names: list[str]
    read: Callable[[list[str], str, str | None], FrameColumns | Fault]
    first_line: int | None = None


def open_file(path: str, is_table: Callable[[list[str]], bool], memory: int = MEMORY) -> Contents | None:
    """The table in a file; None where the file extension is not that of a table.

    A .tsv file may also be in TREC's format: `is_table` decides by its first line.
    """
    stem, kind = os.path.splitext(path.lower())
    packed = ""
    if kind in COMPRESSED:
        kind, packed = os.path.splitext(stem)[1], kind
    if kind not in (".parquet", *JSON_LINES, *SEPARATED) or not os.path.isfile(path):
        return None
    if kind == ".parquet":
        return open_parquet(path, packed, memory)
    rows = json_rows(path, packed) if kind in JSON_LINES else csv_rows(path, packed, SEPARATED[kind])
    _, names = next(rows, (1, []))
    if kind == ".tsv" and not is_table(names):
        rows.close()
        return None
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}:1: there are two columns {quote(name)}. Keep one.", kind="columns", file=path)

    def read(coded: list[str], item: str, value: str | None) -> FrameColumns:
        return TextReader(path, memory).read(rows, names, coded, item, value)

    return Contents(names, read, 1 if kind in JSON_LINES else 2)


class TextReader:
    """Rows of text as columns: ids as bytes, numbers as float64."""

    def __init__(self, path: str, memory: int) -> None:
        self.path, self.memory = path, memory

    def read(self, rows: Rows, names: list[str], coded: list[str], item: str, value: str | None) -> FrameColumns:
        ids = [(name, names.index(name), dict[bytes, int](), array("i")) for name in coded]
        item_column, value_column = names.index(item), None if value is None else names.index(value)
        letters, ends, numbers = bytearray(), array("q", [0]), array("d")
        n_bytes = 0
        for line, cells in rows:
            for name, column, codes, code_of_row in ids:
                text = self.id(name, line, cells[column])
                if text not in codes:
                    codes[text] = len(codes)
                    n_bytes += len(text)
                code_of_row.append(codes[text])
            text = self.id(item, line, cells[item_column])
            n_bytes += ROW_COST + len(text)
            if n_bytes > self.memory:
                self.stop("memory", line)
            letters += text
            ends.append(len(letters))
            numbers.append(1.0 if value_column is None else self.number(str(value), line, cells[value_column]))
        columns = [
            ((b"".join(codes), offsets([*map(len, codes)])), np.array(code_of_row, dtype=np.int32))
            for _, _, codes, code_of_row in ids
        ]
        return FrameColumns(columns, (bytes(letters), np.array(ends, dtype=np.int64)), np.array(numbers))

    def id(self, name: str, line: int, cell: object) -> bytes:
        if cell is None or cell == "":
            self.stop("null", line, name)
        if isinstance(cell, bool) or not isinstance(cell, (str, int)):
            self.stop("id_type", line, f"{name}\t{cell_text(cell)}")
        try:
            return str(cell).encode()
        except UnicodeEncodeError:
            self.stop("encoding", line, str(cell))

    def number(self, name: str, line: int, cell: Any) -> float:
        is_plain = isinstance(cell, str) and cell.isascii() and cell.strip() == cell and "_" not in cell
        is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
        try:
            return float(cell if is_plain or is_number else "")
        except (ValueError, OverflowError):
            self.stop("value_type", line, f"{name}\t{cell_text(cell)}")

    def stop(self, kind: str, line: int, text: str = "") -> NoReturn:
        fault = Fault(kind, 0, line, 0, b"", b"", text.encode(errors="backslashreplace"))
        raise_input_error(fault, Source(self.path, ("table",), first_line=1), RUN, self.memory)


def cell_text(cell: object) -> str:
    return quote(repr(cell))[1:-1]


class Lines:
    """The lines of a text file; the length of a line, and of a record of several lines, is bounded."""

    def __init__(self, path: str, packed: str) -> None:
        self.path, self.packed = path, packed
        self.number = self.length = 0

    def __iter__(self) -> Iterator[str]:
        with calling(self.path), open_text(self.path, self.packed) as stream:
            while line := stream.readline(LONGEST_LINE + 2):
                self.number += 1
                content = line.rstrip("\r\n")
                # No character takes more than four bytes.
                self.length += len(content) if len(content) * 4 <= LONGEST_LINE else len(content.encode())
                if self.length > LONGEST_LINE:
                    raise self.error(f"the line is longer than {LONGEST_LINE:,} bytes", "long_line")
                yield line

    def end_record(self) -> None:
        self.length = 0

    def error(self, problem: str, kind: str = "columns") -> InputError:
        """An error in the current line."""
        return InputError(f"{self.path}:{self.number}: {problem}.", kind=kind, file=self.path, line=self.number)


def csv_rows(path: str, packed: str, separator: str) -> Rows:
    lines, width = Lines(path, packed), None
    try:
        for row in csv.reader(lines, delimiter=separator, strict=True):
            lines.end_record()
            width = len(row) if width is None else width
            if len(row) != width:
                raise lines.error(f"{len(row)} cells found; the first line names {width} columns")
            yield lines.number, row
    except csv.Error as error:
        raise lines.error(quote(str(error))[1:-1]) from None


def json_rows(path: str, packed: str) -> Rows:
    lines, names = Lines(path, packed), None
    for line in lines:
        lines.end_record()
        try:
            row = json.loads(line, object_pairs_hook=unique)
        except (ValueError, RecursionError):
            row = None
        if names is None and isinstance(row, dict):
            names = row.keys()
            yield lines.number, [*names]
        if not isinstance(row, dict) or row.keys() != names:
            raise lines.error("an object with the same keys on every line, each once, is expected")
        yield lines.number, [row[name] for name in names]


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys."""
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("duplicate key")
    return row


def open_text(path: str, packed: str) -> TextIOWrapper:
    """A file as text, decompressed if need be."""
    if not packed:
        return open(path, encoding="utf-8-sig", newline="")
    for module in COMPRESSED[packed]:
        try:
            stream = cast(BinaryIO, import_module(module).open(path, "rb"))
        except ImportError:
            continue
        return TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    raise MissingExtraError(f"{path}: reading zstd", "zstd")


def open_parquet(path: str, packed: str, memory: int) -> Contents:
    if packed:
        raise InputError(
            f"{path}: parquet compresses its columns itself. Give the file unpacked.", kind="io", file=path
        )
    for module, opener in PARQUET.items():
        try:
            library = import_module(module)
        except ImportError:
            continue
        with calling(path, "as parquet"):
            names, n_rows, load = opener(library, os.path.abspath(path))
        break
    else:
        raise MissingExtraError(f"{path}: reading parquet", "frames")

    def read(coded: list[str], item: str, value: str | None) -> FrameColumns | Fault:
        if n_rows * ROW_COST > memory:
            return Fault("memory", 0, 0, 0, b"", b"", b"")
        with calling(path, "as parquet"):
            columns = load([*dict.fromkeys(filter(None, (*coded, item, value)))])
            return _kernels.read_frame(columns, coded, item, value, memory)

    return Contents(names, read)


OpenParquet = tuple[list[str], int, Callable[[list[str]], Any]]
"""Names of the columns, number of rows, and what loads columns."""


def pyarrow_parquet(parquet: Any, path: str) -> OpenParquet:
    file = parquet.ParquetFile(path)
    schema = file.schema_arrow

    def load(names: list[str]) -> Any:
        """In batches: the file does not say how large its rows are when unpacked."""
        batches = file.iter_batches(BATCH, columns=names)
        kinds = import_module("pyarrow").schema([schema.field(name) for name in names])
        return import_module("pyarrow").RecordBatchReader.from_batches(kinds, batches)

    return schema.names, file.metadata.num_rows, load


def polars_parquet(polars: Any, path: str) -> OpenParquet:
    # The path is not a pattern, and its folders do not name columns.
    frame = polars.scan_parquet(path, glob=False, hive_partitioning=False)
    rows = frame.select(polars.len()).collect().item()
    return frame.collect_schema().names(), rows, lambda names: frame.select(names).collect()


def pandas_parquet(pandas: Any, path: str) -> OpenParquet:
    with open(path, "rb") as stream:
        frame = pandas.read_parquet(stream)
    return [str(name) for name in frame.columns], len(frame), lambda names: frame[names]


PARQUET = {"pyarrow.parquet": pyarrow_parquet, "polars": polars_parquet, "pandas": pandas_parquet}
"""Libraries that read parquet; the first rejects damaged files, which may crash the others."""
