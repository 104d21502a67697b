"""Blocks of whole requests: their judgements, and of every run the rows of a table, or the lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Tick
from tiebreak.engines.plan import Plan, judgement_scale
from tiebreak.engines.text_blocks import JudgedBlocks, TextBlocks
from tiebreak.inputs import Ids, Judgements
from tiebreak.inputs.ids import ranges
from tiebreak.inputs.sources import Source
from tiebreak.projection import Positions
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import Block

Places = NDArray[np.int64]


class RunBlocks(Protocol):
    """The rows of a run by block."""

    def __getitem__(self, k: int) -> Source: ...


class Blocks(Protocol):
    """The input of an experiment in blocks of whole requests; `n_requests` are in each of them, about."""

    @property
    def whole(self) -> Block: ...
    @property
    def n_requests(self) -> int: ...
    def __len__(self) -> int: ...
    @property
    def first(self) -> str:
        """The first request of the judgements."""

    @property
    def scale(self) -> GradeScale:
        """The grades of all judgements."""

    def read(self, plan: Plan, k: int, jobs: int | None) -> Positions:
        """The positions of a block."""

    def places(self, k: int, requests: Ids) -> Places:
        """Where some requests of a block are in the order of the judgements."""


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
        return self.source.take_rows(rows, kernel)


@dataclass(frozen=True, eq=False)
class LocalBlocks:
    """Blocks of requests whose judgements are held; `block_of_request` says in which block each is."""

    whole: Block
    block_of_request: Places
    runs: Sequence[RunBlocks]
    n_blocks: int

    @classmethod
    def in_order(cls, whole: Block, block_requests: int, memory: int) -> LocalBlocks:
        """Blocks of so many requests, in the order of the judgements, where all runs can be held."""
        requests = whole.judgements.requests
        block_of_request = np.arange(len(requests)) // block_requests
        n_blocks = -(-len(requests) // block_requests)

        blocks = JudgedBlocks(requests, block_of_request, n_blocks)

        def split(source: Source) -> RunBlocks:
            if not source.is_table:
                return TextBlocks(source, blocks, memory)
            place = requests.indices(Ids(*source.kernel[1]))
            return TableBlocks(source, np.maximum(place, 0) // block_requests, n_blocks)

        return cls(whole, block_of_request, [*map(split, whole.runs)], n_blocks)

    def prepare(self, tick: Tick | None = None) -> None:
        """Find the lines of files now; `tick` is called with the bytes that were looked at, and all of them."""
        files = [run for run in self.runs if isinstance(run, TextBlocks)]
        total, before = sum(file.size for file in files), 0
        for file in files:
            file.prepare(None if tick is None else partial(tell, tick, before, total))
            before += file.size

    def __len__(self) -> int:
        return self.n_blocks

    @property
    def n_requests(self) -> int:
        return -(-len(self.block_of_request) // self.n_blocks)

    @property
    def first(self) -> str:
        return self.whole.judgements.requests[0]

    @property
    def scale(self) -> GradeScale:
        return judgement_scale(self.whole.judgements)

    def places(self, k: int, requests: Ids) -> Places:
        places = np.flatnonzero(self.block_of_request == k)
        known = self.whole.judgements.requests.take(places)
        return places if len(known) == len(requests) else places[known.indices(requests)]

    def read(self, plan: Plan, k: int, jobs: int | None) -> Positions:
        """The positions of a block, which know all judgements where they have the first items of rankings."""
        whole = self.whole.judgements
        places = np.flatnonzero(self.block_of_request == k)
        judgements = whole.take_requests(places)
        pairs = (take_pairs(table, judgements.requests) for table in (self.whole.excluded, self.whole.candidates))
        positions = plan.read(Block(judgements, tuple(run[k] for run in self.runs), *pairs), jobs)
        tops = positions.top
        if tops is not None:
            entries = np.append(ranges(whole.starts[places], np.diff(whole.starts)[places]), -1)  # -1: not judged
            moved = (entries[top.judgement].astype(np.int32) for top in tops)
            tops = tuple(top._replace(judgement=judgement) for top, judgement in zip(tops, moved, strict=True))
        return replace(positions, top=tops, judgements=whole)


def tell(tick: Tick, before: int, total: int, done: int, _: int) -> None:
    """Progress in one of several files."""
    tick(before + done, total)


def take_pairs(table: Judgements | None, requests: Ids) -> Judgements | None:
    """The excluded items or candidates of some requests; None where there are none."""
    if table is None:
        return None
    places = table.requests.indices(requests)
    known = places[places >= 0]
    return table.take_requests(known) if len(known) else None
