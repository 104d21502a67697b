"""What the pictures of pairs of runs show: which pairs, in which order, under which title."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tiebreak._base.text import format_signed, join_names
from tiebreak.results.labels import LONGEST_IN_PAIR, short_names
from tiebreak.results.pairs import PairRows
from tiebreak.results.plots import Drawing, Picture
from tiebreak.results.theme import CELL_NUMBERS, FAINT, STRONG

if TYPE_CHECKING:
    from tiebreak.results.record import Result

MOST_PAIRS = 40
"""With more pairs, a forest plot shows those of neighbours."""
FEW_PAIRS = 10
"""Up to so many pairs are drawn one by one, more as a heat map."""
BOUNDS = ("low", "high")
DIFFERS, NO_DIFFERENCE = "difference shown", "no difference shown"


class PairPictures(PairRows):
    """What pictures show of pairs."""

    def rule(self) -> list[str]:
        """When a difference is shown, without the mark."""
        return [f"Shown: {note[2:]}" for note in self.notes]

    def forest(self, baselines: Sequence[str] = ()) -> Drawing:
        """Every pair with its mean and interval; of many pairs every run with the next in the order."""
        place = {run: k for k, run in enumerate(self.order())}
        rows = [row if baselines or place[row[0]] < place[row[1]] else swap(row) for row in self.rows]
        rows.sort(key=lambda row: (0 if self.runs else -row[2], place[row[0]], place[row[1]]))
        notes = ("Right of 0 the first run is better.",) if len(baselines) != 1 else ()
        if not baselines and len(rows) > MOST_PAIRS:
            rows = sorted((row for row in rows if place[row[1]] - place[row[0]] == 1), key=lambda row: place[row[0]])
            notes = (*notes, f"Every run with the next one in the order: {len(rows)} of {len(self.rows):,} pairs.")
        over = f"over {join_names(list(baselines))}" if baselines else "between pairs of runs"
        picture = Picture(
            "interval",
            "value",
            "pair",
            color="test",
            has_zero=True,
            colors=((DIFFERS, STRONG), (NO_DIFFERENCE, FAINT)),
            band=BOUNDS,
            titles=(("value", f"mean preference by {self.measure}"), ("pair", ""), ("test", "")),
            title=f"{self.measure}: mean preference {over}, with {self.confidence} intervals",
            notes=(*notes, *self.rule(), *self.intervals),
        )
        alone, paired = short_names(place), short_names(place, LONGEST_IN_PAIR)
        values = [
            (
                alone[run] if len(baselines) == 1 else f"{paired[run]} - {paired[other]}",
                *numbers,
                DIFFERS if is_shown else NO_DIFFERENCE,
            )
            for run, other, *numbers, is_shown in rows
        ]
        return Drawing(picture, ("pair", "value", *BOUNDS, "test"), values)

    def heat_map(self) -> Drawing:
        """The mean preference of the run of each row over that of each column, both from the best to the worst."""
        runs = self.order()
        known = {(run, other): (value, shown) for run, other, value, _, _, shown in self.rows}
        known |= {(other, run): (0.0 - value, shown) for run, other, value, _, _, shown in self.rows}
        has_numbers = len(runs) <= CELL_NUMBERS
        names = short_names(runs)
        rows = []
        for run in runs:
            for other in runs:
                value, is_shown = known.get((run, other), (None, False))
                number = format_signed(value, 2) if has_numbers and value is not None else ""
                number = number.replace("-", "\N{MINUS SIGN}")
                mark = ("*" if has_numbers else "\N{BULLET}") if is_shown else ""
                rows.append((names[run], names[other], value, number + mark))
        marked = tuple(note if has_numbers else "\N{BULLET}" + note[1:] for note in self.notes)
        picture = Picture(
            "heat",
            "other",
            "run",
            color="value",
            text="mark",
            titles=(("value", "mean preference"), ("run", ""), ("other", "")),
            title=f"{self.measure}: mean preference of every run over every other, the best run first",
            notes=("Positive where the run of the row is better than that of the column.", *marked),
        )
        return Drawing(picture, ("run", "other", "value", "mark"), rows)

    def groups(self) -> Drawing:
        """Lines over neighbouring runs of which no two were shown to differ (Demsar 2006)."""
        runs = self.order()
        place = {run: k for k, run in enumerate(runs)}
        differ = {frozenset((place[run], place[other])) for run, other, *_, is_shown in self.rows if is_shown}
        names = list(short_names(runs).values())
        joint = list(joint_intervals(len(runs), differ))
        joined = {frozenset(pair) for first, last in joint for pair in combinations(range(first, last + 1), 2)}
        notes = ["A line joins neighbours of which no two were shown to differ."]
        if len(joined | differ) < len(self.rows):
            notes.append("Runs without a common line need not differ: heat shows every pair.")
        rows = [
            (names[k], str(number), names[first], names[last])
            for number, (first, last) in enumerate(joint, 1)
            for k in range(first, last + 1)
        ]
        picture = Picture(
            "groups",
            "group",
            "run",
            band=("first", "last"),
            titles=(("run", ""), ("group", "")),
            title=f"{self.measure}: groups of runs that were not shown to differ, the best run first",
            notes=(*notes, *self.rule()),
        )
        return Drawing(picture, ("run", "group", "first", "last"), rows)


def swap(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A pair with the other run first."""
    run, other, value, low, high, is_shown = row
    return other, run, 0.0 - value, 0.0 - high, 0.0 - low, is_shown


def joint_intervals(number: int, differ: Collection[frozenset[int]]) -> Iterator[tuple[int, int]]:
    """The longest intervals of 0, 1, ..., number - 1 without a pair that differs: the first and the last of each."""
    reached = -1
    for first in range(number):
        last = first
        while last + 1 < number and not any(frozenset((k, last + 1)) in differ for k in range(first, last + 1)):
            last += 1
        if last > reached:
            yield first, last
            reached = last


def pair_pictures(
    result: Result, measure: str, baselines: Sequence[str] = (), runs: Sequence[str] | None = None
) -> Mapping[str, Callable[[], Drawing]]:
    """The pictures of pairs: against baselines, or if they are few, one by one first."""
    pairs = PairPictures(result, measure, runs)
    forest = {"forest": lambda: pairs.forest(baselines)}
    heat = {"heat": pairs.heat_map}
    kinds = forest | heat if len(pairs.rows) <= FEW_PAIRS else heat | forest
    return forest if baselines else kinds | {"groups": pairs.groups}
