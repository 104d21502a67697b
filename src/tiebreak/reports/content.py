"""What a page says: every number of it, computed by the library before anything is written."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from tiebreak.comparison import Comparison
from tiebreak.inputs import Ids
from tiebreak.inputs.attributes import group_places
from tiebreak.reports.answers import Claims
from tiebreak.reports.details import deciding_requests
from tiebreak.reports.leaders import Leader, run_letters
from tiebreak.reports.pair_numbers import PairNumbers
from tiebreak.results.overview import Overview
from tiebreak.results.record import Result
from tiebreak.results.utility_overview import UtilityOverview
from tiebreak.significance import unless_too_few

MOST_VALUES = 1_000_000
"""Pairs of runs times requests that are compared by one measure: more take long, and much memory."""
LARGE = 100_000
"""Pairs times requests of a comparison whose memory is wanted back."""
MOST_PAIRED = 40
"""Runs whose pairs are in a page."""
MOST_DECIDING, DECIDING_IN_ALL = 10, 30_000
"""Deciding requests of a pair for each of its runs, and those of all pairs and measures together."""
MOST_GROUPS = 12
"""Groups of requests with a column in the leaderboard."""


@dataclass(frozen=True, eq=False)
class MeasureContent:
    """What one measure says of all runs.

    Attributes
    ----------
    name, about : str
        As it was asked for, and what it is in a line.
    kind : str
        ``"metric"`` or ``"preference"``.
    better : str
        ``"higher"`` or ``"lower"``.
    leaders : list of Leader
    numbers : PairNumbers, optional
        Of all pairs that were compared; None of measures that do not say which run is better.
    deciding : dict
        The requests that decide the pairs in the page, by the places of their runs.
    """

    name: str
    about: str
    kind: str
    better: str
    leaders: list[Leader]
    numbers: PairNumbers | None = None
    deciding: Mapping[tuple[int, int], list[tuple[str, float]]] = field(default_factory=dict)


Compare: TypeAlias = Callable[[str], Comparison | None]
"""Compares runs by a measure."""
Describe: TypeAlias = Callable[[str, Comparison | None, Mapping[str, str]], MeasureContent]
"""A measure, its comparison, and letters of runs -> what it says without pairs."""


@dataclass(frozen=True, eq=False)
class Content:
    """What a page says of some runs.

    Attributes
    ----------
    runs : tuple of str
        All of them, in the order of the input.
    paired : list of int
        The places of runs whose pairs are in the page.
    groups : dict
        Groups of requests in the leaderboard, with the number of requests of each.
    n_groups : int
        How many groups there are.
    measures : list of MeasureContent
    claims : Claims, optional
        What the first sentences may say; None where there is one run.
    audit : Overview or UtilityOverview
        What was read, and what was odd.
    served : dict
        The sorted utilities of every run, and its worst requests.
    orders : list of Result
        Orders by average and worst case.
    curve, details : optional
        Preferences by recall level [pair of `paired`, level], and positions of items in some requests.
    group_table, diversity : list of Result
    inputs : dict
        What was read, by what it was read for: the path of a file, or None of objects in memory.
    settings : dict
    is_of_rankings : bool
        False of a table of utilities.
    command : str
        What makes the page again.
    """

    title: str
    subtitle: str
    runs: tuple[str, ...]
    paired: list[int]
    groups: Mapping[str, int]
    n_groups: int
    measures: list[MeasureContent]
    claims: Claims | None
    audit: Overview | UtilityOverview
    served: dict[str, Any]
    orders: list[Result]
    group_table: list[Result]
    diversity: list[Result]
    inputs: Mapping[str, str | None]
    settings: Mapping[str, Any]
    curve: Any = None
    details: Mapping[str, Any] | None = None
    is_of_rankings: bool = True
    command: str = ""


def most_compared(n_requests: int) -> int:
    """How many runs can be compared in all pairs: at least two.

    Examples
    --------
    >>> most_compared(250), most_compared(100_000), most_compared(10**9)      # 10 pairs of 5 runs x 100,000
    (89, 5, 2)
    """
    pairs = MOST_VALUES // max(n_requests, 1)
    return max(int((1 + np.sqrt(1 + 8 * pairs)) / 2), 2)


def first_runs(order: Iterable[int], most: int) -> list[int]:
    """The first places of an order, in the order of the input."""
    return sorted([*order][:most])


def largest_groups(requests: Ids, group_by_request: Mapping[str, str] | None) -> dict[str, int]:
    """The largest groups of requests with their sizes, in the order of the input."""
    if group_by_request is None:
        return {}
    sizes = {group: len(places) for group, places in group_places(requests, group_by_request).items()}
    largest = sorted(sizes, key=lambda group: -sizes[group])[:MOST_GROUPS]
    return {group: size for group, size in sizes.items() if group in largest}


def build_measures(
    names: Sequence[str], run_places: Sequence[int], compare: Compare, describe: Describe
) -> tuple[list[MeasureContent], list[int]]:
    """What all measures say, one after the other, and the places of runs whose pairs are in the page.

    Parameters
    ----------
    names : sequence of str
        By the first one the runs are chosen whose pairs are in the page.
    run_places : sequence of int
        The places of the runs that are compared.
    compare : callable
        Compares them by a measure; None where it does not say which run is better.
    describe : callable
        A measure, its comparison and the letters of runs -> what it says without pairs.
    """
    measures: list[MeasureContent] = []
    paired: list[int] = []
    for name in names:
        one = build_measure(name, len(names), run_places, paired, compare, describe)
        measures.append(one)
        if one.numbers is not None and len(one.numbers.mean) * one.numbers.n_requests > LARGE:
            gc.collect()  # a comparison and its ballots refer to each other
    return measures, paired


def build_measure(
    name: str, n_measures: int, run_places: Sequence[int], paired: list[int], compare: Compare, describe: Describe
) -> MeasureContent:
    """What one measure says; the first one that compares runs chooses those whose pairs are in the page."""
    comparison = compare(name)
    if comparison is None:
        return describe(name, None, {})
    test = unless_too_few(comparison.test)
    numbers = PairNumbers.from_comparison(comparison, test)
    if not paired:
        paired += first_runs((run_places[k] for k in numbers.order.tolist()), MOST_PAIRED)
    deciding = deciding_by_pair(comparison, run_places, paired, deciding_per_run(len(paired), n_measures))
    return replace(describe(name, comparison, run_letters(test)), numbers=numbers, deciding=deciding)


def deciding_by_pair(
    comparison: Comparison, run_places: Sequence[int], paired: Sequence[int], most: int
) -> dict[tuple[int, int], list[tuple[str, float]]]:
    """The deciding requests of every pair in the page, by the places of its runs."""
    pairs = zip(comparison.pairs.x.tolist(), comparison.pairs.y.tolist(), strict=True)
    places = ((run_places[x], run_places[y]) for x, y in pairs)
    return {pair: deciding_requests(comparison, k, most) for k, pair in enumerate(places) if {*pair} <= {*paired}}


def deciding_per_run(n_runs: int, n_measures: int) -> int:
    """How many deciding requests of a pair are in the page for each of its runs.

    Examples
    --------
    >>> deciding_per_run(7, 6), deciding_per_run(40, 6)      # 30,000 / (2 x 780 pairs x 6)
    (10, 3)
    """
    pairs = n_runs * (n_runs - 1) // 2
    return min(max(DECIDING_IN_ALL // max(2 * pairs * n_measures, 1), 1), MOST_DECIDING)
