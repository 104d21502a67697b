"""Tables in files: csv, tsv and JSON lines, plain or compressed; parquet through a data frame library."""

from __future__ import annotations

import csv
import json
import os
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from io import TextIOWrapper
from typing import Any, BinaryIO, cast

import numpy as np

from tiebreak._interface import FrameColumns, IdColumn
from tiebreak.errors import InputError, MissingExtraError, quoted
from tiebreak.inputs.ids import Ids

COMPRESSED = {
    ".gz": ("gzip",),
    ".zst": ("compression.zstd", "backports.zstd"),
    ".zstd": ("compression.zstd", "backports.zstd"),
}
"""Endings, and the modules that can open such files."""

Cell = str | int | float | None


class HeldTable:
    """Named columns of cells, as a file holds them; row k is line ``first + k`` of the file."""

    def __init__(self, path: str, columns: dict[str, list[Any]], first: int) -> None:
        self.path, self.cells, self.first = path, columns, first

    @property
    def columns(self) -> list[str]:
        return list(self.cells)

    def read(self, coded: list[str], items: str, values: str | None) -> FrameColumns:
        """Ids as text, values as float64; 1 for every row where no column holds them."""
        codes = [self.coded(name) for name in coded]
        cells = self.cells[items if values is None else values]
        numbers = [1.0 if values is None else self.number(values, row, cell) for row, cell in enumerate(cells)]
        return FrameColumns(codes, Ids.of(self.ids(items)).column, np.array(numbers, dtype=np.float64))

    def coded(self, name: str) -> tuple[IdColumn, Any]:
        codes: dict[str, int] = {}
        of_row = np.array([codes.setdefault(text, len(codes)) for text in self.ids(name)], dtype=np.int32)
        return Ids.of(codes).column, of_row

    def ids(self, name: str) -> Iterator[str]:
        for row, cell in enumerate(self.cells[name]):
            if cell is None or cell == "":
                raise self.refusal(row, f"column {quoted(name)} has no value here. Give every row one", "null")
            if isinstance(cell, bool) or not isinstance(cell, (str, int)):
                raise self.refusal(row, f"column {quoted(name)} holds {cell!r}. Ids are text or integers", "id_type")
            yield str(cell)

    def number(self, name: str, row: int, cell: Cell) -> float:
        try:
            if isinstance(cell, (int, float)) and not isinstance(cell, bool):
                return float(cell)
            plain = isinstance(cell, str) and cell.isascii() and cell.strip() == cell and "_" not in cell
            return float(cell) if plain else float("")  # type: ignore[arg-type]
        except (ValueError, OverflowError):
            raise self.refusal(row, f"column {quoted(name)} holds {cell!r}. Give a number", "value_type") from None

    def refusal(self, row: int, message: str, kind: str) -> InputError:
        line = self.first + row
        return InputError(f"{self.path}:{line}: {message}.", kind=kind, file=self.path, line=line)


def ending(path: str) -> tuple[str, str]:
    """What kind of file it is by its name, and how it is compressed."""
    stem, last = os.path.splitext(path.lower())
    if last in COMPRESSED:
        return os.path.splitext(stem)[1], last
    return last, ""


def table_in(path: str, wanted: Callable[[list[str]], bool]) -> Any:
    """The table in a file; None where this is no file of tables.

    A .tsv file may as well be in TREC's format: it holds a table where `wanted` says so of its first line.
    """
    kind, packed = ending(path)
    if kind not in READERS or not os.path.isfile(path):
        return None
    try:
        return READERS[kind](path, packed, wanted)
    except (UnicodeDecodeError, EOFError, OSError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read: {error}.", kind="io", file=path) from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise InputError(f"{path}: cannot be read: {error}.", kind="io", file=path) from None


def read_separated(separator: str, needs_header: bool) -> Callable[[str, str, Callable[[list[str]], bool]], Any]:
    def read(path: str, packed: str, wanted: Callable[[list[str]], bool]) -> HeldTable | None:
        with opened(path, packed) as lines:
            rows = csv.reader(lines, delimiter=separator, strict=True)
            try:
                header = next(rows, [])
                if needs_header and not wanted(header):
                    return None
                check_header(header, path)
                return HeldTable(path, dict(zip(header, columns(rows, header, path), strict=True)), first=2)
            except csv.Error as error:
                raise InputError(f"{path}:{rows.line_num}: {error}.", kind="columns", file=path) from None

    return read


def check_header(names: list[str], path: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}:1: there are two columns {quoted(name)}. Keep one.", kind="columns", file=path)


def columns(rows: Any, header: list[str], path: str) -> list[list[str]]:
    """The cells of every column."""
    held: list[list[str]] = [[] for _ in header]
    for row in rows:
        if len(row) != len(header):
            message = f"{len(row)} cells found; the first line names {len(header)} columns"
            raise InputError(f"{path}:{rows.line_num}: {message}.", kind="columns", file=path, line=rows.line_num)
        for column, cell in zip(held, row, strict=True):
            column.append(cell)
    return held


def read_json_lines(path: str, packed: str, wanted: Callable[[list[str]], bool]) -> HeldTable:
    held: dict[str, list[Any]] = {}
    with opened(path, packed) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line, object_pairs_hook=unique)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict) or (held and row.keys() != held.keys()):
                said = "an object with the same keys on every line, each once, is expected"
                raise InputError(f"{path}:{number}: {said}.", kind="columns", file=path, line=number)
            for name, cell in row.items():
                held.setdefault(name, []).append(cell)
    return HeldTable(path, held, first=1)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are there once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def read_parquet(path: str, packed: str, wanted: Callable[[list[str]], bool]) -> Any:
    if packed:
        raise InputError(
            f"{path}: parquet compresses its columns itself. Give the file unpacked.", kind="io", file=path
        )
    for module, function in (("polars", "read_parquet"), ("pyarrow.parquet", "read_table"), ("pandas", "read_parquet")):
        try:
            library = import_module(module)
        except ImportError:
            continue
        try:
            return getattr(library, function)(path)
        except Exception as error:
            raise InputError(f"{path}: cannot be read as parquet: {error}", kind="io", file=path) from None
    raise MissingExtraError(f"{path}: reading parquet", "frames")


READERS: dict[str, Callable[[str, str, Callable[[list[str]], bool]], Any]] = {
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
