"""The Spark engine: rows are brought together by request, and workers compute blocks of whole requests."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from math import inf
from typing import Any, NamedTuple

import numpy as np

from tiebreak import __version__, _kernels
from tiebreak._kernels.interface import Fault
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.running import Outcome, compute, detach, finish, name_empty_requests
from tiebreak.engines.spark_tables import JUDGEMENT, SparkTables
from tiebreak.errors import InputError, quote
from tiebreak.inputs import faults
from tiebreak.inputs.sources import Source
from tiebreak.projection import Positions
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import Reading
from tiebreak.projection.summary import InputSummary

ROWS_AT_ONCE = 1 << 18
"""Rows of whole requests that a worker computes together."""


class BlockOutcome(NamedTuple):
    """What became of a block, which begins with this request."""

    first: str
    outcome: Outcome[Any]


class Work(NamedTuple):
    """What a worker does with every block; it can be pickled. With `is_exact` states keep their exact values."""

    version: str
    plan: Plan
    task: Task[Any]
    rows_at_once: int
    is_exact: bool = False

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The outcome of every block of a partition, as Arrow batches."""
        self.check_version()
        arrow = import_module("pyarrow")
        for table in whole_requests(batches, self.rows_at_once):
            outcome = pickle.dumps(self.outcome(table), protocol=5)
            yield arrow.RecordBatch.from_pydict({"outcome": arrow.array([outcome], arrow.large_binary())})

    def check_version(self) -> None:
        """Refuse to compute with another version than that of the driver."""
        if self.version != __version__:
            raise RuntimeError(f"tiebreak {__version__} is installed on a worker, and {self.version} on the driver")

    def outcome(self, table: Any) -> BlockOutcome:
        outcome = compute(self.plan, self.task, lambda: read_block(self.plan, table))
        outcome = outcome if self.is_exact else detach(outcome, self.task)
        return BlockOutcome(table.column("request")[0].as_py() or "", outcome)


def run_spark(plan: Plan, task: Task[State], tables: SparkTables) -> tuple[State, InputSummary]:
    """What is computed of all requests, in the order of their ids, and what was read."""
    check_plan(plan)
    first, n_requests, scale = describe_judgements(tables, plan.reading)
    task = task.fit(n_requests, plan.runs)
    task.check_blocks()
    work = Work(__version__, replace(plan, scale=scale), task, ROWS_AT_ONCE)
    blocks = sorted(collect(tables, work), key=lambda block: block.first.encode())
    outcomes = name_empty_requests([block.outcome for block in blocks], lambda _, name: name.encode())
    summary = finish(outcomes, [run_label(name) for name in plan.runs], tables.notes, first)

    @cache
    def exact_states() -> dict[str, State]:
        again = collect(tables, work._replace(is_exact=True))
        parts = ((block.first, block.outcome.part) for block in again)
        return {first: part.state for first, part in parts if part is not None and part.state is not None}

    states = [
        task.attach(block.outcome.part.state, lambda first=block.first: exact_states()[first])  # type: ignore[misc]
        for block in blocks
        if block.outcome.part is not None and block.outcome.part.state is not None
    ]
    joined = task.join(states)
    requests = task.requests(joined)
    return (joined if requests is None else task.take_requests(joined, np.argsort(requests.places_in_order))), summary


def check_plan(plan: Plan) -> None:
    """Refuse what needs all rows at once, or lines."""
    how = plan.reading
    if plan.aspects is not None and plan.aspects.depth:
        raise InputError(
            "measures of the aspects or the popularity of items are not computed on Spark yet. Work locally.",
            kind="spark",
        )
    if how.requests != "judged":
        raise InputError('requests="common" is not computed on Spark yet. Use requests="judged".', kind="spark")
    if how.duplicates == "first":
        raise InputError('duplicates="first": rows of Spark have no order. Use duplicates="best".', kind="spark")
    if how.ties != "item":
        raise InputError('ties="rank" is for files in TREC\'s format, which Spark does not read.', kind="spark")


