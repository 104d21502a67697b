"""How likely an item serves an aspect of its own, beyond constants (AB 3.2): what ratings say of items and of users.

All are of a user's profile: the training ratings, or without them the evaluated ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak.metrics.diversity.base import Codes
from tiebreak.projection.aspect_rankings import AspectRankings
from tiebreak.projection.primitives import Floats


def popularity(rankings: AspectRankings, requests: Codes, item: Codes, highest: float) -> Floats:
    """How many users rated the item, over the number for the most rated item."""
    counts = item_counts(rankings)
    shares: Floats = counts[item] / max(int(counts.max()), 1)
    return shares


def mean_rating(rankings: AspectRankings, requests: Codes, item: Codes, highest: float) -> Floats:
    """The mean rating of the item over the largest of the scale; 0 where nobody rated it."""
    profile, counts = rankings.profile, item_counts(rankings)
    # In the order of ratings, so that the sum of an item does not depend on the order of users.
    order = np.lexsort((profile.rating, profile.item))
    ratings = np.maximum(profile.rating[order], 0.0)
    sums = np.bincount(profile.item[order], ratings, len(counts))
    means = sums / np.maximum(counts, 1)
    shares: Floats = np.minimum(means / highest, 1.0)[item]
    return shares


def profile_size(rankings: AspectRankings, requests: Codes, item: Codes, highest: float) -> Floats:
    """How many items the user rated, over the number for the user who rated most."""
    sizes = np.diff(rankings.profile.starts)
    shares = sizes[requests] / max(int(sizes.max(initial=0)), 1)
    return np.broadcast_to(shares.reshape(-1, *[1] * (item.ndim - 1)), item.shape)


def item_counts(rankings: AspectRankings) -> Codes:
    """How many users rated every item [row of the table]; 0 for the last row, which is of all items without aspects."""
    counts = np.bincount(rankings.profile.item, minlength=len(rankings.table.of_item))
    counts[-1] = 0
    return counts


def largest_ratings(rankings: AspectRankings) -> Floats:
    """The largest rating that every user gave, in the profile or to what is evaluated."""
    largest = np.zeros(len(rankings.requests))
    for ratings in (rankings.rated, rankings.profile):
        np.maximum.at(largest, ratings.request, ratings.rating)
    return largest


INDICATORS: dict[str, Callable[[AspectRankings, Codes, Codes, float], Floats]] = {
    "popularity": popularity,
    "mean_rating": mean_rating,
    "profile_size": profile_size,
}
"""What alpha can be in proportion to: (rankings, requests, items [request, ...], largest rating) -> from 0 to 1."""
