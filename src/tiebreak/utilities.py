"""Utilities [run, request] of any kind: populations, groups, tests and bootstrap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_names, check_two_runs, find_pair, find_run
from tiebreak._base.text import join_names, plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, UnknownNameError, quote
from tiebreak.exact import ExactValues
from tiebreak.exact.sample import Sample
from tiebreak.inputs import Ids, read_groups, read_weights
from tiebreak.inputs.attributes import every_request, id_text
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.sources import Path, Values
from tiebreak.inputs.utilities import UtilityTable, read_utilities
from tiebreak.orderings import Ordering
from tiebreak.populations import Population, population
from tiebreak.populations.lags import LagCurve, lag_curve
from tiebreak.populations.lexicographic import scores_by_tier
from tiebreak.populations.values import PopulationScores, PopulationValue, WinShares
from tiebreak.preferences import Pairs, PairValues
from tiebreak.projection.primitives import Floats
from tiebreak.significance import Significance, Test, significance

LOWER = "Utilities are minus the values given, of which lower is better."
TRIAL_NOTES = {"mean": "Repeated trials are averaged.", "keep": "Every trial of a request counts as a request."}
REST = "all other groups"
"""The last tier: groups that were not named."""


class Utilities:
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
        ``"run=llm,value=accuracy"``; also of the tables of weights and groups.
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
        The group of every request. Orders, tests and the like are then over groups, by their means.
    measure : str, optional
        The measure whose values are taken, where a table has several: by a column ``measure``, or a column each. Else
        what to call the values.

    Examples
    --------
    >>> utilities = Utilities({"a": {"q1": 1, "q2": 0.1}, "b": {"q1": 0.4, "q2": 0.4}})
    >>> utilities.order("leximin").ranking(), utilities.order("mean").ranking()
    (['b', 'a'], ['a', 'b'])
    """

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
        measure: str | None = None,
    ) -> None:
        names = ColumnNames(columns, is_shared=True)
        how: dict[str, Any] = {"columns": names, "missing": missing, "lower_is_better": lower_is_better}
        values = read_utilities(table, measure=measure, trials=trials, **how)
        names.check_used(("run", "request"))
        notes = (*((LOWER,) if lower_is_better else ()), *((TRIAL_NOTES[trials],) if trials else ()))
        self._set(values, values.measure, notes, weights, groups, names)

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
        self._size = plural(len(table.requests), "request")
        self.more_settings: dict[str, Any] = {}
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

    def order(
        self, by: str | Population = "leximin", *, tiers: str | int | Iterable[str | int] | None = None
    ) -> Ordering:
        """Order the runs by a population, such as ``"leximin"``, ``"gmean"`` or ``"cvar(share=0.1)"``.

        Parameters
        ----------
        by : str or Population
        tiers : str or int, or several, optional
            Groups by priority, the first one first: a population of the requests of each, of which a later one decides
            only where all before it tie. Groups that are not named are the last tier, together.

        Examples
        --------
        >>> utilities = Utilities({"a": {"q": 0.5, "r": 0, "s": 1}, "b": {"q": 0.5, "r": 1, "s": 0.5}},
        ...                       groups={"q": "paid", "r": "free", "s": "free"})
        >>> utilities.order("mean", tiers=["paid"]).ranking()      # 0.5 and 0.5; then (0 + 1) / 2 and (1 + 0.5) / 2
        ['b', 'a']
        """
        chosen = self._population(by)
        if tiers is not None:
            several = [tiers] if isinstance(tiers, str) or not isinstance(tiers, Iterable) else tiers
            return self._order_by_tier(chosen, [id_text(name) for name in several])
        units = self._units
        chosen.check(units.table)
        more = () if chosen.is_number else ("The score is the number of runs below; equal utilities tie.",)
        scores = chosen.scores(units.table)
        return Ordering.from_scores(
            units.measure,
            str(chosen.bare),
            self.runs,
            scores,
            reported=[chosen.number(score) for score in scores],
            notes=(f"Over {units._size}.", *more, *units.notes),
            library=self.table.library,
            more_settings=self.more_settings,
        )

    def _order_by_tier(self, chosen: Population, names: list[str]) -> Ordering:
        """Order the runs by a population of the first group, then of the next and so on."""
        check_names(names, "tier", "subscribers")
        groups = self._check_groups()
        for name in names:
            if name not in groups:
                raise UnknownNameError("group", name, dict.fromkeys(groups))
        parts = dict(self._parts([group if group in names else REST for group in groups]))
        tiers = {name: parts[name] for name in (*names, REST) if name in parts}
        sizes = join_names([f"{name} ({plural(len(table.requests), 'request')})" for name, table in tiers.items()])
        how = f"Tiers by priority: {sizes}. A later one decides only where all before it tie."
        return Ordering.from_scores(
            self.measure,
            str(chosen.bare),
            self.runs,
            scores_by_tier(chosen, tiers.values()),
            notes=(how, "The score is the number of runs below.", *self.notes),
            library=self.table.library,
            more_settings={"tiers": names, **self.more_settings},
        )

    def evaluate(self, populations: str | Population | Iterable[str | Population] = "mean") -> PopulationScores:
        """The numbers of populations for every run, and for every group of requests if there are any."""
        if not isinstance(populations, (str, Population, Iterable)):
            raise InputError(f"{populations!r} is not a population. Give its name, such as mean.", kind="spec")
        several = [populations] if isinstance(populations, (str, Population)) else list(populations)
        names = [str(spec).strip() for spec in several]
        check_names(names, "population", "mean")
        chosen = [(name, self._number(spec)) for name, spec in zip(names, several, strict=True)]
        notes = (f"Of {self.measure}, over {self._size}.", *self.notes)
        settings = {"measure": self.measure, "populations": names, **self.more_settings}
        return PopulationScores(tuple(self._values(chosen)), notes, library=self.table.library, more_settings=settings)

    def _values(self, populations: list[tuple[str, Population]]) -> Iterator[PopulationValue]:
        parts = [(None, self.table)] if self.groups is None else [*self._parts()]
        for name, chosen in populations:
            for group, table in parts:
                chosen.check(table)
                for run, score in zip(self.runs, chosen.scores(table), strict=True):
                    yield PopulationValue(run, group, name, chosen.number(score))

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
        utilities._size = f"{self._size} in {plural(len(names), 'group')}"
        return utilities

    def win_shares(self, run: str, other: str) -> WinShares:
        """In which share of the requests each of two runs is better, and in which they tie; by weight where weighted.

        Examples
        --------
        >>> utilities = Utilities({"a": {"q": 1, "r": 0}, "b": {"q": 0, "r": 0}}, weights={"q": 1, "r": 3})
        >>> utilities.win_shares("a", "b")
        WinShares(first=0.25, tied=0.75, second=0.0)
        """
        table = self._units.table
        x, y = (np.array([find_run(name, self.runs)]) for name in (run, other))
        sign = np.sign(table.numbers.differences(x, y).nearest[0])
        weights = np.ones(len(sign)) if table.weights is None else table.weights
        whole = Sample.from_floats(weights).total()
        return WinShares(*(float(Sample.from_floats(weights[sign == which]).total() / whole) for which in (1, 0, -1)))

    def worst(self) -> list[tuple[str, list[str], float]]:
        """For every run its worst requests, or groups by their means, and their utility."""
        table = self._units.table
        codes = table.values if table.exact is None else table.exact.codes()
        worst = (np.flatnonzero(row == row.min()).tolist() for row in codes)
        return [
            (run, [table.requests[k] for k in places], float(row[places[0]]))
            for run, row, places in zip(self.runs, table.values, worst, strict=True)
        ]

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
        table = self._units._table_without_weights("by_lag")
        x, y = map(table.sample, find_pair(run, other, self.runs))
        curve = lag_curve(x, y, (run, other), table.requests, lags, resamples, seed)
        return replace(curve, library=table.library, more_settings={**curve.settings, **self.more_settings})

    def test(
        self,
        test: str | Test = "auto",
        baseline: str | None = None,
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        permutations: int | str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        tick: Tick | None = None,
        alternative: str | None = None,
    ) -> Significance:
        """Test whether runs differ by more than chance, all pairs or against a baseline; see `Comparison.test`."""
        units = self._independent_units
        table = units._table_without_weights("a test")
        size = len(self.runs)
        check_two_runs(self.runs, "a test")
        pairs = Pairs.all(size) if baseline is None else Pairs.against([find_run(baseline, self.runs)], size)
        numbers, is_counted = table.numbers, np.ones(len(table.requests), dtype=bool)
        differences = numbers.differences(pairs.x, pairs.y)
        paired = PairValues.from_exact(table, pairs, differences, is_counted, by_run=numbers)
        paired = replace(paired, is_difference=True)
        options = test, correction, alpha, permutations, seed, jobs, tick, alternative
        settings = {"baselines": [] if baseline is None else [baseline], **self.more_settings}
        return significance(
            units.measure, paired, *options, notes=units.notes, library=table.library, more_settings=settings
        )

    @property
    def _units(self) -> Utilities:
        """The utilities that are ordered and tested: these, or the means of groups if there are any."""
        return self if self.groups is None else self.by_group()

    @property
    def _independent_units(self) -> Utilities:
        """What a test takes for independent: requests by the means of their trials, or groups."""
        origins = self.table.origins
        if self.groups is not None or origins is None:
            return self._units
        means = Utilities.from_table(self.table, self.measure, self.notes, more_settings=self.more_settings)
        means.groups = tuple(origins)
        return means.by_group()

    def _table_without_weights(self, what: str) -> UtilityTable:
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
        for group in dict.fromkeys(labels):
            part = self.table.take(np.flatnonzero(np.array(labels) == group))
            if part.weights is not None and not part.weights.any():
                raise InputError(f"all requests of group {quote(group)} have weight 0.", kind="weight")
            yield group, part

    def _population(self, by: str | Population) -> Population:
        """The population; if it names a metric, these utilities must be of that metric."""
        chosen = population(by)
        if chosen.metric is not None and str(chosen.metric) != self.measure:
            raise InputError(f"{chosen}: these utilities are of {self.measure}, not of {chosen.metric}.", kind="spec")
        return chosen

    def _number(self, by: str | Population) -> Population:
        """A population that must be a number for every run."""
        chosen = self._population(by)
        chosen.check(self.table)
        if not chosen.is_number:
            raise InputError(f"{chosen} orders runs and has no number for each. Ask for an order by it.", kind="spec")
        return chosen


def request_weights(requests: Ids, weights: Any, columns: Columns | None) -> Floats:
    """The weight of every request."""
    values = np.array(every_request(requests, read_weights(weights, columns=columns), "weight"))
    if not values.any():
        raise InputError("all weights are 0. Give at least one request a weight above 0.", kind="weight")
    return values
