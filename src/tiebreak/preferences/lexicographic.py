"""Worst case and best case: one recall level decides, the last or the first at which two rankings differ.

Both are total orders of the rankings of a request: runs that tie have their relevant items at the same positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak.exact import ExactValues
from tiebreak.exact.held import Places
from tiebreak.preferences.base import ENTRIES_AT_ONCE, Preference, Traits
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import UNRETRIEVED, Ranks, dense_rank, pair_signs


@dataclass(frozen=True)
class Lexicographic(Preference):
    """The sign of the first difference.

    Parameters
    ----------
    rel : float, optional
        Grade from which an item is relevant; by default the experiment's. Grades above it do not count.
    """

    rel: float | None = None
    from_last: ClassVar[bool] = False
    traits: ClassVar[Traits] = Traits(is_transitive=True, is_sign=True)

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        levels = positions.levels(self.rel)
        rank = np.ones((len(positions.runs), len(positions.requests)), dtype=np.int32)
        for bucket in levels.buckets():
            for block in bucket.blocks(ENTRIES_AT_ONCE):
                rank[:, bucket.requests[block]] = dense_rank(bucket.p[:, block], reverse=self.from_last)
        signs = np.empty((len(pairs), len(positions.requests)), dtype=np.int8)
        for fan in pairs.fans:
            signs[fan.rows] = fan.sign * pair_signs(rank[fan.run], rank[fan.others])
        return PairValues.from_counts(positions, pairs, signs, (levels.sizes > 0).astype(np.int64))


class LexiRecall(Lexicographic):
    r"""Worst case: the user who wants every relevant item decides, then the one who wants all but one, and so on.

    .. math:: \mathrm{sgn}(p'_{i^*} - p_{i^*}), \qquad i^* = \max \{ i : p_i \ne p'_i \}

    The ranking with more relevant items retrieved wins; it agrees with total search efficiency wherever that differs
    (LR eq 11). Depths should be equal: the deeper run finds more.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 6, 7], [2, 3, 4]]), "LexiRecall").values.tolist()
    [[-1.0]]
    """

    name: ClassVar[str] = "LexiRecall"
    traits: ClassVar[Traits] = Traits(is_transitive=True, is_sign=True, favours_depth=True)
    from_last: ClassVar[bool] = True


class LexiPrecision(Lexicographic):
    r"""Best case: the user who wants one relevant item decides, then the one who wants two, and so on (LP eq 3, sgnLP).

    .. math:: \mathrm{sgn}(p'_{i^*} - p_{i^*}), \qquad i^* = \min \{ i : p_i \ne p'_i \}

    It agrees with reciprocal rank wherever that differs, and decides where that ties.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 6, 7], [1, 3, 9]]), "LexiPrecision").values.tolist()
    [[-1.0]]
    """

    name: ClassVar[str] = "LexiPrecision"


class ReciprocalRankLexiPrecision(Lexicographic):
    r"""Lexiprecision with a size: the difference of reciprocal ranks at the level that decides (LP eq 2).

    .. math:: \mathrm{rrLP}(p, p') = \frac{1}{p_{i^*}} - \frac{1}{p'_{i^*}}, \qquad i^* = \min \{ i : p_i \ne p'_i \}

    The sign is that of lexiprecision. Moving a relevant item up can make the value smaller.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 4], [1, 5]]), "rrLP").values.round(3).tolist()      # 1/4 - 1/5
    [[0.05]]
    """

    name: ClassVar[str] = "rrLP"
    traits: ClassVar[Traits] = Traits(rises=False)

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        levels, shape = positions.levels(self.rel), (len(pairs), len(positions.requests))
        above, below = np.zeros(shape, dtype=np.int64), np.ones(shape, dtype=np.int64)
        for bucket in levels.buckets():
            for block in bucket.blocks(ENTRIES_AT_ONCE):
                p, requests = bucket.p[:, block], bucket.requests[block]
                for fan in pairs.fans:
                    x, y = at_first_difference(p[None, fan.run], p[fan.others])
                    numerator, below[fan.rows, requests] = difference_of_inverses(x, y)
                    above[fan.rows, requests] = fan.sign * numerator
        exact = ExactValues.quotients(above, below)
        return PairValues.from_exact(positions, pairs, exact, levels.sizes > 0, labels=levels.labels)


def at_first_difference(x: Ranks, y: Ranks) -> tuple[Places, Places]:
    """The two positions at the first level at which they differ; equal ones where no level does."""
    level = (x != y).argmax(axis=-1)[..., None]
    return (
        np.take_along_axis(x, level, axis=-1)[..., 0].astype(np.int64),
        np.take_along_axis(y, level, axis=-1)[..., 0].astype(np.int64),
    )


def difference_of_inverses(x: Places, y: Places) -> tuple[Places, Places]:
    """1/x - 1/y over whole numbers; 1/x is 0 where x is not retrieved."""
    has_x, has_y = x != UNRETRIEVED, y != UNRETRIEVED
    x, y = np.where(has_x, x, 1), np.where(has_y, y, 1)
    return y * has_x - x * has_y, x * y


def leximin_ranks(codes: Places) -> Ranks:
    """Rank the rows of whole numbers by leximin: the smallest numbers are compared first, and 1 is best."""
    worst_first = codes.max() - np.sort(codes, axis=-1)
    return dense_rank(worst_first[:, None])[:, 0]
