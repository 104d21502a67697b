"""What every metric is: a small frozen value that prints as its spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import Entry
from tiebreak._base.checks import check_count, check_number
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, Number
from tiebreak.projection import Levels, Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

Shown: TypeAlias = "Counter[tuple[str, int]]"
"""How often a run shows each item at each rank."""
LEAST, MOST = 1e-6, 1e6
"""Bounds of parameters of which high powers are taken exactly: with many more digits that takes minutes."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Which laws a metric obeys; the shared tests hold it to them."""

    low: float = 0.0  # bounds of its values
    high: float = 1.0
    uses_grades: bool = False  # grades above the smallest relevant one make a difference
    lower_is_better: bool = False
    has_direction: bool = True  # some values are better than others; counts that describe the input have none
    cutoff: str = "may"  # whether it takes @k: "no", "may" or "must"
    rises: bool = True  # moving a relevant item up never makes it worse
    sees_relevance: bool = True  # which items are relevant makes a difference
    is_for_display: bool = False  # its floats are too coarse to order runs by


@dataclass(frozen=True)
class Metric(Entry):
    """p -> one number per run and request; NaN where a request has nothing relevant.

    Parameters
    ----------
    cutoff : int, optional
        Look no further than this position; ``@k`` in a spec.
    rel : float, optional
        Grade from which an item is relevant; by default the experiment's.
    """

    cutoff: int | None = field(default=None, kw_only=True)
    rel: float | None = field(default=None, kw_only=True)
    traits: ClassVar[Traits] = Traits()
    spec_parameters: ClassVar[tuple[str, ...]] = ("judged_only",)
    total: ClassVar[str] = "mean"
    """What is reported of all requests: the "mean", "sum" or "geometric mean", or a "figure" of the whole run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_rel(self.rel)
        if self.cutoff is None and self.traits.cutoff == "must":
            raise InputError(f"{self.name} needs a cutoff, such as {self}@10.", kind="spec")
        if self.cutoff is not None and self.traits.cutoff == "no":
            raise InputError(f"{self.name} takes no cutoff. Write {self.name} without @{self.cutoff}.", kind="spec")
        if self.cutoff is not None:
            check_count(self.cutoff, f"{self.name}: cutoff")

    @property
    def needs(self) -> Needs:
        """What has to be read beyond the positions of judged items."""
        return Needs()

    @property
    def is_comparable(self) -> bool:
        """Whether the metric says which run is better."""
        return self.traits.has_direction and not self.traits.is_for_display

    def check_comparable(self) -> None:
        """Raise an error if the metric does not say which run is better."""
        if not self.traits.has_direction:
            raise InputError(
                f"{self} describes the input: no value of it is better. Read it with evaluate, compare runs by others.",
                kind="spec",
            )
        if self.traits.is_for_display:
            raise InputError(f"{self} is for display only: as a float it ties where positions differ.", kind="spec")

    def on(self, positions: Positions) -> Metric:
        """The simplest metric that has the same values on these positions."""
        return self

    def binary_form(self) -> Metric:
        """The metric that it is where relevance is binary."""
        return self

    def values(self, positions: Positions) -> ExactValues:
        """Exact values [run, request], in the order of the input; by default the floats of `evaluate`."""
        if type(self).evaluate is Metric.evaluate:
            raise NotImplementedError
        return ExactValues.from_floats(self.evaluate(positions))

    def count_shown(self, positions: Positions) -> list[Shown]:
        """What every run shows, of a metric that is a figure of whole runs."""
        raise NotImplementedError

    def figure(self, shown: Shown) -> Number:
        """The exact figure of a run that shows so much in all requests."""
        raise NotImplementedError

    def evaluate(self, positions: Positions) -> Floats:
        """The floats [run, request] nearest the exact values."""
        return self.values(positions).nearest

    def request_values(self, positions: Positions) -> ExactValues:
        """Exact values [run, request] of the requests that the metric counts, none for the others.

        Requests without a relevant item are left out; measures of grades count every request with a grade above 0. A
        measure with its own ``rel`` is 0 where a request has relevant items, but none of that grade, so that all means
        are over the same requests; where judgements were sampled it has no value there.
        """
        values = self.on(positions).values(positions)
        relevant = positions.relevant() > 0
        if self.rel is None:
            return values if self.traits.uses_grades else values.where(relevant)
        own = positions.relevant(self.rel) > 0
        is_worst_zero = self.traits.low == 0 and not self.traits.lower_is_better
        has_own = positions.grade_scale.highest >= self.rel  # in some request
        if positions.is_sampled or not is_worst_zero or not has_own or not (relevant & ~own).any():
            return values
        return values.zero_where(np.broadcast_to(relevant & ~own, values.nearest.shape))


class LevelMetric(Metric):
    """A metric that sees nothing but the increasing positions p of the relevant items."""

    def level_values(self, levels: Levels) -> ExactValues:
        """Exact values [run, request]; by default the floats of `score`."""
        return ExactValues.from_floats(levels.each(self.score))

    def values(self, positions: Positions) -> ExactValues:
        return self.level_values(positions.levels(self.rel))

    def score(self, p: Ranks) -> Floats:
        """The floats [run, request] nearest the values of ``p[run, request, m]``."""
        raise NotImplementedError


def evaluate_all(metrics: Iterable[Metric], positions: Positions) -> Iterator[ExactValues]:
    """The exact values [run, request] of each metric."""
    metrics = list(metrics)
    forms = [m.on(positions) for m in metrics]
    shared = [positions.levels(m.rel) for m in forms if isinstance(m, LevelMetric)]  # held, so that all use them
    yield from (m.request_values(positions) for m in metrics)
    del shared


def quotients(levels: Levels, numerator: Callable[[Ranks], Any], denominator: Callable[[int], int]) -> ExactValues:
    """Whole numbers of ``p[run, request, m]`` over whole numbers of m: [run, request]."""
    above = np.zeros((len(levels.runs), len(levels.requests)), dtype=np.int64)
    below = np.zeros(len(levels.requests), dtype=np.int64)
    for bucket in levels.buckets():
        below[bucket.requests] = denominator(bucket.m)
        for block in bucket.blocks():
            above[:, bucket.requests[block]] = numerator(bucket.p[:, block])
    return ExactValues.quotients(above, below)


def label_zeros(is_zero: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Whole numbers [run, request], the same where values are 0, and different elsewhere."""
    return np.where(is_zero, 0, np.arange(1, is_zero.size + 1).reshape(is_zero.shape))


def check_rel(rel: float | None) -> None:
    if rel is not None:
        check_number(rel, "rel", above=0)


def check_corpus_size(n: int, name: str) -> None:
    if n == 0:
        raise InputError(f"{name} needs the number of items in the corpus, such as {name}(n=1000000).", kind="spec")
    check_count(n, f"{name}: n")


def check_deepest(metric: Metric, deepest: int) -> None:
    """Reject cutoffs that would take too long."""
    if metric.cutoff is not None and metric.cutoff > deepest:
        raise InputError(f"{metric.name} takes cutoffs of at most {deepest:,}. Give a smaller one.", kind="spec")


def last_position(cutoff: int | None) -> int:
    return UNRETRIEVED - 1 if cutoff is None else cutoff
