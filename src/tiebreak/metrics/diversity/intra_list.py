"""Intra-list diversity: how different the first items are from each other."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.exact import ExactValues
from tiebreak.metrics.base import Traits, check_deepest
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.metrics.diversity.subtopic_blocks import NUMBERS_AT_ONCE, aspect_mask
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings

LARGEST_CUTOFF = 1000
LARGEST = 2**62
"""Whole numbers below this are computed as 64-bit integers, larger ones as Python's."""


class IntraListDiversity(AspectMetric):
    r"""Mean distance between pairs of the first k items, by the aspects that they share (Ziegler et al. 2005).

    .. math:: \mathrm{ILD} = \binom{k}{2}^{-1} \sum_{i < j} 1 - \frac{|A_i \cap A_j|}{|A_i \cup A_j|}

    where A are the aspects of items, rated or not: the distance is Jaccard's. Two items without an aspect have the
    distance 0; so has a list of fewer than two items.

    References
    ----------
    Smyth and McClave, Similarity vs. diversity, ICCBR 2001. Ziegler, McNee, Konstan and Lausen, Improving
    recommendation lists through topic diversification, WWW 2005.

    Examples
    --------
    >>> aspects = {"a": ["war"], "b": ["war", "love"], "c": ["love"]}
    >>> exp = tb.Experiment({"u": {"a": 4}}, {"u": {"a": 3.0, "b": 2.0, "c": 1.0}}, aspects=aspects)
    >>> exp.evaluate("ILD@3").to_flat_dict()      # (1/2 + 1 + 1/2) / 3
    {'run1/ILD@3': 0.6666666666666666}
    """

    name: ClassVar[str] = "ILD"
    traits: ClassVar[Traits] = Traits(cutoff="must", rises=False, sees_relevance=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_deepest(self, LARGEST_CUTOFF)

    def ranking_values(self, rankings: AspectRankings) -> ExactValues:
        item = rankings.item[:, :, : self.depth]
        runs, requests, depth = item.shape
        lists = item.reshape(-1, depth)
        by_union: dict[int, NDArray[Any]] = {}
        step = max(1, NUMBERS_AT_ONCE // max(1, depth * max(depth, len(rankings.table.labels))))
        for begin in range(0, len(lists), step):
            some = slice(begin, begin + step)
            for union, distance in distances(rankings, lists[some]):
                by_union.setdefault(union, np.zeros(len(lists), dtype=np.int64))[some] = distance
        count = np.count_nonzero(item != NOBODY, axis=-1)
        pairs, common = np.maximum(count * (count - 1) // 2, 1), lcm(*by_union)
        is_small = common * depth * depth < LARGEST
        kind: Any = np.int64 if is_small else object
        above = np.zeros((runs, requests), dtype=kind)
        for union, total in by_union.items():
            above = above + total.reshape(runs, requests).astype(kind) * (common // union)
        return ExactValues.quotients(above, pairs.astype(kind) * common)


def distances(rankings: AspectRankings, item: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """For each size of a union of aspects: how many of them pairs [list] with that union do not share."""
    has = aspect_mask(rankings.table, item).astype(np.float32)  # whole numbers, of which products are fast and exact
    shared = np.rint(has @ has.swapaxes(-1, -2)).astype(np.int64)
    sizes = has.sum(axis=-1).astype(np.int64)
    union = sizes[..., :, None] + sizes[..., None, :] - shared
    is_item = item != NOBODY
    is_pair = np.triu(is_item[..., :, None] & is_item[..., None, :], k=1)
    for size in np.unique(union[is_pair]).tolist():
        if size:
            yield size, np.where(is_pair & (union == size), size - shared, 0).sum(axis=(-1, -2))
