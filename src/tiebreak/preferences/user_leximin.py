"""Leximin over all users who want some of the relevant items (LR eq 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak.errors import InputError
from tiebreak.metrics import Metric, RecallLevelMetric, metric, recall_level_form
from tiebreak.metrics.possible_users import MOST_ENUMERATED, user_utilities
from tiebreak.preferences.base import Preference, Traits
from tiebreak.preferences.lexicographic import leximin_ranks
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.primitives import pair_signs


@dataclass(frozen=True)
class UserLeximin(Preference):
    r"""Leximin of the utilities of all users, each of whom wants some of the relevant items: 1, 0 or -1 (LR eq 10).

    .. math:: \varrho \succ_{\mathrm{leximin}} \varrho', \qquad
        \varrho = \big( \mu(\pi, u) : u \subseteq \mathcal{R},\, u \ne \emptyset \big) \text{ sorted}

    The :math:`2^m - 1` users of a request are enumerated, up to 15 relevant items. For top-heavy metrics whose exposure
    strictly decreases, such as AP, nDCG and RBP, it is lexirecall (theorem C.4), which needs no enumeration.

    Parameters
    ----------
    metric : Metric or str
        A recall-level metric: the utility of a ranking for a user.

    Examples
    --------
    >>> tb.compare(tb.positions([[1, 6], [2, 3]]), "UserLeximin(AP)").values.tolist()      # 1/6 against 1/3
    [[-1.0]]
    """

    metric: Metric | str = "AP"
    name: ClassVar[str] = "UserLeximin"
    traits: ClassVar[Traits] = Traits(is_transitive=True, is_sign=True, favours_depth=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric(self.metric))
        super().__post_init__()

    @property
    def form(self) -> RecallLevelMetric:
        return recall_level_form(self.metric)

    @property
    def relevant_from(self) -> float | None:
        return self.form.rel

    def compare(self, positions: Positions, pairs: Pairs) -> PairValues:
        levels = positions.levels(self.form.rel)
        largest = int(levels.sizes.max(initial=0))
        if largest > MOST_ENUMERATED:
            raise InputError(
                f"{self}: a request has {largest} relevant items; users are enumerated up to {MOST_ENUMERATED}. Use "
                "LexiRecall, which is the same for top-heavy metrics such as AP (LR theorem C.4).",
                kind="size",
            )
        rank = np.ones((len(positions.runs), len(positions.requests)), dtype=np.int32)
        for bucket in levels.buckets():
            for k, request in enumerate(bucket.requests.tolist()):
                rank[:, request] = leximin_ranks(user_utilities(self.form, bucket.p[:, k]).codes())
        signs = pair_signs(rank[pairs.x], rank[pairs.y])
        return PairValues.from_counts(positions, pairs, signs, (levels.sizes > 0).astype(np.int64))
