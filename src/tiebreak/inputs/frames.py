"""Data frames of any library: which columns hold what, and their rows as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._base.text import join_names
from tiebreak._kernels.interface import MEMORY, Fault, FrameColumns
from tiebreak.errors import InputError, quote
from tiebreak.inputs.foreign import calling
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.sources import Source
from tiebreak.inputs.table_files import TableFile, table_in

Columns = Mapping[str, str]
"""Which column holds what, where its name does not say it: ``{"request": "user", "score": "pred"}``."""

REQUEST = ("request", "qid", "query_id", "q_id", "query-id", "user_id", "userID", "user")
ITEM = ("item", "docno", "doc_id", "docid", "corpus-id", "item_id", "itemID")
SCORE = ("score", "prediction", "rating")
GRADE = ("relevance", "label", "grade", "rel")
ALIASES = {
    "request": REQUEST,
    "item": ITEM,
    "score": SCORE,
    "rank": ("rank",),
    "grade": (*GRADE, "rating", "score"),  # as recommenders call it, and BEIR
    "run": ("run", "run_id", "system", "model"),
    "value": ("value", "utility", *SCORE),
    "group": ("group", "segment", "language", "topic"),
    "weight": ("weight", "traffic", "frequency", "count"),
    "provider": ("provider", "author", "artist", "publisher", "seller"),
    "aspect": ("aspect", "genre", "category", "subtopic"),
}
"""What people call their columns; the first name that is there counts."""


def is_frame(given: object) -> bool:
    """Whether this is a table of named columns, of whatever library."""
    kind = type(given)  # asked of the type: what a lazy frame holds is not looked at for this
    return hasattr(kind, "__arrow_c_stream__") or (
        hasattr(kind, "columns") and (hasattr(kind, "dtypes") or hasattr(kind, "collect"))
    )


def eager(frame: Any, label: str) -> Any:
    """The same where it holds its rows; a lazy frame is worked out."""
    if not (hasattr(type(frame), "collect_schema") and hasattr(type(frame), "collect")):
        return frame
    with calling(label):
        return frame.collect()


def names_of(frame: Any) -> list[str]:
    """Names of the columns."""
    for names in ("column_names", "columns"):
        if hasattr(frame, names):
            return [str(name) for name in getattr(frame, names)]
    if not hasattr(frame, "schema"):
        raise InputError(f"a {type(frame).__name__} has no named columns. Give a data frame.", kind="shape")
    return [str(name) for name in frame.schema.names]


def column(role: str, names: Iterable[str], given: Columns, label: str) -> str | None:
    """The column for this role: the one that was named, or the first that is called as others call it."""
    known = list(names)
    if role in given:
        if given[role] not in known:
            raise InputError(
                f"{label}: there is no column {quote(given[role])} for {role}. There are {join_names(known)}.",
                kind="columns",
            )
        return once(given[role], known, label)
    return next((once(name, known, label) for name in ALIASES[role] if name in known), None)


def once(name: str, known: list[str], label: str) -> str:
    """The name of a column that is there once."""
    if known.count(name) > 1:
        raise InputError(f"{label}: there are {known.count(name)} columns {quote(name)}. Keep one.", kind="columns")
    return name


def needed(role: str, names: list[str], given: Columns, label: str) -> str:
    found = column(role, names, given, label)
    if not names:
        raise InputError(f"{label}: there is no column in it: the table is empty.", kind="empty", file=label)
    if found is None:
        raise InputError(
            f"{label}: no column for {role}, such as {join_names(ALIASES[role], most=4)}. There are "
            f"{join_names([quote(name)[1:-1] for name in names])}. Rename it, or say which in Python: "
            f"columns={{{role!r}: ...}}.",
            kind="columns",
        )
    return found


def check_roles(given: Columns, label: str) -> None:
    for role in given:
        if role not in ALIASES:
            raise InputError(
                f"{label}: columns has no role {role!r}. Roles are {join_names([*ALIASES])}.", kind="columns"
            )


def check_no_columns(given: Columns) -> None:
    if given:
        raise InputError("columns= is for tables with named columns; there are none here.", kind="columns")


def run_tables(frame: Any, given: Columns, label: str) -> Iterator[tuple[str | None, Source]]:
    """The run of a frame, or each of its runs where it has a column that tells them apart: names and sources."""
    check_roles(given, label)
    frame = eager(frame, label)
    names = names_of(frame)
    run, score = column("run", names, given, label), column("score", names, given, label)
    value = score or column("rank", names, given, label) or needed("score", names, given, label)
    request, item = needed("request", names, given, label), needed("item", names, given, label)
    coded = [request] if run is None else [request, run]
    read = columns_of(frame, coded, item, value, label)
    values = read.values if score else -read.values  # the first rank is the largest score
    (requests, request_of_row), *of_run = read.coded
    first, library = (frame.first if isinstance(frame, TableFile) else None), library_of(frame)
    if not of_run:
        yield None, Source(label, ("table", requests, request_of_row, read.items, values), "row", first, library)
        return
    ((runs, run_of_row),) = of_run
    for k, name in enumerate(Ids(*runs)):
        rows = np.flatnonzero(run_of_row == k)
        kernel = ("table", requests, request_of_row[rows], Ids(*read.items).take(rows).column, values[rows])
        yield name, Source(f"{label}, run {quote(name)}", kernel, "row", None, library)


def judged_table(frame: Any, given: Columns, label: str, is_graded: bool = True) -> Source:
    """Judgements in a frame, or pairs of request and item without a grade."""
    check_roles(given, label)
    frame = eager(frame, label)
    names = names_of(frame)
    request, item = (needed(role, names, given, label) for role in ("request", "item"))
    grade = needed("grade", names, given, label) if is_graded else None
    read = columns_of(frame, [request], item, grade, label)
    ((requests, request_of_row),) = read.coded
    first = frame.first if isinstance(frame, TableFile) else None
    kernel = "table", requests, request_of_row, read.items, read.values
    return Source(label, kernel, "row", first, library_of(frame))


def library_of(frame: Any) -> str:
    """The library that a frame is of."""
    return type(frame).__module__.partition(".")[0]


def frame_in(path: str, memory: int = MEMORY) -> Any:
    """The table in a file by that name, csv, tsv, JSON lines or parquet; None where it is in TREC's format."""
    return table_in(path, lambda names: all(column(role, names, {}, path) for role in ("request", "item")), memory)


