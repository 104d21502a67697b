"""Comparison: one preference between pairs of runs in every request; means, orders and tests over requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import check_has_values, find_pair
from tiebreak._base.corrections import ALPHA
from tiebreak._base.text import join_names, plural
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.exact.intervals import CONFIDENCE
from tiebreak.inputs import Run
from tiebreak.inputs.attributes import read_groups
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.runs import baseline_names
from tiebreak.inputs.sources import Path
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics import Metric, measure_label
from tiebreak.orderings import Ballots, Method, Ordering, method
from tiebreak.orderings.ballots import BallotTotals
from tiebreak.orderings.bootstrap import Bootstrap, bootstrap
from tiebreak.orderings.result import RequestOrders, RequestPlace
from tiebreak.preferences import Pairs, PairValues, Preference, preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.preferences.pairs import chosen_pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, Row, column, interval_columns, signed_column
from tiebreak.results.drawable import Drawable, DrawablePairs
from tiebreak.results.record import LazyRows, Result, Rows
from tiebreak.segments import Segments, split_by_group
from tiebreak.significance import TOO_FEW, Significance, Test, significance, unless_too_few

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


class PairValue(NamedTuple):
    """One preference: positive where `run` is better than `other`."""

    run: str
    other: str
    request: str
    measure: str
    value: float


class PairSummary(NamedTuple):
    """One pair over all requests: the mean with its 95% interval by Student's t, and requests won, tied and lost.

    `pvalue_corrected` is that of `Comparison.test` by default; NaN where there are too few requests for the test.
    """

    run: str
    other: str
    measure: str
    value: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int
    pvalue_corrected: float


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonSummary(DrawablePairs, Rows[PairSummary]):
    """Every pair over all requests, marked where its corrected p-value is below `alpha`."""

    alpha: float = ALPHA
    columns = PairSummary._fields
    spread = "measure"
    spread_cells: ClassVar[Mapping[str, Cell]] = {
        "": signed_column("value"),
        "w/t/l": lambda row, digits: f"{row['wins']}/{row['ties']}/{row['losses']}",
    }
    mark = "*"
    has_pairs = True
    optional_columns = ("ties", "losses", "wins", "w/t/l")

    @property
    def table_cells(self) -> Mapping[str, Cell] | None:
        """Intervals and counts of one measure; several are side by side."""
        if len({row.measure for row in self.values}) > 1:
            return None
        names = {name: column(name) for name in ("run", "other")}
        counts = {name: column(name) for name in ("wins", "ties", "losses")}
        return {**names, "value": signed_column("value"), **interval_columns(CONFIDENCE), **counts}

    def is_marked(self, row: Row) -> bool:
        return bool(row["pvalue_corrected"] < self.alpha)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Drawable, Result, PairValues):
    """Preferences [pair, request]; positive where the first run of a pair is better, 0 exactly where they tie.

    Attributes
    ----------
    measure : str
        As it was asked for.
    preference : Preference or None
        None for differences of utilities, which come from no rankings.
    baselines : tuple of str
    runs : tuple of str
    requests : Ids
        Those that count: requests with nothing relevant are left out.
    pairs : Pairs
        All pairs of runs; or, against baselines, every run with each of them, the baseline second.
    numerator, denominator, exact, by_run, labels
        Their values, as in `PairValues`.
    """

    measure: str
    preference: Preference | None
    baselines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    columns = PairValue._fields
    spread = "measure"
    _internals: ClassVar[tuple[str, ...]] = ("ballots", "ordering_method")
    spread_cells: ClassVar[Mapping[str, Cell]] = {"": signed_column("value")}

    @property
    def settings(self) -> dict[str, Any]:
        return {"measure": self.measure, "baselines": list(self.baselines), **self.more_settings}

    @cached_property
    def interval(self) -> Floats:
        """The 95% interval of every mean, by Student's t over requests: [pair, 2]; NaN for one request."""
        if self.n_requests < 2:
            return np.full((len(self.pairs), 2), np.nan)
        return np.stack(self.student_interval(1 - CONFIDENCE), axis=1)

    @property
    def share_tied(self) -> float:
        """The share of all (pair, request) that tie."""
        return float(self.win_tie_loss[:, 1].sum() / (len(self.pairs) * self.n_requests))

    def between(self, run: str, other: str) -> Floats:
        """The preferences [request] between two runs: positive where the first is better."""
        pair = self.pairs.find(*find_pair(run, other, self.runs))
        if pair is None:
            others = join_names(self.baselines)
            raise InputError(f"{run} and {other} were not compared, only runs with {others}.", kind="names")
        row, sign = pair
        return np.asarray(sign * self.values[row] + 0.0)  # -0 + 0 is 0

    def summary(self, test: str | Test | Significance = "auto", **how: Any) -> ComparisonSummary:
        """Mean, interval, wins, ties and losses of every pair, with a mark where a test shows a difference.

        Parameters
        ----------
        test, how
            As in `test`; or its result.
        """
        result = test if isinstance(test, Significance) else unless_too_few(partial(self.test, test, **how))
        pvalues = np.full(len(self.pairs), np.nan) if result is None else result.pvalue_corrected
        numbers = (self.mean, self.interval, self.win_tie_loss, pvalues)
        parts = zip(self.names(), *(one.tolist() for one in numbers), strict=True)
        rows = (
            PairSummary._make((*names, self.measure, mean, *interval, *counts, pvalue))
            for names, mean, interval, counts, pvalue in parts
        )
        against = f" against {join_names(self.baselines)}" if self.baselines else ""
        is_experimental = self.preference is not None and self.preference.traits.is_experimental
        trial = " It is experimental and may change." if is_experimental else ""
        marked, intervals = (TOO_FEW, ()) if result is None else (f"* {result.criterion}", result.interval_note)
        note = (
            f"{self.measure}{against} over {plural(len(self.requests), 'request')}: positive where run is better; "
            f"{self.share_tied:.1%} tied; {marked}.{trial}"
        )
        notes = (note, *intervals, *self.notes, *(() if result is None else result.cautions))
        alpha = ALPHA if result is None else result.alpha
        return ComparisonSummary(tuple(rows), notes, alpha, library=self.library, more_settings=self.settings)

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Those of the summary: pairs with their intervals; a heat map of all pairs; groups."""
        return self.summary().pictures

    def matrix(self) -> Floats:
        """Mean preferences [run, run]: the first run over the second, NaN where they were not compared."""
        return self.square(self.mean, others=np.nan)

    def win_rate(self) -> Floats:
        """Sum of every run's preferences over the others, in every request: [run, request] (RPP eq 7)."""
        return self.ballots.win_rate.nearest

    @cached_property
    def ballots(self) -> Ballots:
        """The preferences of all pairs as the input of ordering methods."""
        if self.baselines:
            raise InputError("an order needs all pairs compared. Compare without a baseline.", kind="choice")
        return Ballots(self) if self.totals is None else BallotTotals(self)

    def order(self, by: str | Method | None = None, *, request: str | None = None) -> Ordering:
        """Order the runs.

        Parameters
        ----------
        by : str or Method, optional
            One of `orderings.CATALOGUE`, such as ``"borda"``; by default ``"mc4"`` for preferences, as in the RPP
            paper, ``"mean"`` for metrics, and ``"win_rate"`` for one request.
        request : str, optional
            Order the rankings of this request only; exact for lexicographic preferences, which are total orders.
        """
        if request is not None:
            one = self.take_requests(np.array([self.requests.place(request, "request")]))
            return replace(one, measure=f"{self.measure} of request {request}", notes=()).order(by or "win_rate")
        chosen = self.ordering_method(by)
        return Ordering.from_scores(
            self.measure,
            str(chosen),
            self.runs,
            chosen.scores(self.ballots),
            cycles=self.ballots.cycles(),
            notes=(f"Over {plural(len(self.requests), 'request')}.", *self.notes),
            library=self.library,
            more_settings=self.more_settings,
        )

    def ordering_method(self, by: str | Method | None) -> Method:
        return method(by or ("mean" if self.is_of_numbers else "mc4"))

    @property
    def is_of_numbers(self) -> bool:
        """Whether a metric or a utility gives every run a number, and the preference is their difference."""
        return self.preference is None or isinstance(self.preference, MetricDifference)

    def bootstrap(
        self, by: str | Method | None = None, *, resamples: int = 1000, seed: int = 0, tick: Tick | None = None
    ) -> Bootstrap:
        """Bootstrap over requests: rank intervals and win probabilities; `tick` is called with samples done and all."""
        result = bootstrap(self.ballots, self.requests, self.ordering_method(by), resamples, seed, tick)
        return replace(result, library=self.library, more_settings=self.settings)

    def test(
        self,
        test: str | Test = "auto",
        *,
        correction: str | None = None,
        alpha: float = ALPHA,
        permutations: int | str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        tick: Tick | None = None,
        alternative: str | None = None,
    ) -> Significance:
        """Test whether the runs of each pair differ by more than chance.

        Parameters
        ----------
        test : str or Test
            One of `significance.CATALOGUE`, such as ``"permutation"``, or ``"hsd"`` for all pairs at once; ``"auto"``
            is what the papers use: the sign test for preferences that are signs, else t.
        correction : str, optional
            For the number of pairs, one of `significance.CORRECTIONS`; by default Holm's, and none for tests of all
            pairs at once.
        alpha : float
            A pair differs where its corrected p-value is below; intervals are at 1 - alpha.
        permutations : int or "all", optional
            Draws of a randomised test; all of them where they are few.
        seed : int, optional
        jobs : int, optional
            Threads of ``"hsd"``; by default one per processor.
        tick : callable, optional
            Called now and then with the work done and the total.
        alternative : {"two-sided", "greater", "less"}, optional
            That the runs differ, the default; that the first run of a pair is better; or that it is worse. Against a
            baseline, the first run is the other one. Intervals are two-sided.

        Examples
        --------
        >>> import tiebreak as tb
        >>> qrels = {f"q{k}": {"a": 1} for k in range(8)}
        >>> runs = [{q: {"a": 2.0, "x": 1.0} for q in qrels}, {q: {"a": 1.0, "x": 2.0} for q in qrels}]
        >>> tb.Experiment(qrels, runs).compare("LexiRecall").test().pvalue.tolist()      # 2 / 2^8
        [0.0078125]
        >>> tb.Experiment(qrels, runs).compare("LexiRecall").test(alternative="greater").pvalue.tolist()      # 1 / 2^8
        [0.00390625]
        """
        options = test, correction, alpha, permutations, seed, jobs, tick, alternative
        return significance(
            self.measure, self, *options, notes=self.notes, library=self.library, more_settings=self.settings
        )

    def by_group(
        self, groups: Path | Mapping[Any, Any] | Any, *, columns: Columns | None = None
    ) -> Segments[Comparison]:
        """The comparison in every group of requests, with the number of requests that a group needs.

        Parameters
        ----------
        groups : path, dict or frame
            The group of every request, as `read_groups` reads it; every group needs a request that counts. Where
            values of requests are not kept, groups are in the order in which they are given here.
        columns : dict or str, optional
            Which column of a table holds what, where its name does not say so.

        Examples
        --------
        >>> import tiebreak as tb
        >>> qrels = {q: {"a": 1} for q in "qrs"}
        >>> new, old = {q: {"a": 2.0, "x": 1.0} for q in "qr"}, {q: {"x": 2.0, "a": 1.0} for q in "qrs"}
        >>> segments = tb.Experiment(qrels, [new, old]).compare("RPP").by_group({"q": "fr", "r": "fr", "s": "de"})
        >>> segments["fr"].mean.tolist(), segments["de"].mean.tolist()
        ([1.0], [-1.0])
        """
        return Segments(self, split_by_group(self, read_groups(groups, columns=columns)))

    def order_requests(self) -> RequestOrders:
        """The order of the runs within every request, by win rate."""
        ranks = np.stack(
            [1 + (self.ballots.win_rate_signs(run) < 0).sum(axis=0) for run in range(len(self.runs))], axis=1
        )
        places = (
            RequestPlace(run, request, self.measure, rank, rate, shared.count(rank) > 1)
            for request, shared, rates in zip(self.requests, ranks.tolist(), self.win_rate().T.tolist(), strict=True)
            for rank, run, rate in sorted(zip(shared, self.runs, rates, strict=True))
        )
        settings = {"by": "win_rate", **self.settings}
        return RequestOrders(tuple(places), self.notes, library=self.library, more_settings=settings)

    def rows(self) -> Sequence[PairValue]:
        """Every preference, by request, then pair."""
        return LazyRows(self.values.size, self._rows)

    def _rows(self) -> Iterator[PairValue]:
        names = list(self.names())
        for request, values in zip(self.requests, self.values.T.tolist(), strict=True):
            for (run, other), value in zip(names, values, strict=True):
                yield PairValue(run, other, request, self.measure, value)


