"""Metrics that see grades: nDCG and expected reciprocal rank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.inputs.judgements import is_relevant
from tiebreak.metrics.base import Metric, Traits, check_number
from tiebreak.metrics.recall_level import BinaryNDCG
from tiebreak.projection import Positions
from tiebreak.projection.levels import deepest_of
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks, exposure

LARGEST_EXPONENT = 1000
LARGEST_SUMMAND = 1e290
"""Gains above it are scaled down first, so that sums of them stay finite."""


def graded_buckets(positions: Positions, rel: float | None) -> Iterator[tuple[NDArray[np.int64], Ranks, Floats]]:
    """Requests by size: which they are, the ranks [run, request, m] of their items, the grades [request, m]."""
    kept = positions.keep(is_relevant(positions.grade, rel))
    for bucket, (m, _, entries) in zip(kept.buckets(), kept.layout.blocks(), strict=True):
        grade = kept.grade[entries].reshape(-1, m)
        for block in bucket.blocks():
            yield bucket.requests[block], bucket.p[:, block], grade[block]


def unscored(positions: Positions) -> Floats:
    return np.full((len(positions.runs), len(positions.requests)), np.nan)


@dataclass(frozen=True)
class NDCG(Metric):
    r"""Normalised discounted cumulative gain, as in trec_eval.

    .. math:: \mathrm{DCG} = \sum_{i} \frac{g(\text{grade}_i)}{\log_2 (p_i + 1)}, \qquad
        \mathrm{nDCG} = \frac{\mathrm{DCG}}{\text{that of the ideal ranking}}

    Every grade above 0 counts, whatever the experiment's ``min_grade`` is.

    Parameters
    ----------
    gain : {"linear", "exp"}
        The grade itself, or 2^grade - 1.
    rel : float, optional
        Only grades from this one on count, in the ideal ranking too.

    Examples
    --------
    >>> import tiebreak as tb
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> NDCG().evaluate(p).round(4).tolist()      # (1 + 2/log2(3)) / (2 + 1/log2(3))
    [[0.8597]]
    """

    gain: str = "linear"
    name: ClassVar[str] = "nDCG"
    traits: ClassVar[Traits] = Traits(uses_grades=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gain not in ("linear", "exp"):
            raise InputError(f"nDCG(gain={self.gain!r}). Give 'linear' or 'exp'.", kind="spec")

    def binary_form(self) -> BinaryNDCG:
        return BinaryNDCG(cutoff=self.cutoff, rel=self.rel)

    def on(self, positions: Positions) -> Metric:
        """The recall-level form where all grades are the same, so that gains cancel."""
        grade = positions.grade
        return self.binary_form() if len(grade) and grade.min() == grade.max() else self

    def gains(self, grade: Floats) -> Floats:
        if self.gain == "linear":
            return grade
        if grade.max() > LARGEST_EXPONENT:
            raise InputError(f"{self}: a grade of {grade.max():g} is too large for an exponential gain.", kind="grade")
        # Small grades keep their digits in expm1 and would lose them in 2^g - 1.
        return np.where(grade < 1, np.expm1(grade * np.log(2)), np.exp2(grade) - 1.0)

    def evaluate(self, positions: Positions) -> Floats:
        form = self.on(positions)
        if form is not self:
            return form.evaluate(positions)
        values = unscored(positions)
        discount = self.binary_form()
        for requests, ranks, grade in graded_buckets(positions, self.rel):
            gains = self.gains(grade)
            if gains.max() > LARGEST_SUMMAND:
                gains = gains / gains.max()
            m = grade.shape[-1]
            table = discount.table(deepest_of(ranks), m)
            ideal = discount.exposure_to_cutoff(np.arange(1.0, m + 1), m)
            best = (np.sort(gains, axis=-1)[:, ::-1] * ideal).sum(-1)
            values[:, requests] = (exposure(ranks, table) * gains).sum(-1) / best
        return values


@dataclass(frozen=True)
class ExpectedReciprocalRank(Metric):
    r"""Expected inverse position at which a user stops, who stops at an item with a chance that grows with its grade.

    .. math:: \mathrm{ERR} = \sum_{k} \frac{1}{k} R_k \prod_{j < k} (1 - R_j), \qquad
        R = \frac{2^{\text{grade}} - 1}{2^{\text{max\_grade}}}

    Parameters
    ----------
    max_grade : float
        The largest grade of the scale; 4 as in gdeval, which ir_measures calls.

    Examples
    --------
    >>> import tiebreak as tb
    >>> p = tb.project({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    >>> ExpectedReciprocalRank(max_grade=2).evaluate(p).tolist()      # 1/4 + 1/2 * 3/4 * 3/4
    [[0.53125]]
    """

    max_grade: float = 4
    name: ClassVar[str] = "ERR"
    traits: ClassVar[Traits] = Traits(uses_grades=True, rises=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("max_grade", self.max_grade)
        if not 0 < self.max_grade <= LARGEST_EXPONENT:
            raise InputError(f"ERR(max_grade={self.max_grade:g}). Give a number up to {LARGEST_EXPONENT}.", kind="spec")

    def evaluate(self, positions: Positions) -> Floats:
        if len(positions.grade) and positions.grade.max() > self.max_grade:
            largest = positions.grade.max()
            raise InputError(
                f"{self}: there are grades up to {largest:g}. Write ERR(max_grade={largest:g}).", kind="spec"
            )
        values = unscored(positions)
        for requests, ranks, grade in graded_buckets(positions, self.rel):
            order = np.argsort(ranks, axis=-1, kind="stable")
            stop = (np.exp2(grade) - 1.0) / 2.0**self.max_grade
            stop = np.take_along_axis(np.broadcast_to(stop, ranks.shape), order, axis=-1)
            reached = np.cumprod(1.0 - stop, axis=-1)
            reached = np.concatenate([np.ones_like(reached[..., :1]), reached[..., :-1]], axis=-1)
            ranks = np.take_along_axis(ranks, order, axis=-1)
            seen = ranks != UNRETRIEVED if self.cutoff is None else ranks <= self.cutoff
            values[:, requests] = np.where(seen, reached * stop / ranks, 0.0).sum(-1)
        return values
