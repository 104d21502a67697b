"""The Python twin of the compiled core: the same functions, numbers and faults, slower.

It is the readable definition of reading (SEMANTICS section 1), the oracle of the core in the tests, and the fallback
where the package was installed without the core.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from os import fsdecode, stat
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import (
    CANDIDATE,
    COUNTERS,
    EXCLUDED,
    GZIP_MAGIC,
    INTERFACE,
    MEMORY,
    UNRETRIEVED,
    ZSTD_MAGIC,
    Counts,
    Fault,
    FrameColumns,
    IdColumn,
    Judged,
    JudgedRows,
    Options,
    Projection,
    Source,
    Tick,
    TopItems,
)
from tiebreak._kernels.pair_signs import sum_pair_signs
from tiebreak._kernels.shuffles import largest_differences, shuffled_sums

__all__ = [
    "INTERFACE",
    "largest_differences",
    "project",
    "read_frame",
    "read_judgements",
    "shuffled_sums",
    "sum_pair_signs",
]

LONGEST_LINE = 65_536
CHUNK = 262_144
LINE_COST = 32
"""Bytes of a line in memory besides its item id; as in the core, so that both reject the same files."""

NUMBER = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(rb"[+-]?[0-9]+")
NO_RANK = -(2**63)
OTHERS = EXCLUDED, CANDIDATE
FAMILIES = (
    (str, "text"),
    (bool, "Booleans"),
    (float, "floats"),
    (Decimal, "decimals"),
    ((date, time, timedelta), "dates or times"),
    (bytes, "bytes"),
    (dict, "records"),
    (list, "lists"),
)
"""Types of cells that are neither ids nor numbers, and what messages call them."""

CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Stop(Exception):  # noqa: N818 - a signal, not an error of ours
    """Raised at the first fault; the caller knows which file it is."""

    def __init__(
        self, kind: str, line: int = 0, number: int = 0, request: bytes = b"", item: bytes = b"", text: bytes = b""
    ) -> None:
        self.fault = Fault(kind, 0, line, number, request, item, text)


class Tally:
    """How often each of `COUNTERS` occurs in one file, with the first line and an example."""

    def __init__(self) -> None:
        self.count = dict.fromkeys(COUNTERS, 0)
        self.first_line = dict.fromkeys(COUNTERS, 0)
        self.example = dict.fromkeys(COUNTERS, b"")

    def add(self, counter: str, line: int, example: bytes = b"", met: int = 1) -> None:
        if met and (self.count[counter] == 0 or line < self.first_line[counter]):
            self.first_line[counter], self.example[counter] = line, example
        self.count[counter] += met


def to_counts(tallies: list[Tally]) -> Counts:
    return Counts(
        np.array([[t.count[c] for c in COUNTERS] for t in tallies], dtype=np.int64).reshape(-1, len(COUNTERS)),
        np.array([[t.first_line[c] for c in COUNTERS] for t in tallies], dtype=np.int64).reshape(-1, len(COUNTERS)),
        [[t.example[c] for c in COUNTERS] for t in tallies],
    )


# Bytes -> lines -> columns


def read_chunks(source: Source, tick: Tick | None, before: int, total: int) -> Iterator[bytes]:
    """The bytes of a text source, decompressed if it begins like a gzip or zstd file, with progress reports."""
    with open_text(source) as stream:
        head = stream.read(4)
        stream.seek(0)
        for chunk in decompress(stream, head):
            if tick:
                tick(before + stream.tell(), total)
            yield chunk


def open_text(source: Source) -> BinaryIO:
    try:
        return BytesIO(source[1]) if source[0] == "bytes" else open(fsdecode(source[1]), "rb")
    except OSError as error:
        raise Stop("io", text=(error.strerror or str(error)).encode()) from None


def decompress(stream: BinaryIO, head: bytes) -> Iterator[bytes]:
    if head.startswith(GZIP_MAGIC):
        return gunzip(stream)
    if head == ZSTD_MAGIC:
        return unzstd(stream)
    return iter(lambda: stream.read(CHUNK), b"")


def gunzip(stream: BinaryIO) -> Iterator[bytes]:
    """Every member of a gzip file; members may be padded with zeros, any other trailing byte is damage."""
    data = stream.read(CHUNK)
    while data:
        member = zlib.decompressobj(wbits=31)
        while True:
            try:
                text = member.decompress(data, CHUNK)
            except zlib.error:
                raise Stop("compression", text=b"gzip") from None
            yield text
            if member.eof:
                break
            if not text and not data:
                raise Stop("compression", text=b"gzip")
            data = member.unconsumed_tail or stream.read(CHUNK)
        data = skip_padding(member.unused_data, stream)


def skip_padding(data: bytes, stream: BinaryIO) -> bytes:
    while not (data := data.lstrip(b"\0")):
        if not (data := stream.read(CHUNK)):
            break
    return data


def unzstd(stream: BinaryIO) -> Iterator[bytes]:
    """Every frame of a zstd file; any other trailing byte is damage."""
    zstd = zstd_module()
    data = stream.read(CHUNK)
    while data:
        frame = zstd.ZstdDecompressor()
        while not frame.eof:
            try:
                yield frame.decompress(data, CHUNK)
            except zstd.ZstdError:
                raise Stop("compression", text=b"zstd") from None
            data = b""
            if not frame.eof and frame.needs_input and not (data := stream.read(CHUNK)):
                raise Stop("compression", text=b"zstd")
        data = frame.unused_data or stream.read(CHUNK)


def zstd_module() -> ModuleType:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[import-not-found,no-redef,unused-ignore]
        except ImportError:
            raise Stop("needs_zstd") from None
    return zstd  # type: ignore[no-any-return,unused-ignore]


def iter_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with their line feed. A line that is too long is yielded as far as it was read, and is the last."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line + b"\n" for line in whole)
        if len(rest) > len(BYTE_ORDER_MARK) + LONGEST_LINE:
            break
    if rest:
        yield rest


TextRow = tuple[int, bytes, list[bytes]]
"""Line number, line, columns."""


def read_rows(chunks: Iterable[bytes], least: int, most: float, tally: Tally) -> Iterator[TextRow]:
    """Every line that is neither blank nor a comment, with at least and at most so many columns.

    Columns after a run's tag are ignored, as by trec_eval; where there is no rank before them, an id holds a blank.
    """
    for number, line in enumerate(iter_lines(chunks), start=1):
        if not line.endswith(b"\n"):
            tally.add("no_final_newline", number)
        line = line.removesuffix(b"\n")
        if number == 1 and line.startswith(BYTE_ORDER_MARK):
            tally.add("byte_order_mark", number)
            line = line.removeprefix(BYTE_ORDER_MARK)
        if len(line) > LONGEST_LINE:
            raise Stop("long_line", number, LONGEST_LINE)
        if line.endswith(b"\r"):
            tally.add("crlf", number)
            line = line[:-1]
        check_bytes(line, number)
        columns = line.split()
        if not columns:
            tally.add("blank", number)
        elif columns[0].startswith(b"#"):
            tally.add("comment", number, line)
        elif not least <= len(columns) <= most or (len(columns) > 6 and parse_rank(columns[3]) == NO_RANK):
            raise Stop("columns", number, len(columns), text=line)
        else:
            tally.add("lines", number)
            yield number, line, columns


def count_spelling(number: int, line: bytes, columns: list[bytes], value: bytes, tally: Tally) -> None:
    """Count how a line is written: tabs, repeated blanks, a value with an exponent."""
    if b"\t" in line:
        tally.add("tabs", number)
    if len(line) - sum(map(len, columns)) >= len(columns):
        tally.add("blanks", number)
    if b"e" in value.lower():
        tally.add("scientific", number, value)


def check_bytes(line: bytes, number: int) -> None:
    if control := CONTROL.search(line):
        raise Stop("control", number, control.group()[0], text=line)
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        raise Stop("encoding", number, text=line) from None


def parse_number(text: bytes) -> float | None:
    """A score or grade as float64, None if it is no finite number; -0 is 0."""
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value + 0.0 if np.isfinite(value) else None


def source_size(source: Source) -> int:
    if source[0] == "file":
        try:
            return stat(source[1]).st_size
        except OSError:
            return 0
    return len(source[1]) if source[0] == "bytes" else 0


# Judgements


def code(codes: dict[bytes, int], name: bytes) -> int:
    """The number of an id, by order of appearance."""
    return codes.setdefault(name, len(codes))


def id_column(ids: Iterable[bytes]) -> IdColumn:
    ids = list(ids)
    return b"".join(ids), np.concatenate([[0], np.cumsum([len(i) for i in ids])]).astype(np.int64)


def to_ids(column: IdColumn) -> list[bytes]:
    buffer, offsets = column
    bounds = offsets.tolist()
    return [buffer[a:b] for a, b in pairwise(bounds)]


def read_judgements(
    source: Source, tick: Tick | None, memory: int = MEMORY, /
) -> tuple[Fault | None, JudgedRows | None]:
    """The lines `request iteration item grade` of one file, repeated ones once."""
    try:
        return None, collect_judgements(source, tick, memory)
    except Stop as stop:
        return stop.fault, None


def collect_judgements(source: Source, tick: Tick | None, memory: int) -> JudgedRows:
    tally = Tally()
    requests, subtopics, items = dict[bytes, int](), dict[bytes, int](), dict[bytes, int]()
    grades: dict[tuple[int, int, int], float] = {}
    n_bytes = 0
    for line, request, subtopic, item, grade, text in judgement_lines(source, tick, tally):
        key = code(requests, request), code(subtopics, subtopic), code(items, item)
        if grades.setdefault(key, grade) != grade:
            raise Stop("conflict", line, request=request, item=item, text=text)
        if len(grades) + tally.count["repeated"] < tally.count["lines"]:
            tally.add("repeated", line, item)
            continue
        n_bytes += LINE_COST + len(item)
        if n_bytes > memory:
            raise Stop("memory", line, request=request, item=item)
    if not grades:
        raise Stop("empty")
    keys = np.array(list(grades), dtype=np.int32).reshape(-1, 3)
    values = np.fromiter(grades.values(), dtype=np.float64)
    request, subtopic, item = np.ascontiguousarray(keys.T)
    ids = id_column(requests), id_column(subtopics), id_column(items)
    return JudgedRows(*ids, request, subtopic, item, values, to_counts([tally]))


JudgedLine = tuple[int, bytes, bytes, bytes, float, bytes]
"""Line number, request, subtopic, item, grade, and the grade as it is written."""


def judgement_lines(source: Source, tick: Tick | None, tally: Tally) -> Iterator[JudgedLine]:
    if source[0] == "table":  # which has no subtopics
        for line, request, item, value in table_rows(source):
            if not np.isfinite(value):
                raise Stop("grade", line, request=request, item=item, text=repr(value).encode())
            tally.add("lines", line)
            yield line, request, b"0", item, value + 0.0, b""
        return
    for line, written, columns in read_rows(read_chunks(source, tick, 0, source_size(source)), 4, 4, tally):
        request, subtopic, item, text = columns
        count_spelling(line, written, columns, text, tally)
        if subtopic == b"Q0":
            tally.add("q0", line)
        if (grade := parse_number(text)) is None:
            raise Stop("grade", line, request=request, item=item, text=text)
        # TREC's unused second column is 0 in one file and Q0 in the next.
        yield line, request, b"0" if subtopic == b"Q0" else subtopic, item, grade, text


def table_rows(source: Source) -> Iterator[tuple[int, bytes, bytes, float]]:
    """Number, request, item and value of every row of a table in memory."""
    _, requests, row_requests, items, values = source
    names = to_ids(requests)
    rows = zip(row_requests.tolist(), to_ids(items), values.tolist(), strict=True)
    for number, (r, item, value) in enumerate(rows, start=1):
        yield number, names[r], item, value


# Frames


def read_frame(
    frame: Any, coded: list[str], items: str, values: str | None, memory: int | None = None, /
) -> tuple[Fault | None, FrameColumns | None]:
    """Columns of any data frame that narwhals supports, or the fault of the first faulty row's first faulty column."""
    import narwhals as nw

    native = nw.from_native(whole_table(frame))
    table = native.collect() if isinstance(native, nw.LazyFrame) else native
    try:
        return None, frame_columns(table, coded, items, values, memory)
    except Stop as stop:
        return stop.fault, None


