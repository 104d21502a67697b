"""Sums of values with random weights, block by block: the Poisson bootstrap where values are not held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.orderings.poisson import PoissonWeights, hash_names
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.significance.block_flips import ExactFlips, FlippedExactly, PairScale, split_cells
from tiebreak.significance.surveys import survey
from tiebreak.significance.whole_numbers import FLOAT_SUMS

DRAWS_AT_ONCE = 256
REQUESTS_AT_ONCE = 8192
MOST_SUMS_KEPT = 1 << 26
"""Sums of all draws and pairs, of which quantiles are taken: 512 MB."""


def most_weight(n_requests: int) -> int:
    """More than so often requests are not drawn in all, by any chance."""
    return 2 * n_requests + 100


@dataclass(frozen=True, eq=False)
class WeightedSums:
    """Sums [pair, draw] of whole numbers with the weights of some draws; the last row are the weights themselves."""

    weights: PoissonWeights
    scale: PairScale
    draws: range

    def reduce(self, values: PairValues) -> Floats:
        numbers = np.vstack([self.scale.numbers(values), np.ones(values.n_requests)])
        names = hash_names(values.requests)[:, None]
        sums = np.zeros((len(numbers), len(self.draws)))
        for begin in range(0, len(names), REQUESTS_AT_ONCE):
            some = slice(begin, begin + REQUESTS_AT_ONCE)
            for first in range(0, len(self.draws), DRAWS_AT_ONCE):
                part = self.draws[first : first + DRAWS_AT_ONCE]
                weights = self.weights(part, names[some]).astype(np.float64)
                sums[:, first : first + len(part)] += (weights.T @ numbers[:, some].T).T  # by far the faster way round
        return sums

    def add(self, states: Sequence[Floats]) -> Floats:
        return np.asarray(np.sum(states, axis=0))


def bootstrap_blocks(totals: PairTotals, draws: int, seed: int, tick: Tick | None) -> tuple[Floats, NDArray[np.int8]]:
    """Means [draw, pair] of resampled requests, 0 where none is drawn, and their signs."""
    if draws * len(totals.pairs) > MOST_SUMS_KEPT:
        raise InputError(
            f"{draws:,} resamples of {len(totals.pairs):,} pairs are more means than fit. Give fewer permutations, or "
            "a baseline.",
            kind="size",
        )
    weights, most = PoissonWeights(seed), most_weight(totals.n_requests)
    scale = PairScale.from_findings(survey(totals, FLOAT_SUMS, has_names=False), most)
    means, signs = np.empty((draws, len(totals.pairs))), np.empty((draws, len(totals.pairs)), dtype=np.int8)
    for some in totals.visit.passes(draws, len(totals.pairs) + 1):
        if tick:
            tick(some.start, draws)
        *sums, total = totals.visit.run(WeightedSums(weights, scale, some))
        assert total.max(initial=0.0) <= most
        rows, sums = slice(some.start, some.stop), np.array(sums).T
        means[rows], signs[rows] = sums * scale.units / np.maximum(total, 1.0)[:, None], np.sign(sums)
        is_undecided = (np.abs(sums) <= scale.slack) & (scale.slack > 0)
        for pairs, places in split_cells(is_undecided.T):
            exact: ExactFlips = totals.visit.run(FlippedExactly(weights, hash_names, pairs, some.start + places))
            signs[some.start + places, pairs] = exact.signs(exact.flipped)
    return means, signs
