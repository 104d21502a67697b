"""Where ties come from: the first relevant item, every recall level, and the level that decides (LP 2 and 3.6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError
from tiebreak.preferences import Pairs
from tiebreak.preferences.base import ENTRIES_AT_ONCE
from tiebreak.projection import UNRETRIEVED, Levels, Positions
from tiebreak.projection.primitives import Ranks
from tiebreak.results.plots import Picture
from tiebreak.studies._ties.counting import notes_on
from tiebreak.studies.base import Findings

Counts = NDArray[np.int64]
MOST_DIFFERENCES = 0.9
"""The share of differences for which the summary says how many levels were needed, as LP does."""


def levels_of(positions: Positions) -> Levels:
    if len(positions.runs) < 2:
        raise InputError("a comparison needs at least two runs; there is one.", kind="runs")
    return positions.levels()


def others_alike(values: NDArray[np.integer]) -> Counts:
    """How many of the other runs, along the first axis, have the same value.

    Examples
    --------
    >>> others_alike(np.array([[7], [2], [7], [7]])).ravel().tolist()
    [2, 0, 2, 2]
    """
    alike = np.empty(values.shape, dtype=np.int64)
    for run, value in enumerate(values):
        alike[run] = np.count_nonzero(values == value, axis=0) - 1
    return alike


def by_first_position(positions: Positions) -> Findings:
    """The chance that another run ties by RR with a ranking whose first relevant item stands at p_1 (LP Fig 3)."""
    levels = levels_of(positions)
    first = np.concatenate([bucket.p[..., 0] for bucket in levels.buckets()], axis=1)
    places, which = np.unique(first, return_inverse=True)
    rankings = np.bincount(which.ravel(), minlength=len(places))
    tied = np.bincount(which.ravel(), weights=others_alike(first).ravel()).astype(np.int64)
    compared = rankings * (len(positions.runs) - 1)
    rows = tuple(
        (None if place == UNRETRIEVED else place, n, among, t, t / among)
        for place, n, among, t in zip(places.tolist(), rankings.tolist(), compared.tolist(), tied.tolist(), strict=True)
    )
    at_top = f"; where it stands at the top, in {rows[0][-1]:.1%}" if rows[0][0] == 1 else ""
    return Findings(
        ("position", "rankings", "compared", "tied", "share"),
        rows,
        f"The first relevant item ties with that of another run in {tied.sum() / compared.sum():.1%} of comparisons"
        f"{at_top}.",
        (
            "Each ranking is compared with those of all other runs for the request: the chance of a tie by RR, given "
            "the position of its first relevant item; none (-) where it retrieves nothing relevant.",
            *notes_on(positions, {}),
        ),
        Picture(
            "point",
            "position",
            "share",
            is_log=True,
            titles=(("position", "position of the first relevant item"), ("share", "share of other runs that tie")),
        ),
    )


def by_level(positions: Positions, most: int) -> Findings:
    """The share of comparisons whose i-th relevant items stand at the same position, or nowhere (LP Fig 5)."""
    levels = levels_of(positions)
    most = min(most, max(bucket.m for bucket in levels.buckets()))
    requests, tied, unretrieved = np.zeros((3, most), dtype=np.int64)
    for bucket in levels.buckets():
        p = bucket.p[..., :most]
        alike = others_alike(p)
        here = slice(p.shape[-1])
        requests[here] += p.shape[1]
        tied[here] += alike.sum(axis=(0, 1)) // 2
        unretrieved[here] += np.where(p == UNRETRIEVED, alike, 0).sum(axis=(0, 1)) // 2
    compared = requests * (len(positions.runs) * (len(positions.runs) - 1) // 2)
    rows = tuple(
        (i + 1, kind, int(requests[i]), int(compared[i]), int(count[i]), int(count[i]) / int(compared[i]))
        for kind, count in (("all", tied), ("both unretrieved", unretrieved))
        for i in range(most)
    )
    return Findings(
        ("level", "ties", "requests", "compared", "tied", "share"),
        rows,
        f"Two runs tie at the first recall level in {tied[0] / compared[0]:.1%} of comparisons, at level {most} in "
        f"{tied[-1] / compared[-1]:.1%}, and {unretrieved[-1] / compared[-1]:.1%} because neither retrieves so many.",
        ("Of each level, the requests that have so many relevant items.", *notes_on(positions, {})),
        Picture(
            "line",
            "level",
            "share",
            color="ties",
            titles=(("level", "recall level"), ("share", "share of comparisons that tie")),
        ),
    )


def by_deciding_level(positions: Positions) -> Findings:
    """How many recall levels must be looked at until two runs differ: its distribution (LP Fig 6)."""
    levels = levels_of(positions)
    rows: list[tuple[int, str, int, float]] = []
    said: list[str] = []
    for measure, is_reversed in (("LexiPrecision", False), ("LexiRecall", True)):
        decided = looked_at(levels, is_reversed)
        if not decided.any():
            raise InputError("all runs place their relevant items alike: nothing is ever decided.", kind="empty")
        share = np.cumsum(decided) / decided.sum()
        needed = int(np.searchsorted(share, MOST_DIFFERENCES)) + 1
        said.append(f"{measure} needs {needed}")
        rows += [(i + 1, measure, int(n), float(share[i])) for i, n in enumerate(decided.tolist())]
    return Findings(
        ("levels", "measure", "decided", "share"),
        tuple(rows),
        f"Recall levels that must be looked at to decide {MOST_DIFFERENCES:.0%} of the differences: {', '.join(said)}.",
        (
            "Lexiprecision looks from the first level down, lexirecall from the last up. Shares are of the comparisons "
            "that are decided at all.",
            *notes_on(positions, {}),
        ),
        Picture(
            "step",
            "levels",
            "share",
            color="measure",
            is_log=True,
            titles=(("levels", "recall levels looked at"), ("share", "share of differences decided")),
        ),
        spread="measure",
    )


def looked_at(levels: Levels, is_reversed: bool) -> Counts:
    """How many comparisons are decided at the first, second, ... level that is looked at."""
    counts = np.zeros(max(bucket.m for bucket in levels.buckets()), dtype=np.int64)
    for p in blocks(levels):
        ordered = p[..., ::-1] if is_reversed else p
        for fan in Pairs.all(len(p)).fans:
            differs = ordered[fan.run] != ordered[fan.others]
            first = differs.argmax(axis=-1)[differs.any(axis=-1)]
            counts += np.bincount(first, minlength=len(counts))
    return np.trim_zeros(counts, "b")


def blocks(levels: Levels) -> Iterator[Ranks]:
    for bucket in levels.buckets():
        for block in bucket.blocks(ENTRIES_AT_ONCE):
            yield bucket.p[:, block]
