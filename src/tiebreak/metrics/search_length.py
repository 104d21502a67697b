"""Search lengths: how far a user must go (RPP 3.1, LR 3.2). Lower is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import Metric, Traits, quotients
from tiebreak.projection import Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import UNRETRIEVED, Ranks

UNION = "union"


@dataclass(frozen=True)
class SearchLength(Metric):
    """A function of raw positions, so unretrieved items must be imputed from the corpus size.

    Parameters
    ----------
    n : int or "union", optional
        Number of items in the corpus; or, per request, of those that any run retrieves or that are relevant.
    """

    n: int | str | None = None
    traits: ClassVar[Traits] = Traits(low=0.0, high=float("inf"), lower_is_better=True, cutoff="no")
    deepest_level: ClassVar[int] = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is not None and self.n != UNION:
            check_count(self.n, f"{self.name}: n", or_else="'union'")

    @property
    def needs(self) -> Needs:
        return Needs(pool=self.n == UNION)

    def length(self, p: Ranks) -> NDArray[np.int64]:
        """Whole numbers [run, request] of ``p[run, request, m]``, which are divided."""
        raise NotImplementedError

    def denominator(self, m: int) -> int:
        """By what the length of requests with m relevant items is divided."""
        return 1

    def values(self, positions: Positions) -> ExactValues:
        levels = positions.levels(self.rel)
        if self.n is not None:
            levels = levels.pessimistic(union_sizes(positions, self.rel) if self.n == UNION else self.n)
        return quotients(levels, self.finite_length, self.denominator)

    def finite_length(self, p: Ranks) -> NDArray[np.int64]:
        if (p[..., self.deepest_level] == UNRETRIEVED).any():
            raise InputError(
                f"{self.name} needs positions of unretrieved items. Give the number of items in the corpus, "
                f"such as {self.name}(n=1000000), or {self.name}(n='union').",
                kind="corpus_size",
            )
        return self.length(p)


def union_sizes(positions: Positions, rel: float | None) -> NDArray[np.int64]:
    """Per request, the number of items that any run retrieves or that are relevant (RPP 5)."""
    if positions.pool is None:
        raise InputError("n='union' needs the items of all runs counted. Project with pool=True.", kind="pool")
    relevant = is_relevant(positions.grade, positions.min_grade if rel is None else rel)
    nowhere = relevant & (positions.ranks == UNRETRIEVED).all(axis=0)
    return positions.pool + np.bincount(positions.layout.request[nowhere], minlength=len(positions.pool))


class InitialSearchLength(SearchLength):
    r"""Position of the first relevant item, :math:`p_1`.

    Examples
    --------
    >>> InitialSearchLength().evaluate(tb.positions([[2, 5], [4, None]])).tolist()
    [[2.0], [4.0]]
    """

    name: ClassVar[str] = "ISL"
    deepest_level: ClassVar[int] = 0

    def length(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(p[..., 0], dtype=np.int64)


class TotalSearchLength(SearchLength):
    r"""Position of the last relevant item, :math:`p_m`.

    Examples
    --------
    >>> TotalSearchLength(n=100).evaluate(tb.positions([[2, 5], [4, None]])).tolist()
    [[5.0], [100.0]]
    """

    name: ClassVar[str] = "TSL"

    def length(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(p[..., -1], dtype=np.int64)


class AverageSearchLength(SearchLength):
    r"""Mean position of the relevant items (RPP eq 1).

    .. math:: \mathrm{ASL}(p) = \frac{1}{m} \sum_{i=1}^{m} p_i

    Examples
    --------
    >>> AverageSearchLength().evaluate(tb.positions([[2, 5, 9]])).round(4).tolist()
    [[5.3333]]
    """

    name: ClassVar[str] = "ASL"

    def length(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(p.sum(-1, dtype=np.int64))

    def denominator(self, m: int) -> int:
        return m


class SearchLength3(SearchLength):
    r"""Cooper's type 3 search length: non-relevant items above the last relevant one, :math:`p_m - m`.

    Examples
    --------
    >>> SearchLength3().evaluate(tb.positions([[2, 3, 8]])).tolist()
    [[5.0]]
    """

    name: ClassVar[str] = "SL3"

    def length(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(p[..., -1] - p.shape[-1], dtype=np.int64)


class RecallError(SearchLength):
    r"""Rocchio's recall error: how much deeper than ideal the relevant items are on average.

    .. math:: \mathrm{RE}(p) = \frac{1}{m} \sum_{i=1}^{m} p_i - \frac{m + 1}{2}

    Examples
    --------
    >>> RecallError().evaluate(tb.positions([[7]])).tolist()
    [[6.0]]
    """

    name: ClassVar[str] = "RecallError"

    def length(self, p: Ranks) -> NDArray[np.int64]:
        m = p.shape[-1]
        return np.asarray(2 * p.sum(-1, dtype=np.int64) - m * (m + 1))

    def denominator(self, m: int) -> int:
        return 2 * m
