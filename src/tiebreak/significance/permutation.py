"""The sign-flip permutation test of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak._kernels.shuffles import Words, words
from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.preferences import PairValues
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, RandomisationTest, draw_pvalues
from tiebreak.significance.block_flips import FlippedSums, PairScale, count_below_exactly
from tiebreak.significance.surveys import Numbering, survey
from tiebreak.significance.whole_numbers import FLOAT_SUMS, ExactSums, whole_pairs

DRAWS_AT_ONCE = 256
REQUESTS_AT_ONCE = 8192
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
    is_by_pair: ClassVar[bool] = True
    is_directed: ClassVar[bool] = True

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        draws = self.draws(paired.n_requests)
        count = self.count_reached if paired.totals is None else self.count_over_blocks
        reached = count(paired, draws, tick)
        p = reached / draws if self.permutations == "all" else draw_pvalues(reached, draws)
        return Outcome(paired.mean.copy(), p, *paired.student_interval(alpha))

    def count_reached(self, paired: PairValues, draws: int, tick: Tick | None) -> NDArray[np.int64]:
        """The number of draws that reach the observed sum of every pair."""
        whole, exact = whole_pairs(paired), ExactSums(paired)
        limits = self.limits(whole.numbers.sum(axis=1), whole.slack)
        places = np.arange(paired.n_requests)
        reached = np.zeros(len(whole.numbers), dtype=np.int64)
        for begin in range(0, draws, DRAWS_AT_ONCE):
            if tick:
                tick(begin, draws)
            some = range(begin, min(begin + DRAWS_AT_ONCE, draws))
            counted, is_undecided = limits.compare(self.distance(self.sums(whole.numbers, some, places)))
            reached += counted
            if is_undecided.any():
                reached -= self.count_below_observed(exact, is_undecided, some)
        return reached

    def count_over_blocks(self, paired: PairValues, draws: int, tick: Tick | None) -> NDArray[np.int64]:
        """The same of values that are not held: every block is visited, and sums add up."""
        totals = paired.totals
        assert totals is not None
        findings = survey(totals, FLOAT_SUMS)
        scale, numbering = PairScale.from_findings(findings), Numbering.from_blocks(findings.requests)
        reached = np.zeros(len(paired.pairs), dtype=np.int64)
        for some in totals.visit.passes(draws, len(reached)):
            if tick:
                tick(some.start, draws)
            observed, sums = totals.visit.run(FlippedSums(self.many_sums, scale, numbering, some))
            counted, is_undecided = self.limits(observed, scale.slack).compare(self.distance(sums))
            reached += counted
            if is_undecided.any():
                reached -= count_below_exactly(totals, self.bits, numbering, is_undecided, some, self.side)
        return reached

    def limits(self, observed: Floats, slack: NDArray[np.int64]) -> Limits:
        """Between which distances from 0 a sum may reach the observed one."""
        far, off = self.distance(-observed if self.side < 0 else observed)[:, None], slack[:, None]
        return Limits(far - off, np.where(off > 0, far + off, -np.inf))

    def distance(self, sums: Floats) -> Floats:
        """How far sums are from 0: on either side, or towards the alternative."""
        return sums if self.side else np.abs(sums, out=sums)

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
        """The number of undecided sums [pair, draw] that do not reach the observed one: [pair]."""
        n, below = exact.paired.n_requests, np.zeros(len(is_undecided), dtype=np.int64)
        step = max(1, SIGNS_AT_ONCE // n)
        for begin in range(0, len(draws), step):
            pairs, places = np.nonzero(is_undecided[:, begin : begin + step])
            if len(pairs):
                flipped = self.bits(draws[begin : begin + step], np.arange(n, dtype=np.uint64)[:, None]).T
                # What is kept less what is flipped, against their sum: nearer to 0 where both have the same sign.
                side = self.side or exact.signs(pairs, places, 1 - flipped)
                is_below = exact.signs(pairs, places, flipped) * side > 0
                below += np.bincount(pairs[is_below], minlength=len(below))
        return below

    def bits(self, draws: range, requests: Words) -> NDArray[np.unsignedinteger[Any]]:
        """Which values [request, draw] change their signs."""
        if self.permutations == "all":  # the binary digits of the draws
            return np.arange(draws.start, draws.stop, dtype=np.uint64) >> requests & np.uint64(1)
        return random_bits(self.seed, draws, requests)

    def sums(self, numbers: Floats, draws: range, places: Places) -> Floats:
        """Sums [pair, draw] of numbers with the signs of each draw, towards the alternative; some requests at a time.

        `places` are those of the requests in the order of names.
        """
        sums = np.zeros((len(numbers), len(draws)))
        buffer = np.empty((min(REQUESTS_AT_ONCE, numbers.shape[1]), len(draws)))
        for begin in range(0, numbers.shape[1], REQUESTS_AT_ONCE):
            some = slice(begin, begin + REQUESTS_AT_ONCE)
            bits = self.bits(draws, places[some, None].astype(np.uint64))
            signs = np.multiply(bits, 2.0 if self.side < 0 else -2.0, out=buffer[: len(bits)])
            signs += -1.0 if self.side < 0 else 1.0
            sums += numbers[:, some] @ signs
        return sums

    def many_sums(self, numbers: Floats, draws: range, places: Places) -> Floats:
        """The same of more draws than are computed at once."""
        parts = (draws[begin : begin + DRAWS_AT_ONCE] for begin in range(0, len(draws), DRAWS_AT_ONCE))
        return np.concatenate([self.sums(numbers, part, places) for part in parts], axis=1)


class Limits(NamedTuple):
    """Sums reach the observed ones from the least distance on; up to the most, [pair, 1], it is undecided."""

    least: Floats
    most: Floats

    def compare(self, sums: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """How many sums [pair, draw] of every pair may reach the observed one, and which of these are undecided."""
        may_reach = sums >= self.least
        is_undecided = np.less_equal(sums, self.most)
        is_undecided &= may_reach
        return np.count_nonzero(may_reach, axis=1), is_undecided


def random_bits(seed: int, draws: range, requests: Words) -> NDArray[np.uint8]:
    """Random bits [request, draw]: one word per request gives those of 64 draws."""
    sixty_fours = np.arange(draws.start // BITS_IN_A_WORD, -(-draws.stop // BITS_IN_A_WORD), dtype=np.uint64)
    random_words = next(words(seed, sixty_fours, requests)).astype("<u8", order="C")
    bits = np.unpackbits(random_words.view(np.uint8), axis=1, bitorder="little")
    first = draws.start % BITS_IN_A_WORD
    return bits[:, first : first + len(draws)]
