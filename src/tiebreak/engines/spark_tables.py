"""Judgements and runs as frames of Spark: which columns hold what, and all rows as one frame by request."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from typing import Any, ClassVar

from tiebreak._base.checks import check_choice
from tiebreak._kernels.interface import Tick
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs import Judgements
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.judgements import UNGRADED
from tiebreak.inputs.runs import Run, iterate_runs, run_name
from tiebreak.inputs.sources import Source, calling
from tiebreak.inputs.streams import TableStream, choose_columns
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary

ENGINES = ("local", "spark")
JUDGEMENT, EXCLUDED, CANDIDATE = -1, -2, -3
"""Stand for the index of a run in rows of judgements, of excluded items and of candidates."""
PAIRS = {"exclude": (EXCLUDED, "the excluded items"), "candidates": (CANDIDATE, "the candidates")}
"""Tables of requests and items that meet the rows of their requests, and how messages call them."""


def is_spark_frame(source: Any) -> bool:
    """Whether this is a data frame of Spark, classic or by Spark Connect."""
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "mapInArrow")


def open_tables(
    engine: str | None, judgements: Any, runs: Any, columns: ColumnNames, others: Mapping[str, Any]
) -> SparkTables | None:
    """The tables of an experiment on Spark, if it is asked for or frames of Spark are given."""
    if engine is not None:
        check_choice(engine, "engine", ENGINES)
    is_given = has_spark_frame(judgements, runs)
    if engine == "local" and is_given:
        raise InputError('engine="local" does not read frames of Spark. Give frame.toArrow().', kind="spark")
    if engine != "spark" and not is_given:
        return None
    if others["block_requests"] is not None:
        raise InputError(
            "block_requests= is not used on Spark, which makes its own blocks. Leave it out.", kind="spark"
        )
    for name, value in others.items():
        if name not in PAIRS and is_spark_frame(value):
            raise InputError(f"{name}= travels with the plan to every worker. Give frame.toArrow().", kind="spark")
    return SparkTables.open(judgements, runs, columns, {name: others[name] for name in PAIRS})


def has_spark_frame(*sources: Any) -> bool:
    """Whether one of these is a frame of Spark, or holds some in a list or by name."""
    several = [one for source in sources for one in (source.values() if isinstance(source, Mapping) else [source])]
    parts = [part for one in several for part in (one if isinstance(one, (list, tuple)) else [one])]
    return any(map(is_spark_frame, parts))


@dataclass(frozen=True, eq=False)
class SparkTables:
    """All rows, judgements among them, as one frame: request, run (an index, or one of `JUDGEMENT` ...), item, value.

    `pairs` says which tables of `PAIRS` are there.
    """

    rows: Any
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    pairs: frozenset[str] = frozenset()
    held: dict[Any, Any] = field(default_factory=dict)  # what workers have read, by how
    where: ClassVar[str] = "on Spark"

    @classmethod
    def open(cls, judgements: Any, runs: Any, columns: ColumnNames, pairs: Mapping[str, Any]) -> SparkTables:
        """Frames of Spark, or paths of parquet files and folders that it reads."""
        judged, notes = open_judgements(judgements, columns)
        others = {
            name: open_pairs(table, PAIRS[name][1], columns) for name, table in pairs.items() if table is not None
        }
        named: dict[str, Any] = {}
        for number, one in enumerate(iterate_runs(runs), start=1):
            default = run_name(one) if isinstance(one, (str, os.PathLike)) else f"run{number}"
            for name, frame in open_runs(one, default, columns):
                if name in named:
                    raise InputError(
                        f"two runs are called {quote(name)}. Give them by name: {{name: frame}}.", kind="names"
                    )
                named[name] = frame
        if not named:
            raise InputError("no run was given. Give at least one.", kind="empty")
        functions = import_module("pyspark.sql.functions")
        tables = {JUDGEMENT: judged, **{PAIRS[name][0]: frame for name, frame in others.items()}}
        tables |= dict(enumerate(named.values()))
        numbered = [frame.withColumn("run", functions.lit(k)) for k, frame in tables.items()]
        rows = reduce(lambda one, other: one.unionByName(other), numbered)
        return cls(rows.select("request", "run", "item", "value"), tuple(named), notes, frozenset(others))

    @property
    def judgements(self) -> Judgements:
        """None are held."""
        return Judgements.nothing()

    def hold_pairs(self, *tables: Any) -> tuple[Any, ...]:
        """Excluded items and candidates, of which this process holds none."""
        return tuple(None if table is None else self.judgements for table in tables)

    def as_runs(self) -> list[Run]:
        """Runs by name, which hold no rows."""
        return [Run.from_source(Source(f"run {quote(name)}", ("spark",), "row"), name) for name in self.runs]

    def blocks(self, held: Block, how: Reading, tick: Tick | None = None) -> None:
        """Nothing: Spark divides rows when it computes."""

    def run(
        self, plan: Plan, task: Task[State], held: Block, jobs: int | None, write: RequestFile | None = None
    ) -> tuple[State, InputSummary]:
        """What a task computes of all requests, and a summary of the input."""
        from tiebreak.engines.spark import run_spark

        return run_spark(plan, task, self, write)

    def prepare(self, plan: Plan, held: Block, tick: Tick | None = None) -> None:
        """Have workers read what a plan needs; `tick` is called with the tasks that are done, and all of them."""
        from tiebreak.engines.spark import hold_blocks

        hold_blocks(self, plan, tick)

    def by_request(self) -> Any:
        """The rows with those of every request together, in as many partitions as Spark is set to shuffle into."""
        return self.rows.repartition("request").sortWithinPartitions("request", "run")

    def first_excluded(self) -> str:
        """The first request that has excluded items."""
        row = self.rows.where(f"run = {EXCLUDED}").agg({"request": "min"}).first()
        return str(row[0])


def open_judgements(source: Any, columns: ColumnNames) -> tuple[Any, tuple[str, ...]]:
    """The rows of judgements, and what results say about them."""
    frame, label = open_frame(source, "the judgements"), "the judgements"
    names = list(frame.columns)
    roles = {role: columns.find(role, names, label) for role in ("request", "item", "grade")}
    lacking = [role for role, name in roles.items() if name is None and role != "grade"]
    if lacking:
        raise columns.missing(lacking[0], names, label, *lacking[1:])
    if columns.find("subtopic", names, label) is not None:
        raise InputError(
            f"{label} have subtopics, which are not read on Spark yet. Leave the column out.", kind="spark"
        )
    notes = () if roles["grade"] else (UNGRADED,)
    return select(frame, str(roles["request"]), str(roles["item"]), roles["grade"]), notes


def open_pairs(source: Any, label: str, columns: ColumnNames) -> Any:
    """The rows of a table of requests and items without values."""
    frame = open_frame(source, label)
    names = list(frame.columns)
    request, item = (columns.find(role, names, label) for role in ("request", "item"))
    if request is None or item is None:
        raise columns.missing("request" if request is None else "item", names, label)
    return select(frame, request, item, None)


def open_runs(source: Any, name: str, columns: ColumnNames) -> Iterator[tuple[str, Any]]:
    """The runs of a frame or a path, or of several by name; one without a column of names is called `name`."""
    if isinstance(source, Mapping):
        for key, one in source.items():
            yield from open_runs(one, str(key), columns)
        return
    frame, label = open_frame(source, f"run {quote(name)}"), f"run {quote(name)}"
    table = choose_columns(TableStream(label, list(frame.columns), lambda names: ()), columns)
    functions = import_module("pyspark.sql.functions")
    if table.is_rank:
        frame = frame.withColumn(table.value, -functions.col(f"`{table.value}`"))
    if table.run is None:
        yield name, select(frame, table.request, table.item, table.value)
        return
    column = functions.col(f"`{table.run}`")
    for (one,) in sorted(frame.select(column.cast("string")).distinct().collect()):
        yield one, select(frame.where(column.cast("string") == one), table.request, table.item, table.value)


def select(frame: Any, request: str, item: str, value: str | None) -> Any:
    """The columns by their roles; without values every row counts as 1."""
    functions = import_module("pyspark.sql.functions")
    number = functions.lit(1.0) if value is None else functions.col(f"`{value}`").cast("double")
    ids = [
        functions.col(f"`{name}`").cast("string").alias(role) for name, role in ((request, "request"), (item, "item"))
    ]
    return frame.select(*ids, number.alias("value"))


def open_frame(source: Any, label: str) -> Any:
    """A frame of Spark, or the parquet file or folder at a path."""
    if is_spark_frame(source):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(
            f"{label}: {type(source).__name__} is not read on Spark. Give a frame of Spark, or the path of a parquet "
            "file or folder.",
            kind="spark",
        )
    spark, path = session(), os.fspath(source)
    path = os.path.abspath(path) if os.path.exists(path) else path  # Spark was started elsewhere, or knows other places
    with calling(path, "by Spark, as parquet"):
        return spark.read.parquet(path)


def session(master: str | None = None) -> Any:
    """The Spark session of this process; where there is none, a new one with Spark's settings, or on this master."""
    try:
        sql = import_module("pyspark.sql")
    except ImportError:
        raise MissingExtraError('engine="spark"', "spark") from None
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = sql.SparkSession.builder.appName("tiebreak").config("spark.ui.showConsoleProgress", "false")
    with calling("Spark", "by this process (it needs Java 17)"):
        return (builder if master is None else builder.master(master)).getOrCreate()