def whole_table(frame: Any) -> Any:
    """What narwhals supports: a pyarrow table for objects with an Arrow stream; others unchanged."""
    if hasattr(frame, "read_all"):
        return frame.read_all()
    if type(frame).__name__ == "RecordBatch":
        return import_module("pyarrow").Table.from_batches([frame])
    library = type(frame).__module__.partition(".")[0]
    if hasattr(frame, "__arrow_c_stream__") and library not in ("polars", "pyarrow"):
        try:
            return import_module("pyarrow").RecordBatchReader.from_stream(frame).read_all()
        except ImportError:
            return frame
    return frame


def frame_columns(table: Any, coded: list[str], items: str, values: str | None, memory: int | None) -> FrameColumns:
    cells = {name: read_cells(table[name], name) for name in (*coded, items, *([values] if values is not None else []))}
    stops = [id_fault(cells[name], name) for name in (*coded, items)]
    stops += [] if values is None else [value_fault(cells[values], values)]
    stop = min(filter(None, stops), key=lambda stop: stop.fault.line, default=None)
    rows = len(cells[items]) if stop is None else stop.fault.line - 1
    names = [str(cell).encode() for cell in cells[items][:rows]]
    check_rows(names, memory)
    if stop:
        raise stop
    codes = [code_column(cells[name]) for name in coded]
    numbers = np.ones(len(names)) if values is None else to_floats(cells[values])
    return FrameColumns(codes, id_column(names), numbers)


