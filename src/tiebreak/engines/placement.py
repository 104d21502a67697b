"""Where the tables of an experiment are: held by this process, on its disk in blocks of requests, or on Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from tiebreak._kernels.interface import GZIP_MAGIC, ZSTD_MAGIC
from tiebreak.errors import InputError
from tiebreak.inputs import Judgements
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.other_tools import maker
from tiebreak.inputs.runs import Run, tables_in
from tiebreak.inputs.sources import is_parquet_folder

if TYPE_CHECKING:
    from tiebreak.engines.local_tables import LocalTables
    from tiebreak.engines.spark_tables import SparkTables

HELD_BYTES = 130
"""What holding a row of a table takes in all, about."""
HELD_SHARE = 8
"""What holding a byte of text takes, of all runs together."""
PACKED = 8
"""How many bytes of text a byte of a compressed file is, about."""
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
    is_alone = all(table is None for table in others.values())
    rows = large_rows(judgements, runs, columns, memory, is_alone) if block_requests is None else None
    if block_requests is None and rows is None:
        return None
    from tiebreak.engines.local_tables import open_tables as open_in_blocks

    return open_in_blocks(judgements, columns, is_alone, block_requests, rows)


def divide_files(error: InputError, judgements: Judgements, runs: Sequence[Run], memory: int) -> LocalTables:
    """Runs that cannot be held, as lines of files are in no order, in blocks; any other error is raised again."""
    files = {run.source.label: run.source.kernel[1] for run in runs if run.source.kernel[0] == "file"}
    if error.kind != "memory" or error.file not in files or len(judgements.requests) == 1:
        raise error
    size = sum(map(text_size, files.values()))
    n_blocks = max(2, -(-HELD_SHARE * size // memory))
    block_requests = -(-len(judgements.requests) // n_blocks)
    from tiebreak.engines.local_tables import LocalTables

    return LocalTables(judgements, None, block_requests, None, unsorted=size)


def text_size(path: str) -> int:
    """The bytes of a file, about, once it is not compressed."""
    with open(path, "rb") as file:
        first = file.read(4)
    return os.path.getsize(path) * (PACKED if first.startswith(GZIP_MAGIC) or first == ZSTD_MAGIC else 1)


def large_rows(judgements: Any, runs: Any, columns: ColumnNames, memory: int, is_alone: bool = True) -> int | None:
    """The rows of all tables where they are too many to hold; None where everything can be held.

    Judgements are divided, too, if they stand alone: there are no other tables about items.
    """
    if sum(map(most_rows, [judgements, *tables_in(runs)])) * HELD_BYTES <= memory:
        return None
    from tiebreak.engines.local_tables import count_rows

    rows = count_rows(judgements, runs, columns, is_alone)
    return rows if rows is not None and rows * HELD_BYTES > memory else None


def most_rows(source: Any) -> float:
    """How many rows a large table may have at most, told without opening it: a row takes a byte at least."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        is_file = path.lower().endswith(".parquet") and os.path.isfile(path)
        return os.path.getsize(path) if is_file else inf if is_parquet_folder(path) else 0
    return inf if maker(source) in LAZY else 0
