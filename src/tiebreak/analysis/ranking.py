"""The positions of one ranking's relevant items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import find_run
from tiebreak._base.text import plural
from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak.errors import InputError
from tiebreak.projection import Positions
from tiebreak.results.cells import Cell, column, grade_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


class RankedItem(NamedTuple):
    """A relevant item, the first of them at level 1; its position is None where the run does not retrieve it."""

    level: int
    position: int | None
    item: str
    grade: float


class RankingPositions(Drawable, Rows[RankedItem]):
    """The relevant items of a request and their positions in a run, the best first."""

    columns = RankedItem._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in ("level", "position", "item")},
        "grade": grade_column("grade"),
    }

    @property
    def positions(self) -> list[int | None]:
        """The increasing positions p of the relevant items; None for those that are not retrieved."""
        return [row.position for row in self.values]

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """How many relevant items the ranking holds down to every position."""
        from tiebreak.results.pictures import recall_curve

        run, request = self.settings["run"], self.settings["request"]
        title = f"Request {request}: relevant items that {run} holds down to each position"
        return {"levels": lambda: recall_curve(title, {run: self.positions}, self.notes[:1])}


def ranking_positions(positions: Positions, run: str, request: str) -> RankingPositions:
    """Where the relevant items of a request are in a run; those that it misses last, by id.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({"q": {"a": 1, "b": 2, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}})
    >>> exp.explain("run1", request="q").positions
    [1, 3, None]
    """
    place = positions.requests.place(request, "request")
    one = positions.take_runs([find_run(run, positions.runs)]).take_requests([place]).only_relevant()
    if not len(one.item):
        raise InputError(f"request {request} has no relevant item, so there is nothing to explain.", kind="request")
    items = [
        (rank, one.items[int(item)], grade) for rank, item, grade in zip(one.ranks[0], one.item, one.grade, strict=True)
    ]
    rows = tuple(
        RankedItem(level, None if rank == UNRETRIEVED else int(rank), item, float(grade))
        for level, (rank, item, grade) in enumerate(sorted(items), 1)
    )
    missed = int(np.count_nonzero(one.ranks == UNRETRIEVED))
    notes = (f"Request {request} in {run}: {plural(len(rows), 'relevant item')}, {missed:,} of them not retrieved.",)
    settings = {"run": run, "request": request}
    return RankingPositions(rows, notes, library=positions.library, more_settings=settings)
