"""What the pictures of evaluations show: which rows, in which order, under which title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from tiebreak._base.text import join_names, plural
from tiebreak.results.labels import LONGEST_FACET, short_names
from tiebreak.results.plots import Drawing, Picture
from tiebreak.results.theme import COLORS, FAINT, STRONG

MOST_REQUESTS, MOST_TIES = 50, 5
"""Requests with bars, and those shown where all tie."""
MOST_MARKS = 8
"""Letters beside an interval."""
MOST_PLACES = 200
"""Points of a line of sorted values."""
BOUNDS = ("low", "high")
THIS, MIDDLE = "this run", "median of the runs"


def leaderboard(
    title: str,
    rows: Iterable[Any],
    notes: tuple[str, ...] = (),
    marks: Mapping[tuple[str, str], str] | None = None,
    *,
    has_one_scale: bool = False,
) -> Drawing:
    """Means with intervals of every run by every measure: run, measure, value, low, high; marks are beside them."""
    rows = list(rows)
    names, measures = short_names(row[0] for row in rows), list(dict.fromkeys(row[1] for row in rows))
    is_one = len(measures) == 1
    if marks and max(map(len, marks.values())) > MOST_MARKS:
        notes, marks = ("There is no room for so many letters: the pictures heat and groups show what differs.",), None
    picture = Picture(
        "interval",
        "value",
        "run",
        facet=None if is_one else "measure",
        band=BOUNDS,
        text=None if marks is None else "mark",
        titles=(("value", measures[0] if is_one else ""), ("run", "")),
        own_scales=() if is_one or has_one_scale else ("x",),
        title=title,
        notes=notes,
    )
    of_rows = ((marks or {}).get((run, measure), "") for run, measure, *_ in rows)
    drawn = [(names[run], *others, mark) for (run, *others), mark in zip(rows, of_rows, strict=True)]
    return Drawing(picture, ("run", "measure", "value", *BOUNDS, "mark"), drawn)


def rank_intervals(measure: str, rows: Iterable[tuple[str, float, int, int]], notes: tuple[str, ...]) -> Drawing:
    """Runs from the best, with 95% intervals of their ranks: run, rank, low, high."""
    picture = Picture(
        "interval",
        "rank",
        "run",
        band=BOUNDS,
        titles=(("run", ""),),
        title=f"{measure}: ranks with 95% bootstrap intervals, 1 is best",
        notes=notes,
    )
    rows = list(rows)
    names = short_names(row[0] for row in rows)
    return Drawing(picture, ("run", "rank", *BOUNDS), [(names[run], *others) for run, *others in rows])


def bump_chart(ranks: Mapping[str, Mapping[str, int]], title: str = "") -> Drawing:
    """The rank of every run by every measure; those that tie keep the order of the measure before.

    `ranks` are by measure, then run.
    """
    names = short_names(run for by_run in ranks.values() for run in by_run)
    rows: list[tuple[Any, ...]] = []
    before: dict[str, int] = {}
    first: dict[str, int] = {}
    for measure, by_run in ranks.items():
        order = sorted(by_run, key=lambda run: (by_run[run], before.get(run, 0), run))
        places = {run: place for place, run in enumerate(order, 1)}
        first = first or places
        for run, place in places.items():
            tied = [places[other] for other in order if by_run[other] == by_run[run]]
            mark = "=" if len(tied) > 1 else ""
            rows.append((measure, place, first[run], f"{by_run[run]}{mark}  {names[run]}", min(tied), max(tied)))
        before = places
    picture = Picture(
        "bump",
        "measure",
        "place",
        color="first",
        text="label",
        band=("tie_low", "tie_high"),
        title=title or f"Ranks of {plural(len(first), 'run')} by {join_names(list(ranks), most=4)}, 1 is best",
        notes=("Runs that tie share a rank, marked by = and a grey bar.",)
        if any(low < high for *_, low, high in rows)
        else (),
    )
    return Drawing(picture, ("measure", "place", "first", "label", "tie_low", "tie_high"), rows)


def sorted_values(
    measure: str, values: Mapping[str, Sequence[float]], unit: str = "request", notes: tuple[str, ...] = ()
) -> Drawing:
    """The values of every run from the worst request to the best; of many runs each beside the median run."""
    ordered = {run: sorted(numbers) for run, numbers in values.items()}
    number = max(map(len, ordered.values()), default=0)
    places = (
        range(number) if number <= MOST_PLACES else [k * (number - 1) // (MOST_PLACES - 1) for k in range(MOST_PLACES)]
    )
    runs = sorted(ordered, key=lambda run: (-fsum(ordered[run]), run))
    name = f"{measure} of every {unit}, from the worst {unit} of a run to its best"
    titles = (("place", f"{unit}s, worst first"), ("value", measure), ("line", ""), ("run", ""))
    if len(runs) <= len(COLORS):
        short = short_names(runs)
        rows = [(short[run], k + 1, ordered[run][k]) for run in runs for k in places if k < len(ordered[run])]
        picture = Picture("line", "place", "value", color="run", titles=titles, title=name, notes=notes)
        return Drawing(picture, ("run", "place", "value"), rows)
    short = short_names(runs, LONGEST_FACET)
    middle = [median([ordered[run][k] for run in runs if k < len(ordered[run])]) for k in range(number)]
    lines = [
        (short[run], what, k + 1, numbers[k])
        for run in runs
        for what, numbers in ((THIS, ordered[run]), (MIDDLE, middle))
        for k in places
        if k < len(numbers)
    ]
    colors = ((THIS, STRONG), (MIDDLE, FAINT))
    picture = Picture("line", "place", "value", color="line", facet="run", titles=titles, title=name, colors=colors)
    return Drawing(picture, ("run", "line", "place", "value"), lines)


def median(numbers: Sequence[float]) -> float:
    ordered = sorted(numbers)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def recall_curve(
    title: str,
    positions: Mapping[str, Sequence[int | None]],
    notes: tuple[str, ...],
    where: str = "position in the ranking",
) -> Drawing:
    """How many relevant items rankings hold down to every position: by run, the positions of all levels.

    All lines are from position 1 to the deepest at which a ranking holds a relevant item.
    """
    names = short_names(positions)
    deepest = max((position for several in positions.values() for position in several if position), default=1)
    rows = []
    for run, several in positions.items():
        steps = [(position, level) for level, position in enumerate(several, 1) if position is not None]
        ends = {1: 0, deepest: len(steps)}
        rows += [(names[run], *step) for step in sorted((ends | dict(steps)).items())]
    titles = (("position", where), ("level", "relevant items found"), ("run", ""))
    color = "run" if len(positions) > 1 else None
    picture = Picture("step", "position", "level", color=color, is_log=True, titles=titles, title=title, notes=notes)
    return Drawing(picture, ("run", "position", "level"), rows)


def contribution_bars(
    measure: str, run: str, other: str, values: Sequence[tuple[str, float]], notes: tuple[str, ...] = ()
) -> Drawing:
    """The preference in every request that does not tie, of many those with the largest, the first run's first."""
    differing = [row for row in values if row[1]]
    rows = sorted(sorted(differing, key=lambda row: -abs(row[1]))[:MOST_REQUESTS], key=lambda row: -row[1])
    left_out = [f"The {len(rows)} largest values, of {len(differing):,}."] if len(rows) < len(differing) else []
    if ties := len(values) - len(differing):
        left_out.append(
            f"The runs tie in {'all' if not differing else f'{ties:,} of'} {plural(len(values), 'request')}."
        )
    names = short_names((run, other))
    better = {True: f"{names[run]} better", False: f"{names[other]} better"}
    picture = Picture(
        "bar",
        "value",
        "request",
        color="better",
        colors=tuple(zip(better.values(), COLORS, strict=False)),
        titles=(("value", measure), ("request", ""), ("better", "")),
        title=f"{measure} between {names[run]} and {names[other]} in every request",
        notes=(*left_out, *notes),
    )
    shown = rows or values[:MOST_TIES]
    return Drawing(picture, ("request", "value", "better"), [(name, v, better[v >= 0]) for name, v in shown])


def rank_gain_lines(title: str, rows: Iterable[tuple[str, int, float]], notes: tuple[str, ...]) -> Drawing:
    """What every rank of a list adds: list, rank, gain."""
    titles = (("gain", "discounted gain"), ("list", ""))
    picture = Picture("line", "rank", "gain", color="list", titles=titles, title=title, notes=notes)
    return Drawing(picture, ("list", "rank", "gain"), list(rows))
