"""The cells of a table of utilities: a run, a request and the value of one measure each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.evaluation_files import harness_metrics, known_column, open_evaluation
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import maker
from tiebreak.inputs.sources import Source, calling, dict_columns
from tiebreak.inputs.tables import Table, open_source
from tiebreak.inputs.wide_tables import melt

EXPECTED = (
    "a csv, tsv, JSON or parquet file with columns run, request and value, a wide one with a column for every run, "
    "a data frame, {run: {request: value}} or {run: table}"
)


class Cells(NamedTuple):
    """Runs, requests and for every cell their indices and its value; what the values are called, if that is known.

    Where trials are kept, also their names and the index of every cell's.
    """

    runs: Ids
    requests: Ids
    run: NDArray[np.int32]
    request: NDArray[np.int32]
    value: NDArray[np.float64]
    measure: str | None
    trials: Ids | None = None
    trial: NDArray[np.int32] | None = None


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
    return table.find(role) or known_column(role, table.contents.names)


def column(table: Table, role: str) -> str:
    return find_column(table, role) or table.column(role)


def run_column(table: Table) -> str:
    """The column of runs, or an error that also says how to name the only run of a table."""
    name = find_column(table, "run")
    if name is None:
        problem = table.columns.missing("run", table.contents.names, table.label)
        advice = "A table of a single run is given by its name: {name: table}, --utilities NAME=FILE."
        raise InputError(f"{problem} {advice}", kind="columns")
    return name


def table_cells(table: Table, measure: str | None, keeps_trials: bool, run: str | None = None) -> Cells:
    """The cells of a table, of one measure where a column names several; those of a single run, if it is named."""
    if run is None and (spread := spread_by(table, measure)) is not None:
        table = melt(table, *spread)
    request = column(table, "request")
    runs = find_column(table, "run") if run is not None else run_column(table)
    value = value_column(table, measure, beside=None if run is None else request)
    measures = "measure" if "measure" in table.contents.names and value != measure else None
    trials = table.column("trial") if keeps_trials else None
    roles = {"request": request, "run": runs, "measure": measures, "trial": trials}
    coded = {role: name for role, name in roles.items() if name is not None}
    read = table.read([*coded.values()], request, value, booleans=True)
    ids = {role: (Ids(*names), code) for role, (names, code) in zip(coded, read.coded, strict=True)}
    if run is not None:
        check_single_run(ids.get("run"), table.label)
        ids["run"] = Ids.from_names([run]), np.zeros(len(read.values), dtype=np.int32)
    (run_ids, run_of_row), (request_ids, request_of_row) = ids["run"], ids["request"]
    cells = Cells(run_ids, request_ids, run_of_row, request_of_row, read.values, measure, *ids.get("trial", ()))
    return only_measure(cells, *ids["measure"], table.label) if measures else cells


def check_single_run(runs: tuple[Ids, Any] | None, label: str) -> None:
    if runs is not None and len(runs[0]) > 1:
        several = join_names([quote(name)[1:-1] for name in runs[0]], most=5)
        raise InputError(
            f"{label}: this table is given for one run, and holds several: {several}. Give it alone; or, if its column "
            'does not name runs, columns={"run": None}, --columns run=.',
            kind="columns",
        )


def spread_by(table: Table, measure: str | None) -> tuple[str, tuple[str, str]] | None:
    """The key of a wide table, and what it and the names of the other columns are; None for other tables."""
    columns = {role: find_column(table, role) for role in ("run", "request", "value")}
    keys = [role for role in ("run", "request") if columns[role] is not None]
    names = table.contents.names
    if len(keys) != 1 or columns["value"] or measure in names or harness_metrics(names) or len(names) < 2:
        return None
    return str(columns[keys[0]]), (keys[0], "request" if keys[0] == "run" else "run")


def value_column(table: Table, measure: str | None, beside: str | None = None) -> str:
    """The column called as the measure is, else that of values; the only metric of a sample."""
    names = table.contents.names
    if measure in names and not table.columns.names("value"):
        return str(measure)
    metrics = [] if table.columns.names("value") else harness_metrics(names)
    if len(metrics) > 1:
        raise several_measures(metrics, f": measure={metrics[0]!r}, --columns value={metrics[0]}", table.label)
    return metrics[0] if metrics else table.column("value", beside)


def several_measures(names: Iterable[str], how: str, label: str) -> InputError:
    several = join_names([quote(name)[1:-1] for name in names])
    return InputError(f"{label}: there are several measures: {several}. Say which{how}.", kind="measure")


def only_measure(cells: Cells, names: Ids, name_of_row: NDArray[np.int32], label: str) -> Cells:
    """The cells of the measure that was asked for; a single one need not be."""
    if len(names) < 2:
        return cells if cells.measure or not names else cells._replace(measure=names[0])
    if cells.measure is None:
        raise several_measures(names, f" in Python: measure={names[0]!r}; or keep the rows of one", label)
    if cells.measure not in names:
        raise UnknownNameError("measure", cells.measure, names)
    rows = np.flatnonzero(name_of_row == names.place(cells.measure, "measure"))
    runs, run = drop_unused(cells.runs, cells.run[rows])
    requests, request = drop_unused(cells.requests, cells.request[rows])
    trial = None if cells.trial is None else cells.trial[rows]
    return Cells(runs, requests, run, request, cells.value[rows], cells.measure, cells.trials, trial)


def drop_unused(ids: Ids, codes: NDArray[np.int32]) -> tuple[Ids, NDArray[np.int32]]:
    """The ids that have a code here, and their new codes."""
    is_used = np.bincount(codes, minlength=len(ids)) > 0
    return ids.take(np.flatnonzero(is_used)), (np.cumsum(is_used) - 1)[codes].astype(np.int32)


def dict_cells(
    by_run: Mapping[Any, Any], label: str, columns: Columns | None, measure: str | None, keeps_trials: bool
) -> Cells:
    """The cells of ``{run: {request: value}}``, or with a table for every run."""
    if all(isinstance(cells, Mapping) for cells in by_run.values()):
        runs, run, request_of_row, value = dict_columns(by_run, label, ("run", "request"))
        codes = {name: code for code, name in enumerate(dict.fromkeys(request_of_row))}
        request = np.array([codes[name] for name in request_of_row], dtype=np.int32)
        return Cells(runs, Ids.from_names(codes), run, request, value, measure)
    parts = []
    for run, source in by_run.items():
        table = open_scores(source, f"{label}, run {quote(str(run))}", columns)
        if isinstance(table, Table):
            parts.append(table_cells(table, measure, keeps_trials, str(run)))
        else:
            parts.append(dict_cells({run: table}, label, columns, measure, keeps_trials))
    return join_cells(parts)


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
