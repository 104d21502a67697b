"""Large tables on one machine: rows go to temporary files by request, and blocks of partitions are read from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.interface import Fault, FrameColumns, Tick
from tiebreak.engines.blocks import LocalBlocks, RunBlocks, TableBlocks
from tiebreak.engines.judged_rows import read_judged
from tiebreak.engines.local_tables import SPOOL_BYTES
from tiebreak.engines.packed_rows import Places
from tiebreak.engines.placement import HELD_BYTES, text_size
from tiebreak.engines.plan import Plan, judgement_scale
from tiebreak.engines.position_file import PositionFile
from tiebreak.engines.spool import Spool, count_by_partition, partition_ids
from tiebreak.engines.text_blocks import TextBlocks
from tiebreak.errors import InputError
from tiebreak.inputs import Ids, Judgements, faults
from tiebreak.inputs.ids import offsets
from tiebreak.inputs.judgements import is_relevant
from tiebreak.inputs.sources import Source
from tiebreak.inputs.streams import TableStream
from tiebreak.inputs.subtopic_names import number_subtopics
from tiebreak.projection import Positions
from tiebreak.projection.popularity import Popularity
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import Block, Reading

ROWS_AT_ONCE = 1 << 20
"""Rows of a block, about, where nothing else is asked for and memory suffices."""


class JudgementSpool(Spool):
    """Judgements by partition; the pass over them tells their grades, and the first request.

    Those with subtopics have places among `subtopics` as indices of runs.
    """

    def __init__(self, stream: TableStream, how: Reading) -> None:
        self.subtopics, places = number_subtopics(stream.subtopics)
        super().__init__(stream, places or {None: 0})
        self.how, self.first = how, ""
        self.largest, self.row_scale = 0.0, GradeScale(inf, 0.0)
        self.request_counts = count_by_partition(Ids.from_names([]))
        self.source = Source(stream.label, ("table",), "row", library=stream.library, notes=stream.notes)

    def write(self, tick: Tick | None = None) -> None:
        super().write(tick)
        if len(self.chunks) > 1:  # of which several may have the same request
            self.request_counts = self.count_requests()

    def batches(self) -> Iterator[tuple[int, FrameColumns]]:
        for before, batch in super().batches():
            self.count(batch)
            yield before, batch
        if not self.request_counts.any():
            faults.raise_input_error(Fault("empty", 0, 0, 0, b"", b"", b""), self.source, faults.JUDGEMENTS)

    def count(self, batch: FrameColumns) -> None:
        """Add what is known of all judgements."""
        requests = Ids(*batch.coded[0][0])
        self.first = self.first if self.request_counts.any() else requests[0]
        self.request_counts += count_by_partition(requests)
        self.largest = max(self.largest, float(batch.values.max()))
        above = batch.values[is_relevant(batch.values, self.how.min_grade if self.how.binary else None)]
        if len(above):
            own = GradeScale(float(above.min()), float(above.max()))
            self.row_scale = self.row_scale.plus(GradeScale(1.0, 1.0) if self.how.binary else own)

    def judgements(self, first: int, last: int) -> Judgements:
        """The judgements of some partitions."""
        rows = self.read(first, last)
        source = replace(self.source, kernel=rows.kernel, line_of_row=rows.numbers)
        return read_judged(rows, source, self.subtopics, self.how.memory)

    def places(self, first: int, last: int, requests: Ids) -> Places:
        """The first rows of some requests of some partitions."""
        rows = self.read(first, last)
        place: dict[str, int] = {}
        for name, number in zip(rows.requests, rows.first.tolist(), strict=True):
            place.setdefault(name, number)
        return np.array([place[name] for name in requests], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SpooledRun:
    """The rows of one run of a table by block."""

    source: Source
    spool: Spool
    bounds: Sequence[int]  # of blocks, in partitions

    def __getitem__(self, k: int) -> Source:
        run = self.spool.runs[self.source.kernel[2]]
        rows = self.spool.read(self.bounds[k], self.bounds[k + 1]).take_run(run)
        return replace(self.source, kernel=rows.kernel, line_of_row=rows.numbers)


@dataclass(frozen=True, eq=False)
class Partitions:
    """Blocks of which judgements and runs are on disk."""

    whole: Block
    judged: JudgementSpool
    runs: Sequence[RunBlocks]
    bounds: Sequence[int]
    n_requests: int
    positions: PositionFile = field(default_factory=PositionFile)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def first(self) -> str:
        return self.judged.first

    @cached_property
    def scale(self) -> GradeScale:
        """The grades of all judgements, which are those of rows unless an item has several for its subtopics."""
        if not self.judged.subtopics:
            return self.judged.row_scale
        scale = GradeScale(inf, 0.0)
        for bounds in pairwise(self.bounds):
            with suppress(InputError):  # which is raised when the block is read
                judgements = self.judged.how.binarize(self.judged.judgements(*bounds))
                scale = scale.plus(judgement_scale(judgements))
        return scale

    def complete(self, plan: Plan) -> Plan:
        """A plan that knows what aspects ask of all judgements."""
        plan = plan.with_popularity(lambda: self.popularity)
        if plan.aspects is None:
            return plan
        return replace(plan, aspects=replace(plan.aspects, largest=self.judged.largest))

    @cached_property
    def popularity(self) -> Popularity:
        """How many users rated each item, in one pass over all judgements."""
        known = (self.judged.judgements(*bounds) for bounds in pairwise(self.bounds))
        try:
            return Popularity.join(map(Popularity.from_judgements, known), self.judged.how.memory)
        except InputError:
            check_judgements(self.judged)  # the fault of the first row comes first
            raise

    def places(self, k: int, requests: Ids) -> Places:
        return self.judged.places(self.bounds[k], self.bounds[k + 1], requests)

    def read(self, plan: Plan, k: int, jobs: int | None) -> Positions:
        def project() -> Positions:
            ratings = self.judged.judgements(self.bounds[k], self.bounds[k + 1])
            return plan.read_ratings(ratings, tuple(run[k] for run in self.runs), jobs)

        return replace(self.positions.read(plan.reading, k, project), whole_scale=plan.scale)


def partition_tables(
    whole: Block,
    judged: TableStream | None,
    how: Reading,
    block_requests: int | None,
    tick: Tick | None = None,
) -> LocalBlocks | Partitions:
    """Blocks of about so many requests, after one pass over every table; without `judged` judgements are held."""
    spools = spool_runs([source.kernel for source in whole.runs if source.kernel[0] == "stream"])
    judgements = None if judged is None else JudgementSpool(judged, how)
    every = [*([] if judgements is None else [judgements]), *spools.values()]
    write_all(every, judgements, tick)
    rows = np.sum([spool.row_counts for spool in every], axis=0)
    requests = count_by_partition(whole.judgements.requests)
    requests = requests if judgements is None else judgements.request_counts
    if block_requests is None:
        text = text_rows(whole.runs) / requests.sum()
        limits = rows + requests * text, min(ROWS_AT_ONCE, how.memory // HELD_BYTES + 1)
    else:
        limits = requests, block_requests
    bounds = block_bounds(*limits)
    n_blocks = len(bounds) - 1
    block_of_partition = np.repeat(np.arange(n_blocks), np.diff(bounds))

    blocks = PartitionBlocks(block_of_partition)

    def split(source: Source) -> RunBlocks:
        if source.kernel[0] == "stream":
            return SpooledRun(source, spools[source.kernel[1]], bounds)
        if not source.is_table:
            return TextBlocks(source, blocks, how.memory)
        return TableBlocks(source, block_of_partition[partition_ids(Ids(*source.kernel[1]))], n_blocks)

    runs = [*map(split, whole.runs)]
    if judgements is None:
        return LocalBlocks(whole, block_of_partition[partition_ids(whole.judgements.requests)], runs, n_blocks)
    return Partitions(whole, judgements, runs, bounds, int(requests.sum()) // n_blocks)


def text_rows(runs: Iterable[Source]) -> float:
    """How many rows of tables take as much memory as the lines of all files."""
    size = 0
    for kind, where in (source.kernel for source in runs if not source.is_table):
        with suppress(OSError):  # which is raised again when the file is read
            size += text_size(where) if kind == "file" else len(where)
    return size / HELD_BYTES


@dataclass(frozen=True, eq=False)
class PartitionBlocks:
    """The block of every request, by the partition that it is in."""

    block_of_partition: Places

    def find(self, names: Sequence[bytes]) -> list[int]:
        ids = Ids(b"".join(names), offsets([*map(len, names)]))
        return self.block_of_partition[partition_ids(ids)].tolist()  # type: ignore[no-any-return]


def spool_runs(kernels: Iterable[tuple[str, TableStream, str | None]]) -> dict[TableStream, Spool]:
    """The tables of runs, each of which may have several by name."""
    names: dict[TableStream, list[str | None]] = {}
    for _, stream, name in kernels:
        names.setdefault(stream, []).append(name)
    return {stream: Spool(stream, {name: k for k, name in enumerate(several)}) for stream, several in names.items()}


def write_all(spools: Sequence[Spool], judged: JudgementSpool | None, tick: Tick | None) -> None:
    """One pass over every table. Faults of judgements, some of which are seen only when they are read, come first."""
    total = sum(spool.stream.count() for spool in spools) if tick is not None else 0
    before = 0
    for spool in spools:
        try:
            spool.write(None if tick is None else partial(tell, tick, before, total))
        except InputError:
            if judged is not None and spool is not judged:
                check_judgements(judged)
            raise
        before += int(spool.row_counts.sum())


def check_judgements(judged: JudgementSpool) -> None:
    """Raise the error of the first row of judgements that cannot be read."""
    errors = []
    for k in range(len(judged.row_counts)):
        try:
            judged.judgements(k, k + 1)
        except InputError as error:
            errors.append(error)
    if errors:
        raise min(errors, key=lambda error: error.line or 0)


def tell(tick: Tick, before: int, total: int, done: int, _: int) -> None:
    """Progress in bytes."""
    tick((before + done) * SPOOL_BYTES, total * SPOOL_BYTES)


def block_bounds(weights: NDArray[np.int64], limit: int) -> list[int]:
    """Where blocks of neighbouring partitions begin, each of about so much weight, and the end of the last."""
    before = np.cumsum(weights) - weights
    return [*np.unique(before // limit, return_index=True)[1].tolist(), len(weights)]
