"""One form of result: named columns, rows, notes and settings. Everything that people and programs read follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from tiebreak._base.checks import check_choice
from tiebreak._base.public_names import public_names
from tiebreak._base.text import plural
from tiebreak.results.cells import MOST_ROWS, Cell, Row
from tiebreak.results.formats import FRAMES, finite, to_frame

if TYPE_CHECKING:
    from tiebreak.results.tables import Table

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
    optional_columns: ClassVar[tuple[str, ...]] = ()
    """Titles of the table that a narrow terminal leaves out, the first first."""
    has_pairs: ClassVar[bool] = False
    """Whether rows are pairs of runs, with means and marks: those of many runs are shown as a matrix."""
    mark: ClassVar[str] = ""
    """What is written after emphasised values."""
    trec_columns: ClassVar[tuple[str, ...]] = ()
    """The columns of ``--format trec``, where they are not measure, request and value."""
    _internals: ClassVar[tuple[str, ...]] = (
        *("library", "more_settings", "marked_column", "optional_columns", "has_pairs", "mark", "trec_columns"),
        *("table_cells", "spread", "spread_cells", "is_marked"),
    )
    __dir__ = public_names

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

    def to_frame(self, library: str | None = None) -> Any:
        """A data frame with the columns.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}, optional
            By default that of the frames that were read, or the first that is installed.
        """
        if library is not None:
            check_choice(library, "library", FRAMES)
        return to_frame(self.columns, self.rows(), library or self.library)

    def table(self, digits: int = 4, most: int | None = MOST_ROWS) -> Table:
        """The first rows as text, with the notes under them; all rows where `most` is None."""
        from tiebreak.results.joint_table import joint_table

        return joint_table([self], digits, most)

    def to_latex(self, digits: int = 4) -> str:
        """A ``tabular`` for the package booktabs."""
        return self.summary().table(digits, None).to_latex()

    def to_markdown(self, digits: int = 4) -> str:
        """A table in Markdown."""
        return self.summary().table(digits, None).to_markdown()

    def to_html(self, digits: int = 4) -> str:
        """A table in HTML."""
        return self.summary().table(digits, None).to_html()

    def _repr_html_(self) -> str:
        return self.summary().table().to_html()

    def __repr__(self) -> str:
        return repr(self.summary().table())


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
