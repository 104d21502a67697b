"""Compact letter display: runs that share a letter were not shown to differ (Piepho 2004)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError

MOST_GROUPS = 500


def letters(differ: NDArray[np.bool_]) -> list[str]:
    """Letters of runs, in the order given: two runs share one exactly where they do not differ.

    Examples
    --------
    >>> differ = np.zeros((3, 3), dtype=bool)
    >>> differ[0, 2] = differ[2, 0] = True
    >>> letters(differ)
    ['a', 'ab', 'b']
    """
    groups: list[frozenset[int]] = [frozenset(range(len(differ)))]
    for first, second in zip(*np.nonzero(np.triu(differ)), strict=True):
        groups = maximal_groups([part for group in groups for part in separate(group, int(first), int(second))])
        if len(groups) > MOST_GROUPS:
            raise InputError(
                f"there are more than {MOST_GROUPS} groups of runs that do not differ: letters would not help. "
                "Look at the pairs.",
                kind="size",
            )
    groups.sort(key=sorted)
    return ["".join(letter(k) for k, group in enumerate(groups) if run in group) for run in range(len(differ))]


def separate(group: frozenset[int], first: int, second: int) -> list[frozenset[int]]:
    """A group without one and without the other of two runs that differ."""
    return [group - {first}, group - {second}] if {first, second} <= group else [group]


def maximal_groups(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """Without groups that are part of another."""
    unique = list(dict.fromkeys(groups))
    return [group for group in unique if not any(group < other for other in unique)]


def letter(k: int) -> str:
    """A to z, then with a number behind."""
    return chr(ord("a") + k % 26) + (str(k // 26) if k >= 26 else "")
