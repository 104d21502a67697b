"""What items are worth to a user, less the effort of looking at them: rank-biased and expected utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_number, check_share
from tiebreak.metrics.diversity.base import InterestMetric, highest_rating
from tiebreak.metrics.diversity.remaining_interest import RemainingInterest, longest_first
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats


@dataclass(frozen=True)
class EffortMetric(InterestMetric):
    """What every item is worth to its user, less the effort of looking at it, as far as users look.

    Parameters
    ----------
    p : float
        Persistence: probability of continuing to the next item.
    e : float
        The effort of looking at an item.
    r_max : float, optional
        The largest rating of the scale; by default the largest that occurs.
    """

    p: float = parameter(0.99, check_share)
    e: float = parameter(0.05, check_share)
    r_max: float | None = parameter(None, check_number, above=0)

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        highest, interests = highest_rating(self.r_max, rankings), self.interests(rankings)
        values = np.zeros(rankings.item.shape[0] * rankings.item.shape[1])
        for some in longest_first(rankings, self.depth):
            interest = RemainingInterest(interests[some.requests], rankings.table)
            for rank, size in enumerate(some.sizes):
                item, ratings = some.item[:size, rank], np.nan_to_num(np.maximum(some.rating[:size, rank], 0.0))
                gain = self.worth(ratings, highest) * interest.total_interest(item) - self.e
                values[some.rows[:size]] += self.attention(rank + 1) * gain
                interest.multiply(item, self.remaining(ratings, highest))
        return values.reshape(rankings.item.shape[:2])

    def attention(self, rank: int) -> float:
        """How likely a user looks at this rank."""
        raise NotImplementedError

    def worth(self, rating: Floats, highest: float) -> Floats:
        """What an item with this rating is worth for each of its aspects; 0 where it was not rated."""
        raise NotImplementedError

    def remaining(self, rating: Floats, highest: float) -> Floats:
        """How much of the interest in its aspects remains after an item with this rating."""
        raise NotImplementedError


class RankBiasedUtility(EffortMetric):
    r"""Rank-biased utility (Amigo et al. 2018), with the interests of users as weights of aspects.

    .. math:: \sum_{i \le k} p^i \Big(\sum_a \gamma_a r_{ia} \prod_{j < i} (1 - r_{ja}) - e\Big), \qquad
        r = (2^g - 1) / 2^{g_{max}}

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 2, "b": 1}}, {"u": {"a": 2.0, "b": 1.0}}, aspects={"a": ["war"], "b": ["war"]})
    >>> exp.evaluate("RBU(p=0.5, e=0)@2").to_flat_dict()     # 1/2 x 3/4 + 1/4 x 1/4 x 1/4
    {'run1/RBU(p=0.5, e=0)@2': 0.390625}
    """

    name: ClassVar[str] = "RBU"

    def attention(self, rank: int) -> float:
        return float(self.p**rank)

    def worth(self, rating: Floats, highest: float) -> Floats:
        share: Floats = np.exp2(rating - highest) - np.exp2(-highest)  # no scale is too long for floats
        return share

    def remaining(self, rating: Floats, highest: float) -> Floats:
        return 1 - self.worth(rating, highest)


@dataclass(frozen=True)
class ExpectedUtility(EffortMetric):
    r"""Expected utility (Yang and Lad 2009) as implemented here: users' interests are the weights of aspects.

    .. math:: \sum_{i \le k} p^{i - 1} \Big(\sum_a \gamma_a \frac{g_{ia}}{g_{max}} (1 - \alpha)^{c_{ia}} - e\Big)

    where c is the number of items above with the aspect.

    Parameters
    ----------
    alpha : float
        Redundancy penalty: gain is multiplied by 1 - alpha for every earlier item with the aspect.

    Examples
    --------
    >>> exp = tb.Experiment({"u": {"a": 2, "b": 1}}, {"u": {"a": 2.0, "b": 1.0}}, aspects={"a": ["war"], "b": ["war"]})
    >>> exp.evaluate("EU(p=0.5, e=0)@2").to_flat_dict()     # 1 + 1/2 x 1/2 x 3/4
    {'run1/EU(p=0.5, e=0)@2': 1.1875}
    """

    alpha: float = parameter(0.25, check_share)
    name: ClassVar[str] = "EU"

    def attention(self, rank: int) -> float:
        return float(self.p ** (rank - 1))

    def worth(self, rating: Floats, highest: float) -> Floats:
        return rating / highest

    def remaining(self, rating: Floats, highest: float) -> Floats:
        return np.full_like(rating, 1 - self.alpha)
