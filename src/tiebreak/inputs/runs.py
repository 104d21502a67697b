"""A run: one system's rankings, named, read only when they are projected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from glob import glob
from itertools import chain, islice
from typing import Any, ClassVar, TypeAlias

import numpy as np

from tiebreak._base.checks import check_count
from tiebreak._base.public_names import public_names
from tiebreak._base.text import join_names
from tiebreak._kernels.interface import MEMORY
from tiebreak.errors import InputError, quote
from tiebreak.inputs.columns import Columns
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import IR_DATASETS, is_frame, is_ir_datasets_id, is_other_tool
from tiebreak.inputs.rows import cell_names, is_list
from tiebreak.inputs.run_tables import descending, order_note, table_runs
from tiebreak.inputs.sources import (
    STANDARD_INPUT,
    Path,
    Source,
    Values,
    check_spelling,
    dict_columns,
    is_parquet_folder,
    listed_pairs,
)
from tiebreak.inputs.tables import Table, open_source

SUFFIXES = (
    (".gz", ".zst", ".zstd", ".lz4"),
    (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".inter"),
)


class Run:
    """One system's rankings.

    Items are ranked by score, the highest first; where scores tie, by item id, the largest bytes first.

    Parameters
    ----------
    source : path, dict or frame
        A file of lines ``request iteration item rank score [tag]``, plain or compressed by gzip or zstd; ``"-"`` for
        standard input; ``{request: {item: score}}``; ``{request: [item, ...]}`` in ranked order; a data frame of any
        library with a column each for request, item and score, or one of lists of items; what ranx, LensKit,
        ir_measures and Hugging Face hold; or ``"irds:ID"`` for the scored documents of ir_datasets.
    name : str, optional
        What to call it. By default the file's name without endings such as ``.run.gz``.
    columns : dict or str, optional
        Which column of a table holds what, where its name does not say so: ``{"request": "user", "score": "pred"}``,
        or ``"request=user,score=pred"``.
    memory : int
        Bytes that may be held of a table in a file, or copied of what can be read only once.

    Examples
    --------
    >>> Run({"q1": {"d1": 2.0, "d2": 1.5}}, name="bm25")
    <Run 'bm25'>
    """

    _internals: ClassVar[tuple[str, ...]] = ("from_source",)
    __dir__ = public_names

    def __init__(
        self,
        source: Path | Values | Any,
        name: str | None = None,
        *,
        columns: Columns | None = None,
        memory: int = MEMORY,
    ) -> None:
        if not (name is None or isinstance(name, str)):
            raise InputError(f"name={name!r}. Give a run's name as text.", kind="names")
        check_count(memory, "memory")
        default = name or own_name(source) or "run"
        runs = list(read_files(source, default, columns, memory))
        label = os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"run {quote(default)}"
        check_single([str(each) for each, _ in runs], label)
        in_table, self.source = runs[0]
        self.name = name or in_table or default

    @classmethod
    def from_source(cls, source: Source, name: str) -> Run:
        """A run that was read already."""
        run = cls.__new__(cls)
        run.name, run.source = name, source
        return run

    def __repr__(self) -> str:
        return f"<Run {self.name!r}>"


def check_single(names: Sequence[str], label: str) -> None:
    """Refuse what is given by one name and holds no run, or several."""
    if not names:
        raise InputError(f"{label} holds no run: its table has no rows.", kind="empty", file=label)
    if len(names) > 1:
        problem = f"holds several runs: {join_names([*names])}"
        raise InputError(f"{label} {problem}. Give it as runs, without a name.", kind="shape")


def read_files(source: Any, name: str, columns: Columns | None, memory: int) -> Iterator[tuple[str | None, Source]]:
    """As `read_sources`; also the files of a folder or of a pattern, which are called by their names."""
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    for one in [source] if path is None else files_in(path):
        for in_table, where in read_sources(one, name, columns, memory):
            is_inside = path is not None and one != path
            yield run_name(one) if is_inside and in_table is None else in_table, where


def read_sources(source: Any, name: str, columns: Columns | None, memory: int) -> Iterator[tuple[str | None, Source]]:
    """The run in a source, or each run of one that holds several; their names where it has them."""
    label, expected = f"run {quote(name)}", "a path, {request: {item: score}} or a data frame"
    data = open_source(source, label, columns, expected, roles=("request", "item"), memory=memory)
    if isinstance(data, Source):
        yield None, data
    elif isinstance(data, Table):
        yield from table_runs(data)
    elif holds_runs(data):
        for key, one in data.items():
            if isinstance(one, Mapping) and holds_runs(one):
                problem = f"{quote(str(key))} holds runs by name itself"
                raise InputError(f"{label}: {problem}. Give {{name: run}}.", kind="shape")
            run = one if isinstance(one, Run) else Run(one, name=str(key), columns=columns, memory=memory)
            yield str(key), run.source
    elif data and all(map(is_list, data.values())):
        yield None, listed_run(data, label)
    else:
        requests, request_of_row, items, scores = dict_columns(data, label)
        yield None, Source(label, ("table", requests.column, request_of_row, items.column, scores))


def holds_runs(data: Mapping[Any, Any]) -> bool:
    """Whether a dictionary holds runs by name, rather than rankings by request."""
    return any(map(is_run, data.values()))


def is_run(value: Any) -> bool:
    """Whether this is a run, rather than the scores of items, or a list of them."""
    if isinstance(value, Mapping):
        first = next(iter(value.values()), None)
        return isinstance(first, (Mapping, set, frozenset)) or is_list(first)
    if isinstance(value, np.ndarray):
        return value.ndim == 2 or value.dtype.names is not None
    if isinstance(value, (list, tuple)):
        return bool(value) and (bool(cell_names(value[0])) or is_frame(value[0]) or isinstance(value[0], Mapping))
    return isinstance(value, (Run, str, os.PathLike, Iterator)) or is_frame(value) or is_other_tool(value)


def listed_run(data: Mapping[Any, Any], label: str) -> Source:
    """Lists of items in ranked order, by request; of items alone, or each with its score."""
    check_spelling(data, "request", label)
    sizes = np.array([*map(len, data.values())], dtype=np.int64)
    request_of_row = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    pairs = listed_pairs(data, label, "score")
    scores = None if pairs is None else dict_columns(pairs, label)[3]
    values = descending(sizes)
    notes = tuple(order_note(label, request_of_row, values, scores))
    items = Ids.from_names(chain.from_iterable(data.values() if pairs is None else pairs.values()))
    kernel = "table", Ids.from_names(data).column, request_of_row, items.column, values
    return Source(label, kernel, notes=notes)


def own_name(source: Any) -> str | None:
    """A file's name, or what an object calls itself; a frame's attribute `name` may be one of its columns."""
    if is_ir_datasets_id(source):
        return str(source).removeprefix(IR_DATASETS)
    if isinstance(source, (str, os.PathLike)):
        return "stdin" if os.fspath(source) == STANDARD_INPUT else run_name(source)
    name = None if is_frame(source) else getattr(source, "name", None)
    return name if isinstance(name, str) and name else None


def run_name(path: Path) -> str:
    """The name of a run: its file's name without ``.gz``, then without ``.run`` and the like."""
    # Bytes that are not text become escapes, so that the name can be written in every format.
    name = os.fsencode(os.path.basename(os.fspath(path))).decode("utf-8", "backslashreplace")
    for suffixes in SUFFIXES:
        for suffix in suffixes:
            if name.lower().endswith(suffix) and len(name) > len(suffix):
                name = name[: -len(suffix)]
                break
    return name


