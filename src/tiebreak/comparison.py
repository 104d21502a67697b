"""Comparison: what one preference says of pairs of runs in every request, and what follows over requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import Tick
from tiebreak.errors import InputError, place_of
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids, Run
from tiebreak.means import exact_means, half_width, mean_of
from tiebreak.metrics import Metric
from tiebreak.orderings import Ballots, Method, Ordering, method
from tiebreak.orderings.bootstrap import Bootstrap, bootstrap
from tiebreak.orderings.cycles import majority_cycles
from tiebreak.preferences import Pairs, Preference, preference
from tiebreak.preferences.base import Evaluate, Labels
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection import Positions
from tiebreak.projection.primitives import Floats
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.significance import Paired, Significance, Test, significance
from tiebreak.words import listed, many, signed

MOST_ROWS = 200
FEWEST = 6
"""With fewer requests that differ even one that wins all of them has shown nothing: 2 / 2^5 > 0.05."""


class Row(NamedTuple):
    """One preference: positive where `run` is better than `other`."""

    run: str
    other: str
    request: str
    value: float


class PairSummary(NamedTuple):
    """One pair over all requests, with the 95% interval of the mean by Student's t."""

    run: str
    other: str
    mean: float
    low: float
    high: float
    wins: int
    ties: int
    losses: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves 0 out, and enough requests differ for any test to show it."""
        return (self.low > 0 or self.high < 0) and self.wins + self.losses >= FEWEST

    def marked_mean(self, digits: int) -> str:
        """The mean, with a star where the interval leaves 0 out."""
        return signed(self.mean, digits) + ("*" if self.is_clear else " ")


CLEAR = f"* The 95% interval of the mean, by Student's t, leaves 0 out, and at least {FEWEST} requests differ."


def not_shown(rows: int, noun: str, most: int = MOST_ROWS) -> tuple[str, ...]:
    """A note on the rows that a table leaves to other formats."""
    return (f"{many(rows - most, f'more {noun}')} not shown; other formats list all.",) if rows > most else ()


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Shown):
    """Every pair over all requests."""

    measure: str
    rows: tuple[PairSummary, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{run: {other: mean}}``."""
        means: dict[str, dict[str, float]] = {}
        for row in self.rows:
            means.setdefault(row.run, {})[row.other] = row.mean
        return means

    def to_frame(self) -> Any:
        """A row per pair: run, other, mean, low, high, wins, ties, losses."""
        return self._frame(PairSummary._fields, self.rows)

    def table(self, digits: int = 4) -> Table:
        """Pairs as rows, their means marked where the interval leaves 0 out."""
        rows, marked = [], []
        for place, row in enumerate(self.rows):
            bounds = (signed(value, digits) for value in (row.low, row.high))
            rows.append((row.run, row.other, row.marked_mean(digits), *bounds, *(f"{count:,}" for count in row[5:])))
            if row.is_clear:
                marked.append((place, 2))
        header = ("run", "other", *PairSummary._fields[2:])
        return Table(header, tuple(rows), (*self.notes, CLEAR), frozenset(marked), MOST_ROWS)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Preferences [pair, request]; positive where the first run of a pair is better, 0 exactly where they tie.

    Attributes
    ----------
    measure : str
        As it was asked for.
    preference : Preference
    runs : tuple of str
    requests : Ids
        Those that count: requests with nothing relevant are left out.
    pairs : Pairs
        All pairs of runs; or, against baselines, every run with each of them, the baseline second.
    numerator : array [pair, request]
        Whole numbers where the preference is one of counts or signs, else the floats nearest its exact values.
    denominator : int array [request]
    exact : ExactValues, optional
        The exact values, where numerators are not whole.
    by_run : ExactValues, optional
        Numbers [run, request] of which the preferences are differences.
    labels : callable, optional
        Gives whole numbers [run, request]; runs with the same label in a request have the same preferences there.
    """

    measure: str
    preference: Preference
    runs: tuple[str, ...]
    requests: Ids
    pairs: Pairs
    numerator: NDArray[Any]
    denominator: NDArray[np.int64]
    baselines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    exact: ExactValues | None = None
    by_run: ExactValues | None = None
    labels: Labels | None = None

    @cached_property
    def values(self) -> Floats:
        """Every preference: [pair, request]."""
        divided: Floats = self.numerator / self.denominator
        return divided

    @cached_property
    def mean(self) -> Floats:
        """The mean over requests of every pair, exactly rounded."""
        if self.exact is None:
            return np.array([*map(float, exact_means(self.numerator, self.denominator))])
        return np.array([float(mean_of(self.exact.sample(pair))) for pair in range(len(self.pairs))])

    @cached_property
    def interval(self) -> Floats:
        """The 95% interval of every mean, by Student's t over requests: [pair, 2]."""
        n = len(self.requests)
        deviations = ((row - mean) ** 2 for row, mean in zip(self.values, self.mean, strict=True))
        margin = np.array([half_width(row, n) for row in deviations])
        return np.stack([self.mean - margin, self.mean + margin], axis=1)

    @cached_property
    def win_tie_loss(self) -> NDArray[np.int64]:
        """In how many requests the first run of each pair wins, ties and loses: [pair, 3]."""
        wins, losses = (self.numerator > 0).sum(axis=1), (self.numerator < 0).sum(axis=1)
        return np.stack([wins, len(self.requests) - wins - losses, losses], axis=1)

    @property
    def share_tied(self) -> float:
        """The share of all (pair, request) that tie."""
        return float(self.win_tie_loss[:, 1].sum() / self.numerator.size)

    def names(self) -> Iterator[tuple[str, str]]:
        """The two runs of every pair."""
        for x, y in zip(self.pairs.x.tolist(), self.pairs.y.tolist(), strict=True):
            yield self.runs[x], self.runs[y]

    def between(self, run: str, other: str) -> Floats:
        """The preferences [request] between two runs: positive where the first is better."""
        x, y = (place_of(name, self.runs) for name in (run, other))
        if x == y:
            raise InputError(f"{run} cannot be compared with itself. Give two runs.", kind="runs")
        found = self.pairs.find(x, y)
        if found is not None:
            row, sign = found
            # Adding 0 makes -0 an ordinary one.
            values: Floats = sign * self.values[row] + 0.0
            return values
        raise InputError(f"{run} and {other} were not compared, only runs with {listed(self.baselines)}.", kind="names")

    def summary(self) -> Summary:
        """Mean, interval, wins, ties and losses of every pair."""
        parts = zip(self.names(), self.mean.tolist(), self.interval.tolist(), self.win_tie_loss.tolist(), strict=True)
        rows = (PairSummary(*names, mean, *interval, *counts) for names, mean, interval, counts in parts)
        return Summary(self.measure, tuple(rows), (self.described(), *self.notes), library=self.library)

    def described(self) -> str:
        """What the numbers are, in words."""
        against = f" against {listed(self.baselines)}" if self.baselines else ""
        trial = " It is experimental and may change." if self.preference.traits.is_experimental else ""
        over = f"{self.measure}{against} over {many(len(self.requests), 'request')}"
        return f"{over}: positive where run is better; {self.share_tied:.1%} tied.{trial}"

    def matrix(self) -> Floats:
        """Mean preferences [run, run]: the first run over the second, NaN where they were not compared."""
        means = np.full((len(self.runs), len(self.runs)), np.nan)
        np.fill_diagonal(means, 0.0)
        means[self.pairs.x, self.pairs.y] = self.mean
        means[self.pairs.y, self.pairs.x] = -self.mean + 0.0
        return means

    def win_rate(self) -> Floats:
        """Sum of every run's preferences over the others, in every request: [run, request] (RPP eq 7)."""
        return self.ballots.win_rate.nearest

    @cached_property
    def ballots(self) -> Ballots:
        """The preferences of all pairs as orderings see them."""
        if self.baselines:
            raise InputError("an order needs all pairs compared. Compare without a baseline.", kind="choice")
        signs = np.sign(self.numerator).astype(np.int8)
        if self.exact is not None:
            return Ballots(
                self.runs, self.pairs.x, self.pairs.y, signs, self.exact, by_run=self.by_run, labels=self.labels
            )
        exact = ExactValues.quotients(self.numerator, self.denominator)
        return Ballots(self.runs, self.pairs.x, self.pairs.y, signs, exact, self.numerator, self.denominator)

    def order(self, by: str | Method | None = None, *, request: str | None = None) -> Ordering:
        """Order the runs.

        Parameters
        ----------
        by : str or Method, optional
            How: ``"mc4"``, ``"borda"``, ``"copeland"``, ``"win_rate"`` or ``"mean"``. By default ``"mean"`` for
            differences of a metric, as usual; ``"mc4"`` for preferences, as in the RPP paper; and ``"win_rate"`` for
            one request.
        request : str, optional
            Order the rankings of this request only; exact for lexicographic preferences, which are total orders.
        """
        if request is not None:
            return self._of_request(request).order(by or "win_rate")
        made = self._method(by)
        cycles = majority_cycles(self.ballots.majorities(self.ballots.once())[0], self.runs)
        scores = made.scores(self.ballots)
        return Ordering.of(
            self.measure,
            str(made),
            self.runs,
            scores,
            cycles=cycles,
            notes=(f"Over {many(len(self.requests), 'request')}.", *self.notes),
            library=self.library,
        )

    def _of_request(self, request: str) -> Comparison:
        one = self.take_requests(np.array([self.requests.place(request, "request")]))
        return replace(one, measure=f"{self.measure} of request {request}", notes=())

    def take_requests(self, places: NDArray[np.int64]) -> Comparison:
        """What was found for some of the requests, by their places: of every column."""
        labels = self.labels
        return replace(
            self,
            requests=self.requests.take(places),
            numerator=self.numerator[:, places],
            denominator=self.denominator[places],
            exact=None if self.exact is None else self.exact.take_columns(places),
            by_run=None if self.by_run is None else self.by_run.take_columns(places),
            labels=None if labels is None else lambda: labels()[:, places],
        )

    def _method(self, by: str | Method | None) -> Method:
        """The way that was asked for; by default what people use for metrics, and what the RPP paper uses."""
        return method(by or ("mean" if isinstance(self.preference, MetricDifference) else "mc4"))

    def bootstrap(self, by: str | Method | None = None, *, resamples: int = 1000, seed: int = 0) -> Bootstrap:
        """Order the runs with requests drawn anew, many times, to see how sure ranks and means are."""
        made = bootstrap(self.ballots, self.requests, self._method(by), resamples, seed)
        return replace(made, library=self.library)

    def test(
        self,
        test: str | Test = "auto",
        *,
        correction: str | None = None,
        alpha: float = 0.05,
        permutations: int | str | None = None,
        seed: int | None = None,
        jobs: int | None = None,
        tick: Tick | None = None,
    ) -> Significance:
        """Test whether the runs of each pair differ by more than chance.

        Parameters
        ----------
        test : str or Test
            ``"t"``, ``"sign"``, ``"wilcoxon"``, ``"permutation"``, ``"bootstrap"``; for all pairs at once ``"hsd"``
            (randomised) and, for metrics, ``"tukey"``. ``"auto"`` is what the papers use: the sign test for preferences
            that are signs, else t.
        correction : {"none", "bonferroni", "holm", "bh"}, optional
            For the number of pairs; by default Holm's, and none for tests of all pairs at once.
        alpha : float
            A pair differs where its corrected p-value is below; intervals are at 1 - alpha.
        permutations : int or "all", optional
            Draws of tests by chance; all of them where they are few.
        seed : int, optional
        jobs : int, optional
            Threads of ``"hsd"``, which do not change its result; by default one per processor.
        tick : callable, optional
            Called now and then with the work done and the work in all.

        Examples
        --------
        >>> import tiebreak as tb
        >>> qrels = {f"q{k}": {"a": 1} for k in range(8)}
        >>> runs = [{q: {"a": 2.0, "x": 1.0} for q in qrels}, {q: {"a": 1.0, "x": 2.0} for q in qrels}]
        >>> tb.Experiment(qrels, runs).compare("LexiRecall").test().p.tolist()      # 2 / 2^8
        [0.0078125]
        """
        made = significance(
            self.paired,
            test,
            correction=correction,
            alpha=alpha,
            permutations=permutations,
            seed=seed,
            jobs=jobs,
            tick=tick,
        )
        return replace(made, notes=(*made.notes, *self.notes), library=self.library)

    @property
    def paired(self) -> Paired:
        """The values of all pairs as tests see them."""
        is_sign = self.preference.traits.is_sign
        is_difference = isinstance(self.preference, MetricDifference) and not is_sign
        pairs = (self.pairs, self.values, self.mean)
        known = (self.measure, self.runs, self.requests, *pairs, is_sign, is_difference)
        if self.exact is None:
            return Paired(*known, self.denominator)
        return Paired(*known, None, self.exact.exactly, self.exact.is_rational, self.by_run)

    def placings(self) -> NDArray[np.int64]:
        """The rank of every run in every request by win rate, 1 for the best, the best rank shared: [run, request]."""
        return np.stack([1 + (self.ballots.above(run) < 0).sum(axis=0) for run in range(len(self.runs))])

    def rows(self) -> Iterator[Row]:
        """Every preference, by request, then pair."""
        names = list(self.names())
        for request, column in zip(self.requests, self.values.T.tolist(), strict=True):
            for (run, other), value in zip(names, column, strict=True):
                yield Row(run, other, request, value)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{run: {other: {request: value}}}``."""
        requests = list(self.requests)
        found: dict[str, dict[str, dict[str, float]]] = {}
        for (run, other), row in zip(self.names(), self.values.tolist(), strict=True):
            found.setdefault(run, {})[other] = dict(zip(requests, row, strict=True))
        return found

    def to_frame(self) -> Any:
        """Every preference, a row each: run, other, request, value."""
        return self._frame(Row._fields, self.rows())

    def table(self, digits: int = 4) -> Table:
        """Pairs as rows, as in the summary."""
        return self.summary().table(digits)

    def __repr__(self) -> str:
        size = (
            f"{many(len(self.pairs), 'pair')} of {many(len(self.runs), 'run')} x {many(len(self.requests), 'request')}"
        )
        return f"<Comparison by {self.measure}: {size}>\n{self.summary()!r}"


def compare(
    positions: Positions,
    measure: str | Preference | Metric,
    baseline: str | Run | Iterable[str | Run] | None = None,
    evaluate: Evaluate | None = None,
) -> Comparison:
    """Compare runs by a preference.

    Parameters
    ----------
    positions : Positions
    measure : str, Preference or Metric
        Such as ``"RPP"``, ``"LexiRecall"`` or ``"diff(AP)"``; a metric stands for the difference of its values.
    baseline : str or list of str, optional
        Compare every other run with these only.
    evaluate : callable, optional
        Gives the values of a metric; by default from these positions.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.compare(tb.positions([[1, 9], [2, 3], [1, 8]]), "RPP").matrix().tolist()
    [[0.0, 0.0, -0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    made = preference(measure)
    if len(positions.runs) < 2:
        raise InputError("a comparison needs at least two runs; there is one.", kind="runs")
    baselines = names_of(baseline)
    places = [place_of(name, positions.runs) for name in baselines]
    pairs = Pairs.against(places, len(positions.runs)) if places else Pairs.all(len(positions.runs))
    found = made.compare(positions, pairs, evaluate or (lambda metric: metric.values(positions)))
    if not len(found.requests):
        raise InputError(f"{made} has no value for any request. Check rel and min_grade.", kind="empty")
    return Comparison(
        str(measure).strip(),
        made,
        positions.runs,
        positions.requests.take(found.requests),
        pairs,
        found.numerator,
        found.denominator,
        baselines,
        exact=found.exact,
        by_run=found.by_run,
        labels=found.labels,
        library=positions.library,
    )


def names_of(baseline: str | Run | Iterable[str | Run] | None) -> tuple[str, ...]:
    """The names of baselines, each once."""
    if baseline is None:
        return ()
    given = [baseline] if isinstance(baseline, (str, Run)) else baseline
    if not isinstance(given, Iterable):
        raise InputError(f"baseline={baseline!r}. Give the name of a run, or several.", kind="names")
    return tuple(dict.fromkeys(run.name if isinstance(run, Run) else str(run) for run in given))
