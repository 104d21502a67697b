"""Compact letter display: runs that share a letter were not shown to differ (Piepho 2004)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError

MOST_GROUPS = 500


def letters(differ: NDArray[np.bool_]) -> list[str]:
    """Letters of runs, in the order given: two runs share a letter if and only if they do not differ."""
    groups: list[frozenset[int]] = [frozenset(range(len(differ)))]
    for first, second in zip(*np.nonzero(np.triu(differ)), strict=True):
        groups = maximal_groups([part for group in groups for part in split_group(group, int(first), int(second))])
        if len(groups) > MOST_GROUPS:
            raise InputError(
                f"more than {MOST_GROUPS} groups of runs do not differ, too many for a compact letter display. "
                "Use the table of pairs.",
                kind="size",
            )
    groups.sort(key=sorted)
    return ["".join(letter(k) for k, group in enumerate(groups) if run in group) for run in range(len(differ))]


def split_group(group: frozenset[int], first: int, second: int) -> list[frozenset[int]]:
    """The group without either of two runs that differ, if it contains both."""
    return [group - {first}, group - {second}] if {first, second} <= group else [group]


def maximal_groups(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """Without groups that are part of another."""
    unique = list(dict.fromkeys(groups))
    return [group for group in unique if not any(group < other for other in unique)]


def letter(k: int) -> str:
    """Letters a to z, then a1, b1, ..."""
    return chr(ord("a") + k % 26) + (str(k // 26) if k >= 26 else "")