RunLike: TypeAlias = "Run | Path | Values | Any"


def as_runs(
    runs: RunLike | Iterable[RunLike],
    memory: int = MEMORY,
    columns: Columns | None = None,
    requests: Iterable[str] = (),
) -> list[Run]:
    """Runs of any kind of input; those without a name are called run1, run2, ... by their position.

    Where a dictionary holds nothing under any key, these are names of runs, unless they are among the `requests`.
    """
    named: dict[str, Run] = {}
    if isinstance(runs, dict) and holds_nothing(runs) and not {*map(str, runs)} & {*requests}:
        runs = [Run(one, name=str(name)) for name, one in runs.items()]
    for number, one in enumerate(iterate_runs(runs), start=1):
        for run in [one] if isinstance(one, Run) else read_runs(one, f"run{number}", memory, columns):
            if other := named.get(run.name):
                raise InputError(
                    f"two runs are called {quote(run.name)}: {other.source.label} and {run.source.label}. "
                    "Give one of them another name: Run(path, name=...), or NAME=PATH on the command line.",
                    kind="names",
                )
            named[run.name] = run
    if not named:
        raise InputError("no run was given. Give at least one.", kind="empty")
    return list(named.values())


def holds_nothing(data: dict[Any, Any]) -> bool:
    """Whether every entry of a dictionary is an empty one."""
    return bool(data) and all(isinstance(one, dict) and not one for one in data.values())


