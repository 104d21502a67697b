"""What is computed of requests that are too many to hold: sums and counts, which add up over blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tiebreak._base.dropped import Dropped
from tiebreak._base.visits import Reduction, Visit
from tiebreak.engines.plan import Task
from tiebreak.engines.tasks import MetricTable, MetricValues, Preferences
from tiebreak.exact.held import Places
from tiebreak.exact.row_sums import RowSums
from tiebreak.exact.value_counts import ValueCounts
from tiebreak.metrics.base import Shown
from tiebreak.orderings.ballots import Ballots
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection import Positions


@dataclass(frozen=True, eq=False)
class TotalsTask:
    """A task that adds up what another one computes of every request: `reduce` is of the state of one block."""

    inner: Any
    write: Callable[[Any], None] | None = field(default=None, kw_only=True)  # what the other task computes

    @property
    def levels(self) -> frozenset[float | None]:
        return self.inner.levels  # type: ignore[no-any-return]

    @property
    def has_aspects(self) -> bool:
        return self.inner.has_aspects  # type: ignore[no-any-return]

    def fit(self, n_requests: int, runs: tuple[str, ...]) -> Task[Any]:
        return self

    def partial(self, positions: Positions) -> Any:
        state = self.inner.partial(positions)
        if self.write is not None:
            self.write(state)
        return self.reduce(state)

    def reduce(self, state: Any) -> Any:
        raise NotImplementedError

    def check_blocks(self) -> None:
        self.inner.check_blocks()

    def add(self, states: Sequence[Any]) -> Any:
        """The state of several blocks together."""
        raise NotImplementedError

    def join(self, states: Sequence[Any]) -> Any:
        return self.add(states)

    def requests(self, state: Any) -> None:
        """Sums have no requests."""

    def take_requests(self, state: Any, places: Places) -> Any:
        return state

    def detach(self, state: Any) -> Any:
        return state.detach()

    def attach(self, state: Any, load: Callable[[], Any]) -> Any:
        return state.attach(load)

    def complete(self, state: Any, visit: Callable[[TotalsTask], Any], *how: Any) -> Any:
        return self.inner.complete(state, visit, *how)

    def counted_requests(self, state: Any) -> Places:
        """The places of the requests that count, of the state of one block."""
        return np.arange(len(state.requests))

    def reduce_group(self, state: Any) -> Any:
        """As `reduce`, with all that is known of some requests."""
        return self.reduce(state)

    def hold(self, state: Any) -> Any:
        """A reduced state with exact sums, which holds nothing of its block."""
        return state.hold()


@dataclass(frozen=True, eq=False)
class Reduced(TotalsTask):
    """What a reduction computes of every block, and adds up."""

    reduction: Reduction

    def reduce(self, state: Any) -> Any:
        return self.reduction.reduce(state)

    def add(self, states: Sequence[Any]) -> Any:
        return self.reduction.add(states)

    def detach(self, state: Any) -> Any:
        return state

    def attach(self, state: Any, load: Callable[[], Any]) -> Any:
        return state


def visit_again(task: TotalsTask, visit: Callable[[TotalsTask], Any], *how: Any) -> Visit:
    """Goes through what a task has added up of every block once more."""
    return Visit(lambda reduction, tick=None: visit(Reduced(task.inner, reduction)), *how)._replace(task=task)


class ShownCounts(TotalsTask):
    """What every run shows, for metrics that are figures of whole runs: by the metric's index."""

    inner: MetricValues

    def partial(self, positions: Positions) -> dict[int, list[Shown]]:
        metrics = enumerate(self.inner.metrics)
        return {k: metric.count_shown(positions) for k, metric in metrics if metric.total == "figure"}

    def add(self, states: Sequence[dict[int, list[Shown]]]) -> dict[int, list[Shown]]:
        return {k: [*map(add_counts, zip(*(state[k] for state in states), strict=True))] for k in states[0]}

    def detach(self, state: Any) -> Any:
        return state


def add_counts(parts: Sequence[Shown]) -> Shown:
    """The counts of several blocks."""
    total = parts[0].copy()
    for part in parts[1:]:
        total.update(part)
    return total


