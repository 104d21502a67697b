"""Rows of a table in a temporary file, by a hash of their request: written in one pass, read by partition."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, BinaryIO, NamedTuple
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.temporary import remove, temporary_file, temporary_folder
from tiebreak._kernels.interface import FrameColumns, Tick
from tiebreak._kernels.interface import Source as KernelSource
from tiebreak.errors import InputError
from tiebreak.inputs import Ids
from tiebreak.inputs.ids import gather, offsets, ranges
from tiebreak.inputs.sources import empty_table, reason
from tiebreak.inputs.streams import TableStream

Places = NDArray[np.int64]
PARTITIONS = 512
HASH_BEGIN, HASH_FACTOR, HASH_SHIFT = 0xCBF29CE484222325, 0x100000001B3, 55
"""Of FNV-1a; the highest nine bits say which of the partitions."""
SMALL_READ = 4096
"""Bytes that are read at least: a few of every column."""
NARROW = (np.int8, np.int16, np.float32)
"""Types that hold values in fewer bytes, if these are the same in them."""


def partition_ids(ids: Ids) -> Places:
    """The partition of every id, the same wherever it stands."""
    letters, sizes = as_letters(ids.buffer), np.diff(ids.offsets)
    hashes = np.full(len(ids), HASH_BEGIN, dtype=np.uint64)
    rest = np.arange(len(ids))
    for place in range(int(sizes.max(initial=0))):
        rest = rest[sizes[rest] > place]
        hashes[rest] = (hashes[rest] ^ letters[ids.offsets[rest] + place]) * np.uint64(HASH_FACTOR)
    hashes ^= hashes >> np.uint64(32)
    hashes *= np.uint64(HASH_FACTOR << 16 | 1)
    return (hashes >> np.uint64(HASH_SHIFT)).astype(np.int64)


class Column(NamedTuple):
    """Numbers in a file, sorted by partition: where they begin, of which type, and where every partition begins."""

    begin: int
    kind: np.dtype[Any]
    bounds: Places

    def read(self, file: BinaryIO, first: int, last: int) -> NDArray[Any]:
        """The numbers of partitions from the first to before the last."""
        low, high = int(self.bounds[first]), int(self.bounds[last])
        file.seek(self.begin + low * self.kind.itemsize)
        return np.frombuffer(file.read((high - low) * self.kind.itemsize), dtype=self.kind)


class Chunk(NamedTuple):
    """The rows of a batch, sorted by partition, as segments of neighbours of one request and one run.

    `before` is the number of rows before the batch; `letters` are those of ids of requests, one for every segment.
    """

    before: int
    sizes: Column
    letters: Column
    starts: Column
    lengths: Column
    runs: Column
    item_sizes: Column
    item_letters: Column
    values: Column


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table: segments with the id, the run and the number of the first row; items and values."""

    requests: Ids
    first: Places
    lengths: Places
    run: NDArray[Any]
    items: Ids
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def take_run(self, run: int) -> Rows:
        """The rows of one of the runs."""
        segments = np.flatnonzero(self.run == run)
        if len(segments) == len(self.run):
            return self
        lengths = self.lengths[segments]
        rows = ranges(offsets(self.lengths)[segments], lengths)
        requests, first = self.requests.take(segments), self.first[segments]
        return Rows(requests, first, lengths, self.run[segments], self.items.take(rows), self.values[rows])

    @property
    def kernel(self) -> KernelSource:
        """As a kernel reads them, which knows requests by their ids."""
        if not len(self):
            return empty_table()
        segment_of_row = np.repeat(np.arange(len(self.first), dtype=np.int32), self.lengths)
        return "table", self.requests.column, segment_of_row, self.items.column, self.values

    @property
    def numbers(self) -> Places:
        """The number of every row in the whole table."""
        return ranges(self.first, self.lengths)


