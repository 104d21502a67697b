"""What Spark shuffles: rows that its workers have packed by request, and how the tables of an experiment are packed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from tiebreak import __version__, _kernels
from tiebreak._kernels.interface import Fault, FrameColumns
from tiebreak.engines.packed_rows import PackedRows
from tiebreak.engines.spark_errors import translate_spark_errors
from tiebreak.engines.spool import run_of_row
from tiebreak.errors import InputError
from tiebreak.inputs import faults
from tiebreak.inputs.frames import select
from tiebreak.inputs.sources import Source, calling

ROWS_PACKED = 1 << 19
"""Rows that a worker packs together."""
FEWEST_KEYS, KEYS_PER_PARTITION, MOST_KEYS = 512, 8, 1 << 14
"""Rows are shuffled by keys, hashes of requests: several for a partition, so that partitions are about as large."""
ORDER = ("key", "table", "part", "number")
PACKED = f"{' int, '.join(ORDER)} int, rows binary, is_fault boolean"
"""Pieces of packed rows: by key and table, the task that packed them and their number in it. A fault is a pickled error
in the place of rows."""
PLAIN_IDS = ("string", "long", "integer", "short", "byte")
PLAIN_VALUES = ("double", "float", "long", "integer", "short", "byte", "boolean")
"""Types that workers read from files as Spark does."""


class FilePart(NamedTuple):
    """Some row groups of a parquet file."""

    path: str
    groups: tuple[int, ...]

    def batches(self, names: list[str], size: int) -> Iterator[Any]:
        with import_module("pyarrow.parquet").ParquetFile(self.path) as file:
            yield from file.iter_batches(size, row_groups=list(self.groups), columns=names, use_threads=False)


class TableColumns(NamedTuple):
    """Which column of a table holds what; `label` names the run of a row, or the subtopic. Without values all are 1."""

    request: str
    item: str
    value: str | None
    label: str | None = None
    is_rank: bool = False

    @property
    def id_columns(self) -> list[str]:
        return [self.request, *([] if self.label is None else [self.label])]

    @property
    def names(self) -> list[str]:
        values = [] if self.value is None else [self.value]
        return [*dict.fromkeys([*self.id_columns, self.item, *values])]


@dataclass(frozen=True, eq=False)
class InputTable:
    """One table of an experiment: a frame of Spark, or files that its workers read themselves.

    `codes` are of the labels of rows: the indices of runs, or of subtopics.
    """

    name: str  # as messages call it
    what: str  # of `faults`
    frame: Any
    columns: TableColumns
    codes: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[tuple[FilePart, ...], ...] = ()  # for every task

    def packer(self, number: int, keys: int, rows_packed: int) -> Packer:
        return Packer(__version__, number, self.name, self.what, self.columns, self.codes, keys, rows_packed)

    @property
    def is_empty(self) -> bool:
        """Whether there is no row in it."""
        if self.parts:
            return False
        with translate_spark_errors():
            return bool(self.frame.isEmpty())

    def select_columns(self) -> Any:
        """The frame with its columns as workers expect them: ids as text, values as numbers.

        They are numbered, as Spark takes dots in names for fields of records.
        """
        functions, columns = import_module("pyspark.sql.functions"), self.columns
        kinds = dict.fromkeys((*columns.id_columns, columns.item), "string")
        kinds |= {} if columns.value is None else {columns.value: "double"}
        cells = ((functions.col(quote_column(name)), name) for name in columns.names)
        return self.frame.select(*(cell.cast(kinds[name]).alias(f"c{k}") for k, (cell, name) in enumerate(cells)))

    def pack_rows(self, packer: Packer) -> Any:
        """A frame of `PACKED`, of rows that Spark reads."""
        return self.select_columns().mapInArrow(NamedColumns(packer).__call__, PACKED)


def quote_column(name: str) -> str:
    """The name of a column as Spark's expressions have it."""
    return f"`{name.replace('`', '``')}`"


