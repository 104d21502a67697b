"""Stability of an order: the bootstrap over requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_seed, find_run
from tiebreak._base.text import plural
from tiebreak._kernels.interface import Tick
from tiebreak.exact import decimal
from tiebreak.exact.intervals import CONFIDENCE
from tiebreak.inputs import Ids
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.orderings.result import Ordering
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Result

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

MOST = 1_000_000
REMEMBERED = (1 << 16) - 1
"""Numbers of some samples that are kept for the next measure; 8 MB in all."""
NUMBERS_AT_ONCE = 1 << 22
TICKS = 100
"""How often progress is told, if anyone watches."""
SUPPORT = "support: the share of resamples in which a run is above the next one below."


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
class Bootstrap(Drawable, Result):
    """Ranks of all runs in every sample, and which run of every pair wins it.

    Attributes
    ----------
    ranks : int array [sample, run]
        1 is best; runs that tie share the best of their ranks, as in an `Ordering`.
    wins : int array [run, run]
        Number of samples in which the mean preference of the first run over the second is positive; of populations, in
        which the first run is above the second.
    """

    by: str
    runs: tuple[str, ...]
    ranks: NDArray[np.int64]
    wins: NDArray[np.int64]
    seed: int
    more_notes: tuple[str, ...] = ()
    columns = RankInterval._fields

    @property
    def settings(self) -> dict[str, Any]:
        return {"by": self.by, "resamples": len(self.ranks), "seed": self.seed, **self.more_settings}

    @property
    def notes(self) -> tuple[str, ...]:
        drawn = f"95% intervals of ranks: {plural(len(self.ranks), 'resample')} of requests, seed {self.seed}."
        return (drawn, *self.more_notes)

    def rows(self) -> list[RankInterval]:
        """The 95% interval of every run's rank."""
        tail = (1 - decimal(CONFIDENCE)) / 2
        # The smallest rank that at least such a share of the samples reaches; shares of floats would miss by one.
        places = [ceil(len(self.ranks) * share) - 1 for share in (tail, 1 - tail)]
        low, high = np.sort(self.ranks, axis=0)[places].tolist()
        return [RankInterval(*row) for row in zip(self.runs, low, high, strict=True)]

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Median ranks with their intervals."""
        from tiebreak.results.pictures import rank_intervals

        medians = np.median(self.ranks, axis=0).tolist()
        rows = [(run, middle, low, high) for (run, low, high), middle in zip(self.rows(), medians, strict=True)]
        rows.sort(key=lambda row: (*row[1:], row[0]))
        measure = str(self.settings.get("measure", self.by))
        return {"ranks": lambda: rank_intervals(measure, rows, ("Points are median ranks.", *self.notes))}

    def add_to(self, ordering: Ordering) -> Ordering:
        """An order of all requests with rank intervals, and how often a run is above the next one below.

        Examples
        --------
        >>> import tiebreak as tb
        >>> utilities = tb.Utilities({"a": {"q": 1, "r": 0.5}, "b": {"q": 0, "r": 0.5}})
        >>> boot = utilities.bootstrap("mean", resamples=100)
        >>> [(row.run, row.low, row.high) for row in boot.add_to(utilities.order("mean")).rows()]
        [('a', 1, 1), ('b', 1, 2)]
        """
        intervals = np.array([row[1:] for row in self.rows()])
        support = np.array(
            [
                nan if below is None else (self.ranks[:, run] < self.ranks[:, below]).mean()
                for run, below in enumerate(ordering.next_below())
            ]
        )
        settings = {**ordering.more_settings, "resamples": len(self.ranks), "seed": self.seed}
        notes = (*ordering.notes, *self.notes, SUPPORT)
        return replace(ordering, intervals=intervals, support=support, notes=notes, more_settings=settings)

    def shares(self, first: str, second: str) -> PairShares:
        """The share of samples in which each of two runs is preferred on average."""
        x, y = (find_run(run, self.runs) for run in (first, second))
        won, lost, n = int(self.wins[x, y]), int(self.wins[y, x]), len(self.ranks)
        return PairShares(won / n, (n - won - lost) / n, lost / n)


def bootstrap(
    ballots: Ballots, requests: Ids, method: Method, resamples: int, seed: int, tick: Tick | None = None
) -> Bootstrap:
    """Order the runs by many bootstrap samples of the requests."""
    check_resamples(resamples, seed)
    if ballots.values.totals is not None:
        return bootstrap_totals(ballots, ballots.values.totals, method, resamples, seed, tick)
    size = len(ballots.runs)
    ranks, wins = np.empty((resamples, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    step = max(1, NUMBERS_AT_ONCE // max(ballots.n_requests, size**2))
    if tick:
        step = min(step, ceil(resamples / TICKS))
    for rows, by_name in draw_counts(ballots.n_requests, resamples, seed, step):
        weights = by_name[:, requests.places_in_order]
        ranks[rows] = method.ranks(ballots, weights)
        if tick:
            tick(rows.stop, resamples)
        wins += (ballots.values.square(ballots.pair_totals.signs(weights)) > 0).sum(axis=0)
    return Bootstrap(str(method), ballots.runs, ranks, wins, seed)


def bootstrap_totals(
    ballots: Ballots, totals: PairTotals, method: Method, resamples: int, seed: int, tick: Tick | None
) -> Bootstrap:
    """The same of values that are not held: Poisson's weights, and sums that add up over blocks."""
    from tiebreak.orderings.block_bootstrap import draw_ballots
    from tiebreak.orderings.poisson import NOTE

    size = len(ballots.runs)
    ranks, wins = np.empty((resamples, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    for draws, drawn in draw_ballots(ballots.values, totals, resamples, seed):
        if tick:
            tick(int(draws[0]), resamples)
        places = np.arange(len(draws), dtype=np.float64)[:, None]
        ranks[draws] = method.ranks(drawn, places)
        wins += (ballots.values.square(drawn.pair_totals.signs(places)) > 0).sum(axis=0)
    return Bootstrap(str(method), ballots.runs, ranks, wins, seed, (NOTE,))


def check_resamples(resamples: int, seed: int) -> None:
    check_count(resamples, "resamples", high=MOST)
    check_seed(seed)


def draws(requests: int, resamples: int, seed: int, begin: int = 0) -> Iterator[NDArray[np.int64]]:
    """The requests of each sample, drawn with replacement and numbered in the order of their names."""
    for k in range(begin, resamples):
        yield np.random.default_rng([seed, k]).integers(requests, size=requests)


def draw_counts(requests: int, resamples: int, seed: int, step: int) -> Iterator[tuple[slice, Floats]]:
    """The number of times each request is drawn in each sample, some samples at a time."""
    for begin in range(0, resamples, step):
        end = min(begin + step, resamples)
        count = count_again if (end - begin) * requests <= REMEMBERED else count_drawn
        yield slice(begin, end), count(requests, begin, end, seed).astype(np.float64)


def count_drawn(requests: int, begin: int, end: int, seed: int) -> NDArray[np.int64]:
    """The number of times [sample, request] in some of the samples."""
    return np.array([np.bincount(chosen, minlength=requests) for chosen in draws(requests, end, seed, begin)])


@lru_cache(maxsize=64)
def count_again(requests: int, begin: int, end: int, seed: int) -> NDArray[np.uint16]:
    """The same: every measure is resampled by the same requests, and a generator for each sample takes the time."""
    return count_drawn(requests, begin, end, seed).astype(np.uint16)