def read_cells(column: Any, name: str) -> list[object]:
    """The cells of a column, None where they are null."""
    native = column.to_native()
    try:
        for chunk in filter(len, getattr(native, "chunks", ())):  # of pyarrow
            chunk.validate(full=True)
    except (ValueError, IndexError):
        raise Stop("damaged", text=name.encode()) from None
    nulls = column.is_null().to_list()
    try:
        if not column.dtype.is_temporal():  # pandas has NaN where a text is missing
            return [None if null else cell for cell, null in zip(column.to_list(), nulls, strict=True)]
    except (ValueError, OverflowError):  # a decimal that narwhals does not know, or a time that Python cannot hold
        with suppress(ValueError, OverflowError):
            return native.to_pylist()  # type: ignore[no-any-return]
    return [None if null else datetime.min for null in nulls]


def code_column(cells: list[object]) -> tuple[IdColumn, NDArray[np.int32]]:
    codes: dict[bytes, int] = {}
    rows = np.array([code(codes, str(cell).encode()) for cell in cells], dtype=np.int32)
    return id_column(codes), rows


def to_floats(cells: list[object]) -> NDArray[np.float64]:
    """Values as float64, NaN for null."""
    return np.array([float("nan") if cell is None else float(cell) for cell in cells])  # type: ignore[arg-type]


