"""The cells of a table of utilities: a run, a request and the value of one measure each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import is_frame, maker
from tiebreak.inputs.sources import calling, dict_columns
from tiebreak.inputs.tables import Table, frame_table

EXPECTED = (
    "a csv, tsv, JSON lines or parquet file with columns run, request and value, a data frame, "
    "{run: {request: value}} or {run: frame}"
)


class Cells(NamedTuple):
    """Runs, requests and for every cell their indices and its value; what the values are called, if that is known."""

    runs: Ids
    requests: Ids
    run: NDArray[np.int32]
    request: NDArray[np.int32]
    value: NDArray[np.float64]
    measure: str | None


def unpack_scores(source: Any) -> Any:
    """The frame of LensKit's `RunAnalysisResult`; anything else as it is."""
    if maker(source) == "lenskit" and hasattr(source, "list_metrics"):
        with calling("what LensKit holds"):
            return source.list_metrics()
    return source


def table_cells(table: Table, measure: str | None) -> Cells:
    """The cells of a table with a column for runs; of one measure where a column names several."""
    run, request, value = table.column("run"), table.column("request"), value_column(table, measure)
    is_long = "measure" in table.contents.names and value != measure
    read = table.read([request, run, *(["measure"] if is_long else [])], request, value)
    (requests, request_of_row), (runs, run_of_row), *measures = ((Ids(*ids), code) for ids, code in read.coded)
    cells = Cells(runs, requests, run_of_row, request_of_row, read.values, measure)
    return only_measure(cells, *measures[0], table.label) if measures else cells


def value_column(table: Table, measure: str | None, beside: str | None = None) -> str:
    """The column called as the measure is, else that of values."""
    is_wide = measure in table.contents.names and not table.columns.names("value")
    return str(measure) if is_wide else table.column("value", beside)


def only_measure(cells: Cells, names: Ids, name_of_row: NDArray[np.int32], label: str) -> Cells:
    """The cells of the measure that was asked for; a single one need not be."""
    if len(names) < 2:
        return cells if cells.measure or not names else cells._replace(measure=names[0])
    several = join_names([quote(name)[1:-1] for name in names])
    if cells.measure is None:
        raise InputError(
            f"{label}: there are several measures: {several}. Say which in Python: measure={names[0]!r}; or keep the "
            "rows of one.",
            kind="measure",
        )
    if cells.measure not in names:
        raise UnknownNameError("measure", cells.measure, names)
    rows = np.flatnonzero(name_of_row == names.place(cells.measure, "measure"))
    runs, run = drop_unused(cells.runs, cells.run[rows])
    requests, request = drop_unused(cells.requests, cells.request[rows])
    return Cells(runs, requests, run, request, cells.value[rows], cells.measure)


def drop_unused(ids: Ids, codes: NDArray[np.int32]) -> tuple[Ids, NDArray[np.int32]]:
    """The ids that have a code here, and their new codes."""
    is_used = np.bincount(codes, minlength=len(ids)) > 0
    return ids.take(np.flatnonzero(is_used)), (np.cumsum(is_used) - 1)[codes].astype(np.int32)


def dict_cells(by_run: Mapping[Any, Any], label: str, columns: Columns | None, measure: str | None) -> Cells:
    """The cells of ``{run: {request: value}}``, or with a table for every run."""
    values, names = dict(by_run), ColumnNames(columns)
    for run, cells in by_run.items():
        if is_frame(frame := unpack_scores(cells)):
            values[run] = request_values(frame_table(frame, f"{label}, run {quote(str(run))}", names), measure)
    runs, run, request_of_row, value = dict_columns(values, label, ("run", "request"))
    codes = {name: code for code, name in enumerate(dict.fromkeys(request_of_row))}
    request = np.array([codes[name] for name in request_of_row], dtype=np.int32)
    return Cells(runs, Ids.from_names(codes), run, request, value, measure)


def request_values(table: Table, measure: str | None) -> dict[str, float]:
    """The values of one run by request: those of a table with a row for each."""
    request = table.column("request")
    read = table.read([request], request, value_column(table, measure, beside=request))
    ((ids, code),) = read.coded
    names = list(Ids(*ids))
    if len(code) > len(names):
        raise InputError(f"{table.label}: a request has several rows. Keep one of each.", kind="duplicate")
    return dict(zip((names[k] for k in code.tolist()), read.values.tolist(), strict=True))
