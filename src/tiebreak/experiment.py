"""The whole chain, wired together: read, project, evaluate, compare, order, explain. Start reading here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast, overload

from tiebreak._base.checks import check_choice, check_count, check_counts, check_has_values
from tiebreak._base.nicknames import expand_all
from tiebreak._base.public_names import public_names
from tiebreak._base.text import plural
from tiebreak._base.warning import warn_once
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import MEMORY, Tick
from tiebreak.analysis.explainable import ExplainableExperiment
from tiebreak.engines import MetricValues, Plan, Preferences, Task, UtilityValues
from tiebreak.engines.placement import open_elsewhere
from tiebreak.engines.plan import State
from tiebreak.engines.request_file import PerRequest, RequestFile, is_kept, pair_rows, score_rows
from tiebreak.engines.steps import PlannedExperiment
from tiebreak.engines.whole import run_whole
from tiebreak.errors import InputError
from tiebreak.inputs import Judgements
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.runs import Baselines, RunLike, as_runs, baseline_names, check_held, iterate_runs
from tiebreak.inputs.shared_reader import SharedReader
from tiebreak.inputs.sources import Path, Values
from tiebreak.metrics import Metric, measure_label, metric, parse_metrics
from tiebreak.notes import metric_notes, note_totals, preference_notes, reading_notes, warn_about_grades
from tiebreak.projection import Positions, project
from tiebreak.projection.aspect_source import AspectSource, nest_intents
from tiebreak.projection.needs import Needs
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary
from tiebreak.reading_needs import measure_needs
from tiebreak.reports.reportable import ReportableExperiment, file_paths
from tiebreak.results.formats import as_plain
from tiebreak.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.comparisons import Comparisons
    from tiebreak.orderings import Method, Ordering
    from tiebreak.populations import Population
    from tiebreak.preferences import Preference
    from tiebreak.results.overview import Overview
    from tiebreak.utilities import Utilities

AnyMeasure: TypeAlias = "str | Metric | Preference | Population"
READING = ("min_grade", "binary", "depth", "judged_only", "requests", "ties", "duplicates", "on_bad_score")
IMPUTATIONS = ("pessimistic", "optimistic")
DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100", "TSE")


class Experiment(ExplainableExperiment, ReportableExperiment, PlannedExperiment):
    """Judgements and the runs to be compared on them.

    Parameters
    ----------
    judgements : Judgements, path or dict
    runs : one or several of Run, path or dict
    aspects : path, dict or frame, optional
        The aspects of items, such as genres, as `read_aspects` reads them; for measures of diversity. Where judgements
        have no subtopics, aspects stand for them; where there are no aspects, subtopics do.
    train : Judgements, path, dict or frame, optional
        Training ratings, from which a user's interest in aspects is estimated; by default the judgements.
    intents : Judgements, path, dict or frame, optional
        Intent probabilities p(t), ``{request: {subtopic: likelihood}}``, or as judgements are written with the subtopic
        in the place of the item; ``{subtopic: likelihood}``, or the request ``*``, for all requests alike. By default
        all are equally likely; for ST-RPP, by their numbers of relevant items.
    audit : bool
        Also count what `audit` reports, so that it need not read files again; reading takes about a third longer.
    imputation : {"pessimistic", "optimistic"}
        Where relevant items are that a run misses: below everything, or, for study, right after its last item, those of
        higher grades first (LR 2.2).
    columns : dict or str, optional
        Which column of the tables holds what, where its name does not say so: ``{"request": "prompt_id"}``, or
        ``"request=prompt_id,score=pred"``. A name holds for every table that has such a column.
    block_requests : int, optional
        Evaluate and compare about so many requests at a time, with the same results. What is too large to hold within
        `memory` is divided in any case: runs in TREC's format, parquet, datasets of pyarrow, lazy frames of polars and
        relations of duckdb. All other methods read everything.
    engine : {"local", "spark"}, optional
        Where the work runs; by default on Spark if judgements and runs are its frames. With ``"spark"`` they may also
        be paths of parquet, which the active session reads. Requests of results are in the order of their ids.
    min_grade, binary, depth, judged_only, requests, ties, duplicates, on_bad_score, exclude, candidates, memory, jobs
        How files are read, as in `project`.

    The runs are read once for all measures asked for together, and again only where a later measure looks at more,
    such as the first ten items (``EU@10``) or the size of the pool: `read` can be told of it in advance.

    Examples
    --------
    >>> exp = Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.evaluate(["AP", "RR"]).to_flat_dict()      # (1 + 2/3) / 2
    {'run1/AP': 0.8333333333333334, 'run1/RR': 1.0}
    """

    _internals: ClassVar[tuple[str, ...]] = ("more_settings",)
    __dir__ = public_names

    def __init__(
        self,
        judgements: Judgements | Path | Values,
        runs: RunLike | Iterable[RunLike],
        *,
        aspects: Any = None,
        train: Any = None,
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
        block_requests: int | None = None,
        engine: str | None = None,
    ) -> None:
        check_count(memory, "memory")
        check_counts(block_requests=block_requests, jobs=jobs)
        check_choice(imputation, "imputation", IMPUTATIONS)
        self._imputation = imputation
        self._columns = ColumnNames(columns, is_shared=True)
        runs = [*iterate_runs(runs)] if isinstance(runs, Iterator) else runs  # they are looked at several times
        read = SharedReader(memory, self._columns)
        tables = {"aspects": aspects, "train": train, "intents": intents, "exclude": exclude, "candidates": candidates}
        self._elsewhere = open_elsewhere(engine, judgements, runs, self._columns, tables, block_requests, memory)
        if self._elsewhere is not None:
            judgements, runs = self._elsewhere.judgements, self._elsewhere.as_runs(runs, self._columns, memory)
            exclude, candidates = self._elsewhere.hold_pairs(exclude, candidates)
        self.judgements = read(judgements)
        training = None if train is None else read(train)
        self._intents = None if intents is None else read(nest_intents(intents))
        self.runs = as_runs(runs, memory, self._columns, self.judgements.requests)
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
        known = None if aspects is None else read.aspects(aspects)
        self._columns.check_used()
        self._aspect_source = AspectSource(self.judgements, known, training)
        self._tables = file_paths(tables)
        self._needs, self._has_audit = Needs(), audit
        self._view: Positions | None = None
        self._warnings: set[str] = set()  # about the input

    def __repr__(self) -> str:
        requests = plural(len(self.judgements.requests), "judged request")
        if self._elsewhere is not None and not len(self.judgements):
            requests = self._elsewhere.where
        return f"<Experiment: {plural(len(self.runs), 'run')}, {requests}>"

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
        needs = Needs.union(map(measure_needs, expand_all(several)))
        if self._hold(needs, tick=tick, early=early) is None and self._elsewhere is not None:
            self._elsewhere.prepare(self._grow_plan(needs), self._held, tick)

    def _positions(self, needs: Needs, audit: bool = False, **how: Any) -> Positions:
        """The positions with everything needed so far; read again only if that is more than before."""
        everything, has_audit = self._needs | needs, self._has_audit or audit
        if self._view is None or (everything, has_audit) != (self._needs, self._has_audit):
            self._needs, self._has_audit = everything, has_audit
            self._view = self._read(**how)
        return self._view

    def _read(self, **how: Any) -> Positions:
        check_held(self.runs)
        how |= {"top": self._needs.top, "pool": self._needs.pool, "audit": self._has_audit}
        with warn_once(self._warnings):
            positions = project(self.judgements, self.runs, nonrelevant=True, **self._options, **how)
        return self._plan(self._needs).complete(positions)

    def _plan(self, needs: Needs) -> Plan:
        """How blocks are read."""
        options = {name: self._options[name] for name in (*READING, "memory")}
        reading = Reading(nonrelevant=True, top=needs.top, pool=needs.pool, **options)
        names, aspects = tuple(run.name for run in self.runs), replace(self._aspect_source, depth=needs.aspects)
        return Plan(reading, names, self._imputation, aspects, self._intents, counts_users=needs.popularity)

    def _compute(self, task: Task[State], needs: Needs, write: RequestFile | None = None) -> tuple[State, InputSummary]:
        """What a task computes of all requests, and a summary of the input."""
        positions = self._hold(needs)
        if positions is None:
            assert self._elsewhere is not None, "what is not held is elsewhere"
            with warn_once(self._warnings):
                return self._elsewhere.run(self._grow_plan(needs), task, self._held, self._options["jobs"], write)
        state = run_whole(task, positions, write)  # which says what is missing
        return state, InputSummary.from_positions(positions, task.levels, task.has_aspects)

    @cached_property
    def _held(self) -> Block:
        """What this process holds of the input."""
        tables = self._plan(Needs()).reading.binarize(self.judgements), tuple(run.source for run in self.runs)
        return Block(*tables, self._options["exclude"], self._options["candidates"])

    def audit(self) -> Overview:
        """Summary of the input: depths, ties, judged shares and anomalies, as ``tiebreak check`` prints it."""
        from tiebreak.results.overview import overview

        result = overview(self._positions(Needs(), audit=True), self.judgements)
        return replace(result, more_settings=self.more_settings)

    def evaluate(
        self,
        measures: str | Metric | Iterable[str | Metric] = DEFAULT_MEASURES,
        *,
        per_request: PerRequest = None,
    ) -> Scores:
        """Score every run and request by every measure, such as ``["AP", "nDCG@10", "RBP(p=0.9)"]``.

        Parameters
        ----------
        measures : str or Metric, or several of them
        per_request : bool or path, optional
            Whether the values of every request are kept, or their sums only; by default they are, unless requests are
            computed in blocks and values of all measures are more than 8 million, about 130 MB. With the path of a
            parquet file they are written there block by block, not kept.
        """
        names, metrics = parse_metrics(measures)
        task, needs = MetricValues(metrics, is_kept(per_request)), Needs.union(m.needs for m in metrics)
        with self._writer(per_request, partial(score_rows, names=names), Scores.columns) as write:
            table, data = self._compute(task, needs, write)
        warn_about_grades(metrics, data.scale.lowest, data.min_grade)
        return Scores(
            table.runs,
            table.requests,
            names,
            metrics,
            table.exact,
            (*metric_notes(names, metrics, table.counted, data), *note_totals(table.sums, per_request)),
            {names[k]: figures for k, figures in table.figures.items()},
            table.sums,
            table.visit,
            library=data.library,
            more_settings=self.more_settings,
        )

    @overload
    def compare(  # type: ignore[overload-overlap]
        self,
        measure: str | Preference | Metric = "RPP",
        baseline: Baselines = None,
        *,
        per_request: PerRequest = None,
    ) -> Comparison: ...
    @overload
    def compare(
        self,
        measure: Iterable[str | Preference | Metric],
        baseline: Baselines = None,
        *,
        per_request: PerRequest = None,
    ) -> Comparisons: ...
    def compare(
        self,
        measure: str | Preference | Metric | Iterable[str | Preference | Metric] = "RPP",
        baseline: Baselines = None,
        *,
        per_request: PerRequest = None,
    ) -> Comparison | Comparisons:
        """Compare all pairs of runs by a preference or several, or every run with one or several baselines.

        `per_request` says whether values are kept, as in `evaluate`.

        Examples
        --------
        >>> runs = {"q": {"a": 2.0, "x": 1.0}}, {"q": {"x": 2.0, "b": 1.0, "a": 0.0}}
        >>> exp = Experiment({"q": {"a": 1, "b": 1}}, runs)
        >>> exp.compare("LexiPrecision").mean.tolist(), exp.compare("LexiRecall").mean.tolist()
        ([1.0], [-1.0])
        """
        from tiebreak.comparison import PairValue, comparison_from_values
        from tiebreak.comparisons import compare_by_several
        from tiebreak.preferences import preference
        from tiebreak.preferences.from_metric import MetricDifference
        from tiebreak.preferences.pairs import chosen_pairs

        if isinstance(measure, Iterable) and not isinstance(measure, str):
            return compare_by_several(self, expand_all(measure), baseline, per_request)
        chosen, baselines = preference(measure), baseline_names(baseline)  # validate before reading
        choose = partial(chosen_pairs, baselines=baselines)
        choose(tuple(run.name for run in self.runs))
        task = Preferences(chosen, choose, per_request=is_kept(per_request))
        with self._writer(per_request, partial(pair_rows, measure=measure_label(measure)), PairValue._fields) as write:
            values, data = self._compute(task, chosen.needs, write)
        comparison = comparison_from_values(values, chosen, measure, baselines, data.library)
        if isinstance(chosen, MetricDifference):
            warn_about_grades([metric(chosen.metric)], data.scale.lowest, data.min_grade)
        notes = *preference_notes(chosen, data, len(comparison.requests)), *note_totals(values.totals, per_request)
        return replace(comparison, notes=notes, more_settings=self.more_settings)

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
        from tiebreak.populations import check_order_name, population_for

        check_order_name(by)
        population = population_for(measure, by)
        if population is None:
            compared = self.compare(cast("str | Preference | Metric", measure or "RPP"))
            return compared.order(cast("str | Method | None", by), request=request)
        if request is not None:
            raise InputError(f"{population} is over requests; one request has no population.", kind="choice")
        kept = population.compares_requests or None
        return self.utilities(cast("Metric", population.metric), per_request=kept).order(population)

    def utilities(
        self, measure: str | Metric, *, weights: Any = None, groups: Any = None, per_request: PerRequest = None
    ) -> Utilities:
        """The values of a metric as utilities of requests, for populations; see `Utilities` for weights and groups.

        Requests for which the metric has no value are left out. `per_request` says whether values are kept, as in
        `evaluate`, or how often each occurs, which populations need, but for urisk, trisk and georisk.
        """
        from tiebreak.inputs.counted_utilities import CountedUtilities
        from tiebreak.inputs.utilities import LOWER, UtilityTable
        from tiebreak.utilities import Utilities

        chosen = metric(measure)
        if chosen.total == "figure":
            chosen.check_comparable()
        kept = is_kept(per_request, "" if weights is None and groups is None else "weights and groups")
        with self._writer(per_request, partial(score_rows, names=(str(chosen),)), Scores.columns) as write:
            metrics, data = self._compute(UtilityValues((chosen,), kept), chosen.needs, write)
        warn_about_grades([chosen], data.scale.lowest, data.min_grade)
        lower = chosen.traits.lower_is_better
        table: UtilityTable
        if metrics.value_counts is not None:
            counted = metrics.runs, metrics.value_counts, data.library, metrics.visit
            table = CountedUtilities.from_counts(*counted, is_negated=lower)
        else:
            values = -metrics.exact[0] if lower else metrics.exact[0]
            table = UtilityTable.from_exact(metrics.runs, metrics.requests, values, data.library)
        check_has_values(table.requests, chosen)
        notes = (*((LOWER,) if lower else ()), *reading_notes(data, chosen.rel, len(table.requests)))
        notes = *notes, *note_totals(metrics.value_counts, per_request)
        return Utilities.from_table(table, str(chosen), notes, weights, groups, self.more_settings, self._columns)