class Packer(NamedTuple):
    """What workers do with the rows of one table: pack them. It can be pickled."""

    version: str
    number: int
    name: str
    what: str
    columns: TableColumns
    codes: Mapping[str, int]
    keys: int
    rows_packed: int

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The pieces of a partition, as Arrow batches of `PACKED`."""
        check_version(self.version)
        part = import_module("pyspark").TaskContext.get().partitionId()
        for number, table in enumerate(gather_batches(batches, self.rows_packed)):
            yield from self.pack(table, part, number)

    def pack(self, table: Any, part: int, number: int) -> Iterator[Any]:
        columns = self.read(table)
        if isinstance(columns, Fault):
            yield self.fault_batch(self.error(columns), part, number)
            return
        packed = PackedRows.pack(columns, run_of_row(columns, self.codes), self.keys)
        known = np.flatnonzero(packed.rows).tolist()
        yield packed_batch(known, self.number, part, number, [packed[key] for key in known])

    def fault_batch(self, error: InputError, part: int, number: int = 0) -> Any:
        """An error as a piece of the first key: it is of no request, and so before all others of this table."""
        return packed_batch([0], self.number, part, number, [pickle.dumps(error)], True)

    def read(self, table: Any) -> FrameColumns | Fault:
        names, columns = self.columns.names, self.columns
        rows = table if columns.value is None else select(table, names, columns.value)
        read = _kernels.read_frame(rows, columns.id_columns, columns.item, columns.value)
        return read._replace(values=-read.values) if columns.is_rank and not isinstance(read, Fault) else read

    def error(self, fault: Fault) -> InputError:
        """The error of a fault. Rows have no numbers: their order is that of a shuffle."""
        try:
            faults.raise_input_error(fault._replace(line=0), Source(self.name, ("table",), "row"), self.what)
        except InputError as error:
            return error


class NamedColumns(NamedTuple):
    """What workers do with rows of Spark: give columns their names, and pack them."""

    packer: Packer

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        batch_type, names = import_module("pyarrow").RecordBatch, self.packer.columns.names
        return self.packer(batch_type.from_arrays(batch.columns, names=names) for batch in batches)


class FilePacker(NamedTuple):
    """What workers do that read files themselves: rows of Spark are the indices of tasks, each of one table."""

    tasks: tuple[tuple[Packer, tuple[FilePart, ...]], ...]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for task in [task for batch in batches for task in batch.column(0).to_pylist()]:
            packer, parts = self.tasks[task]
            try:
                yield from packer(self.read(parts, packer))
            except InputError as error:  # of a file that is gone or damaged
                yield packer.fault_batch(error, task)

    def read(self, parts: tuple[FilePart, ...], packer: Packer) -> Iterator[Any]:
        for part in parts:
            with calling(part.path, "by a worker, as parquet"):
                yield from part.batches(packer.columns.names, packer.rows_packed)


def pack_tables(session: Any, tables: Sequence[InputTable], keys: int, rows_packed: int) -> Any:
    """A frame of `PACKED` of all tables; all files are one frame, as a union of small ones has one task only."""
    packers = [table.packer(number, keys, rows_packed) for number, table in enumerate(tables)]
    both = [*zip(tables, packers, strict=True)]
    packed = [table.pack_rows(packer) for table, packer in both if not table.parts]
    tasks = tuple((packer, parts) for table, packer in both for parts in table.parts)
    if tasks:
        indices = session.range(0, len(tasks), 1, len(tasks))
        packed.append(indices.mapInArrow(FilePacker(tasks).__call__, PACKED))
    return reduce(lambda one, other: one.union(other), packed)


def gather_batches(batches: Iterator[Any], size: int) -> Iterator[Any]:
    """Tables of about so many rows; files of one table may differ in types, and what is of one type is a table."""
    for _, alike in groupby(batches, key=attrgetter("schema")):
        yield from join_batches(alike, size)


def join_batches(batches: Iterator[Any], size: int) -> Iterator[Any]:
    table_type = import_module("pyarrow").Table
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= size:
            yield table_type.from_batches(held)
            held = []
    if any(map(len, held)):
        yield table_type.from_batches(held)


def packed_batch(keys: list[int], table: int, part: int, number: int, rows: list[bytes], is_fault: bool = False) -> Any:
    arrow = import_module("pyarrow")
    cells = [keys, *([value] * len(keys) for value in (table, part, number))]
    arrays = [arrow.array(column, arrow.int32()) for column in cells]
    arrays += [arrow.array(rows, arrow.binary()), arrow.array([is_fault] * len(keys))]
    return arrow.RecordBatch.from_arrays(arrays, names=[*ORDER, "rows", "is_fault"])


def check_version(version: str) -> None:
    """Refuse to compute with another version than that of the driver."""
    if version != __version__:
        raise RuntimeError(f"tiebreak {__version__} is installed on a worker, and {version} on the driver")


def number_of_keys(partitions: int) -> int:
    return min(max(FEWEST_KEYS, KEYS_PER_PARTITION * partitions), MOST_KEYS)


def file_parts(frame: Any, columns: TableColumns, rows_at_once: int) -> tuple[tuple[FilePart, ...], ...]:
    """The parquet files behind a frame, for every task; none where its workers cannot read them as Spark does.

    They can if files are on disks and columns are of plain types in all of them.
    """
    kinds = {each.name: each.dataType.typeName() for each in frame.schema.fields}
    ids = {*columns.id_columns, columns.item}
    if not all(kinds[name] in (PLAIN_IDS if name in ids else PLAIN_VALUES) for name in columns.names):
        return ()
    parsed = [urlsplit(uri) for uri in frame.inputFiles()]
    if not all(one.scheme == "file" for one in parsed):
        return ()
    parquet, groups = import_module("pyarrow.parquet"), []
    for path in sorted(unquote(one.path) for one in parsed):
        with calling(path, "as parquet"), parquet.ParquetFile(path) as file:
            about = file.metadata
            if not {*columns.names} <= {*file.schema_arrow.names}:
                return ()
        sizes = [about.row_group(k).num_rows for k in range(about.num_row_groups)]
        groups += [(path, k, size) for k, size in enumerate(sizes) if size]
    return divide_groups(groups, rows_at_once)


def divide_groups(groups: list[tuple[str, int, int]], rows: int) -> tuple[tuple[FilePart, ...], ...]:
    """Row groups of files, each with its rows, as tasks of about so many rows."""
    tasks: dict[int, dict[str, list[int]]] = {}
    before = 0
    for path, group, size in groups:
        tasks.setdefault(before // rows, {}).setdefault(path, []).append(group)
        before += size
    return tuple(tuple(FilePart(path, tuple(some)) for path, some in task.items()) for task in tasks.values())
