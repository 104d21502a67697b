"""Is a population of one run better than that of another by more than chance: a test that swaps runs in requests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.tolerance import TOLERANCE
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Aggregation, Population
from tiebreak.populations.lexicographic import Leximax, Leximin
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import draw_pvalues
from tiebreak.significance.permutation import random_bits

DRAWS = 2_000
DRAWS_AT_ONCE = 512
SWAPS = "a randomisation test that swaps the two runs in random requests"


def swap_test(
    population: Population, table: UtilityTable, draws: int = DRAWS, seed: int = 0, tick: Tick | None = None
) -> tuple[float, float]:
    """By how much the first of two runs is better, and the two-sided p-value.

    If a release changes nothing, the two utilities of a request could as well be those of the other run. So the
    difference of the population is compared with that after swapping the runs in every request with probability 1/2;
    p is the share of draws with a difference at least as large, the observed one included.

    The difference of leximin is that of the first of the sorted utilities in which the two runs differ; the earlier
    that one is, the larger it counts, whatever its size.
    """
    check_can_be_swapped(population)
    population.check(table)
    by_name = np.argsort(table.requests.places_in_order)
    part = table.take(by_name)
    numbers = part.numbers
    codes = numbers.codes()
    level = np.zeros(codes.max() + 1)
    level[codes] = numbers.nearest
    requests = np.arange(codes.shape[1], dtype=np.uint64)[:, None]
    (observed,), (weight,) = differences(population, codes[:1], codes[1:], level)
    reached = 0
    for begin in range(0, draws, DRAWS_AT_ONCE):
        if tick:
            tick(begin, draws)
        some = range(begin, min(begin + DRAWS_AT_ONCE, draws))
        is_swapped = random_bits(seed, some, requests).T.astype(bool)
        first, second = np.where(is_swapped, codes[1], codes[0]), np.where(is_swapped, codes[0], codes[1])
        values, weights = differences(population, first, second, level)
        is_as_large = (weights == weight) & (np.abs(values) >= abs(observed) * (1 - TOLERANCE))
        reached += int(np.count_nonzero((weights > weight) | is_as_large))
    return float(observed), float(draw_pvalues(reached, draws))


def check_can_be_swapped(population: Population) -> None:
    """Raise an error for populations without a difference of two runs."""
    is_plain = isinstance(population, Leximin | Leximax) and population.digits is None
    if not (is_plain or isinstance(population, Aggregation)):
        raise InputError(
            f"{population} has no test of two runs. Use leximin, cvar, gmean or another that is a number of one run.",
            kind="spec",
        )


def differences(
    population: Population, x: NDArray[np.int64], y: NDArray[np.int64], level: Floats
) -> tuple[Floats, Floats]:
    """The differences of a population [draw] between utilities [draw, request], given by their places in `level`.

    And what counts before their sizes: of leximin how early it is decided, 0 where the runs tie.
    """
    if isinstance(population, Leximin | Leximax):
        first, second = (np.sort(codes, axis=1)[:, :: population.direction] for codes in (x, y))
        is_different = first != second
        where = is_different.argmax(axis=1)[:, None]  # the first place where they differ; 0 where none does
        a, b = (level[np.take_along_axis(codes, where, axis=1)[:, 0]] for codes in (first, second))
        return np.asarray(a - b), np.where(is_different.any(axis=1), x.shape[1] - where[:, 0], 0.0)
    assert isinstance(population, Aggregation)
    sign = -1 if population.lower_is_better else 1
    # No order of requests matters to a number of one run; of few requests, or few values, many draws are the same.
    distinct, place = np.unique(np.sort(np.concatenate([x, y]), axis=1), axis=0, return_inverse=True)
    values = np.array([float(population.value(Sample.from_floats(level[codes]))) for codes in distinct])
    first, second = values[place.reshape(2, -1)]
    return sign * (first - second), np.zeros(len(x))
