"""Wide tables of utilities: a row for each request and a column for each run, or the other way round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tiebreak.errors import InputError, quote
from tiebreak.inputs.frames import FrameContents
from tiebreak.inputs.rows import Contents, RowContents, Rows
from tiebreak.inputs.sources import calling
from tiebreak.inputs.table_files import ParquetContents
from tiebreak.inputs.tables import Table

NO_VALUE = ("", "nan", "na", "n/a", "null", "none")
"""What a text file holds where there is no value, in any case."""


def melt(table: Table, key: str, names: tuple[str, str]) -> Table:
    """A table of which all columns beside the key hold numbers, as one with the columns `names` and value.

    Cells without a value are left out.
    """
    contents, columns = table.contents, [name for name in table.contents.names if name != key]
    if isinstance(contents, RowContents):
        rows = melt_rows(contents, contents.names.index(key), columns)
        return replace(table, contents=RowContents(contents.source, [*names, "value"], rows, contents.memory))
    frame = melt_frame(load_frame(contents, table.label, [key, *columns]), table.label, key, columns, names)
    return replace(table, contents=FrameContents(frame, table.label))


def melt_rows(contents: RowContents, key: int, columns: list[str]) -> Rows:
    places = [(name, contents.names.index(name)) for name in columns]
    for line, cells in contents.rows:
        for name, place in places:
            cell = cells[place]
            has_value = cell.strip().lower() not in NO_VALUE if isinstance(cell, str) else cell is not None
            if has_value and cell == cell:
                yield line, [cells[key], name, cell]


def load_frame(contents: Contents, label: str, names: list[str]) -> Any:
    """The frame behind a table, or that of a parquet file."""
    if isinstance(contents, ParquetContents):
        with calling(label, "as parquet"):
            frame = contents.load(names)
            return frame.read_all() if hasattr(frame, "read_all") else frame
    assert isinstance(contents, FrameContents), "tables are rows, frames or parquet files"
    return contents.frame


def melt_frame(frame: Any, label: str, key: str, columns: list[str], names: tuple[str, str]) -> Any:
    import narwhals as nw

    with calling(label):
        table = nw.from_native(frame).select(key, *columns)
        schema = table.collect_schema()
    for name in columns:
        if not (schema[name].is_numeric() or schema[name] == nw.Boolean):
            raise InputError(
                f"{label}: column {quote(name)} holds no numbers. A table without a column of values has one of "
                f"numbers for every {names[1]}: leave the others out, or say which hold run, request and value.",
                kind="columns",
            )
    with calling(label):
        # One after the other, as not all libraries can unpivot columns of several types.
        parts = [
            table.select(
                nw.col(key).alias(names[0]), nw.lit(name).alias(names[1]), nw.col(name).cast(nw.Float64).alias("value")
            )
            for name in columns
        ]
        value = nw.col("value")
        return nw.concat(parts).filter(~(value.is_null() | value.is_nan())).to_native()
