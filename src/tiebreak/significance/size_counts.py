"""How often differences of every size occur, block by block: Wilcoxon's test of numbers that are no quotients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.exact.value_counts import ValueCounts
from tiebreak.preferences import PairValues

MOST_HELD = 1 << 25
"""Words of 8 bytes that are held of different sizes and their counts: 270 MB."""
NUMBER_WORDS = 32
"""Of an exact number, about."""


@dataclass(frozen=True)
class SizeCounts:
    """Counts exact sizes of values that are not 0; rows are of positive values of every pair, then of negative ones."""

    def reduce(self, values: PairValues) -> ValueCounts:
        labels = pair_labels(values)
        parts = [self.count_pair(values, pair, labels[pair]) for pair in range(len(values.pairs))]
        return self.add(parts)

    def count_pair(self, values: PairValues, pair: int, labels: Places) -> ValueCounts:
        """Those of one pair; requests with the same label have the same value."""
        untied = np.flatnonzero(values.values[pair])
        _, first, times = np.unique(labels[untied], return_index=True, return_counts=True)
        places = untied[first]
        exact = values.exact_values(pair, places)
        counts = np.zeros((len(exact), 2 * len(values.pairs)), dtype=np.int64)
        is_negative = values.values[pair, places] < 0
        counts[np.arange(len(exact)), pair + len(values.pairs) * is_negative] = times
        return ValueCounts([*map(abs, exact)], counts, values.is_rational)

    def add(self, states: Sequence[ValueCounts]) -> ValueCounts:
        total = ValueCounts.join(states)
        if total.counts.size + NUMBER_WORDS * len(total.numbers) > MOST_HELD:
            raise InputError(
                f"Wilcoxon's test ranks all sizes of differences, and there are more than {len(total.numbers):,} "
                "different ones, which do not fit. Take a t-test or a permutation test; or keep values with "
                "per_request=True, if they fit.",
                kind="per_request",
            )
        return total


def pair_labels(values: PairValues) -> NDArray[np.int64]:
    """Labels [pair, request]: equal ones mean equal values of a pair."""
    if values.by_run is None:
        return np.broadcast_to(np.arange(values.n_requests), (len(values.pairs), values.n_requests))
    codes = values.by_run.codes()
    return np.asarray(codes[values.pairs.x] * (codes.max(initial=0) + 1) + codes[values.pairs.y])


def signed_counts(sizes: ValueCounts, n_pairs: int) -> Iterator[list[tuple[int, int]]]:
    """For every pair the numbers of positive and of negative values of every size, from the smallest up."""
    in_order = sizes.in_order()
    for pair in range(n_pairs):
        both = in_order.counts[:, [pair, n_pairs + pair]]
        yield [(more, less) for more, less in both[both.any(axis=1)].tolist()]
