"""The whole chain, wired together: read, project, evaluate, compare, order, explain. Start reading here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from tiebreak._base.checks import check_choice, check_has_values
from tiebreak._base.nicknames import expand_all
from tiebreak._base.text import plural
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import MEMORY, Tick
from tiebreak.errors import InputError
from tiebreak.inputs import Judgements, Run, read_aspects
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.judgements import read_judgements, read_pairs
from tiebreak.inputs.runs import RunLike, as_runs
from tiebreak.inputs.sources import Path, Values
from tiebreak.metrics import CATALOGUE as METRICS
from tiebreak.metrics import Metric, metric, parse_metrics
from tiebreak.metrics.base import evaluate_all
from tiebreak.notes import metric_notes, preference_notes, reading_notes, warn_about_grades
from tiebreak.projection import Positions, project
from tiebreak.projection.aspect_rankings import EVERY, AspectSource, with_aspects, with_intents
from tiebreak.projection.needs import Needs
from tiebreak.results.formats import as_plain
from tiebreak.scores import Scores

if TYPE_CHECKING:
    from tiebreak.analysis.explanation import Contributions, Explanation
    from tiebreak.comparison import Comparison
    from tiebreak.orderings import Method, Ordering
    from tiebreak.populations import Population
    from tiebreak.preferences import Preference
    from tiebreak.results.overview import Overview
    from tiebreak.utilities import Utilities

AnyMeasure: TypeAlias = "str | Metric | Preference | Population"
READING = ("min_grade", "binary", "depth", "judged_only", "requests", "ties", "duplicates", "on_bad_score")
IMPUTATIONS = ("pessimistic", "optimistic")
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100", "TSE")


class Experiment:
    """Judgements and the runs to be compared on them.

    Parameters
    ----------
    judgements : Judgements, path or dict
    runs : one or several of Run, path or dict
    aspects : path, dict or frame, optional
        The aspects of items, such as genres, as `read_aspects` reads them; for measures of diversity. Where judgements
        have no subtopics, aspects stand for them; where there are no aspects, subtopics do.
    profile : Judgements, path, dict or frame, optional
        Training ratings, from which a user's interest in aspects is estimated; by default the judgements.
    intents : Judgements, path, dict or frame, optional
        Intent probabilities p(t), ``{request: {subtopic: likelihood}}``, or as judgements are written with the subtopic
        in the place of the item; ``{subtopic: likelihood}``, or the request ``*``, for all requests alike. By default
        all are equally likely; for ST-RPP, by their numbers of relevant items.
    audit : bool
        Also count what `audit` reports, so that it need not read files again; reading takes about a third longer.
    imputation : {"pessimistic", "optimistic"}
        Where relevant items are that a run does not retrieve: below everything, or, for study, right after the last
        item of the ranking, those of higher grades first (LR 2.2).
    columns : dict or str, optional
        Which column of the tables holds what, where its name does not say so: ``{"request": "prompt_id"}``, or
        ``"request=prompt_id,score=pred"``. A name holds for every table that has such a column.
    min_grade, binary, depth, judged_only, requests, ties, duplicates, on_bad_score, exclude, candidates, memory, jobs
        How files are read, as in `project`.

    The runs are read when something is first asked of them, once for all measures asked for together. They are read
    again only where a later measure looks at more than all before it, such as the first ten items (``EU@10``) or the
    size of the pool (``ASL(n='union')``): `read` can be told of it in advance.

    Examples
    --------
    >>> exp = Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate(["AP", "RR"]).to_flat_dict()      # (1 + 2/3) / 2
    {'run1/AP': 0.8333333333333334, 'run1/RR': 1.0}
    """

    def __init__(
        self,
        judgements: Judgements | Path | Values,
        runs: RunLike | Iterable[RunLike],
        *,
        aspects: Any = None,
        profile: Any = None,
        intents: Any = None,
        imputation: str = "pessimistic",
        min_grade: float | None = None,
        binary: bool = False,
        depth: int | None = None,
        judged_only: bool = False,
        requests: str = "judged",
        ties: str = "item",
        duplicates: str = "error",
        on_bad_score: str = "error",
        exclude: Judgements | Path | Values | Any = None,
        candidates: Judgements | Path | Values | Any = None,
        memory: int = MEMORY,
        jobs: int | None = None,
        audit: bool = True,
        columns: Columns | None = None,
    ) -> None:
        check_choice(imputation, "imputation", IMPUTATIONS)
        self._imputation = imputation
        self._columns = ColumnNames(columns, is_shared=True)
        read = SharedReader(memory, self._columns)
        self.judgements = read(judgements)
        liked = None if profile is None else read(profile)
        self._intents = None if intents is None else read(nest_intents(intents))
        self.runs = as_runs(runs, memory, self._columns)
        self._options: dict[str, Any] = {
            "min_grade": min_grade,
            "binary": binary,
            "depth": depth,
            "judged_only": judged_only,
            "requests": requests,
            "ties": ties,
            "duplicates": duplicates,
            "on_bad_score": on_bad_score,
            "exclude": read(exclude, "the excluded items"),
            "candidates": read(candidates, "the candidates"),
            "memory": memory,
            "jobs": jobs,
        }
        known = None if aspects is None else read_aspects(aspects, columns=self._columns)
        self._columns.check_used()
        if known is not None and not any(known.values()):
            raise InputError("aspects: no item has one. Give a table of items and aspects.", kind="aspects")
        self._aspect_source = AspectSource(self.judgements, known, liked)
        self._needs, self._has_audit = Needs(), audit
        self._view: Positions | None = None

    def __repr__(self) -> str:
        return (
            f"<Experiment: {plural(len(self.runs), 'run')}, {plural(len(self.judgements.requests), 'judged request')}>"
        )

    @property
    def more_settings(self) -> dict[str, Any]:
        """How files are read, as the settings of every result hold it."""
        tables = {name: self._options[name] is not None for name in ("exclude", "candidates")}
        reading = {name: as_plain(self._options[name]) for name in READING}
        return {"reading": reading | tables | {"imputation": self._imputation}}

    @property
    def positions(self) -> Positions:
        """Positions of the judged items in every run; read on first use."""
        return self._positions(Needs())

    def read(
        self,
        measures: AnyMeasure | Iterable[AnyMeasure] = (),
        *,
        tick: Tick | None = None,
        early: EarlyReading | None = None,
    ) -> None:
        """Read the runs now, with all that some measures need.

        Parameters
        ----------
        measures : str, Metric, Preference or Population, or several of them
        tick, early
            As in `project`.
        """
        several = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else [measures]
        several = expand_all(several)
        self._positions(Needs.union(map(measure_needs, several)), tick=tick, early=early)

    def _positions(self, needs: Needs, audit: bool = False, **how: Any) -> Positions:
        """The positions with everything needed so far; read again only if that is more than before."""
        everything, has_audit = self._needs | needs, self._has_audit or audit
        if self._view is None or (everything, has_audit) != (self._needs, self._has_audit):
            self._needs, self._has_audit = everything, has_audit
            self._view = self._read(**how)
        return self._view

    def _read(self, **how: Any) -> Positions:
        needs, source = self._needs, self._aspect_source
        needed: dict[str, Any] = {"top": needs.top, "pool": needs.pool, "audit": self._has_audit}
        positions = project(self.judgements, self.runs, nonrelevant=True, **self._options, **needed, **how)
        if self._imputation == "optimistic":
            positions = positions.optimistic()
        positions = replace(positions, aspect_source=replace(source, depth=needs.aspects))
        if source.aspects is not None:
            positions = with_aspects(positions, source.aspects)
        return positions if self._intents is None else with_intents(positions, self._intents)

    def audit(self) -> Overview:
        """Summary of the input: depths, ties, judged shares and anomalies, as ``tiebreak check`` prints it."""
        from tiebreak.results.overview import overview

        result = overview(self._positions(Needs(), audit=True), self.judgements)
        return replace(result, more_settings=self.more_settings)

    def evaluate(self, measures: str | Metric | Iterable[str | Metric] = DEFAULT_MEASURES) -> Scores:
        """Score every run and request by every measure, such as ``["AP", "nDCG@10", "RBP(p=0.9)"]``."""
        names, metrics = parse_metrics(measures)
        positions = self._positions(Needs.union(m.needs for m in metrics))
        warn_about_grades(metrics, positions)
        exact = tuple(evaluate_all(metrics, positions))
        figures = {name: figures for name, m in zip(names, metrics, strict=True) if (figures := m.figures(positions))}
        notes = tuple(metric_notes(names, metrics, exact, positions))
        return Scores(
            positions.runs,
            positions.requests,
            names,
            metrics,
            exact,
            notes,
            figures,
            library=positions.library,
            more_settings=self.more_settings,
        )

    def compare(
        self, measure: str | Preference | Metric = "RPP", baseline: str | Run | Iterable[str | Run] | None = None
    ) -> Comparison:
        """Compare all pairs of runs by a preference, or every run with one or several baselines.

        Examples
        --------
        >>> runs = {"q": {"a": 2.0, "x": 1.0}}, {"q": {"x": 2.0, "b": 1.0, "a": 0.0}}
        >>> exp = Experiment({"q": {"a": 1, "b": 1}}, runs)
        >>> exp.compare("LexiPrecision").mean.tolist(), exp.compare("LexiRecall").mean.tolist()
        ([1.0], [-1.0])
        """
        from tiebreak.comparison import compare
        from tiebreak.preferences import preference
        from tiebreak.preferences.from_metric import MetricDifference

        chosen = preference(measure)  # validate before reading
        positions = self._positions(chosen.needs)
        comparison = compare(positions, chosen, baseline)
        if isinstance(chosen, MetricDifference):
            warn_about_grades([metric(chosen.metric)], positions)
        notes = tuple(preference_notes(chosen, positions, len(comparison.requests)))
        return replace(comparison, measure=str(measure).strip(), notes=notes, more_settings=self.more_settings)

    def order(
        self,
        measure: str | Preference | Metric | Population | None = None,
        by: str | Method | Population | None = None,
        *,
        request: str | None = None,
    ) -> Ordering:
        """Order the runs by a preference or a metric, or by a population over the requests.

        Parameters
        ----------
        measure : str, Preference, Metric or Population, optional
            Such as ``"RPP"``, the default, or ``"AP"``; or a population of a metric, such as ``"leximin(AP)"``.
        by : str, Method or Population, optional
            How, as in `Comparison.order`; or, for a metric, a population such as ``"leximin"``.
        request : str, optional
            Order the rankings of this request only.
        """
        from tiebreak.populations import population_for

        population = population_for(measure, by)
        if population is None:
            comparison = self.compare(cast("str | Preference | Metric", measure or "RPP"))
            return comparison.order(cast("str | Method | None", by), request=request)
        if request is not None:
            raise InputError(f"{population} is over requests; one request has no population.", kind="choice")
        return self.utilities(cast("Metric", population.metric)).order(population)

    def utilities(self, measure: str | Metric, *, weights: Any = None, groups: Any = None) -> Utilities:
        """The values of a metric as utilities of requests, for populations; see `Utilities` for weights and groups.

        Requests for which the metric has no value are left out.
        """
        from tiebreak.inputs.utilities import UtilityTable
        from tiebreak.utilities import LOWER, Utilities

        chosen = metric(measure)
        if chosen.total == "figure":
            chosen.check_comparable()
        positions = self._positions(chosen.needs)
        values = chosen.request_values(positions)
        warn_about_grades([chosen], positions)
        known = np.flatnonzero(~np.isnan(values.nearest).any(axis=0))
        check_has_values(known, chosen)
        lower = chosen.traits.lower_is_better
        requests = positions.requests.take(known)
        exact = (-values if lower else values).take_columns(known)
        table = UtilityTable(positions.runs, requests, exact.nearest, exact=exact, library=positions.library)
        notes = (*((LOWER,) if lower else ()), *reading_notes(positions, chosen.rel, len(known)))
        return Utilities.from_table(table, str(chosen), notes, weights, groups, self.more_settings, self._columns)

    def explain(
        self,
        run: str,
        other: str,
        request: str | int | None = None,
        *,
        measure: str | Preference | Metric | None = None,
    ) -> Explanation | Contributions:
        """Show why one run is preferred to another.

        Parameters
        ----------
        run, other : str
        request : str, optional
            Show the recall levels of this request; by default the requests that contribute most.
        measure : str, Preference or Metric, optional
            The preference by whose size requests are sorted; by default RPP.
        """
        from tiebreak.analysis.explanation import contributions, explain_request
        from tiebreak.preferences import preference

        positions = self._positions(Needs() if measure is None else preference(measure).needs)
        notes = tuple(reading_notes(positions))
        if request is None:
            requests = contributions(positions, run, other, measure)
            settings = {**requests.settings, **self.more_settings}
            return replace(requests, notes=(*requests.notes, *notes), more_settings=settings)
        if measure is not None:
            raise InputError("measure sorts requests; with one request there is nothing to sort.", kind="choice")
        levels = explain_request(positions, run, other, str(request))
        return replace(levels, notes=(*levels.notes, *notes[:1]), more_settings=self.more_settings)


def nest_intents(intents: Any) -> Any:
    """Intents by request; those without one are for every request."""
    is_flat = isinstance(intents, Mapping) and intents and not any(isinstance(v, Mapping) for v in intents.values())
    return {EVERY: intents} if is_flat else intents


class SharedReader:
    """Reads judgements, or pairs where these have a name for messages; a path only once, whatever it is given for."""

    def __init__(self, memory: int, columns: ColumnNames) -> None:
        self.memory, self.columns = memory, columns
        self.by_path: dict[str, Any] = {}

    def __call__(self, source: Any, pairs: str | None = None) -> Any:
        path = str(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else None
        if path in self.by_path:
            return self.by_path[path]
        if pairs:
            table: Any = read_pairs(source, pairs, self.memory, self.columns)
        else:
            table = read_judgements(source, memory=self.memory, columns=self.columns)
        if path is not None:
            self.by_path[path] = table
        return table


def measure_needs(measure: AnyMeasure) -> Needs:
    """What has to be read for a metric, a preference or a population."""
    if isinstance(measure, str) and METRICS.begins(measure.strip()):  # a plain metric: nothing else is imported
        return metric(measure).needs
    from tiebreak.populations import is_population, population
    from tiebreak.preferences import preference

    if is_population(measure):
        inside = population(cast("str | Population", measure)).metric
        return Needs() if inside is None else metric(inside).needs
    return preference(cast("str | Metric | Preference", measure)).needs
