"""Randomisation tests of pairs: sign flips, and the bootstrap over requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak._kernels.shuffles import Words, words
from tiebreak.errors import InputError
from tiebreak.orderings.bootstrap import draw_counts
from tiebreak.preferences import PairValues
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, RandomisationTest, draw_pvalues
from tiebreak.significance.whole_numbers import ExactSums, Whole, whole_pairs

DRAWS_AT_ONCE = 256
REQUESTS_AT_ONCE = 8192
SUMS_AT_ONCE = 20_000_000
COUNTS_AT_ONCE = 1 << 22
SIGNS_AT_ONCE = 1 << 25
MOST_ENUMERATED = 20
BITS_IN_A_WORD = 64


@dataclass(frozen=True)
class SignFlip(RandomisationTest):
    """Permutation test: under the null hypothesis the sign of every request's value is random.

    A draw flips the same requests for all pairs. Sums are exact. ``permutations="all"`` enumerates all signs of up to
    20 requests.
    """

    name: ClassVar[str] = "permutation"
    words: ClassVar[str] = "a two-sided sign-flip permutation test"

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        whole, exact = whole_pairs(paired), ExactSums(paired)
        observed, slack = whole.distances()[:, None], whole.slack[:, None]
        least, most = observed - slack, np.where(slack > 0, observed + slack, -1)  # between them it is undecided
        reached = np.zeros(len(observed), dtype=np.int64)
        draws = self.draws(paired.n_requests)
        for begin in range(0, draws, DRAWS_AT_ONCE):
            if tick:
                tick(begin, draws)
            some = range(begin, min(begin + DRAWS_AT_ONCE, draws))
            sums = self.sums(whole.numbers, some)
            may_reach = np.abs(sums, out=sums) >= least
            reached += np.count_nonzero(may_reach, axis=1)
            is_undecided = np.less_equal(sums, most)
            is_undecided &= may_reach
            if is_undecided.any():
                reached -= self.count_below_observed(exact, is_undecided, some)
        p = reached / draws if self.permutations == "all" else draw_pvalues(reached, draws)
        return Outcome(paired.mean.copy(), p, *paired.student_interval(alpha))

    def draws(self, n: int) -> int:
        if self.permutations != "all":
            return int(self.permutations)
        if n > MOST_ENUMERATED:
            raise InputError(
                f'permutations="all" enumerates all signs of up to {MOST_ENUMERATED} requests; there are {n}. '
                "Give a number.",
                kind="size",
            )
        return 1 << n

    def count_below_observed(
        self, exact: ExactSums, is_undecided: NDArray[np.bool_], draws: range
    ) -> NDArray[np.int64]:
        """The number of undecided sums [pair, draw] that are nearer to 0 than the observed one: [pair]."""
        n, below = exact.paired.n_requests, np.zeros(len(is_undecided), dtype=np.int64)
        step = max(1, SIGNS_AT_ONCE // n)
        for begin in range(0, len(draws), step):
            pairs, places = np.nonzero(is_undecided[:, begin : begin + step])
            if len(pairs):
                flipped = self.bits(draws[begin : begin + step], np.arange(n, dtype=np.uint64)[:, None]).T
                # What is kept plus or minus what is flipped: nearer to 0 than their sum where both have the same sign.
                is_below = exact.signs(pairs, places, flipped) * exact.signs(pairs, places, 1 - flipped) > 0
                below += np.bincount(pairs[is_below], minlength=len(below))
        return below

    def bits(self, draws: range, requests: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Which values [request, draw] change their signs."""
        if self.permutations == "all":  # the binary digits of the draws
            return np.arange(draws.start, draws.stop, dtype=np.uint64) >> requests & np.uint64(1)
        return random_bits(self.seed, draws, requests)

    def sums(self, numbers: Floats, draws: range) -> Floats:
        """Sums [pair, draw] of numbers with the signs of each draw, some requests at a time."""
        sums = np.zeros((len(numbers), len(draws)))
        buffer = np.empty((min(REQUESTS_AT_ONCE, numbers.shape[1]), len(draws)))
        for begin in range(0, numbers.shape[1], REQUESTS_AT_ONCE):
            some = numbers[:, begin : begin + REQUESTS_AT_ONCE]
            requests = np.arange(begin, begin + some.shape[1], dtype=np.uint64)[:, None]
            bits = self.bits(draws, requests)
            signs = np.multiply(bits, -2.0, out=buffer[: len(bits)])
            signs += 1.0
            sums += some @ signs
        return sums


def random_bits(seed: int, draws: range, requests: Words) -> NDArray[np.uint8]:
    """Random bits [request, draw]: one word per request gives those of 64 draws."""
    sixty_fours = np.arange(draws.start // BITS_IN_A_WORD, -(-draws.stop // BITS_IN_A_WORD), dtype=np.uint64)
    random_words = next(words(seed, sixty_fours, requests)).astype("<u8", order="C")
    bits = np.unpackbits(random_words.view(np.uint8), axis=1, bitorder="little")
    first = draws.start % BITS_IN_A_WORD
    return bits[:, first : first + len(draws)]


@dataclass(frozen=True)
class BootstrapTest(RandomisationTest):
    """Percentile bootstrap: how often the mean of resampled requests is on the other side of 0."""

    name: ClassVar[str] = "bootstrap"
    min_count: ClassVar[int] = 2
    words: ClassVar[str] = "a percentile bootstrap over requests"
    min_requests: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.permutations == "all":
            raise InputError('permutations="all" is for permutation tests. Give a number.', kind="size")

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        draws = int(self.permutations)
        low, high, p = (np.empty(len(paired.values)) for _ in range(3))
        whole, exact = whole_pairs(paired), ExactSums(paired)
        step = max(1, SUMS_AT_ONCE // draws)
        for begin in range(0, len(paired.values), step):
            rows = slice(begin, begin + step)
            sums, signs = self.sums(whole, exact, rows, tick)
            bounds = np.quantile(sums, [alpha / 2, 1 - alpha / 2], axis=0)
            low[rows], high[rows] = bounds * whole.unit[rows, 0] / paired.n_requests
            beyond = np.minimum((signs <= 0).sum(axis=0), (signs >= 0).sum(axis=0))
            p[rows] = np.minimum(2 * draw_pvalues(beyond, draws), 1.0)
        return Outcome(paired.mean.copy(), p, low, high)

    def sums(self, whole: Whole, exact: ExactSums, pairs: slice, tick: Tick | None) -> tuple[Floats, NDArray[np.int8]]:
        """Sums [draw, pair] of resampled requests, and their signs."""
        numbers, slack, draws = whole.numbers[pairs], whole.slack[pairs], int(self.permutations)
        sums = np.empty((draws, len(numbers)))
        signs = np.empty(sums.shape, dtype=np.int8)
        step = min(DRAWS_AT_ONCE, max(1, COUNTS_AT_ONCE // numbers.shape[1]))
        for rows, weights in draw_counts(numbers.shape[1], draws, self.seed, step):
            if tick:
                tick(pairs.start * draws + rows.start * len(numbers), len(whole.numbers) * draws)
            sums[rows] = weights @ numbers.T
            signs[rows] = np.sign(sums[rows])
            places, open_pairs = np.nonzero((np.abs(sums[rows]) <= slack) & (slack > 0))
            if len(places):
                signs[rows.start + places, open_pairs] = exact.signs(pairs.start + open_pairs, places, weights)
        return sums, signs
