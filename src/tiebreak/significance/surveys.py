"""What tests by random draws find out about all requests before they draw from blocks of them.

Draws belong to the numbers of requests in the order of names, and sums are of whole numbers of one unit: both need all
requests. Then every block is visited by itself, and sums add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.inputs import Ids
from tiebreak.inputs.ids import offsets
from tiebreak.preferences import PairValues
from tiebreak.preferences.pair_totals import PairTotals
from tiebreak.preferences.pair_values import largest_sizes, narrow
from tiebreak.projection.primitives import Floats
from tiebreak.significance.base import ranks_by_wins
from tiebreak.significance.whole_numbers import common_denominator, exact_by_float, numerators

MOST_NUMBERED = 1 << 24
"""Requests whose ids are held to number them in the order of names: some 2 GB."""


class Findings(NamedTuple):
    """What is known of the values of several blocks."""

    requests: list[Ids]  # of every block, in the order of names, if they are asked for
    n_requests: int
    largest: Floats  # the size of the largest value: [pair, 1]
    untied: Places  # [pair]
    denominators: frozenset[int]  # of quotients
    common: int  # the common denominator of what values are differences of; 0 where there is none
    largest_of_runs: float
    is_ranked: bool  # in every request values are signs of differences between ranks

    def run_denominator(self, below: int, n: int | None = None) -> int:
        """The common denominator, if sums of n differences, by default of all, stay below a bound; else 0."""
        most = 2 * (self.n_requests if n is None else n) * (1 + int(self.largest_of_runs))
        return self.common if self.common * most < below else 0


@dataclass(frozen=True)
class Survey:
    """Finds out what values are like, for whole numbers whose sums stay below a bound."""

    below: int
    is_sign: bool = False
    has_names: bool = True

    def reduce(self, values: PairValues) -> Findings:
        by_run = values.by_run
        return Findings(
            [values.requests.take(np.argsort(values.requests.places_in_order))] if self.has_names else [],
            values.n_requests,
            largest_sizes(values.values),
            np.count_nonzero(values.values, axis=1),
            frozenset(np.unique(values.denominator).tolist() if values.exact is None else ()),
            0 if by_run is None else self.table_denominator(by_run),
            0.0 if by_run is None else float(np.abs(by_run.nearest).max(initial=0.0)),
            self.is_sign and ranks_by_wins(values) is not None,
        )

    def table_denominator(self, table: ExactValues) -> int:
        """The common denominator of few different values; 0 where there are many, or it is too large."""
        known = exact_by_float(table)
        return 0 if known is None else self.limit(common_denominator(known[0]))

    def limit(self, denominator: int) -> int:
        """The denominator itself, or 0 where it is too large."""
        return denominator if denominator < self.below else 0

    def add(self, states: Sequence[Findings]) -> Findings:
        requests, n_requests, largest, untied, denominators, common, of_runs, is_ranked = zip(*states, strict=True)
        return Findings(
            [ids for block in requests for ids in block],
            sum(n_requests),
            np.maximum.reduce(largest),
            np.sum(untied, axis=0),
            frozenset().union(*denominators),
            self.limit(lcm(*common)),  # 0 where one of them is
            max(of_runs),
            all(is_ranked),
        )


def survey(totals: PairTotals, below: int, is_sign: bool = False, has_names: bool = True) -> Findings:
    """What is known of all values, unless there are too many requests to number."""
    is_held = totals.visit.is_held  # so are their names
    if has_names and totals.n_requests > MOST_NUMBERED and not is_held:
        raise InputError(
            f"random draws belong to the names of requests, which are sorted here: at most {MOST_NUMBERED:,}, and "
            f"there are {totals.n_requests:,}. Take a sample of the requests, or a t-test.",
            kind="size",
        )
    findings: Findings = totals.visit.run(Survey(below, is_sign, has_names))
    return findings


@dataclass(frozen=True)
class Numbering:
    """The number of every request in the order of all names, by the first request of its block."""

    blocks: dict[str, tuple[int, NDArray[Any]]]  # its number, and the steps from one to the next

    @classmethod
    def from_blocks(cls, blocks: Sequence[Ids]) -> Numbering:
        """Of the requests of every block, each in the order of names."""
        blocks = [ids for ids in blocks if len(ids)]
        bounds = offsets([*map(len, blocks)])
        places = np.split(Ids.concatenate(blocks).places_in_order, bounds[1:-1])
        return cls({ids[0]: (int(p[0]), narrow(np.diff(p))) for ids, p in zip(blocks, places, strict=True)})

    def __call__(self, requests: Ids) -> Places:
        """The numbers of the requests of a block, in the order of names."""
        if not len(requests):
            return np.zeros(0, dtype=np.int64)
        first, steps = self.blocks[requests[0]]
        assert len(steps) + 1 == len(requests), "a block has the requests that it had before"
        return first + offsets(steps)


def run_numerators(table: ExactValues, common: int) -> Places:
    """Values that are told apart by their floats over a common denominator: [run, request]."""
    known = exact_by_float(table)
    assert known is not None, "the survey found a common denominator"
    exact, which = known
    return numerators(exact, common)[which]


class DrawSums(NamedTuple):
    """Sums of all requests: observed ones, and those of draws."""

    observed: NDArray[Any]
    sums: NDArray[Any]

    @classmethod
    def add(cls, states: Sequence[DrawSums]) -> DrawSums:
        return cls(*(sum(parts[1:], parts[0]) for parts in zip(*states, strict=True)))
