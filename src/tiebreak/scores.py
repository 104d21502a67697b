"""Scores: one number per run, request and measure, and their means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import UnknownNameError
from tiebreak.exact import ExactValues, Number
from tiebreak.exact.intervals import half_width
from tiebreak.exact.sample import Sample
from tiebreak.inputs import Ids
from tiebreak.metrics import Metric
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, Row, text
from tiebreak.results.record import LazyRows, Result, Rows


class Score(NamedTuple):
    """One value."""

    run: str
    request: str
    measure: str
    value: float


class Mean(NamedTuple):
    """The mean of one measure for one run; of counts the sum, of ``gm`` the geometric mean."""

    run: str
    measure: str
    value: float
    n_requests: int


class MeanInterval(NamedTuple):
    """A mean with its 95% interval by Student's t over requests."""

    run: str
    measure: str
    value: float
    low: float
    high: float
    n_requests: int


@dataclass(frozen=True, eq=False, repr=False)
class Means(Rows[Mean]):
    """The means of all measures for all runs.

    Attributes
    ----------
    best : frozenset of (str, str)
        Run and measure of every best mean; all of them where runs tie.
    counts : frozenset of str
        Measures that are whole numbers, and shown as such.
    """

    best: frozenset[tuple[str, str]] = frozenset()
    counts: frozenset[str] = frozenset()
    columns = Mean._fields
    spread = "measure"

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": value_or_count(self.counts)}

    def is_marked(self, row: Row) -> bool:
        return (row["run"], row["measure"]) in self.best

    def to_flat_dict(self) -> dict[str, float]:
        """``{"run/measure": mean}``, as experiment trackers like it."""
        return {f"{row.run}/{row.measure}": row.value for row in self.values}


class MeanIntervals(Rows[MeanInterval]):
    """The means of all measures for all runs, with 95% intervals."""

    columns = MeanInterval._fields


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """Values [run, request, measure]; NaN where a request has nothing relevant for that measure.

    Attributes
    ----------
    runs : tuple of str
    requests : Ids
    measures : tuple of str
        As they were asked for.
    metrics : tuple of Metric
    exact : tuple of ExactValues
        The exact values of every measure.
    notes : tuple of str
        Omissions and assumptions.
    figures : dict
        For measures of a whole run, which have no values for requests, the exact figure of every run.
    """

    runs: tuple[str, ...]
    requests: Ids
    measures: tuple[str, ...]
    metrics: tuple[Metric, ...]
    exact: tuple[ExactValues, ...]
    notes: tuple[str, ...] = ()
    figures: Mapping[str, list[Number]] = field(default_factory=dict)
    columns = Score._fields
    spread = "measure"

    @property
    def _counts(self) -> frozenset[str]:
        return frozenset(
            name for name, metric in zip(self.measures, self.metrics, strict=True) if metric.total == "sum"
        )

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": value_or_count(self._counts)}

    @cached_property
    def values(self) -> Floats:
        """The floats nearest the exact values: [run, request, measure]."""
        return np.stack([exact.nearest for exact in self.exact], axis=-1)

    def __getitem__(self, measure: str) -> Floats:
        """The values [run, request] of one measure."""
        if measure not in self.measures:
            raise UnknownNameError("measure", measure, self.measures)
        return self.values[:, :, self.measures.index(measure)]

    @property
    def settings(self) -> dict[str, Any]:
        return {"measures": list(self.measures), **self.more_settings}

    def rows(self) -> Sequence[Score]:
        """Every value, by run, then request, then measure; without what is left out."""
        return LazyRows(int(np.count_nonzero(~np.isnan(self.values))), self._rows)

    def _rows(self) -> Iterator[Score]:
        requests = list(self.requests)
        known = np.flatnonzero((~np.isnan(self.values)).any(axis=(0, 2))).tolist()
        for r, run in enumerate(self.runs):
            for q in known:
                for measure, value in zip(self.measures, self.values[r, q].tolist(), strict=True):
                    if value == value:
                        yield Score(run, requests[q], measure, value)

    def summary(self) -> Means:
        """Means over requests, exactly rounded."""
        best = {(self.runs[r], measure) for k, measure in enumerate(self.measures) for r in self._best(k)}
        return Means(
            tuple(self._means()),
            self.notes,
            frozenset(best),
            self._counts,
            library=self.library,
            more_settings=self.settings,
        )

    def intervals(self) -> MeanIntervals:
        """Means over requests with 95% intervals, by Student's t."""
        notes = ("95% intervals, by Student's t.", *self.notes)
        rows = tuple(map(self._interval, self._means()))
        return MeanIntervals(rows, notes, library=self.library, more_settings=self.settings)

    def to_flat_dict(self) -> dict[str, float]:
        """``{"run/measure": mean}``, as experiment trackers like it."""
        return self.summary().to_flat_dict()

    @cached_property
    def mean(self) -> Floats:
        """Means over requests, exactly rounded: [run, measure]."""
        return np.array([[float(mean) for mean in of_run] for of_run in zip(*self.exact_means, strict=True)])

    @cached_property
    def exact_means(self) -> list[list[Number | float]]:
        """The exact mean of every measure and run, or its other total: [measure][run]; NaN without values."""
        return [
            [*self.figures[measure]]
            if measure in self.figures
            else [total(exact.sample(r), metric.total) for r in range(len(self.runs))]
            for measure, metric, exact in zip(self.measures, self.metrics, self.exact, strict=True)
        ]

    def _means(self) -> Iterator[Mean]:
        known = (~np.isnan(self.values)).sum(axis=1).tolist()
        for r, run in enumerate(self.runs):
            for k, measure in enumerate(self.measures):
                counted = len(self.requests) if measure in self.figures else known[r][k]
                yield Mean(run, measure, float(self.mean[r, k]), counted)

    def _interval(self, mean: Mean) -> MeanInterval:
        k = self.measures.index(mean.measure)
        values = self.values[self.runs.index(mean.run), :, k]
        squares = (values[~np.isnan(values)] - mean.value) ** 2
        margin = half_width(squares, mean.n_requests) if self.metrics[k].total == "mean" else nan
        low, high = mean.value - margin, mean.value + margin
        return MeanInterval(mean.run, mean.measure, mean.value, low, high, mean.n_requests)

    def _best(self, k: int) -> Iterator[int]:
        """The runs with the best mean of a measure, all of them where runs tie; none where there is one run."""
        known = {r: mean for r, mean in enumerate(self.exact_means[k]) if isinstance(mean, Number)}
        if len(self.runs) > 1 and known and self.metrics[k].traits.has_direction:
            best = (min if self.metrics[k].traits.lower_is_better else max)(known.values())
            yield from (r for r, mean in known.items() if mean == best)


def value_or_count(counts: frozenset[str]) -> Cell:
    """The value of a row; of measures that are counts, without decimals."""

    def cell(row: Row, digits: int) -> str:
        value = row["value"]
        return text(int(value) if row["measure"] in counts and isfinite(value) else value, digits)

    return cell


def total(values: Sample, kind: str) -> Number | float:
    """The exact mean, sum or geometric mean; NaN where there is no value."""
    if not len(values):
        return nan
    if kind == "geometric mean":
        from tiebreak.exact.roots import geometric_mean

        return geometric_mean(values)
    return values.total() if kind == "sum" else values.mean()