class Spool:
    """The rows of a table by partition. Of a table of several runs these are known by their indices in `runs`."""

    def __init__(self, stream: TableStream) -> None:
        self.stream = stream
        self.chunks: list[Chunk] = []
        self.read = lru_cache(1)(self._read)  # the runs of a table are asked for one after another

    @cached_property
    def runs(self) -> dict[str | None, int]:
        """The indices of runs by name."""
        return {None: 0} if self.stream.run is None else {name: k for k, name in enumerate(self.stream.run_names())}

    def batches(self) -> Iterator[tuple[int, FrameColumns]]:
        return self.stream.batches()

    def write(self, tick: Tick | None = None) -> None:
        """Write the file, in one pass over the table; `tick` is told how many rows were read."""
        folder = temporary_folder()
        with temporary_file(os.path.join(folder, "tiebreak-")) as file:
            for before, batch in self.batches():
                try:
                    self.chunks.append(self.write_chunk(file, before, batch))
                except OSError as error:
                    problem = f"its rows cannot be written to {folder}: {reason(error)}"
                    advice = "TMPDIR names another folder for temporary files"
                    label = self.stream.label
                    raise InputError(f"{label}: {problem}. {advice}.", kind="io", file=label) from None
                if tick is not None:
                    tick(before + len(batch.values), 0)
        self.path = file.name
        finalize(self, remove, file.name)

    def write_chunk(self, file: BinaryIO, before: int, batch: FrameColumns) -> Chunk:
        """Write a batch by partition."""
        (requests, request), *runs = batch.coded
        run = np.zeros(1, dtype=np.int32).repeat(len(request))
        if runs:
            run = np.array([self.runs[name] for name in Ids(*runs[0][0])], dtype=np.int32)[runs[0][1]]
        is_first = np.append(True, (np.diff(request) != 0) | (np.diff(run) != 0))
        starts = np.flatnonzero(is_first)
        lengths = np.diff(np.append(starts, len(request)))
        names = Ids(*requests)
        partition = partition_ids(names)[request[starts]]
        order = np.argsort(partition.astype(np.uint16), kind="stable")
        starts, lengths = starts[order], lengths[order]
        items, rows, ids = Ids(*batch.items), ranges(starts, lengths), names.take(request[starts])
        begin = items.offsets[starts]
        size = items.offsets[starts + lengths] - begin
        by_segment = np.searchsorted(partition[order], np.arange(PARTITIONS + 1))
        by_row, by_letter = offsets(lengths)[by_segment], offsets(size)[by_segment]

        def write(numbers: NDArray[Any], bounds: Places) -> Column:
            column = Column(file.tell(), numbers.dtype, bounds)
            file.write(numbers.data)
            return column

        return Chunk(
            before,
            write(narrow_sizes(np.diff(ids.offsets)), by_segment),
            write(as_letters(ids.buffer), ids.offsets[by_segment]),
            write(narrow_sizes(starts), by_segment),
            write(narrow_sizes(lengths), by_segment),
            write(narrow_sizes(run[starts]), by_segment),
            write(narrow_sizes(np.diff(items.offsets)[rows]), by_row),
            write(as_letters(gather(items.buffer, begin, size)), by_letter),
            write(narrow_values(batch.values[rows]), by_row),
        )

    def _read(self, first: int, last: int) -> Rows:
        """The rows of partitions from the first to before the last, in the order of the table."""
        with open(self.path, "rb", buffering=SMALL_READ) as file:
            parts = [[column.read(file, first, last) for column in chunk[1:]] for chunk in self.chunks]
        columns = [*zip(*parts, strict=True)] or [()] * len(Chunk._fields[1:])
        sizes, letters, starts, lengths, run, item_sizes, item_letters, values = (
            np.concatenate([np.empty(0, dtype=np.uint8), *column]) for column in columns
        )
        before = np.repeat([chunk.before + 1 for chunk in self.chunks], [len(part[2]) for part in parts]).astype(
            np.int64
        )
        requests = Ids(letters.tobytes(), offsets(sizes))
        items = Ids(item_letters.tobytes(), offsets(item_sizes))
        return Rows(requests, before + starts, lengths.astype(np.int64), run, items, values.astype(np.float64))

    @property
    def row_counts(self) -> Places:
        """The rows of every partition."""
        return total([chunk.values for chunk in self.chunks])

    @property
    def segment_counts(self) -> Places:
        """The segments of every partition."""
        return total([chunk.starts for chunk in self.chunks])


def total(columns: Sequence[Column]) -> Places:
    """How many numbers of some columns every partition has."""
    counts = np.zeros(PARTITIONS, dtype=np.int64)
    for column in columns:
        counts += np.diff(column.bounds)
    return counts


def as_letters(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text, dtype=np.uint8)


def narrow_sizes(numbers: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers of 0 and above in the smallest type that holds them."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def narrow_values(values: NDArray[np.float64]) -> NDArray[Any]:
    """Values in the smallest type in which all are the same."""
    for kind in NARROW:
        with np.errstate(all="ignore"):
            fewer = values.astype(kind)
        if (fewer == values).all():
            return fewer
    return values
