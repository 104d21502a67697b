"""Rows in the formats that other programs read."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiebreak.errors import InputError, MissingExtraError
from tiebreak.results.files import whole_file

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

Value = str | int | float | tuple[str, ...] | None
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
    if library in FRAMES and library != "polars":  # which the extra brings
        raise InputError(f"a frame of {library} needs it installed: pip install {library}.", kind="library")
    raise MissingExtraError("to_frame()", "frames")


def plain(cell: Value) -> str:
    """A number with all its digits; empty for None."""
    if isinstance(cell, tuple):
        return ", ".join(map(plain, cell))
    return "" if cell is None else cell if isinstance(cell, str) else repr(cell)


def write_tsv(header: Sequence[str], rows: Iterable[Sequence[Value]], out: SupportsWrite[str]) -> None:
    """Tab-separated, without quotes: whitespace in cells becomes single spaces."""
    for row in (header, *rows) if header else rows:
        out.write("\t".join(" ".join(plain(cell).split()) for cell in row) + "\n")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Value]], out: SupportsWrite[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([plain(cell) for cell in row] for row in rows)


def write_safe_csv(header: Sequence[str], rows: Iterable[Sequence[Value]], out: SupportsWrite[str]) -> None:
    """CSV with an apostrophe before text that spreadsheets would run as a formula; numbers stay numbers."""
    titles = [str(no_formula(title)) for title in header]
    write_csv(titles, ([no_formula(cell) for cell in row] for row in rows), out)


def no_formula(cell: Value) -> Value:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_jsonl(header: Sequence[str], rows: Iterable[Sequence[Value]], out: SupportsWrite[str]) -> None:
    """One object per line; null for NaN and infinities."""
    encode = json.JSONEncoder(ensure_ascii=False).encode
    encode_name = lru_cache(maxsize=10_000)(encode)  # of runs, requests and measures, again and again

    def number(value: float) -> str:
        return float.__repr__(value) if math.isfinite(value) else "null"

    def other(value: Value) -> str:
        return number(value) if isinstance(value, float) else encode(finite(value))

    writers: dict[type, Callable[[Any], str]] = {int: int.__repr__, float: number, str: encode_name}
    keys = (encode(name).replace("%", "%%") for name in header)
    line = "{" + ", ".join(f"{key}: %s" for key in keys) + "}\n"
    for row in rows:
        out.write(line % tuple([writers.get(type(value), other)(value) for value in row]))


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


WRITERS: dict[str, Callable[[Sequence[str], Iterable[Sequence[Value]], SupportsWrite[str]], None]] = {
    "tsv": write_tsv,
    "csv": write_csv,
    "safe csv": write_safe_csv,
    "jsonl": write_jsonl,
}


def write_parquet(header: Sequence[str], rows: Iterable[Sequence[Value]], path: str) -> None:
    frame = to_frame(header, rows)
    with whole_file(path) as file:
        try:
            if hasattr(frame, "write_parquet"):
                frame.write_parquet(file)
            elif hasattr(frame, "to_parquet"):
                frame.to_parquet(file)
            else:
                import_module("pyarrow.parquet").write_table(frame, file)
        except OSError:
            raise
        except Exception as error:  # each library has its own for a full disk
            raise InputError(f"{path}: cannot be written: {error}.", kind="output", file=path) from None
