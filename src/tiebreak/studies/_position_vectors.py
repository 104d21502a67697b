"""Measures as functions of position vectors: rankings without files, all of them or random ones."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from tiebreak.errors import InputError
from tiebreak.inputs import Ids
from tiebreak.metrics import Metric
from tiebreak.preferences import Pairs, Preference
from tiebreak.projection import Positions
from tiebreak.projection.levels import Layout
from tiebreak.projection.primitives import Floats, Ranks

CASES_AT_ONCE = 1 << 16
MOST_RELEVANT_RANDOM = 1000


def prefer(measure: Preference, x: Ranks, y: Ranks) -> Floats:
    """How much better each ranking of ``x[case, m]`` is than its partner in y; 0 exactly where the measure ties."""
    parts = [slice(k, k + CASES_AT_ONCE) for k in range(0, len(x), CASES_AT_ONCE)]
    return np.concatenate([prefer_first(measure, as_positions(np.stack([x[part], y[part]]))) for part in parts])


def prefer_first(measure: Preference, at: Positions) -> Floats:
    """How much better the first of two runs is in each request."""
    preferences = measure.compare(at, Pairs.all(2))
    if len(preferences.requests) < len(at.requests):
        raise InputError(f"{measure} has no value for some rankings of positions alone.", kind="spec")
    better: Floats = preferences.values[0]
    return better


def evaluate(metric: Metric, p: Ranks) -> Floats:
    """The values of a metric on ``p[case, m]``, larger ones better."""
    values: Floats = metric.evaluate(as_positions(p[None]))[0]
    return -values if metric.traits.lower_is_better else values


def as_positions(p: Ranks) -> Positions:
    """Position vectors ``p[run, case, m]`` as runs, each case a request."""
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


def random_vectors(rng: np.random.Generator, cases: int, n: int, m: int) -> Ranks:
    """Position vectors ``p[case, m]`` of random rankings, all sets of positions equally likely (Floyd's algorithm)."""
    if m > MOST_RELEVANT_RANDOM:
        raise InputError(f"relevant={m}. Random rankings have at most {MOST_RELEVANT_RANDOM:,}.", kind="size")
    p = np.zeros((cases, m), dtype=np.int32)
    for k, j in enumerate(range(n - m + 1, n + 1)):
        number = rng.integers(1, j + 1, size=cases, dtype=np.int32)
        is_there = (p[:, :k] == number[:, None]).any(axis=1)
        p[:, k] = np.where(is_there, j, number)
    p.sort(axis=1)
    return p
