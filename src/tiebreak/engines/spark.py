"""The Spark engine: rows are brought together by request, and workers compute blocks of whole requests."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, cached_property
from importlib import import_module
from math import inf
from threading import Lock
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from tiebreak import __version__
from tiebreak._kernels.interface import Fault, Tick
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.engines.running import Outcome, compute, detach, finish, known_states, name_empty_requests
from tiebreak.engines.spark_errors import translate_spark_errors, translate_write_errors
from tiebreak.engines.spark_packing import ROWS_PACKED, check_version
from tiebreak.engines.spark_paths import absolute_path
from tiebreak.engines.spark_progress import running_jobs
from tiebreak.engines.spark_reading import BLOCKS, SCALE, ReadBlock, Reader, one_row
from tiebreak.engines.spark_tables import SparkTables, run_label
from tiebreak.engines.totals import TotalsTask
from tiebreak.errors import InputError
from tiebreak.inputs import faults
from tiebreak.inputs.sources import Source
from tiebreak.projection.candidates import CANDIDATES, Removed
from tiebreak.projection.popularity import Popularity
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.summary import InputSummary

ROWS_AT_ONCE = 1 << 18
"""Rows of whole requests that a worker computes together."""
COALESCE_CACHED = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
"""Whether Spark coalesces small partitions of persisted frames: it computes them all otherwise, however few rows there
are."""
SETTING = Lock()
"""Of threads that change settings of a session for a while."""


class BlockOutcome(NamedTuple):
    """What became of a block, by its number."""

    number: int
    outcome: Outcome[Any]


def read_blocks(version: str, batches: Iterator[Any]) -> Iterator[ReadBlock]:
    """The blocks that a worker has read before."""
    check_version(version)
    return (pickle.loads(cell.as_buffer()) for batch in batches for cell in batch.column("block"))


class Work(NamedTuple):
    """What workers do with every block for a task. With `is_exact` states keep their exact values."""

    version: str
    plan: Plan
    task: Task[Any]
    is_exact: bool = False

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The outcome of every block, as Arrow batches."""
        outcomes: Iterator[BlockOutcome] = map(self.outcome, self.blocks(batches))
        if isinstance(self.task, TotalsTask) and not self.is_exact:
            outcomes = add_outcomes(outcomes, self.task)
        for outcome in outcomes:
            yield one_row(outcome=pickle.dumps(outcome, protocol=5))

    def blocks(self, batches: Iterator[Any]) -> Iterator[ReadBlock]:
        return read_blocks(self.version, batches)

    def outcome(self, block: ReadBlock) -> BlockOutcome:
        aspects = None if self.plan.aspects is None else replace(self.plan.aspects, judgements=block.ratings)
        plan = replace(self.plan, aspects=aspects)
        outcome = compute(plan, self.task, lambda: replace(block.read(), whole_scale=plan.scale))
        return BlockOutcome(block.number, outcome if self.is_exact else detach(outcome, self.task))


def add_outcomes(blocks: Iterator[BlockOutcome], task: TotalsTask) -> Iterator[BlockOutcome]:
    """Outcomes of sums and counts, of which those without a fault are added up to one."""
    number, total = 0, None
    for block in blocks:
        part = block.outcome.part
        if part is None or block.outcome.error is not None:
            yield block
        elif total is None:
            number, total = block.number, part
        else:
            states = [state for state in (total.state, part.state) if state is not None]
            total = replace(
                total,
                summary=InputSummary.total([total.summary, part.summary]),
                state=task.add(states) if states else None,
            )
    if total is not None:
        yield BlockOutcome(number, Outcome(total))


class RowWork(NamedTuple):
    """What workers do with every block to write values of requests: `rows` are those of a state."""

    work: Work
    rows: Callable[[Any], Any]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The rows of every block, as Arrow batches; blocks that cannot be read have none."""
        arrow = import_module("pyarrow")
        for block in self.work.blocks(batches):
            part = self.work.outcome(block).outcome.part
            if part is not None and part.state is not None:
                table = self.rows(part.state)
                types = [arrow.float64() if name == "value" else arrow.string() for name in table.column_names]
                yield from table.cast(arrow.schema([*zip(table.column_names, types, strict=True)])).to_batches()


class CountUsers(NamedTuple):
    """What workers do with every block to count the users of items."""

    version: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The counts of a partition, as an Arrow batch."""
        ratings = (block.ratings for block in read_blocks(self.version, batches))
        counts = Popularity.join(map(Popularity.from_judgements, ratings))
        yield one_row(users=pickle.dumps(counts, protocol=5))


