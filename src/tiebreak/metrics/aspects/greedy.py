"""What a greedy order takes next."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.projection.primitives import Floats

TOLERANCE = 1e-12
"""Gains that differ by no more, relatively, are equal on paper: sums and products of floats are not exact."""
Codes: TypeAlias = NDArray[np.int64]


def first_largest(gain: Floats) -> Codes:
    """The first candidate of every row [request, candidate] that gains as much as any."""
    largest = gain.max(axis=1, keepdims=True)
    first: Codes = (gain >= largest - TOLERANCE * np.abs(largest)).argmax(axis=1)
    return first
