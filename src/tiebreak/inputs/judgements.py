"""Judgements: which items are relevant to which requests, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._base.checks import check_count, check_number
from tiebreak._base.text import plural
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import MEMORY, Counts, Fault, IdColumn, JudgedRows, Tick
from tiebreak.errors import InputError, quote
from tiebreak.inputs import faults
from tiebreak.inputs.audit import FileAudit
from tiebreak.inputs.columns import Columns, is_nameless, plain
from tiebreak.inputs.ids import Ids, offsets, ranges
from tiebreak.inputs.sources import (
    Path,
    Source,
    Values,
    check_nested,
    check_spelling,
    dict_columns,
    is_number,
    listed_pairs,
)
from tiebreak.inputs.subtopic_names import subtopic_labels
from tiebreak.inputs.tables import Table, open_source

NO_COUNTS = Counts(np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.int64), [])


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which judgements, or entries of `Positions`, hold for which subtopic, and its probability (`intent`) if known."""

    labels: Ids
    label: NDArray[np.int32]
    entry: NDArray[np.int64]
    grade: NDArray[np.float64]
    intent: NDArray[np.float64] | None = None

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_], entry: NDArray[np.int64]) -> Subtopics:
        """Some of the rows, for other entries."""
        intent = None if self.intent is None else self.intent[rows]
        return Subtopics(self.labels, self.label[rows], entry, self.grade[rows], intent)


