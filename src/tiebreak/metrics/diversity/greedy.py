"""Users' interests as items serve them, and what a greedy order takes next."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.projection.primitives import Floats

TOLERANCE = 1e-12
"""Gains that differ by no more, relatively, are equal on paper: sums and products of floats are not exact."""
Codes: TypeAlias = NDArray[np.int64]


class Left:
    """How much of their interests users have left, [user, aspect], the last aspect being none."""

    def __init__(self, interest: Floats) -> None:
        self.none = interest.shape[1] - 1
        self.of_user = interest.ravel().copy()
        self.start = np.arange(0, len(self.of_user), interest.shape[1])

    def places(self, slots: Codes) -> Codes:
        """Where the aspects [slot, user, candidate] of items stand."""
        return slots + self.start[:, None]

    def gain(self, places: Codes, chance: Floats) -> Floats:
        """The chance [user, candidate] that an item serves an interest that is left (AB eq 8)."""
        missed = np.ones(chance.shape)
        for place in places:
            served = self.of_user.take(place)
            served *= chance
            missed *= np.subtract(1, served, out=served)
        gain: Floats = np.subtract(1, missed, out=missed)
        return gain

    def see(self, slots: Codes, chance: Floats) -> Floats:
        """The same gain [user] of items, of which users see one each; they serve what they can (AB eq 7)."""
        missed = np.ones(len(chance))
        for slot in slots:
            is_aspect = slot != self.none
            is_dense = 2 * np.count_nonzero(is_aspect) > len(slot)
            users = slice(None) if is_dense else np.flatnonzero(is_aspect)
            place = self.start[users] + slot[users]
            wanted = self.of_user.take(place)
            served = chance[users] * wanted
            self.of_user[place] = wanted - served
            missed[users] *= 1 - served
        gain: Floats = 1 - missed
        return gain


def first_largest(gain: Floats) -> Codes:
    """The first candidate of every row [request, candidate] that gains as much as any."""
    largest = gain.max(axis=1, keepdims=True)
    first: Codes = (gain >= largest - TOLERANCE * np.abs(largest)).argmax(axis=1)
    return first
