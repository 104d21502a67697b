"""Scores: one number per run, request and measure, and their means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_two_runs, find_run
from tiebreak._base.corrections import ALPHA
from tiebreak._base.text import join_names, plural
from tiebreak._base.visits import NO_VISIT, Visit
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.exact import ExactValues, Number, competition_ranks
from tiebreak.exact.intervals import half_width
from tiebreak.exact.sample import Sample
from tiebreak.inputs import Ids, Run
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.runs import baseline_names
from tiebreak.inputs.sources import Path
from tiebreak.metrics import Metric
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, value_or_count
from tiebreak.results.drawable import Drawable
from tiebreak.results.means import Mean, MeanInterval, MeanIntervals, Means
from tiebreak.results.record import LazyRows, Result

if TYPE_CHECKING:
    from tiebreak.exact.row_sums import RowSum, RowSums
    from tiebreak.preferences import Pairs
    from tiebreak.results.plots import Drawing
    from tiebreak.score_groups import ScoreGroups
    from tiebreak.score_table import ScoreTable
    from tiebreak.significance import Significance, Test


class Score(NamedTuple):
    """One value."""

    run: str
    request: str
    measure: str
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Drawable, Result):
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
    sums : tuple of RowSums
        Of every measure, in place of values where requests are too many to hold.
    """

    runs: tuple[str, ...]
    requests: Ids
    measures: tuple[str, ...]
    metrics: tuple[Metric, ...]
    exact: tuple[ExactValues, ...]
    notes: tuple[str, ...] = ()
    figures: Mapping[str, list[Number]] = field(default_factory=dict)
    sums: tuple[RowSums, ...] = ()
    visit: Visit = NO_VISIT
    _internals: ClassVar[tuple[str, ...]] = ("visit",)
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

    def summary(self, sort: str | None = "none") -> Means:
        """Means over requests, exactly rounded; sorted by a measure, best first, where it is given."""
        return Means(
            tuple(self._means(sort)),
            self.notes,
            self._all_best(),
            self._counts,
            library=self.library,
            more_settings=self.settings,
        )

    def intervals(self) -> MeanIntervals:
        """Means over requests with 95% intervals, by Student's t."""
        notes = ("95% intervals, by Student's t.", *self.notes)
        rows = tuple(map(self._interval, self._means()))
        return MeanIntervals(rows, notes, library=self.library, more_settings=self.settings)

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Means with intervals; ranks by every measure; values from the worst request to the best."""
        kinds = {"leaderboard": self._leaderboard, "bump": self._bump_chart, "sorted": self._sorted_values}
        return kinds if len(self.runs) > 1 else {name: kinds[name] for name in ("leaderboard", "sorted")}

    def _leaderboard(self) -> Drawing:
        from tiebreak.results.pictures import leaderboard

        rows = [(row.run, row.measure, row.value, row.low, row.high) for row in self.intervals().values]
        first = {row[0]: row[2] for row in rows if row[1] == self.measures[0]}
        sign = 1 if self.metrics[0].traits.lower_is_better else -1
        rows.sort(key=lambda row: (sign * first[row[0]], row[0]))
        over = f"over {plural(len(self.requests), 'request')}, with 95% intervals"
        more = f"; runs by {self.measures[0]}, the best first" if len(self.runs) > 1 else ""
        return leaderboard(f"{join_names(self.measures, most=4)} {over}{more}", rows)

    def _bump_chart(self) -> Drawing:
        from tiebreak.results.pictures import bump_chart

        ranks = {}
        for measure, metric, means in zip(self.measures, self.metrics, self.exact_means, strict=True):
            known = [mean for mean in means if isinstance(mean, Number)]
            if metric.traits.has_direction and len(known) == len(means):
                several = competition_ranks([-mean for mean in known] if metric.traits.lower_is_better else known)
                ranks[measure] = dict(zip(self.runs, several.tolist(), strict=True))
        return bump_chart(ranks)

    def _sorted_values(self) -> Drawing:
        from tiebreak.results.pictures import sorted_values

        known = {
            run: values[~np.isnan(values)].tolist() for run, values in zip(self.runs, self.values[:, :, 0], strict=True)
        }
        return sorted_values(self.measures[0], known)

    def against(
        self,
        baseline: str | Run | Iterable[str | Run] | None = None,
        *,
        sort: str | None = None,
        test: str | Test = "auto",
        correction: str | None = None,
        alpha: float = ALPHA,
        permutations: int | str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        tick: Tick | None = None,
    ) -> ScoreTable:
        """The table for a paper: means with 95% intervals, marked where runs were shown to differ.

        Parameters
        ----------
        baseline : str or list of str, optional
            Mark the runs that differ from these; by default letters, for all pairs: runs that share one were not shown
            to differ.
        sort : str, optional
            The measure by which runs are sorted, best first; by default the first one, and ``"none"`` for the order of
            the input.
        test, correction, alpha, permutations, seed, jobs, tick
            As in `Comparison.test`; p-values are corrected for the comparisons of one measure.

        Examples
        --------
        >>> import tiebreak as tb
        >>> qrels = {f"q{k}": {"a": 1} for k in range(8)}
        >>> runs = {"old": {q: {"x": 2.0, "a": 1.0} for q in qrels}, "new": {q: {"a": 1.0} for q in qrels}}
        >>> for row in tb.Experiment(qrels, runs).evaluate("AP").against("old").rows():
        ...     print(row[:3], row.change, row.marks or "-")
        ('new', 'AP', 1.0) 1.0 *
        ('old', 'AP', 0.5) nan -
        """
        from tiebreak.preferences import Pairs
        from tiebreak.score_table import ScoreTable, captions, mark_means

        check_two_runs(self.runs, "a table with significance marks")
        means = [self._interval(mean) for mean in self._means(sort)]
        baselines = baseline_names(baseline)
        places = [find_run(name, self.runs) for name in baselines]
        pairs = Pairs.against(places, len(self.runs)) if places else Pairs.all(len(self.runs))
        settings = {"baselines": list(baselines)}
        tests = dict(self._tests(pairs, settings, test, correction, alpha, permutations, seed, jobs, tick))
        used = {measure: one.settings for measure, one in tests.items()}
        return ScoreTable(
            tuple(mark_means(means, tests, baselines)),
            (*captions(self.measures, tests, baselines), *self.notes),
            baselines,
            tests,
            self._all_best(),
            self._counts,
            library=self.library,
            more_settings={**settings, "sort": sort, "tests": used, **self.settings},
        )

    def by_group(
        self, groups: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None
    ) -> ScoreGroups[Scores]:
        """The scores of every group of requests: `against` has the table for a paper, with rows for every group.

        Parameters
        ----------
        groups : path, dict or frame
            The group of every request, as `read_groups` reads it. Where values of requests are not kept, groups are
            in the order in which they are given here.
        columns : dict or str, optional
            Which column of a table holds what, where its name does not say so.

        Examples
        --------
        >>> import tiebreak as tb
        >>> scores = tb.Utilities({"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 0.5}}, measure="acc").scores()
        >>> scores.by_group({"q": "de", "r": "fr"})["de"].mean.ravel().tolist()
        [1.0, 0.0]
        """
        from tiebreak.inputs.attributes import group_places, read_groups
        from tiebreak.score_groups import ScoreGroups

        if self.figures:
            names = join_names(list(self.figures))
            raise InputError(f"{names}: a figure of whole runs, not of groups of requests. Leave it out.", kind="group")
        if self.sums:
            return ScoreGroups.from_sums(self, read_groups(groups, columns=columns))
        whole = self._take_requests(np.flatnonzero(~np.isnan(self.values).all(axis=(0, 2))))
        places = group_places(whole.requests, read_groups(groups, columns=columns))
        parts = {group: whole._take_requests(of_group) for group, of_group in places.items()}
        return ScoreGroups(whole, parts, self.notes)

    def _take_requests(self, places: NDArray[np.int64]) -> Scores:
        """The scores of some requests, without notes, which are on all."""
        exact = tuple(values.take_columns(places) for values in self.exact)
        return replace(self, requests=self.requests.take(places), exact=exact, notes=())

    def _tests(self, pairs: Pairs, settings: dict[str, Any], *options: Any) -> Iterator[tuple[str, Significance]]:
        """The test of every measure that says which run is better, where there are enough requests."""
        from tiebreak.preferences import PairValues
        from tiebreak.significance import significance, unless_too_few

        for name, metric, values in zip(self.measures, self.metrics, self.exact, strict=True):
            if metric.is_comparable and metric.total in ("mean", "sum"):
                utilities = -values if metric.traits.lower_is_better else values
                known = np.asarray(np.isfinite(values.nearest).all(axis=0))
                paired = PairValues.differences(self, pairs, utilities, known)
                test = unless_too_few(partial(significance, name, paired, *options, more_settings=settings))
                if test is not None:
                    yield name, test

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
        known: Sequence[ExactValues | RowSums] = self.sums or self.exact
        return [
            [*self.figures[measure]]
            if measure in self.figures
            else [total(values.sample(r), metric.total) for r in range(len(self.runs))]
            for measure, metric, values in zip(self.measures, self.metrics, known, strict=True)
        ]

    def _means(self, sort: str | None = "none") -> Iterator[Mean]:
        known = self._n_values.tolist()
        for r in self._order(sort):
            for k, measure in enumerate(self.measures):
                counted = len(self.requests) if measure in self.figures else known[r][k]
                yield Mean(self.runs[r], measure, float(self.mean[r, k]), counted)

    @property
    def _n_values(self) -> NDArray[np.int64]:
        """For how many requests runs have values: [run, measure]."""
        if self.sums:
            return np.stack([sums.counts for sums in self.sums], axis=1)
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    def _order(self, sort: str | None) -> list[int]:
        """The runs, the best first by a measure, by default the first one; those without a value are last."""
        places = list(range(len(self.runs)))
        if sort == "none":
            return places
        if sort is not None and sort not in self.measures:
            raise UnknownNameError("measure", sort, (*self.measures, "none"))
        k = 0 if sort is None else self.measures.index(sort)
        means, is_cost = self.exact_means[k], self.metrics[k].traits.lower_is_better
        known = [r for r in places if isinstance(means[r], Number)]
        return sorted(known, key=means.__getitem__, reverse=not is_cost) + [r for r in places if r not in known]

    def _interval(self, mean: Mean) -> MeanInterval:
        k = self.measures.index(mean.measure)
        margin = nan
        if self.metrics[k].total == "mean" and mean.n_requests:
            margin = half_width(self._squares(self.runs.index(mean.run), k, mean.value), mean.n_requests)
        low, high = mean.value - margin, mean.value + margin
        return MeanInterval(mean.run, mean.measure, mean.value, low, high, mean.n_requests)

    def _squares(self, run: int, k: int, middle: float) -> Floats:
        """The squared differences between values and a number, or their sum."""
        if self.sums:
            return np.array([float(self.sums[k].squares_around(run, Fraction(middle)))])
        values = self.values[run, :, k]
        return np.asarray((values[~np.isnan(values)] - middle) ** 2)

    def _all_best(self) -> frozenset[tuple[str, str]]:
        """Run and measure of every best mean."""
        return frozenset((self.runs[r], measure) for k, measure in enumerate(self.measures) for r in self._best(k))

    def _best(self, k: int) -> Iterator[int]:
        """The runs with the best mean of a measure, all of them where runs tie; none where there is one run."""
        known = {r: mean for r, mean in enumerate(self.exact_means[k]) if isinstance(mean, Number)}
        if len(self.runs) > 1 and known and self.metrics[k].traits.has_direction:
            best = (min if self.metrics[k].traits.lower_is_better else max)(known.values())
            yield from (r for r, mean in known.items() if mean == best)


def total(values: Sample | RowSum, kind: str) -> Number | float:
    """The exact mean, sum or geometric mean; NaN where there is no value."""
    if not len(values):
        return nan
    if kind == "geometric mean":
        from tiebreak.exact.roots import geometric_mean

        if isinstance(values, Sample):
            return geometric_mean(values)
        assert values.counted is not None, "products are counted"
        return geometric_mean(values.counted, weights=values.counted.weights())
    return values.total() if kind == "sum" else values.mean()
