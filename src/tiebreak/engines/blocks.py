"""Blocks of whole requests: judgements in their order, and of every run the rows of a table, or the lines of a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.engines.stream_blocks import Spool, StreamBlocks
from tiebreak.engines.text_blocks import TextBlocks
from tiebreak.inputs import Ids, Judgements
from tiebreak.inputs.sources import Source
from tiebreak.projection.reading import Block

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TableBlocks:
    """The rows of a run by block, in their order; those of requests without judgements are in the first."""

    source: Source
    block_of_request: Places  # of the table's own requests
    n_blocks: int

    @cached_property
    def _rows(self) -> tuple[Places, Places]:
        """All rows by block, and where each block begins."""
        block = self.block_of_request[self.source.kernel[2]]
        return np.argsort(block, kind="stable"), np.cumsum([0, *np.bincount(block, minlength=self.n_blocks)])

    def __getitem__(self, k: int) -> Source:
        order, bounds = self._rows
        rows = order[bounds[k] : bounds[k + 1]]
        _, requests, request_of_row, items, values = self.source.kernel
        codes, request = np.unique(request_of_row[rows], return_inverse=True)
        kernel = (
            "table",
            Ids(*requests).take(codes).column,
            request.ravel().astype(np.int32),
            Ids(*items).take(rows).column,
            values[rows],
        )
        return replace(self.source, kernel=kernel, line_of_row=rows + 1)


class LocalBlocks:
    """The input of an experiment in blocks of so many requests, in the order of the judgements."""

    def __init__(self, whole: Block, block_requests: int, memory: int) -> None:
        self.whole, self.size, self.memory = whole, block_requests, memory
        self.n_requests = len(whole.judgements.requests)
        self._spools: dict[int, Spool] = {}
        self.runs = [self._split(source) for source in whole.runs]

    def __len__(self) -> int:
        return -(-self.n_requests // self.size)

    def _split(self, source: Source) -> TableBlocks | TextBlocks | StreamBlocks:
        requests = self.whole.judgements.requests
        if source.kernel[0] == "stream":  # which may hold several runs
            stream = source.kernel[1]
            spool = self._spools.setdefault(id(stream), Spool(stream, requests, self.size))
            return StreamBlocks(source, spool)
        if not source.is_table:
            return TextBlocks(source, requests, self.size, self.memory)
        place = requests.indices(Ids(*source.kernel[1]))
        return TableBlocks(source, np.maximum(place, 0) // self.size, len(self))

    def first_judgement(self, k: int) -> int:
        """The index among all judgements of the first one of a block."""
        return int(self.whole.judgements.starts[k * self.size])

    def __getitem__(self, k: int) -> Block:
        places = np.arange(k * self.size, min((k + 1) * self.size, self.n_requests))
        judgements = self.whole.judgements.take_requests(places)
        pairs = (take_pairs(table, judgements.requests) for table in (self.whole.excluded, self.whole.candidates))
        return Block(judgements, tuple(run[k] for run in self.runs), *pairs)


def take_pairs(table: Judgements | None, requests: Ids) -> Judgements | None:
    """The excluded items or candidates of some requests; None where there are none."""
    if table is None:
        return None
    places = table.requests.indices(requests)
    known = places[places >= 0]
    return table.take_requests(known) if len(known) else None
