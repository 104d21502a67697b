"""What is computed of blocks of requests: the values of metrics, or those of pairs of runs by a preference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.visits import NO_VISIT, Visit
from tiebreak.engines.plan import Task
from tiebreak.exact import ExactValues, Number
from tiebreak.inputs import Ids
from tiebreak.metrics import Metric
from tiebreak.metrics.base import Shown, evaluate_all
from tiebreak.notes import is_of_aspects
from tiebreak.projection import Positions

if TYPE_CHECKING:
    from tiebreak.exact.row_sums import RowSums
    from tiebreak.exact.value_counts import ValueCounts
    from tiebreak.preferences import Pairs, PairValues, Preference

MOST_HELD = 1 << 23
"""Values that are held of what is asked for together: about 130 MB. Of more, only sums and counts are."""


def is_held(per_request: bool | None, n_values: int) -> bool:
    """Whether the values of every request are held: as it was asked for, else if they are not too many."""
    return n_values <= MOST_HELD if per_request is None else per_request


@dataclass(frozen=True, eq=False)
class MetricTable:
    """Values [run, request] of several metrics; of some the figure of every run, by the metric's index."""

    runs: tuple[str, ...]
    requests: Ids
    exact: tuple[ExactValues, ...]
    counted: list[int]  # for how many requests each metric has a value
    figures: Mapping[int, list[Number]] = field(default_factory=dict)
    sums: tuple[RowSums, ...] = ()  # in place of values, where requests are too many to hold
    value_counts: ValueCounts | None = None  # in place of the values of one metric
    visit: Visit = NO_VISIT  # goes through the values of all requests once more


@dataclass(frozen=True)
class MetricValues:
    """The values of metrics in every request."""

    metrics: tuple[Metric, ...]
    per_request: bool | None = None

    @property
    def levels(self) -> frozenset[float | None]:
        return frozenset(metric.rel for metric in self.metrics)

    @property
    def has_aspects(self) -> bool:
        return any(map(is_of_aspects, self.metrics))

    def partial(self, positions: Positions) -> MetricTable:
        exact = tuple(evaluate_all(self.metrics, positions))
        counted = [int((~np.isnan(values.nearest)).any(axis=0).sum()) for values in exact]
        return MetricTable(positions.runs, positions.requests, exact, counted)

    def fit(self, n_requests: int, runs: tuple[str, ...]) -> Task[Any]:
        if is_held(self.per_request, n_requests * len(runs) * len(self.metrics)):
            return self
        from tiebreak.engines.totals import MetricSums

        return MetricSums(self)

    def check_blocks(self) -> None:
        """All metrics are computed in blocks."""

    def join(self, states: Sequence[MetricTable]) -> MetricTable:
        requests = Ids.concatenate([state.requests for state in states])
        exact = zip(*(state.exact for state in states), strict=True)
        counted = np.sum([state.counted for state in states], axis=0).tolist()
        return MetricTable(states[0].runs, requests, tuple(map(ExactValues.concatenate, exact)), counted)

    def requests(self, state: MetricTable) -> Ids:
        return state.requests

    def take_requests(self, state: MetricTable, places: NDArray[np.int64]) -> MetricTable:
        exact = tuple(values.take_columns(places) for values in state.exact)
        return replace(state, requests=state.requests.take(places), exact=exact)

    def detach(self, state: MetricTable) -> MetricTable:
        return replace(state, exact=tuple(values.detach() for values in state.exact))

    def attach(self, state: MetricTable, load: Callable[[], MetricTable]) -> MetricTable:
        exact = (values.attach(lambda k=k: load().exact[k]) for k, values in enumerate(state.exact))  # type: ignore[misc]
        return replace(state, exact=tuple(exact))

    def complete(self, state: MetricTable, visit: Callable[[Any], Any], *how: Any) -> MetricTable:
        """With the figures of whole runs, of what every run shows in all requests."""
        if not any(metric.total == "figure" for metric in self.metrics):
            return state
        from tiebreak.engines.totals import ShownCounts

        shown: dict[int, list[Shown]] = visit(ShownCounts(self))
        return replace(state, figures={k: [*map(self.metrics[k].figure, runs)] for k, runs in shown.items()})


class UtilityValues(MetricValues):
    """The values of one metric in every request, for populations."""

    def fit(self, n_requests: int, runs: tuple[str, ...]) -> Task[Any]:
        if is_held(self.per_request, n_requests * len(runs)):
            return self
        from tiebreak.engines.totals import UtilityCounts

        return UtilityCounts(self)


@dataclass(frozen=True, eq=False)
class Preferences:
    """A preference between pairs of runs in every request; `choose` says which pairs, of the names of runs."""

    preference: Preference
    choose: Callable[[tuple[str, ...]], Pairs]
    has_aspects: bool = False
    per_request: bool | None = None

    @property
    def levels(self) -> frozenset[float | None]:
        return frozenset([self.preference.relevant_from])

    def partial(self, positions: Positions) -> PairValues:
        return self.preference.compare(positions, self.choose(positions.runs))

    def fit(self, n_requests: int, runs: tuple[str, ...]) -> Task[Any]:
        if is_held(self.per_request, n_requests * len(self.choose(runs))):
            return self
        from tiebreak.engines.totals import PreferenceTotals

        return PreferenceTotals(self)

    def check_blocks(self) -> None:
        """All preferences are computed in blocks."""

    def join(self, states: Sequence[PairValues]) -> PairValues:
        return states[0].concatenate(states)

    def requests(self, state: PairValues) -> Ids:
        return state.requests

    def take_requests(self, state: PairValues, places: NDArray[np.int64]) -> PairValues:
        return state.take_requests(places)

    def detach(self, state: PairValues) -> PairValues:
        return state.detach()

    def attach(self, state: PairValues, load: Callable[[], PairValues]) -> PairValues:
        return state.attach(load)

    def complete(self, state: PairValues, visit: Callable[[Any], Any], *how: Any) -> PairValues:
        return state
