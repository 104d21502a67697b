"""Search lengths: how far a user must go (RPP 3.1, LR 3.2). Lower is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import DOUBLES, FRACTIONS, counting, ones, whole_numbers
from tiebreak.exact.doubles import ROUNDING_ERROR
from tiebreak.exact.held import Places
from tiebreak.exact.sums import sum_fractions
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import Metric, Traits, quotients
from tiebreak.metrics.weights import Weights, check_weights, exact_weights, is_rational, level_weights
from tiebreak.projection import Levels, Positions
from tiebreak.projection.needs import Needs
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

UNION = "union"


@dataclass(frozen=True)
class SearchLength(Metric):
    """A mean over recall levels of raw positions, so unretrieved items must be imputed from the corpus size.

    Parameters
    ----------
    n : int or "union", optional
        Number of items in the corpus; or, per request, of those that any run retrieves or that are relevant.
    """

    n: int | str | None = None
    traits: ClassVar[Traits] = Traits(low=0.0, high=float("inf"), lower_is_better=True, cutoff="no")
    only_level: ClassVar[int | None] = None
    """The index of the one recall level that counts; None for all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is not None and self.n != UNION:
            check_count(self.n, f"{self.name}: n", or_else="'union'")

    @property
    def needs(self) -> Needs:
        return Needs(pool=self.n == UNION)

    def weight(self, i: Any, m: int) -> Any:
        """The weight of recall levels i = 1, ..., m before it is normalised, in the arithmetic of i."""
        return whole_numbers(np.arange(m) == self.only_level % m, i) if self.only_level is not None else ones(m, i)

    def length(self, p: Ranks) -> NDArray[np.int64]:
        """Whole numbers [run, request] of ``p[run, request, m]``, which are divided."""
        return np.asarray(p.sum(-1, dtype=np.int64) if self.only_level is None else p[..., self.only_level], np.int64)

    def denominator(self, m: int) -> int:
        """By what the length of requests with m relevant items is divided."""
        return m if self.only_level is None else 1

    def values(self, positions: Positions) -> ExactValues:
        return quotients(self.finite_levels(positions), self.length, self.denominator)

    def finite_levels(self, positions: Positions) -> Levels:
        """Levels with unretrieved items at the end of the corpus; its size must be known where there are any."""
        levels = positions.levels(self.rel)
        if self.n is not None:
            return levels.pessimistic(union_sizes(positions, self.rel) if self.n == UNION else self.n)
        deepest = -1 if self.only_level is None else self.only_level
        if any((bucket.p[..., deepest] == UNRETRIEVED).any() for bucket in levels.buckets()):
            raise InputError(
                f"{self.name} needs positions of unretrieved items. Give the number of items in the corpus, "
                f"such as {self.name}(n=1000000), or {self.name}(n='union').",
                kind="corpus_size",
            )
        return levels

    def level_differences(self, x: Ranks, y: Ranks) -> Floats:
        """What every recall level adds to the difference, w_i (y_i - x_i): floats [request, m]."""
        m, closer = x.shape[-1], y.astype(np.int64) - x
        i = counting(m, DOUBLES)
        w = self.weight(i, m) / self.weight(i, m).sum()
        exact = self.weight(counting(m, FRACTIONS), m)
        whole = exact.sum()

        def exactly(request: int, levels: Places) -> list[Fraction]:
            return [int(closer[request, i]) * exact[i] / whole for i in levels.tolist()]

        error = np.abs(closer) * w.high * ROUNDING_ERROR
        is_zero = (closer == 0) | (w.high == 0)
        product = Doubles(closer.astype(np.float64)) * w
        return ExactValues.from_doubles(product, error, exactly, is_zero, is_signed=True).nearest


def union_sizes(positions: Positions, rel: float | None) -> NDArray[np.int64]:
    """Per request, the number of items that any run retrieves or that are relevant (RPP 5)."""
    if positions.pool is None:
        raise InputError(
            "n='union' is the number of items of all runs, which is not known here. Give a number, such as n=1000, or "
            "use an Experiment or project(..., pool=True), which count them.",
            kind="pool",
        )
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
    only_level: ClassVar[int] = 0


class TotalSearchLength(SearchLength):
    r"""Position of the last relevant item, :math:`p_m`.

    Examples
    --------
    >>> TotalSearchLength(n=100).evaluate(tb.positions([[2, 5], [4, None]])).tolist()
    [[5.0], [100.0]]
    """

    name: ClassVar[str] = "TSL"
    only_level: ClassVar[int] = -1


@dataclass(frozen=True)
class AverageSearchLength(SearchLength):
    r"""Mean position of the relevant items, over users who want i of them with probability w_i (RPP eq 1).

    .. math:: \mathrm{ASL}(p) = \sum_{i=1}^{m} w_i \, p_i, \qquad w_i = 1/m \text{ by default.}

    Parameters
    ----------
    weights : {"uniform", "dcg", "inverse"} or tuple of float
        How likely each recall level is; see `recall_weights`.

    Examples
    --------
    >>> AverageSearchLength().evaluate(tb.positions([[2, 5, 9]])).round(4).tolist()
    [[5.3333]]
    >>> AverageSearchLength(weights=(3, 1)).evaluate(tb.positions([[2, 6]])).tolist()      # (3 x 2 + 6) / 4
    [[3.0]]
    """

    weights: Weights = "uniform"
    name: ClassVar[str] = "ASL"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", check_weights(self.weights))

    def weight(self, i: Any, m: int) -> Any:
        return level_weights(i, self.weights)

    def values(self, positions: Positions) -> ExactValues:
        if self.weights == "uniform":
            return super().values(positions)
        levels = self.finite_levels(positions)
        total = Doubles.full((len(levels.runs), len(levels.requests)), np.nan)
        for bucket in levels.buckets():
            weights = level_weights(counting(bucket.m, DOUBLES), self.weights)
            for block in bucket.blocks():
                p = Doubles(bucket.p[:, block].astype(np.float64))
                total[:, bucket.requests[block]] = (p * weights).sum() / weights.sum()

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [self.exact(p) for p in levels.vectors(run, requests)]

        rational = is_rational(self.weights)
        return ExactValues.from_doubles(total, 0.0, exactly, is_rational=rational, labels=levels.labels)

    def exact(self, p: Sequence[int]) -> Fraction:
        """The exact value of increasing positions; to 96 digits where logarithms enter."""
        weights, whole = exact_weights(len(p), self.weights)
        return sum_fractions([w * k for w, k in zip(weights, p, strict=True)]) / whole


class SearchLength3(SearchLength):
    r"""Cooper's type 3 search length: non-relevant items above the last relevant one, :math:`p_m - m`.

    Examples
    --------
    >>> SearchLength3().evaluate(tb.positions([[2, 3, 8]])).tolist()
    [[5.0]]
    """

    name: ClassVar[str] = "SL3"
    only_level: ClassVar[int] = -1

    def length(self, p: Ranks) -> NDArray[np.int64]:
        return np.asarray(super().length(p) - p.shape[-1])


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
        return np.asarray(2 * super().length(p) - m * (m + 1))

    def denominator(self, m: int) -> int:
        return 2 * m