@dataclass(frozen=True, eq=False)
class Judgements:
    """The grade of every judged item of every request.

    Those of request r are entries ``starts[r]`` to ``starts[r + 1]`` of `item` (a place in `items`) and `grade`. An
    item is relevant where its grade is above 0, and at least `min_grade` where that is asked for.
    With subtopics, an item's grade is the largest over its subtopics. `library` is the data frame library of whoever
    gave a frame; `notes` are what results say about the judgements.
    """

    requests: Ids
    items: Ids
    starts: NDArray[np.int64]
    item: NDArray[np.int32]
    grade: NDArray[np.float64]
    subtopics: Subtopics | None = None
    audit: FileAudit | None = None
    library: str | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def nothing(cls) -> Judgements:
        """No judgements."""
        return cls(Ids.from_names([]), Ids.from_names([]), offsets([]), np.empty(0, dtype=np.int32), np.empty(0))

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        return f"<Judgements: {len(self):,} of {plural(len(self.requests), 'request')}>"

    @property
    def request(self) -> NDArray[np.int64]:
        """The request of every judgement."""
        return np.repeat(np.arange(len(self.requests)), np.diff(self.starts))

    def binary(self, min_grade: float | None = None) -> Judgements:
        """Binary judgements: 1 where relevant, else 0."""
        subtopics = self.subtopics
        if subtopics is not None:
            subtopics = replace(subtopics, grade=is_relevant(subtopics.grade, min_grade).astype(np.float64))
        return replace(self, grade=is_relevant(self.grade, min_grade).astype(np.float64), subtopics=subtopics)

    def take_requests(self, places: NDArray[np.int64]) -> Judgements:
        """The judgements of some requests, by index, in the order given, with the items that these have."""
        entries = ranges(self.starts[places], np.diff(self.starts)[places])
        items, item = np.unique(self.item[entries], return_inverse=True)
        subtopics = self.subtopics
        if subtopics is not None:
            place = np.full(len(self), -1, dtype=np.int64)
            place[entries] = np.arange(len(entries))
            kept = np.flatnonzero(place[subtopics.entry] >= 0)
            subtopics = subtopics.take(kept, place[subtopics.entry[kept]])
        return replace(
            self,
            requests=self.requests.take(places),
            items=self.items.take(items),
            starts=offsets(np.diff(self.starts)[places]),
            item=item.ravel().astype(np.int32),
            grade=self.grade[entries],
            subtopics=subtopics,
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{request: {item: grade}}``."""
        names = list(self.items)
        items = [names[code] for code in self.item.tolist()]
        grades, bounds = self.grade.tolist(), self.starts.tolist()
        return {
            request: dict(zip(items[a:b], grades[a:b], strict=True))
            for request, a, b in zip(self.requests, bounds[:-1], bounds[1:], strict=True)
        }


def is_relevant(grade: NDArray[np.float64], min_grade: float | None) -> NDArray[np.bool_]:
    """Grade at least `min_grade`; by default any grade above 0."""
    if min_grade is None:
        return grade > 0
    return grade >= check_number(min_grade, "min_grade", above=0)


def read_judgements(
    source: Path | Values | Judgements | Any,
    *,
    columns: Columns | None = None,
    tick: Tick | None = None,
    memory: int = MEMORY,
    early: EarlyReading | None = None,
) -> Judgements:
    """Read judgements from a TREC qrels file, a dictionary or a data frame.

    A file has lines ``request iteration item grade``. Where its second column takes several values, they are
    subtopics; so is a column ``subtopic_id`` or ``iteration`` of a table. A line may be repeated, but not with another
    grade. Without grades, as in ``{request: [item, ...]}`` or a table of users and items, all items listed are
    relevant.

    Parameters
    ----------
    source : path, dict or frame
        A file, plain or compressed by gzip or zstd; ``"-"`` for standard input; ``{request: {item: grade}}``, or with
        subtopics ``{request: {item: {subtopic: grade}}}``; a data frame of any library with a column each for request,
        item and grade; what ranx, LensKit, ir_measures and Hugging Face hold; or ``"irds:ID"`` for ir_datasets.
    columns : dict or str, optional
        Which column of a table holds what, where its name does not say so: ``{"request": "user", "grade": "stars"}``,
        or ``"request=user,grade=stars"``; ``{"grade": None}`` where there is none.
    tick : callable, optional
        Called about ten times a second with the bytes read and the bytes in all; what it raises ends the work.
    memory : int
        Bytes that may be held of a file.
    early : EarlyReading, optional
        Files that a command has begun to read.

    Examples
    --------
    >>> read_judgements({"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}})
    <Judgements: 3 of 2 requests>
    """
    if isinstance(source, Judgements):
        return source
    check_count(memory, "memory")
    return read(judgement_source(source, "the judgements", columns, memory), tick, memory, early)


def read(
    source: Source | Judgements | Mapping[Any, Any],
    tick: Tick | None,
    memory: int,
    early: EarlyReading | None = None,
) -> Judgements:
    if isinstance(source, Judgements):
        return source
    if not isinstance(source, Source):
        return dict_judgements(source)
    rows = _kernels.read_judgements(source.kernel, tick, memory, early)
    if isinstance(rows, Fault):
        faults.raise_input_error(rows, source, faults.JUDGEMENTS, memory)
    if not source.is_table:
        check_times(rows.grade, source.label)
    audit = FileAudit.from_counts(source.label, rows.counts, 0, original_line=source.original_line)
    return replace(group_rows(rows, audit), library=source.library, notes=source.notes)


EARLIEST_TIME, LATEST_TIME = 1e8, 1e14
"""Seconds since 1970 in 1973, milliseconds in 5138."""


def check_times(grade: NDArray[np.float64], label: str) -> None:
    """Ask where every grade of a file in TREC's format looks like a time: users, items, ratings and times."""
    low, high = grade.min(initial=np.inf), grade.max(initial=0)
    if low >= EARLIEST_TIME and high < LATEST_TIME and np.all(grade == np.floor(grade)):
        ratings, grades = "request=0,item=1,grade=2", "request=0,subtopic=1,item=2,grade=3"
        raise InputError(
            f"{label}: all grades look like times, such as {grade[0]:.0f}. If its columns are user, item, rating and "
            f"time, say so: columns={ratings!r}, on the command line --columns {ratings}; if they are as in TREC's "
            f"files, columns={grades!r}, --columns {grades}.",
            kind="grade",
            file=label,
        )


def read_pairs(
    source: Path | Values | Judgements | Any, what: str, memory: int = MEMORY, columns: Columns | None = None
) -> Judgements | None:
    """Pairs of request and item without values, or ``{request: [item, ...]}``; messages call them `what`."""
    if source is None or isinstance(source, Judgements):
        return source
    where = judgement_source(source, what, columns, memory, is_graded=False)
    if isinstance(where, Mapping):
        pairs = listed_items(where, what)
        return dict_judgements(pairs) if any(pairs.values()) else None
    is_empty = isinstance(where, Source) and where.is_table and not len(where.kernel[2])
    return None if is_empty else read(where, None, memory)


def listed_items(values: Mapping[Any, Any], label: str) -> dict[Any, dict[Any, float]]:
    """Items by request, each with grade 1."""
    pairs = {}
    for request, listed in values.items():
        try:
            if isinstance(listed, (str, bytes)):
                raise TypeError
            pairs[request] = dict.fromkeys(listed, 1.0)
        except TypeError:  # not a list, or a list of lists
            problem = f"request {quote(str(request))} holds {type(listed).__name__}"
            raise InputError(f"{label}: {problem}. Give {{request: [item, ...]}}.", kind="shape") from None
    return pairs


def judgement_source(
    source: Any, label: str, columns: Columns | None, memory: int, is_graded: bool = True
) -> Source | Judgements | Mapping[Any, Any]:
    """The source of judgements, or of pairs without a grade; a dictionary as it is, subtopics as judgements."""
    expected = "a path, {request: {item: grade}} or a data frame"
    roles = ("request", "item")
    data = open_source(source, label, columns, expected, value="relevance", roles=roles, memory=memory)
    if not isinstance(data, Table):
        return data
    is_unnamed = is_graded and any(map(is_number, data.contents.names))
    request, item, *_ = data.require("request", "item", *(["grade"] if is_unnamed and not data.find("item") else []))
    grade = grade_column(data, (request, item)) if is_graded else None
    notes = (UNGRADED,) if is_graded and grade is None else ()
    if data.contents.has_lists(item):
        read, _ = data.read_lists([request], item, grade)
    elif is_graded and (subtopic := data.find("subtopic", beside=item)) is not None:
        read = data.read([request, subtopic, item], item, grade, booleans=True)
        labels, label_of_row = subtopic_labels(*read.coded[1])
        if len(labels) > 1:
            where = Source(data.label, ("table",), "row", data.contents.first_line, data.library, notes)
            return subtopic_rows(where, read.coded[0], read.coded[2], read.values, labels, label_of_row)
    else:
        read = data.read([request], item, grade, booleans=True)
    requests, request_of_row = read.coded[0]
    return data.source(requests, request_of_row, read.items, read.values, *notes)


UNGRADED = "The judgements have no grades: every listed item is relevant."
TIMES = ("timestamp", "datetime", "date", "time")
"""Columns that may stand beside users and items where there are no grades."""


def grade_column(table: Table, ids: tuple[str, str]) -> str | None:
    """The column of grades; none where every listed item is relevant: nothing beside ids but a time, or no name."""
    column = table.find("grade")
    is_absent = table.columns.by_role.get("grade") == ""
    others = [name for name in table.contents.names if name not in ids and plain(name) not in TIMES]
    others = [name for name in others if not is_nameless(name)]
    if column is not None or is_absent or not others:
        return column
    problem = table.missing("grade")
    advice = "Where every listed item is relevant: columns={'grade': None}, on the command line --columns grade=."
    raise InputError(f"{problem} {advice}", kind="columns")


def subtopic_rows(
    source: Source,
    requests: tuple[IdColumn, NDArray[np.int32]],
    items: tuple[IdColumn, NDArray[np.int32]],
    grade: NDArray[np.float64],
    labels: Sequence[str],
    subtopic: NDArray[np.int32],
) -> Judgements:
    """Judgements with subtopics, of the rows of a source."""
    (request_ids, request), (item_ids, item) = requests, items
    triple = (request.astype(np.int64) * len(labels) + subtopic) * len(Ids(*item_ids)) + item
    _, first, inverse = np.unique(triple, return_index=True, return_inverse=True)
    is_bad = ~np.isfinite(grade)
    for row in np.flatnonzero(is_bad | (grade != grade[first][inverse.ravel()]))[:1].tolist():
        kind, text = ("grade", repr(float(grade[row])).encode()) if is_bad[row] else ("conflict", b"")
        entry = Ids(*request_ids)[int(request[row])], Ids(*item_ids)[int(item[row])]
        fault = Fault(kind, 0, row + 1, 0, entry[0].encode(), entry[1].encode(), text)
        faults.raise_input_error(fault, source, faults.JUDGEMENTS)
    kept, names = np.sort(first), Ids.from_names(labels).column
    columns = request[kept], subtopic[kept], item[kept], grade[kept] + 0.0
    rows = JudgedRows(request_ids, names, item_ids, *columns, NO_COUNTS)
    return replace(group_rows(rows, None, has_subtopics=True), library=source.library, notes=source.notes)


def dict_judgements(grades: Mapping[Any, Any]) -> Judgements:
    """Judgements of ``{request: {item: grade}}``, with subtopics of ``{request: {item: {subtopic: grade}}}``.

    Items that are only listed, ``{request: [item, ...]}``, are relevant.
    """
    label = "the judgements"
    notes: tuple[str, ...] = ()
    if grades and all(isinstance(listed, (list, tuple, set, frozenset, np.ndarray)) for listed in grades.values()):
        pairs = listed_pairs(grades, label, "grade")
        grades, notes = (listed_items(grades, label), (UNGRADED,)) if pairs is None else (pairs, ())
    levels = [listed.values() for listed in grades.values() if isinstance(listed, Mapping)]
    if any(isinstance(content, Mapping) for values in levels for content in values):
        return subtopic_judgements(grades, label)
    requests, request, item_ids, grade = dict_columns(grades, label, booleans=True)
    if not len(grade):
        raise InputError(f"{label} are empty. Give {{request: {{item: grade}}}}.", kind="empty")
    for row in np.flatnonzero(~np.isfinite(grade))[:1].tolist():
        where = f"item {quote(item_ids[row])} of request {quote(requests[int(request[row])])}"
        raise InputError(f"{label}: the grade of {where} is {grade[row]}. Give a finite number.", kind="grade")
    for listed in grades.values():
        check_spelling(listed, "item", label)
    codes: dict[str, int] = {}
    item = np.array([codes.setdefault(name, len(codes)) for name in item_ids], dtype=np.int32)
    starts = offsets(np.bincount(request, minlength=len(requests)))
    return Judgements(requests, Ids.from_names(codes), starts, item, grade + 0.0, notes=notes)


def subtopic_judgements(grades: Mapping[Any, Any], label: str) -> Judgements:
    check_nested(grades, label, ("request", "item"))
    check_spelling(grades, "request", label)
    subtopics, items = dict[str, int](), dict[str, int]()
    keys, values = [], []
    for r, listed in enumerate(grades.values()):
        names, item_of_row, subtopic_of_row, grade_of_row = dict_columns(
            listed, label, ("item", "subtopic"), booleans=True
        )
        for code, name in zip(item_of_row.tolist(), subtopic_of_row, strict=True):
            keys.append((r, subtopics.setdefault(name, len(subtopics)), items.setdefault(names[code], len(items))))
        values.append(grade_of_row)
    grade = np.concatenate(values) if values else np.empty(0)
    if not len(grade) or not np.isfinite(grade).all():
        raise InputError(f"{label}: give at least one grade, and finite ones.", kind="grade")
    request_ids, subtopic_ids, item_ids = (Ids.from_names(names).column for names in (grades, subtopics, items))
    request, subtopic, item = np.array(keys, dtype=np.int32).reshape(-1, 3).T
    rows = JudgedRows(request_ids, subtopic_ids, item_ids, request, subtopic, item, grade + 0.0, NO_COUNTS)
    return group_rows(rows, None, has_subtopics=True)


def group_rows(rows: JudgedRows, audit: FileAudit | None, has_subtopics: bool = False) -> Judgements:
    """The lines of a file by request and item, both in order of appearance.

    The second column of a file holds subtopics where it varies; a dictionary says whether it `has_subtopics`.
    """
    requests, items, labels = Ids(*rows.requests), Ids(*rows.items), Ids(*rows.subtopics)
    if len(labels) == 1 and not has_subtopics:
        first = np.argsort(rows.request, kind="stable")
        grade, subtopics = rows.grade[first], None
    else:
        first, judgement = by_request_and_item(rows, len(items))
        grade = np.full(len(first), -np.inf)
        np.maximum.at(grade, judgement, rows.grade)
        subtopics = Subtopics(labels, rows.subtopic, judgement, rows.grade)
    starts = offsets(np.bincount(rows.request[first], minlength=len(requests)))
    return Judgements(requests, items, starts, rows.item[first], grade, subtopics, audit)


def by_request_and_item(rows: JudgedRows, items: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every pair of request and item its first row; for every row the index of its pair."""
    pair = rows.request.astype(np.int64) * items + rows.item
    _, first, inverse = np.unique(pair, return_index=True, return_inverse=True)
    order = np.lexsort((first, rows.request[first]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.ravel()]
