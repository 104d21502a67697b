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
from tiebreak.inputs.ids import offsets, ranges
from tiebreak.inputs.sources import empty_table, reason
from tiebreak.inputs.streams import TableStream

Places = NDArray[np.int64]
PARTITIONS = 512
HASH_BEGIN, HASH_FACTOR = 0xCBF29CE484222325, 0x100000001B3
"""Of FNV-1a."""
HALF = np.uint64(32)
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
    hashes = (hashes ^ hashes >> HALF) * np.uint64(HASH_FACTOR << 16 | 1)
    return ((hashes >> HALF) * np.uint64(PARTITIONS) >> HALF).astype(np.int64)


class Chunk(NamedTuple):
    """The rows of a batch in a file, by partition, as segments of neighbours of one request and one run.

    `begins` is where each partition begins. There are, one after another, of every segment the size of the request's
    id, the id itself, its first row in the batch, its length and its run; of every row the size of the item's id, the
    id itself and the value. `kinds` are the types of these columns, `bounds` say how much of each the partitions
    before have. `before` is the number of rows before the batch.
    """

    before: int
    begins: Places
    kinds: tuple[np.dtype[Any], ...]
    bounds: tuple[Places, ...]

    @classmethod
    def write(cls, file: BinaryIO, before: int, columns: Sequence[tuple[NDArray[Any], Places]]) -> Chunk:
        """Write columns that are sorted by partition."""
        views = [numbers.data.cast("B") for numbers, _ in columns]
        ends = [(bounds * numbers.itemsize).tolist() for numbers, bounds in columns]
        begins = file.tell() + np.sum(ends, axis=0)
        parts = range(PARTITIONS)
        file.write(b"".join([view[end[p] : end[p + 1]] for p in parts for view, end in zip(views, ends, strict=True)]))
        return cls(before, begins, tuple(n.dtype for n, _ in columns), tuple(bounds for _, bounds in columns))

    def read(self, file: BinaryIO, first: int, last: int) -> list[list[NDArray[Any]]]:
        """The columns of partitions from the first to before the last."""
        begin = int(self.begins[first])
        file.seek(begin)
        text, place = file.read(int(self.begins[last]) - begin), 0
        columns: list[list[NDArray[Any]]] = [[] for _ in self.kinds]
        sizes = [np.diff(bounds[first : last + 1]).tolist() for bounds in self.bounds]
        for several in zip(*sizes, strict=True):
            for column, kind, size in zip(columns, self.kinds, several, strict=True):
                column.append(np.frombuffer(text, kind, size, place))
                place += size * kind.itemsize
        return columns


STARTS, VALUES = 2, 7
"""Columns of a chunk, of every segment and of every row."""


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
        return self if len(segments) == len(self.run) else self.take(segments)

    def in_order(self) -> Rows:
        """The same in the order of the table."""
        return self if (np.diff(self.first) > 0).all() else self.take(np.argsort(self.first))

    def take(self, segments: Places) -> Rows:
        """Some segments, in this order."""
        starts, lengths = offsets(self.lengths)[segments], self.lengths[segments]
        requests, first, run = self.requests.take(segments), self.first[segments], self.run[segments]
        items, values = self.items.take_slices(starts, lengths), self.values[ranges(starts, lengths)]
        return Rows(requests, first, lengths, run, items, values)

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
            self.file = open(file.name, "rb")  # noqa: SIM115
            finalize(self, close_and_remove, self.file)
            if os.name == "posix":  # where an open file needs no name: it goes with the process, however that ends
                remove(file.name)
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
        ids, items = names.take(request[starts]), Ids(*batch.items).take_slices(starts, lengths)
        by_segment = np.searchsorted(partition[order], np.arange(PARTITIONS + 1))
        by_row = offsets(lengths)[by_segment]

        return Chunk.write(
            file,
            before,
            [
                (narrow_sizes(np.diff(ids.offsets)), by_segment),
                (as_letters(ids.buffer), ids.offsets[by_segment]),
                (narrow_sizes(starts), by_segment),
                (narrow_sizes(lengths), by_segment),
                (narrow_sizes(run[starts]), by_segment),
                (narrow_sizes(np.diff(items.offsets)), by_row),
                (as_letters(items.buffer), items.offsets[by_row]),
                (narrow_values(batch.values[ranges(starts, lengths)]), by_row),
            ],
        )

    def _read(self, first: int, last: int) -> Rows:
        """The rows of partitions from the first to before the last, in the order of the table."""
        parts = [chunk.read(self.file, first, last) for chunk in self.chunks]
        nothing = np.empty(0, dtype=np.uint8)
        sizes, letters, starts, lengths, run, item_sizes, item_letters, values = (
            np.concatenate([nothing, *(piece for part in parts for piece in part[column])])
            for column in range(VALUES + 1)
        )
        begins = np.array([chunk.before + 1 for chunk in self.chunks], dtype=np.int64)
        before = np.repeat(begins, [sum(map(len, part[STARTS])) for part in parts])
        requests = Ids(letters.tobytes(), offsets(sizes))
        items = Ids(item_letters.tobytes(), offsets(item_sizes))
        rows = Rows(requests, before + starts, lengths.astype(np.int64), run, items, values.astype(np.float64))
        return rows.in_order()

    @property
    def row_counts(self) -> Places:
        """The rows of every partition."""
        return count(self.chunks, VALUES)

    @property
    def segment_counts(self) -> Places:
        """The segments of every partition."""
        return count(self.chunks, STARTS)


def close_and_remove(file: BinaryIO) -> None:
    file.close()
    remove(file.name)


def count(chunks: Sequence[Chunk], column: int) -> Places:
    """How many numbers of a column every partition has."""
    counts = np.zeros(PARTITIONS, dtype=np.int64)
    for chunk in chunks:
        counts += np.diff(chunk.bounds[column])
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
