"""Tables of named columns, in memory and in files, and whatever else can be read: what a source is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError
from tiebreak.inputs import faults
from tiebreak.inputs.columns import ColumnNames, Columns
from tiebreak.inputs.frames import FrameContents
from tiebreak.inputs.json_files import is_json, read_json
from tiebreak.inputs.other_tools import ir_datasets_rows, is_frame, is_ir_datasets_id, maker, unpack
from tiebreak.inputs.rows import Contents, Lists, RowContents, is_list, open_columns, open_rows
from tiebreak.inputs.sources import Source, file_source
from tiebreak.inputs.table_files import open_file, open_unnamed


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns and what they hold; messages call the table `label`.

    Where it `is_ordered`, ranks come before scores, as in LensKit's ordered lists.
    """

    label: str
    contents: Contents
    columns: ColumnNames
    library: str | None = None
    memory: int = 0
    is_ordered: bool = False

    def find(self, role: str, beside: str | None = None) -> str | None:
        """The column for a role: the one that was named, or the first with a common name; not `beside` itself."""
        return self.columns.find(role, [name for name in self.contents.names if name != beside], self.label)

    def column(self, role: str, beside: str | None = None) -> str:
        """The column for a role, or an error; next to a column of keys (`beside`), a single other one will do."""
        column = self.find(role, beside)
        others = self.columns.not_aside(role, [name for name in self.contents.names if name != beside])
        if column is None and beside is not None and len(others) == 1:
            return others[0]
        if not self.contents.names:
            raise InputError(
                f"{self.label}: there is no column in it: the table is empty.", kind="empty", file=self.label
            )
        if column is None:
            raise self.missing(role)
        return column

    def require(self, *roles: str) -> list[str]:
        """The columns for roles, or one error that names all that are missing."""
        columns = {role: self.find(role) for role in roles}
        missing = [role for role, column in columns.items() if column is None]
        if len(missing) > 1 and self.contents.names:
            raise self.missing(*missing)
        return [self.column(role) for role in roles]

    def missing(self, *roles: str) -> InputError:
        """The error where there are no columns for roles."""
        error = self.columns.missing(roles[0], self.contents.names, self.label, *roles[1:])
        if not isinstance(self.contents, FrameContents) or not self.contents.has_nameless_index:
            return error
        advice = f"The index of the frame has no name, and is not read: .rename_axis({roles[0]!r}) names it."
        return InputError(f"{error} {advice}", kind="columns")

    def read(self, coded: list[str], item: str, value: str | None, booleans: bool = False) -> FrameColumns:
        """The columns whose ids are coded, the column of item ids, and that of numbers, or Booleans."""
        read = self.contents.read(coded, item, value, booleans)
        if isinstance(read, Fault):
            faults.raise_input_error(read, Source(self.label, ("table",), "row"), faults.RUN, self.memory)
        return read

    def read_two(self, coded: list[str], item: str, value: str, other: str) -> tuple[FrameColumns, NDArray[np.float64]]:
        """The same with the numbers of one more column."""
        if isinstance(self.contents, RowContents):  # whose rows are read once
            numbers = self.contents.copy_numbers(other)
            read = self.read(coded, item, value)
            return read, np.array(numbers)
        if isinstance(self.contents, FrameContents):
            self.contents.keep()
        return self.read(coded, item, value), self.read([], item, other).values

    def read_lists(self, coded: list[str], item: str, value: str | None) -> Lists:
        """The columns whose ids are coded, those of lists flattened, and the lengths of the lists."""
        read = self.contents.read_lists(coded, item, value)
        if isinstance(read, Fault):
            faults.raise_input_error(read, Source(self.label, ("table",), "row"), faults.RUN, self.memory)
        return read

    def source(self, requests: Any, request_of_row: Any, items: Any, values: Any, *notes: str) -> Source:
        kernel = "table", requests, request_of_row, items, values
        return Source(self.label, kernel, "row", self.contents.first_line, self.library, notes)


def open_source(
    source: Any,
    label: str,
    columns: Columns | None,
    expected: str,
    *,
    value: str = "score",
    roles: tuple[str, ...] = (),
    memory: int = MEMORY,
) -> Source | Table | Mapping[Any, Any]:
    """A table where there are named columns, a dictionary as it is, else a file in TREC's format.

    Messages call it `label`, where it is no path, and say what is `expected`. Data sets of ir_datasets hold a `value`.
    A .tsv file holds a table if it has columns for `roles`; without any, all files have to hold one.
    """
    names = ColumnNames(columns)
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if is_json(path):
            return open_object(read_json(path, memory), path, names, expected, memory)
        if is_ir_datasets_id(path):
            return open_object(ir_datasets_rows(path, value), path, names, expected, memory)
        if roles and names.are_numbers(*(("grade",) if value == "relevance" else ("score", "rank"))):
            unnamed = open_unnamed(path, memory)
            if unnamed is not None:
                return Table(path, unnamed, names, memory=memory)
        return open_path(path, names, expected, roles, memory)
    return open_object(source, label, names, expected, memory)


def open_path(path: str, names: ColumnNames, expected: str, roles: tuple[str, ...], memory: int) -> Source | Table:
    """The table in a file, or a file in TREC's format."""

    def is_table(columns: list[str]) -> bool:
        return all(names.find(role, columns, path) is not None for role in roles)

    contents = open_file(path, is_table, memory)
    if contents is not None:
        return Table(path, contents, names, memory=memory)
    if not roles:
        is_there = os.path.exists(path)
        problem = "this is not a table" if is_there else "no such file"
        kind = "shape" if is_there else "missing"
        raise InputError(f"{path}: {problem}. Give {expected}.", kind=kind, file=path)
    check_no_columns(names)
    return file_source(path, memory)


def open_object(source: Any, label: str, names: ColumnNames, expected: str, memory: int) -> Table | Mapping[Any, Any]:
    """A table in memory, or a dictionary."""
    data = unpack(source, label)
    if is_frame(data):
        return replace(frame_table(data, label, names), is_ordered=maker(source) == "lenskit")
    if isinstance(data, Mapping):
        if is_table_of_columns(data, names):
            return Table(label, open_columns({**data}, label, memory), names, memory=memory)
        check_no_columns(names)
        return data
    rows = open_rows(data, label, memory)
    if rows is None:
        several = f" of {type(source[0]).__name__}" if isinstance(source, (list, tuple)) and source else ""
        problem = f"cannot be read from {type(source).__name__}{several}"
        raise InputError(f"{label} {problem}. Give {expected}.", kind="shape")
    return Table(label, rows, names, memory=memory)


def frame_table(frame: Any, label: str, names: ColumnNames) -> Table:
    contents = FrameContents(frame, label)
    return Table(label, contents, names, contents.library)


def is_table_of_columns(data: Mapping[Any, Any], names: ColumnNames) -> bool:
    """Whether a dictionary holds columns by name, with one for requests or items, rather than rankings by request."""
    if not data or not all(isinstance(name, str) and is_list(cells) for name, cells in data.items()):
        return False
    columns = [*data]
    return all(names.find(role, columns) is not None for role in ("request", "item"))


def check_no_columns(columns: ColumnNames) -> None:
    if columns and not columns.is_shared:
        raise InputError(
            "columns= is for tables with named columns; there are none here. Those of a text file without names are "
            'numbered from 0: columns="request=0,item=1,score=2", or grade=2 for judgements.',
            kind="columns",
        )
