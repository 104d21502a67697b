"""Tables in files: csv, tsv and JSON lines, plain or compressed; parquet through a data frame library.

A file is opened for the names of its columns, and read once it is known which of them are needed: rows are held as
compact columns, within the limits of docs/decisions/0006.
"""

from __future__ import annotations

import csv
import json
import os
import zlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Any, BinaryIO, cast

import numpy as np

from tiebreak import _kernels
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.foreign import calling

COMPRESSED = {
    ".gz": ("gzip",),
    ".zst": ("compression.zstd", "backports.zstd"),
    ".zstd": ("compression.zstd", "backports.zstd"),
}
"""Endings, and the modules that can open such files."""
LONGEST_LINE = 65_536
ROW_COST = 32
"""Bytes that a row costs beside its item id, as a line of a run does."""
BATCH = 4096
"""Rows that are unpacked together."""

Cell = str | int | float | None
Rows = Iterator[tuple[int, list[Any]]]
"""Number of a line, and its cells."""


class TableFile(ABC):
    """Named columns in a file; row k is line ``first + k`` of it where rows are lines."""

    first: int | None = None

    def __init__(self, path: str, columns: list[str], memory: int) -> None:
        self.path, self.columns, self.memory = path, columns, memory

    @abstractmethod
    def read(self, coded: list[str], items: str, values: str | None) -> FrameColumns | Fault:
        """Ids as text, values as float64; 1 for every row where no column holds them."""

    def too_much(self, line: int | None = None) -> InputError:
        place = self.path if line is None else f"{self.path}:{line}"
        return InputError(
            f"{place}: holding the rows up to here takes more than memory={self.memory:,} bytes. "
            "Give more memory, or fewer rows.",
            kind="memory",
            file=self.path,
            line=line,
        )


class TextTable(TableFile):
    """A table whose rows are lines of text."""

    def __init__(self, path: str, columns: list[str], memory: int, first: int, rows: Callable[[], Rows]) -> None:
        super().__init__(path, columns, memory)
        self.first, self.rows = first, rows

    def read(self, coded: list[str], items: str, values: str | None) -> FrameColumns:
        place = {name: k for k, name in enumerate(self.columns)}
        of_ids = [(name, place[name], dict[bytes, int](), array("i")) for name in coded]
        of_item, of_value = place[items], None if values is None else place[values]
        letters, ends, numbers = bytearray(), array("q", [0]), array("d")
        held = 0
        with reading(self.path):
            for line, cells in self.rows():
                for name, k, known, of_row in of_ids:
                    text = self.id(name, line, cells[k])
                    if text not in known:
                        known[text] = len(known)
                        held += len(text)
                    of_row.append(known[text])
                item = self.id(items, line, cells[of_item])
                held += ROW_COST + len(item)
                if held > self.memory:
                    raise self.too_much(line)
                letters += item
                ends.append(len(letters))
                numbers.append(1.0 if of_value is None else self.number(str(values), line, cells[of_value]))
        columns = [(id_column(known), np.array(of_row, dtype=np.int32)) for _, _, known, of_row in of_ids]
        return FrameColumns(columns, (bytes(letters), np.array(ends, dtype=np.int64)), np.array(numbers))

    def id(self, name: str, line: int, cell: Cell) -> bytes:
        if cell is None or cell == "":
            raise self.refusal(line, f"column {quote(name)} has no value here. Give every row one", "null")
        if isinstance(cell, bool) or not isinstance(cell, (str, int)):
            raise self.refusal(line, f"column {quote(name)} holds {shown(cell)}. Ids are text or integers", "id_type")
        try:
            return str(cell).encode()
        except UnicodeEncodeError:
            raise self.refusal(line, f"the id {quote(str(cell))} is not valid Unicode text", "id") from None

    def number(self, name: str, line: int, cell: Cell) -> float:
        try:
            if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                return float(cell)
            plain = isinstance(cell, str) and cell.isascii() and cell.strip() == cell and "_" not in cell
            return float(cell) if plain else float("")  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            message = f"column {quote(name)} holds {shown(cell)}. Give a number"
            raise self.refusal(line, message, "value_type") from None

    def refusal(self, line: int, message: str, kind: str) -> InputError:
        return InputError(f"{self.path}:{line}: {message}.", kind=kind, file=self.path, line=line)


