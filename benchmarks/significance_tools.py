"""Tests of many systems, in one process: `python significance_tools.py WHAT RUNS REQUESTS DRAWS JOBS`.

WHAT is ``values``, ``ranks`` or ``preferences`` for the randomised Tukey HSD, ``permuted`` for its metric form with
NumPy, ``signs`` for sign flips of all pairs. Prints JSON: the seconds, and a number that tells whether two agree.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

from tiebreak._kernels import largest_differences
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs, PairValues
from tiebreak.significance import significance

SEED = 7


def shuffled(kind: str, runs: int, requests: int, draws: int, jobs: int) -> float:
    rng = np.random.default_rng(SEED)
    rows = {
        "values": lambda: rng.integers(0, 2**40, (requests, runs)),
        "ranks": lambda: rng.integers(0, runs, (requests, runs)).astype(np.int32),
        "preferences": lambda: antisymmetric(rng.integers(-(2**40), 2**40, (requests, runs, runs))),
    }[kind]()
    return float(np.median(largest_differences(kind, rows.ravel(), runs, (SEED, 0, draws), jobs)))


def antisymmetric(matrices: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(matrices - matrices.transpose(0, 2, 1))


def permuted(runs: int, requests: int, draws: int) -> float:
    """The metric form with what NumPy offers."""
    rng = np.random.default_rng(SEED)
    values = rng.integers(0, 2**40, (requests, runs))
    ranges = np.empty(draws)
    for k in range(draws):
        sums = rng.permuted(values, axis=1).sum(axis=0)
        ranges[k] = sums.max() - sums.min()
    return float(np.median(ranges))


def signs(runs: int, requests: int, draws: int) -> float:
    pairs = Pairs.all(runs)
    values = np.random.default_rng(SEED).normal(size=(len(pairs), requests))
    exact, ones = ExactValues.from_floats(values), np.ones(requests, dtype=np.int64)
    names, ids = tuple(map(str, range(runs))), Ids.from_names(range(requests))
    paired = PairValues(names, ids, pairs, values, ones, exact)
    return float(np.median(significance("x", paired, "permutation", permutations=draws).pvalue))


def main() -> None:
    what, *numbers = sys.argv[1:]
    runs, requests, draws, jobs = map(int, numbers)
    work: dict[str, Callable[[], float]] = {
        "permuted": lambda: permuted(runs, requests, draws),
        "signs": lambda: signs(runs, requests, draws),
    }
    start = time.perf_counter()
    actual = work[what]() if what in work else shuffled(what, runs, requests, draws, jobs)
    print(json.dumps({"seconds": time.perf_counter() - start, "median": actual}))


if __name__ == "__main__":
    main()
