"""Discounted gains that are probabilities: how likely an item serves an interest that is left (AB eqs 2-16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_choice, check_number
from tiebreak._base.tolerance import TOLERANCE
from tiebreak.metrics.diversity.base import Codes, InterestMetric, aspect_slots
from tiebreak.metrics.diversity.candidates import POOLS, candidates
from tiebreak.projection.aspect_rankings import NOBODY, AspectRankings
from tiebreak.projection.primitives import Floats

RANKINGS_AT_ONCE = 1 << 13
"""So many that the interests of their users stay in the cache."""


class RemainingInterest:
    """How much of their interests users have left, [user, aspect], the last aspect being none."""

    def __init__(self, interest: Floats) -> None:
        self.none = interest.shape[1] - 1
        self.left = interest.ravel().copy()
        self.start = np.arange(0, len(self.left), interest.shape[1])

    def places(self, slots: Codes) -> Codes:
        """Where the aspects [slot, user, candidate] of items stand."""
        return slots + self.start[:, None]

    def gain(self, places: Codes, chance: Floats) -> Floats:
        """The probability [user, candidate] that an item serves an interest that is left (AB eq 8)."""
        missed = np.ones(chance.shape)
        for place in places:
            served = self.left.take(place)
            served *= chance
            missed *= np.subtract(1, served, out=served)
        gain: Floats = np.subtract(1, missed, out=missed)
        return gain

    def show(self, slots: Codes, chance: Floats) -> Floats:
        """Show one item to each user, which serves what it can (AB eq 7); the probability [user] that it served any."""
        missed = np.ones(len(chance))
        for slot in slots:
            is_aspect = slot != self.none
            is_dense = 2 * np.count_nonzero(is_aspect) > len(slot)
            users = slice(None) if is_dense else np.flatnonzero(is_aspect)
            place = self.start[users] + slot[users]
            wanted = self.left.take(place)
            served = chance[users] * wanted
            self.left[place] = wanted - served
            missed[users] *= 1 - served
        gain: Floats = 1 - missed
        return gain


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
        item, rating = rankings.item.reshape(-1, listed), rankings.rating.reshape(-1, listed)
        depth = min(self.depth, listed)
        gains = np.zeros((len(item), depth))
        lengths = (item[:, :depth] != NOBODY).sum(axis=1)
        longest_first = np.argsort(-lengths, kind="stable")
        for begin in range(0, len(item), RANKINGS_AT_ONCE):
            rows = longest_first[begin : begin + RANKINGS_AT_ONCE]
            some, requests = item[rows, : lengths[rows[0]]], rows % users
            chance = self.chance(rankings, requests, some, rating[rows, : some.shape[1]])
            chance[some == NOBODY] = 0.0
            interest = RemainingInterest(interests[requests])
            slots, by_rank = aspect_slots(rankings, some.T), np.ascontiguousarray(chance.T)
            for rank, of_rank in enumerate(by_rank):
                gains[rows, rank] = interest.show(slots[:, rank], of_rank)
        return gains.reshape(runs, users, depth)


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
        values, ideal = super().score_rankings(rankings), self.ideal(rankings, self.interests(rankings))
        # Nothing can serve a user without interests.
        return np.divide(values, ideal, out=np.zeros_like(values), where=np.broadcast_to(ideal > 0, values.shape))

    def ideal(self, rankings: AspectRankings, interests: Floats) -> Floats:
        """The discounted gain [request] of the order in which each next item gains most, ties to the least id."""
        ideal = np.zeros(len(rankings.requests))
        for requests, item, rating in candidates(rankings, self.pool, self.depth):
            ideal[requests] = self.dcg(self.greedy(rankings, interests, requests, item, rating)[1])
        return ideal

    def greedy(
        self, rankings: AspectRankings, interests: Floats, requests: Codes, item: Codes, rating: Floats
    ) -> tuple[Codes, Floats]:
        """Which candidates [request, candidate] gain most one after another, and their gains [request, rank]."""
        slots, interest = aspect_slots(rankings, item), RemainingInterest(interests[requests])
        places = interest.places(slots)
        chance = np.where(item == NOBODY, 0.0, self.chance(rankings, requests, item, rating))
        depth, every = min(self.depth, item.shape[1]), np.arange(len(item))
        order, gains = np.zeros((len(item), depth), dtype=np.int64), np.zeros((len(item), depth))
        for rank in range(depth):
            order[:, rank] = best = first_largest(interest.gain(places, chance))
            gains[:, rank] = interest.show(slots[:, every, best], chance[every, best])
            chance[every, best] = 0.0  # what is taken gains nothing more
        return order, gains
