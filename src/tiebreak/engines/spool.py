"""Rows of a table in a temporary file, by a hash of their request: written in one pass, read by partition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.freed_memory import return_freed_memory
from tiebreak._kernels.interface import FrameColumns, Tick
from tiebreak.engines.packed_rows import PackedRows, Places, Rows, hash_partition, unpack, unpack_requests
from tiebreak.engines.scratch_file import ScratchFile, writing_for
from tiebreak.inputs import Ids
from tiebreak.inputs.streams import TableStream

PARTITIONS = 512


def partition_ids(ids: Ids) -> Places:
    """The partition of every id."""
    return hash_partition(ids, PARTITIONS)


def count_by_partition(ids: Ids) -> Places:
    """How many ids every partition has."""
    return np.bincount(partition_ids(ids), minlength=PARTITIONS)


class Chunk(NamedTuple):
    """Where the packed rows of a batch are in a file, and how many every partition has."""

    begins: Places
    rows: Places

    @classmethod
    def write(cls, file: ScratchFile, packed: PackedRows) -> Chunk:
        return cls(file.write(packed.data) + packed.begins, packed.rows)

    def read(self, file: ScratchFile, first: int, last: int) -> Iterator[memoryview]:
        """The pieces of partitions from the first to before the last."""
        begins = self.begins[first : last + 1].tolist()
        with file.open(begins[0]) as stream:
            data = memoryview(stream.read(begins[-1] - begins[0]))
        for p in np.flatnonzero(self.rows[first:last]).tolist():
            yield data[begins[p] - begins[0] : begins[p + 1] - begins[0]]


class Spool:
    """The rows of a table by partition. `runs` are the indices by which those of a table of several runs are known."""

    def __init__(self, stream: TableStream, runs: Mapping[Any, int]) -> None:
        self.stream, self.runs = stream, runs
        self.chunks: list[Chunk] = []
        self.read = lru_cache(1)(self._read)  # the runs of a table are asked for one after another

    def batches(self) -> Iterator[tuple[int, FrameColumns]]:
        return self.stream.batches()

    def write(self, tick: Tick | None = None) -> None:
        """Write the file, in one pass over the table; `tick` is told how many rows were read."""
        with self.writing():
            self.file = ScratchFile()
        for before, batch in self.batches():
            packed = PackedRows.pack(batch, run_of_row(batch, self.runs), PARTITIONS, before)
            with self.writing():
                self.chunks.append(Chunk.write(self.file, packed))
            return_freed_memory()
            if tick is not None:
                tick(before + len(batch.values), 0)

    def writing(self) -> AbstractContextManager[None]:
        return writing_for(self.stream.label, "its rows cannot be written to")

    def _read(self, first: int, last: int) -> Rows:
        """The rows of partitions from the first to before the last, in the order of the table."""
        return unpack(self.pieces(first, last)).in_order()

    def pieces(self, first: int, last: int) -> Iterator[memoryview]:
        return (piece for chunk in self.chunks for piece in chunk.read(self.file, first, last))

    def count_requests(self) -> Places:
        """How many requests every partition has."""
        known = np.flatnonzero(self.row_counts).tolist()
        counts = np.zeros(PARTITIONS, dtype=np.int64)
        counts[known] = [len({*unpack_requests(self.pieces(p, p + 1))}) for p in known]
        return counts

    @property
    def row_counts(self) -> Places:
        """The rows of every partition."""
        return sum((chunk.rows for chunk in self.chunks), np.zeros(PARTITIONS, dtype=np.int64))


def run_of_row(batch: FrameColumns, runs: Mapping[Any, int]) -> NDArray[np.int32]:
    """The index of every row's run, which a second column names; without it there is one."""
    if len(batch.coded) == 1:
        return np.full(len(batch.values), next(iter(runs.values()), 0), dtype=np.int32)
    names, code_of_row = batch.coded[1]
    index: NDArray[np.int32] = np.array([runs[name] for name in Ids(*names)], dtype=np.int32)[code_of_row]
    return index
