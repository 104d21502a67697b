"""Which of several measures a table of utilities holds is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shlex import quote as shell_quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.inputs.columns import list_names
from tiebreak.inputs.evaluation_files import harness_metrics
from tiebreak.inputs.ids import Coded
from tiebreak.inputs.tables import Table


def value_column(table: Table, measure: str | None, beside: str | None, is_melted: bool) -> str:
    """The column called as the measure is, else that of values; the only metric of a sample."""
    names = table.contents.names
    if table.columns.names("value") or is_melted:
        return table.column("value", beside)
    if measure in names:
        return str(measure)
    metrics = harness_metrics(names)
    if measure is not None and metrics:
        raise UnknownNameError("measure", measure, metrics)
    if len(metrics) > 1:
        raise several_measures(metrics, table.label)
    if measure is not None and table.find("measure") is None:
        value = table.find("value", beside) or "..."
        raise InputError(
            f"{table.label}: no column is called {quote(measure)}, and none names measures. There are "
            f"{list_names(names)}. Say which holds its values, such as columns={{'value': {value!r}}}, on the command "
            f"line --columns value={value}.",
            kind="measure",
        )
    return metrics[0] if metrics else table.column("value", beside)


def several_measures(names: Iterable[str], label: str) -> InputError:
    first, *_ = several = [quote(name)[1:-1] for name in names]
    return InputError(
        f"{label}: there are several measures: {join_names(several)}. Say which: measure={first!r}, on the command "
        f"line -m {shell_quote(first)}.",
        kind="measure",
    )


def measure_rows(
    measures: Coded | None, measure: str | None, label: str
) -> tuple[NDArray[np.int64] | None, str | None]:
    """The rows of the measure that was asked for, None for all of them, and its name; a single one need not be."""
    if measures is None or not len(measures[0]):
        return None, measure
    names, name_of_row = measures
    if measure is None and len(names) > 1:
        raise several_measures(names, label)
    measure = names[0] if measure is None else measure
    if measure not in names:
        raise UnknownNameError("measure", measure, names)
    return np.flatnonzero(name_of_row == names.place(measure, "measure")), measure


def pick_measure(
    by_run: Mapping[Any, Mapping[Any, Any]], measure: str | None, label: str
) -> tuple[Mapping[Any, Mapping[Any, Any]], str | None]:
    """The values of one measure in ``{run: {request: {measure: value}}}``, as pytrec_eval gives them by request."""
    requests = [cells for by_request in by_run.values() for cells in by_request.values()]
    if not (requests and all(isinstance(cells, Mapping) for cells in requests)):
        if measure is not None and by_run and all(measure in by_request for by_request in by_run.values()):
            problem = f"{quote(measure)} is a measure, and stands here for a request"
            raise InputError(
                f"{label}: {problem}. Values of several measures are given with the name of their run: "
                "{run: {request: {measure: value}}}.",
                kind="measure",
            )
        return by_run, measure
    names = [*dict.fromkeys(name for cells in requests for name in cells)]
    if not names:
        return {run: {} for run in by_run}, measure
    if measure is None and len(names) > 1:
        raise several_measures(map(str, names), label)
    measure = str(names[0]) if measure is None else measure
    if measure not in names:
        raise UnknownNameError("measure", measure, map(str, names))
    picked = {
        run: {request: cells[measure] for request, cells in by_request.items() if measure in cells}
        for run, by_request in by_run.items()
    }
    return picked, measure
