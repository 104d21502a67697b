"""Data frames of any library: their columns, also those of lists."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.rows import Lists, RowContents, cell_number, cell_text, is_list
from tiebreak.inputs.sources import Source, calling


class FrameContents:
    """The columns of a data frame; a lazy one is computed."""

    first_line: int | None = None

    def __init__(self, frame: Any, label: str) -> None:
        if hasattr(type(frame), "collect_schema") and hasattr(type(frame), "collect"):
            with calling(label):
                frame = frame.collect()
        self.has_nameless_index = has_nameless_index(frame)
        frame = index_as_columns(frame)
        self.frame, self.label = frame, label
        self.library = type(frame).__module__.partition(".")[0]
        for attribute in ("column_names", "columns", "schema.names"):
            with suppress(AttributeError):
                self.names = [str(name) for name in attrgetter(attribute)(frame)]
                return
        raise InputError(
            f"a {self.library} {type(frame).__name__} has no named columns. Give a data frame.", kind="shape"
        )

    def read(self, coded: list[str], item: str, value: str | None, booleans: bool = False) -> FrameColumns | Fault:
        if self.is_empty:
            return no_rows(coded)
        with calling(self.label):
            frame = select(
                self.frame, [*filter(None, dict.fromkeys([*coded, item, value]))], value if booleans else None
            )
            texts = None if value is None else text_cells(frame, value)
            if texts is None:
                return _kernels.read_frame(frame, coded, item, value)
            read, numbers = _kernels.read_frame(frame, coded, item, None), text_numbers(texts, str(value), booleans)
        if isinstance(read, Fault):
            return numbers if isinstance(numbers, Fault) and numbers.line < read.line else read
        return numbers if isinstance(numbers, Fault) else read._replace(values=numbers)

    def keep(self) -> None:
        """A stream, which can be read only once, becomes a table."""
        if hasattr(self.frame, "read_all"):
            with calling(self.label):
                self.frame = self.frame.read_all()

    @property
    def is_empty(self) -> bool:
        return hasattr(self.frame, "__len__") and not len(self.frame)

    def has_lists(self, name: str) -> bool:
        import narwhals as nw

        try:
            column = nw.from_native(self.frame).select(name)
            kind = column.collect_schema()[name]
        except Exception:  # an Arrow stream that narwhals does not know
            schema: Any = getattr(self.frame, "schema", None)
            kinds = ("list<", "large_list<", "fixed_size_list<")
            return hasattr(schema, "field") and str(schema.field(name).type).startswith(kinds)
        if kind == nw.Object and isinstance(column, nw.DataFrame):
            return len(column) > 0 and is_list(column[name][0])
        return isinstance(kind, (nw.List, nw.Array))

    def read_lists(self, coded: list[str], item: str, value: str | None) -> Lists | Fault:
        self.keep()
        with calling(self.label):
            if self.is_empty:
                return no_rows(coded), np.empty(0, dtype=np.int64)
            listed = [*filter(None, (item, value))]
            try:
                flat, sizes = flatten(select(self.frame, listed), listed, self.label)
            except InputError:
                raise
            except Exception:  # there is no pyarrow, or it cannot convert some lists
                if not hasattr(self.frame, "iloc"):
                    raise
                names = [*dict.fromkeys([*coded, *listed])]
                rows = enumerate(map(list, zip(*(self.frame[name] for name in names), strict=True)), start=1)
                where = Source(self.label, ("table",), "row")
                return RowContents(where, names, rows, MEMORY).read_lists(coded, item, value)
            keys = _kernels.read_frame(select(self.frame, coded), coded, coded[0], None)
            columns = _kernels.read_frame(flat, [], item, value)
        if isinstance(keys, Fault):
            return keys
        if isinstance(columns, Fault):  # in the row whose list has it
            row = int(np.searchsorted(np.cumsum(sizes), columns.line - 1, side="right")) + 1
            return columns._replace(line=row)
        repeated = [(ids, np.repeat(code_of_row, sizes)) for ids, code_of_row in keys.coded]
        return columns._replace(coded=repeated), sizes[sizes > 0]


def text_cells(frame: Any, name: str) -> list[Any] | None:
    """The cells of a column of text; None for any other column."""
    import narwhals as nw

    try:
        column = nw.from_native(frame).select(name)
        if column.collect_schema()[name] != nw.String:
            return None
        return (column.collect() if isinstance(column, nw.LazyFrame) else column)[name].to_list()
    except Exception:  # an Arrow stream that narwhals does not know
        return None


def text_numbers(cells: list[Any], name: str, booleans: bool) -> NDArray[np.float64] | Fault:
    """The numbers that a column has as text; NaN where there is none."""
    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if isinstance(cell, str):
            try:
                numbers[row] = cell_number(cell, booleans)
            except ValueError:
                text = f"{name}\t{cell_text(cell)}".encode(errors="backslashreplace")
                return Fault("value_type", 0, row + 1, 0, b"", b"", text)
    return numbers


def index_as_columns(frame: Any) -> Any:
    """A frame, or a series, of pandas with the named levels of its index as columns, and all names as text.

    The index of a series holds requests if it has no name. Other frames are returned as they are.
    """
    if not hasattr(frame, "iloc"):
        return frame
    if not hasattr(frame, "columns"):
        frame = (frame.rename_axis("request") if has_nameless_index(frame) else frame).to_frame()
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    table = frame.reset_index(level=levels) if levels else frame
    is_text = all(isinstance(name, str) for name in table.columns)
    return table if is_text else table.set_axis([str(name) for name in table.columns], axis="columns")


def has_nameless_index(frame: Any) -> bool:
    """Whether a frame of pandas has an index that is no numbers of rows, and not called anything."""
    index = frame.index if hasattr(frame, "iloc") else None
    return index is not None and [*index.names] == [None] and type(index).__name__ != "RangeIndex"


def flatten(frame: Any, names: list[str], label: str) -> tuple[Any, NDArray[np.int64]]:
    """Columns of lists as columns of their elements, and the lengths of the lists, the same in all of them."""
    library = type(frame).__module__.partition(".")[0]
    flat, lengths = (flatten_polars if library == "polars" else flatten_arrow)(frame, names)
    for sizes in lengths:
        for row in np.flatnonzero(sizes < 0)[:1].tolist():
            raise InputError(f"{label}, row {row + 1}: there is no list here. Give one, or leave it out.", kind="null")
        for row in np.flatnonzero(sizes != lengths[0])[:1].tolist():
            problem = f"a list of {lengths[0][row]} items and one of {sizes[row]} values. Give one for each"
            raise InputError(f"{label}, row {row + 1}: {problem}.", kind="shape")
    return flat, lengths[0]


def flatten_polars(frame: Any, names: list[str]) -> tuple[Any, list[NDArray[np.int64]]]:
    polars = import_module("polars")
    columns = [frame[name] for name in names]
    columns = [one.arr.to_list() if isinstance(one.dtype, polars.Array) else one for one in columns]
    lengths = [np.where(one.is_null(), -1, one.list.len().fill_null(0)).astype(np.int64) for one in columns]
    flat = [one.filter(polars.Series(sizes > 0)).explode() for one, sizes in zip(columns, lengths, strict=True)]
    if len({len(one) for one in flat}) > 1:
        flat = flat[:1] * len(flat)  # an error that the lengths show
    return polars.DataFrame(dict(zip(names, flat, strict=True))), lengths


def flatten_arrow(frame: Any, names: list[str]) -> tuple[Any, list[NDArray[np.int64]]]:
    pyarrow = import_module("pyarrow")
    if not hasattr(frame, "__arrow_c_stream__"):  # an old duckdb
        frame = frame.to_arrow_table()
    columns = pyarrow.table(frame).select(names).columns
    lengths = [
        np.concatenate([chunk.value_lengths().fill_null(-1).to_numpy() for chunk in one.chunks]).astype(np.int64)
        for one in columns
    ]
    flat = [pyarrow.chunked_array([chunk.flatten() for chunk in one.chunks]) for one in columns]
    if len({len(one) for one in flat}) > 1:
        flat = flat[:1] * len(flat)
    return pyarrow.table(dict(zip(names, flat, strict=True))), lengths


def no_rows(coded: list[str]) -> FrameColumns:
    nothing = Ids.from_names([]).column
    return FrameColumns([(nothing, np.empty(0, dtype=np.int32)) for _ in coded], nothing, np.empty(0))


def select(frame: Any, names: list[str], booleans: str | None = None) -> Any:
    """Only these columns: the others may hold what no library can convert. Booleans of one may become numbers."""
    import narwhals as nw

    try:
        table = nw.from_native(frame).select(*names)
        if booleans is not None and table.collect_schema()[booleans] == nw.Boolean:
            table = table.with_columns(nw.col(booleans).cast(nw.Int8))
        return table.to_native()
    except Exception:  # an Arrow stream that narwhals does not know, or names that are not text
        return frame
