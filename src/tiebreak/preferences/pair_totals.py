"""What is kept of the values of pairs where requests are too many to hold: counts and sums, which add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.dropped import Dropped
from tiebreak._base.visits import NO_VISIT, Reduction, Visit
from tiebreak._kernels.interface import Tick
from tiebreak.exact import Number
from tiebreak.exact.held import Places
from tiebreak.exact.row_sums import RowSums
from tiebreak.exact.sums import sum_fractions
from tiebreak.preferences.pair_values import PairValues, Values
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection.primitives import Floats

CELLS_AT_ONCE = 1 << 22
"""Values of a block of those that are held."""


def visit_held(values: PairValues) -> Visit:
    """Goes through values that are held in blocks of some requests: no other table of all of them is made."""
    n = values.n_requests

    def run(reduction: Reduction, tick: Tick | None = None) -> Any:
        first, *others = blocks(values, np.arange(n))
        state, visited = reduction.reduce(values.take_requests(first)), len(first)
        for places in others:
            if tick:
                tick(visited, n)
            state = reduction.add([state, reduction.reduce(values.take_requests(places))])
            visited += len(places)
        return state

    return Visit(run, at_once=3, is_held=True)


def blocks(values: PairValues, places: Places) -> list[Places]:
    """The indices of requests, some at a time."""
    step = max(1, CELLS_AT_ONCE // max(1, len(values.pairs)))
    return [places[begin : begin + step] for begin in range(0, len(places), step)]


@dataclass(frozen=True, eq=False)
class QuotientCounts:
    """How many requests of a pair have which value: columns pair, numerator, denominator, and the counts."""

    keys: NDArray[np.int64]  # [key, 3], each once, in order
    counts: Places

    @classmethod
    def from_values(cls, numerator: NDArray[Any], denominator: Places) -> QuotientCounts:
        """Of whole numerators [pair, request] and denominators [request]."""
        low = int(numerator.min(initial=0))
        width = int(numerator.max(initial=0)) - low + 1
        sizes, size = np.unique(denominator, return_inverse=True)
        first = np.arange(len(numerator))[:, None] * len(sizes) + size.ravel()
        key, counts = np.unique(first * width + (numerator.astype(np.int64) - low), return_counts=True)
        first, above = np.divmod(key, width)
        pair, size = np.divmod(first, len(sizes))
        return cls(np.stack([pair, above + low, sizes[size]], axis=1), counts)

    @classmethod
    def join(cls, parts: Sequence[QuotientCounts]) -> QuotientCounts:
        keys, which = np.unique(np.concatenate([part.keys for part in parts]), axis=0, return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, which.ravel(), np.concatenate([part.counts for part in parts]))
        return cls(keys, counts)

    def by_pair(self, n_pairs: int) -> list[Counter[Fraction]]:
        """How often every pair has each value."""
        counters: list[Counter[Fraction]] = [Counter() for _ in range(n_pairs)]
        for (pair, above, below), count in zip(self.keys.tolist(), self.counts.tolist(), strict=True):
            counters[pair][Fraction(above, below)] += count
        return counters


@dataclass(frozen=True, eq=False)
class PairTotals:
    """Of every pair the requests won, tied and lost; how often each value, or the sums of values that are no quotients.

    `votes` and `points` are what orders by win rates need: by how many requests more each run is placed above another,
    [run, run]; and twice the points of Borda's rule, [run]. `by_run` are the sums of what values are differences of.
    `visit` goes through all requests once more, for tests that draw from them.
    """

    runs: tuple[str, ...]
    pairs: Pairs
    n_requests: int
    win_tie_loss: NDArray[np.int64]
    votes: NDArray[np.int64]
    points: NDArray[np.int64]
    quotients: QuotientCounts | None = None
    sums: RowSums | None = None
    by_run: RowSums | None = None
    visit: Visit = NO_VISIT

    @classmethod
    def from_values(cls, values: PairValues, votes: NDArray[np.int64], points: NDArray[np.int64]) -> PairTotals:
        """Of the values of all requests of a block; votes and points are empty where not all pairs are compared."""
        is_whole = values.exact is None
        return cls(
            values.runs,
            values.pairs,
            values.n_requests,
            values.win_tie_loss,
            votes,
            points,
            QuotientCounts.from_values(values.numerator, values.denominator) if is_whole else None,
            None if values.exact is None else RowSums.from_values(values.exact),
            None if values.by_run is None else RowSums.from_values(values.by_run),
        )

    @classmethod
    def of_held(cls, values: PairValues) -> PairTotals:
        """A way through values that are held, for what visits blocks of them."""
        nothing = np.zeros(0, dtype=np.int64)
        visit = visit_held(values)
        return cls(values.runs, values.pairs, values.n_requests, values.win_tie_loss, nothing, nothing, visit=visit)

    @classmethod
    def join(cls, parts: Sequence[PairTotals]) -> PairTotals:
        """Of several blocks together."""

        def join_sums(name: str) -> RowSums | None:
            sums = [part for part in (getattr(one, name) for one in parts) if part is not None]
            return RowSums.join(sums) if sums else None

        quotients = [part.quotients for part in parts if part.quotients is not None]
        return replace(
            parts[0],
            n_requests=sum(part.n_requests for part in parts),
            win_tie_loss=np.sum([part.win_tie_loss for part in parts], axis=0),
            votes=np.sum([part.votes for part in parts], axis=0),
            points=np.sum([part.points for part in parts], axis=0),
            quotients=QuotientCounts.join(quotients) if quotients else None,
            sums=join_sums("sums"),
            by_run=join_sums("by_run"),
        )

    def detach(self) -> PairTotals:
        """The same without what it was computed from, as `RowSums.detach`."""
        return self._map_sums(RowSums.detach)

    def hold(self) -> PairTotals:
        """The same with exact sums as they are, as `RowSums.hold`."""
        return self._map_sums(RowSums.hold)

    def _map_sums(self, change: Callable[[RowSums], RowSums]) -> PairTotals:
        sums, by_run = (None if part is None else change(part) for part in (self.sums, self.by_run))
        return replace(self, sums=sums, by_run=by_run)

    def attach(self, load: Callable[[], PairTotals]) -> PairTotals:
        """Detached totals whose exact sums are asked of what `load` returns."""

        def attach_sums(name: str) -> RowSums | None:
            sums: RowSums | None = getattr(self, name)
            return None if sums is None else sums.attach(lambda: getattr(load(), name))

        return replace(self, sums=attach_sums("sums"), by_run=attach_sums("by_run"))

    def replace_values(self, values: Values) -> Values:
        """Values of which only these totals are known."""
        known = self.as_values()
        names = ("requests", "numerator", "denominator", "by_run", "totals")
        return replace(values, exact=None, labels=None, **{name: getattr(known, name) for name in names})

    def as_values(self) -> PairValues:
        """Values of pairs of which only these totals are known."""
        dropped: Any = Dropped(self.n_requests)
        by_run = None if self.by_run is None else dropped
        return PairValues(self.runs, dropped, self.pairs, dropped, dropped, by_run=by_run, totals=self)

    @cached_property
    def counts(self) -> list[Counter[Fraction]]:
        """How often every pair has each value, of quotients of whole numbers."""
        assert self.quotients is not None
        return self.quotients.by_pair(len(self.pairs))

    @cached_property
    def means(self) -> list[Number]:
        """The exact mean of every pair."""
        if self.sums is not None:
            return [self.sums.sample(pair).mean() for pair in range(len(self.pairs))]
        return [Number(sum_fractions([v * n for v, n in c.items()]) / self.n_requests) for c in self.counts]

    @cached_property
    def run_means(self) -> list[Number]:
        """The exact mean win rate of every run: the sum of its mean preferences over the others."""
        if self.by_run is not None:
            means = [self.by_run.sample(run).mean() for run in range(len(self.runs))]
            everything = sum(means[1:], means[0])
            return [len(means) * mean - everything for mean in means]
        rates = [Number(Fraction(0)) for _ in self.runs]
        for x, y, mean in zip(self.pairs.x.tolist(), self.pairs.y.tolist(), self.means, strict=True):
            rates[x], rates[y] = rates[x] + mean, rates[y] - mean
        return rates

    @cached_property
    def deviation(self) -> Floats:
        """The standard deviation of every pair's values; 0 where all are equal."""
        n = self.n_requests
        if n < 2:
            return np.zeros(len(self.pairs))
        if self.sums is not None:
            return np.array([self.sums.deviation(pair) for pair in range(len(self.pairs))])
        squares = (
            sum_fractions([(value - mean.exact) ** 2 * count for value, count in counter.items()])
            for counter, mean in zip(self.counts, self.means, strict=True)
        )
        return np.array([sqrt(square / (n - 1)) for square in squares])
