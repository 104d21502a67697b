"""The cells of a table of utilities: a run, a request and the value of one measure each."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names
from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.evaluation_files import (
    ONE_RUN,
    harness_metrics,
    known_column,
    list_files,
    open_evaluation,
    task_name,
)
from tiebreak.inputs.evaluation_parts import check_parts, find_parts, with_text
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import maker
from tiebreak.inputs.rows import RowContents, is_blank
from tiebreak.inputs.sources import Source, calling, dict_columns
from tiebreak.inputs.tables import Table, open_source
from tiebreak.inputs.utility_measures import measure_rows, pick_measure, several_measures, value_column
from tiebreak.inputs.wide_tables import Spread, check_columns, melt

TRIAL_ADVICE = " If {column} tells repeated trials: columns={{'trial': '{column}'}}, --columns trial={column}."
EXPECTED = (
    "a csv, tsv, JSON or parquet file with columns run, request and value, a wide one with a column for every run, "
    "a data frame, {run: {request: value}} or {run: table}"
)


class Cells(NamedTuple):
    """Runs, requests and for every cell their indices and its value; what the values are called, if that is known.

    Where trials are kept, also their names and the index of every cell's; and notes on how they were read.
    """

    runs: Ids
    requests: Ids
    run: NDArray[np.int32]
    request: NDArray[np.int32]
    value: NDArray[np.float64]
    measure: str | None
    trials: Ids | None = None
    trial: NDArray[np.int32] | None = None
    notes: tuple[str, ...] = ()


def open_scores(source: Any, label: str, columns: Columns | None) -> Table | Mapping[Any, Any]:
    """A table, or a dictionary; the frame of LensKit's `RunAnalysisResult`."""
    if maker(source) == "lenskit" and hasattr(source, "list_metrics"):
        with calling("what LensKit holds"):
            source = source.list_metrics()
    if isinstance(source, (str, os.PathLike)):
        table = open_evaluation(os.fspath(source), ColumnNames(columns))
        if table is not None:
            return table
    data = open_source(source, label, columns, EXPECTED)
    assert not isinstance(data, Source), "all files hold a table"
    return data


def find_column(table: Table, role: str) -> str | None:
    """The column for a role, also of a known program's results."""
    names = table.contents.names
    column = table.columns.find_run(names, table.label, ("name",), TRIAL_ADVICE) if role == "run" else table.find(role)
    return column or known_column(role, table.columns.not_aside(role, names))


def column(table: Table, role: str) -> str:
    return find_column(table, role) or table.column(role)


def run_column(table: Table) -> str:
    """The column of runs, or an error that also says how to name the only run of a table."""
    name = find_column(table, "run")
    if name is None:
        problem = table.missing("run")
        advice = "A table of a single run is given by its name: {name: table}, --utilities NAME=FILE."
        request = find_column(table, "request")
        if request in ONE_RUN:
            advice += f" A column for every run: columns={{'request': {request!r}}}, --columns request={request}."
        raise InputError(f"{problem} {advice}", kind="columns")
    return name


def table_cells(table: Table, measure: str | None, keeps_trials: bool, run: str | None = None) -> Cells:
    """The cells of a table, of one measure where a column names several; those of a single run, if it is named."""
    spread = None if run is not None else spread_by(table, measure)
    table = table if spread is None else melt(table, spread)
    request = column(table, "request")
    runs = find_column(table, "run") if run is not None else run_column(table)
    table = replace(table, columns=table.columns.with_columns(request=request, run=runs))
    value = value_column(table, measure, None if run is None else request, is_melted=spread is not None)
    trial = table.column("trial") if keeps_trials or table.columns.names("trial") else None
    measures = None if value == measure else table.find("measure")
    roles = {"request": request, "run": runs, "measure": measures, "trial": trial if keeps_trials else None}
    coded = {role: name for role, name in roles.items() if name is not None}
    parts = find_parts(table, {*coded.values(), value, trial})
    table = fill_blanks(with_text(table, parts), value, measures)
    read = table.read([*coded.values(), *parts], request, value, booleans=True)
    ids = {role: (Ids(*names), code) for role, (names, code) in zip([*coded, *parts], read.coded, strict=True)}
    if run is not None:
        check_single_run(ids.get("run"), table.label)
        ids["run"] = Ids.from_names([run]), np.zeros(len(read.values), dtype=np.int32)
    (run_ids, run_of_row), (request_ids, request_of_row) = ids["run"], ids["request"]
    if value in harness_metrics(table.contents.names):
        measure = value
    rows, measure = measure_rows(ids.get("measure"), measure, table.label)
    check_parts({name: ids[name] for name in parts}, ids["run"], ids["request"], rows, table.label)
    trials, trial_of_row = ids.get("trial", (None, None))
    notes = () if spread is None else spread.notes
    cells = Cells(run_ids, request_ids, run_of_row, request_of_row, read.values, measure, trials, trial_of_row, notes)
    return cells if rows is None else take_rows(cells, rows)


