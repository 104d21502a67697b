"""Utilities: a number for every run and request, from any source; no rankings are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice, check_number
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues
from tiebreak.exact.sample import Sample
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.sources import LARGEST_VALUE, Path, Values
from tiebreak.inputs.tables import Table
from tiebreak.inputs.trials import TRIALS, average_trials, keep_trials
from tiebreak.inputs.utility_cells import Cells, dict_cells, open_scores, table_cells

MOST_LISTED = 5
LOWER = "Utilities are minus the values given, of which lower is better."


@dataclass(frozen=True, eq=False)
class UtilityTable:
    """Utilities [run, request]: the higher the better, finite, one for every run and request.

    `weights` say how much each request counts where a population allows it; `exact` are the exact values, where the
    utilities are those of a metric; `library` is the data frame library of the input; `measure` names the values.
    `origins` are the requests of which the columns are trials; `notes` say how it was read.
    """

    runs: tuple[str, ...]
    requests: Ids
    values: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    exact: ExactValues | None = None
    library: str | None = None
    measure: str = "utility"
    origins: Ids | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def from_exact(
        cls, runs: tuple[str, ...], requests: Ids, exact: ExactValues, library: str | None = None
    ) -> UtilityTable:
        """Exact values, of the requests for which every run has one."""
        known = np.flatnonzero(~np.isnan(exact.nearest).any(axis=0))
        some = exact.take_columns(known)
        return cls(runs, requests.take(known), some.nearest, exact=some, library=library)

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

    def codes(self) -> NDArray[Any]:
        """Numbers [run, request] that order and tie as the exact utilities do."""
        return self.values if self.exact is None else self.exact.codes()

    def sample(self, row: int) -> Sample:
        """The utilities of one run, as exact numbers."""
        if self.exact is not None:
            return self.exact.sample(row)
        return replace(self, values=self.values[row : row + 1]).numbers.sample(0)

    def samples(self, by_place: bool = False) -> Iterator[Sample]:
        """The utilities of every run; `by_place` is for who asks only for lengths, sums of the lowest, and places."""
        return map(self.sample, range(len(self.runs)))

    def smallest(self) -> float:
        """The smallest utility of all runs."""
        return float(self.values.min())

    def zeros(self) -> NDArray[np.int64]:
        """Requests of every run with a utility of 0."""
        is_zero = self.values == 0 if self.exact is None else (self.values == 0) & (self.exact.rest == 0)
        return np.asarray(is_zero.sum(axis=1))

    def remember(self) -> UtilityTable:
        """The same, of which no exact value is computed twice."""
        return replace(self, exact=None if self.exact is None else self.exact.remember())

    def take(self, places: NDArray[np.int64]) -> UtilityTable:
        """Some of the requests."""
        return replace(
            self,
            requests=self.requests.take(places),
            values=self.values[:, places],
            weights=None if self.weights is None else self.weights[places],
            origins=None if self.origins is None else self.origins.take(places),
            exact=None if self.exact is None else self.exact.take_columns(places),
        )

    def take_runs(self, places: list[int]) -> UtilityTable:
        """Some of the runs."""
        return replace(
            self,
            runs=tuple(self.runs[k] for k in places),
            values=self.values[places],
            exact=None if self.exact is None else self.exact.take_rows(places),
        )


def read_utilities(
    source: Path | Values | Any,
    *,
    columns: Columns | None = None,
    missing: float | None = None,
    lower_is_better: bool = False,
    measure: str | None = None,
    trials: str | None = None,
) -> UtilityTable:
    """Read a table of utilities; parameters as in `Utilities`."""
    if missing is not None:
        check_number(missing, "missing", low=-LARGEST_VALUE, high=LARGEST_VALUE)
    label, library, cells, origins = read_cells(source, columns, measure, trials)
    values, exact = fill_table(cells, missing, label, trials == "mean")
    if lower_is_better:
        values, exact = 0.0 - values, None if exact is None else -exact
    more: dict[str, Any] = {"exact": exact, "library": library, "origins": origins, "notes": cells.notes}
    return UtilityTable(tuple(cells.runs), cells.requests, values, measure=cells.measure or "utility", **more)


def read_cells(
    source: Path | Values | Any, columns: Columns | None, measure: str | None, trials: str | None
) -> tuple[str, str | None, Cells, Ids | None]:
    """What the table is called, its data frame library, its cells, and the requests of which they are trials."""
    if trials is not None:
        check_choice(trials, "trials", TRIALS)
    data = open_scores(source, "the utilities", columns)
    if isinstance(data, Table):
        label, library, cells = data.label, data.library, table_cells(data, measure, trials == "keep")
    else:
        label, library = "the utilities", None
        cells = dict_cells(data, label, columns, measure, trials == "keep")
    if not len(cells.value):
        raise InputError(f"{label}: the table is empty. Give at least one run and one request.", kind="empty")
    if trials != "keep":
        return label, library, cells, None
    if cells.trials is None or cells.trial is None:
        raise InputError(f"{label}: trials are kept by their names. Give a table with a column trial.", kind="trials")
    requests, request, origins = keep_trials(cells.requests, cells.request, cells.trials, cells.trial)
    return label, library, cells._replace(requests=requests, request=request), origins


def fill_table(
    cells: Cells, missing: float | None, label: str, averages: bool
) -> tuple[NDArray[np.float64], ExactValues | None]:
    """The table [run, request] of cells, each once and finite; or the means of several, also as exact numbers."""
    runs, requests, run, request, value = cells[:5]
    for row in np.flatnonzero(np.abs(value) > LARGEST_VALUE)[:1].tolist():
        where = cell(runs[run[row]], requests[int(request[row])])
        raise InputError(
            f"{label}: the utility of {where} is {value[row]}. Give a finite number, not beyond {LARGEST_VALUE:g}.",
            kind="score",
        )
    place = run.astype(np.int64) * len(requests) + request
    times = np.bincount(place, minlength=len(runs) * len(requests))
    for twice in np.flatnonzero(times > 1)[:1].tolist() if not averages else ():
        where = cell(runs[twice // len(requests)], requests[twice % len(requests)])
        advice = 'Keep one; only if these are repeated trials, average them: trials="mean", --trials mean'
        raise InputError(f"{label}: {where} appears twice. {advice}.", kind="duplicate")
    absent, is_blank = np.flatnonzero(times == 0), np.isnan(value)
    lacking = np.union1d(absent, place[is_blank])
    if len(lacking) and missing is None:
        first = [cell(runs[k // len(requests)], requests[k % len(requests)]) for k in lacking[:MOST_LISTED].tolist()]
        more = f" and {len(lacking) - len(first):,} more" if len(lacking) > len(first) else ""
        raise InputError(
            f"{label}: {len(lacking):,} of {len(times):,} cells are missing: {'; '.join(first)}{more}. "
            "Every run needs the same requests; or say what a missing cell is worth, such as missing=0, --missing 0.",
            kind="missing",
        )
    shape, default = (len(runs), len(requests)), 0.0 if missing is None else missing
    value = np.where(is_blank, default, value)
    if averages:
        filled = np.concatenate([value, np.full(len(absent), default)])
        exact = average_trials(np.concatenate([place, absent]), filled, shape)
        return exact.nearest, exact
    table = np.full(len(times), default, dtype=np.float64)
    table[place] = value
    return table.reshape(shape) + 0.0, None


def cell(run: str, request: str) -> str:
    return f"run {quote(run)}, request {quote(request)}"
