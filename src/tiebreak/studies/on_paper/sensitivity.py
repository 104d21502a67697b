"""Where a metric looks: at the first relevant item or at the last, and what the worst-off user gets (LR 3.1, 7.2.4)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise

import numpy as np

from tiebreak._base.text import join_names
from tiebreak.analysis.theory import (
    precision_orientation,
    recall_orientation,
    worst_case_is_tse,
    worst_case_of_optimal_ranker,
)
from tiebreak.errors import InputError
from tiebreak.metrics import LevelMetric, Metric, recall_level_form
from tiebreak.metrics.rank_based import TotalSearchEfficiency
from tiebreak.metrics.recall_level import RecallLevelMetric
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.on_paper.asked import Asked, View, all_vectors

EQUAL = 1e-9
"""Losses that are no further apart are equal."""
WAYS = {"precision": precision_orientation, "recall": recall_orientation}
MOST_ENUMERATED = 15
"""Relevant items up to which all users, 2^m - 1, are gone through."""
FIXED, DRAWN = "fixed order", "drawn order"


def orientation(asked: Asked) -> Findings:
    """Both orientations of every metric for every number of relevant items."""
    (n,) = asked.items
    tasks = [(way, name, metric, m) for m in asked.relevant for way in WAYS for name, metric in asked.metrics]

    def one(task: tuple[str, str, Metric, int]) -> tuple[str, int, str, float]:
        way, name, metric, m = task
        scaled = isinstance(metric, TotalSearchEfficiency) and m < n
        return name, m, way, WAYS[way](metric, n, m, scaled=scaled)

    rows = tuple(run_tasks(one, tasks, asked.jobs, asked.tick))
    return Findings(("measure", "relevant", "orientation", "loss"), rows, leaders(rows), orders(asked, rows), LINES)


def leaders(rows: Iterable[tuple[str, int, str, float]]) -> str:
    """Which metric is the most oriented, and for which m others are."""
    said = [leader(way, [row for row in rows if row[2] == way]) for way in WAYS]
    return " ".join(said)


def leader(way: str, rows: list[tuple[str, int, str, float]]) -> str:
    """The metric that loses most for most numbers of relevant items, ties included, with the exceptions."""
    by_m: dict[int, dict[str, float]] = {}
    for name, m, _, loss in rows:
        by_m.setdefault(m, {})[name] = loss
    names = dict.fromkeys(name for name, *_ in rows)
    leads = {name: [m for m, of in by_m.items() if of[name] >= max(of.values()) - EQUAL] for name in names}
    most = max(map(len, leads.values()))
    best = [name for name in names if len(leads[name]) == most]
    exceptions = [
        f"m = {m}, where {join_names([name for name in names if of[name] > of[best[0]] + EQUAL])} would lose more"
        for m, of in by_m.items()
        if m not in leads[best[0]]
    ]
    but = f", except for {'; '.join(exceptions)}" if exceptions else ""
    return f"Most {way}-oriented: {' = '.join(best)}{but}."


def orders(asked: Asked, rows: Iterable[tuple[str, int, str, float]]) -> tuple[str, ...]:
    """All metrics in order, by m, and what was scaled."""
    (n,) = asked.items
    said = [
        f"{n:,} items. Precision: the first relevant item falls from the top to just above the others; recall: the "
        f"last one falls from just below the others to the bottom (LR 3.1).",
    ]
    if any(isinstance(metric, TotalSearchEfficiency) for _, metric in asked.metrics):
        said.append("TSE is scaled by its range for each m, as in LR Fig 5; other metrics are not.")
    for way in WAYS:
        of_m = [(m, in_order({r[0]: r[3] for r in rows if r[1] == m and r[2] == way})) for m in asked.relevant]
        spans = [(order, [m for m, _ in same]) for order, same in groupby(of_m, key=lambda pair: pair[1])]
        said += [f"{way.capitalize()}, m = {span(ms)}: {order}." for order, ms in spans]
    return tuple(said)


def in_order(losses: dict[str, float]) -> str:
    """Names from the largest loss down, with = between equal ones."""
    ordered = sorted(losses, key=lambda name: -losses[name])
    said = ordered[0]
    for before, name in pairwise(ordered):
        said += (" = " if losses[before] - losses[name] <= EQUAL else " > ") + name
    return said


def span(ms: list[int]) -> str:
    return f"{ms[0]}" if len(ms) == 1 else f"{ms[0]} to {ms[-1]}"


LINES = Picture(
    "line",
    "relevant",
    "loss",
    color="measure",
    facet="orientation",
    titles=(("relevant", "relevant items"), ("loss", "loss of value")),
)
# LR does not print the persistence of its RBP; 0.5 is that of the authors' code.
ORIENTATION = View(
    orientation,
    (10**5,),
    tuple(range(1, 16)),
    ("RR", "nDCG", "AP", "R@1000", "RP", "RBP(p=0.5)", "TSE"),
    one_n=True,
    of_metrics=True,
)


def stochastic(asked: Asked) -> Findings:
    """The worst-off user of an optimal ranking, in a fixed order and in a drawn one."""
    for name, metric in asked.metrics:
        check_reach(name, metric, max(asked.relevant))
    tasks = [(name, metric, m) for name, metric in asked.metrics for m in asked.relevant]

    def one(task: tuple[str, Metric, int]) -> list[tuple[str, int, str, float]]:
        name, metric, m = task
        fixed, drawn = worst_cases(metric, m)
        return [(name, m, FIXED, fixed), (name, m, DRAWN, drawn)]

    rows = tuple(row for part in run_tasks(one, tasks, asked.jobs, asked.tick) for row in part)
    largest = max(asked.relevant)
    last = {(name, ranker): value for name, m, ranker, value in rows if m == largest}
    said = ", ".join(f"{name} {last[name, FIXED]:.3f} -> {last[name, DRAWN]:.3f}" for name, _ in asked.metrics)
    never = all(last_of[1] >= last_of[0] - EQUAL for last_of in pairs_of(rows))
    return Findings(
        ("measure", "relevant", "order", "worst_case"),
        rows,
        f"With {largest} relevant items a drawn order gives the worst-off user: {said}. "
        f"{'It never gives less' if never else 'In some cases it gives less'} than a fixed one.",
        (
            "An optimal ranking has all relevant items above all others; the worst-off user wants some of them "
            "(LR 7.2.4).",
            f"By LR theorem C.1 for top-heavy metrics whose exposure strictly decreases; for others all users are gone "
            f"through, up to {MOST_ENUMERATED} relevant items.",
        ),
        PER_ORDER,
    )


def pairs_of(rows: Iterable[tuple[str, int, str, float]]) -> list[tuple[float, float]]:
    """The values of a fixed and of a drawn order, which follow each other."""
    found = [row[3] for row in rows]
    return list(zip(found[::2], found[1::2], strict=True))


def check_reach(name: str, metric: Metric, largest: int) -> None:
    if not by_theorem(metric, largest) and largest > MOST_ENUMERATED:
        raise InputError(
            f"{name}: all users are gone through, up to {MOST_ENUMERATED} relevant items; {largest} were asked for.",
            kind="size",
        )


def by_theorem(metric: Metric, m: int) -> bool:
    try:
        return worst_case_is_tse(metric, m)
    except InputError:  # no sum over recall levels, such as a function of the user's own
        return False


def worst_cases(metric: Metric, m: int) -> tuple[float, float]:
    """What the worst-off user gets in a fixed and in a drawn order of m items."""
    if by_theorem(metric, m):
        return worst_case_of_optimal_ranker(metric, m), worst_case_of_optimal_ranker(metric, m, stochastic=True)
    return worst_of_all_users(metric, m)


def worst_of_all_users(metric: Metric, m: int) -> tuple[float, float]:
    """The same from all users: in a drawn order, who wants s items finds any s of the m positions alike."""
    form: LevelMetric | RecallLevelMetric = metric if isinstance(metric, LevelMetric) else recall_level_form(metric)
    by_size = [form.score(all_vectors(m, size)[None])[0] for size in range(1, m + 1)]
    return float(min(np.min(of) for of in by_size)), float(min(np.mean(of) for of in by_size))


PER_ORDER = Picture(
    "line",
    "relevant",
    "worst_case",
    color="order",
    facet="measure",
    titles=(("relevant", "relevant items"), ("worst_case", "worst-off user")),
    own_scales=True,
)
STOCHASTIC = View(stochastic, (), tuple(range(1, 26)), ("AP", "nDCG", "RR", "RBP(p=0.8)"), of_metrics=True)