def id_fault(cells: list[object], name: str) -> Stop | None:
    """The first cell that is null, or neither text nor an integer."""
    for row, cell in enumerate(cells, start=1):
        if cell is None:
            return Stop("null", row, text=name.encode())
        if isinstance(cell, bool) or not isinstance(cell, (str, int)):
            return Stop("id_type", row, text=f"{name}\t{family(cell)}".encode())
    return None


def value_fault(cells: list[object], name: str) -> Stop | None:
    """The first cell that is no number and not null."""
    for row, cell in enumerate(cells, start=1):
        if cell is not None and (isinstance(cell, bool) or not isinstance(cell, (int, float, Decimal))):
            return Stop("value_type", row, text=f"{name}\t{family(cell)}".encode())
    return None


def family(cell: object) -> str:
    """What messages call such cells."""
    return next((name for kinds, name in FAMILIES if isinstance(cell, kinds)), "other values")


def check_rows(items: list[bytes], memory: int | None) -> None:
    """Raise at the first row that exceeds the memory limit."""
    n_bytes = 0
    for row, item in enumerate(items, start=1):
        n_bytes += LINE_COST + len(item)
        if memory is not None and n_bytes > memory:
            raise Stop("memory", row)


# Runs


class Line(NamedTuple):
    """One line of a run: an item that it lists for a request."""

    number: int
    request: bytes
    item: bytes
    score: float
    rank: int

    @property
    def cost(self) -> int:
        return LINE_COST + len(self.item)

    def stop(self, kind: str) -> Stop:
        return Stop(kind, self.number, request=self.request, item=self.item)


