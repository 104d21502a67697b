"""Base classes of populations: utilities of all requests to an order of systems (PE 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import Entry
from tiebreak.errors import InputError
from tiebreak.exact import Real, competition_ranks
from tiebreak.exact.held import Places
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics import Metric, metric


@dataclass(frozen=True)
class Population(Entry):
    """Utilities of all requests -> a score per run, the larger the better; `metric` names the utilities."""

    metric: Metric | str | None = None
    is_number: ClassVar[bool] = True
    """Whether the score is meaningful as a number; otherwise only the order of scores is."""
    lower_is_better: ClassVar[bool] = False
    """Whether a lower number is better; the score is then minus the number."""
    takes_weights: ClassVar[bool] = False
    takes_negative: ClassVar[bool] = True
    """Whether it is defined for utilities below 0."""
    min_requests: ClassVar[int] = 1
    """The smallest number of requests."""
    compares_requests: ClassVar[bool] = False
    """Whether it compares runs in every request: how often each value occurs does not tell."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric is not None:
            utility = metric(self.metric)
            utility.check_comparable()
            object.__setattr__(self, "metric", utility)

    @property
    def bare(self) -> Population:
        """The population without its metric."""
        return replace(self, metric=None)

    def scores(self, table: UtilityTable) -> list[Real]:
        """A score per run; those that are equal tie."""
        raise NotImplementedError

    def sample_ranks(self, table: UtilityTable, samples: Iterable[Places]) -> Iterator[NDArray[np.int64]]:
        """The ranks of the runs in samples of requests, given by their places; a population may have a faster way."""
        for places in samples:
            yield self.ranks(table.take(places))

    def ranks(self, table: UtilityTable) -> NDArray[np.int64]:
        """The ranks of the runs."""
        self.check(table)
        return competition_ranks(self.scores(table))

    def number(self, score: Real) -> float:
        """The reported number of a score."""
        return float(-score if self.lower_is_better else score)

    def check(self, table: UtilityTable) -> None:
        """Raise an error for utilities for which this population is not defined."""
        if table.weights is not None and not self.takes_weights:
            raise InputError(
                f"{self.name} takes no weights: every request counts once. Leave them out, or use mean or gmean.",
                kind="weights",
            )
        if len(table.requests) < self.min_requests:
            raise InputError(
                f"{self} needs at least {self.min_requests} requests; there are {len(table.requests)}.", kind="size"
            )
        if not self.takes_negative and len(table.values) and table.smallest() < 0:
            raise InputError(
                f"{self.name} is not defined for utilities below 0; the smallest is {table.smallest():g}.",
                kind="range",
            )


@dataclass(frozen=True)
class Aggregation(Population):
    """A number per run that does not depend on the other runs."""

    is_by_place: ClassVar[bool] = False
    """Whether it asks utilities only for their number, sums of the lowest, and those at places."""

    def scores(self, table: UtilityTable) -> list[Real]:
        weights = sample_weights(table)
        values = (self.value(sample, weights) for sample in table.samples(self.is_by_place))
        return [-value if self.lower_is_better else value for value in values]

    def value(self, u: Sample, weights: Sample | None = None) -> Real:
        """The number of one run's utilities."""
        raise NotImplementedError


def sample_weights(table: UtilityTable) -> Sample | None:
    return None if table.weights is None else Sample.from_floats(table.weights)
