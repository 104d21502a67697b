"""Rows in the formats that other programs read."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from heapq import merge
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.results.files import whole_file

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from tiebreak.results.record import Result

Cell = str | int | float | tuple[str, ...] | None
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How text begins that spreadsheets run as a formula."""
FRAMES = {"polars": "DataFrame", "pandas": "DataFrame", "pyarrow": "table"}
"""Data frame libraries, and what makes a frame of a dictionary of columns in each."""


def to_frame(names: Sequence[str], rows: Iterable[Sequence[Any]], library: str | None = None) -> Any:
    """Rows as a polars or pandas frame or a pyarrow table: of this library, or of the first that is installed."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    for module in (library,) if library in FRAMES else FRAMES:
        with suppress(ImportError):
            make = getattr(import_module(module), FRAMES[module])
            return make({name: list(column) for name, column in zip(names, columns, strict=True)})
    raise MissingExtraError("to_frame()", "frames")


def plain(cell: Cell) -> str:
    """A number with all its digits; empty for None."""
    if isinstance(cell, tuple):
        return ", ".join(map(plain, cell))
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)


def write_tsv(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: SupportsWrite[str]) -> None:
    """Tab-separated, without quotes: whitespace in cells becomes single spaces."""
    for row in (header, *rows) if header else rows:
        out.write("\t".join(" ".join(plain(cell).split()) for cell in row) + "\n")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: SupportsWrite[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([plain(cell) for cell in row] for row in rows)


def write_safe_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: SupportsWrite[str]) -> None:
    """CSV with an apostrophe before text that spreadsheets would run as a formula; numbers stay numbers."""
    titles = [str(no_formula(title)) for title in header]
    write_csv(titles, ([no_formula(cell) for cell in row] for row in rows), out)


def no_formula(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_jsonl(header: Sequence[str], rows: Iterable[Sequence[Cell]], out: SupportsWrite[str]) -> None:
    """One object per line; null for NaN and infinities."""
    dumps = json.JSONEncoder(ensure_ascii=False).encode
    for row in rows:
        out.write(dumps(dict(zip(header, map(finite, row), strict=True))) + "\n")


def write_json(results: list[dict[str, Any]], out: SupportsWrite[str]) -> None:
    """A list of results, also of one: settings, notes and rows of each."""
    out.write(json.dumps(results, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def finite(value: Any) -> Any:
    """A value with null for NaN and infinities, which JSON lacks."""
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_plain(value: Any) -> Any:
    """A setting as plain data: numbers and text as they are, lists of them, and others by their names."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [as_plain(part) for part in value]
    return getattr(value, "__name__", None) or str(value)


def trec_rows(results: Sequence[Result]) -> Iterator[tuple[Any, ...]]:
    """As trec_eval prints: measure, request or ``all``, value, after the names of runs where there are several.

    The means of a run follow its requests; the measures of a request and a pair of runs follow each other. Results
    with `trec_columns` have these; rows without a measure and a value stay as they are.
    """
    runs = in_order(results, "run")
    lines = [trec_lines(result, len(runs) > 1) for result in results]
    first, last = results[0].columns, results[-1].columns
    if {"request", "other"} <= {*first}:
        requests, n_comparisons = in_order(results, "request"), sum("request" in one.columns for one in results)
        pairs = {line[:2]: k for k, line in enumerate(trec_lines(results[-1], True))}
        yield from merge(*lines[:n_comparisons], key=lambda line: (requests[line[3]], pairs[line[:2]]))
        lines = lines[n_comparisons:]
    elif len(runs) > 1 and "request" in first and "request" not in last:
        yield from merge(*lines, key=lambda line: runs[line[0]])
        return
    yield from chain.from_iterable(lines)


def in_order(results: Sequence[Result], column: str) -> dict[Any, int]:
    """The distinct values of a column, and the place of each in their order of appearance."""
    values = (record[column] for result in results if column in result.columns for record in result.records())
    return {value: k for k, value in enumerate(dict.fromkeys(values))}


def trec_lines(result: Result, are_several: bool) -> Iterator[tuple[Any, ...]]:
    """The lines of one result."""
    columns = result.trec_columns
    if not columns:
        if not {"measure", "value"} <= set(result.columns):
            yield from map(tuple, result.rows())
            return
        is_named = are_several or "other" in result.columns
        runs = (name for name in ("run", "other") if name in result.columns and is_named)
        columns = (*runs, "measure", "request", "value")
    for record in result.records():
        over = record.get("request") or record.get("group") or "all"
        yield tuple(over if name == "request" else record[name] for name in columns)


WRITERS: dict[str, Callable[[Sequence[str], Iterable[Sequence[Cell]], SupportsWrite[str]], None]] = {
    "tsv": write_tsv,
    "csv": write_csv,
    "safe csv": write_safe_csv,
    "jsonl": write_jsonl,
}


def write_parquet(header: Sequence[str], rows: Iterable[Sequence[Cell]], path: str) -> None:
    frame = to_frame(header, rows)
    with whole_file(path) as file:
        try:
            write_frame(frame, file)
        except OSError:
            raise
        except Exception as error:  # each library has its own for a full disk
            raise InputError(f"{path}: cannot be written: {error}.", kind="output", file=path) from None


def write_frame(frame: Any, file: BinaryIO) -> None:
    if hasattr(frame, "write_parquet"):
        frame.write_parquet(file)
    elif hasattr(frame, "to_parquet"):
        frame.to_parquet(file)
    else:
        from pyarrow import parquet

        parquet.write_table(frame, file)
