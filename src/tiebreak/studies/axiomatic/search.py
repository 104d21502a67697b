"""Search for pairs that a measure orders against an axiom, or as an axiom asks for once, the smallest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from tiebreak.studies.axiomatic.measures import Measure
from tiebreak.studies.axiomatic.rankings import GRIDS, Pair, Ranking
from tiebreak.studies.axiomatic.requirements import Axiom

DEPTHS = (0, *(2**k for k in range(10)))
"""How many items stand above a suggested pair, at most 512."""


class Tried(NamedTuple):
    """All pairs that an axiom orders of the rankings that are tried, which are the same for all measures."""

    small: tuple[tuple[Pair, ...], ...]
    suggested: tuple[Pair, ...]
    drawn: tuple[Pair, ...]


class Finding(NamedTuple):
    """What was found: `pairs` were looked at, `pair` decides; None where nothing does."""

    holds: bool
    pairs: int
    pair: Pair | None


def tried(axiom: Axiom, drawn: Iterable[Ranking]) -> Tried:
    """What is looked at for an axiom, of rankings drawn and others."""
    return Tried(on_grids(axiom), ordered(axiom, axiom.suggested()), ordered(axiom, drawn))


@cache
def on_grids(axiom: Axiom) -> tuple[tuple[Pair, ...], ...]:
    """The pairs of every grid."""
    return tuple(ordered(axiom, grid.rankings()) for grid in GRIDS)


def ordered(axiom: Axiom, rankings: Iterable[Ranking]) -> tuple[Pair, ...]:
    """All pairs that an axiom orders."""
    return tuple(pair for ranking in rankings for pair in axiom.pairs(ranking))


def search(measure: Measure, axiom: Axiom, pairs: Tried) -> Finding:
    """Whether a measure respects an axiom on what was tried.

    Rankings of each length are tried before longer ones. What decides is the smallest of the first length where
    something does.
    """
    looked_at = 0
    for stage in stages(measure, axiom, pairs):
        looked_at += len(stage)
        deciding = [pair for pair in stage if decides(measure, axiom, pair)]
        if deciding:
            smallest = shrunk(measure, axiom, min(deciding, key=Pair.size))
            return Finding(axiom.is_existential, looked_at, smallest)
    return Finding(not axiom.is_existential, looked_at, None)


def decides(measure: Measure, axiom: Axiom, pair: Pair) -> bool:
    """Whether a pair is the one that was asked for, or else one that breaks the axiom; a tie breaks it."""
    return (measure.sign(pair) > 0) == axiom.is_existential


def stages(measure: Measure, axiom: Axiom, pairs: Tried) -> Iterator[tuple[Pair, ...]]:
    """Pairs by length as far as all are tried, then those that were suggested or drawn.

    Where one pair is asked for, what is suggested says most and comes first.
    """
    if axiom.is_existential:
        yield pairs.suggested
    yield from pairs.small
    yield pairs.drawn if axiom.is_existential else (*pairs.drawn, *at_depths(measure, axiom, pairs.suggested))


def at_depths(measure: Measure, axiom: Axiom, suggested: tuple[Pair, ...]) -> Iterator[Pair]:
    """Suggested pairs below more and more other items; where one breaks the axiom, it does at the least such depth."""
    for pair in suggested:
        for depth in DEPTHS:
            below = pair.below(depth)
            if decides(measure, axiom, below):
                yield pair.below(least_depth(measure, axiom, pair, depth // 2, depth))
                break
            yield below


def least_depth(measure: Measure, axiom: Axiom, pair: Pair, low: int, high: int) -> int:
    """The least depth at which a pair breaks the axiom that it does not break at the low one, but at the high one."""
    while high - low > 1:
        middle = (low + high) // 2
        if decides(measure, axiom, pair.below(middle)):
            high = middle
        else:
            low = middle
    return high


def shrunk(measure: Measure, axiom: Axiom, pair: Pair) -> Pair:
    """The same with items left out as long as it still decides."""
    while True:
        fewer = [less for less in without_one_item(axiom, pair) if decides(measure, axiom, less)]
        if not fewer:
            return pair
        pair = min(fewer, key=Pair.size)


def without_one_item(axiom: Axiom, pair: Pair) -> Iterator[Pair]:
    """What the axiom orders of either ranking without one of its items."""
    if len(pair.better) > MOST_SHRUNK:
        return
    for items in (pair.better, pair.worse):
        for k in range(len(items)):
            yield from axiom.pairs(Ranking(items[:k] + items[k + 1 :], pair.interest))


MOST_SHRUNK = 12
"""Longer rankings are of a suggested pair, at its least depth."""