def describe_judgements(tables: SparkTables, how: Reading) -> tuple[str, int, GradeScale]:
    """The first request, about how many there are, and the grades of all judgements."""
    functions = import_module("pyspark.sql.functions")
    value = functions.col("value")
    relevant = functions.when(value > 0 if how.min_grade is None or not how.binary else value >= how.min_grade, value)
    several = functions.approx_count_distinct("request")
    row = tables.judged_rows.agg(functions.min("request"), several, functions.min(relevant), functions.max(relevant))
    row = row.first()
    if row is None or row[0] is None:
        raise InputError("the judgements are empty. Give a column each for request, item and grade.", kind="empty")
    if row[2] is None:
        return row[0], row[1], GradeScale(inf, 0.0)
    return row[0], row[1], GradeScale(1.0, 1.0) if how.binary else GradeScale(row[2], row[3])


def collect(tables: SparkTables, work: Work) -> list[BlockOutcome]:
    """The outcomes of all blocks."""
    errors = import_module("pyspark.errors")
    rows = tables.by_request().mapInArrow(work.__call__, "outcome binary")
    try:
        return [pickle.loads(outcome.as_buffer()) for outcome in rows.toArrow().column("outcome")]
    except errors.PythonException as error:
        raise explain_worker(str(error), work.version) from None


def explain_worker(text: str, here: str) -> InputError:
    """The error where workers cannot compute: they lack the package, or have another version of it."""
    last = next((line for line in reversed(text.splitlines()) if "Error" in line), text.strip()[:300]).strip()
    if "tiebreak" not in last:
        return InputError(f"a worker of Spark failed: {last}", kind="spark")
    return InputError(
        f"the workers of Spark cannot use tiebreak: {last}. Install tiebreak {here} where they run, or ship an "
        "environment with it: spark.archives with one packed by venv-pack or conda-pack, and PYSPARK_PYTHON in it.",
        kind="spark",
    )


def whole_requests(batches: Iterator[Any], rows_at_once: int) -> Iterator[Any]:
    """Tables of whole requests from batches that are sorted by request, each of about so many rows."""
    arrow = import_module("pyarrow")
    held: list[Any] = []
    size, limit = 0, rows_at_once
    for batch in batches:
        held.append(batch)
        size += len(batch)
        if size < limit:
            continue
        table = arrow.Table.from_batches(held)
        requests = table.column("request")
        end = max(requests.index(requests[-1]).as_py(), 0)  # the last request may go on in the next batch
        if end:
            yield table.slice(0, end)
        held, size = table.slice(end).to_batches(), len(table) - end
        limit = max(rows_at_once, 2 * size)  # so that a long request is not searched with every batch
    if size:
        yield arrow.Table.from_batches(held)


def read_block(plan: Plan, table: Any) -> Positions:
    """The positions of a table of whole requests."""
    compute_ = import_module("pyarrow.compute")

    def select_rows(run: int) -> Any:
        return table.filter(compute_.equal(table.column("run"), run))

    judged = select_rows(JUDGEMENT)
    judgements = table_source(judged, "the judgements", faults.JUDGEMENTS) if len(judged) else None
    runs = (table_source(select_rows(k), run_label(name), faults.RUN) for k, name in enumerate(plan.runs))
    return plan.read_rows(judgements, tuple(runs), jobs=1)


def table_source(table: Any, label: str, what: str) -> Source:
    """Rows as a kernel reads them. They have no numbers: their order is that of a shuffle."""
    columns = _kernels.read_frame(table, ["request"], "item", "value")
    source = Source(label, ("table",), "row", line_of_row=np.zeros(len(table), dtype=np.int64))
    if isinstance(columns, Fault):
        faults.raise_input_error(columns, source, what)
    ((requests, request_of_row),) = columns.coded
    return replace(source, kernel=("table", requests, request_of_row, columns.items, columns.values))


def run_label(name: str) -> str:
    return f"run {quote(name)}"
