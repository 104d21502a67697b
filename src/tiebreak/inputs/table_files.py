"""Tables in files: csv, tsv and JSON lines, plain or compressed; parquet through a data frame library.

A file is opened for the names of its columns, and its rows are read once it is known which columns are needed: they
are held as compact columns, within the limits of docs/decisions/0006.
"""

from __future__ import annotations

import csv
import glob
import json
import os
import re
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from io import TextIOWrapper
from itertools import chain, islice
from typing import Any, BinaryIO, cast

from tiebreak import _kernels
from tiebreak._base.text import plural
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs.frames import FrameContents, select
from tiebreak.inputs.rows import ROW_COST, Contents, Lists, RowContents
from tiebreak.inputs.sources import Source, calling, check_flat, is_parquet_folder

COMPRESSED = {
    ".gz": ("gzip",),
    ".zst": ("compression.zstd", "backports.zstd"),
    ".zstd": ("compression.zstd", "backports.zstd"),
}
"""File extensions, and the modules that can open such files."""
JSON_LINES, SEPARATED = (".jsonl", ".ndjson"), {".csv": ",", ".tsv": "\t", ".inter": "\t"}
LONGEST_LINE = 65_536

Rows = Generator[tuple[int, list[Any]]]
"""The names of the columns, then the cells of every row, each with the number of its line."""
BATCH = 4096
"""Rows that are unpacked together."""
MOVIELENS = re.compile(r"(u[1-5ab]?\.(data|base|test)|ratings\.dat)(\.gz|\.zstd?)?", re.IGNORECASE)
"""Files of ratings without a line of names, and such a line."""
MOVIELENS_LINE = re.compile(r"\d+\t\d+\t[\d.]+\t\d{8,}")


def open_file(path: str, is_table: Callable[[list[str]], bool], memory: int = MEMORY) -> Contents | None:
    """The table in a file; None where the file extension is not that of a table.

    A .tsv file may also be in TREC's format: `is_table` decides by its first line.
    """
    kind, packed = endings(path)
    if is_parquet_folder(path):
        return ParquetContents(path, "", memory)
    if not os.path.isfile(path):
        return None
    if MOVIELENS.fullmatch(os.path.basename(path)):
        return open_movielens(path, packed, memory)
    if kind not in (".parquet", *JSON_LINES, *SEPARATED):
        return None
    if kind == ".parquet":
        return ParquetContents(path, packed, memory)
    rows = json_rows(path, packed) if kind in JSON_LINES else csv_rows(path, packed, SEPARATED[kind])
    _, names = next(rows, (1, []))
    names = [name or f"Unnamed: {k}" for k, name in enumerate(names)]  # as pandas calls them
    if kind == ".tsv" and not is_table(names):
        rows.close()
        return None
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}:1: there are two columns {quote(name)}. Keep one.", kind="columns", file=path)
    source = Source(path, ("table",), first_line=1 if kind in JSON_LINES else 2)
    return RowContents(source, names, split_lists(rows, names) if kind == ".inter" else rows, memory)


def endings(path: str) -> tuple[str, str]:
    """The file extension, and that of compression, if any."""
    stem, kind = os.path.splitext(path.lower())
    return (os.path.splitext(stem)[1], kind) if kind in COMPRESSED else (kind, "")


def open_unnamed(path: str, memory: int) -> RowContents | None:
    """A text file without a line of names: its columns have numbers from 0. None for files of another kind."""
    kind, packed = endings(path)
    if not os.path.isfile(path) or kind in (".parquet", *JSON_LINES):
        return None
    rows = csv_rows(path, packed, ",") if kind == ".csv" else unnamed_rows(path, packed)
    first = next(rows, (1, []))
    names = [str(k) for k in range(len(first[1]))]
    return RowContents(Source(path, ("table",), first_line=1), names, chain([first] if names else [], rows), memory)


