"""What workers of Spark read of packed rows: the positions of blocks of whole requests."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import inf
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from tiebreak.engines.judged_rows import read_judged
from tiebreak.engines.packed_rows import Rows, count_rows, unpack
from tiebreak.engines.plan import Plan
from tiebreak.engines.spark_packing import check_version
from tiebreak.engines.spark_tables import PAIRS, SparkTables, run_label
from tiebreak.errors import InputError
from tiebreak.inputs import Judgements
from tiebreak.inputs.sources import Source
from tiebreak.projection import Positions
from tiebreak.projection.candidates import NOTHING_REMOVED, Removed
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import Block, Reading

SCALE = ("lowest", "highest", "of_subtopics", "largest")
BLOCKS = f"first string, n_requests long, {' double, '.join(SCALE)} double, items long, relevant long, block binary"
"""Of every block: the first request with judgements, how many there are, their grades, what is removed, and the pickled
`ReadBlock`."""


@dataclass(frozen=True, eq=False)
class ReadBlock:
    """What was read of the rows of a block, whose first key is its number: positions, or a fault."""

    number: int
    positions: Positions | InputError
    ratings: Judgements = field(default_factory=Judgements.nothing)  # as they were before they became binary
    removed: Removed = NOTHING_REMOVED

    def read(self) -> Positions:
        if isinstance(self.positions, InputError):
            raise self.positions
        return self.positions

    @property
    def n_requests(self) -> int:
        return 0 if isinstance(self.positions, InputError) else len(self.positions.requests)

    def judged_scale(self, how: Reading) -> tuple[str | None, GradeScale]:
        """The first request that has judgements, and the grades of those that count."""
        if isinstance(self.positions, InputError) or not len(self.positions.requests):
            return None, GradeScale(inf, 0.0)
        return self.positions.requests[0], how.choose_requests(self.positions).grade_scale


class Reader(NamedTuple):
    """What workers do with all rows once: read blocks. It can be pickled.

    The `owner` is of the blocks: Spark would free those of all equal readers together.
    `pairs` are the tables after that of judgements, `run_tables` that of every run.
    """

    version: str
    owner: str
    plan: Plan
    rows_at_once: int
    pairs: tuple[str, ...]
    run_tables: tuple[int, ...]
    subtopics: tuple[str, ...]

    @classmethod
    def from_tables(cls, version: str, plan: Plan, rows_at_once: int, tables: SparkTables) -> Reader:
        run_tables = (number for number, table in tables.of_runs() for _ in table.codes)
        return cls(version, uuid4().hex, plan, rows_at_once, tables.pairs, tuple(run_tables), tables.subtopics)

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Every block of a partition, as Arrow batches of `BLOCKS`."""
        check_version(self.version)
        for block in self.blocks(batches):
            first, scale = block.judged_scale(self.plan.reading)
            numbers = scale._asdict() | {"largest": float(block.ratings.grade.max(initial=0.0))}
            known = {"first": first, "n_requests": block.n_requests, **numbers, **block.removed._asdict()}
            yield one_row(**known, block=pickle.dumps(block, protocol=5))

    def blocks(self, batches: Iterator[Any]) -> Iterator[ReadBlock]:
        """Blocks of whole keys, by which pieces are sorted."""
        held: dict[int, list[Any]] = {}
        number, size, last = 0, 0, None
        for piece in pieces(batches):
            if piece.is_fault:
                yield ReadBlock(piece.key, pickle.loads(piece.rows))
                continue
            if piece.key != last and size >= self.rows_at_once:
                yield self.read(number, held)
                held, size = {}, 0
            number = number if held else piece.key
            held.setdefault(piece.table, []).append(piece.rows)
            size, last = size + count_rows(piece.rows), piece.key
        if held:
            yield self.read(number, held)

    def read(self, number: int, held: Mapping[int, list[Any]]) -> ReadBlock:
        try:
            return ReadBlock(number, *self.read_rows(held))
        except InputError as fault:
            return ReadBlock(number, self.first_fault(held) or fault)

    def first_fault(self, held: Mapping[int, list[Any]]) -> InputError | None:
        """The fault of the first request, in whatever order requests came."""
        try:
            self.read_rows(held, is_sorted=True)
        except InputError as fault:
            return fault
        return None

    def read_rows(
        self, held: Mapping[int, list[Any]], is_sorted: bool = False
    ) -> tuple[Positions, Judgements, Removed]:
        """The positions of a block, its ratings, and what is removed."""

        def rows(table: int, is_sorted: bool = is_sorted) -> Rows:
            several = unpack(held.get(table, ()))
            return several.by_request() if is_sorted else several

        ratings = self.read_ratings(rows(0, is_sorted=True))
        judgements = self.plan.reading.binarize(ratings)
        others = {name: self.read_pairs(rows(k), name) for k, name in enumerate(self.pairs, start=1)}
        excluded, candidates = map(others.get, PAIRS)
        tables = {table: rows(table) for table in {*self.run_tables}}
        runs = (
            table_source(tables[table].take_run(k), run_label(name))
            for k, (table, name) in enumerate(zip(self.run_tables, self.plan.runs, strict=True))
        )
        block = Block(judgements, tuple(runs), excluded, candidates)
        block.check(self.plan.reading)
        removed = NOTHING_REMOVED if excluded is None else Removed.from_tables(judgements, excluded)
        return self.plan.read(block, jobs=1), ratings, removed

    def read_pairs(self, rows: Rows, name: str) -> Judgements:
        return read_judged(rows, table_source(rows, PAIRS[name]))

    def read_ratings(self, rows: Rows) -> Judgements:
        return read_judged(rows, table_source(rows, "the judgements"), self.subtopics)


def table_source(rows: Rows, label: str) -> Source:
    """Rows as a kernel reads them. They have no numbers: their order is that of a shuffle."""
    return Source(label, rows.kernel, "row", line_of_row=np.zeros(len(rows), dtype=np.int64))


class Piece(NamedTuple):
    """Packed rows of one key and one table, or a pickled fault."""

    key: int
    table: int
    rows: Any
    is_fault: bool


def pieces(batches: Iterator[Any]) -> Iterator[Piece]:
    for batch in batches:
        columns = {name: batch.column(name).to_pylist() for name in ("key", "table", "is_fault")}
        cells = (cell.as_buffer() for cell in batch.column("rows"))
        yield from map(Piece, columns["key"], columns["table"], cells, columns["is_fault"])


def one_row(**cells: Any) -> Any:
    """A batch of one row."""
    arrow = import_module("pyarrow")
    types = {bytes: arrow.binary(), float: arrow.float64(), int: arrow.int64()}
    return arrow.RecordBatch.from_pydict(
        {name: arrow.array([value], types.get(type(value), arrow.string())) for name, value in cells.items()}
    )
