"""What every metric is: a small frozen value that prints as the spec that made it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tiebreak._base.catalogue import Entry
from tiebreak.errors import InputError, quote
from tiebreak.exact import ExactValues
from tiebreak.inputs.judgements import check_min_grade
from tiebreak.projection import Levels, Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import Floats, Ranks


@dataclass(frozen=True, slots=True)
class Traits:
    """Which laws a metric obeys; the shared tests hold it to them.

    Attributes
    ----------
    low, high : float
        Bounds of its values.
    uses_grades : bool
        Grades above the smallest relevant one make a difference.
    lower_is_better : bool
    cutoff : {"no", "may", "must"}
        Whether it takes ``@k``.
    rises : bool
        Moving a relevant item up never makes it worse.
    needs_nonrelevant : bool
        It looks at items judged not relevant.
    is_for_display : bool
        Its floats are too coarse to order runs by.
    """

    low: float = 0.0
    high: float = 1.0
    uses_grades: bool = False
    lower_is_better: bool = False
    cutoff: str = "may"
    rises: bool = True
    needs_nonrelevant: bool = False
    is_for_display: bool = False


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

    def __post_init__(self) -> None:
        check_rel(self.rel)
        if self.cutoff is not None and self.traits.cutoff == "no":
            raise InputError(f"{self.name} takes no cutoff. Write {self.name} without @{self.cutoff}.", kind="spec")
        if self.cutoff is None and self.traits.cutoff == "must":
            raise InputError(f"{self.name} needs a cutoff, such as {self.name}@10.", kind="spec")

    @property
    def needs(self) -> Needs:
        """What has to be read beyond the positions of judged items."""
        return Needs()

    @property
    def is_summed(self) -> bool:
        """Whether it is a count, of which the total over requests is reported in place of the mean."""
        return False

    def on(self, positions: Positions) -> Metric:
        """The simplest metric that gives the same values on these positions."""
        return self

    def values(self, positions: Positions) -> ExactValues:
        """Exact values [run, request], in the order of the input; by default the floats of `evaluate` are they."""
        if type(self).evaluate is Metric.evaluate:
            raise NotImplementedError
        return ExactValues.from_floats(self.evaluate(positions))

    def evaluate(self, positions: Positions) -> Floats:
        """The floats [run, request] nearest the exact values."""
        return self.values(positions).nearest

    def counted_values(self, positions: Positions) -> ExactValues:
        """Exact values [run, request] of the requests that count; no value for the others."""
        return over_requests(self, self.on(positions).values(positions), positions)


@dataclass(frozen=True)
class LevelMetric(Metric):
    """A metric that sees nothing but the increasing positions p of the relevant items."""

    def of_levels(self, levels: Levels) -> ExactValues:
        """Exact values [run, request]; by default the floats of `score` are they."""
        return ExactValues.from_floats(levels.each(self.score))

    def values(self, positions: Positions) -> ExactValues:
        return self.of_levels(positions.levels(self.rel))

    def score(self, p: Ranks) -> Floats:
        """The floats [run, request] nearest the values of ``p[run, request, m]``."""
        raise NotImplementedError


def evaluate_all(metrics: Iterable[Metric], positions: Positions) -> Iterator[ExactValues]:
    """The exact values [run, request] of each metric."""
    metrics = list(metrics)
    forms = [m.on(positions) for m in metrics]
    shared = [positions.levels(m.rel) for m in forms if isinstance(m, LevelMetric)]  # held, so that all use them
    yield from (m.counted_values(positions) for m in metrics)
    del shared


def over_requests(metric: Metric, values: ExactValues, positions: Positions) -> ExactValues:
    """The values of a metric, of the requests that it counts.

    A request without a relevant item is left out, also by measures that would have a value. Measures that count every
    grade above 0 count requests that have one. A measure with a level of its own is 0 for a request that has relevant
    items, but none of that level: its mean is over the same requests as that of others. Where labels were taken away
    such a request is left out.
    """
    relevant = positions.relevant() > 0
    if metric.rel is None:
        return values if metric.traits.uses_grades else values.where(relevant)
    if positions.is_sampled:
        return values
    own = positions.relevant(metric.rel) > 0
    is_worst_zero = metric.traits.low == 0 and not metric.traits.lower_is_better
    if not is_worst_zero or not own.any() or not (relevant & ~own).any():
        return values
    return values.zero_where(np.broadcast_to(relevant & ~own, values.nearest.shape))


def check_rel(rel: float | None) -> None:
    if rel is not None:
        check_number("rel", rel)
        check_min_grade(rel)


def check_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{name} is {quote(str(value))}. Give a number.", kind="spec")