def run_lines(
    source: Source, tick: Tick | None, before: int, total: int, options: Options, tally: Tally
) -> Iterator[Line]:
    """The lines `request iteration item rank score [tag]` of a run, or the rows of one in memory."""
    if source[0] == "table":  # which may be empty: a run that retrieves nothing
        yield from table_lines(source, options, tally)
        return
    for number, line, columns in read_rows(read_chunks(source, tick, before, total), 5, np.inf, tally):
        request, _, item, place, text, *_ = columns
        rank = parse_rank(place)
        if rank == NO_RANK and options.ties == "rank":
            raise Stop("rank", number, request=request, item=item, text=place)
        if options.audit:
            count_spelling(number, line, columns, text, tally)
            count_rank(number, place, rank, tally)
        if (score := parse_number(text)) is not None:
            yield Line(number, request, item, score, rank)
        elif options.on_bad_score == "drop":
            tally.add("bad_score", number, text)
        else:
            raise Stop("score", number, request=request, item=item, text=text)
    if not tally.count["lines"]:
        raise Stop("empty")


def parse_rank(text: bytes) -> int:
    """The rank column; `NO_RANK` if it is no 64-bit integer."""
    rank = int(text) if INTEGER.fullmatch(text) and len(text) <= 20 else NO_RANK
    return rank if abs(rank) < 2**63 else NO_RANK


def count_rank(number: int, text: bytes, rank: int, tally: Tally) -> None:
    if rank == NO_RANK:
        tally.add("no_rank", number, text)
    if rank == 0:
        tally.add("rank_zero", number)


def table_lines(source: Source, options: Options, tally: Tally) -> Iterator[Line]:
    for number, request, item, score in table_rows(source):
        tally.add("lines", number)
        if np.isfinite(score):
            yield Line(number, request, item, score + 0.0, 0)
        elif options.on_bad_score == "drop":
            tally.add("bad_score", number, repr(score).encode())
        else:
            raise Stop("score", number, request=request, item=item, text=repr(score).encode())


