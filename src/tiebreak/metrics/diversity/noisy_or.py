"""Discounted gains that are probabilities: how likely an item serves an interest that is left (AB eqs 2-16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice, check_number
from tiebreak._base.tolerance import TOLERANCE
from tiebreak.metrics.diversity.base import Codes, InterestMetric
from tiebreak.metrics.diversity.candidates import POOLS, candidates
from tiebreak.metrics.diversity.remaining_interest import RemainingInterest, longest_first
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats


def first_largest(gain: Floats) -> Codes:
    """The first candidate of every row [request, candidate] that gains as much as any, to a relative tolerance."""
    largest = gain.max(axis=1, keepdims=True)
    # Gains are sums and products of floats: those that are equal on paper may differ by rounding.
    first: Codes = (gain >= largest - TOLERANCE * np.abs(largest)).argmax(axis=1)
    return first


DISCOUNTS = ("log2", "inverse", "uniform")


def check_discount(discount: Any, name: str) -> None:
    """Check the name of a discount, or a persistence."""
    if isinstance(discount, str):
        check_choice(discount, name, DISCOUNTS)
    else:
        check_number(discount, name, above=0, below=1)


def discount_divisors(discount: str | float, depth: int) -> Floats:
    """By what the gain at every rank is divided."""
    rank: Floats = np.arange(1.0, depth + 1)
    if discount == "log2":
        return np.log2(rank + 1)
    if discount == "inverse":
        return rank
    if discount == "uniform":
        return np.ones(depth)
    with np.errstate(over="ignore"):  # so far down that nobody looks
        divisors: Floats = float(discount) ** (1 - rank)
    return divisors


@dataclass(frozen=True)
class NoisyOrDCG(InterestMetric):
    """Discounted gains, each the probability that an item serves a remaining interest.

    Parameters
    ----------
    discount : {"log2", "inverse", "uniform"} or float
        What the gain at rank k is multiplied by: 1 / log2(k + 1), 1 / k, 1, or the power p^(k - 1) of a persistence p.
    """

    discount: str | float = parameter("log2", check_discount, kw_only=True)

    def chance(self, rankings: AspectRankings, requests: Codes, item: Codes, rating: Floats) -> Floats:
        """P of an aspect that an item has (AB eq 5), for items and ratings [request, ...]."""
        raise NotImplementedError

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        return self.dcg(self.gains(rankings, self.interests(rankings)))

    def dcg(self, gains: Floats) -> Floats:
        """The discounted sum of gains [.., rank]."""
        total: Floats = (gains / discount_divisors(self.discount, gains.shape[-1])).sum(axis=-1)
        return total

    def gains(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The gain [run, request, rank] of the items of all runs."""
        runs, users, listed = rankings.item.shape
        gains = np.zeros((runs * users, min(self.depth, listed)))
        for some in longest_first(rankings, self.depth):
            chance = self.chance(rankings, some.requests, some.item, some.rating)
            interest = RemainingInterest(interests[some.requests], rankings.table)
            by_rank = np.zeros(chance.T.shape)
            items, chances = np.ascontiguousarray(some.item.T), np.ascontiguousarray(chance.T)
            for rank, size in enumerate(some.sizes):
                by_rank[rank, :size] = interest.show(items[rank, :size], chances[rank, :size])
            gains[some.rows, : len(by_rank)] = by_rank.T
        return gains.reshape(runs, users, -1)


@dataclass(frozen=True)
class NoisyOrNDCG(NoisyOrDCG):
    """Discounted gains over those of the greedy order.

    Parameters
    ----------
    pool : {"rated", "runs", "all"}
        Of which items the greedy order is made: those that the user rated, also those that any run shows up to the
        cutoff, or all that have aspects. Values above 1 can occur, the less the wider it is.
    """

    pool: str = parameter("rated", check_choice, choices=POOLS, kw_only=True)

    def score_rankings(self, rankings: AspectRankings) -> Floats:
        return self.score_depths(rankings, [self.depth])[0]

    def score_depths(self, rankings: AspectRankings, depths: Sequence[int]) -> list[Floats]:
        if self.pool == "runs" and len(depths) > 1:  # the pool is what runs show up to the cutoff
            return super().score_depths(rankings, depths)
        deepest, interests = replace(self, cutoff=max(depths)), self.interests(rankings)
        gains, ideal = deepest.gains(rankings, interests), deepest.ideal(rankings, interests, depths)
        # Nothing can serve a user without interests.
        return [quotients(self.dcg(gains[..., :depth]), ideal[k]) for k, depth in enumerate(depths)]

    def ideal(self, rankings: AspectRankings, interests: Floats, depths: Sequence[int]) -> Floats:
        """The discounted gain [depth, request] where each next item gains most, ties to the least id."""
        ideal = np.zeros((len(depths), len(rankings.requests)))
        for requests, item, rating in candidates(rankings, self.pool, self.depth):
            gains = self.greedy(rankings, interests, requests, item, rating)[1]
            ideal[:, requests] = [self.dcg(gains[:, :depth]) for depth in depths]
        return ideal

    def greedy(
        self, rankings: AspectRankings, interests: Floats, requests: Codes, item: Codes, rating: Floats
    ) -> tuple[Codes, Floats]:
        """Which candidates [request, candidate] gain most one after another, and their gains [request, rank]."""
        interest = RemainingInterest(interests[requests], rankings.table)
        places = list(interest.places(item))
        chance = np.where(item == NOBODY, 0.0, self.chance(rankings, requests, item, rating))
        depth, every = min(self.depth, item.shape[1]), np.arange(len(item))
        order, gains = np.zeros((len(item), depth), dtype=np.int64), np.zeros((len(item), depth))
        for rank in range(depth):
            order[:, rank] = best = first_largest(interest.gain(places, chance))
            gains[:, rank] = interest.show(item[every, best], chance[every, best])
            chance[every, best] = 0.0  # what is taken gains nothing more
        return order, gains


def quotients(values: Floats, ideal: Floats) -> Floats:
    """Values over ideal ones; 0 where these are."""
    return np.divide(values, ideal, out=np.zeros_like(values), where=np.broadcast_to(ideal > 0, values.shape))
