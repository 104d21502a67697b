"""Places of position vectors in the total orders of lexirecall and lexiprecision: an interval scale (LP 6).

Of the C(n, m) ways to place m relevant items among n, neighbours in the order are one step apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import ClassVar

from tiebreak.exact import ExactValues, Number
from tiebreak.metrics.base import Metric, Traits, check_corpus_size
from tiebreak.metrics.lexicographic import positions_in_corpus
from tiebreak.projection import Positions

Steps = Iterator[tuple[int, int]]
"""How many vectors a recall level places below, and more than all further levels can add."""
BITS = 120
"""Levels that cannot change the first bits of an index are left out of estimates."""


def lexiprecision_index(p: Sequence[int | None], n: int) -> int:
    r"""How many of the C(n, m) position vectors lexiprecision ranks below p (LP 6).

    .. math:: \sum_{i=1}^m \binom{n - p_i}{m - i + 1}

    Those that agree with p up to level i - 1 and have the next item further down choose m - i + 1 of the n - p_i
    positions after it. Unretrieved items, None, are at the end of the corpus.

    Examples
    --------
    >>> [lexiprecision_index(p, 4) for p in ([3, 4], [2, 4], [2, 3], [1, 4], [1, 3], [1, 2])]
    [0, 1, 2, 3, 4, 5]
    """
    return sum(term for term, _ in precision_steps(all_positions(p, n), n))


def lexirecall_index(p: Sequence[int | None], n: int) -> int:
    r"""How many of the C(n, m) position vectors lexirecall ranks below p (LP 6, for LR).

    .. math:: \sum_{i=1}^m \binom{p_{i+1} - 1}{i} - \binom{p_i}{i}, \qquad p_{m+1} = n + 1

    Those that agree with p from level i + 1 on choose i positions before :math:`p_{i+1}`, not all of them up to
    :math:`p_i`. Unretrieved items, None, are at the end of the corpus.

    Examples
    --------
    >>> [lexirecall_index(p, 4) for p in ([3, 4], [2, 4], [1, 4], [2, 3], [1, 3], [1, 2])]
    [0, 1, 2, 3, 4, 5]
    """
    return sum(term for term, _ in recall_steps(all_positions(p, n), n))


def all_positions(p: Sequence[int | None], n: int) -> list[int]:
    """The positions, with unretrieved items at the end of the corpus."""
    retrieved = positions_in_corpus(p, n)
    return [*retrieved, *range(n - len(p) + len(retrieved) + 1, n + 1)]


def precision_steps(p: list[int], n: int) -> Steps:
    """From the first level down."""
    m = len(p)
    for i, k in enumerate(p, start=1):
        yield comb(n - k, m - i + 1), comb(n - k, m - i)


def recall_steps(p: list[int], n: int) -> Steps:
    """From the last level up."""
    above = n + 1
    for i, k in zip(range(len(p), 0, -1), reversed(p), strict=True):
        yield comb(above - 1, i) - comb(k, i), comb(k - 1, i - 1)
        above = k


@dataclass(frozen=True)
class IndexMetric(Metric):
    """The index of a position vector as a share of the best one's, C(n, m) - 1; of a single vector it is 1.

    Parameters
    ----------
    n : int
        Number of items in the corpus; unretrieved items are at its end.
    """

    n: int = 0
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_corpus_size(self.n, self.name)

    def steps(self, p: list[int]) -> Steps:
        raise NotImplementedError

    def values(self, positions: Positions) -> ExactValues:
        levels = positions.levels(self.rel).pessimistic(self.n)
        rows: list[list[Number]] = [[Number(Fraction(0))] * len(levels.requests) for _ in levels.runs]
        for bucket in levels.buckets():
            shares: dict[tuple[int, ...], Number] = {}
            for run, vectors in enumerate(bucket.p.tolist()):
                for request, p in zip(bucket.requests.tolist(), vectors, strict=True):
                    if tuple(p) not in shares:
                        shares[tuple(p)] = self.share(p)
                    rows[run][request] = shares[tuple(p)]
        return ExactValues.from_numbers(rows).where(levels.sizes > 0)

    def share(self, p: list[int]) -> Number:
        """By as many levels as are needed to know it well; all for the exact value."""
        best = comb(self.n, len(p)) - 1
        if not best:
            return Number(Fraction(1))

        def exactly() -> Fraction:
            return Fraction(sum(term for term, _ in self.steps(p)), best)

        index = 0
        for term, rest in self.steps(p):
            index += term
            if rest << BITS < index:
                return Number(Fraction(index, best), Fraction(rest, best), exactly)
        return Number(Fraction(index, best))


class LexiPrecisionIndex(IndexMetric):
    r"""Place among all position vectors in the order of lexiprecision, from 0 to 1: a candidate interval scale (LP 6).

    .. math:: \frac{1}{\binom{n}{m} - 1} \sum_{i=1}^m \binom{n - p_i}{m - i + 1}

    The number of the C(n, m) vectors that are worse, as a share of all others: neighbours in the order are one step
    apart (Ferrante et al. 2021). Values are exact, and order rankings as the preference does. The number itself is
    `lexiprecision_index`. Of a large corpus nearly all vectors are worse than those of any system, which differ late in
    their digits.

    Examples
    --------
    >>> LexiPrecisionIndex(n=4).evaluate(tb.positions([[2, 3], [1, None]])).tolist()      # 2 and 3 of 5 others
    [[0.4], [0.6]]
    """

    name: ClassVar[str] = "LP_index"

    def steps(self, p: list[int]) -> Steps:
        return precision_steps(p, self.n)


class LexiRecallIndex(IndexMetric):
    r"""Place among all position vectors in the order of lexirecall, from 0 to 1: a candidate interval scale (LP 6, LR).

    .. math:: \frac{1}{\binom{n}{m} - 1} \sum_{i=1}^m \binom{p_{i+1} - 1}{i} - \binom{p_i}{i}, \qquad p_{m+1} = n + 1

    The number of the C(n, m) vectors that are worse, as a share of all others: neighbours in the order are one step
    apart (Ferrante et al. 2021). Values are exact, and order rankings as the preference does. The number itself is
    `lexirecall_index`. One item that is not retrieved makes nearly all vectors of a large corpus better.

    Examples
    --------
    >>> LexiRecallIndex(n=4).evaluate(tb.positions([[2, 3], [1, None]])).tolist()      # 3 and 2 of 5 others
    [[0.6], [0.4]]
    """

    name: ClassVar[str] = "LR_index"

    def steps(self, p: list[int]) -> Steps:
        return recall_steps(p, self.n)
