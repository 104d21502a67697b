"""Interpolated precision: the best precision at a recall level or beyond, alone and averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice, check_several, check_share
from tiebreak.errors import InputError
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.arithmetic import whole_doubles
from tiebreak.exact.held import Places
from tiebreak.metrics.base import LevelMetric, Traits
from tiebreak.projection.levels import Levels
from tiebreak.projection.primitives import UNRETRIEVED, Ranks

ROUNDINGS: dict[str, Callable[[float], int]] = {
    "nearest": lambda x: floor(x) + (x - floor(x) >= 0.5),
    "trec_eval-9": lambda x: floor(x + 0.9),
}
"""How recall times m becomes a whole number: as trec_eval does from version 10 on, and before."""
ELEVEN = tuple(k / 10 for k in range(11))
Counts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class InterpolatedPrecision(LevelMetric):
    r"""Interpolated precision: the largest precision at a recall level or any later one.

    .. math:: \mathrm{IPrec}(p) = \max_{i \ge j} \frac{i}{p_i}, \qquad j = \max(1, \text{recall} \cdot m)

    0 if fewer than j relevant items are retrieved. These are the points of a recall-precision graph.

    Parameters
    ----------
    recall : float
        The share of relevant items, from 0 to 1; ``IPrec@0.1`` in a spec.
    rounding : {"nearest", "trec_eval-9"}
        How recall times m becomes a whole number: to the nearest, halves up, as in trec_eval 10; or by adding 0.9 and
        dropping the fraction, as in trec_eval 9, and so in pytrec_eval and ir_measures. As there, the product is a
        float: 0.7 times 45 is below 31.5, and 31.

    Examples
    --------
    >>> InterpolatedPrecision(recall=0.5).evaluate(tb.positions([[4, 5]])).ravel().tolist()      # max(1/4, 2/5)
    [0.4]
    """

    recall: float | None = parameter(None, check_share, name="IPrec: recall")
    rounding: str = parameter("nearest", check_choice, choices=ROUNDINGS)
    name: ClassVar[str] = "IPrec"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.recall is None:
            raise InputError("IPrec needs a recall level, such as IPrec@0.1.", kind="spec")

    def level_values(self, levels: Levels) -> ExactValues:
        points = [self.recall or 0.0]
        above, below = (np.zeros((len(levels.runs), len(levels.requests)), dtype=np.int64) for _ in range(2))
        for bucket in levels.buckets():
            for block in bucket.blocks():
                best = interpolate(bucket.p[:, block], points, self.rounding)
                above[:, bucket.requests[block]], below[:, bucket.requests[block]] = (part[..., 0] for part in best)
        return ExactValues.quotients(above, below)


@dataclass(frozen=True)
class InterpolatedAveragePrecision(LevelMetric):
    r"""Mean of interpolated precision over recall levels, by default 0, 0.1, ..., 1: 11-point average precision.

    Parameters
    ----------
    recalls : tuple of float
        The recall levels; in a spec such as ``IAP(recalls='0.2,0.5,0.8')``.
    rounding : {"nearest", "trec_eval-9"}
        As in `IPrec`.

    Examples
    --------
    >>> metric = InterpolatedAveragePrecision(recalls=(0.5, 1))
    >>> metric.evaluate(tb.positions([[2, 8]])).ravel().tolist()      # (1/2 + 2/8) / 2
    [0.375]
    """

    recalls: tuple[float, ...] | str = ELEVEN
    rounding: str = parameter("nearest", check_choice, choices=ROUNDINGS)
    name: ClassVar[str] = "IAP"
    traits: ClassVar[Traits] = Traits(cutoff="no")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "recalls", check_recalls(self.recalls))

    def level_values(self, levels: Levels) -> ExactValues:
        mean = Doubles.full((len(levels.runs), len(levels.requests)), np.nan)
        for bucket in levels.buckets():
            for block in bucket.blocks():
                above, below = interpolate(bucket.p[:, block], self.recalls, self.rounding)
                points = whole_doubles(above) / whole_doubles(below)
                mean[:, bucket.requests[block]] = points.sum() / Doubles(float(len(self.recalls)))

        def exactly(run: int, requests: Places) -> list[Fraction]:
            return [self.exact(np.array(p)) for p in levels.vectors(run, requests)]

        return ExactValues.from_doubles(mean, 0.0, exactly, mean.high == 0, labels=levels.labels)

    def exact(self, p: Ranks) -> Fraction:
        """The exact value of increasing positions."""
        points = (part.tolist() for part in interpolate(p, self.recalls, self.rounding))
        return sum(map(Fraction, *points), start=Fraction(0)) / len(self.recalls)


def interpolate(p: Ranks, recalls: Any, rounding: str) -> tuple[Counts, Counts]:
    """Interpolated precision of ``p[..., m]`` at each recall level, as whole numbers over whole numbers."""
    m = p.shape[-1]
    i = np.arange(1, m + 1)
    precision = np.where(p == UNRETRIEVED, 0.0, i / p)  # different quotients of small numbers are different floats
    above, below = (np.zeros((*p.shape[:-1], len(recalls)), dtype=np.int64) for _ in range(2))
    for k, recall in enumerate(recalls):
        first = max(ROUNDINGS[rounding](float(recall) * m), 1) - 1
        best = first + precision[..., first:].argmax(axis=-1)
        position = np.take_along_axis(p, best[..., None], axis=-1)[..., 0]
        is_retrieved = position < UNRETRIEVED
        above[..., k], below[..., k] = np.where(is_retrieved, best + 1, 0), np.where(is_retrieved, position, 1)
    return above, below


def check_recalls(recalls: Any) -> tuple[float, ...]:
    """Numbers from 0 to 1, also as text with commas."""
    if isinstance(recalls, str):
        recalls = [read_number(part) for part in recalls.split(",")]
    return tuple(check_several(recalls, "IAP: recalls", check_share))


def read_number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