def named_columns(source: Any, label: str, what: str, wanted: str) -> Any:
    """A frame, or the table in a file; anything else is refused, and what is `wanted` is said."""
    if is_frame(source):
        return eager(source, label)
    frame = table_in(label, lambda names: True) if isinstance(source, (str, os.PathLike)) else None
    if frame is None:
        there = not isinstance(source, (str, os.PathLike)) or os.path.exists(source)
        problem = f"no table of {what}" if there else "no such file"
        raise InputError(
            f"{label}: {problem}. Give a csv, tsv, JSON lines or parquet file with {wanted}.",
            kind="shape" if there else "missing",
            file=label,
        )
    return frame


def columns_of(frame: Any, coded: list[str], item: str, value: str | None, label: str) -> FrameColumns:
    from tiebreak.inputs import faults

    if isinstance(frame, TableFile):
        read = frame.read(coded, item, value)
    elif hasattr(frame, "__len__") and not len(frame):
        nothing = Ids.from_names([]).column
        none = np.empty(0, dtype=np.int32)
        return FrameColumns([(nothing, none) for _ in coded], nothing, np.empty(0))
    else:
        with calling(label):
            needed = only(frame, [*coded, item, *([] if value is None else [value])])
            read = factorised(needed, coded, item, value) or _kernels.read_frame(needed, coded, item, value)
    if isinstance(read, Fault):
        memory = frame.memory if isinstance(frame, TableFile) else 0
        faults.refuse(read, Source(label, ("table",), "row"), faults.RUN, memory)
    return read


def only(frame: Any, names: list[str]) -> Any:
    """The same with these columns alone: what the others hold, no library needs to know."""
    import narwhals as nw

    try:
        return nw.from_native(frame).select(*dict.fromkeys(names)).to_native()
    except Exception:  # a stream of Arrow that narwhals does not know, or names that are no text
        return frame


def factorised(frame: Any, coded: list[str], item: str, value: str | None) -> FrameColumns | None:
    """The columns of a pandas frame where pyarrow is not there to offer them through Arrow; None for all others."""
    from importlib.util import find_spec

    if type(frame).__module__.partition(".")[0] != "pandas" or find_spec("pyarrow") is not None:
        return None
    codes = [factors(frame[name]) for name in coded]
    ids, of_row = factors(frame[item])
    numbers = np.ones(len(frame)) if value is None else frame[value].to_numpy()
    if numbers.dtype.kind not in "iuf":
        raise InputError(f"column {quote(str(value))} holds {numbers.dtype}. Give numbers.", kind="value_type")
    return FrameColumns(
        [(names.column, codes_of_row) for names, codes_of_row in codes],
        ids.take(of_row).column,
        numbers.astype(np.float64),
    )


def factors(column: Any) -> tuple[Ids, NDArray[np.int32]]:
    """The distinct ids of a pandas column in order of appearance, and which of them each row has."""
    codes, uniques = column.factorize()
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0]) + 1
        raise InputError(f"row {row}: column {quote(str(column.name))} has no value here.", kind="null")
    for name in uniques.tolist():
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            held = f"column {quote(str(column.name))} holds {type(name).__name__}"
            raise InputError(f"{held}. Ids are text or integers; convert it first.", kind="id_type")
    return Ids.from_names(uniques.tolist()), codes.astype(np.int32)
