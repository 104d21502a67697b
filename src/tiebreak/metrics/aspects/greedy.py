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
    """How much of their interests users have left, [user, aspect]; slots of items come first, as places in it."""

    def __init__(self, interest: Floats) -> None:
        self.size = interest.shape[1]
        self.of_user = interest.ravel().copy()

    def places(self, slots: Codes) -> Codes:
        """Where the aspects [slot, user, ...] of items stand."""
        of_user = np.arange(0, len(self.of_user), self.size)
        return slots + of_user.reshape(-1, *[1] * (slots.ndim - 2))

    def gain(self, places: Codes, chance: Floats) -> Floats:
        """The chance [user, ...] that an item serves an interest that is left (AB eq 8)."""
        missed = np.ones(chance.shape)
        for slot in places:
            served = self.of_user.take(slot)
            served *= chance
            missed *= np.subtract(1, served, out=served)
        gain: Floats = np.subtract(1, missed, out=missed)
        return gain

    def see(self, places: Codes, chance: Floats) -> Floats:
        """The same gain of an item [slot, user] that is now seen, and serves what it can (AB eq 7)."""
        wanted = self.of_user.take(places)
        served = chance * wanted
        self.of_user[places] = wanted - served
        gain: Floats = 1 - (1 - served).prod(axis=0)
        return gain


def first_largest(gain: Floats) -> Codes:
    """The first candidate of every row [request, candidate] that gains as much as any."""
    largest = gain.max(axis=1, keepdims=True)
    first: Codes = (gain >= largest - TOLERANCE * np.abs(largest)).argmax(axis=1)
    return first
