"""The items of every request that count, with their ranks and grades: what graded measures see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import decimal
from tiebreak.exact.held import Places
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import last_position
from tiebreak.projection import Positions
from tiebreak.projection.levels import distinct_vectors
from tiebreak.projection.primitives import UNRETRIEVED, Ranks

LARGEST_EXPONENT = 1000
"""Grades are exponents in some gains, and no larger than this."""


@dataclass(frozen=True, eq=False)
class GradedBlock:
    """Some requests of one size m: the ranks [run, request, m] of their items, and codes [request, m] of grades."""

    requests: Places
    ranks: Ranks
    grade: NDArray[np.int64]


class GradedEntries:
    """The items of every request that count, each with its rank in every run and a code for its grade."""

    def __init__(self, positions: Positions, rel: float | None) -> None:
        self.kept = positions.keep(is_relevant(positions.grade, rel))
        self.grades, self.code = np.unique(self.kept.grade, return_inverse=True)
        self.shape = len(positions.runs), len(positions.requests)

    def exact(self, worth: Callable[[Fraction], Fraction]) -> list[Fraction]:
        """What an item of each grade is worth."""
        return [worth(decimal(grade)) for grade in self.grades.tolist()]

    def blocks(self) -> Iterator[GradedBlock]:
        for bucket, (m, _, entries) in zip(self.kept.buckets(), self.kept.layout.blocks(), strict=True):
            code = self.code.ravel()[entries].reshape(-1, m)
            for block in bucket.blocks():
                yield GradedBlock(bucket.requests[block], bucket.p[:, block], code[block])

    @property
    def sizes(self) -> Places:
        """The number of items of every request."""
        sizes = np.zeros(self.shape[1], dtype=np.int64)
        sizes[self.kept.request_order] = self.kept.layout.sizes
        return sizes

    def is_zero(self, cutoff: int | None) -> NDArray[np.bool_]:
        """Where [run, request] no item is among the first."""
        is_zero = np.ones(self.shape, dtype=bool)
        for block in self.blocks():
            is_zero[:, block.requests] = block.ranks.min(axis=-1) > last_position(cutoff)
        return is_zero

    def cell(self, run: int, request: int) -> list[tuple[int, int]]:
        """Rank and grade, as a code, of the items of a request in a run, the best rank first."""
        entries = self.kept.layout.entries(request)
        return sorted(zip(self.kept.ranks[run, entries].tolist(), self.code.ravel()[entries].tolist(), strict=True))

    def labels(self, cutoff: int | None) -> Places:
        """Whole numbers [run, request], the same where items of the same grades are at the same ranks to a cutoff."""
        labels = np.full(self.shape, -1, dtype=np.int64)
        begin = 0
        for block in self.blocks():
            ranks = np.where(block.ranks <= last_position(cutoff), block.ranks, UNRETRIEVED)
            some = distinct_vectors(np.sort(block.grade * 2**32 + ranks, axis=-1))
            labels[:, block.requests] = begin + some
            begin += int(some.max(initial=-1)) + 1
        return labels
