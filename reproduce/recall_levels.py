"""What recall levels tell of each other and add to differences (LP Table 1, Fig 7; RPP Fig 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count
from tiebreak.analysis.disaggregation import level_sum
from tiebreak.experiment import Experiment
from tiebreak.projection import Levels, Positions
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks, dense_rank, pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import list_measures, measure_name

CONTRIBUTORS = ("RBP(p=0.5)", "binary_nDCG", "RPP")
"""The measures of RPP Fig 2."""


class Agreed(NamedTuple):
    """How many (pair of runs, request) differ at level 1, and for how many sgnLP and RR_2 of the others agree."""

    differ: int
    lexiprecision: int
    second: int


def suffix(experiment: Experiment, jobs: int = 1) -> Findings:
    """How often preferences based on levels 2 to m agree with the first level where that differs."""
    differ, *agreed = suffix_agreement(experiment.positions.levels(), jobs)
    rows = tuple(
        (name, differ, agree, agree / differ if differ else None)
        for name, agree in zip(("sgnLP", "RR_2"), agreed, strict=True)
    )
    conclusion = (
        f"Given that RR differs, sgnLP of the later levels agrees with it for {agreed[0] / differ:.2%} of {differ:,} "
        f"(pair of runs, request), RR_2 for {agreed[1] / differ:.2%}."
        if differ
        else "RR differs nowhere."
    )
    return Findings(
        ("prediction", "differ", "agree", "share"),
        rows,
        conclusion,
        ("A tied prediction is no agreement, nor is a request with one relevant item, which has no later levels.",),
        Picture("bar", "share", "prediction", titles=(("share", "share that agrees with RR"),)),
    )


def suffix_agreement(levels: Levels, jobs: int = 1) -> Agreed:
    """The counts over all pairs of runs and all requests.

    Examples
    --------
    >>> import tiebreak as tb
    >>> suffix_agreement(tb.positions([[1, 3, 4], [2, 3, 5]]).levels())      # sgnLP of (3, 4) and (3, 5) agrees
    Agreed(differ=1, lexiprecision=1, second=0)
    """
    blocks = [bucket.p[:, block] for bucket in levels.buckets() for block in bucket.blocks()]
    parts = run_tasks(count_agreed, blocks, jobs)
    return Agreed(*(sum(part[k] for part in parts) for k in range(3)))


def count_agreed(p: Ranks) -> Agreed:
    """The counts of requests with one number of relevant items: ``p[run, request, m]``."""
    x, y = np.triu_indices(len(p), 1)
    first = pair_signs(p[x, :, 0], p[y, :, 0])
    if p.shape[-1] == 1:
        return Agreed(int(np.count_nonzero(first)), 0, 0)
    rank = dense_rank(p[..., 1:])
    predictions = pair_signs(rank[x], rank[y]), pair_signs(p[x, :, 1], p[y, :, 1])
    agree = (int(np.count_nonzero((first == sign) & (first != 0))) for sign in predictions)
    return Agreed(int(np.count_nonzero(first)), *agree)


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


def locality(experiment: Experiment, levels: int = LEVELS, window: int = WINDOW, jobs: int = 1) -> Findings:
    """Correlations of differences in 1/p_i between levels, and regressions of each on the levels that follow."""
    check_count(levels, "levels", 2, 100)
    check_count(window, "window", 1, levels - 1)
    buckets = list(experiment.positions.levels().buckets())
    blocks = [bucket.p[:, request, :levels] for bucket in buckets for request in range(len(bucket.requests))]
    parts = run_tasks(products, blocks, jobs)
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
        next_is_best(rows),
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


def next_is_best(rows: tuple[Fit, ...]) -> str:
    """Whether the next level is the best predictor, by form."""
    counts = []
    for form in FORMS:
        groups: dict[int, list[Fit]] = {}
        for row in rows:
            if row.form == form and row.coefficient is not None:
                groups.setdefault(row.level, []).append(row)
        best = sum(max(group, key=weight).later == group[0].level + 1 for group in groups.values())
        counts.append(f"{form} {best} of {len(groups)}")
    return f"Levels whose next level has the largest coefficient: {', '.join(counts)}."


def weight(row: Fit) -> float:
    return row.coefficient or 0.0


def curves(rows: tuple[Fit, ...]) -> Iterator[tuple[Any, ...]]:
    """Correlations of every form, then coefficients."""
    for statistic in ("r", "coefficient"):
        for row in rows:
            if (value := getattr(row, statistic)) is not None:
                yield f"{row.form}: {statistic}", row.level, row.later, value


# Contributions to differences


Contribution: TypeAlias = Callable[[Ranks, Ranks], Floats]
"""What every level [..., m] adds to the difference of two rankings; positive where the first is better."""
GRID = np.arange(-100, 101) / 100
NEAR = 0.01
TOLERANCE = 1e-12
"""Contributions are floats: they may miss a value of the grid by this much."""
DEEPEST = 25
SLICES = (1, 2, 5, 10, 25)
"""Positions of the other ranking's item that are drawn of a surface."""
ZERO = np.zeros(len(GRID) + 2, dtype=np.int64)


