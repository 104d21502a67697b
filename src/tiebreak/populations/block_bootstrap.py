"""How often utilities occur in resampled requests, block by block: the bootstrap where values are not held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base import visits
from tiebreak._base.text import plural
from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.exact.value_counts import ValueCounts
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings.poisson import PoissonWeights, hash_names
from tiebreak.populations.base import Population

WEIGHTS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class DrawnCounts:
    """Counts how often every run has each utility in some draws: [utility, run, draw]."""

    weights: PoissonWeights
    draws: range
    utilities: ValueCounts  # in increasing order
    is_negated: bool

    def reduce(self, state: Any) -> NDArray[np.int64]:
        exact = -state.exact[0] if self.is_negated else state.exact[0]
        table = UtilityTable.from_exact(state.runs, state.requests, exact)
        places, names = self.utilities.places(table.numbers), hash_names(table.requests)[:, None]
        counts = np.zeros((len(self.utilities.numbers), len(table.runs), len(self.draws)), dtype=np.int64)
        step = max(1, WEIGHTS_AT_ONCE // max(1, len(names)))
        for begin in range(0, len(self.draws), step):
            weights = self.weights(self.draws[begin : begin + step], names)
            for run, row in enumerate(places):
                some, sums = sum_by_place(row, weights)
                counts[some, run, begin : begin + step] = sums
        return counts

    def add(self, states: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        total = states[0]
        for state in states[1:]:
            total += state
        return total


def sum_by_place(row: Places, weights: NDArray[np.uint8]) -> tuple[Places, NDArray[np.int64]]:
    """The different places of a row, and of each the sum of the weights [request, draw]."""
    order = np.argsort(row, kind="stable")
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    return row[order[first]], np.add.reduceat(weights[order], first, axis=0, dtype=np.int64)


def draw_tables(table: CountedUtilities, resamples: int, seed: int) -> Iterator[CountedUtilities]:
    """The utilities of every draw."""
    width = table.counts.counts.size
    if width * table.visit.at_once > visits.MOST_SUMS:
        raise InputError(
            f"a bootstrap counts how often each of {len(table.counts.numbers):,} different utilities occurs in "
            f"{plural(len(table.runs), 'run')}: more than fits. Take a metric with fewer values, such as one with a "
            "cutoff, or a sample of the requests.",
            kind="size",
        )
    for draws in table.visit.passes(resamples, width):
        counts = table.visit.run(DrawnCounts(PoissonWeights(seed), draws, table.counts, table.is_negated))
        yield from map(table.with_counts, np.moveaxis(counts, 2, 0))


def draw_ranks(population: Population, table: CountedUtilities, resamples: int, seed: int) -> Iterator[Places]:
    """The ranks of the runs in every draw; where no request is drawn, all tie."""
    for drawn in draw_tables(table, resamples, seed):
        try:
            yield population.ranks(drawn) if len(drawn.requests) else np.ones(len(table.runs), dtype=np.int64)
        except InputError as error:
            raise InputError(
                f"a sample of the Poisson bootstrap has {plural(len(drawn.requests), 'request')}: {error} Keep values "
                "with per_request=True.",
                kind=error.kind,
            ) from None
