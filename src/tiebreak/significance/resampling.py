"""Tests by drawing: signs flipped at random, and requests drawn anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import Tick
from tiebreak.errors import InputError
from tiebreak.orderings.bootstrap import drawn
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, Resampled, interval, share_of_draws
from tiebreak.significance.paired import Paired

TOGETHER = 256
SUMS_TOGETHER = 20_000_000
EXACT_BITS = 30
MOST_ENUMERATED = 20


@dataclass(frozen=True)
class SignFlip(Resampled):
    """Permutation test: under the hypothesis the sign of every request's value is up to chance.

    The signs of a draw are the same for all pairs. Values are rounded to 2^-30 of the largest, so that sums are exact.
    ``permutations="all"`` goes through all signs of up to 20 requests.
    """

    name: ClassVar[str] = "permutation"
    words: ClassVar[str] = "a two-sided sign-flip permutation test"

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        whole = whole_numbers(paired.values)
        # Rounding moves a sum by half a unit per request: what may be equal counts as equal.
        seen = np.abs(whole.sum(axis=1)) - paired.n
        reached = np.zeros(len(whole), dtype=np.int64)
        done = 0
        for signs in self.signs(paired.n):
            if tick:
                tick(done, self.draws(paired.n))
            reached += (np.abs(signs @ whole.T) >= seen).sum(axis=0)
            done += len(signs)
        p = reached / done if self.permutations == "all" else share_of_draws(reached, done)
        return Outcome(paired.mean.copy(), p, *interval(paired, alpha))

    def draws(self, n: int) -> int:
        return 2**n if self.permutations == "all" else int(self.permutations)

    def signs(self, n: int) -> Iterator[Floats]:
        """Signs [draw, request], some draws at a time; a block depends on the seed and its number only."""
        if self.permutations == "all" and n > MOST_ENUMERATED:
            raise InputError(
                f'permutations="all" goes through all signs of up to {MOST_ENUMERATED} requests; there are {n}. '
                "Give a number.",
                kind="size",
            )
        draws = self.draws(n)
        for block, begin in enumerate(range(0, draws, TOGETHER)):
            size = min(TOGETHER, draws - begin)
            if self.permutations == "all":
                bits: NDArray[np.int64] = np.arange(begin, begin + size)[:, None] >> np.arange(n) & 1
            else:
                bits = np.random.default_rng([self.seed, block]).integers(0, 2, size=(TOGETHER, n))[:size]
            yield (1 - 2 * bits).astype(np.float64)


def whole_numbers(values: Floats) -> Floats:
    """The values of every pair as whole numbers of its own unit, of which sums in any order are exact."""
    return np.rint(values / units(values))


def units(values: Floats) -> Floats:
    """A power of two for every pair, 2^-30 of its largest value: [pair, 1]."""
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    exponent = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))).astype(np.int64)
    return np.ldexp(1.0, exponent - EXACT_BITS)


@dataclass(frozen=True)
class BootstrapTest(Resampled):
    """Percentile bootstrap: how often the mean of requests drawn anew lies on the other side of 0."""

    name: ClassVar[str] = "bootstrap"
    least_reached: ClassVar[int] = 2
    words: ClassVar[str] = "a percentile bootstrap over requests"
    needs: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.permutations == "all":
            raise InputError('permutations="all" is for permutation tests. Give a number.', kind="size")

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        draws = int(self.permutations)
        low, high, p = (np.empty(len(paired.values)) for _ in range(3))
        step = max(1, SUMS_TOGETHER // draws)
        for begin in range(0, len(paired.values), step):
            rows = slice(begin, begin + step)
            values = paired.values[rows]
            sums = self.sums(values, begin * draws, p.size * draws, tick)
            bounds = np.quantile(sums, [alpha / 2, 1 - alpha / 2], axis=0)
            low[rows], high[rows] = bounds * units(values)[:, 0] / paired.n
            # Rounding moves a sum by half a unit per request: what may be 0 counts as 0.
            beyond = np.minimum((sums <= paired.n).sum(axis=0), (sums >= -paired.n).sum(axis=0))
            p[rows] = np.minimum(2 * share_of_draws(beyond, draws), 1.0)
        return Outcome(paired.mean.copy(), p, low, high)

    def sums(self, values: Floats, done: int, everything: int, tick: Tick | None) -> Floats:
        """Sums [draw, pair] of requests drawn anew, in the units of each pair; exact, as in `SignFlip`."""
        whole = whole_numbers(values)
        sums = np.empty((int(self.permutations), len(values)))
        for rows, weights in drawn(values.shape[1], int(self.permutations), self.seed, TOGETHER):
            if tick:
                tick(done + rows.start * len(values), everything)
            sums[rows] = weights @ whole.T
        return sums