def difference(experiment: Experiment, measures: Any = CONTRIBUTORS, jobs: int = 1) -> Findings:
    """The distribution of what levels contribute, over all pairs of runs, both ways, and requests (RPP Fig 2)."""
    several = list_measures(measures)
    level_sums = [level_sum(measure, experiment.positions) for measure in several]
    tasks = [(k, block) for k, one in enumerate(level_sums) for block in by_request(one.levels)]
    parts = run_tasks(lambda task: count_contributions(task[1], level_sums[task[0]].differences), tasks, jobs)
    sums = [
        sum((part for (of, _), part in zip(tasks, parts, strict=True) if of == k), ZERO) for k in range(len(level_sums))
    ]
    rows, near_zero = [], []
    names = map(measure_name, several)
    for name, (*below, near, total) in zip(names, (counts.tolist() for counts in sums), strict=True):
        rows += [(name, at, count / total) for at, count in zip(GRID.tolist(), below, strict=True)]
        near_zero.append(f"{name} {near / total:.1%}")
    picture = Picture(
        "step", "difference", "share", facet="measure", titles=(("share", "share of levels with at most this"),)
    )
    return Findings(
        ("measure", "difference", "share"),
        tuple(rows),
        f"Contributions of a level below {NEAR:g} in size: {', '.join(near_zero)}.",
        (
            count_moved(experiment.positions),
            "share: of the levels of all pairs of runs, both ways, those that contribute at most this difference.",
        ),
        picture,
    )


def by_request(levels: Levels) -> Iterator[Ranks]:
    """``p[run, m]`` of every request."""
    return (bucket.p[:, q] for bucket in levels.buckets() for q in range(len(bucket.requests)))


def count_contributions(p: Ranks, contribution: Contribution) -> Any:
    """How many contributions of one request are at most each value of the grid, how many are near 0, and all."""
    x, y = np.triu_indices(len(p), 1)
    one_way = np.sort(contribution(p[x], p[y]).ravel())
    at_most = np.searchsorted(one_way, GRID + TOLERANCE, side="right")
    # The other way round every contribution has the other sign: d <= v there is d >= -v here.
    at_least = len(one_way) - np.searchsorted(one_way, -GRID - TOLERANCE, side="left")
    near = 2 * np.count_nonzero(np.abs(one_way) < NEAR - TOLERANCE)
    return np.array([*(at_most + at_least), near, 2 * len(one_way)], dtype=np.int64)


def count_moved(positions: Positions) -> str:
    """How many levels stand at other positions in the two rankings."""
    differ = every = 0
    for p in by_request(positions.levels()):
        x, y = np.triu_indices(len(p), 1)
        differ += int(np.count_nonzero(p[x] != p[y]))
        every += len(x) * p.shape[-1]
    return f"In {differ / every:.1%} of {every:,} levels of pairs of runs the positions differ."


def between(x: Ranks, y: Ranks, measure: Any, experiment: Experiment) -> Floats:
    return level_sum(measure, experiment.positions).differences(x, y)


def surface(experiment: Experiment, measures: Any = CONTRIBUTORS, deepest: int = DEEPEST) -> Findings:
    """What one level contributes by its two positions, for a request with one relevant item (RPP Fig 2, left)."""
    check_count(deepest, "deepest", 2, 1000)
    places = np.arange(1, deepest + 1, dtype=np.int32)
    x, y = (side.ravel()[:, None, None] for side in np.meshgrid(places, places, indexing="ij"))
    rows = tuple(
        (measure_name(measure), *row)
        for measure in list_measures(measures)
        for row in zip(*(side.ravel().tolist() for side in (x, y, between(x, y, measure, experiment))), strict=True)
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
    by_place = {row[:3]: row[3] for row in rows}
    names = dict.fromkeys(row[0] for row in rows)
    return "; ".join(
        f"{name} {by_place[name, 1, 2]:.3g} and {by_place[name, deepest - 1, deepest]:.3g}" for name in names
    )