class Rankings:
    """The lines of one run by judged request."""

    def __init__(self, requests: dict[bytes, int], options: Options, tally: Tally) -> None:
        self.requests, self.options, self.tally = requests, options, tally
        self.lists: dict[int, dict[bytes, Line]] = {}
        self.first_line: dict[int, int] = {}
        self.unjudged: set[bytes] = set()
        self.request: bytes | None = None
        self.returned = False
        self.n_bytes = self.request_bytes = 0
        self.memory_fault: Stop | None = None

    def push(self, line: Line) -> None:
        if line.request != self.request:
            self.begin(line)
        r = self.requests.get(line.request)
        if r is None:
            self.tally.add("unjudged_lines", line.number, line.request)
            return
        self.count_memory(line)
        listed = self.lists[r]
        if line.item in listed:
            self.resolve_duplicate(listed, line)
            return
        self.request_bytes += line.cost
        if not self.returned and self.request_bytes > self.options.memory:
            raise line.stop("memory")
        listed[line.item] = line

    def begin(self, line: Line) -> None:
        self.request = line.request
        self.request_bytes = 0
        r = self.requests.get(line.request)
        if r is None:
            if line.request not in self.unjudged:
                self.unjudged.add(line.request)
                self.tally.add("unjudged_requests", line.number, line.request)
        elif r in self.lists:
            self.returned = True
            self.tally.add("returning", line.number, line.request)
            if self.memory_fault:
                raise self.memory_fault
        else:
            self.lists[r] = {}
            self.first_line[r] = line.number

    def count_memory(self, line: Line) -> None:
        """A file whose requests are not contiguous is held whole: remember the first line above the limit."""
        self.n_bytes += line.cost
        if self.n_bytes > self.options.memory and self.memory_fault is None:
            self.memory_fault = line.stop("memory")
        if self.returned and self.memory_fault:
            raise self.memory_fault

    def resolve_duplicate(self, listed: dict[bytes, Line], line: Line) -> None:
        if self.options.duplicates == "error":
            raise line.stop("duplicate")
        self.tally.add("duplicate", line.number, line.item)
        if self.options.duplicates == "best" and line.score > listed[line.item].score:
            listed[line.item] = line


def rank_items(lines: Iterable[Line], ties: str) -> list[bytes]:
    """Items by score descending; ties by the rank column if it counts, then by item id descending."""
    by_id = sorted(lines, key=lambda line: line.item, reverse=True)
    return [line.item for line in sorted(by_id, key=lambda line: (-line.score, line.rank if ties == "rank" else 0))]


def count_tied(scores: NDArray[np.floating]) -> int:
    _, sizes = np.unique(scores, return_counts=True)
    return int(sizes[sizes > 1].sum())


def count_float32_ties(scores: NDArray[np.float64]) -> int:
    """How many scores equal a different score when rounded to float32."""
    different = np.unique(scores)
    with np.errstate(over="ignore"):
        single, sizes = np.unique(different.astype(np.float32), return_counts=True)
        return int(np.isin(scores.astype(np.float32), single[sizes > 1]).sum())


def line_scores(lines: Iterable[Line]) -> NDArray[np.float64]:
    return np.array([line.score for line in lines], dtype=np.float64)


def rises(scores: NDArray[np.float64]) -> bool:
    return bool((scores[1:] > scores[:-1]).any())


def rank_disagrees(lines: Iterable[Line]) -> bool:
    """Whether the rank column, if every line has one, puts an item above another with a higher score."""
    by_rank = sorted(lines, key=lambda line: (line.rank, -line.score))
    return all(line.rank != NO_RANK for line in by_rank) and rises(line_scores(by_rank))


def count_judged_ties(lines: Iterable[Line], judged: set[bytes]) -> int:
    """How many scores are shared by several items, one of them judged."""
    tied: dict[float, list[bytes]] = {}
    for line in lines:
        tied.setdefault(line.score, []).append(line.item)
    return sum(len(items) > 1 and not judged.isdisjoint(items) for items in tied.values())


