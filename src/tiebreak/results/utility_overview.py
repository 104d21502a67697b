"""Summary of a table of utilities: what every run has, what is missing or repeated, and what looks odd."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import inf, nan
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names, plural
from tiebreak.errors import quote
from tiebreak.exact.sample import Sample
from tiebreak.inputs import Ids
from tiebreak.inputs.sources import LARGEST_VALUE
from tiebreak.inputs.utilities import cell
from tiebreak.inputs.utility_cells import Cells
from tiebreak.results.cells import Cell, column
from tiebreak.results.record import Result

MOST_LISTED = 3
MOST_COMPARED = 200
"""Runs among which near-identical ones are looked for: pairs of more take long."""
NEARLY_ALL = 0.99
PERCENT = 20
"""A run that exceeds this is on another scale than runs that stay between 0 and 1."""
COSTS = re.compile(
    r"(?i)(?:^|[^a-z])(latency|cost|costs|price|error|errors|loss|time|seconds|ms|perplexity|wer|cer|mae|rmse|mse)(?:$|[^a-z])"
)


class UtilityRow(NamedTuple):
    """What one run has: requests with a value, missing ones, values beyond the first of a request, and their spread."""

    run: str
    requests: int
    missing: int
    repeated: int
    low: float
    mean: float
    high: float
    zeros: int
    distinct: int


@dataclass(frozen=True, eq=False, repr=False)
class UtilityOverview(Result):
    """Summary of a table of utilities: a row per run; warnings say what looks odd, and what to do about it.

    Attributes
    ----------
    runs : tuple of UtilityRow
    facts : tuple of str
        How large the table is, and how far it tells runs apart.
    warnings : tuple of str
    """

    runs: tuple[UtilityRow, ...]
    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    columns = UtilityRow._fields
    optional_columns = ("distinct", "zeros")
    table_cells: ClassVar[Mapping[str, Cell]] = {name: column(name) for name in UtilityRow._fields}

    def rows(self) -> tuple[UtilityRow, ...]:
        return self.runs

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.facts, *(f"Warning: {warning}" for warning in self.warnings))

    @property
    def settings(self) -> dict[str, Any]:
        return {"facts": list(self.facts), "warnings": list(self.warnings), **self.more_settings}


class Grid(NamedTuple):
    """Cells as a table: how many values every cell has, and one of them, NaN where there is none."""

    cells: Cells
    times: NDArray[np.int64]  # [run, request]
    value: NDArray[np.float64]  # [run, request]

    @classmethod
    def from_cells(cls, cells: Cells) -> Grid:
        shape = len(cells.runs), len(cells.requests)
        place = cells.run.astype(np.int64) * shape[1] + cells.request
        known = ~np.isnan(cells.value)
        times = np.bincount(place[known], minlength=shape[0] * shape[1])
        value = np.full(len(times), nan)
        value[place[known]] = cells.value[known]
        return cls(cells, times.reshape(shape), value.reshape(shape))

    def where(self, is_listed: NDArray[np.bool_]) -> str:
        """The first few of some cells, by their names."""
        places = np.argwhere(is_listed).tolist()
        names = [cell(self.cells.runs[run], self.cells.requests[request]) for run, request in places[:MOST_LISTED]]
        more = f" and {len(places) - MOST_LISTED:,} more" if len(places) > MOST_LISTED else ""
        return "; ".join(names) + more


def utility_overview(
    cells: Cells, *, missing: float | None = None, trials: str | None = None, lower_is_better: bool = False
) -> UtilityOverview:
    """What a table of utilities holds; also of one that `Utilities` refuses.

    With `missing`, `trials` and `lower_is_better`, what these settle is no warning.
    """
    grid = Grid.from_cells(cells)
    warnings = [
        *(() if missing is not None else missing_cells(grid)),
        *(() if trials is not None else repeated_cells(grid)),
        *(warning for find in WARNINGS for warning in find(grid)),
        *(() if lower_is_better else cost_names(cells.measure)),
    ]
    return UtilityOverview(tuple(run_rows(grid)), tuple(table_facts(grid)), tuple(warnings))


def run_rows(grid: Grid) -> Iterator[UtilityRow]:
    by_run = np.argsort(grid.cells.run, kind="stable")
    ends = np.cumsum(np.bincount(grid.cells.run, minlength=len(grid.cells.runs)))[:-1]
    for k, (run, of_run) in enumerate(zip(grid.cells.runs, np.split(grid.cells.value[by_run], ends), strict=True)):
        values = of_run[~np.isnan(of_run)]
        counted = int((grid.times[k] > 0).sum())
        size = (counted, grid.times.shape[1] - counted, len(values) - counted)
        is_finite = len(values) and np.abs(values).max() <= LARGEST_VALUE
        mean = float(Sample.from_floats(values).mean()) if is_finite else nan
        low, high = (float(values.min()), float(values.max())) if len(values) else (nan, nan)
        yield UtilityRow(run, *size, low, mean, high, int((values == 0).sum()), len(np.unique(values)))


def table_facts(grid: Grid) -> Iterator[str]:
    """How large the table is, and in how many requests it tells runs apart."""
    measure = f" of {grid.cells.measure}" if grid.cells.measure else ""
    size = (plural(len(grid.cells.runs), "run"), plural(len(grid.cells.requests), "request"))
    yield f"{' and '.join(size)}: {plural(int(grid.times.sum()), 'value')}{measure}."
    yield from grid.cells.notes
    is_complete = (grid.times == 1).all(axis=0)
    equal = is_complete & (grid.value == grid.value[:1]).all(axis=0)
    if len(grid.cells.runs) > 1 and equal.any():
        tied = f"In {int(equal.sum()):,} of {plural(len(equal), 'request')} all runs have the same value"
        yield f"{tied}, in {int((grid.value[0, equal] == 0).sum()):,} of them 0: these do not tell runs apart."


def missing_cells(grid: Grid) -> Iterator[str]:
    lacking = grid.times == 0
    if lacking.any():
        yield (
            f"{int(lacking.sum()):,} of {lacking.size:,} cells are missing: {grid.where(lacking)}. Every run needs the "
            "same requests; or say what a missing cell is worth, such as missing=0, --missing 0."
        )


def repeated_cells(grid: Grid) -> Iterator[str]:
    several = grid.times > 1
    if several.any():
        appear = "appears" if several.sum() == 1 else "appear"
        yield (
            f"{plural(int(several.sum()), 'cell')} {appear} several times, up to {int(grid.times.max()):,} times: "
            f"{grid.where(several)}. Keep one; only if these are repeated trials, average them: "
            'trials="mean", --trials mean.'
        )


def infinite_values(grid: Grid) -> Iterator[str]:
    beyond = np.abs(np.nan_to_num(grid.value, nan=0.0, posinf=inf, neginf=-inf)) > LARGEST_VALUE
    if beyond.any():
        yield f"Values are not finite, or beyond {LARGEST_VALUE:g}: {grid.where(beyond)}. Give finite numbers."


def constant_runs(grid: Grid) -> Iterator[str]:
    """Runs that have one value for all requests."""
    for row in run_rows(grid):
        if row.requests > 1 and row.distinct == 1:
            yield f"run {quote(row.run)} has the same value, {row.low:g}, for every request."


def identical_runs(grid: Grid) -> Iterator[str]:
    """Pairs of runs with nearly all values in common."""
    if len(grid.cells.runs) > MOST_COMPARED:
        return
    names = [quote(run) for run in grid.cells.runs]
    for x, y in combinations(range(len(names)), 2):
        both = (grid.times[x] > 0) & (grid.times[y] > 0)
        same = int((both & (grid.value[x] == grid.value[y])).sum())
        size = int(both.sum())
        if size > 1 and same >= NEARLY_ALL * size:
            yield f"runs {names[x]} and {names[y]} have the same value for {same:,} of {plural(size, 'request')}."


def other_scales(grid: Grid) -> Iterator[str]:
    """Runs that look like percentages beside runs between 0 and 1."""
    known = grid.times > 0
    low, high = (np.where(known, grid.value, end).T for end in (inf, -inf))
    low, high = low.min(axis=0), high.max(axis=0)
    large = [quote(run) for run, top in zip(grid.cells.runs, high.tolist(), strict=True) if PERCENT < top < inf]
    if large and ((low >= 0) & (high <= 1) & known.any(axis=1)).any():
        yield f"{join_names(large, most=5)} exceed {PERCENT}, while other runs are between 0 and 1: percentages?"


def similar_names(ids: Ids, what: str) -> Iterator[str]:
    """Names that differ only in case, or in spaces around them."""
    by_form: dict[str, list[str]] = {}
    for name in ids:
        by_form.setdefault(name.strip().casefold(), []).append(name)
    several = [names for names in by_form.values() if len(names) > 1]
    if several:
        pairs = join_names([" and ".join(map(quote, names)) for names in several], most=MOST_LISTED)
        yield f"{what} differ only in case or spaces: {pairs}."


def few_runs(grid: Grid) -> Iterator[str]:
    if len(grid.cells.runs) < 2:
        yield "there is one run, so that nothing can be compared."


def cost_names(measure: str | None) -> Iterator[str]:
    """Values whose name says that lower ones are better."""
    if measure and (name := COSTS.search(measure)):
        yield (
            f"{quote(measure)} sounds as if lower values were better ({name[1]}). If so: lower_is_better=True, "
            "--lower-is-better."
        )


WARNINGS: tuple[Callable[[Grid], Iterator[str]], ...] = (
    infinite_values,
    few_runs,
    constant_runs,
    identical_runs,
    other_scales,
    lambda grid: similar_names(grid.cells.runs, "runs"),
    lambda grid: similar_names(grid.cells.requests, "requests"),
)
