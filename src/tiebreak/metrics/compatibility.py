"""Compatibility: how much a ranking overlaps with an ideal one."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_flag, check_number
from tiebreak.exact import Doubles, ExactValues, decimal
from tiebreak.exact.arithmetic import doubles_from_units
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.logarithms import BITS
from tiebreak.metrics.base import LEAST, Metric, Traits
from tiebreak.metrics.graded_entries import GradedEntries
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED, Ranks


@dataclass(frozen=True)
class Compatibility(Metric):
    r"""Rank-biased overlap of a ranking with the ideal one nearest to it (Clarke, Vtyurina and Smucker 2021).

    .. math:: \mathrm{RBO} = \sum_{i=1}^{d} p^{i-1} \frac{|R_{1..i} \cap I_{1..i}|}{i} \Big/ \sum_{i=1}^{d} p^{i-1}

    to the depth d of the longer list. The ideal ranking I has all items with a grade above 0, the largest first; items
    of equal grade are in the order of the ranking R.

    Parameters
    ----------
    p : float
        Persistence of the overlap.
    normalize : bool
        Divide by the overlap of the ideal ranking with itself, which is below 1 where the ranking is longer.

    Examples
    --------
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    >>> Compatibility(p=0.5).evaluate(tb.project(qrels, run)).round(4).tolist()      # (0 + 1/2) / (1 + 1/2)
    [[0.3333]]
    """

    p: float = parameter(0.95, check_number, low=LEAST, below=1, name="Compat: p")
    normalize: bool = parameter(True, check_flag, name="Compat: normalize")
    name: ClassVar[str] = "Compat"
    traits: ClassVar[Traits] = Traits(uses_grades=True, cutoff="no")

    def values(self, positions: Positions) -> ExactValues:
        entries = GradedEntries(positions, self.rel)
        depth = np.maximum(positions.retrieved.astype(np.int64), entries.sizes)
        for block in entries.blocks():  # where unretrieved items are placed optimistically, lists are longer
            deepest_item = np.where(block.ranks == UNRETRIEVED, 0, block.ranks).max(axis=-1)
            depth[:, block.requests] = np.maximum(depth[:, block.requests], deepest_item)
        deepest = int(depth.max(initial=0))
        by_rank, by_power = tails(self.p, deepest, is_shared=True), tails(self.p, deepest, is_shared=False)
        above, below = Doubles.full(entries.shape, np.nan), Doubles.full(entries.shape, np.nan)
        size = np.zeros(entries.shape)
        for block in entries.blocks():
            end = depth[:, block.requests][..., None] + 1
            both = overlap_ranks(block.ranks, block.grade)
            shared = by_rank.take(both)
            above[:, block.requests] = (shared - by_rank.take(end)).where(both <= deepest).sum()
            size[:, block.requests] = shared.high.sum(axis=-1)
            ideal = by_rank.take(np.arange(1, both.shape[-1] + 1)) - by_rank.take(end)
            power = by_power[1] - by_power.take(end)
            below[:, block.requests] = ideal.sum() if self.normalize else power[..., 0]
        error = size * ROUNDING_ERROR + (entries.sizes + 1) * 2.0**-BITS * (deepest + 1) ** 2

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [self.exact(entries.cell(run, q), int(depth[run, q])) for q in requests.tolist()]

        return ExactValues.from_doubles(
            above / below,
            4 * error / below.high,
            exactly,
            entries.is_zero(None),
            labels=lambda: entries.labels(None) * (deepest + 1) + depth,
        )

    def exact(self, items: list[tuple[int, int]], depth: int) -> Fraction:
        """The exact value for one ranking: rank and code of grade of every item."""
        ideal = sorted(items, key=lambda item: (-item[1], item[0]))
        both = sorted(max(rank, k) for k, (rank, _) in enumerate(ideal, start=1))
        powers, common = whole_powers(self.p, depth), lcm(*range(1, depth + 1))
        shares = [power * (common // i) for i, power in enumerate(powers, start=1)]
        overlap = sum(share * bisect_right(both, i) for i, share in enumerate(shares, start=1))
        if self.normalize:
            return Fraction(overlap, sum(share * min(i, len(items)) for i, share in enumerate(shares, start=1)))
        return Fraction(overlap, sum(powers) * common)


def overlap_ranks(ranks: Ranks, grade: NDArray[np.int64]) -> NDArray[np.int64]:
    """From which rank on [run, request, m] an item is in both lists; `UNRETRIEVED` where it never is."""
    order = np.lexsort((ranks, np.broadcast_to(-grade, ranks.shape)), axis=-1)
    both: NDArray[np.int64] = np.maximum(np.take_along_axis(ranks, order, axis=-1), np.arange(1, ranks.shape[-1] + 1))
    return both


def tails(p: float, deepest: int, *, is_shared: bool) -> Doubles:
    """The sums of p^(i-1), over i where shared, from i = k to the deepest, by k; 0 beyond."""
    exact, power, total = decimal(p), 1 << BITS, 0
    terms = []
    for i in range(1, deepest + 1):
        terms.append(power // i if is_shared else power)
        power = power * exact.numerator // exact.denominator
    units = [0]
    for term in reversed(terms):
        total += term
        units.append(total)
    return doubles_from_units([0, *reversed(units)], (deepest + 2,))


@lru_cache(8)
def whole_powers(p: float, depth: int) -> list[int]:
    """p^(i-1) for i = 1, ..., depth, over one denominator."""
    exact = decimal(p)
    powers = [exact.denominator ** (depth - 1)] if depth else []
    while len(powers) < depth:
        powers.append(powers[-1] * exact.numerator // exact.denominator)
    return powers
