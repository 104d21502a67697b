"""Whether the next recall level is the best predictor of a difference (LP 3.6, Fig 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.analysis.theory import whole
from tiebreak.experiment import Experiment
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks, pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks

LEVELS, WINDOW = 8, 4
FORMS = ("plain", "cascaded", "sign")
"""Differences of 1/p_i; the same where all levels before i tie; their signs."""
Products: TypeAlias = "NDArray[np.float64]"
"""Sums of products of differences: [form, i, j, k], of levels j and k where what is asked for i is met."""


class Fit(NamedTuple):
    """How the difference of 1/p at a level goes with that at a later one.

    `slope` is of the one regressed on the other alone, `coefficient` of it among `window` later levels; None where no
    case varies, and where the window is not whole.
    """

    form: str
    level: int
    later: int
    r: float | None
    slope: float | None
    coefficient: float | None


def locality(
    experiment: Experiment, *, levels: int = LEVELS, window: int = WINDOW, jobs: int, tick: Tick | None
) -> Findings:
    """Correlations of differences in 1/p_i between levels, and regressions of each on the levels that follow."""
    whole("levels", levels, 2, 100)
    whole("window", window, 1, levels - 1)
    buckets = list(experiment.positions.levels().buckets())
    blocks = [bucket.p[:, request, :levels] for bucket in buckets for request in range(len(bucket.requests))]
    parts = run_tasks(products, blocks, jobs, tick)
    by_size = np.zeros((levels + 1, len(FORMS), levels, levels, levels))
    for block, part in zip(blocks, parts, strict=True):
        m = block.shape[-1]
        by_size[m][:, :m, :m, :m] += part
    # from_size[m]: requests with at least m relevant items.
    from_size = by_size[::-1].cumsum(axis=0)[::-1]
    rows = tuple(fits(from_size, levels, window))
    return Findings(
        Fit._fields,
        rows,
        summary(rows),
        (
            "Differences of 1/p_i, each pair of runs taken both ways: r and fits do not depend on the order of runs, "
            "and intercepts are 0. Requests count that have as many relevant items as the levels that are looked at.",
            f"coefficient: of the level regressed on the {window} that follow. cascaded: where all levels before tie. "
            "sign: signs in place of sizes.",
        ),
        Picture("line", "later", "value", color="level", facet="what", titles=(("later", "later level"),)),
        drawn=(("what", "level", "later", "value"), tuple(curves(rows))),
    )


def products(p: Ranks) -> Products:
    """Sums over all pairs of runs in one request: ``p[run, level]``."""
    x, y = np.triu_indices(len(p), 1)
    signs = pair_signs(p[x], p[y]).astype(np.float64)
    inverse = np.where(p == UNRETRIEVED, 0.0, 1 / p)
    sizes = inverse[x] - inverse[y]
    every = np.broadcast_to(sizes.T @ sizes, (p.shape[-1],) * 3)
    of_signs = np.broadcast_to(signs.T @ signs, every.shape)
    is_tied_before = np.cumsum(np.abs(signs), axis=1) - np.abs(signs) == 0
    cascaded = np.stack([sizes[tied].T @ sizes[tied] for tied in is_tied_before.T])
    return np.stack([every, cascaded, of_signs])


def fits(from_size: Floats, levels: int, window: int) -> Iterator[Fit]:
    for form, name in enumerate(FORMS):
        for i in range(levels - 1):
            last = i + window
            weights = coefficients(from_size[last + 1, form, i], i, last) if last < levels else [None] * levels
            for j in range(i + 1, levels):
                among = from_size[j + 1, form, i]
                r = ratio(among[i, j], float(np.sqrt(among[i, i]) * np.sqrt(among[j, j])))
                slope = ratio(among[i, j], float(among[j, j]))
                yield Fit(name, i + 1, j + 1, r, slope, weights[j - i - 1] if j <= last else None)


def coefficients(among: Floats, i: int, last: int) -> list[float | None]:
    """Least squares of level i on the levels after it up to the last; the shortest solution where there are several."""
    later = slice(i + 1, last + 1)
    if not among[later, later].any():
        return [None] * (last - i)
    solved: list[float | None] = np.linalg.lstsq(among[later, later], among[later, i], rcond=None)[0].tolist()
    return solved


def ratio(above: float, below: float) -> float | None:
    return float(above) / below if below > 0 else None


def summary(rows: tuple[Fit, ...]) -> str:
    """Whether the next level is the best predictor, by form."""
    said = []
    for form in FORMS:
        groups: dict[int, list[Fit]] = {}
        for row in rows:
            if row.form == form and row.coefficient is not None:
                groups.setdefault(row.level, []).append(row)
        best = sum(max(group, key=weight).later == group[0].level + 1 for group in groups.values())
        said.append(f"{form} {best} of {len(groups)}")
    return f"Levels whose next level has the largest coefficient: {', '.join(said)}."


def weight(row: Fit) -> float:
    return row.coefficient or 0.0


def curves(rows: tuple[Fit, ...]) -> Iterator[tuple[Any, ...]]:
    """Correlations of every form, then coefficients."""
    for statistic in ("r", "coefficient"):
        for row in rows:
            if (value := getattr(row, statistic)) is not None:
                yield f"{row.form}: {statistic}", row.level, row.later, value
