"""Where lines come from: a path, standard input, or a dictionary in memory."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.temporary import temporary_file, temporary_folder
from tiebreak._kernels.interface import GZIP_MAGIC, MEMORY, ZSTD_MAGIC
from tiebreak._kernels.interface import Source as KernelSource
from tiebreak.errors import InputError, TiebreakError, quote
from tiebreak.inputs.ids import Ids

Path: TypeAlias = "str | os.PathLike[str]"
Values: TypeAlias = Mapping["str | int", Mapping["str | int", float]]
"""``{request: {item: value}}``: scores of a run, or grades."""

STANDARD_INPUT = "-"
SPARK_MARK = "_SUCCESS"
"""The file that Spark leaves in a folder that is one table."""
CHUNK = 1 << 20
LARGEST_VALUE = 1e100
"""The largest utility or weight: sums of larger squares may overflow a float64."""


@dataclass(frozen=True, eq=False)
class Source:
    """What a kernel can read, and how messages call it and its rows: by number, or by line if they come from a file.

    `notes` are what results say about it.
    """

    label: str
    kernel: KernelSource
    rows: str = "entry"
    first_line: int | None = None
    library: str | None = None
    notes: tuple[str, ...] = ()
    line_of_row: NDArray[np.int64] | None = None  # where its rows are some of those of a source

    def original_line(self, line: int) -> int:
        """The number of a line, or of a row of a table, in the whole source; 0 where it is not known."""
        if not line:
            return 0
        row = line if self.line_of_row is None else int(self.line_of_row[line - 1])
        return row + (self.first_line or 1) - 1

    def take_rows(self, rows: NDArray[np.int64], kernel: KernelSource) -> Source:
        """Some of its rows, which messages call as before."""
        lines = rows + 1 if self.line_of_row is None else self.line_of_row[rows]
        return replace(self, kernel=kernel, line_of_row=lines)

    @property
    def is_table(self) -> bool:
        return self.kernel[0] in ("table", "stream")

    def location(self, line: int) -> str:
        """The line as editors open it, ``file:line``; for a table its row."""
        if not line:
            return self.label
        is_row = self.is_table and self.first_line is None
        return f"{self.label}, {self.rows} {line}" if is_row else f"{self.label}:{line}"


def empty_table() -> KernelSource:
    """A table without rows, as a kernel reads it."""
    nothing = Ids.from_names([]).column
    return "table", nothing, np.empty(0, dtype=np.int32), nothing, np.empty(0)


def file_source(path: Path, memory: int = MEMORY) -> Source:
    """A file to be read later; what can be read only once, such as a pipe, is copied first, within `memory`."""
    label = os.fspath(path)
    if label == STANDARD_INPUT:
        return Source("standard input", ("file", spool(standard_input(), memory, "standard input")))
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        raise InputError(f"{label}: {reason(error)}. Check the path.", kind="missing", file=label) from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{label}: this is a folder. Give the files in it.", kind="directory", file=label)
    if stat.S_ISREG(mode):
        return Source(label, ("file", label))
    try:
        with open(path, "rb") as stream:
            return Source(label, ("file", spool(stream, memory, label)))
    except OSError as error:
        raise InputError(f"{label}: {reason(error)}.", kind="io", file=label) from None


def standard_input() -> BinaryIO:
    """Standard input, which can be read only once."""
    global _standard_input_is_taken
    if sys.stdin is None or _standard_input_is_taken:
        raise InputError('"-": standard input is closed, or was given twice.', kind="missing", file="standard input")
    _standard_input_is_taken = True
    return sys.stdin.buffer


_standard_input_is_taken = False


OURS = (TiebreakError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)
LONGEST_REASON = 300


@contextmanager
def calling(label: str, how: str = "") -> Iterator[None]:
    """Turn the errors of another library that reads `label` into ours, also panics of Rust, no `Exception`s."""
    try:
        yield
    except OURS:
        raise
    except BaseException as error:
        kind = "io" if isinstance(error, Exception) else "panic"
        reason = quote(" ".join(str(error).split()) or type(error).__name__, LONGEST_REASON)[1:-1]
        words = " ".join(filter(None, ("cannot be read", how)))
        raise InputError(f"{label}: {words}: {reason.rstrip('.')}.", kind=kind, file=label) from None


def reason(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return text[:1].lower() + text[1:]


def spool(stream: BinaryIO, memory: int, label: str) -> str:
    """Copy a stream to a temporary file."""
    folder = temporary_folder()
    try:
        with temporary_file(os.path.join(folder, "tiebreak-")) as copy:
            for chunk in chunks(stream, memory, label):
                copy.write(chunk)
    except OSError as error:
        problem = f"it cannot be copied to {folder}: {error.strerror or error}"
        raise InputError(f"{label}: {problem}.", kind="io", file=label) from None
    return copy.name


def chunks(stream: BinaryIO, memory: int, label: str) -> Iterator[bytes]:
    """The bytes of a stream, as far as a reader of runs or judgements would get."""
    size, packed = 0, False
    while chunk := stream.read(CHUNK):
        packed = packed or (not size and chunk.startswith((GZIP_MAGIC, ZSTD_MAGIC)))
        size += len(chunk)
        if size > memory:
            raise InputError(
                f"{label}: more than memory={memory:,} bytes, all of which are copied first. "
                "Write them to a file and give that, or give more memory.",
                kind="memory",
                file=label,
            )
        yield chunk
        if not packed and (b"\0" in chunk or (len(chunk) == CHUNK and b"\n" not in chunk)):
            return  # a control byte or an endless line: the reader of the copy reports where


Roles = tuple[str, str]
"""The names of the outer and the inner keys of a dictionary."""


def dict_columns(
    values: Values, label: str, roles: Roles = ("request", "item"), booleans: bool = False
) -> tuple[Ids, NDArray[np.int32], Ids, NDArray[np.float64]]:
    """The ids of requests, and for every item of every request: the request's index, the item's id, its value."""
    check_nested(values, label, roles)
    check_spelling(values, roles[0], label)
    sizes = [len(listed) for listed in values.values()]
    request_of_row = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    items = Ids.from_names(item for listed in values.values() for item in listed)
    check_numbers((v for listed in values.values() for v in listed.values()), values, label, roles, booleans)
    cells: Iterator[Any] = (v for listed in values.values() for v in listed.values())
    try:
        numbers = np.fromiter((parse_number(v) if isinstance(v, str) else v for v in cells), np.float64, len(items))
    except OverflowError:
        raise InputError(f"{label}: a value is too large for a float64. Scale the values.", kind="score") from None
    return Ids.from_names(values), request_of_row, items, numbers


def listed_pairs(values: Mapping[Any, Any], label: str, what: str) -> dict[Any, dict[Any, Any]] | None:
    """Items with a value each, of ``{request: [(item, value), ...]}``; None where items are only listed."""
    first = next((one for listed in values.values() for one in listed), None)
    if not is_pair(first):
        return None
    by_request = {}
    for request, listed in values.items():
        where = f"{label}: request {quote(str(request))}"
        if not all(map(is_pair, listed)):
            raise InputError(f"{where} holds something else than pairs (item, {what}).", kind="shape")
        by_request[request] = dict(listed)
        if len(by_request[request]) < len(listed):
            raise InputError(f"{where} lists an item twice. Keep one.", kind="duplicate")
    return by_request


def is_pair(cell: Any) -> bool:
    return isinstance(cell, (tuple, list)) and len(cell) == 2 and isinstance(cell[0], (str, Integral))


def parse_number(text: str) -> float:
    """A number as files have it; a ValueError for anything else, also for what only Python reads, such as 1_0."""
    if not text.isascii() or text.strip() != text or "_" in text:
        raise ValueError(text)
    return float(text)


def is_number(text: str) -> bool:
    try:
        parse_number(text)
    except ValueError:
        return False
    return True


def check_nested(values: Mapping[Any, Any], label: str, roles: Roles) -> None:
    """A dictionary of dictionaries."""
    outer, inner = roles
    for name, listed in values.items():
        if not isinstance(listed, Mapping):
            raise InputError(
                f"{label}: {outer} {quote(str(name))} holds {type(listed).__name__}. "
                f"Give {{{outer}: {{{inner}: value}}}}.",
                kind="shape",
                file=label,
            )


def check_spelling(names: Iterable[object], what: str, label: str) -> None:
    """7 and "7" are the same id, so a dictionary may not have both."""
    seen: set[str] = set()
    for name in names:
        if str(name) in seen:
            twice = quote(str(name))
            raise InputError(
                f"{label}: {what} {twice} appears both as text and as an integer. Keep one.", kind="id", file=label
            )
        seen.add(str(name))


def check_numbers(numbers: Iterable[object], values: Values, label: str, roles: Roles, booleans: bool) -> None:
    """Real numbers only, also as text, or Booleans."""
    kinds = {*map(type, numbers)} - ({bool, np.bool_} if booleans else set())
    strange = {kind for kind in kinds if kind is bool or not issubclass(kind, (Real, Decimal))}
    if not strange:
        return
    for request, listed in values.items():
        for item, value in listed.items():
            if type(value) in strange and not (isinstance(value, str) and is_number(value)):
                where = f"{roles[1]} {quote(str(item))} of {roles[0]} {quote(str(request))}"
                raise InputError(
                    f"{label}: the value of {where} is {value!r}. Give a number.", kind="score", file=label
                )


def check_flat(path: str) -> None:
    """Refuse a folder of parquet files with folders in it: some libraries would leave their files out."""
    if not os.path.isdir(path):
        return
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.name.startswith(("_", ".")):
            advice = (
                f"Give pyarrow.dataset.dataset({path!r}, partitioning='hive'), or engine=\"spark\" (--engine spark)"
            )
            raise InputError(
                f"{path}: there are folders in it, such as {entry.name}, which may name a column. {advice}.",
                kind="directory",
                file=path,
            )


def is_parquet_folder(source: Any) -> bool:
    """Whether this is the path of a folder of parquet files that are one table: by its name, or as Spark leaves it."""
    if not isinstance(source, (str, os.PathLike)) or not os.path.isdir(source):
        return False
    path = os.fspath(source)
    return path.lower().endswith(".parquet") or os.path.exists(os.path.join(path, SPARK_MARK))
