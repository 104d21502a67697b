"""Utilities: a number for every run and request, from any source; no rankings are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues
from tiebreak.exact.sample import Sample
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.sources import LARGEST_VALUE, Path, Source, Values
from tiebreak.inputs.tables import Table, open_source
from tiebreak.inputs.utility_cells import EXPECTED, dict_cells, table_cells, unpack_scores

MOST_LISTED = 5


@dataclass(frozen=True, eq=False)
class UtilityTable:
    """Utilities [run, request]: the higher the better, finite, one for every run and request.

    `weights` say how much each request counts where a population allows it; `exact` are the exact values, where the
    utilities are those of a metric; `library` is the data frame library of the input; `measure` names the values.
    """

    runs: tuple[str, ...]
    requests: Ids
    values: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    exact: ExactValues | None = None
    library: str | None = None
    measure: str = "utility"

    def __post_init__(self) -> None:
        assert self.exact is None or np.array_equal(self.values, self.exact.nearest), "values are changed with `exact`"

    @property
    def numbers(self) -> ExactValues:
        """The utilities as exact numbers."""
        if self.exact is not None:
            return self.exact
        return (
            ExactValues.from_exact(self.values) if self.values.dtype == object else ExactValues.from_floats(self.values)
        )

    def sample(self, row: int) -> Sample:
        """The utilities of one run, as exact numbers."""
        if self.exact is not None:
            return self.exact.sample(row)
        return replace(self, values=self.values[row : row + 1]).numbers.sample(0)

    def samples(self) -> Iterator[Sample]:
        """The utilities of every run."""
        return map(self.sample, range(len(self.runs)))

    def take(self, places: NDArray[np.int64]) -> UtilityTable:
        """Some of the requests."""
        return replace(
            self,
            requests=self.requests.take(places),
            values=self.values[:, places],
            weights=None if self.weights is None else self.weights[places],
            exact=None if self.exact is None else self.exact.take_columns(places),
        )


def read_utilities(
    source: Path | Values | Any,
    *,
    columns: Columns | None = None,
    missing: float | None = None,
    lower_is_better: bool = False,
    measure: str | None = None,
) -> UtilityTable:
    """Read a table of utilities; parameters as in `Utilities`."""
    if missing is not None:
        check_number(missing, "missing", low=-LARGEST_VALUE, high=LARGEST_VALUE)
    data = open_source(unpack_scores(source), "the utilities", columns, EXPECTED)
    assert not isinstance(data, Source), "all files hold a table"
    if isinstance(data, Table):
        label, library, cells = data.label, data.library, table_cells(data, measure)
    else:
        label, library = "the utilities", None
        cells = dict_cells(data, label, columns, measure)
    table = fill_table(tuple(cells.runs), cells.requests, cells.run, cells.request, cells.value, missing, label)
    values = 0.0 - table if lower_is_better else table
    return UtilityTable(tuple(cells.runs), cells.requests, values, library=library, measure=cells.measure or "utility")


def fill_table(
    runs: tuple[str, ...],
    requests: Ids,
    run: NDArray[np.int32],
    request: NDArray[np.int32],
    value: NDArray[np.float64],
    missing: float | None,
    label: str,
) -> NDArray[np.float64]:
    """The table [run, request] of rows; every cell once, and finite."""
    if not len(value):
        raise InputError(f"{label}: the table is empty. Give at least one run and one request.", kind="empty")
    for row in np.flatnonzero(~(np.abs(value) <= LARGEST_VALUE))[:1].tolist():
        where = cell(runs[run[row]], requests[int(request[row])])
        raise InputError(
            f"{label}: the utility of {where} is {value[row]}. Give a finite number, not beyond {LARGEST_VALUE:g}.",
            kind="score",
        )
    place = run.astype(np.int64) * len(requests) + request
    times = np.bincount(place, minlength=len(runs) * len(requests))
    for twice in np.flatnonzero(times > 1)[:1].tolist():
        where = cell(runs[twice // len(requests)], requests[twice % len(requests)])
        raise InputError(f"{label}: {where} appears twice. Keep one.", kind="duplicate")
    absent = np.flatnonzero(times == 0)
    if len(absent) and missing is None:
        first = [cell(runs[k // len(requests)], requests[k % len(requests)]) for k in absent[:MOST_LISTED].tolist()]
        more = f" and {len(absent) - len(first):,} more" if len(absent) > len(first) else ""
        raise InputError(
            f"{label}: {len(absent):,} of {len(times):,} cells are missing: {'; '.join(first)}{more}. "
            "Every run needs the same requests; or say what a missing cell is worth, such as missing=0, --missing 0.",
            kind="missing",
        )
    table = np.full(len(times), 0.0 if missing is None else missing, dtype=np.float64)
    table[place] = value
    return table.reshape(len(runs), len(requests)) + 0.0


def cell(run: str, request: str) -> str:
    return f"run {quote(run)}, request {quote(request)}"
