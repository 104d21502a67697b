"""Judgements and runs in blocks on this machine: because it is asked for, or because tables are too large to hold."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from tiebreak._base.temporary import temporary_folder
from tiebreak._kernels.interface import Tick
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.errors import InputError, LargeTablesWarning, TiebreakError
from tiebreak.inputs import Judgements
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.runs import iterate_runs
from tiebreak.inputs.sources import calling
from tiebreak.inputs.streams import TableStream, has_stream, is_parquet_folder, open_judgements, open_runs, open_stream
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary

if TYPE_CHECKING:
    from tiebreak.engines.blocks import Blocks
    from tiebreak.engines.spark_tables import SparkTables

HELD_BYTES = 130
"""What holding a row of a table takes in all, about."""
SPOOL_BYTES = 16
"""What a row takes in a temporary file, about."""
LAZY = ("pyarrow", "polars", "duckdb", "_duckdb")


def open_elsewhere(
    engine: str | None,
    judgements: Any,
    runs: Any,
    columns: ColumnNames,
    others: Mapping[str, Any],
    block_requests: int | None,
    memory: int,
) -> SparkTables | LocalTables | None:
    """The tables of an experiment that are not held at once: on Spark, or in blocks; `others` are those that are."""
    if engine is not None or "pyspark" in sys.modules:  # without it there are no frames of Spark
        from tiebreak.engines.spark_tables import open_tables

        spark = open_tables(engine, judgements, runs, columns, {**others, "block_requests": block_requests})
        if spark is not None:
            return spark
    rows = large_rows(judgements, runs, memory) if block_requests is None else None
    if block_requests is None and rows is None:
        return None
    runs = [*runs] if isinstance(runs, Iterator) else runs
    is_alone = all(table is None for table in others.values()) and all(map(has_stream, iterate_runs(runs)))
    judged = open_judgements(judgements, columns) if is_alone else None
    opened = open_runs(runs, columns, memory)
    return LocalTables(judgements if judged is None else empty_like(judged), judged, opened, block_requests, rows)


def empty_like(judged: TableStream) -> Judgements:
    """What is held of judgements in a large table."""
    return replace(Judgements.nothing(), library=judged.library, notes=judged.notes)


def large_rows(judgements: Any, runs: Any, memory: int) -> int | None:
    """The rows of all tables where they are too many to hold, or in a folder; None where everything can be held."""
    sources = [judgements, *tables_in(runs)]
    is_folder = any(map(is_parquet_folder, sources))
    if not is_folder and sum(map(most_rows, sources)) * HELD_BYTES <= memory:
        return None
    rows = 0
    try:
        streams = [open_stream(source, "the table") for source in sources]
        if not any(streams[1:]):
            return None
        for stream in filter(None, streams):
            with calling(stream.label):
                rows += stream.count()
    except TiebreakError:  # which is raised again by reading
        return None
    return rows if is_folder or rows * HELD_BYTES > memory else None


def tables_in(runs: Any) -> Iterator[Any]:
    """Every run that may be a table, also of those by name."""
    for one in [] if isinstance(runs, Iterator) else iterate_runs(runs):
        if not isinstance(one, Mapping):
            yield one
        elif {*map(type, one.values())} - {dict, list}:
            yield from one.values()


def most_rows(source: Any) -> float:
    """How many rows a large table may have at most, told without opening it: a row takes a byte at least."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return os.path.getsize(path) if path.lower().endswith(".parquet") and os.path.isfile(path) else 0
    return inf if type(source).__module__.partition(".")[0] in LAZY else 0


@dataclass(frozen=True, eq=False)
class LocalTables:
    """Tables of which a block of requests is held at once. Without `judged` their judgements are held.

    `rows` are those of all tables where nobody asked for blocks.
    """

    judgements: Any
    judged: TableStream | None
    runs: Any
    block_requests: int | None
    rows: int | None
    where: ClassVar[str] = "in tables that are not held"

    def as_runs(self) -> Any:
        """Runs, of which those in large tables hold no rows."""
        return self.runs

    def run(
        self, plan: Plan, task: Task[State], held: Block, jobs: int | None, write: RequestFile | None = None
    ) -> tuple[State, InputSummary]:
        """What a task computes of all requests, and a summary of the input, of which some tables are held."""
        if self.judged is not None and plan.aspects is not None and plan.aspects.depth:
            raise InputError(
                "measures of the aspects or the popularity of items look at all judgements, which are not held. "
                "Give more memory, or leave block_requests out.",
                kind="blocks",
            )
        from tiebreak.engines.running import run_blocks

        return run_blocks(plan, task, self.blocks(held, plan.reading), jobs, self.notes, write)

    def hold_pairs(self, *tables: Any) -> tuple[Any, ...]:
        """Excluded items and candidates, which this process holds."""
        return tables

    def prepare(self, plan: Plan, held: Block, tick: Tick | None = None) -> None:
        """Divide large tables now; `tick` is called with the rows that are read, and all of them."""
        self.blocks(held, plan.reading, tick)

    def blocks(self, held: Block, how: Reading, tick: Tick | None = None) -> Blocks:
        """The blocks; large tables are written to temporary files first, once."""
        if "_blocks" not in vars(self):
            vars(self)["_blocks"] = self._divide(held, how, tick)
        blocks: Blocks = vars(self)["_blocks"]
        return blocks

    def _divide(self, held: Block, how: Reading, tick: Tick | None) -> Blocks:
        from tiebreak.engines.blocks import LocalBlocks
        from tiebreak.engines.partitions import partition_tables

        if not any(source.kernel[0] == "stream" for source in held.runs):
            assert self.block_requests is not None, "what is divided by itself is a large table"
            return LocalBlocks.in_order(held, self.block_requests, how.memory)
        if self.rows is not None:
            check_room(self.rows)
            warnings.warn(self.notes[0], LargeTablesWarning, stacklevel=5)
        return partition_tables(held, self.judged, how, self.block_requests, tick)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What results say of tables that are too large to hold."""
        if self.rows is None:
            return ()
        size = f"{self.rows * SPOOL_BYTES / 1e9:.1f} GB"
        return (
            f"The tables have {self.rows:,} rows and are not held: they are divided by request into temporary files "
            f"of about {size} in {temporary_folder()}.",
        )


def check_room(rows: int) -> None:
    """Refuse to write more than there is room for."""
    folder, size = temporary_folder(), rows * SPOOL_BYTES
    free = shutil.disk_usage(folder).free
    if size > free:
        raise InputError(
            f"the tables have {rows:,} rows, which take about {size / 1e9:.1f} GB in temporary files; {folder} has "
            f"{free / 1e9:.1f} GB left. TMPDIR names another folder for them.",
            kind="disk",
        )
