"""The whole chain, wired together: read, project, evaluate, compare, order, explain. Start reading here."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tiebreak._interface import MEMORY, Tick
from tiebreak.errors import GradesWarning, InputError, UnknownNameError
from tiebreak.exact import ExactValues
from tiebreak.inputs import Judgements, Run, read_aspects
from tiebreak.inputs.judgements import read_judgements
from tiebreak.inputs.runs import RunLike, as_runs
from tiebreak.inputs.sources import Path, Values
from tiebreak.metrics import LevelMetric, Metric, metric
from tiebreak.metrics.aspects.base import AspectMetric
from tiebreak.metrics.base import over_requests
from tiebreak.metrics.external import ExternalMeasure
from tiebreak.projection import Positions, project
from tiebreak.projection.aspect_rankings import (
    AspectRankings,
    aspect_rankings,
    subtopic_rankings,
    with_aspects,
    with_intents,
)
from tiebreak.projection.primitives import Floats
from tiebreak.scores import Scores
from tiebreak.words import many

if TYPE_CHECKING:
    from tiebreak.comparison import Comparison
    from tiebreak.explanation import Contributions, Explanation
    from tiebreak.orderings import Method, Ordering
    from tiebreak.populations import Population
    from tiebreak.preferences import Preference
    from tiebreak.reports.overview import Overview
    from tiebreak.utilities import Utilities

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
        Ratings that tell which aspects a user likes, such as the training data; by default the judgements.
    intents : Judgements, path, dict or frame, optional
        How likely each subtopic is what a request means, ``{request: {subtopic: likelihood}}``, or as judgements are
        written with the subtopic in the place of the item; by default all are equally likely.
    **options
        How they are read: ``min_grade``, ``binary``, ``depth``, ``judged_only``, ``requests``, ``ties``, ... as in
        `project`.

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
        **options: Any,
    ) -> None:
        signature(project).bind_partial(**options)  # a name that is misspelt is refused before anything is read
        memory = options.get("memory", MEMORY)
        self.judgements = read_judgements(judgements, memory=memory)
        self.runs = as_runs(runs, memory)
        self.options = options
        self._aspects = None if aspects is None else some_aspects(read_aspects(aspects))
        self._profile = None if profile is None else read_judgements(profile)
        self._intents = None if intents is None else read_judgements(intents)

    def __repr__(self) -> str:
        return f"<Experiment: {many(len(self.runs), 'run')}, {many(len(self.judgements.requests), 'judged request')}>"

    @cached_property
    def positions(self) -> Positions:
        """Where the judged items stand in every run; read when first asked for."""
        return self._read()

    def read(self, tick: Tick | None = None) -> None:
        """Read the runs now, and report to `tick` as `project` does."""
        self.positions = self._read(tick=tick)

    def _read(self, **extra: Any) -> Positions:
        made = project(self.judgements, self.runs, **self.options | {"nonrelevant": True} | extra)
        made = made if self._aspects is None else with_aspects(made, self._aspects)
        return made if self._intents is None else with_intents(made, self._intents)

    def audit(self) -> Overview:
        """What was read: depths, ties, how much was judged, and what is odd about it; as ``tiebreak check`` shows."""
        from tiebreak.reports.overview import overview

        positions = self.positions if self.options.get("audit") else self._read(audit=True)
        return overview(positions, self.judgements)

    def evaluate(self, measures: str | Metric | Iterable[str | Metric] = DEFAULT_MEASURES) -> Scores:
        """Score every run and request by every measure, such as ``["AP", "nDCG@10", "RBP(p=0.9)"]``."""
        names, metrics = named_metrics(measures)
        positions = self.positions
        warn_of_grades(metrics, positions)
        exact = tuple(self._evaluated(metrics))
        values = np.stack([one.nearest for one in exact], axis=-1)
        counted = int((positions.relevant() > 0).sum())
        over = f"Means over {many(counted, 'request')}."
        on_measures = notes_on_measures(names, metrics, values, counted)
        said = (over, *notes(positions), *on_measures, *self._notes_on_aspects(metrics))
        return Scores(
            positions.runs, positions.requests, names, metrics, values, exact, said, library=positions.library
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

        made = preference(measure)  # a bad name is refused before anything is read
        compared = compare(self.positions, made, baseline, evaluate=self._values)
        if isinstance(made, MetricDifference):
            warn_of_grades([metric(made.metric)], self.positions)
        said = (*notes(self.positions, own_level(made), len(compared.requests)), *self._depth_note(made))
        return replace(compared, measure=str(measure).strip(), notes=said)

    def _depth_note(self, made: Preference) -> Iterator[str]:
        """Lexirecall is sensitive to how deep runs go."""
        from tiebreak.preferences.lexicographic import LexiRecall
        from tiebreak.reports.overview import uneven_depths

        if isinstance(made, LexiRecall):
            yield from uneven_depths(self.positions)

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
            How an order is made of it: as in `Comparison.order`; or, for a metric, a population such as ``"leximin"``.
        request : str, optional
            Order the rankings of this request only.
        """
        found = population_of(measure, by)
        if found is None:
            compared = self.compare(cast("str | Preference | Metric", measure or "RPP"))
            return compared.order(cast("str | Method | None", by), request=request)
        if request is not None:
            raise InputError(f"{found} is over requests; one request has no population.", kind="choice")
        return self.utilities(cast("Metric", found.metric)).order(found)

    def utilities(self, measure: str | Metric, *, weights: Any = None, groups: Any = None) -> Utilities:
        """The values of a metric as utilities of requests, for populations; see `Utilities` for weights and groups.

        Requests for which the metric has no value are left out.
        """
        from tiebreak.inputs.utilities import UtilityTable
        from tiebreak.utilities import LOWER, Utilities

        made = metric(measure)
        values = self._values(made)
        warn_of_grades([made], self.positions)
        known = np.flatnonzero(~np.isnan(values.nearest).any(axis=0))
        if not len(known):
            raise InputError(f"{made} has no value for any request. Check rel and min_grade.", kind="empty")
        lower = made.traits.lower_is_better
        requests = self.positions.requests.take(known)
        exact = (-values if lower else values).take_columns(known)
        table = UtilityTable(self.positions.runs, requests, exact.nearest, exact=exact, library=self.positions.library)
        said = (*((LOWER,) if lower else ()), *notes(self.positions, made.rel, len(known)))
        return Utilities.of(table, str(made), said, weights, groups)

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
        from tiebreak.explanation import contributions, explain_request

        said = tuple(notes(self.positions))
        if request is None:
            return replace(contributions(self.positions, run, other, measure, self._values), notes=said)
        if measure is not None:
            raise InputError("measure sorts requests; with one request there is nothing to sort.", kind="choice")
        return replace(explain_request(self.positions, run, other, str(request)), notes=said)

    def _values(self, metric: Metric) -> ExactValues:
        """The exact values [run, request] of a metric."""
        return next(self._evaluated([metric]))

    def _evaluated(self, metrics: Iterable[Metric]) -> Iterator[ExactValues]:
        """The exact values [run, request] of each metric; levels of one grade are sorted once for all that use them."""
        positions = self.positions
        metrics = list(metrics)
        forms = [m.on(positions) for m in metrics]
        levels = {rel: positions.levels(rel) for rel in {m.rel for m in forms if isinstance(m, LevelMetric)}}
        for asked, m in zip(metrics, forms, strict=True):
            if isinstance(m, ExternalMeasure):
                values = ExactValues.given(m.evaluate_rankings(self._judged, self._whole_rankings))
            elif isinstance(m, LevelMetric):
                values = m.of_levels(levels[m.rel])
            elif isinstance(m, AspectMetric):
                values = m.values_of(self._aspect_rankings(m))
            else:
                values = m.values(self._pooled if m.needs_pool else positions)
            yield over_requests(asked, values, positions)

    @property
    def _judged(self) -> Judgements:
        """The judgements, without grades where they are to be forgotten."""
        options = self.options
        return self.judgements.binary(options.get("min_grade")) if options.get("binary") else self.judgements

    @cached_property
    def _pooled(self) -> Positions:
        """The runs once more, with the items of all of them counted."""
        return self._read(pool=True)

    def _aspect_rankings(self, made: AspectMetric) -> AspectRankings:
        """The first items of every ranking with their aspects, as deep as was asked for so far."""
        if self._aspects is None and self.judgements.subtopics is None:
            raise InputError(f"{made} needs the aspects of items: aspects=..., --aspects FILE.", kind="aspects")
        depth = int(made.cutoff or 1)
        if self._shown is None or self._shown[0] < depth:
            read = self._read(top=depth)
            self._shown = depth, self._rankings_with_aspects(read)
        return self._shown[1]

    def _rankings_with_aspects(self, read: Positions) -> AspectRankings:
        if self._aspects is not None:
            return aspect_rankings(read, self.judgements, self._aspects, self._profile)
        if self._profile is not None:
            raise InputError(
                "a profile needs the aspects of items, which subtopics of judgements are not.", kind="aspects"
            )
        return subtopic_rankings(read, self.judgements)

    _shown: tuple[int, AspectRankings] | None = None

    def _notes_on_aspects(self, metrics: tuple[Metric, ...]) -> Iterator[str]:
        """What measures of diversity took for granted."""
        of_aspects = [m for m in metrics if isinstance(m, AspectMetric)]
        if self._shown is None or not of_aspects:
            return
        from tiebreak.metrics.aspects.unified import InterestMetric, NoisyOrNDCG

        _, rankings = self._shown
        whose = "their own ratings" if self._profile is None else "a profile"
        of_interests = [m for m in of_aspects if isinstance(m, InterestMetric) and m.interest == "profile"]
        unknown = rankings.without_aspect
        lacking = f" {many(unknown, 'rated item')} without one." if unknown else ""
        yield f"{many(len(rankings.table.labels), 'aspect')}.{lacking}"
        if of_interests:
            empty = rankings.without_profile
            counted = f" {many(empty, 'user')} without any; they count, and nothing serves them." if empty else ""
            yield f"Users' interest in aspects is taken from {whose}.{counted}"
        by_rated = any(isinstance(m, NoisyOrNDCG) and m.pool == "rated" for m in of_interests)
        if by_rated and (unserved := rankings.unserved):
            yield f"Users whose interests nothing that they rated serves, for whom it is 0: {unserved:,}."
        if any(getattr(m, "r_max", 0) is None for m in of_aspects):
            yield f"The largest rating of the scale is taken to be {rankings.largest:g}, the largest given."

    @cached_property
    def _whole_rankings(self) -> Positions:
        """The runs once more, with every item of every ranking."""
        return self._read(top=2**31 - 1)


