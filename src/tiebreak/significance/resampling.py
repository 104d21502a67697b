"""Tests by drawing: signs flipped at random, and requests drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._interface import Tick
from tiebreak._shuffles import Words, words
from tiebreak.errors import InputError
from tiebreak.orderings.bootstrap import drawn
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, Resampled, interval, share_of_draws
from tiebreak.significance.paired import Paired
from tiebreak.significance.whole_numbers import whole_numbers

DRAWS_AT_ONCE = 256
REQUESTS_AT_ONCE = 8192
SUMS_AT_ONCE = 20_000_000
COUNTS_AT_ONCE = 1 << 22
MOST_ENUMERATED = 20
BITS_IN_A_WORD = 64


@dataclass(frozen=True)
class SignFlip(Resampled):
    """Permutation test: under the hypothesis the sign of every request's value is up to chance.

    The signs of a draw are the same for all pairs. Values are whole numbers of a unit, so that sums are exact.
    ``permutations="all"`` goes through all signs of up to 20 requests.
    """

    name: ClassVar[str] = "permutation"
    words: ClassVar[str] = "a two-sided sign-flip permutation test"

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        exact = whole_numbers(paired.values, paired.denominator)
        seen = exact.sums_seen()[:, None]
        reached = np.zeros(len(seen), dtype=np.int64)
        draws = self.draws(paired.n)
        for begin in range(0, draws, DRAWS_AT_ONCE):
            if tick:
                tick(begin, draws)
            sums = self.sums(exact.numbers, range(begin, min(begin + DRAWS_AT_ONCE, draws)))
            reached += np.count_nonzero(np.abs(sums, out=sums) >= seen, axis=1)
        p = reached / draws if self.permutations == "all" else share_of_draws(reached, draws)
        return Outcome(paired.mean.copy(), p, *interval(paired, alpha))

    def draws(self, n: int) -> int:
        if self.permutations != "all":
            return int(self.permutations)
        if n > MOST_ENUMERATED:
            raise InputError(
                f'permutations="all" goes through all signs of up to {MOST_ENUMERATED} requests; there are {n}. '
                "Give a number.",
                kind="size",
            )
        return 1 << n

    def sums(self, numbers: Floats, draws: range) -> Floats:
        """Sums [pair, draw] of numbers with the signs of each draw, some requests at a time."""
        sums = np.zeros((len(numbers), len(draws)))
        held = np.empty((min(REQUESTS_AT_ONCE, numbers.shape[1]), len(draws)))
        for begin in range(0, numbers.shape[1], REQUESTS_AT_ONCE):
            some = numbers[:, begin : begin + REQUESTS_AT_ONCE]
            requests = np.arange(begin, begin + some.shape[1], dtype=np.uint64)[:, None]
            bits = every_bit(draws, requests) if self.permutations == "all" else drawn_bits(self.seed, draws, requests)
            signs = np.multiply(bits, -2.0, out=held[: len(bits)])
            signs += 1.0
            sums += some @ signs
        return sums


def every_bit(draws: range, requests: Words) -> Words:
    """The binary digits of draws, one for every request: [request, draw]."""
    return np.arange(draws.start, draws.stop, dtype=np.uint64) >> requests & np.uint64(1)


def drawn_bits(seed: int, draws: range, requests: Words) -> NDArray[np.uint8]:
    """Random bits [request, draw]: those of 64 draws come from one word per request."""
    sixty_fours = np.arange(draws.start // BITS_IN_A_WORD, -(-draws.stop // BITS_IN_A_WORD), dtype=np.uint64)
    drawn = next(words(seed, sixty_fours, requests)).astype("<u8", order="C")
    bits = np.unpackbits(drawn.view(np.uint8), axis=1, bitorder="little")
    first = draws.start % BITS_IN_A_WORD
    return bits[:, first : first + len(draws)]


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
        step = max(1, SUMS_AT_ONCE // draws)
        for begin in range(0, len(paired.values), step):
            rows = slice(begin, begin + step)
            exact = whole_numbers(paired.values[rows], paired.denominator)
            sums = self.sums(exact.numbers, begin * draws, p.size * draws, tick)
            bounds = np.quantile(sums, [alpha / 2, 1 - alpha / 2], axis=0)
            low[rows], high[rows] = bounds * exact.unit[:, 0] / paired.n
            # What may be 0 counts as 0.
            beyond = np.minimum((sums <= exact.slack).sum(axis=0), (sums >= -exact.slack).sum(axis=0))
            p[rows] = np.minimum(2 * share_of_draws(beyond, draws), 1.0)
        return Outcome(paired.mean.copy(), p, low, high)

    def sums(self, numbers: Floats, done: int, everything: int, tick: Tick | None) -> Floats:
        """Sums [draw, pair] of requests drawn anew."""
        sums = np.empty((int(self.permutations), len(numbers)))
        step = min(DRAWS_AT_ONCE, max(1, COUNTS_AT_ONCE // numbers.shape[1]))
        for rows, weights in drawn(numbers.shape[1], int(self.permutations), self.seed, step):
            if tick:
                tick(done + rows.start * len(numbers), everything)
            sums[rows] = weights @ numbers.T
        return sums
