"""All users who want some of the relevant items of a request: every set of them but the empty one (LR 4.1)."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from tiebreak.exact import ExactValues
from tiebreak.metrics._recall_level import RecallLevelMetric
from tiebreak.projection.levels import Bucket, Levels
from tiebreak.projection.primitives import Ranks

MOST_ENUMERATED = 15
"""Relevant items of a request up to which all its users, 2^m - 1, are enumerated."""
User = tuple[int, ...]
"""The recall levels of the items that a user wants, from 0."""


@lru_cache(MOST_ENUMERATED)
def possible_users(m: int) -> list[User]:
    """Every user of a request with m relevant items, those who want least first."""
    return [user for size in range(1, m + 1) for user in combinations(range(m), size)]


def user_utilities(metric: RecallLevelMetric, p: Ranks) -> ExactValues:
    """The exact utilities [run, user] of increasing positions ``p[run, m]``, users as `possible_users` lists them."""
    m = p.shape[-1]
    buckets, begin = [], 0
    for size in range(1, m + 1):
        users = np.array(list(combinations(range(m), size)))
        buckets.append(Bucket(size, np.arange(begin, begin + len(users)), p[:, users]))
        begin += len(users)
    return metric.level_values(Levels.from_buckets(buckets))
