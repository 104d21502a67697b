"""Utilities [run, request] of any kind: populations, groups, tests and bootstrap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_names, find_pair
from tiebreak._base.public_names import public_names
from tiebreak._base.text import plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.inputs.attributes import every_request, read_groups, request_weights
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.sources import Path, Values
from tiebreak.inputs.utilities import LOWER, UtilityTable, read_cells, read_utilities
from tiebreak.populations import Population, population
from tiebreak.populations.bootstrap import split_by
from tiebreak.populations.lags import LagCurve, lag_curve
from tiebreak.populations.values import (
    PopulationScores,
    PopulationValue,
    WinShares,
    population_values,
    win_shares,
    worst_requests,
)
from tiebreak.reports.reportable import ReportableUtilities, file_paths
from tiebreak.request_utilities import RequestUtilities
from tiebreak.results.drawable import DrawableValues
from tiebreak.results.groups import label_for_all
from tiebreak.results.utility_overview import UtilityOverview, utility_overview
from tiebreak.utility_orders import UtilityOrders

TRIAL_NOTES = {"mean": "Repeated trials are averaged.", "keep": "Every trial of a request counts as a request."}
GAP = "gap: the largest value of a group minus the smallest."


class Utilities(UtilityOrders, RequestUtilities, ReportableUtilities, DrawableValues):
    """A number for every run and request, the higher the better: metric values, scores of a benchmark, latencies.

    Parameters
    ----------
    table : path, dict or frame
        A file or a frame of any library with a column each for run, request and value, such as PyTerrier's
        ``pt.Experiment(..., perquery=True)``; a wide one, with a row for each request and a column for each run, or the
        other way round; ``{run: {request: value}}``; or a table for every run, with a column for each measure, such as
        LensKit's ``{run: RunAnalysis(...).measure(...)}`` and samples of lm-evaluation-harness, ``{run: path}``.
    columns : dict or str, optional
        Which column holds what, where its name does not say so: ``{"run": "llm", "value": "accuracy"}``, or
        ``"run=llm,value=accuracy"``; also of the tables of weights and groups. ``{"other": ["Average", "params"]}``
        leaves out columns of a wide table.
    missing : float, optional
        The value of missing cells; without it they are an error that lists them.
    lower_is_better : bool
        Values are costs, such as latencies: utilities are minus the values.
    trials : {"mean", "keep"}, optional
        What to do where a run has several values for a request: take their mean; or keep every trial as a request, by
        the column trial, and test by the means of requests, as trials are not independent. By default an error.
    weights : path, dict or frame, optional
        Weights of requests, such as traffic; for populations that allow it.
    groups : path, dict or frame, optional
        The group of every request. `evaluate`, `compare`, `test` and gates are then of every group; orders and the like
        are over groups, by their means, as is everything of `by_group`.
    measure : str or measure of ir_measures, optional
        The measure whose values are taken, where a table has several: by a column ``measure`` or ``metric``, or a
        column each. Of dictionaries, wide tables and a column of values that is named, what to call the values.

    Examples
    --------
    >>> utilities = Utilities({"a": {"q1": 1, "q2": 0.1}, "b": {"q1": 0.4, "q2": 0.4}})
    >>> utilities.order("leximin").ranking(), utilities.order("mean").ranking()
    (['b', 'a'], ['a', 'b'])
    """

    _internals: ClassVar[tuple[str, ...]] = (
        *("table", "from_table", "more_settings", "independent_units", "group_by_request", "table_without_weights"),
    )
    __dir__ = public_names

    def __init__(
        self,
        table: Path | Values | Any,
        *,
        columns: Columns | None = None,
        missing: float | None = None,
        lower_is_better: bool = False,
        trials: str | None = None,
        weights: Path | Mapping[Any, Any] | Any = None,
        groups: Path | Mapping[Any, Any] | Any = None,
        measure: str | Any | None = None,
    ) -> None:
        names = ColumnNames(columns, is_shared=True)
        how: dict[str, Any] = {"columns": names, "missing": missing, "lower_is_better": lower_is_better}
        name = None if measure is None else str(measure).strip()  # also of an object, such as ir_measures.nDCG @ 10
        values = read_utilities(table, measure=name, trials=trials, **how)
        names.check_used(("run", "request"))
        notes = (*((LOWER,) if lower_is_better else ()), *((TRIAL_NOTES[trials],) if trials else ()), *values.notes)
        self._set(values, values.measure, notes, weights, groups, names)
        self._tables = file_paths({"utilities": table, "weights": weights, "groups": groups})

    @classmethod
    def audit(
        cls,
        table: Path | Values | Any,
        *,
        columns: Columns | None = None,
        missing: float | None = None,
        lower_is_better: bool = False,
        trials: str | None = None,
        measure: str | Any | None = None,
    ) -> UtilityOverview:
        """Summary of a table, as ``tiebreak check --utilities`` prints it; parameters as in `Utilities`.

        Missing cells and repeated requests, which `Utilities` refuses, are counted and listed.

        Examples
        --------
        >>> Utilities.audit({"a": {"q": 1, "r": 0.5}, "b": {"q": 0}}).warnings[0].split(".")[0]
        '1 of 4 cells are missing: run "b", request "r"'
        """
        names = ColumnNames(columns, is_shared=True)
        name = None if measure is None else str(measure).strip()
        _, library, cells, _ = read_cells(table, names, name, trials)
        names.check_used(("run", "request"))
        result = utility_overview(cells, missing=missing, trials=trials, lower_is_better=lower_is_better)
        return replace(result, library=library)

    @classmethod
    def from_table(
        cls,
        table: UtilityTable,
        measure: str,
        notes: tuple[str, ...] = (),
        weights: Any = None,
        groups: Any = None,
        more_settings: Mapping[str, Any] | None = None,
        columns: Columns | None = None,
    ) -> Utilities:
        """Utilities from a table in memory."""
        utilities = cls.__new__(cls)
        utilities._set(table, measure, notes, weights, groups, columns)
        utilities.more_settings = dict(more_settings or {})
        return utilities

    def _set(
        self,
        table: UtilityTable,
        measure: str,
        notes: tuple[str, ...],
        weights: Any,
        groups: Any,
        columns: Columns | None,
    ) -> None:
        if weights is not None:
            table = replace(table, weights=request_weights(table.origins or table.requests, weights, columns))
            notes = (*notes, "Requests are weighted.")
        self.table, self.measure, self.notes = table, measure, notes
        self._size, self._is_of_groups = plural(len(table.requests), "request"), False
        self.more_settings: dict[str, Any] = {}
        self._tables: dict[str, str | None] = {}
        self.groups: tuple[str, ...] | None = None
        if groups is not None:
            requests = table.origins or table.requests
            self.groups = tuple(every_request(requests, read_groups(groups, columns=columns), "group"))

    @property
    def runs(self) -> tuple[str, ...]:
        return self.table.runs

    @property
    def requests(self) -> Ids:
        return self.table.requests

    @property
    def values(self) -> NDArray[Any]:
        """Utilities [run, request]."""
        return self.table.values

    def __repr__(self) -> str:
        return (
            f"<Utilities of {self.measure}: {plural(len(self.runs), 'run')}, {plural(len(self.requests), 'request')}>"
        )

    def evaluate(self, populations: str | Population | Iterable[str | Population] = "mean") -> PopulationScores:
        """The numbers of populations for every run, and for every group of requests if there are any.

        Beside groups, the row of all requests has the gap between them.

        Examples
        --------
        >>> utilities = Utilities({"a": {"q": 1, "r": 0, "s": 1}}, groups={"q": "fr", "r": "fr", "s": "de"})
        >>> [(row.group, round(row.value, 3), row.gap) for row in utilities.evaluate("mean").rows()]
        [('fr', 0.5, nan), ('de', 1.0, nan), ('all', 0.667, 0.5)]
        """
        if not isinstance(populations, (str, Population, Iterable)):
            raise InputError(f"{populations!r} is not a population. Give its name, such as mean.", kind="spec")
        several = [populations] if isinstance(populations, (str, Population)) else list(populations)
        names = [str(spec).strip() for spec in several]
        check_names(names, "population", "mean")
        chosen = [(name, self._number(spec)) for name, spec in zip(names, several, strict=True)]
        gap = () if self.groups is None else (GAP,)
        notes = (f"Of {self.measure}, over {self._size}.", *gap, *self.notes)
        settings = {"measure": self.measure, "populations": names, **self.more_settings}
        return PopulationScores(tuple(self._values(chosen)), notes, library=self.table.library, more_settings=settings)

    def _values(self, populations: list[tuple[str, Population]]) -> Iterator[PopulationValue]:
        if self.groups is None:
            return population_values([(None, self.table)], populations)
        return population_values([*self._parts(), (label_for_all(self.groups), self.table)], populations)

    def by_group(self, by: str | Population = "mean") -> Utilities:
        """Utilities of groups: what a population is in each of them. Its leximin is leximin over groups.

        Examples
        --------
        >>> utilities = Utilities({"a": {"q": 1, "r": 0, "s": 1}, "b": {"q": 1, "r": 1, "s": 0}},
        ...                       groups={"q": "fr", "r": "fr", "s": "de"})
        >>> utilities.by_group("mean").values.tolist(), utilities.by_group("mean").worst()[0]
        ([[0.5, 1.0], [1.0, 0.0]], ('a', ['fr'], 0.5))
        """
        self._check_groups()
        chosen = self._number(by)
        names, columns = [], []
        for group, table in self._parts():
            chosen.check(table)
            names.append(group)
            columns.append(chosen.scores(table))
        minus = "minus " if chosen.lower_is_better else ""
        note = f"Requests are aggregated to groups: {minus}{chosen} in each of {plural(len(names), 'group')}."
        exact = ExactValues.from_numbers([list(row) for row in zip(*columns, strict=True)])
        table = UtilityTable(self.runs, Ids.from_names(names), exact.nearest, exact=exact, library=self.table.library)
        measure, notes = f"{minus}{chosen.bare} of {self.measure}", (*self.notes, note)
        utilities = Utilities.from_table(table, measure, notes, more_settings=self.more_settings)
        utilities._size, utilities._is_of_groups = f"{self._size} in {plural(len(names), 'group')}", True
        return utilities

    def win_shares(self, run: str, other: str) -> WinShares:
        """In which share of the requests each of two runs is better, and in which they tie; by weight where weighted.

        Examples
        --------
        >>> utilities = Utilities({"a": {"q": 1, "r": 0}, "b": {"q": 0, "r": 0}}, weights={"q": 1, "r": 3})
        >>> utilities.win_shares("a", "b")
        WinShares(first=0.25, tied=0.75, second=0.0)
        """
        return win_shares(self._units.table, *find_pair(run, other, self.runs))

    def worst(self) -> list[tuple[str, list[str], float]]:
        """For every run its worst requests, or groups by their means, and their utility."""
        return worst_requests(self._units.table)

    def by_lag(
        self,
        run: str,
        other: str,
        lags: int | Iterable[int] | None = None,
        *,
        resamples: int = 1000,
        seed: int = 0,
    ) -> LagCurve:
        """Bootstrap confidence in leximin's order of two runs, for every smoothing lag.

        Lag 1 is leximin itself, the number of requests the mean; by default some twenty between them.
        """
        table = self._units.table_without_weights("by_lag")
        x, y = map(table.sample, find_pair(run, other, self.runs))
        curve = lag_curve(x, y, (run, other), table.requests, lags, resamples, seed)
        return replace(curve, library=table.library, more_settings={**curve.settings, **self.more_settings})

    @property
    def _units(self) -> Utilities:
        """The utilities that are ordered and tested: these, or the means of groups if there are any."""
        return self if self.groups is None else self.by_group()

    @property
    def independent_units(self) -> Utilities:
        """What a test takes for independent: requests, by the means of their trials."""
        origins = self.table.origins
        means = Utilities.from_table(self.table, self.measure, self.notes, more_settings=self.more_settings)
        means.groups = None if origins is None else tuple(origins)
        return means._units

    def table_without_weights(self, what: str) -> UtilityTable:
        if self.table.weights is not None:
            raise InputError(f"{what} takes no weights: every request counts once. Leave them out.", kind="weights")
        return self.table

    def _check_groups(self) -> tuple[str, ...]:
        """The group of every request."""
        if self.groups is None:
            raise InputError("these utilities have no groups. Give them: Utilities(table, groups=...).", kind="groups")
        return self.groups

    def _parts(self, labels: Sequence[str] | None = None) -> Iterator[tuple[str, UtilityTable]]:
        """Every group, or label of requests, and its part of the table, in order of appearance."""
        labels = self._check_groups() if labels is None else labels
        index = {group: k for k, group in enumerate(dict.fromkeys(labels))}
        code = np.array([index[group] for group in labels])
        for group, places in zip(index, split_by(code, np.arange(len(code))), strict=True):
            part = self.table.take(places)
            if part.weights is not None and not part.weights.any():
                problem = f"all requests of group {quote(group)} have weight 0"
                raise InputError(f"{problem}. Leave the group out, or give some of them a weight.", kind="weight")
            yield group, part

    def _population(self, by: str | Population) -> Population:
        """The population; if it names a metric, these utilities must be of that metric."""
        chosen = population(by)
        if chosen.metric is not None and str(chosen.metric) != self.measure:
            raise InputError(
                f"{chosen}: these utilities are of {self.measure}, not of {chosen.metric}. Write {chosen.bare}.",
                kind="spec",
            )
        return chosen

    def _number(self, by: str | Population) -> Population:
        """A population that must be a number for every run."""
        chosen = self._population(by)
        chosen.check(self.table)
        if not chosen.is_number:
            raise InputError(f"{chosen} orders runs and has no number for each. Ask for an order by it.", kind="spec")
        return chosen
