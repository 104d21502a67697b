"""Utilities [run, request], whatever they are of: populations, groups, and how sure their orders are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import find_name
from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues
from tiebreak.exact.sample import Sample
from tiebreak.inputs import Ids, read_groups, read_weights
from tiebreak.inputs.sources import Path, Values
from tiebreak.inputs.tables import Columns
from tiebreak.inputs.utilities import UtilityTable, read_utilities
from tiebreak.means import mean_of
from tiebreak.orderings import Ordering
from tiebreak.populations import Population, population
from tiebreak.populations.lags import LagCurve, lag_curve
from tiebreak.preferences import Pairs
from tiebreak.projection.primitives import Floats
from tiebreak.results.record import Result
from tiebreak.significance import Paired, Significance, Test, significance

LOWER = "Utilities are minus the values given, of which lower is better."


class PopulationValue(NamedTuple):
    """One population of one run; of a group of requests where there are groups."""

    run: str
    group: str | None
    measure: str
    value: float


class WinShares(NamedTuple):
    """In which share of the requests each of two runs is better, and in which they tie."""

    first: float
    tied: float
    second: float


@dataclass(frozen=True, eq=False, repr=False)
class PopulationScores(Result):
    """Numbers per run, of all requests or of every group; the measure is a population such as ``gmean(AP)``."""

    values: tuple[PopulationValue, ...]
    notes: tuple[str, ...] = ()
    library: str | None = None
    columns = PopulationValue._fields
    spread = "measure"

    def rows(self) -> tuple[PopulationValue, ...]:
        return self.values


class Utilities:
    """A number for every run and request, the higher the better: metric values, scores of a benchmark, latencies.

    Parameters
    ----------
    table : path, dict or frame
        A file or a frame of any library with a column each for run, request and value; or
        ``{run: {request: value}}``.
    columns : dict, optional
        Which column holds what, where its name does not say so: ``{"run": "llm", "value": "accuracy"}``.
    missing : float, optional
        The value of cells that are missing; without it they are an error that lists them.
    lower_is_better : bool
        Values are costs, such as latencies: utilities are minus the values.
    weights : path, dict or frame, optional
        How much each request counts, such as its traffic; for populations that allow it.
    groups : path, dict or frame, optional
        The group of every request.
    measure : str
        What the values are, for tables.

    Examples
    --------
    >>> made = Utilities({"a": {"q1": 1, "q2": 0.1}, "b": {"q1": 0.4, "q2": 0.4}})
    >>> made.order("leximin").ranking(), made.order("mean").ranking()
    (['b', 'a'], ['a', 'b'])
    """

    def __init__(
        self,
        table: Path | Values | Any,
        *,
        columns: Columns | None = None,
        missing: float | None = None,
        lower_is_better: bool = False,
        weights: Path | Mapping[Any, Any] | Any = None,
        groups: Path | Mapping[Any, Any] | Any = None,
        measure: str = "utility",
    ) -> None:
        read = read_utilities(table, columns=columns, missing=missing, lower_is_better=lower_is_better)
        self._set(read, measure, (LOWER,) if lower_is_better else (), weights, groups)

    @classmethod
    def of(
        cls, table: UtilityTable, measure: str, notes: tuple[str, ...] = (), weights: Any = None, groups: Any = None
    ) -> Utilities:
        """Utilities that are at hand already."""
        made = cls.__new__(cls)
        made._set(table, measure, notes, weights, groups)
        return made

    def _set(self, table: UtilityTable, measure: str, notes: tuple[str, ...], weights: Any, groups: Any) -> None:
        if weights is not None:
            table = replace(table, weights=weights_of(table.requests, weights))
            notes = (*notes, "Requests are weighted.")
        self.table, self.measure, self.notes = table, measure, notes
        self.groups = None if groups is None else groups_of(table.requests, groups)

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

    def order(self, by: str | Population = "leximin") -> Ordering:
        """Order the runs by a population, such as ``"leximin"``, ``"gmean"`` or ``"cvar(share=0.1)"``.

        Where there are groups, the population is over the means of the groups.
        """
        if self.groups is not None:
            return self.grouped().order(self._named(by).bare)
        made = self._population(by)
        said = f"Over {plural(len(self.requests), 'request')}."
        more = () if made.is_number else ("The score is the number of runs below; equal utilities tie.",)
        notes = (said, *more, *self.notes)
        scores = made.scores(self.table)
        return Ordering.from_scores(
            self.measure,
            str(made.bare),
            self.runs,
            scores,
            reported=[made.shown(score) for score in scores],
            notes=notes,
            library=self.table.library,
        )

    def evaluate(self, populations: str | Population | Iterable[str | Population] = "mean") -> PopulationScores:
        """The numbers of populations for every run; for every group of requests where there are groups."""
        if not isinstance(populations, (str, Population, Iterable)):
            raise InputError(f"{populations!r} is no population. Give its name, such as mean.", kind="spec")
        asked = [populations] if isinstance(populations, (str, Population)) else list(populations)
        names = [str(spec).strip() for spec in asked]
        if not names:
            raise InputError("no population was given. Give at least one, such as mean.", kind="empty")
        if len(set(names)) < len(names):
            raise InputError(f"a population was given twice: {', '.join(names)}. Give each once.", kind="names")
        made = [(name, self._number(spec)) for name, spec in zip(names, asked, strict=True)]
        notes = (f"Of {self.measure}, over {plural(len(self.requests), 'request')}.", *self.notes)
        return PopulationScores(tuple(self._values(made)), notes, self.table.library)

    def _values(self, populations: list[tuple[str, Population]]) -> Iterator[PopulationValue]:
        parts = [(None, self.table)] if self.groups is None else [*self._parts()]
        for name, made in populations:
            for group, table in parts:
                made.check(table)
                for run, score in zip(self.runs, made.scores(table), strict=True):
                    yield PopulationValue(run, group, name, made.shown(score))

    def grouped(self, by: str | Population = "mean") -> Utilities:
        """Utilities of groups: what a population is in each of them. Its leximin is leximin over groups.

        Examples
        --------
        >>> made = Utilities({"a": {"q": 1, "r": 0, "s": 1}, "b": {"q": 1, "r": 1, "s": 0}},
        ...                  groups={"q": "fr", "r": "fr", "s": "de"})
        >>> made.grouped("mean").values.tolist(), made.grouped("mean").worst()[0]
        ([[0.5, 1.0], [1.0, 0.0]], ('a', ['fr'], 0.5))
        """
        if self.groups is None:
            raise InputError("these utilities have no groups. Give them: Utilities(table, groups=...).", kind="groups")
        made = self._number(by)
        names, columns = [], []
        for group, table in self._parts():
            made.check(table)
            names.append(group)
            columns.append(made.scores(table))
        minus = "minus " if made.lower_is_better else ""
        said = f"Groups of requests stand for requests: {minus}{made} in each of {plural(len(names), 'group')}."
        exact = ExactValues.from_numbers([list(row) for row in zip(*columns, strict=True)])
        table = UtilityTable(self.runs, Ids.from_names(names), exact.nearest, exact=exact, library=self.table.library)
        return Utilities.of(table, f"{minus}{made.bare} of {self.measure}", (*self.notes, said))

    def win_shares(self, run: str, other: str) -> WinShares:
        """In which share of the requests each of two runs is better, and in which they tie; by weight where weighted.

        Where there are groups, of the groups by their means.

        Examples
        --------
        >>> made = Utilities({"a": {"q": 1, "r": 0}, "b": {"q": 0, "r": 0}}, weights={"q": 1, "r": 3})
        >>> made.win_shares("a", "b")
        WinShares(first=0.25, tied=0.75, second=0.0)
        """
        if self.groups is not None:
            return self.grouped().win_shares(run, other)
        x, y = (np.array([find_name(name, self.runs)]) for name in (run, other))
        sign = np.sign(self.table.numbers.differences(x, y).nearest[0])
        weights = np.ones(len(sign)) if self.table.weights is None else self.table.weights
        whole = Sample.from_floats(weights).total()
        return WinShares(*(float(Sample.from_floats(weights[sign == which]).total() / whole) for which in (1, 0, -1)))

    def worst(self) -> list[tuple[str, list[str], float]]:
        """For every run its worst requests, or groups by their means, and their utility."""
        if self.groups is not None:
            return self.grouped().worst()
        codes = self.values if self.table.exact is None else self.table.exact.codes()
        worst = (np.flatnonzero(row == row.min()).tolist() for row in codes)
        return [
            (run, [self.requests[k] for k in places], float(row[places[0]]))
            for run, row, places in zip(self.runs, self.values, worst, strict=True)
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
        """How sure leximin is of two runs: requests are drawn anew, many times, for every lag of smoothing.

        Lag 1 is leximin itself, the number of requests the mean; by default some twenty between them. Where there are
        groups they stand for requests, by their means.
        """
        if self.groups is not None:
            return self.grouped().by_lag(run, other, lags, resamples=resamples, seed=seed)
        self._check_no_weights("by_lag")
        x, y = (self.table.sample(find_name(name, self.runs)) for name in (run, other))
        if run == other:
            raise InputError(f"{run} cannot be compared with itself. Give two runs.", kind="runs")
        return replace(lag_curve(x, y, (run, other), self.requests, lags, resamples, seed), library=self.table.library)

    def test(self, test: str | Test = "auto", baseline: str | None = None, **how: Any) -> Significance:
        """Test whether runs differ by more than chance, all pairs or against a baseline; see `Comparison.test`.

        Where there are groups they stand for requests, by their means.
        """
        if self.groups is not None:
            return self.grouped().test(test, baseline, **how)
        self._check_no_weights("a test")
        size = len(self.runs)
        if size < 2:
            raise InputError("there is one run. Give at least two to test.", kind="runs")
        pairs = Pairs.all(size) if baseline is None else Pairs.against([find_name(baseline, self.runs)], size)
        of_runs = self.table.numbers
        values = of_runs.differences(pairs.x, pairs.y)
        mean = np.array([float(mean_of(values.sample(pair))) for pair in range(len(pairs))])
        paired = Paired(
            self.measure,
            self.runs,
            self.requests,
            pairs,
            values.nearest,
            mean,
            is_difference=True,
            exactly=values.exactly,
            is_rational=values.is_rational,
            of_runs=of_runs,
        )
        made = significance(paired, test, **how)
        return replace(made, more_notes=(*made.more_notes, *self.notes), library=self.table.library)

    def _check_no_weights(self, what: str) -> None:
        if self.table.weights is not None:
            raise InputError(f"{what} takes no weights: every request counts once. Leave them out.", kind="weights")

    def _parts(self) -> Iterator[tuple[str, UtilityTable]]:
        """Every group and its part of the table, in order of appearance."""
        groups = np.array(self.groups)
        for group in dict.fromkeys(self.groups or ()):
            places = np.flatnonzero(groups == group)
            part = self.table.take(places)
            if part.weights is not None and not part.weights.any():
                raise InputError(f"all requests of group {quote(group)} have weight 0.", kind="weight")
            yield group, part

    def _population(self, by: str | Population) -> Population:
        made = self._named(by)
        made.check(self.table)
        return made

    def _named(self, by: str | Population) -> Population:
        """The population asked for, which is of these utilities if it says of what it is."""
        made = population(by)
        if made.metric is not None and str(made.metric) != self.measure:
            raise InputError(f"{made}: these utilities are of {self.measure}, not of {made.metric}.", kind="spec")
        return made

    def _number(self, by: str | Population) -> Population:
        made = self._population(by)
        if not made.is_number:
            raise InputError(f"{made} orders runs and has no number for each. Ask for an order by it.", kind="spec")
        return made


def weights_of(requests: Ids, given: Any) -> Floats:
    """The weight of every request."""
    found = read_weights(given)
    weights = np.array([found[name] for name in every(requests, found, "weight")])
    if not weights.any():
        raise InputError("all weights are 0. Give at least one request a weight above 0.", kind="weight")
    return weights


def groups_of(requests: Ids, given: Any) -> tuple[str, ...]:
    """The group of every request."""
    found = read_groups(given)
    return tuple(found[name] for name in every(requests, found, "group"))


def every(requests: Ids, found: Mapping[str, Any], what: str) -> list[str]:
    """All requests, none of which lacks what is needed."""
    names = list(requests)
    lacking = [quote(name) for name in names if name not in found]
    if lacking:
        raise InputError(
            f"{len(lacking):,} of {len(names):,} requests have no {what}: {join_names(lacking, most=5)}. Give one.",
            kind=what,
        )
    return names
