"""Judgements and runs as frames of Spark: which columns hold what, and all rows as one frame by request."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, NoReturn, cast

from tiebreak._base.checks import check_choice
from tiebreak._kernels.interface import Fault, Tick
from tiebreak.engines.plan import Plan, State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.engines.spark_errors import shorten, spark_errors, translate_spark_errors
from tiebreak.engines.spark_packing import (
    ORDER,
    InputTable,
    TableColumns,
    file_parts,
    number_of_keys,
    pack_tables,
    quote_column,
)
from tiebreak.engines.spark_paths import read_parquet
from tiebreak.engines.spark_types import check_lists, check_types
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs import Judgements, faults
from tiebreak.inputs.columns import ColumnNames
from tiebreak.inputs.judgements import UNGRADED, grade_column
from tiebreak.inputs.rows import Contents
from tiebreak.inputs.runs import Run, check_single, files_in, is_by_name, named_sources, run_name
from tiebreak.inputs.sources import Source
from tiebreak.inputs.streams import TableStream, choose_columns
from tiebreak.inputs.subtopic_names import number_subtopics
from tiebreak.inputs.tables import Table
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary

ENGINES = ("local", "spark")
PAIRS = {"exclude": "the excluded items", "candidates": "the candidates"}
"""Tables of requests and items that meet the rows of their requests, and how messages call them."""
ROWS_OF_TASK = 1 << 20
"""Rows of files that a task packs, about."""
AUTOMATIC = 200
"""Partitions where Spark chooses their number itself."""


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
    """The tables of an experiment on Spark: judgements, then those of `PAIRS` that are there, then runs.

    `subtopics` are those of judgements, by their codes; none where these have none.
    """

    tables: tuple[InputTable, ...]
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    subtopics: tuple[str, ...] = ()
    held: dict[Any, Any] = field(default_factory=dict)  # what workers have read, by how
    where: ClassVar[str] = "on Spark"

    @classmethod
    def open(cls, judgements: Any, runs: Any, columns: ColumnNames, pairs: Mapping[str, Any]) -> SparkTables:
        """Frames of Spark, or paths of parquet files and folders."""
        judged, notes, subtopics = open_judgements(judgements, columns)
        opened = {name: open_pairs(table, PAIRS[name], columns) for name, table in pairs.items() if table is not None}
        others = {name: table for name, table in opened.items() if not table.is_empty}
        several, names = [], dict[str, int]()
        for name, one in named_sources(runs):
            for table in open_runs(one, name, columns, len(names)):
                several.append(table)
                add_names(names, table)
        if not names:
            raise InputError("no run was given. Give at least one.", kind="empty")
        return cls((judged, *others.values(), *several), tuple(names), notes, tuple(others), subtopics)

    def __reduce__(self) -> NoReturn:
        problem = "an experiment on Spark cannot be pickled or copied, as its frames belong to the session"
        raise InputError(f"{problem}. Pickle its results.", kind="spark")

    @property
    def judgements(self) -> Judgements:
        """None are held."""
        return Judgements.nothing()

    def of_runs(self) -> list[tuple[int, InputTable]]:
        """The tables of runs, with their numbers."""
        return [*enumerate(self.tables)][1 + len(self.pairs) :]

    @property
    def session(self) -> Any:
        return self.tables[0].frame.sparkSession

    def hold_pairs(self, *tables: Any) -> tuple[Any, ...]:
        """Excluded items and candidates, of which this process holds none; None where there are none."""
        return tuple(self.judgements if name in self.pairs else None for name in PAIRS)

    def as_runs(self, *_: Any) -> list[Run]:
        """Runs by name, which hold no rows."""
        return [Run.from_source(Source(run_label(name), ("spark",), "row"), name) for name in self.runs]

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

    def by_request(self, rows_packed: int) -> Any:
        """All rows, packed, with those of every request together: keys in as many partitions as Spark shuffles into."""
        number = self.session.conf.get("spark.sql.shuffle.partitions")  # "auto" on some managed services
        keys = number_of_keys(int(number) if number.isdigit() else AUTOMATIC)
        packed = pack_tables(self.session, self.tables, keys, rows_packed)
        return packed.repartition("key").sortWithinPartitions(*ORDER)

    def first_excluded(self) -> str:
        """The first request that has excluded items."""
        table = self.tables[1 + self.pairs.index("exclude")]
        functions, frame = import_module("pyspark.sql.functions"), table.select_columns()
        with translate_spark_errors():
            return str(frame.agg(functions.min(frame.columns[0])).first()[0])


def add_names(names: dict[str, int], table: InputTable) -> None:
    """Add the runs of a table to those that are known."""
    for name, index in table.codes.items():
        if name in names:
            raise InputError(f"two runs are called {quote(name)}. Give them by name: {{name: frame}}.", kind="names")
        names[str(name)] = index


def open_judgements(source: Any, columns: ColumnNames) -> tuple[InputTable, tuple[str, ...], tuple[str, ...]]:
    """The judgements, what results say about them, and their subtopics."""
    label = "the judgements"
    frame = open_frame(source, label)
    check_lists(frame, columns, label, faults.JUDGEMENTS)
    table = open_columns(frame, label, columns)
    request, item = table.require("request", "item")
    grade, subtopic = grade_column(table, (request, item)), table.find("subtopic", beside=item)
    notes = () if grade else (UNGRADED,)
    chosen = TableColumns(request, item, grade, subtopic)
    check_types(frame, chosen, label, faults.JUDGEMENTS)
    named = [] if subtopic is None else distinct(frame, subtopic, label)
    subtopics, places = number_subtopics(named)
    if len(subtopics) < 2:
        return input_table(source, label, faults.JUDGEMENTS, frame, chosen._replace(label=None)), notes, ()
    return input_table(source, label, faults.JUDGEMENTS, frame, chosen, places), notes, tuple(subtopics)


def open_columns(frame: Any, label: str, columns: ColumnNames) -> Table:
    """The names of a frame's columns, of which those for roles can be asked."""
    return Table(label, cast(Contents, TableStream(label, list(frame.columns), lambda names: ())), columns)