def unnamed_rows(path: str, packed: str) -> Rows:
    """The cells of every line, separated by ``::`` or tabs if the first line has one, else by blanks."""
    lines, width, separator = Lines(path, packed), None, None
    for line in lines:
        lines.end_record()
        if not line.strip():
            continue
        if width is None:
            separator = next((mark for mark in ("::", "\t") if mark in line), None)
        cells = [cell.strip() for cell in line.split(separator)]
        width = len(cells) if width is None else width
        if len(cells) != width:
            raise lines.error(f"{plural(len(cells), 'cell')} found; the first line has {width}")
        yield lines.number, cells


def split_lists(rows: Rows, names: list[str]) -> Rows:
    """Cells of the columns in which RecBole has lists, separated by blanks, as lists."""
    places = [k for k, name in enumerate(names) if name.endswith((":token_seq", ":float_seq"))]
    for line, cells in rows:
        yield line, [cell.split() if k in places else cell for k, cell in enumerate(cells)]


class Lines:
    """The lines of a text file; the length of a line, and of a record of several lines, is bounded."""

    def __init__(self, path: str, packed: str, longest: int = LONGEST_LINE) -> None:
        self.path, self.packed, self.longest = path, packed, longest
        self.number = self.length = 0

    def __iter__(self) -> Iterator[str]:
        with calling(self.path), open_text(self.path, self.packed) as stream:
            while line := stream.readline(self.longest + 2):
                self.number += 1
                content = line.rstrip("\r\n")
                # No character takes more than four bytes.
                self.length += len(content) if len(content) * 4 <= self.longest else len(content.encode())
                if self.length > self.longest:
                    raise self.error(f"the line is longer than {self.longest:,} bytes", "long_line")
                yield line

    def end_record(self) -> None:
        self.length = 0

    def error(self, problem: str, kind: str = "columns") -> InputError:
        """An error in the current line."""
        return InputError(f"{self.path}:{self.number}: {problem}.", kind=kind, file=self.path, line=self.number)


def csv_rows(path: str, packed: str, separator: str) -> Rows:
    """The cells of every line; where a first line without commas has semicolons, they separate them."""
    lines, width = Lines(path, packed), None
    stream = iter(lines)
    first = [*islice(stream, 1)]
    if separator == "," and any("," not in line and ";" in line for line in first):
        separator = ";"
    try:
        for row in csv.reader(chain(first, stream), delimiter=separator, strict=True):
            lines.end_record()
            width = len(row) if width is None else width
            if len(row) != width:
                raise lines.error(f"{plural(len(row), 'cell')} found; the first line names {plural(width, 'column')}")
            yield lines.number, row
    except csv.Error as error:
        raise lines.error(quote(str(error))[1:-1]) from None


def open_movielens(path: str, packed: str, memory: int) -> Contents | None:
    """The ratings in a file of MovieLens; None where its first line is in another format."""
    rows = unnamed_rows(path, packed)
    first = next(rows, (1, []))
    if not MOVIELENS_LINE.fullmatch("\t".join(first[1])):
        rows.close()
        return None
    names = ["user_id", "item_id", "rating", "timestamp"]
    return RowContents(Source(path, ("table",), first_line=1), names, chain([first], rows), memory)


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
    return TextIOWrapper(open_packed(path, packed), encoding="utf-8-sig", newline="")


def open_packed(path: str, packed: str) -> BinaryIO:
    """A compressed file, decompressed."""
    for module in COMPRESSED[packed]:
        try:
            return cast(BinaryIO, import_module(module).open(path, "rb"))
        except ImportError:
            continue
    raise MissingExtraError(f"{path}: reading zstd", "zstd")


