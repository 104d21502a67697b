"""What the randomised Tukey HSD shuffles, as whole numbers: values or ranks of runs, or matrices of preferences."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.shuffles import SUMS, TOGETHER
from tiebreak._kernels.shuffles import permutations as random_orders
from tiebreak.exact.held import Places
from tiebreak.exact.sums import whole_units
from tiebreak.preferences import Pairs, PairValues, pair_totals
from tiebreak.preferences.pair_values import NUMBERS_AT_ONCE
from tiebreak.significance.base import against_first, ranks_by_wins
from tiebreak.significance.whole_numbers import INTEGER_SUMS, Whole, over_one_denominator, whole_numbers


class ShuffleInput(NamedTuple):
    """What is shuffled, as whole numbers of a unit: a row or matrix per request, and the observed sum of every pair.

    Comparisons within `slack` of the observed sum are undecided; it is 0 without rounding.
    """

    kind: str
    numbers: NDArray[Any]
    observed: NDArray[Any]
    unit: Fraction
    slack: int = 0

    @property
    def n_systems(self) -> int:
        return int(self.numbers.shape[1])


class HeldRows(NamedTuple):
    """What is shuffled of all requests, the values by name that decide it exactly, and all pairs."""

    values: PairValues
    rows: ShuffleInput
    pairs: Pairs

    def exactly(self) -> tuple[ShuffleInput, Places]:
        """The same as whole numbers of any size, of the requests in which runs differ; and these."""
        requests = np.flatnonzero(self.values.values.any(axis=0))
        rows = exact_rows(self.values, self.rows.kind, requests)
        return with_pairs(rows, self.pairs) if rows.kind == "values" else rows, requests


def shuffle_rows(paired: PairValues) -> ShuffleInput:
    """Values of runs for a difference, ranks where every request orders the runs, else matrices of preferences."""
    if paired.is_difference:
        common = None if paired.by_run is None else over_one_denominator(paired.by_run, INTEGER_SUMS)
        if common is not None:
            return value_rows(paired, common[0] - common[0][0], Fraction(1, common[1]))
        whole = whole_numbers(against_first(paired, paired.values), None, INTEGER_SUMS, one_unit=True)
        return rounded_rows(paired, whole)
    ranks = ranks_by_wins(paired) if paired.is_sign else None
    if ranks is not None:
        return rank_rows(paired, ranks)
    denominator = paired.denominator if paired.exact is None else None
    return preference_rows(paired, whole_numbers(paired.values, denominator, INTEGER_SUMS, one_unit=True))


def held_rows(paired: PairValues) -> HeldRows | None:
    """What is shuffled of values in any order; None where matrices of preferences are too many to hold.

    Of differences those from the first run tell all.
    """
    pairs = paired.pairs_by_name
    if paired.is_difference:
        first = paired.runs.index(min(paired.runs))
        few = paired.take_pairs(np.flatnonzero((paired.pairs.x == first) | (paired.pairs.y == first))).by_name()
        return HeldRows(few, with_pairs(shuffle_rows(few), pairs), pairs)
    if paired.numerator.size <= pair_totals.CELLS_AT_ONCE:
        paired = paired.by_name()
        return HeldRows(paired, shuffle_rows(paired), pairs)
    ranks = ranks_by_name(paired) if paired.is_sign else None
    return None if ranks is None else HeldRows(paired, rank_rows(paired, ranks), pairs)


def ranks_by_name(paired: PairValues) -> NDArray[np.int32] | None:
    """`ranks_by_wins` of values in any order, of some requests at a time."""
    parts = []
    for places in pair_totals.blocks(paired, np.argsort(paired.requests.places_in_order)):
        ranks = ranks_by_wins(paired.take_requests(places).sort_by_name())
        if ranks is None:
            return None
        parts.append(ranks)
    return np.concatenate(parts)


def value_rows(paired: PairValues, numbers: NDArray[Any], unit: Fraction, slack: int = 0) -> ShuffleInput:
    """Whole numbers [run, request] as they are shuffled."""
    sums = numbers.sum(axis=1)
    observed = sums[paired.pairs.x] - sums[paired.pairs.y]
    return ShuffleInput("values", np.ascontiguousarray(numbers.T), observed, unit, slack)


def with_pairs(rows: ShuffleInput, pairs: Pairs) -> ShuffleInput:
    """Values of runs with the observed sums of these pairs."""
    sums = rows.numbers.sum(axis=0)
    return rows._replace(observed=sums[pairs.x] - sums[pairs.y])


def rounded_rows(paired: PairValues, whole: Whole) -> ShuffleInput:
    """Whole numbers of runs less the first, of which differences are off by two roundings."""
    return value_rows(paired, whole.numbers, whole.one_unit, 2 * int(whole.slack.max()))


def rank_rows(paired: PairValues, ranks: NDArray[np.int32]) -> ShuffleInput:
    """Ranks [request, run] whose signs are the values."""
    wins, _, losses = paired.win_tie_loss.T
    return ShuffleInput("ranks", ranks, wins - losses, Fraction(1))


def preference_rows(paired: PairValues, whole: Whole) -> ShuffleInput:
    """Matrices of preferences as they are shuffled, made of some requests at a time."""
    largest = max(-int(whole.numbers.min(initial=0)), int(whole.numbers.max(initial=0)))
    size, n = len(paired.runs), paired.n_requests
    matrices = np.empty((n, size, size), dtype=np.int32 if largest < 2**31 else np.int64)
    step = max(1, NUMBERS_AT_ONCE // size**2)
    for begin in range(0, n, step):
        block = slice(begin, begin + step)
        matrices[block] = paired.square(whole.numbers[:, block].T)
    return ShuffleInput("preferences", matrices, whole.numbers.sum(axis=1), whole.one_unit, int(whole.slack.max()))


def exact_rows(paired: PairValues, kind: str, requests: Places) -> ShuffleInput:
    """Whole numbers of any size, as objects, of some requests; `slack` is 0, or what 60 digits leave undecided."""
    is_needed = (paired.pairs.x == 0) | (paired.pairs.y == 0) | (kind != "values")
    needed = np.flatnonzero(is_needed).tolist()
    exact = [number for pair in needed for number in paired.exact_values(pair, requests)]
    whole = whole_units(exact, paired.is_rational)
    numbers = np.zeros((len(paired.pairs), len(requests)), dtype=object)
    numbers[needed] = np.array(whole.numbers, dtype=object).reshape(len(needed), len(requests))
    if kind == "values":
        return value_rows(paired, against_first(paired, numbers), whole.unit, whole.same)
    return ShuffleInput(kind, paired.square(numbers.T), numbers.sum(axis=1), whole.unit, whole.same)


def shuffle_some(rows: ShuffleInput, places: Places, seed: int, shuffles: Places) -> NDArray[Any]:
    """The sums [shuffle, run or pair] of some of the random shuffles, of requests with these places by name."""
    sums = []
    for begin in range(0, len(shuffles), TOGETHER):
        some = shuffles[begin : begin + TOGETHER].astype(np.uint64)
        orders = (random_orders(rows.n_systems, seed, some, place) for place in places.tolist())
        sums.append(SUMS[rows.kind](rows.numbers, orders))
    return np.concatenate(sums)
