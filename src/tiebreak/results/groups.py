"""Results of one kind for every group of requests, as one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from tiebreak._base.text import join_names
from tiebreak.results.cells import Cell, Row, column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Result

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

NEEDED = "needed_overall"
"""The column of requests that a group needs to show the difference over all requests, not its own."""


ALL = "all"


def label_for_all(groups: Iterable[str]) -> str:
    """What all requests are called beside groups: all, in parentheses where a group is called so.

    Examples
    --------
    >>> label_for_all(["de", "fr"]), label_for_all(["all", "none"])
    ('all', '(all)')
    """
    label, names = ALL, {*groups}
    while label in names:
        label = f"({label})"
    return label


def count_column(name: str) -> Cell:
    """Numbers that may be infinite, without decimals."""
    return lambda row, digits: f"{row[name]:,.0f}" if isfinite(row[name]) else "-"


def names_only(row: Sequence[Any]) -> list[Any]:
    """A row with its names, and None in place of numbers."""
    return [value if isinstance(value, str) else None for value in row]


@dataclass(frozen=True, eq=False, repr=False)
class GroupResults(Drawable, Result):
    """Results of one kind for every group of requests, with the number of requests of each.

    Attributes
    ----------
    parts : dict
        The result of every group that has one; the rows of others have no numbers. The last one may be that of all
        requests.
    sizes : dict
        The number of requests of every group.
    needed : list of float
        For every row of a part, how many requests a group needs to show the difference over all requests; infinite
        where no number suffices.
    label_for_all : str, optional
        What all requests are called among the parts, where they are one.
    gaps : tuple of str
        Notes on how far groups are apart.
    """

    parts: Mapping[str, Result]
    sizes: Mapping[str, int]
    needed: Sequence[float] = ()
    more_notes: tuple[str, ...] = ()
    label_for_all: str | None = None
    gaps: tuple[str, ...] = ()
    _internals: ClassVar[tuple[str, ...]] = ("first", "more_notes", "label_for_all", "gaps")

    @property
    def first(self) -> Result:
        """The result of the first group, which says what all are like."""
        return next(iter(self.parts.values()))

    def __getitem__(self, group: str) -> Result:
        return self.parts[group]

    def letter_table(self) -> GroupResults:
        """Of tests: the compact letters of every group that was tested."""
        parts: Mapping[str, Any] = self.parts
        notes = tuple(note for note in self.more_notes if not note.startswith(NEEDED))
        letters = {group: part.letter_table() for group, part in parts.items()}
        sizes = {group: self.sizes[group] for group in letters}
        return replace(self, parts=letters, sizes=sizes, needed=(), more_notes=notes, gaps=())

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
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Those of every group side by side; of orders, also ranks by group."""
        from tiebreak.results.group_pictures import group_pictures

        return group_pictures(self.parts, self.sizes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds for all groups, and what is said of each."""
        return (*self.more_notes, *self.gaps, *self._notes())

    def _notes(self) -> Iterator[str]:
        groups: dict[str, list[str]] = {}
        for group, part in self.parts.items():
            for note in part.notes:
                groups.setdefault(note, []).append(group)
        for note, several in groups.items():
            yield note if len(several) == len(self.parts) else f"{join_names(several, most=5)}: {note}"

    @property
    def settings(self) -> dict[str, Any]:
        groups = [group for group in self.parts if group != self.label_for_all]
        return {"groups": groups, **self.first.settings, **self.more_settings}

    @property
    def table_cells(self) -> Mapping[str, Cell] | None:
        cells = self.first.table_cells
        if cells is None:
            return None
        # What names a row comes before numbers, so that it is seen in every block of a narrow terminal.
        names = ("group", *(name for name in ("run", "other") if name in cells), "requests")
        return {**{name: column(name) for name in names}, **self._or_dash(cells), **self._needed_cell()}

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
    def optional_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.first.optional_columns, NEEDED)

    @property
    def has_pairs(self) -> bool:  # type: ignore[override]
        return self.first.has_pairs

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
