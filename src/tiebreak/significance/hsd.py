"""The randomised Tukey HSD test of all pairs: the honestly significant difference by shuffles of systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import ceil, factorial, inf
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._kernels.interface import Tick
from tiebreak._kernels.shuffles import SUMS, largest_sums
from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import Outcome, RandomisationTest, draw_pvalues
from tiebreak.significance.block_shuffles import ShuffledSums, Shuffles, ShuffleScale, shuffle_blocks_exactly
from tiebreak.significance.shuffle_rows import HeldRows, ShuffleInput, exact_rows, held_rows, shuffle_rows, shuffle_some
from tiebreak.significance.surveys import Numbering, survey
from tiebreak.significance.whole_numbers import INTEGER_SUMS

MOST_ENUMERATED = 200_000
Shuffled: TypeAlias = "tuple[NDArray[np.int64], Fraction, NDArray[np.int64]]"
"""The largest difference of every shuffle, in which unit, and how many reach the observed one of every pair."""


@dataclass(frozen=True)
class RandomisedHSD(RandomisationTest):
    """Randomised Tukey HSD: systems shuffled within every request, against the largest difference of all pairs.

    For a metric the null statistic is the range of the shuffled means; for a preference the shuffle permutes rows and
    columns of every request's matrix, and the statistic is the largest mean preference (Carterette 2012).
    ``permutations="all"`` enumerates the shuffles of tiny cases.
    """

    name: ClassVar[str] = "hsd"
    words: ClassVar[str] = "a randomised Tukey HSD test"
    is_signed: ClassVar[bool] = False
    is_familywise: ClassVar[bool] = True

    def run_by_name(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        """`run`, which sorts by name only what is shuffled at a time."""
        return self.run(paired, alpha, jobs, tick)

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        if self.permutations == "all":
            largest, unit, p = self.enumerate(paired)
        else:
            held = held_rows(paired) if paired.totals is None else None
            shuffled = self.shuffle_blocks(paired, jobs, tick) if held is None else self.shuffle(held, jobs, tick)
            largest, unit, reached = shuffled
            p = draw_pvalues(reached, len(largest))
        margin = self.critical(np.sort(largest), alpha, unit / paired.n_requests)
        return Outcome(np.abs(paired.mean), p, paired.mean - margin, paired.mean + margin)

    def enumerate(self, paired: PairValues) -> tuple[NDArray[Any], Fraction, Floats]:
        """The largest difference of every possible shuffle, in units, and the p-value of every pair."""
        if paired.totals is not None:
            raise InputError(
                'permutations="all" is for few requests, whose values are kept: give a number, or keep them with '
                "per_request=True.",
                kind="per_request",
            )
        paired = paired.by_name()
        rows = shuffle_rows(paired)
        rows = exact_rows(paired, rows.kind, np.arange(paired.n_requests)) if rows.slack else rows
        largest = all_shuffles(rows)
        least = np.abs(rows.observed) - rows.slack
        reached = len(largest) - np.searchsorted(np.sort(largest), least, side="left")
        return largest, rows.unit, reached / len(largest)

    def shuffle(self, held: HeldRows, jobs: int, tick: Tick | None) -> Shuffled:
        """Random shuffles of what is held of all requests."""
        rows = held.rows
        draw = (int(self.seed), 0, int(self.permutations))
        numbers = rows.numbers.ravel()
        largest = _kernels.largest_differences(rows.kind, numbers, rows.n_systems, draw, jobs, tick)

        def exactly(shuffles: Places) -> ShuffledSums:
            exact, requests = held.exactly()
            sums = shuffle_some(exact, requests, int(self.seed), shuffles)
            return ShuffledSums(exact.observed, sums, exact.unit, exact.slack)

        return largest, rows.unit, count_reached(largest, rows.observed, rows.slack, rows.kind, exactly)

    def shuffle_blocks(self, paired: PairValues, jobs: int, tick: Tick | None) -> Shuffled:
        """Random shuffles of values that are too many to hold, or as matrices: blocks are visited, and sums add up."""
        totals, draws = paired.totals or PairTotals.of_held(paired), int(self.permutations)
        findings = survey(totals, INTEGER_SUMS, paired.is_sign)
        scale, numbering = ShuffleScale.from_findings(findings, paired), Numbering.from_blocks(findings.requests)
        parts: list[NDArray[np.int64]] = []
        for some in totals.visit.passes(draws, len(paired.pairs)):
            if tick:
                tick(some.start, draws)
            draw = (int(self.seed), some.start, len(some))
            shuffles = Shuffles(scale, numbering, draw, totals.visit.jobs or jobs)
            sums = totals.visit.run(shuffles, tick and partial(tick_requests, tick, some, draws))
            parts.append(largest_sums(scale.kind, sums.sums))
        largest = np.concatenate(parts)
        exactly = partial(shuffle_blocks_exactly, totals, scale.kind, numbering, int(self.seed))
        return largest, sums.unit, count_reached(largest, sums.observed, sums.slack, scale.kind, exactly)

    def critical(self, largest: NDArray[Any], alpha: float, unit: Fraction) -> float:
        """The largest difference whose p-value is not below alpha, of sorted ones; infinite where draws are too few."""
        level = Fraction(str(alpha))
        everything = self.permutations == "all"
        reached = ceil(level * len(largest) if everything else level * (len(largest) + 1) - 1)
        return float(int(largest[len(largest) - reached]) * unit) if reached > 0 else inf


def tick_requests(tick: Tick, some: range, draws: int, visited: int, requests: int) -> None:
    """Progress in draws, where some of them were made of some of the requests."""
    tick(some.start + len(some) * visited // requests, draws)


def count_reached(
    largest: NDArray[np.int64],
    observed: NDArray[Any],
    slack: int,
    kind: str,
    exactly: Callable[[Places], ShuffledSums],
) -> NDArray[np.int64]:
    """The number of shuffles that reach the observed sum of every pair; `exactly` sums those that are undecided."""
    order = np.argsort(largest, kind="stable")
    far = np.abs(observed)
    first = np.searchsorted(largest, far - slack, side="left", sorter=order)
    if not slack:
        return np.asarray(len(largest) - first)
    last = np.searchsorted(largest, far + slack, side="right", sorter=order)
    reached: NDArray[np.int64] = len(largest) - last
    is_undecided = np.flatnonzero(first < last)
    if len(is_undecided):
        shuffles = np.unique(np.concatenate([order[first[pair] : last[pair]] for pair in is_undecided]))
        exact = exactly(shuffles)
        largest_exactly = dict(zip(shuffles.tolist(), largest_sums(kind, exact.sums).tolist(), strict=True))
        for pair in is_undecided.tolist():
            least = abs(exact.observed[pair]) - exact.slack
            reached[pair] += sum(largest_exactly[k] >= least for k in order[first[pair] : last[pair]].tolist())
    return reached


def all_shuffles(rows: ShuffleInput) -> NDArray[Any]:
    """The largest difference in every way to shuffle the systems of every request."""
    n, systems = rows.numbers.shape[:2]
    if factorial(systems) ** n > MOST_ENUMERATED:
        raise InputError(
            f'permutations="all" enumerates {systems}! to the power of {n} shuffles, more than {MOST_ENUMERATED:,}. '
            "Give a number.",
            kind="size",
        )
    orders = np.array(list(permutations(range(systems))))
    choices = np.indices((len(orders),) * n).reshape(n, -1)
    numbers = rows.numbers if rows.numbers.dtype == object else rows.numbers.astype(np.int64)
    return largest_sums(rows.kind, SUMS[rows.kind](numbers, (orders[choice] for choice in choices)))