def compare(
    positions: Positions, measure: str | Preference | Metric, baseline: str | Run | Iterable[str | Run] | None = None
) -> Comparison:
    """Compare runs by a preference.

    Parameters
    ----------
    positions : Positions
    measure : str, Preference or Metric
        Such as ``"RPP"``, ``"LexiRecall"`` or ``"diff(AP)"``; a metric stands for the difference of its values.
    baseline : str or list of str, optional
        Compare every other run with these only.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.compare(tb.positions([[1, 9], [2, 3], [1, 8]]), "RPP").matrix().tolist()
    [[0.0, 0.0, -0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    baselines = baseline_names(baseline)
    return compare_pairs(positions, measure, chosen_pairs(positions.runs, baselines), baselines)


def compare_utilities(
    table: UtilityTable, measure: str, baselines: tuple[str, ...], notes: tuple[str, ...]
) -> Comparison:
    """Compare runs by the differences of their utilities."""
    values = PairValues.differences(table, chosen_pairs(table.runs, baselines), table.numbers)
    return Comparison(
        **{field.name: getattr(values, field.name) for field in fields(values)},
        measure=measure,
        preference=None,
        baselines=baselines,
        notes=notes,
        library=table.library,
    )


def compare_pairs(
    positions: Positions, measure: str | Preference | Metric, pairs: Pairs, baselines: tuple[str, ...] = ()
) -> Comparison:
    """Compare some pairs of runs by a preference."""
    chosen = preference(measure)
    return comparison_from_values(chosen.compare(positions, pairs), chosen, measure, baselines, positions.library)


def comparison_from_values(
    values: PairValues, chosen: Preference, measure: object, baselines: tuple[str, ...], library: str | None
) -> Comparison:
    """A comparison by a preference, of values of pairs in all requests."""
    check_has_values(values.requests, chosen)
    is_sign = chosen.traits.is_sign
    values = replace(values, is_sign=is_sign, is_difference=isinstance(chosen, MetricDifference) and not is_sign)
    return Comparison(
        **{field.name: getattr(values, field.name) for field in fields(values)},
        measure=measure_label(measure),
        preference=chosen,
        baselines=baselines,
        library=library,
    )
