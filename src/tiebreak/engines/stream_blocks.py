"""Blocks of whole requests of a table that is read in batches: its rows are written to a temporary file by block."""

from __future__ import annotations

import os
import pickle
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.temporary import temporary_file, temporary_folder
from tiebreak._kernels.interface import FrameColumns
from tiebreak.inputs import Ids
from tiebreak.inputs.ids import offsets
from tiebreak.inputs.sources import Source, empty_table
from tiebreak.inputs.streams import TableStream

Places = NDArray[np.int64]
Key = tuple[int, int]
"""The index of a run, and that of a block."""
Piece = tuple[Places, Ids, Ids, NDArray[np.float64], Places]
"""Of every row the place of its request among the judged ones, or the complement of that among other requests, which
follow; its item, its value and its number."""


@dataclass(frozen=True, eq=False)
class Spool:
    """The rows of all runs of a stream, by run and block. Rows of a request without judgements are in one block."""

    stream: TableStream
    requests: Ids
    block_requests: int
    _places: dict[Key, list[int]] = field(default_factory=lambda: defaultdict(list))

    @cached_property
    def path(self) -> str:
        """The file, which is written when it is first asked for, in one pass over the stream."""
        with temporary_file(os.path.join(temporary_folder(), "tiebreak-")) as file:
            for before, batch in self.stream.batches():
                for key, piece in self.divide(before, batch):
                    self._places[key].append(file.tell())
                    pickle.dump(piece, file, protocol=5)
        return file.name

    @cached_property
    def runs(self) -> dict[str | None, int]:
        """The indices of runs by name."""
        return {None: 0} if self.stream.run is None else {name: k for k, name in enumerate(self.stream.run_names())}

    @property
    def n_blocks(self) -> int:
        return -(-len(self.requests) // self.block_requests)

    def divide(self, before: int, batch: FrameColumns) -> list[tuple[Key, Piece]]:
        """The rows of a batch by run and block."""
        (requests, request), *runs = batch.coded
        names = Ids(*requests)
        place = self.requests.indices(names)
        others = np.flatnonzero(place < 0)
        block = place // self.block_requests
        block[others] = [crc32(names[int(k)].encode()) % self.n_blocks for k in others]
        run = np.zeros(len(request), dtype=np.int64)
        if runs:
            run = np.array([self.runs[name] for name in Ids(*runs[0][0])])[runs[0][1]]
        key = run * self.n_blocks + block[request]
        order = np.argsort(key, kind="stable")
        keys, first = np.unique(key[order], return_index=True)
        pieces = []
        for one, rows in zip(keys.tolist(), np.split(order, first[1:]), strict=True):
            unjudged, which = np.unique(request[rows][place[request[rows]] < 0], return_inverse=True)
            of_row = place[request[rows]]
            of_row[of_row < 0] = ~which.ravel()
            piece = of_row, names.take(unjudged), Ids(*batch.items).take(rows), batch.values[rows], before + rows + 1
            pieces.append((divmod(one, self.n_blocks), piece))
        return pieces

    def read(self, run: str | None, block: int) -> tuple[tuple[Any, ...], Places]:
        """The rows of a run in a block as a kernel reads them, and their numbers."""
        pieces = []
        with open(self.path, "rb") as file:
            for place in self._places.get((self.runs[run], block), ()):
                file.seek(place)
                pieces.append(pickle.load(file))
        if not pieces:
            return empty_table(), np.empty(0, dtype=np.int64)
        of_row, unjudged, items, values, rows = zip(*pieces, strict=True)
        requests, request_of_row = self._requests(of_row, unjudged)
        columns = requests.column, request_of_row, Ids.concatenate(items).column, np.concatenate(values)
        return ("table", *columns), np.concatenate(rows)

    def _requests(self, of_row: Sequence[Places], unjudged: Sequence[Ids]) -> tuple[Ids, NDArray[np.int32]]:
        """The requests of several pieces, each once, and the index of every row's own."""
        begins = offsets([*map(len, unjudged)])[:-1]
        place = np.concatenate([np.where(own < 0, own - begin, own) for own, begin in zip(of_row, begins, strict=True)])
        is_judged = place >= 0
        judged, which = np.unique(place[is_judged], return_inverse=True)
        codes: dict[str, int] = {}
        code = np.array([codes.setdefault(name, len(codes)) for name in Ids.concatenate(unjudged)], dtype=np.int64)
        request_of_row = np.empty(len(place), dtype=np.int32)
        request_of_row[is_judged] = which.ravel()
        request_of_row[~is_judged] = len(judged) + code[~place[~is_judged]]
        return Ids.concatenate([self.requests.take(judged), Ids.from_names(codes)]), request_of_row


@dataclass(frozen=True, eq=False)
class StreamBlocks:
    """The rows of one run of a stream by block."""

    source: Source
    spool: Spool

    def __getitem__(self, k: int) -> Source:
        kernel, rows = self.spool.read(self.source.kernel[2], k)
        return replace(self.source, kernel=kernel, line_of_row=rows)