def some_aspects(aspects: dict[str, list[str]]) -> dict[str, list[str]]:
    if not any(aspects.values()):
        raise InputError("aspects: no item has one. Give a table of items and aspects.", kind="aspects")
    return aspects


def named_metrics(measures: str | Metric | Iterable[str | Metric]) -> tuple[tuple[str, ...], tuple[Metric, ...]]:
    """The measures asked for: what each was called, and what it is."""
    asked = [measures] if isinstance(measures, (str, Metric)) or callable(measures) else list(measures or ())
    if not asked:
        raise InputError("no measure was given. Give at least one, such as AP.", kind="empty")
    names = tuple(str(measure).strip() for measure in asked)
    if len(set(names)) < len(names):
        raise InputError(f"a measure was given twice: {', '.join(names)}. Give each once.", kind="names")
    return names, tuple(metric(measure) for measure in asked)


def warn_of_grades(metrics: Iterable[Metric], positions: Positions) -> None:
    lowest = positions.grade.min()
    graded = [str(m) for m in metrics if m.traits.uses_grades and m.rel is None]
    if graded and positions.min_grade is not None and positions.min_grade > lowest:
        warnings.warn(
            f"{', '.join(graded)} {'count' if len(graded) > 1 else 'counts'} every grade above 0, also those below "
            f"min_grade={positions.min_grade:g}. "
            f"Use binary judgements, or {graded[0]} with rel=, for the others' notion of relevance.",
            GradesWarning,
            stacklevel=3,
        )


