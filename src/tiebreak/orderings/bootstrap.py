"""Stability of an order: the bootstrap over requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_seed, find_run
from tiebreak._base.text import plural
from tiebreak.exact import decimal
from tiebreak.exact.intervals import CONFIDENCE
from tiebreak.inputs import Ids
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.projection.primitives import Floats
from tiebreak.results.record import Result

MOST = 1_000_000
NUMBERS_AT_ONCE = 1 << 22


class RankInterval(NamedTuple):
    """The 95% interval of a run's rank."""

    run: str
    low: int
    high: int


class PairShares(NamedTuple):
    """In which share of the samples each run is preferred on average, and in which they tie."""

    first: float
    tied: float
    second: float


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Result):
    """Ranks of all runs in every sample, and the sign of every pair's mean preference.

    Attributes
    ----------
    ranks : int array [sample, run]
        1 is best; runs that tie share the best of their ranks, as in an `Ordering`.
    wins : int array [run, run]
        Number of samples in which the mean preference of the first run over the second is positive.
    """

    by: str
    runs: tuple[str, ...]
    ranks: NDArray[np.int64]
    wins: NDArray[np.int64]
    seed: int
    columns = RankInterval._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"by": self.by, "resamples": len(self.ranks), "seed": self.seed, **self.more_settings}

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"95% intervals of ranks: {plural(len(self.ranks), 'resample')} of requests, seed {self.seed}.",)

    def rows(self) -> list[RankInterval]:
        """The 95% interval of every run's rank."""
        tail = (1 - decimal(CONFIDENCE)) / 2
        # The smallest rank that at least such a share of the samples reaches; shares of floats would miss by one.
        places = [ceil(len(self.ranks) * share) - 1 for share in (tail, 1 - tail)]
        low, high = np.sort(self.ranks, axis=0)[places].tolist()
        return [RankInterval(*row) for row in zip(self.runs, low, high, strict=True)]

    def shares(self, first: str, second: str) -> PairShares:
        """The share of samples in which each of two runs is preferred on average."""
        x, y = (find_run(run, self.runs) for run in (first, second))
        won, lost, n = int(self.wins[x, y]), int(self.wins[y, x]), len(self.ranks)
        return PairShares(won / n, (n - won - lost) / n, lost / n)


def bootstrap(ballots: Ballots, requests: Ids, method: Method, resamples: int, seed: int) -> Bootstrap:
    """Order the runs by many bootstrap samples of the requests."""
    check_resamples(resamples, seed)
    size = len(ballots.runs)
    ranks, wins = np.empty((resamples, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    step = max(1, NUMBERS_AT_ONCE // max(ballots.n_requests, size**2))
    for rows, by_name in draw_counts(ballots.n_requests, resamples, seed, step):
        weights = by_name[:, requests.places_in_order]
        ranks[rows] = method.ranks(ballots, weights)
        wins += (ballots.values.square(ballots.pair_totals.signs(weights)) > 0).sum(axis=0)
    return Bootstrap(str(method), ballots.runs, ranks, wins, seed)


def check_resamples(resamples: int, seed: int) -> None:
    check_count(resamples, "resamples", high=MOST)
    check_seed(seed)


def draws(requests: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The requests of each sample, drawn with replacement and numbered in the order of their names."""
    for k in range(resamples):
        yield np.random.default_rng([seed, k]).integers(requests, size=requests)


def draw_counts(requests: int, resamples: int, seed: int, step: int) -> Iterator[tuple[slice, Floats]]:
    """The number of times each request is drawn in each sample, some samples at a time."""
    counts = (np.bincount(chosen, minlength=requests) for chosen in draws(requests, resamples, seed))
    for begin in range(0, resamples, step):
        weights = np.array(list(islice(counts, step)), dtype=np.float64)
        yield slice(begin, begin + len(weights)), weights
