"""Tables too large to hold, read in batches: parquet files and folders, and what other libraries compute lazily."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, cast

from tiebreak import _kernels
from tiebreak._kernels.interface import Fault, FrameColumns
from tiebreak.errors import InputError, MissingExtraError, quote
from tiebreak.inputs import faults
from tiebreak.inputs.columns import ColumnNames, plain
from tiebreak.inputs.frames import FrameContents, select
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.judgements import UNGRADED, Judgements, grade_column
from tiebreak.inputs.other_tools import is_arrow_dataset, maker
from tiebreak.inputs.rows import Contents
from tiebreak.inputs.run_tables import AMBIGUOUS
from tiebreak.inputs.runs import Run, check_single, is_by_name, named_sources, read_runs, tables_in
from tiebreak.inputs.sources import Source, calling, check_flat, is_parquet_folder
from tiebreak.inputs.subtopic_names import number_subtopics
from tiebreak.inputs.table_files import scan_parquet
from tiebreak.inputs.tables import Table

BATCH = 1 << 19
"""Rows that are read together."""
LIST = re.compile(r"(large_|fixed_size_)?list[<(]|array\(|.*\[\d*\]$", re.IGNORECASE)
"""Types of lists as pyarrow, polars and duckdb write them."""
Load = Callable[[list[str]], Iterable[Any]]
"""Names of columns -> batches of rows with these."""


@dataclass(frozen=True, eq=False)
class TableStream:
    """A table of runs, or of judgements, that is read in batches, as often as it is asked to.

    Items are ranked by the column `value`, the largest first, or the smallest if it holds ranks; without it every value
    is 1. A column `run` may name runs; in judgements it names subtopics, which are known then. `library` is that of a
    frame, `lists` are columns whose cells are lists.
    """

    label: str
    names: list[str]
    load: Load
    count: Callable[[], int] = lambda: 0
    library: str | None = None
    lists: frozenset[str] = frozenset()
    request: str = ""
    item: str = ""
    value: str | None = None
    run: str | None = None
    is_rank: bool = False
    has_booleans: bool = False
    notes: tuple[str, ...] = ()
    subtopics: tuple[str, ...] = ()

    def batches(self) -> Iterator[tuple[int, FrameColumns]]:
        """The number of rows before each batch, and its columns: requests, and runs or subtopics if they have names."""
        coded = [self.request, *([] if self.run is None else [self.run])]
        return self._read(coded, self.value, [*coded, self.item, *([] if self.value is None else [self.value])])

    def run_names(self) -> list[str]:
        """The names of runs, in order of appearance."""
        assert self.run is not None
        return self.distinct(self.run)

    def distinct(self, column: str) -> list[str]:
        """What is in a column, in order of appearance."""
        batches = self._read([column], None, [column])
        return [*dict.fromkeys(name for _, read in batches for name in Ids(*read.coded[0][0]))]

    def _read(self, coded: list[str], value: str | None, names: list[str]) -> Iterator[tuple[int, FrameColumns]]:
        before = 0
        item = self.item if self.item in names else coded[0]
        with calling(self.label):
            for batch in self.load([*dict.fromkeys(names)]):
                if not len(batch):
                    continue
                if self.library is None:
                    rows = select(batch, names, value) if self.has_booleans and value is not None else batch
                    read = _kernels.read_frame(rows, coded, item, value)
                else:
                    read = FrameContents(batch, self.label).read(coded, item, value, self.has_booleans)
                if isinstance(read, Fault):
                    fault = read._replace(line=read.line + before if read.line else 0)
                    faults.raise_input_error(fault, Source(self.label, ("table",), "row"), faults.RUN)
                yield before, read._replace(values=-read.values) if self.is_rank else read
                before += len(batch)


def open_runs(runs: Any, columns: ColumnNames, memory: int) -> Any:
    """Runs, of which those in large tables are read later, in batches; as they are where there is no such table."""
    if not any(open_stream(one, "the run", columns) for one in tables_in(runs)):
        return runs
    return (run for name, one in named_sources(runs) for run in open_run(one, name, columns, memory))


def open_run(source: Any, name: str, columns: ColumnNames, memory: int, is_named: bool = False) -> Iterator[Run]:
    """The runs of one source, or the only one where it is given by this name."""
    stream = open_stream(source, f"run {quote(name)}", columns)
    if isinstance(source, Run):
        yield Run.from_source(source.source, name)
    elif stream is not None:
        yield from stream_runs(choose_columns(stream, columns), name, is_named)
    elif is_by_name(source):
        for key, one in source.items():
            is_ready = isinstance(one, Run) or open_stream(one, f"run {quote(str(key))}", columns) is not None
            run = one if is_ready else Run(one, str(key), columns=columns, memory=memory)
            yield from open_run(run, str(key), columns, memory, is_named=True)
    else:
        yield from read_runs(source, name, memory, columns)


def open_judgements(source: Any, columns: ColumnNames) -> TableStream | None:
    """Judgements in a large table; None where they have to be held."""
    stream = None if isinstance(source, Judgements) else open_stream(source, "the judgements", columns)
    if stream is None:
        return None
    table = Table(stream.label, cast(Contents, stream), columns)
    request, item = table.require("request", "item")
    grade, subtopic = grade_column(table, (request, item)), table.find("subtopic", beside=item)
    notes = (UNGRADED,) if grade is None else ()
    judged = replace(stream, request=request, item=item, value=grade, has_booleans=True, notes=notes)
    return judged if subtopic is None else with_subtopics(judged, subtopic)


def with_subtopics(judged: TableStream, column: str) -> TableStream:
    """Judgements with the subtopics in a column, if it has several."""
    several = replace(judged, run=column)
    try:
        names = several.run_names()
    except InputError:
        deque(several.batches(), maxlen=0)  # the fault of the first row comes first, in whatever column
        raise
    return replace(several, subtopics=tuple(names)) if len(number_subtopics(names)[0]) > 1 else judged


def stream_runs(stream: TableStream, default: str, is_named: bool = False) -> Iterator[Run]:
    """The runs of a stream, or the only one where it is given by a name."""
    if stream.run is None:
        yield Run.from_source(Source(stream.label, ("stream", stream, None), "row", library=stream.library), default)
        return
    names = stream.run_names()
    if is_named:
        check_single(names, stream.label)
    for name in names:
        label = f"{stream.label}, run {quote(name)}"
        source = Source(label, ("stream", stream, name), "row", library=stream.library)
        yield Run.from_source(source, default if is_named else name)


def choose_columns(stream: TableStream, columns: ColumnNames) -> TableStream:
    """A stream whose columns are known by their roles."""
    names, label = stream.names, stream.label
    roles = {role: columns.find(role, names, label) for role in ("request", "item", "score", "rank")}
    lacking = [role for role in ("request", "item") if roles[role] is None]
    lacking += [] if roles["score"] or roles["rank"] else ["score"]
    if lacking:
        raise columns.missing(lacking[0], names, label, *lacking[1:])
    if roles["score"] and roles["rank"]:
        by_role = columns.by_role
        is_score, is_rank = (roles[role] == by_role.get(role, "") for role in ("score", "rank"))
        if is_score == is_rank:
            raise InputError(
                f"{label}: columns {quote(roles['rank'])} and {quote(roles['score'])} may both order items, "
                "which are not compared where a table is read in batches. Say which decides: "
                f"columns={{'rank': {roles['rank']!r}}} or columns={{'score': {roles['score']!r}}}.",
                kind="columns",
            )
        roles["score" if is_rank else "rank"] = None
    run = columns.find_run(names, label)
    if run is not None and plain(run) in AMBIGUOUS and not columns.names("run"):
        raise InputError(
            f"{label}: column {quote(run)} may name the runs or the items. Say that it names runs, "
            f"columns={{'run': {run!r}}}, or that there is one run, columns={{'run': None}}.",
            kind="columns",
        )
    chosen = {"request": roles["request"], "item": roles["item"], "value": roles["score"] or roles["rank"]}
    return replace(stream, **chosen, run=run, is_rank=roles["score"] is None)  # type: ignore[arg-type]


def open_stream(source: Any, label: str, columns: ColumnNames) -> TableStream | None:
    """A table that is read in batches; None for others, and where a row has a list of items, which are held."""
    stream = find_stream(source, label)
    has_lists = stream is not None and columns.find("item", stream.names, stream.label) in stream.lists
    return None if has_lists else stream


def find_stream(source: Any, label: str) -> TableStream | None:
    """A parquet file or folder, a dataset of pyarrow, a lazy frame of polars, a relation of duckdb; None for others."""
    if isinstance(source, (str, os.PathLike)):
        return open_parquet(os.fspath(source))
    library = maker(source)
    if is_arrow_dataset(source):
        return dataset_stream(source, label, library)
    if library == "polars" and hasattr(source, "collect_batches"):
        return lazy_stream(source, label, library)
    if library in ("duckdb", "_duckdb") and hasattr(source, "to_arrow_reader"):
        column = import_module("duckdb").ColumnExpression

        def load(names: list[str]) -> Iterator[Any]:
            return as_tables(source.select(*map(column, names)).to_arrow_reader(BATCH))

        def count() -> int:
            return int(source.aggregate("count(*)").fetchall()[0][0])

        return TableStream(label, list(source.columns), load, count, library, lists(source.columns, source.types))
    return None


def open_parquet(path: str) -> TableStream | None:
    """A parquet file, or a folder of them that is one table."""
    if not is_parquet_folder(path) and not (path.lower().endswith(".parquet") and os.path.isfile(path)):
        return None
    check_flat(path)
    for module, opener in PARQUET.items():
        try:
            library = import_module(module)
        except ImportError:
            continue
        with calling(path, "as parquet"):
            return opener(library, path)
    raise MissingExtraError(f"{path}: reading parquet in batches", "frames")


def polars_parquet(polars: Any, path: str) -> TableStream:
    return lazy_stream(scan_parquet(polars, path), path, None)


def lazy_stream(frame: Any, label: str, library: str | None) -> TableStream:
    with calling(label):
        schema = frame.collect_schema()

    def load(names: list[str]) -> Iterable[Any]:
        return frame.select(names).collect_batches(chunk_size=BATCH)  # type: ignore[no-any-return]

    def count() -> int:
        return int(frame.select(import_module("polars").len()).collect().item())

    return TableStream(label, schema.names(), load, count, library, lists(schema.names(), schema.dtypes()))


def pyarrow_parquet(dataset: Any, path: str) -> TableStream:
    return dataset_stream(dataset.dataset(path, format="parquet", partitioning=None), path, None)


PARQUET = {"pyarrow.dataset": pyarrow_parquet, "polars": polars_parquet}
"""Libraries that read parquet in batches."""


def dataset_stream(dataset: Any, label: str, library: str | None) -> TableStream:
    how: dict[str, Any] = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}  # less memory and time
    how["memory_pool"] = import_module("pyarrow").system_memory_pool()  # others keep what is freed
    if type(getattr(dataset, "format", None)).__name__ == "ParquetFileFormat":  # else all of a file is held in the end
        how["fragment_scan_options"] = import_module("pyarrow.dataset").ParquetFragmentScanOptions(pre_buffer=False)

    def load(names: list[str]) -> Iterator[Any]:
        return as_tables(dataset.to_batches(columns=names, batch_size=BATCH, **how))

    names, kinds = list(dataset.schema.names), dataset.schema.types
    return TableStream(label, names, load, dataset.count_rows, library, lists(names, kinds))


def lists(names: Iterable[str], kinds: Iterable[Any]) -> frozenset[str]:
    """The columns whose cells are lists, by what the libraries call their types."""
    return frozenset(name for name, kind in zip(names, kinds, strict=True) if LIST.match(str(kind)))


def as_tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches as tables, which the kernels read."""
    table = import_module("pyarrow").Table
    return (table.from_batches([batch]) for batch in batches)