class RankTable:
    """The results of all runs, filled in run by run."""

    def __init__(self, judged: Judged, options: Options, runs: int) -> None:
        self.judged, self.options = judged, options
        self.request_names = to_ids(judged.requests)
        self.requests = {name: r for r, name in enumerate(self.request_names)}
        self.item_names = to_ids(judged.items)
        shape = runs, len(self.request_names)
        self.ranks: NDArray[np.int32] = np.full((runs, judged.slots), UNRETRIEVED, dtype=np.int32)
        self.scores = np.tile([np.inf, -np.inf], (runs, 1))
        self.listed, self.retrieved, self.tied = (np.zeros(shape, dtype=np.int32) for _ in range(3))
        self.top: list[TopItems] = []
        self.pool: list[set[bytes]] = [set() for _ in self.request_names]

    def request_judgements(self, r: int) -> dict[bytes, int]:
        bounds = range(self.judged.starts[r], self.judged.starts[r + 1])
        return {self.item_names[self.judged.item[j]]: j for j in bounds}

    def add_run(self, run: int, rankings: Rankings) -> None:
        tops: list[list[tuple[bytes, int]]] = [[] for _ in self.request_names]
        for r, listed in rankings.lists.items():
            judgements = self.request_judgements(r)
            excluded = {item for item, j in judgements.items() if self.judged.slot[j] == EXCLUDED}
            ranking = [item for item in rank_items(listed.values(), self.options.ties) if item not in excluded]
            if self.options.judged_only:
                ranking = [item for item in ranking if item in judgements]
            ranking = ranking[: self.options.depth]
            self.listed[run, r] = len(listed)
            self.retrieved[run, r] = len(ranking)
            scores = line_scores(listed.values())
            self.tied[run, r] = count_tied(scores)
            low, high = self.scores[run]
            self.scores[run] = min(low, scores.min()), max(high, scores.max())
            self.count_oddities(r, rankings, {i for i, j in judgements.items() if self.judged.slot[j] not in OTHERS})
            self.pool[r].update(ranking)
            tops[r] = [(item, judgements.get(item, -1)) for item in ranking[: self.options.top]]
            for rank, item in enumerate(ranking, start=1):
                slot = self.judged.slot[judgements[item]] if item in judgements else -1
                if slot >= 0:
                    self.ranks[run, slot] = rank
        self.top.append(to_top_items(tops))

    def count_oddities(self, r: int, rankings: Rankings, judged: set[bytes]) -> None:
        lines, first, request = rankings.lists[r].values(), rankings.first_line[r], self.request_names[r]
        tally, scores = rankings.tally, line_scores(lines)
        tally.add("unsorted", first, request, rises(scores))
        if self.options.audit:
            tally.add("rank_disagrees", first, request, rank_disagrees(lines))
            tally.add("judged_ties", first, request, count_judged_ties(lines, judged))
            tally.add("float32_ties", first, request, count_float32_ties(scores))

    def projection(self, tallies: list[Tally]) -> Projection:
        return Projection(
            self.ranks,
            self.listed,
            self.retrieved,
            self.tied,
            self.scores,
            to_counts(tallies),
            self.top if self.options.top is not None else None,
            np.array([len(p) for p in self.pool], dtype=np.int32) if self.options.pool else None,
        )


def to_top_items(tops: list[list[tuple[bytes, int]]]) -> TopItems:
    flat = [entry for top in tops for entry in top]
    starts = np.concatenate([[0], np.cumsum([len(top) for top in tops])]).astype(np.int64)
    return TopItems(starts, id_column(item for item, _ in flat), np.array([j for _, j in flat], dtype=np.int32))


def project(
    sources: list[Source], judged: Judged, options: Options, tick: Tick | None, /
) -> tuple[Fault | None, Projection | None]:
    """Rank the items of every run and return the ranks of the judged ones."""
    table = RankTable(judged, options, len(sources))
    sizes = [source_size(source) for source in sources]
    tallies = []
    for run, source in enumerate(sources):
        rankings = Rankings(table.requests, options, Tally())
        try:
            for line in run_lines(source, tick, sum(sizes[:run]), sum(sizes), options, rankings.tally):
                rankings.push(line)
        except Stop as stop:
            return stop.fault._replace(file=run), None
        table.add_run(run, rankings)
        tallies.append(rankings.tally)
    return None, table.projection(tallies)
