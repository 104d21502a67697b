"""Judgements and runs in blocks on this machine: because it is asked for, or because tables are too large to hold."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from tiebreak._base.locks import PrivateLock
from tiebreak._base.temporary import temporary_folder
from tiebreak._base.warning import warn
from tiebreak._kernels.interface import Tick
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.errors import InputError, LargeTablesWarning
from tiebreak.inputs import Judgements
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.runs import tables_in
from tiebreak.inputs.sources import calling
from tiebreak.inputs.streams import TableStream, open_judgements, open_runs, open_stream
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary

if TYPE_CHECKING:
    from tiebreak.engines.blocks import Blocks

SPOOL_BYTES = 16
"""What a row takes in a temporary file, about."""


def open_tables(
    judgements: Any, columns: ColumnNames, is_alone: bool, block_requests: int | None, rows: int | None
) -> LocalTables:
    """What is read in blocks: runs, and judgements if these are a large table and the only ones (`is_alone`)."""
    judged = open_judgements(judgements, columns) if is_alone else None
    return LocalTables(judgements if judged is None else empty_like(judged), judged, block_requests, rows)


def count_rows(judgements: Any, runs: Any, columns: ColumnNames, is_alone: bool) -> int | None:
    """The rows of runs, and of judgements that stand alone, in tables that are read in batches; None without these."""
    judged = open_judgements(judgements, columns) if is_alone else None
    several = (open_stream(one, "the run", columns) for one in tables_in(runs))
    streams = [stream for stream in (judged, *several) if stream is not None]
    rows = 0
    for stream in streams:
        with calling(stream.label):
            rows += stream.count()
    return rows if streams else None


def empty_like(judged: TableStream) -> Judgements:
    """What is held of judgements in a large table."""
    return replace(Judgements.nothing(), library=judged.library, notes=judged.notes)


@dataclass(eq=False)
class LocalTables:
    """Tables of which a block of requests is held at once. Without `judged` their judgements are held.

    `rows` are those of all tables where nobody asked for blocks, `unsorted` the bytes of files in no order.
    """

    judgements: Any
    judged: TableStream | None
    block_requests: int | None
    rows: int | None
    unsorted: int = 0
    _lock: PrivateLock = field(default_factory=PrivateLock, init=False, repr=False)
    _blocks: Blocks | None = field(default=None, init=False, repr=False)
    where: ClassVar[str] = "in tables that are not held"

    def as_runs(self, runs: Any, columns: ColumnNames, memory: int) -> Any:
        """Runs, of which those in large tables hold no rows."""
        return open_runs(runs, columns, memory)

    def run(
        self, plan: Plan, task: Task[State], held: Block, jobs: int | None, write: RequestFile | None = None
    ) -> tuple[State, InputSummary]:
        """What a task computes of all requests, and a summary of the input, of which some tables are held."""
        from tiebreak.engines.partitions import Partitions
        from tiebreak.engines.running import run_blocks

        blocks = self.blocks(held, plan.reading)
        if isinstance(blocks, Partitions):
            plan = blocks.complete(plan)
        return run_blocks(plan, task, blocks, jobs, self.notes, write)

    def hold_pairs(self, *tables: Any) -> tuple[Any, ...]:
        """Excluded items and candidates, which this process holds."""
        return tables

    def prepare(self, plan: Plan, held: Block, tick: Tick | None = None) -> None:
        """Divide large tables now; `tick` is called with the rows that are read, and all of them."""
        self.blocks(held, plan.reading, tick)

    def blocks(self, held: Block, how: Reading, tick: Tick | None = None) -> Blocks:
        """The blocks; large tables are written to temporary files first, once."""
        with self._lock:
            if self._blocks is None:
                self._blocks = self._divide(held, how, tick)
            return self._blocks

    def _divide(self, held: Block, how: Reading, tick: Tick | None) -> Blocks:
        from tiebreak.engines.blocks import LocalBlocks
        from tiebreak.engines.partitions import partition_tables

        if self.notes:
            check_room(self.notes[0], (self.rows or 0) * SPOOL_BYTES)
            warn(self.notes[0], LargeTablesWarning)
        if self.judged is None and not any(source.kernel[0] == "stream" for source in held.runs):
            assert self.block_requests is not None, "without it only large tables are divided, and files in no order"
            blocks = LocalBlocks.in_order(held, self.block_requests, how.memory)
            if self.unsorted:
                blocks.prepare(tick)
            return blocks
        return partition_tables(held, self.judged, how, self.block_requests, tick)

    @property
    def size(self) -> int:
        """The bytes of temporary files, about."""
        return (self.rows or 0) * SPOOL_BYTES + self.unsorted

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What results say of input that is too large to hold."""
        if not self.size:
            return ()
        tables = f"The tables have {self.rows or 0:,} rows and are not held"
        what = "The lines of a run are in no order, and too large to hold" if self.unsorted else tables
        most = "up to" if self.unsorted else "about"  # files that are in order need no copy
        files = f"temporary files of {most} {file_size(self.size)} in {temporary_folder()}"
        return (f"{what}: they are divided by request into {files}.",)


def check_room(note: str, size: int) -> None:
    """Refuse to write more than there is room for."""
    folder = temporary_folder()
    free = shutil.disk_usage(folder).free
    if size > free:
        raise InputError(f"{note} It has {file_size(free)} left. TMPDIR names another folder for them.", kind="disk")


def file_size(size: int) -> str:
    """A number of bytes as people write it."""
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size / 1e3:.2f} kB"
