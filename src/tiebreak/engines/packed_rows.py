"""Rows of tables as bytes, by a hash of their request: what temporary files hold, and what Spark shuffles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import FrameColumns
from tiebreak._kernels.interface import Source as KernelSource
from tiebreak.inputs import Ids
from tiebreak.inputs.ids import offsets, ranges
from tiebreak.inputs.sources import empty_table

Places = NDArray[np.int64]
HASH_BEGIN, HASH_FACTOR = 0xCBF29CE484222325, 0x100000001B3
"""Of FNV-1a."""
HALF = np.uint64(32)
NARROW = (np.int8, np.int16, np.float32)
"""Types that hold values in fewer bytes, if these are the same in them."""
KINDS = [*map(np.dtype, ("u1", "u2", "u4", "u8", "i1", "i2", "f4", "f8"))]
COLUMNS = 8
"""Of a piece: of every segment the size of the request's id, the id itself, its first row in the batch, its length and
its run; of every row the size of the item's id, the id itself and the value."""
HEADER = np.dtype([("before", "<i8"), ("kinds", "u1", COLUMNS), ("sizes", "<i8", COLUMNS)])
"""Of a piece: the number of rows before its batch, and of every column the index in `KINDS` and the length."""
STARTS, VALUES = 2, 7
"""Columns of a piece, of every segment and of every row."""


def hash_partition(ids: Ids, partitions: int) -> Places:
    """The partition of every id, the same wherever it stands."""
    letters, sizes = as_letters(ids.buffer), np.diff(ids.offsets)
    hashes = np.full(len(ids), HASH_BEGIN, dtype=np.uint64)
    rest = np.arange(len(ids))
    for place in range(int(sizes.max(initial=0))):
        rest = rest[sizes[rest] > place]
        hashes[rest] = (hashes[rest] ^ letters[ids.offsets[rest] + place]) * np.uint64(HASH_FACTOR)
    hashes = (hashes ^ hashes >> HALF) * np.uint64(HASH_FACTOR << 16 | 1)
    return ((hashes >> HALF) * np.uint64(partitions) >> HALF).astype(np.int64)


@dataclass(frozen=True, eq=False)
class PackedRows:
    """The rows of a batch by partition: one piece of bytes for each that has rows.

    A piece has segments of neighbours of one request and one run. `begins` is where each partition begins, `rows` are
    how many it has.
    """

    data: bytes
    begins: Places
    rows: Places

    @classmethod
    def pack(cls, batch: FrameColumns, run: NDArray[np.int32], partitions: int, before: int = 0) -> PackedRows:
        """The rows of a batch, whose runs are known by their indices; `before` is the number of rows before it."""
        requests, request = batch.coded[0]
        is_first = np.ones(len(request), dtype=bool)
        is_first[1:] = (np.diff(request) != 0) | (np.diff(run) != 0)
        starts = np.flatnonzero(is_first)
        lengths = np.diff(np.append(starts, len(request)))
        names = Ids(*requests)
        partition = hash_partition(names, partitions)[request[starts]]
        order = np.argsort(partition.astype(np.uint16), kind="stable")
        starts, lengths = starts[order], lengths[order]
        ids, items = names.take(request[starts]), Ids(*batch.items).take_slices(starts, lengths)
        by_segment = np.searchsorted(partition[order], np.arange(partitions + 1))
        by_row = offsets(lengths)[by_segment]
        return cls.join(
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

    @classmethod
    def join(cls, before: int, columns: Sequence[tuple[NDArray[Any], Places]]) -> PackedRows:
        """The pieces of columns that are sorted by partition, with the bounds of partitions in each."""
        counts = np.diff([bounds for _, bounds in columns])
        rows = counts[VALUES]
        headers = np.zeros(len(rows), dtype=HEADER)
        headers["before"], headers["sizes"] = before, counts.T
        headers["kinds"] = [KINDS.index(numbers.dtype) for numbers, _ in columns]
        views = [numbers.data.cast("B") for numbers, _ in columns]
        ends = [(bounds * numbers.itemsize).tolist() for numbers, bounds in columns]
        known = np.flatnonzero(rows).tolist()
        parts = [
            part
            for p in known
            for part in (
                headers[p].tobytes(),
                *(view[end[p] : end[p + 1]] for view, end in zip(views, ends, strict=True)),
            )
        ]
        sizes = np.where(rows > 0, HEADER.itemsize, 0) + np.sum(np.diff(ends), axis=0)
        return cls(b"".join(parts), offsets(sizes), rows)

    def __getitem__(self, partition: int) -> bytes:
        return self.data[self.begins[partition] : self.begins[partition + 1]]


def unpack_columns(piece: Any) -> Iterator[NDArray[Any]]:
    """The columns of a piece, one after another."""
    header = np.frombuffer(piece, HEADER, 1)[0]
    place = HEADER.itemsize
    for kind, size in zip(header["kinds"].tolist(), header["sizes"].tolist(), strict=True):
        yield np.frombuffer(piece, KINDS[kind], size, place)
        place += size * KINDS[kind].itemsize


def unpack_requests(pieces: Iterable[Any]) -> Ids:
    """The request of every segment of pieces, one after another."""
    sizes, letters = zip(*(islice(unpack_columns(piece), 2) for piece in pieces), strict=True)
    return Ids(b"".join(letters), offsets(np.concatenate(sizes)))


def unpack(pieces: Iterable[Any]) -> Rows:
    """The rows of pieces, one after another."""
    headers, columns = [], [[np.empty(0, dtype=np.uint8)] for _ in range(COLUMNS)]
    for piece in pieces:
        headers.append(np.frombuffer(piece, HEADER, 1)[0])
        for column, cells in zip(columns, unpack_columns(piece), strict=True):
            column.append(cells)
    sizes, letters, starts, lengths, run, item_sizes, item_letters, values = map(np.concatenate, columns)
    begins = np.array([header["before"] for header in headers], dtype=np.int64)
    before = np.repeat(begins, [header["sizes"][STARTS] for header in headers])
    requests = Ids(letters.tobytes(), offsets(sizes))
    items = Ids(item_letters.tobytes(), offsets(item_sizes))
    return Rows(requests, before + starts + 1, lengths.astype(np.int64), run, items, values.astype(np.float64))


def count_rows(piece: Any) -> int:
    return int(np.frombuffer(piece, HEADER, 1)[0]["sizes"][VALUES])


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

    def by_request(self) -> Rows:
        """The same in the order of the ids of requests."""
        return self.take(np.argsort(self.requests.places_in_order, kind="stable"))

    def take(self, segments: Places) -> Rows:
        """Some segments, in this order."""
        starts, lengths = offsets(self.lengths)[segments], self.lengths[segments]
        requests, first, run = self.requests.take(segments), self.first[segments], self.run[segments]
        items, values = self.items.take_slices(starts, lengths), self.values[ranges(starts, lengths)]
        return Rows(requests, first, lengths, run, items, values)

    @property
    def segment_of_row(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(len(self.first), dtype=np.int32), self.lengths)

    @property
    def kernel(self) -> KernelSource:
        """As a kernel reads them, which knows requests by their ids."""
        if not len(self):
            return empty_table()
        return "table", self.requests.column, self.segment_of_row, self.items.column, self.values

    @property
    def numbers(self) -> Places:
        """The number of every row in the whole table."""
        return ranges(self.first, self.lengths)


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
