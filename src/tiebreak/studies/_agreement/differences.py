"""What recall levels contribute to differences, wherever they stand (RPP 2, Fig 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.experiment import Experiment
from tiebreak.projection import Levels, Positions
from tiebreak.projection.primitives import Ranks
from tiebreak.results.plots import Picture
from tiebreak.studies._agreement.levels import Contribution, by_level
from tiebreak.studies.base import Findings, run_tasks

GRID = np.arange(-100, 101) / 100
NEAR = 0.01
TOLERANCE = 1e-12
"""Contributions are floats: they may miss a value of the grid by this much."""
DEEPEST = 25
SLICES = (1, 2, 5, 10, 25)
"""Positions of the other ranking's item that are drawn of a surface."""
ZERO = np.zeros(len(GRID) + 2, dtype=np.int64)


def difference(experiment: Experiment, measures: list[Any], *, jobs: int, tick: Tick | None) -> Findings:
    """The distribution of what levels contribute, over all pairs of runs, both ways, and requests (RPP Fig 2)."""
    found = [by_level(measure, experiment.positions) for measure in measures]
    tasks = [(k, block) for k, one in enumerate(found) for block in requests_of(one.levels)]
    parts = run_tasks(lambda task: counted(task[1], found[task[0]].between), tasks, jobs, tick)
    sums = [sum((part for (of, _), part in zip(tasks, parts, strict=True) if of == k), ZERO) for k in range(len(found))]
    rows, said = [], []
    for one, (*below, near, total) in zip(found, (counts.tolist() for counts in sums), strict=True):
        rows += [(one.name, at, count / total) for at, count in zip(GRID.tolist(), below, strict=True)]
        said.append(f"{one.name} {near / total:.1%}")
    picture = Picture(
        "step", "difference", "share", facet="measure", titles=(("share", "share of levels with at most this"),)
    )
    return Findings(
        ("measure", "difference", "share"),
        tuple(rows),
        f"Contributions of a level below {NEAR:g} in size: {', '.join(said)}.",
        (
            moved(experiment.positions),
            "share: of the levels of all pairs of runs, both ways, those that contribute at most this difference.",
        ),
        picture,
    )


def requests_of(levels: Levels) -> Iterator[Ranks]:
    """``p[run, m]`` of every request."""
    return (bucket.p[:, q] for bucket in levels.buckets() for q in range(len(bucket.requests)))


def counted(p: Ranks, between: Contribution) -> Any:
    """How many contributions of one request are at most each value of the grid, how many are near 0, and all."""
    x, y = np.triu_indices(len(p), 1)
    one_way = np.sort(between(p[x], p[y]).ravel())
    at_most = np.searchsorted(one_way, GRID + TOLERANCE, side="right")
    # The other way round every contribution has the other sign: d <= v there is d >= -v here.
    at_least = len(one_way) - np.searchsorted(one_way, -GRID - TOLERANCE, side="left")
    near = 2 * np.count_nonzero(np.abs(one_way) < NEAR - TOLERANCE)
    return np.array([*(at_most + at_least), near, 2 * len(one_way)], dtype=np.int64)


def moved(positions: Positions) -> str:
    """How many levels stand at other positions in the two rankings."""
    differ = every = 0
    for p in requests_of(positions.levels()):
        x, y = np.triu_indices(len(p), 1)
        differ += int(np.count_nonzero(p[x] != p[y]))
        every += len(x) * p.shape[-1]
    return f"In {differ / every:.1%} of {every:,} levels of pairs of runs the positions differ."


def surface(
    experiment: Experiment, measures: list[Any], *, deepest: int = DEEPEST, jobs: int, tick: Tick | None
) -> Findings:
    """What one level contributes by its two positions, for a request with one relevant item (RPP Fig 2, left)."""
    whole("deepest", deepest, 2, 1000)
    places = np.arange(1, deepest + 1, dtype=np.int32)
    x, y = (side.ravel()[:, None, None] for side in np.meshgrid(places, places, indexing="ij"))
    rows = tuple(
        (one.name, *row)
        for one in (by_level(measure, experiment.positions) for measure in measures)
        for row in zip(x.ravel().tolist(), y.ravel().tolist(), one.between(x, y).ravel().tolist(), strict=True)
    )
    titles = (("position", "position"), ("other", "position in the other run"))
    return Findings(
        ("measure", "position", "other", "difference"),
        rows,
        f"Differences between positions 1 and 2, and {deepest - 1} and {deepest}: {ends(rows, deepest)}.",
        ("For a request with one relevant item; positive where the first position is better.",),
        Picture("line", "position", "difference", color="other", facet="measure", titles=titles),
        drawn=(("measure", "position", "other", "difference"), tuple(row for row in rows if row[2] in SLICES)),
    )


def ends(rows: tuple[tuple[Any, ...], ...], deepest: int) -> str:
    found = {row[:3]: row[3] for row in rows}
    names = dict.fromkeys(row[0] for row in rows)
    return "; ".join(f"{name} {found[name, 1, 2]:.3g} and {found[name, deepest - 1, deepest]:.3g}" for name in names)
