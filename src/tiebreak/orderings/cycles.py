"""Majorities that go round in a circle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def majority_cycles(majority: NDArray[np.int8], runs: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Groups of runs of which each can be reached from each by strict majorities, given [run, run] signs.

    Examples
    --------
    >>> beats = np.array([[0, 1, -1, 1], [-1, 0, 1, 1], [1, -1, 0, 1], [-1, -1, -1, 0]], dtype=np.int8)
    >>> majority_cycles(beats, ("rock", "scissors", "paper", "air"))
    (('rock', 'scissors', 'paper'),)
    """
    reach = majority > 0
    for middle in range(len(runs)):
        reach |= reach[:, middle, None] & reach[middle]
    both = reach & reach.T
    groups = {tuple(np.flatnonzero(both[r]).tolist()) for r in range(len(runs)) if both[r, r]}
    return tuple(tuple(runs[r] for r in group) for group in sorted(groups))
