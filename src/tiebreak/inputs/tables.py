"""Tables of named columns: data frames of any library and files that hold one; which column holds what."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from tiebreak import _kernels
from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError, quote
from tiebreak.inputs import faults
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import is_frame, unpack
from tiebreak.inputs.sources import Source, calling, file_source
from tiebreak.inputs.table_files import Contents, open_file

Columns = Mapping[str, str]
"""Which column holds what, where its name is not a common one: ``{"request": "user", "score": "pred"}``."""

SCORE = ("score", "prediction", "rating")
ALIASES = {
    "request": ("request", "qid", "query_id", "q_id", "query-id", "user_id", "userID", "user"),
    "item": ("item", "docno", "doc_id", "docid", "corpus-id", "item_id", "itemID"),
    "score": SCORE,
    "rank": ("rank",),
    "grade": ("relevance", "label", "grade", "rel", "rating", "score"),  # as recommenders call it, and BEIR
    "run": ("run", "run_id", "system", "model"),
    "value": ("value", "utility", *SCORE),
    "group": ("group", "segment", "language", "topic"),
    "weight": ("weight", "traffic", "frequency", "count"),
    "provider": ("provider", "author", "artist", "publisher", "seller"),
    "aspect": ("aspect", "genre", "category", "subtopic"),
}
"""Common names of columns; the first that a table has counts."""


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns and what they hold; messages call the table `label`."""

    label: str
    contents: Contents
    columns: Columns
    library: str | None = None
    memory: int = 0

    def __post_init__(self) -> None:
        for role in self.columns:
            check_choice(role, "columns", ALIASES)

    def find(self, role: str, beside: str | None = None) -> str | None:
        """The column for a role: the one that was named, or the first with a common name."""
        names = [name for name in self.contents.names if name != beside]
        column = self.columns.get(role) or next((name for name in ALIASES[role] if name in names), None)
        if column is not None and names.count(column) != 1:
            problem = f"there is no column {quote(column)} for {role}. There are {join_names(names)}."
            if column in names:
                problem = f"there are {names.count(column)} columns {quote(column)}. Keep one."
            raise InputError(f"{self.label}: {problem}", kind="columns")
        return column

    def column(self, role: str, beside: str | None = None) -> str:
        """The column for a role, or an error; next to a column of keys (`beside`), a single other one will do."""
        column = self.find(role, beside)
        others = [name for name in self.contents.names if name != beside]
        if column is None and beside is not None and len(others) == 1:
            return others[0]
        names = [quote(name)[1:-1] for name in self.contents.names]
        if not names:
            raise InputError(
                f"{self.label}: there is no column in it: the table is empty.", kind="empty", file=self.label
            )
        if column is None:
            raise InputError(
                f"{self.label}: no column for {role}, such as {join_names(ALIASES[role], most=4)}. There are "
                f"{join_names(names)}. Rename it, or say which in Python: columns={{{role!r}: ...}}.",
                kind="columns",
            )
        return column

    def read(self, coded: list[str], item: str, value: str | None) -> FrameColumns:
        """The columns whose ids are coded, the column of item ids, and that of numbers."""
        read = self.contents.read(coded, item, value)
        if isinstance(read, Fault):
            faults.raise_input_error(read, Source(self.label, ("table",), "row"), faults.RUN, self.memory)
        return read

    def source(self, requests: Any, request_of_row: Any, items: Any, values: Any) -> Source:
        kernel = "table", requests, request_of_row, items, values
        return Source(self.label, kernel, "row", self.contents.first_line, self.library)


def open_source(
    source: Any,
    label: str,
    columns: Columns,
    expected: str,
    *,
    value: str = "score",
    roles: tuple[str, ...] = (),
    memory: int = MEMORY,
) -> Source | Table | Mapping[Any, Any]:
    """A table where there are named columns, a dictionary as it is, else a file in TREC's format.

    Messages call it `label`, where it is no path, and say what is `expected`. Named tuples of other tools hold a
    `value`. A .tsv file holds a table if it has columns for `roles`; without any, all files have to hold one.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)

        def is_table(names: list[str]) -> bool:
            return all(not {*names}.isdisjoint(ALIASES[role]) for role in roles)

        contents = open_file(path, is_table, memory)
        if contents is not None:
            return Table(path, contents, columns, memory=memory)
        if not roles:
            is_there = os.path.exists(path)
            problem = "this is not a table" if is_there else "no such file"
            kind = "shape" if is_there else "missing"
            raise InputError(f"{path}: {problem}. Give {expected}.", kind=kind, file=path)
        check_no_columns(columns)
        return file_source(source, memory)
    data = unpack(source, value)
    if is_frame(data):
        return frame_table(data, label, columns)
    if not isinstance(data, Mapping):
        raise InputError(f"{label} cannot be read from {type(source).__name__}. Give {expected}.", kind="shape")
    check_no_columns(columns)
    return data


def check_no_columns(columns: Columns) -> None:
    if columns:
        raise InputError("columns= is for tables with named columns; there are none here.", kind="columns")


def frame_table(frame: Any, label: str, columns: Columns) -> Table:
    """The columns of a data frame; a lazy one is computed."""
    if hasattr(type(frame), "collect_schema") and hasattr(type(frame), "collect"):
        with calling(label):
            frame = frame.collect()
    library = type(frame).__module__.partition(".")[0]
    for attribute in ("column_names", "columns", "schema.names"):
        with suppress(AttributeError):
            names = [str(name) for name in attrgetter(attribute)(frame)]
            return Table(label, Contents(names, partial(read_frame, frame, label)), columns, library)
    raise InputError(f"a {library} {type(frame).__name__} has no named columns. Give a data frame.", kind="shape")


def read_frame(frame: Any, label: str, coded: list[str], item: str, value: str | None) -> FrameColumns | Fault:
    if hasattr(frame, "__len__") and not len(frame):
        nothing = Ids.from_names([]).column
        return FrameColumns([(nothing, np.empty(0, dtype=np.int32)) for _ in coded], nothing, np.empty(0))
    with calling(label):
        frame = select(frame, [*filter(None, dict.fromkeys([*coded, item, value]))])
        return _kernels.read_frame(frame, coded, item, value)


def select(frame: Any, names: list[str]) -> Any:
    """Only these columns: the others may hold what no library can convert."""
    import narwhals as nw

    try:
        return nw.from_native(frame).select(*names).to_native()
    except Exception:  # an Arrow stream that narwhals does not know, or names that are not text
        return frame
