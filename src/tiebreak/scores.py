"""Scores: one number per run, request and measure, and their means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import UnknownNameError
from tiebreak.exact import ExactValues, Number
from tiebreak.inputs import Ids
from tiebreak.means import half_width, mean_of, sum_of
from tiebreak.metrics import Metric
from tiebreak.projection.primitives import Floats
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.words import many


class Row(NamedTuple):
    """One value."""

    run: str
    request: str
    measure: str
    value: float


class Mean(NamedTuple):
    """The mean of one measure for one run, with its 95% interval by Student's t over requests; of counts the sum."""

    run: str
    measure: str
    mean: float
    low: float
    high: float
    n_requests: int


@dataclass(frozen=True, eq=False, repr=False)
class Means(Shown):
    """The means of all measures for all runs."""

    rows: tuple[Mean, ...]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{run: {measure: mean}}``."""
        means: dict[str, dict[str, float]] = {}
        for row in self.rows:
            means.setdefault(row.run, {})[row.measure] = row.mean
        return means

    def to_frame(self) -> Any:
        return self._frame(Mean._fields, self.rows)

    def table(self, digits: int = 4) -> Table:
        """A row per run and measure, with the 95% interval of each mean."""
        rows = (
            (row.run, row.measure, *(f"{v:.{digits}f}" for v in (row.mean, row.low, row.high)), f"{row.n_requests:,}")
            for row in self.rows
        )
        return Table(
            ("run", "measure", "mean", "low", "high", "requests"), tuple(rows), ("95% intervals, by Student's t.",)
        )


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """Values [run, request, measure]; NaN where a request has nothing relevant for that measure.

    Attributes
    ----------
    runs : tuple of str
    requests : Ids
    measures : tuple of str
        As they were asked for.
    metrics : tuple of Metric
    values : array [run, request, measure]
        The floats nearest the exact values.
    exact : tuple of ExactValues
        The exact values of every measure.
    notes : tuple of str
        What was left out and which choices were made.
    """

    runs: tuple[str, ...]
    requests: Ids
    measures: tuple[str, ...]
    metrics: tuple[Metric, ...]
    values: Floats
    exact: tuple[ExactValues, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=())

    def __getitem__(self, measure: str) -> Floats:
        """The values [run, request] of one measure."""
        if measure not in self.measures:
            raise UnknownNameError("measure", measure, self.measures)
        return self.values[:, :, self.measures.index(measure)]

    def mean(self) -> Means:
        """Means over requests, exactly rounded, with 95% intervals."""
        return Means(tuple(self._intervals()), library=self.library)

    def _intervals(self) -> Iterator[Mean]:
        for r, run in enumerate(self.runs):
            for k, measure in enumerate(self.measures):
                known = self.values[r, :, k][~np.isnan(self.values[r, :, k])]
                mean = float(self.exact_means[k][r])
                margin = nan if self.metrics[k].is_summed else half_width((known - mean) ** 2, len(known))
                yield Mean(run, measure, mean, mean - margin, mean + margin, len(known))

    @cached_property
    def exact_means(self) -> tuple[list[Number | float], ...]:
        """For every measure the exact mean of every run, of counts the sum; NaN where it has no value."""
        return tuple(
            [sum_of(one.sample(r)) if m.is_summed else mean_of(one.sample(r)) for r in range(len(self.runs))]
            for m, one in zip(self.metrics, self.exact, strict=True)
        )

    def _means(self, r: int) -> list[float]:
        return [float(means[r]) for means in self.exact_means]

    def per_request(self) -> Iterator[Row]:
        """Every value, by run, then request, then measure; without what is left out."""
        for r, run in enumerate(self.runs):
            for q, request in self._counted:
                for measure, value in zip(self.measures, self.values[r, q].tolist(), strict=True):
                    if value == value:
                        yield Row(run, request, measure, value)

    @cached_property
    def _counted(self) -> list[tuple[int, str]]:
        """The places and names of requests for which some measure has a value."""
        requests = list(self.requests)
        known = np.flatnonzero((~np.isnan(self.values)).any(axis=(0, 2)))
        return [(q, requests[q]) for q in known.tolist()]

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {request: {measure: value}}}``; without what is left out."""
        found: dict[str, dict[str, dict[str, float]]] = {run: {} for run in self.runs}
        for row in self.per_request():
            found[row.run].setdefault(row.request, {})[row.measure] = row.value
        return found

    def to_flat_dict(self) -> dict[str, float]:
        """``{"run/measure": mean}``, as experiment trackers like it."""
        means = (zip(self.measures, self._means(r), strict=True) for r in range(len(self.runs)))
        return {f"{run}/{measure}": mean for run, row in zip(self.runs, means, strict=True) for measure, mean in row}

    def to_frame(self) -> Any:
        """Every value, a row each: run, request, measure, value; without requests that are left out."""
        return self._frame(Row._fields, self.per_request())

    def table(self, digits: int = 4) -> Table:
        """Runs as rows, mean measures as columns, the best of each marked."""
        header, means = self.wide_rows(per_request=False)
        rows = tuple((run, *(f"{value:.{digits}f}" for value in values)) for run, *values in means)
        best = ((r, k + 1) for k in range(len(self.measures)) for r in self._best(k))
        return Table(header, rows, self.notes, frozenset(best))

    def request_table(self, digits: int = 4) -> Table:
        """Runs and requests as rows, measures as columns."""
        header, rows = self.wide_rows(per_request=True)
        return Table(
            header, tuple((run, q, *(f"{v:.{digits}f}" for v in values)) for run, q, *values in rows), self.notes
        )

    def wide_rows(self, per_request: bool) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Names of columns, and a row per run, or per run and request that counts, with a value per measure."""
        if per_request:
            rows = [
                (run, request, *self.values[r, q].tolist())
                for r, run in enumerate(self.runs)
                for q, request in self._counted
            ]
            return ("run", "request", *self.measures), rows
        return ("run", *self.measures), [(run, *self._means(r)) for r, run in enumerate(self.runs)]

    def trec_rows(self, per_request: bool) -> Iterator[tuple[Any, ...]]:
        """As trec_eval prints: measure, request or ``all``, value; behind the run's name where there are several."""
        for r, run in enumerate(self.runs):
            name = (run,) if len(self.runs) > 1 else ()
            for q, request in self._counted if per_request else ():
                values = zip(self.measures, self.values[r, q].tolist(), strict=True)
                yield from ((*name, m, request, v) for m, v in values if v == v)
            yield from ((*name, m, "all", mean) for m, mean in zip(self.measures, self._means(r), strict=True))

    def _best(self, k: int) -> Iterator[int]:
        """The runs with the best mean of a measure, all of them where runs tie; none where there is one run."""
        known = {r: mean for r, mean in enumerate(self.exact_means[k]) if isinstance(mean, Number)}
        if len(self.runs) > 1 and known:
            best = (min if self.metrics[k].traits.lower_is_better else max)(known.values())
            yield from (r for r, mean in known.items() if mean == best)

    def __repr__(self) -> str:
        counts = (len(self.runs), "run"), (len(self._counted), "request"), (len(self.measures), "measure")
        size = " x ".join(many(n, noun) for n, noun in counts)
        return f"<Scores: {size}>\n{self.table().to_text()}"