def shown(cell: object) -> str:
    """A cell as Python writes it, on one line of bounded length."""
    return quote(repr(cell))[1:-1]


def id_column(ids: dict[bytes, int]) -> Any:
    return b"".join(ids), np.cumsum([0, *map(len, ids)], dtype=np.int64)


def ending(path: str) -> tuple[str, str]:
    """What kind of file it is by its name, and how it is compressed."""
    stem, last = os.path.splitext(path.lower())
    if last in COMPRESSED:
        return os.path.splitext(stem)[1], last
    return last, ""


Wanted = Callable[[list[str]], bool]


def table_in(path: str, wanted: Wanted, memory: int = MEMORY) -> TableFile | None:
    """The table in a file; None where this is no file of tables.

    A .tsv file may as well be in TREC's format: it holds a table where `wanted` says so of its first line.
    """
    kind, packed = ending(path)
    if kind not in READERS or not os.path.isfile(path):
        return None
    with reading(path):
        return READERS[kind](path, packed, wanted, memory)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """What goes wrong with the bytes of a file becomes an error that names it."""
    try:
        yield
    except (UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read: {error}.", kind="io", file=path) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise InputError(f"{path}: cannot be read: {error}.", kind="io", file=path) from None


class Lines:
    """The lines of a text file, of bounded length, also those that make up one record together."""

    def __init__(self, path: str, packed: str) -> None:
        self.path, self.stream = path, opened(path, packed)
        self.number = self.length = 0

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()

    def __iter__(self) -> Iterator[str]:
        while line := self.stream.readline(LONGEST_LINE + 2):
            self.number += 1
            content = line.rstrip("\r\n")
            # No character takes more than four bytes.
            self.length += len(content) if len(content) * 4 <= LONGEST_LINE else len(content.encode())
            if self.length > LONGEST_LINE:
                raise InputError(
                    f"{self.path}:{self.number}: the line is longer than {LONGEST_LINE:,} bytes.",
                    kind="long_line",
                    file=self.path,
                    line=self.number,
                )
            yield line

    def end_record(self) -> None:
        self.length = 0


def read_separated(separator: str, needs_header: bool) -> Callable[[str, str, Wanted, int], TextTable | None]:
    def read(path: str, packed: str, wanted: Wanted, memory: int) -> TextTable | None:
        records = separated(path, packed, separator)
        _, header = next(records, (1, []))
        records.close()
        if needs_header and not wanted(header):
            return None
        check_header(header, path)
        return TextTable(path, header, memory, 2, lambda: rows_below(separated(path, packed, separator), header, path))

    return read


def separated(path: str, packed: str, separator: str) -> Generator[tuple[int, list[str]]]:
    """Every record, with the number of its last line."""
    with Lines(path, packed) as lines:
        rows = csv.reader(lines, delimiter=separator, strict=True)
        try:
            for row in rows:
                lines.end_record()
                yield lines.number, row
        except csv.Error as error:
            words = quote(str(error))[1:-1]
            raise InputError(f"{path}:{lines.number}: {words}.", kind="columns", file=path) from None


def check_header(names: list[str], path: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}:1: there are two columns {quote(name)}. Keep one.", kind="columns", file=path)


def rows_below(records: Iterator[tuple[int, list[str]]], header: list[str], path: str) -> Rows:
    """The records below the header, each with as many cells as it."""
    next(records, None)
    for line, row in records:
        if len(row) != len(header):
            message = f"{len(row)} cells found; the first line names {len(header)} columns"
            raise InputError(f"{path}:{line}: {message}.", kind="columns", file=path, line=line)
        yield line, row


def read_json_lines(path: str, packed: str, wanted: Wanted, memory: int) -> TextTable:
    objects = json_objects(path, packed)
    _, first = next(objects, (1, {}))
    objects.close()
    return TextTable(path, [*first], memory, 1, lambda: json_rows(json_objects(path, packed), [*first], path))


def json_objects(path: str, packed: str) -> Generator[tuple[int, dict[str, Any]]]:
    with Lines(path, packed) as lines:
        for line in lines:
            lines.end_record()
            try:
                row = json.loads(line, object_pairs_hook=unique)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise other_keys(path, lines.number)
            yield lines.number, row


def json_rows(objects: Iterator[tuple[int, dict[str, Any]]], names: list[str], path: str) -> Rows:
    keys = set(names)
    for line, row in objects:
        if row.keys() != keys:
            raise other_keys(path, line)
        yield line, [row[name] for name in names]


def other_keys(path: str, line: int) -> InputError:
    expected = "an object with the same keys on every line, each once, is expected"
    return InputError(f"{path}:{line}: {expected}.", kind="columns", file=path, line=line)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


class ParquetTable(TableFile):
    """A table in a parquet file."""

    def __init__(self, path: str, memory: int, opened: Opened) -> None:
        names, self.rows, self.load = opened
        super().__init__(path, names, memory)

    def read(self, coded: list[str], items: str, values: str | None) -> FrameColumns | Fault:
        needed = [*dict.fromkeys([*coded, items, *([] if values is None else [values])])]
        if self.rows * ROW_COST > self.memory:
            raise self.too_much()
        with calling(self.path, "as parquet"):
            return _kernels.read_frame(self.load(needed), coded, items, values, self.memory)


def read_parquet(path: str, packed: str, wanted: Wanted, memory: int) -> ParquetTable:
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
            return ParquetTable(path, memory, opener(library, os.path.abspath(path)))
    raise MissingExtraError(f"{path}: reading parquet", "frames")


Opened = tuple[list[str], int, Callable[[list[str]], Any]]
"""Names of the columns, number of rows, and what loads columns."""


def pyarrow_parquet(parquet: Any, path: str) -> Opened:
    file = parquet.ParquetFile(path)
    schema = file.schema_arrow

    def load(names: list[str]) -> Any:
        """Some rows at a time: how much a row takes unpacked, the file does not say."""
        batches = file.iter_batches(BATCH, columns=names)
        kinds = import_module("pyarrow").schema([schema.field(name) for name in names])
        return import_module("pyarrow").RecordBatchReader.from_batches(kinds, batches)

    return schema.names, file.metadata.num_rows, load


def polars_parquet(polars: Any, path: str) -> Opened:
    # The path of a file is no pattern, and says nothing about what is in it.
    frame = polars.scan_parquet(path, glob=False, hive_partitioning=False)
    rows = frame.select(polars.len()).collect().item()
    return frame.collect_schema().names(), rows, lambda names: frame.select(names).collect()


def pandas_parquet(pandas: Any, path: str) -> Opened:
    with open(path, "rb") as stream:
        frame = pandas.read_parquet(stream)
    return [str(name) for name in frame.columns], len(frame), lambda names: frame[names]


PARQUET = {"pyarrow.parquet": pyarrow_parquet, "polars": polars_parquet, "pandas": pandas_parquet}
"""Libraries that read parquet, the one first that refuses damaged files where others may end the process."""
READERS: dict[str, Callable[[str, str, Wanted, int], TableFile | None]] = {
    ".csv": read_separated(",", needs_header=False),
    ".tsv": read_separated("\t", needs_header=True),
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".parquet": read_parquet,
}


def opened(path: str, packed: str) -> TextIOWrapper:
    """A file as text, whatever it is compressed by."""
    if not packed:
        return open(path, encoding="utf-8-sig", newline="")
    return TextIOWrapper(cast(BinaryIO, open_packed(path, packed)), encoding="utf-8-sig", newline="")


def open_packed(path: str, packed: str) -> Any:
    for module in COMPRESSED[packed]:
        try:
            return import_module(module).open(path, "rb")
        except ImportError:
            continue
    raise MissingExtraError(f"{path}: reading zstd", "zstd")
