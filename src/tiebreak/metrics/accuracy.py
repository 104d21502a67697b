"""The probability that a relevant item is above one that is not."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tiebreak.exact import ExactValues
from tiebreak.metrics.base import LevelMetric, Traits, last_position
from tiebreak.projection.levels import Levels


class Accuracy(LevelMetric):
    r"""Probability that a retrieved relevant item is above a retrieved one that is not, as in ir_measures.

    .. math:: 1 - \frac{1}{r \, (n - r)} \sum_{i=1}^{r} (p_i - i)

    of n retrieved items r are relevant. What is not retrieved does not matter; 0 where nothing relevant is retrieved,
    1 where all that is retrieved is relevant. It is the area under the ROC curve of the list.

    Examples
    --------
    >>> p = tb.project({"q": {"a": 1, "b": 1}}, {"q": {"a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}})
    >>> Accuracy().evaluate(p).tolist()      # b is below x: 3 of 4 pairs
    [[0.75]]
    """

    name: ClassVar[str] = "Accuracy"
    traits: ClassVar[Traits] = Traits(rises=False)

    def level_values(self, levels: Levels) -> ExactValues:
        above = np.zeros((len(levels.runs), len(levels.requests)), dtype=np.int64)
        pairs = np.zeros_like(above)
        last = last_position(self.cutoff)
        for bucket in levels.buckets():
            retrieved = np.minimum(levels.retrieved[:, bucket.requests], last).astype(np.int64)
            is_counted = bucket.p <= retrieved[..., None]
            relevant = np.count_nonzero(is_counted, axis=-1)
            others = retrieved - relevant
            before = np.where(is_counted, bucket.p - np.arange(1, bucket.m + 1), 0).sum(axis=-1, dtype=np.int64)
            is_decided = (relevant > 0) & (others > 0)
            pairs[:, bucket.requests] = np.where(is_decided, relevant * others, 1)
            above[:, bucket.requests] = np.where(is_decided, relevant * others - before, relevant > 0)
        return ExactValues.quotients(above, pairs)