def population_of(measure: Any, by: Any) -> Population | None:
    """The population asked for, as the measure or as the way to order; None where none is meant."""
    from tiebreak.orderings import CATALOGUE as METHODS
    from tiebreak.populations import is_population, population

    if is_population(measure):
        if by is not None:
            raise InputError(f"{measure} orders the runs by itself. Leave out by={by!r}.", kind="choice")
        return with_metric(population(measure))
    if not is_population(by) or (isinstance(by, str) and by.strip() in METHODS):
        return None
    made = population(by)
    if measure is None:
        return with_metric(made)
    try:
        asked = metric(measure)
    except UnknownNameError:
        raise InputError(f"{by} is of a metric, such as AP; {measure} is none.", kind="spec") from None
    if made.metric not in (None, asked):
        raise InputError(f"{measure} cannot be ordered by {by}, which is of another metric.", kind="choice")
    return replace(made, metric=asked)


def with_metric(made: Population) -> Population:
    if made.metric is None:
        raise InputError(f"{made} of what? Name a metric, such as {made.name}(AP).", kind="spec")
    return made


def own_level(made: Preference) -> float | None:
    """The grade from which a preference, or the metric it is made of, calls an item relevant, if it has its own."""
    level: float | None = getattr(getattr(made, "metric", made), "rel", None)
    return level


