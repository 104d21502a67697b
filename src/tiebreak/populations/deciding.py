"""What decides between two runs: the first place at which their sorted utilities differ (PE 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.inputs import Ids
from tiebreak.inputs.counted_utilities import CountedUtilities
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.aggregations import Maximum, Minimum
from tiebreak.populations.base import Population
from tiebreak.populations.lexicographic import Block, Lexicographic, Leximax, SmoothedLeximin, first_difference

DECIDED_BY_PLACE = (Lexicographic, Minimum, Maximum)


class Decision(NamedTuple):
    """The place that decides between two runs, 1 being the worst; which request of each is there, and its utility.

    Of a window of several requests, the first place and the sums; no request alone decides.
    """

    place: int
    request: str | None
    value: float
    other_request: str | None
    other_value: float


def deciding_places(
    population: Population, table: UtilityTable, pairs: Iterable[tuple[int, int]]
) -> Iterator[Decision | None]:
    """What decides between the runs of every pair; None where they tie, and where a number of all requests decides."""
    compared = sorted_places(population, table)
    if compared is None:
        yield from (None for _ in pairs)
        return
    width, block = compared
    codes = None if isinstance(table, CountedUtilities) else table.codes()
    lag = population.lag if isinstance(population, SmoothedLeximin) else 1
    for pair in pairs:
        index, sign = first_difference(*pair, width, block)
        if sign == 0:
            yield None
        elif lag > 1:
            a, b = (float(block(run, index, index + 1)[0]) for run in pair)
            yield Decision(index + 1, None, a, None, b)
        else:
            if isinstance(population, Lexicographic) and isinstance(table, CountedUtilities):
                index = first_place(population.sorted_counts(table)[:, list(pair)], index)
            place = len(table.requests) - 1 - index if isinstance(population, Leximax | Maximum) else index
            yield Decision(place + 1, *(part for run in pair for part in at_place(table, codes, run, place)))  # type: ignore[arg-type]


def sorted_places(population: Population, table: UtilityTable) -> tuple[int, Block] | None:
    """How many places are compared, and blocks of them; None where no place decides alone."""
    if isinstance(population, Lexicographic):
        return population.sorted_blocks(table)
    if isinstance(population, Minimum | Maximum):
        place = 0 if isinstance(population, Minimum) else len(table.requests) - 1
        ends = [sample.item(place) for sample in table.samples(by_place=True)]
        return 1, lambda run, begin, end: (ends[run],)
    return None


def first_place(counts: NDArray[np.int64], index: int) -> int:
    """The first place at which two runs differ, given how often they have each value, and the first such number."""
    return int(counts[:index, 0].sum() + counts[index].min())


def at_place(table: UtilityTable, codes: NDArray[Any] | None, run: int, place: int) -> tuple[str | None, float]:
    """The request at a place of the increasing order of a run, from 0, if it is known; and its utility."""
    if isinstance(table, CountedUtilities):
        return None, table.value_at(run, place)
    assert codes is not None
    request = request_at(place, codes[run], table.requests)
    return table.requests[request], float(table.values[run, request])


def request_at(place: int, codes: NDArray[Any], requests: Ids) -> int:
    """The request at a place of the increasing order, from 0; equal ones stand in the order of their names."""
    code = np.partition(codes, place)[place]
    equal = np.flatnonzero(codes == code)
    if len(equal) == 1:
        return int(equal[0])
    rank = place - int(np.count_nonzero(codes < code))
    return int(equal[np.argsort(requests.places_in_order[equal])[rank]])