def fill_blanks(table: Table, value: str, measures: str | None) -> Table:
    """The same table: NaN where there is no value, and objects as the names of measures as text."""
    if not isinstance(table.contents, RowContents):
        return table  # a frame has NaN already
    cells: dict[str, Callable[[Any], Any]] = {value: lambda cell: np.nan if is_blank(cell) else cell}
    if measures is not None:
        cells[measures] = lambda cell: cell if is_blank(cell) else str(cell)
    return replace(table, contents=table.contents.map(cells))


def check_single_run(runs: tuple[Ids, Any] | None, label: str) -> None:
    if runs is not None and len(runs[0]) > 1:
        several = join_names([quote(name)[1:-1] for name in runs[0]], most=5)
        raise InputError(
            f"{label}: this table is given for one run, and holds several: {several}. Give it alone; or, if its column "
            'does not name runs, columns={"run": None}, --columns run=.',
            kind="columns",
        )


def spread_by(table: Table, measure: str | None) -> Spread | None:
    """How a wide table is spread; None for other tables."""
    names = table.contents.names
    if measure in names or harness_metrics(names):
        return None
    columns = {role: find_column(table, role) for role in ("run", "request", "value")}
    keys = [role for role in ("run", "request") if columns[role] is not None]
    if len(keys) != 1 or columns["value"]:
        return None
    key = str(columns[keys[0]])
    if key in ONE_RUN and not table.columns.names("request"):
        return None
    kept = {role: name for role in ("trial", "measure") if (name := find_column(table, role)) is not None}
    taken = {key, *kept.values(), *table.columns.by_role.values()}
    spread = [name for name in table.columns.not_aside("run", names) if name not in taken]
    if not spread:
        return None
    how = Spread(key, (keys[0], "request" if keys[0] == "run" else "run"), spread, kept)
    check_columns(how, table.columns, table.label)
    return how


def take_rows(cells: Cells, rows: NDArray[np.int64]) -> Cells:
    """Some of the cells, and the runs and requests that they have."""
    runs, run = drop_unused(cells.runs, cells.run[rows])
    requests, request = drop_unused(cells.requests, cells.request[rows])
    trial = None if cells.trial is None else cells.trial[rows]
    return cells._replace(runs=runs, requests=requests, run=run, request=request, value=cells.value[rows], trial=trial)


def drop_unused(ids: Ids, codes: NDArray[np.int32]) -> tuple[Ids, NDArray[np.int32]]:
    """The ids that have a code here, and their new codes."""
    is_used = np.bincount(codes, minlength=len(ids)) > 0
    return ids.take(np.flatnonzero(is_used)), (np.cumsum(is_used) - 1)[codes].astype(np.int32)


def dict_cells(
    by_run: Mapping[Any, Any], label: str, columns: Columns | None, measure: str | None, keeps_trials: bool
) -> Cells:
    """The cells of ``{run: {request: value}}``, or with a table, or several, for every run."""
    if all(isinstance(cells, Mapping) for cells in by_run.values()):
        by_run, measure = pick_measure(by_run, measure, label)
        runs, run, request_of_row, value = dict_columns(by_run, label, ("run", "request"))
        codes = {name: code for code, name in enumerate(dict.fromkeys(request_of_row))}
        request = np.array([codes[name] for name in request_of_row], dtype=np.int32)
        return Cells(runs, Ids.from_names(codes), run, request, value, measure)
    parts = []
    for run, source in by_run.items():
        files = list_files(source)
        for one in files:
            table = open_scores(one, f"{label}, run {quote(str(run))}", columns)
            if isinstance(table, Table):
                task = task_name(one, table.contents.names) if len(files) > 1 else None
                parts.append(with_task(table_cells(table, measure, keeps_trials, str(run)), task))
            else:
                parts.append(dict_cells({run: table}, label, columns, measure, keeps_trials))
    measures = {part.measure: None for part in parts if part.measure is not None}
    if len(measures) > 1:
        raise several_measures(measures, label)
    return join_cells(parts)


def with_task(cells: Cells, task: str | None) -> Cells:
    """The same cells, with the task before the names of requests."""
    return cells if task is None else cells._replace(requests=Ids.from_names(f"{task} {q}" for q in cells.requests))


def join_cells(parts: list[Cells]) -> Cells:
    """The cells of several tables as those of one."""

    def join(ids: list[Ids], codes: list[NDArray[np.int32]]) -> tuple[Ids, NDArray[np.int32]]:
        places = {name: place for place, name in enumerate(dict.fromkeys(name for names in ids for name in names))}
        joined = [
            np.array([places[name] for name in names], dtype=np.int32)[code]
            for names, code in zip(ids, codes, strict=True)
        ]
        return Ids.from_names(places), np.concatenate(joined)

    runs, run = join([part.runs for part in parts], [part.run for part in parts])
    requests, request = join([part.requests for part in parts], [part.request for part in parts])
    trials = [(part.trials, part.trial) for part in parts if part.trials is not None and part.trial is not None]
    kept = join([ids for ids, _ in trials], [code for _, code in trials]) if len(trials) == len(parts) else ()
    return Cells(runs, requests, run, request, np.concatenate([part.value for part in parts]), parts[0].measure, *kept)
