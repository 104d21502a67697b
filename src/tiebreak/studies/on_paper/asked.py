"""What a view is asked for, checked once, and measures as functions of position vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.errors import InputError
from tiebreak.inputs import Ids
from tiebreak.metrics import Metric
from tiebreak.metrics import metric as metric_of
from tiebreak.preferences import Pairs, Preference, preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.projection import Positions
from tiebreak.projection.levels import Layout
from tiebreak.projection.primitives import Floats, Ranks
from tiebreak.studies.base import Findings
from tiebreak.studies.measures import Measure, list_measures, measure_name

CASES_AT_ONCE = 1 << 16
MOST_ITEMS = 10**7
"""Items in a corpus: exposures are tabulated by position."""
MOST_RELEVANT_DRAWN = 1000


@dataclass(frozen=True)
class Asked:
    """What one view is asked for.

    `given` are the measures, as people call them. `is_default` says that sizes are those of the paper.
    """

    given: tuple[Measure, ...]
    items: tuple[int, ...]
    relevant: tuple[int, ...]
    pairs: int
    seed: int
    jobs: int
    tick: Tick | None
    is_default: bool

    @property
    def preferences(self) -> list[tuple[str, Preference]]:
        """Names and measures, a metric as the difference of its values."""
        return [(measure_name(measure), preference_of(measure)) for measure in self.given]

    @property
    def metrics(self) -> list[tuple[str, Metric]]:
        return [(measure_name(measure), only_metric(measure)) for measure in self.given]

    def rng(self, *key: int) -> np.random.Generator:
        """A stream for one part of the work, whatever the other parts are."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


@dataclass(frozen=True)
class View:
    """One way to look at measures, with the sizes and measures of the paper.

    Without `items` nothing depends on n, and without `has_measures` on a measure.
    """

    study: Callable[[Asked], Findings]
    items: tuple[int, ...]
    relevant: tuple[int, ...]
    measures: tuple[Measure, ...] = ()
    one_n: bool = False
    one_m: bool = False
    has_measures: bool = True
    of_metrics: bool = False


def ask(
    by: str,
    view: View,
    measures: Any,
    items: int | Iterable[int] | None,
    relevant: int | Iterable[int] | None,
    pairs: int,
    seed: int,
    jobs: int,
    tick: Tick | None,
) -> Asked:
    """Check everything before any work."""
    if items is not None and not view.items:
        raise InputError(f"by={by!r} depends on no number of items. Leave items out.", kind="size")
    ns = sizes("items", items, view.items, MOST_ITEMS) if view.items else ()
    ms = sizes("relevant", relevant, view.relevant, min(ns, default=MOST_ITEMS))
    for name, numbers, is_one in (("items", ns, view.one_n), ("relevant", ms, view.one_m)):
        if is_one and len(numbers) > 1:
            raise InputError(f"by={by!r} takes one number for {name}; {len(numbers)} were given.", kind="size")
    if measures is not None and not view.has_measures:
        raise InputError(f"by={by!r} depends on no measure. Leave measures out.", kind="spec")
    asked = Asked(
        view.measures if measures is None else tuple(list_measures(measures)),
        ns,
        ms,
        whole("pairs", pairs, 2),
        whole("seed", seed, 0, 2**63 - 1),
        whole("jobs", jobs, 1),
        tick,
        items is None and relevant is None,
    )
    _ = asked.metrics if view.of_metrics else asked.preferences  # a bad name is refused before any work
    return asked


def sizes(name: str, asked: int | Iterable[int] | None, default: tuple[int, ...], largest: int) -> tuple[int, ...]:
    if asked is None:
        asked = tuple(size for size in default if size <= largest) or (largest,)
    numbers = list(asked) if isinstance(asked, Iterable) and not isinstance(asked, str) else [asked]
    if not numbers:
        raise InputError(f"no number of {name} was given. Give at least one.", kind="size")
    return tuple(dict.fromkeys(whole(name, size, 1, largest) for size in numbers))


def preference_of(measure: Measure) -> Preference:
    return preference(measure if isinstance(measure, (str, Preference)) else metric_of(measure))


def only_metric(measure: Measure) -> Metric:
    """The metric itself; a preference, which has no values, is refused as such."""
    if isinstance(measure, Preference) or (
        isinstance(measure, str) and not isinstance(preference(measure), MetricDifference)
    ):
        raise InputError(f"{measure} is a preference. Give a metric, such as AP.", kind="spec")
    return metric_of(measure)


def prefer(measure: Preference, x: Ranks, y: Ranks) -> Floats:
    """How much better each ranking of ``x[case, m]`` is than its partner in y; 0 exactly where the measure ties."""
    parts = [slice(k, k + CASES_AT_ONCE) for k in range(0, len(x), CASES_AT_ONCE)]
    return np.concatenate([preferred(measure, as_positions(np.stack([x[part], y[part]]))) for part in parts])


def preferred(measure: Preference, at: Positions) -> Floats:
    """How much better the first of two runs is in each request."""
    found = measure.compare(at, Pairs.all(2))
    if len(found.requests) < len(at.requests):
        raise InputError(f"{measure} has no value for some rankings of positions alone.", kind="spec")
    better: Floats = found.numerator[0] / found.denominator
    return better


def values(measure: Preference, p: Ranks) -> Floats:
    """The values of a metric on ``p[case, m]``, larger ones better."""
    assert isinstance(measure, MetricDifference)
    metric = metric_of(measure.metric)
    found: Floats = metric.evaluate(as_positions(p[None]))[0]
    return -found if metric.traits.lower_is_better else found


def as_positions(p: Ranks) -> Positions:
    """Position vectors ``p[run, case, m]`` as runs over so many requests."""
    runs, cases, m = p.shape
    last = p.max(-1).astype(np.int32)
    return Positions(
        runs=tuple(f"run{k}" for k in range(1, runs + 1)),
        requests=Ids.from_names(range(cases)),
        items=Ids.from_names(range(m)),
        layout=Layout(np.arange(cases), np.full(cases, m)),
        ranks=np.ascontiguousarray(p.reshape(runs, -1), dtype=np.int32),
        item=np.tile(np.arange(m, dtype=np.int32), cases),
        grade=np.ones(cases * m),
        listed=last,
        retrieved=last,
        tied=np.zeros_like(last),
    )


def all_vectors(n: int, m: int) -> Ranks:
    """Every position vector of m relevant items among n."""
    return np.array(list(combinations(range(1, n + 1), m)), dtype=np.int32).reshape(comb(n, m), m)


def draw(rng: np.random.Generator, cases: int, n: int, m: int) -> Ranks:
    """Position vectors ``p[case, m]`` of random rankings, every set of m positions alike, by Floyd's algorithm.

    In step j a number up to j is drawn; where it is there already, j itself is taken.
    """
    if m > MOST_RELEVANT_DRAWN:
        raise InputError(f"relevant={m}. Rankings are drawn with up to {MOST_RELEVANT_DRAWN:,}.", kind="size")
    p = np.zeros((cases, m), dtype=np.int32)
    for k, j in enumerate(range(n - m + 1, n + 1)):
        drawn = rng.integers(1, j + 1, size=cases, dtype=np.int32)
        is_there = (p[:, :k] == drawn[:, None]).any(axis=1)
        p[:, k] = np.where(is_there, j, drawn)
    p.sort(axis=1)
    return p
