"""Results of one kind for every group of requests, as one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from tiebreak.results.cells import Cell, Row, column
from tiebreak.results.record import Result

NEEDED = "needed_overall"
"""The column of requests that a group needs to show the difference over all requests, not its own."""


def count_column(name: str) -> Cell:
    """Numbers that may be infinite, without decimals."""
    return lambda row, digits: f"{row[name]:,.0f}" if isfinite(row[name]) else "-"


def names_only(row: Sequence[Any]) -> list[Any]:
    """A row with its names, and None in place of numbers."""
    return [value if isinstance(value, str) else None for value in row]


@dataclass(frozen=True, eq=False, repr=False)
class GroupResults(Result):
    """Results of one kind for every group of requests, with the number of requests of each.

    Attributes
    ----------
    parts : dict
        The result of every group that has one; the rows of others have no numbers.
    sizes : dict
        The number of requests of every group.
    needed : list of float
        For every row of a part, how many requests a group needs to show the difference over all requests; infinite
        where no number suffices.
    """

    parts: Mapping[str, Result]
    sizes: Mapping[str, int]
    needed: Sequence[float] = ()
    more_notes: tuple[str, ...] = ()

    @property
    def first(self) -> Result:
        """The result of the first group, which says what all are like."""
        return next(iter(self.parts.values()))

    def __getitem__(self, group: str) -> Result:
        return self.parts[group]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("group", "requests", *self.first.columns, *((NEEDED,) if self.needed else ()))

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of all groups."""
        return [
            (group, self.sizes[group], *row, *self.needed[k : k + 1])
            for group in self.sizes
            for k, row in enumerate(self._part_rows(group))
        ]

    def _part_rows(self, group: str) -> Sequence[Sequence[Any]]:
        """The rows of a group; where it has no result, the names in those of another."""
        if group in self.parts:
            return self.parts[group].rows()
        return [names_only(row) for row in self.first.rows()]

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds for all groups, and what is said of each."""
        return (*self.more_notes, *self._notes())

    def _notes(self) -> Iterator[str]:
        shared = [note for note in self.first.notes if all(note in part.notes for part in self.parts.values())]
        for group, part in self.parts.items():
            yield from (f"{group}: {note}" for note in part.notes if note not in shared)
        yield from shared

    @property
    def settings(self) -> dict[str, Any]:
        return {"groups": list(self.parts), **self.first.settings, **self.more_settings}

    @property
    def table_cells(self) -> Mapping[str, Cell] | None:
        cells = self.first.table_cells
        before = {name: column(name) for name in ("group", "requests")}
        return None if cells is None else {**before, **self._or_dash(cells), **self._needed_cell()}

    def _or_dash(self, cells: Mapping[str, Cell]) -> dict[str, Cell]:
        """Cells with a dash for the numbers of groups without a result."""

        def or_dash(name: str, cell: Cell) -> Cell:
            def text(row: Row, digits: int) -> str:
                return cell(row, digits) if row["group"] in self.parts or isinstance(row.get(name), str) else "-"

            return text

        return {name: or_dash(name, cell) for name, cell in cells.items()}

    def _needed_cell(self) -> dict[str, Cell]:
        return {NEEDED: count_column(NEEDED)} if self.needed else {}

    @property
    def spread(self) -> str | None:
        return self.first.spread

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {**self._or_dash(self.first.spread_cells or {"": column("value")}), **self._needed_cell()}

    @property
    def marked_column(self) -> str:  # type: ignore[override]
        return self.first.marked_column

    @property
    def mark(self) -> str:  # type: ignore[override]
        return self.first.mark

    @property
    def trec_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        measure, *others = self.first.trec_columns or ("",)
        return (measure, *dict.fromkeys(["request", *others])) if measure else ()  # the group in place of a request

    def is_marked(self, row: Row) -> bool:
        part = self.parts.get(row["group"])
        return part is not None and part.is_marked({name: row[name] for name in part.columns})
