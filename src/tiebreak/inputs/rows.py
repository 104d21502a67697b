"""Rows of a table, one by one: of text files, named tuples, dictionaries and arrays; held as compact columns.

Where items are lists, each stands for its items in ranked order.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from numbers import Integral, Real
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Fault, FrameColumns
from tiebreak.errors import InputError, quote
from tiebreak.inputs.faults import RUN, raise_input_error
from tiebreak.inputs.ids import offsets
from tiebreak.inputs.sources import Source, parse_number

ROW_COST = 32
"""Bytes that a row costs beside its item id, as a line of a run does."""
NO_VALUE = ("", "nan", "na", "n/a", "null", "none")
"""What a text file holds where there is no value, in any case."""
BOOLEANS = {True: 1.0, False: 0.0, "True": 1.0, "False": 0.0, "true": 1.0, "false": 0.0}

Rows: TypeAlias = "Iterator[tuple[int, list[Any]]]"
"""The cells of every row, with the number of its line."""
Lists: TypeAlias = "tuple[FrameColumns, NDArray[np.int64]]"
"""A row for every item of a list, and the lengths of the lists that are not empty."""


class Contents(Protocol):
    """An open table: the names of its columns, the line of its first row in a text file, and how it is read."""

    names: list[str]
    first_line: int | None

    def read(self, coded: list[str], item: str, value: str | None, booleans: bool = False) -> FrameColumns | Fault:
        """Columns whose ids are coded, that of item ids, and that of numbers, or Booleans; 1 where there is none."""

    def has_lists(self, name: str) -> bool:
        """Whether the cells of a column are lists."""

    def read_lists(self, coded: list[str], item: str, value: str | None) -> Lists | Fault:
        """Columns whose items, and numbers if asked for, are lists: flattened, with the lengths of the lists."""


class RowContents:
    """The rows of a source, to be read once, within `memory`."""

    def __init__(self, source: Source, names: list[str], rows: Rows, memory: int) -> None:
        self.source, self.names, self.memory = source, names, memory
        self.first_line = source.first_line
        self.first = next(rows, None)
        self.rows: Rows = chain([] if self.first is None else [self.first], rows)

    def map(self, functions: dict[str, Callable[[Any], Any]]) -> RowContents:
        """The same rows, with a function of every cell of some columns."""
        places = [(self.names.index(name), function) for name, function in functions.items()]

        def change(cells: list[Any]) -> list[Any]:
            cells = [*cells]
            for place, function in places:
                cells[place] = function(cells[place])
            return cells

        rows = ((line, change(cells)) for line, cells in self.rows)
        return RowContents(self.source, self.names, rows, self.memory)

    def has_lists(self, name: str) -> bool:
        return self.first is not None and is_list(self.first[1][self.names.index(name)])

    def read(self, coded: list[str], item: str, value: str | None, booleans: bool = False) -> FrameColumns:
        return self.read_rows(self.rows, coded, item, value, booleans)

    def read_lists(self, coded: list[str], item: str, value: str | None) -> Lists:
        sizes = array("q")
        columns = self.read_rows(self.items(sizes, item, value), coded, item, value)
        return columns, np.array(sizes, dtype=np.int64)

    def items(self, sizes: array[int], item: str, value: str | None) -> Rows:
        """A row for every item of every list, with its value; lengths of lists are added to `sizes`."""
        item_column, value_column = self.names.index(item), None if value is None else self.names.index(value)
        for line, cells in self.rows:
            items = cells[item_column]
            values = None if value_column is None else cells[value_column]
            if not is_list(items) or (value_column is not None and not is_list(values)):
                self.error(line, f"column {quote(item)} holds lists elsewhere. Give one here, and one of values")
            if values is not None and len(values) != len(items):
                self.error(line, f"a list of {len(items)} items and one of {len(values)} values. Give one for each")
            if len(items):
                sizes.append(len(items))
            for k, name in enumerate(items):
                row = list(cells)
                row[item_column] = name
                if values is not None and value_column is not None:
                    row[value_column] = values[k]
                yield line, row

    def read_rows(
        self, rows: Rows, coded: list[str], item: str, value: str | None, booleans: bool = False
    ) -> FrameColumns:
        ids = [(name, self.names.index(name), dict[bytes, int](), array("i")) for name in coded]
        item_column, value_column = self.names.index(item), None if value is None else self.names.index(value)
        letters, ends, numbers = bytearray(), array("q", [0]), array("d")
        n_bytes = 0
        for line, cells in rows:
            for name, column, codes, code_of_row in ids:
                text = self.id(name, line, cells[column])
                if text not in codes:
                    codes[text] = len(codes)
                    n_bytes += len(text)
                code_of_row.append(codes[text])
            text = self.id(item, line, cells[item_column])
            n_bytes += ROW_COST + len(text)
            if n_bytes > self.memory:
                self.stop("memory", line)
            letters += text
            ends.append(len(letters))
            number = 1.0 if value_column is None else self.number(str(value), line, cells[value_column], booleans)
            numbers.append(number)
        columns = [
            ((b"".join(codes), offsets([*map(len, codes)])), np.array(code_of_row, dtype=np.int32))
            for _, _, codes, code_of_row in ids
        ]
        return FrameColumns(columns, (bytes(letters), np.array(ends, dtype=np.int64)), np.array(numbers))

    def id(self, name: str, line: int, cell: object) -> bytes:
        if cell is None or (isinstance(cell, str) and not cell):
            self.stop("null", line, name)
        if isinstance(cell, bool) or not isinstance(cell, (str, Integral)):
            self.stop("id_type", line, f"{name}\t{cell_text(cell)}")
        try:
            return str(cell).encode()
        except UnicodeEncodeError:
            self.stop("encoding", line, str(cell))

    def number(self, name: str, line: int, cell: Any, booleans: bool) -> float:
        try:
            return cell_number(cell, booleans)
        except (ValueError, OverflowError):
            self.stop("value_type", line, f"{name}\t{cell_text(cell)}")

    def copy_numbers(self, name: str) -> array[float]:
        """The numbers of a further column, which are there once the rows are read; NaN where there is none."""
        numbers, place, rows = array("d"), self.names.index(name), self.rows

        def rows_and_numbers() -> Rows:
            for line, cells in rows:
                cell = cells[place]
                numbers.append(float("nan") if cell is None or cell == "" else self.number(name, line, cell, False))
                yield line, cells

        self.rows = rows_and_numbers()
        return numbers

    def stop(self, kind: str, line: int, text: str = "") -> NoReturn:
        fault = Fault(kind, 0, line, 0, b"", b"", text.encode(errors="backslashreplace"))
        raise_input_error(fault, self.where, RUN, self.memory)

    def error(self, line: int, problem: str) -> NoReturn:
        where = self.where.location(line)
        raise InputError(f"{where}: {problem}.", kind="shape", file=self.source.label, line=line)

    @property
    def where(self) -> Source:
        """Lines of files are counted from 1 here, whatever the line of the first row."""
        first = None if self.source.first_line is None else 1
        return Source(self.source.label, ("table",), "row", first)


def is_blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in NO_VALUE)


def cell_number(cell: Any, booleans: bool = False) -> float:
    """The number in a cell, also as text; a ValueError or OverflowError where there is none."""
    if booleans and isinstance(cell, (str, bool, np.bool_)) and cell in BOOLEANS:
        return BOOLEANS[cell]
    if isinstance(cell, str):
        return parse_number(cell)
    if isinstance(cell, bool) or not isinstance(cell, (Real, Decimal)):
        raise ValueError(cell)
    return float(cell)


def is_list(cell: object) -> bool:
    return isinstance(cell, (list, tuple, np.ndarray))


def cell_text(cell: object) -> str:
    return quote(repr(cell))[1:-1]


FEWEST_CELLS = 3
"""Cells of a row without names: two are an item and its score."""
NAMED = ("query_id", "doc_id", "score", "relevance", "iteration", "subtopic_id")
"""Attributes of rows of ir_datasets and ir_measures, where rows do not list their own."""


def open_rows(source: Any, label: str, memory: int) -> RowContents | None:
    """The table in tuples, dictionaries of cells or an array; None for anything else.

    An iterator has to hold such rows. Those of plain tuples have numbers from 0.
    """
    where = Source(label, ("table",), "row")
    if isinstance(source, np.ndarray):
        return open_array(source, where, memory)
    if not isinstance(source, (list, tuple, Iterator)):
        return None
    rows = iter(source)
    first = next(rows, None)
    names = cell_names(first)
    if not names:
        if isinstance(source, Iterator):
            problem = f"a {type(source).__name__} that does not yield rows"
            raise InputError(f"{label}: {problem}. Give tuples or dictionaries of cells.", kind="shape")
        return None
    cells = (row_cells(row, names, k, label) for k, row in enumerate(chain([first], rows), start=1))
    return RowContents(where, names, enumerate(cells, start=1), memory)


def cell_names(row: Any) -> list[str]:
    """The names of the cells of a row; none where it is not one."""
    if isinstance(row, dict):
        is_row = all(isinstance(name, str) for name in row) and not all(map(is_nested, row.values()))
        return [*row] if is_row else []
    if isinstance(row, tuple) and hasattr(row, "_fields"):
        return [*row._fields]
    if isinstance(row, (tuple, list)):
        is_row = len(row) >= FEWEST_CELLS and all(isinstance(cell, (str, Real, Decimal)) for cell in row)
        return [str(k) for k in range(len(row))] if is_row else []
    is_table = isinstance(row, np.ndarray) or hasattr(type(row), "columns")
    if hasattr(row, "query_id") and hasattr(row, "doc_id") and not is_table:
        return [name for name in NAMED if hasattr(row, name)]
    return []


def is_nested(cell: object) -> bool:
    return isinstance(cell, dict) or is_list(cell)


def row_cells(row: Any, names: list[str], number: int, label: str) -> list[Any]:
    if isinstance(row, dict):
        return [row.get(name) for name in names]
    if names[0] == "0" and isinstance(row, (tuple, list)):
        if len(row) != len(names):
            raise InputError(f"{label}: row {number} has {len(row)} cells, the first {len(names)}.", kind="columns")
        return [*row]
    try:
        return [getattr(row, name) for name in names]
    except AttributeError:
        problem = f"row {number} has other names than the first, {', '.join(names)}"
        raise InputError(f"{label}: {problem}.", kind="columns") from None


def open_array(source: NDArray[Any], where: Source, memory: int) -> RowContents:
    """An array with named fields, or one with two dimensions, whose columns have numbers from 0."""
    if source.dtype.names is not None:
        names, cells = [*source.dtype.names], source.ravel().tolist()
    elif source.ndim == 2:
        names, cells = [str(k) for k in range(source.shape[1])], source.tolist()
    else:
        raise InputError(
            f"{where.label}: an array of shape {source.shape} has no columns. Give a table with named columns, or an "
            'array of two dimensions and the numbers of its columns, such as columns={"request": 0}.',
            kind="shape",
        )
    rows = ((k, [whole(cell) for cell in row]) for k, row in enumerate(cells, start=1))
    return RowContents(where, names, rows, memory)


def whole(cell: Any) -> Any:
    """A whole number as an integer: an array of floats holds ids as floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def open_columns(source: dict[str, Any], label: str, memory: int) -> RowContents:
    """A dictionary of columns of the same length."""
    sizes = {name: len(cells) for name, cells in source.items()}
    if len({*sizes.values()}) > 1:
        shown = ", ".join(f"{quote(name)} {size}" for name, size in sizes.items())
        raise InputError(f"{label}: columns of different lengths: {shown}.", kind="columns")
    columns = [cells.tolist() if isinstance(cells, np.ndarray) else cells for cells in source.values()]
    rows = ((k, list(cells)) for k, cells in enumerate(zip(*columns, strict=True), start=1))
    return RowContents(Source(label, ("table",), "row"), [*source], rows, memory)
