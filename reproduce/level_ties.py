"""The first relevant item, and the recall level that decides between two runs (LP Figs 3, 6)."""

from __future__ import annotations

import numpy as np

from tiebreak.errors import InputError
from tiebreak.experiment import Experiment
from tiebreak.preferences import Pairs
from tiebreak.preferences.base import ENTRIES_AT_ONCE
from tiebreak.projection import UNRETRIEVED, Levels
from tiebreak.results.plots import Picture
from tiebreak.studies._ties import Counts, count_equal_runs
from tiebreak.studies.base import Findings, data_notes

MOST_DIFFERENCES = 0.9
"""The share of differences for which the conclusion says how many levels were needed, as LP does."""


def ties_by_first_position(experiment: Experiment) -> Findings:
    """The probability that another run ties by RR with a ranking whose first relevant item is at p_1 (LP Fig 3)."""
    positions = experiment.positions
    first = np.concatenate([bucket.p[..., 0] for bucket in positions.levels().buckets()], axis=1)
    places, which = np.unique(first, return_inverse=True)
    rankings = np.bincount(which.ravel(), minlength=len(places))
    tied = np.bincount(which.ravel(), weights=count_equal_runs(first).ravel()).astype(np.int64)
    compared = rankings * (len(positions.runs) - 1)
    rows = tuple(
        (None if place == UNRETRIEVED else place, n, among, t, t / among)
        for place, n, among, t in zip(places.tolist(), rankings.tolist(), compared.tolist(), tied.tolist(), strict=True)
    )
    at_top = f"; where it is at the top, in {rows[0][-1]:.1%}" if rows[0][0] == 1 else ""
    titles = (("position", "position of the first relevant item"), ("share", "share of other runs that tie"))
    return Findings(
        ("position", "rankings", "compared", "tied", "share"),
        rows,
        f"The first relevant item ties with that of another run in {tied.sum() / compared.sum():.1%} of comparisons"
        f"{at_top}.",
        (
            "Each ranking is compared with those of all other runs for the request: the probability of a tie by RR, "
            "given the position of its first relevant item; none (-) where it retrieves nothing relevant.",
            *data_notes(positions),
        ),
        Picture("point", "position", "share", is_log=True, titles=titles),
    )


def deciding_levels(experiment: Experiment) -> Findings:
    """The distribution of the number of recall levels at which two runs first differ (LP Fig 6)."""
    positions = experiment.positions
    rows: list[tuple[int, str, int, float]] = []
    needed: list[str] = []
    for measure, step in (("LexiPrecision", 1), ("LexiRecall", -1)):
        decided = count_deciding_levels(positions.levels(), step)
        if not decided.any():
            raise InputError("all runs have their relevant items at the same positions: no differences.", kind="empty")
        share = np.cumsum(decided) / decided.sum()
        needed.append(f"{measure} needs {int(np.searchsorted(share, MOST_DIFFERENCES)) + 1}")
        rows += [(i + 1, measure, int(n), float(share[i])) for i, n in enumerate(decided.tolist())]
    titles = (("levels", "recall levels compared"), ("share", "share of differences decided"))
    return Findings(
        ("levels", "measure", "decided", "share"),
        tuple(rows),
        f"Recall levels to compare to decide {MOST_DIFFERENCES:.0%} of the differences: {', '.join(needed)}.",
        (
            "Lexiprecision starts at the first level, lexirecall at the last. Shares are of the comparisons that are "
            "decided at all.",
            *data_notes(positions),
        ),
        Picture("step", "levels", "share", color="measure", is_log=True, titles=titles),
        spread="measure",
    )


def count_deciding_levels(levels: Levels, step: int) -> Counts:
    """How many comparisons are decided at the first, second, ... level from the top, or from the bottom."""
    counts = np.zeros(max(bucket.m for bucket in levels.buckets()), dtype=np.int64)
    for bucket in levels.buckets():
        for block in bucket.blocks(ENTRIES_AT_ONCE):
            p = bucket.p[:, block, ::step]
            for fan in Pairs.all(len(p)).fans:
                differs = p[fan.run] != p[fan.others]
                first = differs.argmax(axis=-1)[differs.any(axis=-1)]
                counts += np.bincount(first, minlength=len(counts))
    return np.trim_zeros(counts, "b")