class MetricSums(TotalsTask):
    """The sums of the values of metrics: a table without values of requests."""

    inner: MetricValues

    def reduce(self, state: MetricTable) -> MetricTable:
        return drop_values(state, len(state.requests), tuple(map(RowSums.from_values, state.exact)))

    def add(self, states: Sequence[MetricTable]) -> MetricTable:
        sums = map(RowSums.join, zip(*(state.sums for state in states), strict=True))
        counted = np.sum([state.counted for state in states], axis=0).tolist()
        n_requests = sum(len(state.requests) for state in states)
        return replace(drop_values(states[0], n_requests, tuple(sums)), counted=counted)

    def detach(self, state: MetricTable) -> MetricTable:
        return replace(state, sums=tuple(sums.detach() for sums in state.sums))

    def hold(self, state: MetricTable) -> MetricTable:
        return replace(state, sums=tuple(sums.hold() for sums in state.sums))

    def counted_requests(self, state: MetricTable) -> Places:
        is_known = [~np.isnan(values.nearest).all(axis=0) for values in state.exact]
        return np.flatnonzero(np.any(is_known, axis=0))

    def reduce_group(self, state: MetricTable) -> MetricTable:
        metrics = zip(self.inner.metrics, state.exact, self.reduce(state).sums, strict=True)
        sums = [
            replace(sums, value_counts=ValueCounts.from_values(values)) if metric.total == "geometric mean" else sums
            for metric, values, sums in metrics
        ]
        return drop_values(state, len(state.requests), tuple(sums))

    def attach(self, state: MetricTable, load: Callable[[], MetricTable]) -> MetricTable:
        sums = (sums.attach(lambda k=k: load().sums[k]) for k, sums in enumerate(state.sums))  # type: ignore[misc]
        return replace(state, sums=tuple(sums))

    def complete(self, state: MetricTable, visit: Callable[[TotalsTask], Any], *how: Any) -> MetricTable:
        """With how often each value occurs of metrics whose products are wanted."""
        state = super().complete(state, visit, *how)
        sums = [
            replace(sums, value_counts=visit(ProductCounts(MetricValues((metric,)))).in_order())
            if metric.total == "geometric mean"
            else sums
            for metric, sums in zip(self.inner.metrics, state.sums, strict=True)
        ]
        return replace(state, sums=tuple(sums), visit=visit_again(self, visit, *how))


class ProductCounts(TotalsTask):
    """How often a metric has each value in every run."""

    inner: MetricValues

    def reduce(self, state: MetricTable) -> ValueCounts:
        return ValueCounts.from_values(state.exact[0])

    def add(self, states: Sequence[ValueCounts]) -> ValueCounts:
        return ValueCounts.join(states)

    def detach(self, state: ValueCounts) -> ValueCounts:
        return state


def drop_values(table: MetricTable, n_requests: int, sums: tuple[RowSums, ...]) -> MetricTable:
    """A table of which only sums are known, over so many requests."""
    dropped: Any = Dropped(n_requests)
    return replace(table, requests=dropped, exact=(dropped,) * len(sums), sums=sums)


class UtilityCounts(TotalsTask):
    """How often a metric has each value, in the requests for which all runs have one."""

    inner: MetricValues

    def reduce(self, state: MetricTable) -> MetricTable:
        values = state.exact[0]
        known = np.flatnonzero(~np.isnan(values.nearest).any(axis=0))
        return with_counts(state, ValueCounts.from_values(values.take_columns(known)))

    def add(self, states: Sequence[MetricTable]) -> MetricTable:
        counts = [state.value_counts for state in states if state.value_counts is not None]
        return with_counts(states[0], ValueCounts.join(counts))

    def detach(self, state: MetricTable) -> MetricTable:
        return state  # which is exact

    def attach(self, state: MetricTable, load: Callable[[], MetricTable]) -> MetricTable:
        return state

    def complete(self, state: MetricTable, visit: Callable[[TotalsTask], Any], *how: Any) -> MetricTable:
        return replace(state, visit=visit_again(self, visit, *how))


def with_counts(table: MetricTable, counts: ValueCounts) -> MetricTable:
    """A table of one metric, of which only is known how often each value occurs."""
    return replace(drop_values(table, counts.size, ()), value_counts=counts)


NOTHING = np.zeros(0, dtype=np.int64)


class PreferenceTotals(TotalsTask):
    """Counts and sums of a preference between pairs of runs, and of the votes of requests."""

    inner: Preferences

    def reduce(self, state: PairValues) -> PairTotals:
        if not state.has_all_pairs:
            return PairTotals.from_values(state, NOTHING, NOTHING)
        ballots = Ballots(state)
        return PairTotals.from_values(state, ballots.votes, ballots.points)

    def add(self, states: Sequence[PairTotals]) -> PairTotals:
        return PairTotals.join(states)

    def join(self, states: Sequence[PairTotals]) -> PairValues:
        return self.add(states).as_values()

    def complete(self, state: PairValues, visit: Callable[[TotalsTask], Any], *how: Any) -> PairValues:
        assert state.totals is not None
        return replace(state, totals=replace(state.totals, visit=visit_again(self, visit, *how)))
