"""The randomised Tukey HSD test of all pairs: the honestly significant difference by shuffles of systems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import ceil, factorial, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._kernels.interface import Tick
from tiebreak._kernels.shuffles import LARGEST, TOGETHER
from tiebreak._kernels.shuffles import permutations as random_orders
from tiebreak.errors import InputError
from tiebreak.exact.held import Places
from tiebreak.exact.sums import whole_units
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_values import NUMBERS_AT_ONCE
from tiebreak.significance.base import Outcome, RandomisationTest, against_first, draw_pvalues
from tiebreak.significance.whole_numbers import INTEGER_SUMS, over_one_denominator, whole_numbers

MOST_ENUMERATED = 200_000


class ShuffleInput(NamedTuple):
    """What is shuffled, as whole numbers of a unit: a row or matrix per request, and the observed sum of every pair.

    Comparisons within `slack` of the observed sum are undecided; it is 0 without rounding.
    """

    kind: str
    numbers: NDArray[Any]
    observed: NDArray[Any]
    unit: Fraction
    slack: int = 0


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

    def run(self, paired: PairValues, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        rows, systems = shuffle_rows(paired), len(paired.runs)
        if self.permutations == "all":
            rows = exact_rows(paired, rows.kind, np.arange(paired.n_requests)) if rows.slack else rows
            largest = np.sort(all_shuffles(rows))
            reached = len(largest) - np.searchsorted(largest, rows.observed - rows.slack, side="left")
            p = reached / len(largest)
        else:
            draw = (int(self.seed), 0, int(self.permutations))
            largest = _kernels.largest_differences(rows.kind, rows.numbers.ravel(), systems, draw, jobs, tick)
            p = draw_pvalues(self.count_reached(largest, rows, paired), len(largest))
            largest.sort()
        margin = self.critical(largest, alpha, rows.unit / paired.n_requests)
        return Outcome(np.abs(paired.mean), p, paired.mean - margin, paired.mean + margin)

    def count_reached(self, largest: NDArray[np.int64], rows: ShuffleInput, paired: PairValues) -> NDArray[np.int64]:
        """The number of shuffles that reach the observed sum of every pair."""
        order = np.argsort(largest, kind="stable")
        first = np.searchsorted(largest, rows.observed - rows.slack, side="left", sorter=order)
        if not rows.slack:
            return len(largest) - first
        last = np.searchsorted(largest, rows.observed + rows.slack, side="right", sorter=order)
        reached: NDArray[np.int64] = len(largest) - last
        is_undecided = np.flatnonzero(first < last)
        if len(is_undecided):
            requests = np.flatnonzero(paired.values.any(axis=0))  # those in which runs differ
            exact = exact_rows(paired, rows.kind, requests)
            shuffles = np.unique(np.concatenate([order[first[pair] : last[pair]] for pair in is_undecided]))
            largest_exactly = some_shuffles(exact, requests, int(self.seed), shuffles)
            exactly = dict(zip(shuffles.tolist(), largest_exactly, strict=True))
            for pair in is_undecided.tolist():
                least = exact.observed[pair] - exact.slack
                reached[pair] += sum(exactly[k] >= least for k in order[first[pair] : last[pair]].tolist())
        return reached

    def critical(self, largest: NDArray[Any], alpha: float, unit: Fraction) -> float:
        """The largest difference whose p-value is not below alpha, of sorted ones; infinite where draws are too few."""
        level = Fraction(str(alpha))
        everything = self.permutations == "all"
        reached = ceil(level * len(largest) if everything else level * (len(largest) + 1) - 1)
        return float(int(largest[len(largest) - reached]) * unit) if reached > 0 else inf


def shuffle_rows(paired: PairValues) -> ShuffleInput:
    """Values of runs for a difference, ranks where every request orders the runs, else matrices of preferences."""
    if paired.is_difference:
        common = None if paired.by_run is None else over_one_denominator(paired.by_run, INTEGER_SUMS)
        if common is not None:
            return value_rows(paired, common[0] - common[0][0], Fraction(1, common[1]))
        whole = whole_numbers(against_first(paired, paired.values), None, INTEGER_SUMS, one_unit=True)
        return value_rows(paired, whole.numbers, whole.one_unit, 2 * int(whole.slack.max()))
    if paired.is_sign:
        ranks = ranks_by_wins(paired)
        if ranks is not None:
            return ShuffleInput(
                "ranks", ranks, np.abs(np.sign(paired.values).sum(axis=1)).astype(np.int64), Fraction(1)
            )
    denominator = paired.denominator if paired.exact is None else None
    whole = whole_numbers(paired.values, denominator, INTEGER_SUMS, one_unit=True)
    largest = max(-int(whole.numbers.min(initial=0)), int(whole.numbers.max(initial=0)))
    size, n = len(paired.runs), paired.n_requests
    matrices = np.empty((n, size, size), dtype=np.int32 if largest < 2**31 else np.int64)
    step = max(1, NUMBERS_AT_ONCE // size**2)
    for begin in range(0, n, step):
        block = slice(begin, begin + step)
        matrices[block] = paired.square(whole.numbers[:, block].T)
    return ShuffleInput("preferences", matrices, whole.distances(), whole.one_unit, int(whole.slack.max()))


def value_rows(paired: PairValues, numbers: NDArray[Any], unit: Fraction, slack: int = 0) -> ShuffleInput:
    """Whole numbers [run, request] as they are shuffled."""
    sums = numbers.sum(axis=1)
    observed = np.abs(sums[paired.pairs.x] - sums[paired.pairs.y])
    return ShuffleInput("values", np.ascontiguousarray(numbers.T), observed, unit, slack)


def exact_rows(paired: PairValues, kind: str, requests: Places) -> ShuffleInput:
    """Whole numbers of any size, as objects, of some requests; `slack` is 0, or what 60 digits leave undecided."""
    is_needed = (paired.pairs.x == 0) | (paired.pairs.y == 0) | (kind != "values")
    needed = np.flatnonzero(is_needed).tolist()
    exact = [number for pair in needed for number in paired.exact_values(pair, requests)]
    whole = whole_units(exact, paired.is_rational)
    numbers = np.zeros((len(paired.pairs), len(requests)), dtype=object)
    numbers[needed] = np.array(whole.numbers, dtype=object).reshape(-1, len(requests))
    if kind == "values":
        return value_rows(paired, against_first(paired, numbers), whole.unit, whole.same)
    observed = np.abs(numbers.sum(axis=1))
    return ShuffleInput(kind, paired.square(numbers.T), observed, whole.unit, whole.same)


def some_shuffles(rows: ShuffleInput, requests: Places, seed: int, shuffles: Places) -> list[int]:
    """The largest differences of some of the random shuffles."""
    largest: list[int] = []
    for begin in range(0, len(shuffles), TOGETHER):
        some = shuffles[begin : begin + TOGETHER].astype(np.uint64)
        orders = (random_orders(rows.numbers.shape[1], seed, some, request) for request in requests.tolist())
        largest += LARGEST[rows.kind](rows.numbers, orders).tolist()
    return largest


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
    return LARGEST[rows.kind](numbers, (orders[choice] for choice in choices))


def ranks_by_wins(paired: PairValues) -> NDArray[np.int32] | None:
    """Ranks [request, run] whose signs are the values, the smaller the better; None where preferences are cyclic."""
    signs = np.sign(paired.values).astype(np.int32)
    wins = np.zeros((len(paired.runs), paired.n_requests), dtype=np.int32)
    np.add.at(wins, paired.pairs.x, signs)
    np.subtract.at(wins, paired.pairs.y, signs)
    if not np.array_equal(np.sign(wins[paired.pairs.x] - wins[paired.pairs.y]), signs):
        return None
    return np.ascontiguousarray(-wins.T)
