"""What the pictures of groups of requests show: the same for each, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any

from tiebreak._base.text import join_names, plural
from tiebreak.results.pair_pictures import pair_pictures
from tiebreak.results.pairs import PairRows
from tiebreak.results.pictures import bump_chart, leaderboard, rank_intervals
from tiebreak.results.plots import Drawing

if TYPE_CHECKING:
    from tiebreak.results.record import Result

GROUP = "group of requests"
SAME_ORDER = "Runs are in the same order in every group: by the sum of their preferences."
MEAN_RANK = "Runs by their mean rank."


def group_pictures(parts: Mapping[str, Result], sizes: Mapping[str, int]) -> Mapping[str, Callable[[], Drawing]]:
    """The pictures of results of one kind, by group: pairs of runs, or orders."""
    left_out = [group for group in sizes if group not in parts]
    notes = (f"Too few requests: {join_names(left_out)}.",) if left_out else ()
    titles = {group: f"{group} ({plural(sizes[group], 'request')})" for group in parts}
    first = next(iter(parts.values()))
    if first.has_pairs:
        return pairs_by_group(parts, titles, notes)
    return orders_by_group(parts, titles) if "rank" in first.columns else {}


def pairs_by_group(
    parts: Mapping[str, Result], titles: Mapping[str, str], notes: tuple[str, ...]
) -> Mapping[str, Callable[[], Drawing]]:
    """Pairs of the same runs in the same order in every group."""
    first = next(iter(parts.values()))
    measure = next(iter(first.records()))["measure"]
    runs = joint_order([PairRows(part, measure) for part in parts.values()])
    pictures = {
        titles[group]: pair_pictures(part, measure, part.settings.get("baselines", ()), runs)
        for group, part in parts.items()
    }

    def facets(kind: str) -> Drawing:
        return by_group({title: one[kind]() for title, one in pictures.items()}, list(parts), (SAME_ORDER, *notes))

    return {kind: partial(facets, kind) for kind in next(iter(pictures.values()))}


def joint_order(several: Sequence[PairRows]) -> list[str]:
    """The runs by the sum of their preferences in all groups, the best first."""
    sums: dict[str, list[float]] = {}
    for pairs in several:
        for run, other, value, *_ in pairs.rows:
            sums.setdefault(run, []).append(value)
            sums.setdefault(other, []).append(-value)
    return sorted(sums, key=lambda run: (-fsum(sums[run]), run))


def orders_by_group(parts: Mapping[str, Result], titles: Mapping[str, str]) -> Mapping[str, Callable[[], Drawing]]:
    """Orders: their rank intervals if there are any, else their scores; and the ranks in every group."""
    records: dict[str, list[Mapping[str, Any]]] = {titles[group]: list(part.records()) for group, part in parts.items()}
    (first, *_), *_ = records.values()
    total: dict[str, float] = {}
    for row in (row for rows in records.values() for row in rows):
        total[row["run"]] = total.get(row["run"], 0) + row["rank"]
    measure, has_intervals = first["measure"], "low" in first

    def drawing(rows: Sequence[Mapping[str, Any]]) -> Drawing:
        rows = sorted(rows, key=lambda row: (total[row["run"]], row["run"]))
        if has_intervals:
            return rank_intervals(measure, [(row["run"], row["rank"], row["low"], row["high"]) for row in rows], ())
        scores = [(row["run"], "score", row["score"], None, None) for row in rows]
        return leaderboard(f"{measure} by {first['by']}: scores", scores)

    ranks = {title: {row["run"]: row["rank"] for row in rows} for title, rows in records.items()}
    title = f"{measure}: ranks of {plural(len(ranks[next(iter(ranks))]), 'run')} in every group, 1 is best"
    return {
        "ranks" if has_intervals else "scores": lambda: by_group(
            {one: drawing(rows) for one, rows in records.items()}, list(parts), (MEAN_RANK,)
        ),
        "bump": lambda: bump_chart(ranks, title),
    }


def by_group(drawings: Mapping[str, Drawing], groups: Sequence[str], notes: tuple[str, ...]) -> Drawing:
    """Drawings of the same kind as facets of one; a note that is not of all says of which groups it is."""
    first = next(iter(drawings.values()))
    owners: dict[str, list[str]] = {}
    for group, drawing in zip(groups, drawings.values(), strict=True):
        for note in drawing.picture.notes:
            owners.setdefault(note, []).append(group)
    own_notes = (
        note if len(several) == len(groups) else f"{join_names(several)}: {note}" for note, several in owners.items()
    )
    picture = replace(
        first.picture,
        facet=GROUP,
        title=f"{first.picture.title}, in every {GROUP}",
        notes=(*own_notes, *notes),
    )
    rows = [(title, *row) for title, drawing in drawings.items() for row in drawing.rows]
    return Drawing(picture, (GROUP, *first.names), rows)
