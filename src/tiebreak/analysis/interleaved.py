"""The list that balanced interleaving makes of two rankings, and what a user who clicks prefers (RPP 5.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import check_choice, check_count, find_pair
from tiebreak._base.text import format_signed
from tiebreak._kernels.interface import TopItems
from tiebreak.comparison import compare_pairs
from tiebreak.inputs.ids import Ids
from tiebreak.preferences import Pairs
from tiebreak.projection import Positions
from tiebreak.projection.position_table import take_top
from tiebreak.results.cells import Cell, column, grade_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


class InterleavedItem(NamedTuple):
    """One item of the list: the run it is from, and its position there, the smaller of its two.

    For relevant items: how many relevant items each run has up to that position, and the sign of the preference of a
    user who stops here.
    """

    rank: int
    item: str
    run: str
    position: int
    grade: float | None
    relevant: int | None
    other_relevant: int | None
    preferred: int | None


class InterleavedList(Drawable, Rows[InterleavedItem]):
    """Two rankings of a request as one list, from which users click relevant items."""

    columns = InterleavedItem._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in InterleavedItem._fields},
        "grade": grade_column("grade"),
    }
    optional_columns = ("grade", "preferred")

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Relevant items down to every rank of the list, by the run that they are from."""
        from tiebreak.results.pictures import recall_curve

        runs, request = (self.settings["run"], self.settings["other"]), self.settings["request"]
        ranks = {run: [row.rank for row in self.values if row.run == run and row.relevant] for run in runs}
        title = f"Request {request}: relevant items down to each rank of the interleaved list, by the run they are from"
        return {"levels": lambda: recall_curve(title, ranks, self.notes[2:3], "rank in the interleaved list")}


def interleave(x: Sequence[str], y: Sequence[str], is_first: bool = True) -> Iterator[tuple[str, bool, int]]:
    """Balanced interleaving (Joachims 2002): items, whether they are from x, and their positions there.

    Examples
    --------
    >>> [item for item, *_ in interleave("abc", "bcd")]
    ['a', 'b', 'c', 'd']
    """
    seen: set[str] = set()
    i = j = 0
    while i < len(x) or j < len(y):
        is_x = j >= len(y) or (i < len(x) and (i < j or (i == j and is_first)))
        item, position = (x[i], i + 1) if is_x else (y[j], j + 1)
        i, j = (i + 1, j) if is_x else (i, j + 1)
        if item not in seen:
            seen.add(item)
            yield item, is_x, position


def interleaved_list(
    positions: Positions, run: str, other: str, request: str, depth: int = 10, first: str | None = None
) -> InterleavedList:
    """The first items of two rankings, interleaved.

    Parameters
    ----------
    positions : Positions
        Read with the first `depth` items of every ranking.
    run, other, request : str
    depth : int
        How long the list is.
    first : str, optional
        The run that begins; by default `run`. Whichever begins, the preference is the same.
    """
    check_count(depth, "depth", low=1)
    check_choice(first or run, "first", (run, other))
    place = positions.requests.place(request, "request")
    pair = find_pair(run, other, positions.runs)
    rows = tuple(interleaved_items(positions, pair, place, depth, (first or run) == run))
    notes = (
        f"Request {request}: the first {len(rows)} items of {run} and {other}, interleaved; {first or run} begins.",
        "relevant and other_relevant: relevant items of each run up to the position, where a user who clicks this item "
        "stops; preferred: their sign.",
        describe_preference(positions, pair, place),
    )
    settings = {"run": run, "other": other, "request": request, "depth": depth, "first": first or run}
    return InterleavedList(rows, notes, library=positions.library, more_settings=settings)


def interleaved_items(
    positions: Positions, pair: tuple[int, int], place: int, depth: int, is_first: bool
) -> Iterator[InterleavedItem]:
    """The first items of the list, with what a user prefers who stops at one that is relevant."""
    assert positions.top is not None, "rankings were read with their first items"
    tops = [take_top(positions.top[k], np.array([place]), depth) for k in pair]
    grades = {name: grade for top in tops for name, grade in item_grades(positions, top)}
    relevant = positions.take_runs(pair).take_requests([place]).only_relevant()
    is_relevant = {relevant.items[int(item)] for item in relevant.item}
    x, y = ([*Ids(*top.items)] for top in tops)
    for rank, (item, is_x, position) in enumerate(islice(interleave(x, y, is_first), depth), 1):
        run = positions.runs[pair[0] if is_x else pair[1]]
        row = InterleavedItem(rank, item, run, position, grades.get(item), None, None, None)
        if item in is_relevant:
            mine, theirs = (int((ranks <= position).sum()) for ranks in relevant.ranks)
            row = row._replace(relevant=mine, other_relevant=theirs, preferred=(mine > theirs) - (mine < theirs))
        yield row


def describe_preference(positions: Positions, pair: tuple[int, int], place: int) -> str:
    """Which of two rankings OI prefers."""
    one = positions.take_requests([place])
    if not len(one.only_relevant().item):
        return "No item is relevant, so that OI, the mean over all relevant items of the list, has no value."
    ((value,),) = compare_pairs(one, "OI", Pairs.one(*pair)).values.tolist()
    better = f"prefers {positions.runs[pair[0 if value > 0 else 1]]}" if value else "ties them"
    verdict = f"OI, the mean over all relevant items of the list, {better} ({format_signed(value, 4)})."
    return f"{verdict} It is experimental and may change."


def item_grades(positions: Positions, top: TopItems) -> Iterator[tuple[str, float]]:
    """Items with their grades, of those that were judged."""
    if positions.judgements is not None:
        for name, entry in zip(Ids(*top.items), top.judgement.tolist(), strict=True):
            if entry >= 0:
                yield name, float(positions.judgements.grade[entry])