class HeldBlocks:
    """Blocks that workers have read, on their disks until nobody uses this; and what is known of all judgements."""

    def __init__(self, tables: SparkTables, plan: Plan, tick: Tick | None = None) -> None:
        functions, level = import_module("pyspark.sql.functions"), import_module("pyspark").StorageLevel.DISK_ONLY
        reader = Reader.from_tables(__version__, Plan(plan.reading, plan.runs), ROWS_AT_ONCE, tables)
        with translate_spark_errors(), coalesce_cached(tables.session):
            self.frame = tables.by_request(ROWS_PACKED).mapInArrow(reader.__call__, BLOCKS).persist(level)
        finalize(self, release, self.frame).atexit = False
        known = [*map(functions.min, ("first", "lowest")), *map(functions.max, SCALE[1:])]
        known += map(functions.sum, ("n_requests", *Removed._fields))
        with self._working(tick):
            self.first, *scale, self.largest, n_requests, items, relevant = self.frame.agg(*known).first()
        self.scale = GradeScale(inf, 0.0) if scale[0] is None else GradeScale(*scale)
        self.memory = plan.reading.memory
        self.n_requests, self.removed = n_requests or 0, Removed(items or 0, relevant or 0)

    def collect(self, work: Work) -> list[BlockOutcome]:
        """The outcomes of all blocks."""
        with self._working():
            rows = self.frame.mapInArrow(work.__call__, "outcome binary")
            return [pickle.loads(outcome.as_buffer()) for outcome in rows.toArrow().column("outcome")]

    @cached_property
    def popularity(self) -> Popularity:
        """How many users rated each item."""
        with self._working():
            rows = self.frame.mapInArrow(CountUsers(__version__).__call__, "users binary")
            parts = (pickle.loads(users.as_buffer()) for users in rows.toArrow().column("users"))
            return Popularity.join(parts, self.memory)

    def write(self, work: RowWork, file: RequestFile) -> None:
        """Have workers write the rows of all blocks."""
        schema = ", ".join(f"{name} {'double' if name == 'value' else 'string'}" for name in file.columns)
        with self._working(), translate_write_errors(file.path):
            path = absolute_path(self.frame.sparkSession, file.path)
            self.frame.mapInArrow(work.__call__, schema).write.parquet(path)

    @contextmanager
    def _working(self, tick: Tick | None = None) -> Iterator[None]:
        """While Spark works."""
        with translate_spark_errors(), running_jobs(self.frame.sparkSession, tick):
            yield


def release(frame: Any) -> None:
    """Free the disks of workers, if there still are some."""
    with suppress(Exception):
        frame.unpersist()


def run_spark(
    plan: Plan, task: Task[State], tables: SparkTables, write: RequestFile | None = None
) -> tuple[State, InputSummary]:
    """What is computed of all requests, in the order of their ids, and what was read.

    What is computed of every request may be written by the workers, to a folder of parquet files.
    """
    held = hold_blocks(tables, plan)
    inner, task = task, task.fit(held.n_requests, plan.runs)
    task.check_blocks()
    plan = plan.with_popularity(lambda: held.popularity)
    aspects = None if plan.aspects is None else replace(plan.aspects, largest=held.largest, is_part=True)
    work = Work(__version__, replace(plan, scale=held.scale, aspects=aspects), task)
    blocks = sorted(held.collect(work), key=lambda block: block.number)
    outcomes = name_empty_requests([block.outcome for block in blocks], lambda _, name: name.encode())
    if held.first is None and all(outcome.fault is None for outcome in outcomes):
        nothing = Fault("empty", 0, 0, 0, b"", b"", b"")
        faults.raise_input_error(nothing, Source("the judgements", ("table",), "row"), faults.JUDGEMENTS)
    notes = (*tables.notes, *removal_notes(tables, held))
    if any(outcome.fault is not None for outcome in outcomes):
        tables.held.clear()  # a file may be repaired before the next measure
    summary = finish(outcomes, [run_label(name) for name in plan.runs], notes, held.first)
    if write is not None:
        held.write(RowWork(work._replace(task=inner, is_exact=True), write.rows), write)

    @cache
    def exact_states() -> dict[int, State]:
        again = held.collect(work._replace(is_exact=True))
        parts = ((block.number, block.outcome.part) for block in again)
        return {number: part.state for number, part in parts if part is not None and part.state is not None}

    known = [(block.number, block.outcome.part) for block in blocks if block.outcome.part is not None]
    states = {number: part.state for number, part in known if part.state is not None}

    def visit(other: TotalsTask) -> Any:
        return other.add(known_states([block.outcome for block in held.collect(work._replace(task=other))]))

    if isinstance(task, TotalsTask):
        total = task.add([*states.values()])
        joined = task.join([task.attach(total, lambda: task.add([*exact_states().values()]))])
        return task.complete(joined, visit, len(states), 1), summary
    joined = task.join(
        [task.attach(state, lambda k=k: exact_states()[k]) for k, state in states.items()]  # type: ignore[misc]
    )
    joined = task.complete(joined, visit)
    requests = task.requests(joined)
    return (joined if requests is None else task.take_requests(joined, np.argsort(requests.places_in_order))), summary


def removal_notes(tables: SparkTables, held: HeldBlocks) -> Iterator[str]:
    """Which items were removed from rankings, as results say it."""
    if "exclude" in tables.pairs and held.first is not None:
        yield held.removed.note(tables.first_excluded() if not held.removed.items else "", held.first)
    if "candidates" in tables.pairs:
        yield CANDIDATES


def hold_blocks(tables: SparkTables, plan: Plan, tick: Tick | None = None) -> HeldBlocks:
    """The blocks as this plan reads them, of the last one if that read them alike."""
    check_plan(plan)
    if plan.reading not in tables.held:
        tables.held.clear()
        tables.held[plan.reading] = HeldBlocks(tables, plan, tick)
    blocks: HeldBlocks = tables.held[plan.reading]
    return blocks


def check_plan(plan: Plan) -> None:
    """Refuse what needs all rows at once, or lines."""
    how = plan.reading
    if how.duplicates == "first":
        raise InputError('duplicates="first": rows of Spark have no order. Use duplicates="best".', kind="spark")
    if how.ties != "item":
        raise InputError('ties="rank" is for files in TREC\'s format, which Spark does not read.', kind="spark")


@contextmanager
def coalesce_cached(session: Any) -> Iterator[None]:
    """Let Spark coalesce small partitions of what is persisted meanwhile, too, where it does so of others."""
    settings = session.conf
    with SETTING:
        known = settings.get(COALESCE_CACHED, None)
        settings.set(COALESCE_CACHED, "true")
        try:
            yield
        finally:
            if known is None:
                settings.unset(COALESCE_CACHED)
            else:
                settings.set(COALESCE_CACHED, known)