def notes(positions: Positions, rel: float | None = None, counted: int | None = None) -> Iterator[str]:
    """What a reader of the numbers must know: what counts, what was left out, how much was judged."""
    m = positions.relevant(rel)
    left_out = int((m == 0).sum()) if counted is None else len(m) - counted
    relevance = positions.relevance if rel is None else f"a grade of at least {rel:g}"
    yield f"Relevant is {relevance}." + (
        f" Left out: {many(left_out, 'request')} without a relevant item." if left_out else ""
    )
    yield from positions.notes
    missing = int(((positions.listed == 0) & (m > 0)).sum())
    if missing:
        yield f"Rankings that are missing and count as retrieving nothing: {missing:,}."
    ignored = sum(audit.count("unjudged_requests") for audit in positions.audits)
    if ignored:
        yield f"Rankings of requests without judgements, ignored: {ignored:,}."
    yield from unjudged_share(positions)


def unjudged_share(positions: Positions) -> Iterator[str]:
    """How much of the first ten items of all rankings nobody judged, by run."""
    from tiebreak.reports.overview import judged_share

    there = (positions.retrieved > 0).any(axis=1)
    shares = [1 - judged_share(positions, r, 10) for r in np.flatnonzero(there).tolist()]
    if shares:
        low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
        yield f"{low if low == high else f'{low} to {high}, by run,'} of the top 10 is unjudged."


def notes_on_measures(
    names: tuple[str, ...], metrics: tuple[Metric, ...], values: Floats, requests: int
) -> Iterator[str]:
    """Measures that count other requests or other items than the rest."""
    handed_over = [name for name, m in zip(names, metrics, strict=True) if isinstance(m, ExternalMeasure)]
    if handed_over:
        yield f"By ir_measures: {', '.join(handed_over)}."
    summed = [name for name, m in zip(names, metrics, strict=True) if m.is_summed]
    if summed:
        yield f"Sums over requests, not means: {', '.join(summed)}."
    for k, (name, m) in enumerate(zip(names, metrics, strict=True)):
        counted = int((~np.isnan(values[:, :, k])).any(axis=0).sum())
        if m.rel is not None or (counted != requests and not isinstance(m, ExternalMeasure)):
            yield f"{name}: means over {many(counted, 'request')}."