class ParquetContents:
    """The columns of a parquet file, or of a folder of them, through the first library that reads it."""

    first_line: int | None = None

    def __init__(self, path: str, packed: str, memory: int) -> None:
        if packed:
            raise InputError(
                f"{path}: parquet compresses its columns itself. Give the file unpacked.", kind="io", file=path
            )
        check_flat(path)
        for module, opener in PARQUET.items():
            try:
                library = import_module(module)
            except ImportError:
                continue
            with calling(path, "as parquet"):
                self.names, self.n_rows, self.load = opener(library, os.path.abspath(path))
            break
        else:
            raise MissingExtraError(f"{path}: reading parquet", "frames")
        self.path, self.memory = path, memory

    def read(self, coded: list[str], item: str, value: str | None, booleans: bool = False) -> FrameColumns | Fault:
        if self.n_rows * ROW_COST > self.memory:
            return Fault("memory", 0, 0, 0, b"", b"", b"")
        with calling(self.path, "as parquet"):
            columns = self.load([*dict.fromkeys(filter(None, (*coded, item, value)))])
            if booleans:
                columns = numbers_for_booleans(columns, str(value))
            return _kernels.read_frame(columns, coded, item, value, self.memory)

    def has_lists(self, name: str) -> bool:
        with calling(self.path, "as parquet"):
            return FrameContents(self.load([name]), self.path).has_lists(name)

    def read_lists(self, coded: list[str], item: str, value: str | None) -> Lists | Fault:
        with calling(self.path, "as parquet"):
            columns = self.load([*dict.fromkeys(filter(None, (*coded, item, value)))])
            if hasattr(columns, "read_next_batch"):
                batches, n_bytes = [], 0
                for batch in columns:  # the file does not say how long its lists are
                    n_bytes += batch.nbytes
                    if n_bytes > self.memory:
                        return Fault("memory", 0, 0, 0, b"", b"", b"")
                    batches.append(batch)
                columns = import_module("pyarrow").Table.from_batches(batches, columns.schema)
        return FrameContents(columns, self.path).read_lists(coded, item, value)


def numbers_for_booleans(columns: Any, name: str) -> Any:
    """A column of Booleans as one of 1 and 0."""
    if not hasattr(columns, "read_next_batch"):
        return select(columns, [str(column) for column in columns.columns], name)
    place, pyarrow = columns.schema.get_field_index(name), import_module("pyarrow")
    if columns.schema.field(place).type != pyarrow.bool_():
        return columns
    schema = columns.schema.set(place, pyarrow.field(name, pyarrow.int8()))
    batches = (one for batch in columns for one in pyarrow.Table.from_batches([batch]).cast(schema).to_batches())
    return pyarrow.RecordBatchReader.from_batches(schema, batches)


OpenParquet = tuple[list[str], int, Callable[[list[str]], Any]]
"""Names of the columns, number of rows, and what loads columns."""


def pyarrow_parquet(parquet: Any, path: str) -> OpenParquet:
    if os.path.isdir(path):
        return pyarrow_folder(import_module("pyarrow.dataset").dataset(path, format="parquet", partitioning=None))
    file = parquet.ParquetFile(path)
    schema = file.schema_arrow

    def load(names: list[str]) -> Any:
        """In batches: the file does not say how large its rows are when unpacked."""
        batches = file.iter_batches(BATCH, columns=names)
        kinds = import_module("pyarrow").schema([schema.field(name) for name in names])
        return import_module("pyarrow").RecordBatchReader.from_batches(kinds, batches)

    return schema.names, file.metadata.num_rows, load


def pyarrow_folder(dataset: Any) -> OpenParquet:
    def load(names: list[str]) -> Any:
        return dataset.scanner(columns=names, batch_size=BATCH).to_reader()

    return dataset.schema.names, dataset.count_rows(), load


def polars_parquet(polars: Any, path: str) -> OpenParquet:
    frame = scan_parquet(polars, path)
    rows = frame.select(polars.len()).collect().item()
    return frame.collect_schema().names(), rows, lambda names: frame.select(names).collect()


def scan_parquet(polars: Any, path: str) -> Any:
    """A file, whose name is no pattern, or the files of a folder; folders do not name columns."""
    is_folder = os.path.isdir(path)
    files = os.path.join(glob.escape(path), "*.parquet") if is_folder else path
    return polars.scan_parquet(files, glob=is_folder, hive_partitioning=False)


def pandas_parquet(pandas: Any, path: str) -> OpenParquet:
    with open(path, "rb") as stream:
        frame = pandas.read_parquet(stream)
    return [str(name) for name in frame.columns], len(frame), lambda names: frame[names]


PARQUET = {"pyarrow.parquet": pyarrow_parquet, "polars": polars_parquet, "pandas": pandas_parquet}
"""Libraries that read parquet; the first rejects damaged files, which may crash the others."""