def open_pairs(source: Any, label: str, columns: ColumnNames) -> InputTable:
    """A table of requests and items without values."""
    frame = open_frame(source, label)
    check_lists(frame, columns, label, faults.JUDGEMENTS)
    request, item = open_columns(frame, label, columns).require("request", "item")
    chosen = TableColumns(request, item, None)
    check_types(frame, chosen, label, faults.JUDGEMENTS)
    return input_table(source, label, faults.JUDGEMENTS, frame, chosen)


def open_runs(source: Any, name: str, columns: ColumnNames, before: int) -> Iterator[InputTable]:
    """The runs of a frame or a path, or one of each by name, with indices that begin after `before` others."""
    if not is_by_name(source):
        yield open_run(source, name, columns, before)
        return
    for number, (key, one) in enumerate(source.items()):
        yield open_run(one, str(key), columns, before + number, is_named=True)


def open_run(source: Any, name: str, columns: ColumnNames, before: int, is_named: bool = False) -> InputTable:
    """The runs of a frame or a path. One without a column of names is called `name`; one that is named so, always."""
    label = run_label(name)
    source = single_file(source) if is_named and isinstance(source, (str, os.PathLike)) else source
    frame = open_frame(source, label)
    check_lists(frame, columns, label, faults.RUN)
    stream = choose_columns(TableStream(label, list(frame.columns), lambda names: ()), columns)
    chosen = TableColumns(stream.request, stream.item, stream.value, stream.run, stream.is_rank)
    check_types(frame, chosen, label, faults.RUN)
    names = [name] if stream.run is None else distinct(frame, stream.run, label)
    if is_named:
        check_single(names, label)
        names, chosen = [name], chosen._replace(label=None)
    return input_table(source, label, faults.RUN, frame, chosen, {one: before + k for k, one in enumerate(names)})


def single_file(path: str | os.PathLike[str]) -> str:
    """The only file that a path names, or its one table."""
    files = files_in(os.fspath(path))
    check_single([*map(run_name, files)], os.fspath(path))
    return files[0]


def distinct(frame: Any, column: str, label: str) -> list[str]:
    """What is in a column, in the order of bytes."""
    functions = import_module("pyspark.sql.functions")
    with translate_spark_errors():
        rows = frame.select(functions.col(quote_column(column)).cast("string")).distinct().collect()
    if any(name is None for (name,) in rows):
        faults.raise_input_error(
            Fault("null", 0, 0, 0, b"", b"", column.encode()), Source(label, ("table",), "row"), faults.RUN
        )
    return sorted((name for (name,) in rows), key=str.encode)


def input_table(
    source: Any, label: str, what: str, frame: Any, columns: TableColumns, codes: Mapping[str, int] | None = None
) -> InputTable:
    """A table, whose files workers read themselves where a path was given and they can."""
    parts = () if is_spark_frame(source) else file_parts(frame, columns, ROWS_OF_TASK)
    return InputTable(label, what, frame, columns, codes or {}, parts)


def run_label(name: str) -> str:
    return f"run {quote(name)}"


def open_frame(source: Any, label: str) -> Any:
    """A frame of Spark, or the parquet file or folder at a path."""
    if is_spark_frame(source):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(
            f"{label}: {type(source).__name__} is not read on Spark. Give judgements and runs as frames of Spark, or "
            "as paths of parquet files and folders.",
            kind="spark",
        )
    return read_parquet(session(), os.fspath(source))


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
    try:
        return (builder if master is None else builder.master(master)).getOrCreate()
    except spark_errors() as error:
        where = "" if master is None else f" with the master {quote(master)}"
        check = "Check" if master is None else "Check it, and"
        advice = f"{check} that Java 17 is installed; TIEBREAK_TRACEBACK=1 shows what Java says"
        raise InputError(f"Spark cannot be started{where}: {shorten(str(error))}. {advice}.", kind="spark") from None
