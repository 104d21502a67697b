"""One form of result: named columns, rows, notes and settings. Everything that people and programs read follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from tiebreak._base.checks import check_count
from tiebreak._base.text import format_signed, plural
from tiebreak.results.formats import finite, to_frame
from tiebreak.results.tables import Table

MOST_ROWS = 200
"""Rows that a terminal or a notebook shows."""
MOST_DIGITS = 17
Row: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = Callable[[Row, int], str]
"""A row and a number of digits -> the text of one cell."""
RowType = TypeVar("RowType", bound=tuple[Any, ...])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """Rows under named columns, with notes and settings, and the data frame `library` that the caller uses.

    What is a property here is in subclasses a class attribute or a field, or a property where it depends on the rest.
    """

    library: str | None = None
    more_settings: Mapping[str, Any] = field(default_factory=dict)
    marked_column: ClassVar[str] = "value"
    """The column of the table in which rows are emphasised."""
    mark: ClassVar[str] = ""
    """What is written after emphasised values."""
    trec_columns: ClassVar[tuple[str, ...]] = ()
    """The columns of ``--format trec``, where they are not measure, request and value."""

    if TYPE_CHECKING:  # a field may have no default

        @property
        def columns(self) -> tuple[str, ...]:
            """Their names."""

    def rows(self) -> Sequence[Sequence[Any]]:
        """A sequence of values per row, in the order of `columns`; `records` have them by name."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers has to know, in sentences."""
        return ()

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for, and how."""
        return dict(self.more_settings)

    @property
    def table_cells(self) -> Mapping[str, Cell] | None:
        """The columns of the table for people, by their titles; by default all columns."""
        return None

    @property
    def spread(self) -> str | None:
        """In the table each value of this column is a column of its own."""
        return None

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        """The cells of columns that are spread; the first is titled by the value."""
        return {}

    def is_marked(self, row: Row) -> bool:
        """Whether a row is emphasised in tables."""
        return False

    def summary(self) -> Result:
        """What a terminal or a notebook shows of it."""
        return self

    def records(self) -> Iterator[Row]:
        """A dictionary per row."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows())

    def to_dict(self) -> dict[str, Any]:
        """``{"settings": {...}, "notes": [...], "rows": [{column: value}, ...]}``; None for NaN and infinities."""
        return {
            "settings": finite(self.settings),
            "notes": list(self.notes),
            "rows": [finite(record) for record in self.records()],
        }

    def to_frame(self) -> Any:
        """A data frame with the columns, of the caller's own library or of the first that is installed."""
        return to_frame(self.columns, self.rows(), self.library)

    def table(self, digits: int = 4, most: int | None = MOST_ROWS) -> Table:
        """The first rows as text, with the notes under them; all rows where `most` is None."""
        return joint_table([self], digits, most)

    def to_latex(self, digits: int = 4) -> str:
        """A ``tabular`` for the package booktabs."""
        return self.summary().table(digits, None).to_latex()

    def to_markdown(self, digits: int = 4) -> str:
        """A table in Markdown."""
        return self.summary().table(digits, None).to_markdown()

    def _repr_html_(self) -> str:
        return self.summary().table().to_html()

    def __repr__(self) -> str:
        return self.summary().table().to_text()


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Result, Generic[RowType]):
    """A result that is nothing but rows, notes and settings."""

    values: tuple[RowType, ...]
    notes: tuple[str, ...] = ()

    def rows(self) -> tuple[RowType, ...]:
        return self.values


class LazyRows(Sequence[RowType]):
    """A sequence of rows that are made when they are looked at: there may be millions."""

    def __init__(self, length: int, make: Callable[[], Iterator[RowType]]) -> None:
        self.length, self.make = length, make

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[RowType]:
        return self.make()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        return next(islice(self, range(self.length)[index], None))

    def __repr__(self) -> str:
        return f"<{plural(self.length, 'row')}>"


def joint_table(results: Sequence[Result], digits: int = 4, most: int | None = MOST_ROWS) -> Table:
    """Results of one kind as one table: below each other, or side by side where they can be spread."""
    check_digits(digits)
    first = results[0]
    is_spread = first.spread is not None and (first.table_cells is None or len(results) > 1)
    table = _spread_table(results, digits, most) if is_spread else _long_table(results, digits, most)
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return replace(table, notes=(*notes, *table.notes))


def check_digits(digits: int) -> None:
    check_count(digits, "digits", low=0, high=MOST_DIGITS)


def _long_table(results: Sequence[Result], digits: int, most: int | None) -> Table:
    """The rows of one result after those of the other."""
    first = results[0]
    shown = first.table_cells or {name: column(name) for name in first.columns}
    if len(results) > 1 and "measure" in first.columns:
        shown = {"measure": column("measure"), **shown}
    rows: list[tuple[str, ...]] = []
    marked: set[tuple[int, int]] = set()
    total = 0
    for result in results:
        for record in result.records():
            total += 1
            if most is not None and total > most:
                continue
            cells = {title: cell(record, digits) for title, cell in shown.items()}
            if first.marked_column in shown:
                cells[first.marked_column] += mark_or_space(result, record)
                if result.is_marked(record):
                    marked.add((len(rows), list(shown).index(first.marked_column)))
            rows.append(tuple(cells.values()))
    return Table(tuple(shown), tuple(rows), not_shown(total - len(rows)), frozenset(marked))


def mark_or_space(result: Result, record: Row) -> str:
    """What follows a value: the mark if it is emphasised, or as much space."""
    return result.mark if result.is_marked(record) else " " * len(result.mark)


def _spread_table(results: Sequence[Result], digits: int, most: int | None) -> Table:
    """A row for every combination of the columns before the one that is spread, without empty columns."""
    first = results[0]
    spread, cells = str(first.spread), first.spread_cells or {"": column("value")}
    keys = first.columns[: first.columns.index(spread)]
    values: dict[str, int] = {}
    rows: dict[tuple[Any, ...], dict[str, tuple[str, ...]]] = {}
    marked: list[tuple[tuple[Any, ...], str]] = []
    for result in results:
        for record in result.records():
            key, value = tuple(record[name] for name in keys), record[spread]
            values.setdefault(value, len(values))
            row = rows.setdefault(key, {})
            if most is None or len(rows) <= most:
                main, *others = (cell(record, digits) for cell in cells.values())
                row[value] = (main + mark_or_space(result, record), *others)
                marked += [(key, value)] if result.is_marked(record) else []
    used = [k for k in range(len(keys)) if any(key[k] is not None for key in rows)]
    nothing = ("-",) * len(cells)
    body = [
        (*(text(key[k], digits) for k in used), *(cell for value in values for cell in row.get(value, nothing)))
        for key, row in islice(rows.items(), most)
    ]
    index = {key: r for r, key in enumerate(rows)}
    best = frozenset((index[key], len(used) + len(cells) * values[value]) for key, value in marked)
    header = (*(keys[k] for k in used), *(title or value for value in values for title in cells))
    return Table(header, tuple(body), not_shown(len(rows) - len(body)), best)


def not_shown(rows: int) -> tuple[str, ...]:
    """A note on rows that a table leaves out."""
    return (f"{plural(rows, 'more row')} not shown; other formats list all.",) if rows else ()


def column(name: str) -> Cell:
    """A column as it is."""
    return lambda row, digits: text(row[name], digits)


def signed_column(name: str) -> Cell:
    """A column of numbers with their signs."""
    return lambda row, digits: format_signed(row[name], digits)


def text(value: Any, digits: int) -> str:
    """A value for people: counts with separators, other numbers with some digits."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