def iterate_runs(runs: RunLike | Iterable[RunLike]) -> Iterable[RunLike]:
    """The runs of a list; one run, or what holds several by name, as a list of one."""
    if isinstance(runs, (list, tuple, Iterator)) and not is_frame(runs):
        rest = iter(runs)
        several = [*islice(rest, 1)]
        is_rows = bool(several) and bool(cell_names(several[0]))
        return [chain(several, rest) if isinstance(runs, Iterator) else runs] if is_rows else chain(several, rest)
    if isinstance(runs, (Run, str, os.PathLike, Mapping, np.ndarray)) or is_frame(runs) or is_other_tool(runs):
        return [runs]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs cannot be read from {type(runs).__name__}. Give paths or data frames.", kind="shape")
    return runs


def named_sources(runs: Any) -> Iterator[tuple[str, Any]]:
    """What runs are read from, the files of a folder or a pattern one by one, and how a run in it is called."""
    for number, one in enumerate(iterate_runs(runs), start=1):
        for source in files_in(os.fspath(one)) if isinstance(one, (str, os.PathLike)) else [one]:
            yield own_name(source) or f"run{number}", source


def tables_in(runs: Any) -> Iterator[Any]:
    """Everything that may be a large table, also of runs by name."""
    for _, one in named_sources(runs):
        yield from one.values() if is_by_name(one) else [one]


def is_by_name(source: Any) -> bool:
    """Whether this is a dictionary of runs by name."""
    return isinstance(source, Mapping) and not is_frame(source) and not is_other_tool(source) and holds_runs(source)


def read_runs(source: RunLike, fallback: str, memory: int, columns: Columns | None) -> Iterator[Run]:
    """The run in a source; every run of a table that holds several, of a folder, or of a pattern such as ``*.gz``."""
    for one in files_in(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else [source]:
        default = own_name(one) or fallback
        for name, where in read_sources(one, default, columns, memory):
            yield Run.from_source(where, default if name is None else name)


def files_in(path: str) -> list[str]:
    """The files that a path names: those of a folder or of a pattern, or itself."""
    if os.path.isdir(path) and not is_parquet_folder(path):
        files = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
        if not files:
            raise InputError(f"{path}: there is no file in this folder.", kind="directory", file=path)
        return files
    return ([] if os.path.exists(path) else sorted(glob(path))) or [path]


def is_among(out: str, inputs: Iterable[str]) -> bool:
    """Whether a file is one of those read: by its own name or a link, in a folder, or as standard input."""
    here = os.stat(out)
    for path in (file for name in inputs for file in files_in(name)):
        with suppress(OSError, ValueError):  # reading reports what cannot be read
            if os.path.samestat(here, os.stat(0 if path == STANDARD_INPUT else path)):
                return True
            if os.path.realpath(out).startswith(os.path.join(os.path.realpath(path), "")):  # a folder that is a table
                return True
    return False


Baselines: TypeAlias = "str | Run | Iterable[str | Run] | None"


def baseline_names(baseline: Baselines) -> tuple[str, ...]:
    """The names of baselines, each once."""
    if baseline is None:
        return ()
    runs = [baseline] if isinstance(baseline, (str, Run)) else baseline
    if not isinstance(runs, Iterable):
        raise InputError(f"baseline={baseline!r}. Give the name of a run, or several.", kind="names")
    return tuple(dict.fromkeys(run.name if isinstance(run, Run) else str(run) for run in runs))


def check_held(runs: Iterable[Run]) -> None:
    """Refuse runs that are read in batches where all of their rows are needed at once."""
    for run in runs:
        if run.source.kernel[0] in UNHELD:
            raise InputError(
                f"{run.source.label} is read in blocks of requests, by evaluate, compare, order and utilities only. "
                f"{UNHELD[run.source.kernel[0]]}",
                kind="blocks",
            )


UNHELD = {
    "stream": "Give a larger memory= (--memory) and no block_requests= to hold it whole, or take a sample of requests.",
    "spark": "Take a sample of the requests for the rest: frame.toPandas().",
}
"""Sources of which not all rows are held, and how to hold them."""
