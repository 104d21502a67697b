"""Parts of an evaluation, such as tasks and filters: values of one request that are no trials of each other."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import plain
from tiebreak.inputs.frames import FrameContents
from tiebreak.inputs.ids import Coded
from tiebreak.inputs.rows import RowContents, is_blank
from tiebreak.inputs.table_files import ParquetContents
from tiebreak.inputs.tables import Table

PARTS = {
    *("filter", "task", "taskname", "dataset", "datasetname", "subset", "subject", "benchmark", "split"),
    "promptidx",  # of promptfoo, which tries several prompts for a test
}
"""Names, without their spelling, of columns that tell parts of an evaluation from each other."""
NOTHING = "-"


def find_parts(table: Table, used: set[str | None]) -> list[str]:
    """Columns that tell parts of an evaluation from each other, which are no trials."""
    names = table.columns.not_aside("part", table.contents.names)
    return [name for name in names if plain(name) in PARTS and name not in used]


def with_text(table: Table, names: list[str]) -> Table:
    """The same table, with text in some columns, whatever they hold."""
    contents = table.contents
    if not names:
        return table
    if isinstance(contents, RowContents):
        return replace(table, contents=contents.map(dict.fromkeys(names, text)))
    if isinstance(contents, FrameContents):
        return replace(table, contents=FrameContents(frame_with_text(contents.frame, names), table.label))
    assert isinstance(contents, ParquetContents), "tables are rows, frames or parquet files"
    load, contents = contents.load, copy(contents)
    contents.load = lambda columns: frame_with_text(load(columns), names)
    return replace(table, contents=contents)


def frame_with_text(frame: Any, names: list[str]) -> Any:
    if hasattr(frame, "read_next_batch"):
        return batches_with_text(frame, names)
    import narwhals as nw

    with suppress(Exception):  # what narwhals cannot convert is read as it is
        columns = [nw.col(name).cast(nw.String).fill_null(NOTHING) for name in names]
        return nw.from_native(frame).with_columns(*columns).to_native()
    return frame


def batches_with_text(reader: Any, names: list[str]) -> Any:
    """The same of Arrow's batches, one at a time."""
    pyarrow = import_module("pyarrow")
    schema = reader.schema
    for name in names:
        schema = schema.set(schema.get_field_index(name), pyarrow.field(name, pyarrow.string()))

    def convert(name: str, column: Any) -> Any:
        if name not in names:
            return column
        is_nested = pyarrow.types.is_nested(column.type)
        text = pyarrow.nulls(len(column), pyarrow.string()) if is_nested else column.cast(pyarrow.string())
        return text.fill_null(NOTHING)

    batches = (
        pyarrow.RecordBatch.from_arrays([*map(convert, schema.names, batch.columns)], schema=schema) for batch in reader
    )
    return pyarrow.RecordBatchReader.from_batches(schema, batches)


def text(cell: Any) -> str:
    return NOTHING if is_blank(cell) else str(cell)


def check_parts(parts: dict[str, Coded], runs: Coded, requests: Coded, rows: Any, label: str) -> None:
    """Refuse values of one run and request that are of several parts, such as tasks: they are no trials."""
    rows = np.arange(len(runs[1])) if rows is None else rows
    place = runs[1][rows].astype(np.int64) * len(requests[0]) + requests[1][rows]
    for name, (ids, code_of_row) in parts.items():
        order = np.lexsort((code_of_row[rows], place))
        code, cell = code_of_row[rows][order], place[order]
        for k in np.flatnonzero((np.diff(cell) == 0) & (np.diff(code) != 0))[:1].tolist():
            run, request = divmod(int(cell[k]), len(requests[0]))
            first, second = quote(ids[int(code[k])]), quote(ids[int(code[k + 1])])
            where = f"run {quote(runs[0][run])}, request {quote(requests[0][request])}"
            raise InputError(
                f"{label}: {where} has values of {name} {first} and of {second}. Keep the "
                f"rows of one; or, if they are repeated trials, columns={{'trial': {name!r}}}, on the command line "
                f"--columns trial={name}.",
                kind="duplicate",
            )
