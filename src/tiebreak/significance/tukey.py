"""Tests of all pairs at once: Tukey's honestly significant difference, by shuffles and by its formula."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import ceil, factorial, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._interface import Tick
from tiebreak.errors import InputError
from tiebreak.significance.base import Outcome, Resampled, Test, share_of_draws
from tiebreak.significance.paired import Paired
from tiebreak.significance.whole_numbers import INTEGER_SUMS, whole_numbers

MOST_ENUMERATED = 200_000


class Rows(NamedTuple):
    """What is shuffled, as whole numbers of a unit: what the kernel is given, and what was seen for every pair.

    What was seen is taken lower by as much as rounding may have moved it and what it is compared with, twice that for
    a difference of two sums: what may be equal counts as equal.
    """

    kind: str
    numbers: NDArray[Any]
    seen: NDArray[np.int64]
    unit: float


@dataclass(frozen=True)
class RandomisedHSD(Resampled):
    """Randomised Tukey HSD: systems shuffled within every request, against the largest difference of all pairs.

    For a metric the null statistic is the range of the shuffled means; for a preference the shuffle permutes rows and
    columns of every request's matrix, and the statistic is the largest mean preference (Carterette 2012).
    ``permutations="all"`` goes through all shuffles of tiny cases.
    """

    name: ClassVar[str] = "hsd"
    words: ClassVar[str] = "a randomised Tukey HSD test"
    is_signed: ClassVar[bool] = False
    is_of_all_pairs: ClassVar[bool] = True

    def check(self, paired: Paired) -> None:
        super().check(paired)
        check_all_pairs(self.name, paired)

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        rows = rows_of(paired)
        if self.permutations == "all":
            largest = all_shuffles(rows, len(paired.runs))
        else:
            draw = (int(self.seed), 0, int(self.permutations))
            largest = _kernels.largest_differences(rows.kind, rows.numbers.ravel(), len(paired.runs), draw, jobs, tick)
        largest = np.sort(largest)
        reached = len(largest) - np.searchsorted(largest, rows.seen, side="left")
        p = reached / len(largest) if self.permutations == "all" else share_of_draws(reached, len(largest))
        margin = self.critical(largest, alpha) * rows.unit / paired.n
        return Outcome(np.abs(paired.mean), p, paired.mean - margin, paired.mean + margin)

    def critical(self, largest: NDArray[np.int64], alpha: float) -> float:
        """The largest difference whose p-value is not below alpha, of sorted ones; none is where draws are too few."""
        level = Fraction(str(alpha))
        everything = self.permutations == "all"
        reached = ceil(level * len(largest) if everything else level * (len(largest) + 1) - 1)
        return float(largest[len(largest) - reached]) if reached > 0 else inf


def check_all_pairs(name: str, paired: Paired) -> None:
    if not paired.has_all_pairs:
        raise InputError(f"{name} is of all pairs at once. Leave out the baseline, --baseline.", kind="choice")


def rows_of(paired: Paired) -> Rows:
    """Values of runs for a difference, ranks where every request orders the runs, else matrices of preferences."""
    if paired.is_difference:
        exact = whole_numbers(paired.by_run(), None, INTEGER_SUMS, one_unit=True)
        sums = exact.numbers.sum(axis=1)
        seen = np.abs(sums[paired.pairs.x] - sums[paired.pairs.y]) - 2 * exact.slack
        return Rows("values", np.ascontiguousarray(exact.numbers.T), seen, float(exact.unit[0, 0]))
    if paired.is_sign:
        ranks = ranks_by_wins(paired)
        if ranks is not None:
            return Rows("ranks", ranks, np.abs(np.sign(paired.values).sum(axis=1)).astype(np.int64), 1.0)
    exact = whole_numbers(paired.values, paired.denominator, INTEGER_SUMS, one_unit=True)
    fits = np.abs(exact.numbers).max(initial=0) < 2**31
    matrices = paired.matrices(exact.numbers, np.int32 if fits else np.int64)
    return Rows("preferences", matrices, exact.sums_seen(), float(exact.unit[0, 0]))


def ranks_by_wins(paired: Paired) -> NDArray[np.int32] | None:
    """Ranks [request, run] whose signs are the values, the smaller the better; None where some go round in a circle."""
    signs = np.sign(paired.values).astype(np.int32)
    wins = np.zeros((len(paired.runs), paired.n), dtype=np.int32)
    np.add.at(wins, paired.pairs.x, signs)
    np.subtract.at(wins, paired.pairs.y, signs)
    if not np.array_equal(np.sign(wins[paired.pairs.x] - wins[paired.pairs.y]), signs):
        return None
    return np.ascontiguousarray(-wins.T)


def all_shuffles(rows: Rows, systems: int) -> NDArray[np.int64]:
    """The largest difference in every way to shuffle the systems of every request."""
    n = len(rows.numbers)
    if factorial(systems) ** n > MOST_ENUMERATED:
        raise InputError(
            f'permutations="all" goes through {systems}! to the power of {n} shuffles, more than {MOST_ENUMERATED:,}. '
            "Give a number.",
            kind="size",
        )
    orders = [np.array(order) for order in permutations(range(systems))]
    x, y = np.triu_indices(systems, 1)
    shuffled = [[between(rows.kind, row, order, x, y) for order in orders] for row in rows.numbers]
    sums = (np.sum(chosen, axis=0) for chosen in product(*shuffled))
    return np.array([np.abs(total).max(initial=0) for total in sums], dtype=np.int64)


def between(kind: str, row: NDArray[Any], order: NDArray[np.int64], x: Any, y: Any) -> NDArray[np.int64]:
    """What one request says of every pair once its systems are shuffled."""
    if kind == "preferences":
        shuffled: NDArray[np.int64] = row[order[x], order[y]].astype(np.int64)
        return shuffled
    differences: NDArray[np.int64] = (row[order[x]] - row[order[y]]).astype(np.int64)
    return np.sign(-differences) if kind == "ranks" else differences


@dataclass(frozen=True)
class TukeyHSD(Test):
    """Tukey's HSD by the studentised range, blocked by request: what requests share is no noise. For metrics."""

    name: ClassVar[str] = "tukey"
    words: ClassVar[str] = "Tukey's HSD test, blocked by request"
    needs: ClassVar[int] = 2
    is_signed: ClassVar[bool] = False
    is_of_all_pairs: ClassVar[bool] = True

    def check(self, paired: Paired) -> None:
        super().check(paired)
        check_all_pairs(self.name, paired)
        if not paired.is_difference:
            raise InputError(
                "tukey is for metrics, whose values every run has by itself. Use hsd for preferences.", kind="choice"
            )

    def run(self, paired: Paired, alpha: float, jobs: int, tick: Tick | None) -> Outcome:
        from scipy.stats import studentized_range

        largest = float(np.abs(paired.by_run()).max(initial=0.0)) or 1.0
        values, n = paired.by_run() / largest, paired.n  # squares of tiny numbers would vanish
        size = len(paired.runs)
        freedom = (size - 1) * (n - 1)
        residual = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
        error = largest * np.sqrt((residual**2).sum() / freedom / n)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = np.where(paired.mean == 0, 0.0, np.abs(paired.mean) / error)
        p = np.ones(len(q))
        for k, value in enumerate(q.tolist()):
            if tick and k % 16 == 0:
                tick(k, len(q))
            p[k] = studentized_range.sf(value, size, freedom) if np.isfinite(value) else 0.0
        margin = studentized_range.ppf(1 - alpha, size, freedom) * error
        return Outcome(q, p, paired.mean - margin, paired.mean + margin)
