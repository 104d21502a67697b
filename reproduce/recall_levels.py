"""What recall levels tell of each other and add to differences (LP Table 1, Fig 7; RPP Figs 2, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, find_run
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.metrics import RecallLevelMetric
from tiebreak.metrics import metric as find_metric
from tiebreak.metrics.search_length import UNION, AverageSearchLength, union_sizes
from tiebreak.preferences import Preference
from tiebreak.preferences import preference as find_preference
from tiebreak.preferences.rpp import RecallPairedPreference
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
LEVEL_MEASURES = ("RPP", "AP", "binary_nDCG", "RBP(p=0.8)", "RR")
"""Those of RPP Fig 4."""


class LevelRow(NamedTuple):
    """What one level adds to the difference by a measure, and the precision at which both runs reach it."""

    measure: str
    level: int
    difference: float
    share: float
    precision: float
    other_precision: float
    requests: int


class LevelSum(NamedTuple):
    """A measure as a sum over recall levels."""

    name: str
    levels: Levels
    contribution: Contribution


def level_sum(measure: Any, positions: Positions) -> LevelSum:
    """What a measure adds by level: z(i, m) (e(p_i) - e(p'_i)); for RPP sgn(p'_i - p_i), for ASL (p'_i - p_i) / m."""
    name, entry = measure_name(measure), find_level_measure(measure)
    if isinstance(entry, RecallPairedPreference):
        return LevelSum(name, positions.levels(entry.rel), lambda x, y: pair_signs(x, y).astype(np.float64))
    if isinstance(entry, AverageSearchLength):
        return LevelSum(name, finite_levels(entry, positions), lambda x, y: (y.astype(np.int64) - x) / x.shape[-1])
    form = entry.on(positions)
    if not isinstance(form, RecallLevelMetric):
        raise InputError(
            f"{name} is not a sum over recall levels on these judgements. Try AP, binary_nDCG or RPP.", kind="spec"
        )
    return LevelSum(name, positions.levels(form.rel), form.level_differences)


def finite_levels(metric: AverageSearchLength, positions: Positions) -> Levels:
    """Positions with unretrieved items at the end of the corpus; its size must be known where there are any."""
    levels = positions.levels(metric.rel)
    if metric.n is not None:
        return levels.pessimistic(union_sizes(positions, metric.rel) if metric.n == UNION else metric.n)
    levels.each(metric.finite_length)
    return levels


def find_level_measure(measure: Any) -> Any:
    """The metric or RPP that is meant; another preference is refused."""
    if not isinstance(measure, Preference):
        try:
            return find_metric(measure)
        except UnknownNameError:
            pass
    entry = find_preference(measure)
    if type(entry) is not RecallPairedPreference or entry.weights != "uniform":
        raise InputError(f"{entry} is not a sum over recall levels. Try RPP, AP or binary_nDCG.", kind="spec")
    return entry


def contributions_by_level(
    experiment: Experiment,
    measures: Any = LEVEL_MEASURES,
    *,
    run: str | None = None,
    other: str | None = None,
    request: str | None = None,
) -> Findings:
    """What every level adds to the difference of two runs: of one request, or the mean over those that have it."""
    positions = experiment.positions
    x, y = two_runs(positions.runs, run, other)
    place = None if request is None else positions.requests.place(str(request), "request")
    rows = tuple(row for one in list_measures(measures) for row in level_rows(level_sum(one, positions), x, y, place))
    if not rows:
        raise InputError(f"request {request} has nothing relevant.", kind="empty")
    names = positions.runs[x], positions.runs[y]
    first = "; ".join(f"{row.measure} {abs(row.share):.0%}" for row in rows if row.level == 1)
    over = "the mean over requests with so many relevant items" if request is None else f"request {request}"
    titles = (("level", "recall level"), ("line", "measure or run"))
    return Findings(
        LevelRow._fields,
        rows,
        f"{names[0]} minus {names[1]}: the first level's share of all contributions is {first}.",
        (
            f"difference: {over}. share: the difference over the sum of all levels' absolute differences.",
            "precision: of both runs where they reach the level, uninterpolated.",
        ),
        Picture("line", "level", "value", color="line", facet="what", is_log=True, titles=titles),
        drawn=(("what", "line", "level", "value"), tuple(level_curves(rows, names))),
    )


def two_runs(runs: tuple[str, ...], run: str | None, other: str | None) -> tuple[int, int]:
    """The indices of the runs that were asked for; by default of the first two."""
    x = find_run(run, runs) if run is not None else int(other is not None and find_run(other, runs) == 0)
    y = find_run(other, runs) if other is not None else int(x == 0)
    if x == y:
        raise InputError(f"{runs[x]} cannot be compared with itself. Give two runs.", kind="runs")
    return x, y


def level_rows(one: LevelSum, x: int, y: int, place: int | None) -> list[LevelRow]:
    """A row per level of a measure."""
    by_level: dict[int, list[tuple[float, ...]]] = {}
    for bucket in one.levels.buckets():
        kept = slice(None) if place is None else bucket.requests == place
        p, other = bucket.p[x, kept], bucket.p[y, kept]
        values = np.stack([one.contribution(p, other), precision(p), precision(other)], axis=-1)
        for of_request in values.tolist():
            for i, of_level in enumerate(of_request, start=1):
                by_level.setdefault(i, []).append(of_level)
    means = {i: np.mean(values, axis=0).tolist() for i, values in sorted(by_level.items())}
    size = sum(abs(mean[0]) for mean in means.values())
    return [
        LevelRow(one.name, i, mean, mean / size if size > 0 else 0.0, ours, theirs, len(by_level[i]))
        for i, (mean, ours, theirs) in means.items()
    ]


def precision(p: Ranks) -> Floats:
    """Precision where level i is reached, i / p_i; 0 where it is not: [..., m]."""
    return np.where(p == UNRETRIEVED, 0.0, np.arange(1, p.shape[-1] + 1) / p)


def level_curves(rows: tuple[LevelRow, ...], names: tuple[str, str]) -> Iterator[tuple[Any, ...]]:
    """Contributions of all measures, then the precision of both runs, which is the same whatever the measure."""
    yield from (("share of all contributions", row.measure, row.level, row.share) for row in rows)
    of_one = [row for row in rows if row.measure == rows[0].measure]
    yield from (("precision", names[0], row.level, row.precision) for row in of_one)
    yield from (("precision", names[1], row.level, row.other_precision) for row in of_one)


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
    level_sums = [level_sum(measure, experiment.positions) for measure in list_measures(measures)]
    tasks = [(k, block) for k, one in enumerate(level_sums) for block in by_request(one.levels)]
    parts = run_tasks(lambda task: count_contributions(task[1], level_sums[task[0]].contribution), tasks, jobs)
    sums = [
        sum((part for (of, _), part in zip(tasks, parts, strict=True) if of == k), ZERO) for k in range(len(level_sums))
    ]
    rows, near_zero = [], []
    for one, (*below, near, total) in zip(level_sums, (counts.tolist() for counts in sums), strict=True):
        rows += [(one.name, at, count / total) for at, count in zip(GRID.tolist(), below, strict=True)]
        near_zero.append(f"{one.name} {near / total:.1%}")
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


def surface(experiment: Experiment, measures: Any = CONTRIBUTORS, deepest: int = DEEPEST) -> Findings:
    """What one level contributes by its two positions, for a request with one relevant item (RPP Fig 2, left)."""
    check_count(deepest, "deepest", 2, 1000)
    places = np.arange(1, deepest + 1, dtype=np.int32)
    x, y = (side.ravel()[:, None, None] for side in np.meshgrid(places, places, indexing="ij"))
    rows = tuple(
        (one.name, *row)
        for one in (level_sum(measure, experiment.positions) for measure in list_measures(measures))
        for row in zip(x.ravel().tolist(), y.ravel().tolist(), one.contribution(x, y).ravel().tolist(), strict=True)
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
