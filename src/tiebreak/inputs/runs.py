"""A run: one system's rankings, named, read only when they are projected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from glob import glob
from typing import Any, TypeAlias

import numpy as np

from tiebreak._base.checks import check_count
from tiebreak._base.text import join_names
from tiebreak._kernels.interface import MEMORY
from tiebreak.errors import InputError, quote
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.other_tools import is_frame, unpack
from tiebreak.inputs.sources import STANDARD_INPUT, Path, Source, Values, dict_columns
from tiebreak.inputs.tables import Columns, Table, open_source

SUFFIXES = (".gz", ".zst", ".zstd"), (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".jsonl", ".ndjson", ".parquet")


class Run:
    """One system's rankings.

    Items are ranked by score, the highest first; where scores tie, by item id, the largest bytes first.

    Parameters
    ----------
    source : path, dict or frame
        A file of lines ``request iteration item rank score [tag]``, plain or compressed by gzip or zstd; ``"-"`` for
        standard input; ``{request: {item: score}}``; a data frame of any library with a column each for request, item
        and score; or what ranx, LensKit and ir_measures call a run.
    name : str, optional
        What to call it. By default the file's name without endings such as ``.run.gz``.
    columns : dict, optional
        Which column of a frame holds what, where its name does not say so: ``{"request": "user", "score": "pred"}``.
    memory : int
        Bytes that may be held of a table in a file, or copied of what can be read only once.

    Examples
    --------
    >>> Run({"q1": {"d1": 2.0, "d2": 1.5}}, name="bm25")
    <Run 'bm25'>
    """

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
        runs = list(read_sources(source, default, columns or {}, memory))
        label = os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"run {quote(default)}"
        if not runs:
            raise InputError(f"{label} holds no run: its table has no rows.", kind="empty", file=label)
        if len(runs) > 1:
            names = join_names([str(each) for each, _ in runs])
            raise InputError(f"{label} holds several runs: {names}. Give the frame itself as runs.", kind="shape")
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


def read_sources(source: Any, name: str, columns: Columns, memory: int) -> Iterator[tuple[str | None, Source]]:
    """The run in a source, or each run of a table that holds several; their names where the table has them."""
    label, expected = f"run {quote(name)}", "a path, {request: {item: score}} or a data frame"
    data = open_source(source, label, columns, expected, roles=("request", "item"), memory=memory)
    if isinstance(data, Source):
        yield None, data
    elif isinstance(data, Table):
        yield from table_runs(data)
    else:
        requests, request_of_row, items, scores = dict_columns(data, label)
        yield None, Source(label, ("table", requests.column, request_of_row, items.column, scores))


def table_runs(table: Table) -> Iterator[tuple[str | None, Source]]:
    run, score = table.find("run"), table.find("score")
    value = score or table.find("rank") or table.column("score")
    request, item = table.column("request"), table.column("item")
    read = table.read([request] if run is None else [request, run], item, value)
    values = read.values if score else -read.values  # the first rank is the largest score
    (requests, request_of_row), *run_column = read.coded
    if not run_column:
        yield None, table.source(requests, request_of_row, read.items, values)
        return
    ((runs, run_of_row),) = run_column
    for k, name in enumerate(Ids(*runs)):
        rows = np.flatnonzero(run_of_row == k)
        source = table.source(requests, request_of_row[rows], Ids(*read.items).take(rows).column, values[rows])
        yield name, replace(source, label=f"{table.label}, run {quote(name)}", first_line=None)


def own_name(source: Any) -> str | None:
    """A file's name, or what an object calls itself; a frame's attribute `name` may be one of its columns."""
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


def as_runs(runs: RunLike | Iterable[RunLike], memory: int = MEMORY) -> list[Run]:
    """Runs of any kind of input; those without a name are called run1, run2, ... by their position."""
    named: dict[str, Run] = {}
    for number, one in enumerate(iterate_runs(runs), start=1):
        for run in [one] if isinstance(one, Run) else read_runs(one, f"run{number}", memory):
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


def iterate_runs(runs: RunLike | Iterable[RunLike]) -> Iterable[RunLike]:
    """The runs of a list; one run, or a frame of several, as a list of one."""
    if isinstance(runs, (Run, str, os.PathLike, Mapping)) or is_frame(runs):
        return [runs]
    data = unpack(runs, "score")
    if data is not runs:
        return [Run(data, name=own_name(runs))]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs cannot be read from {type(runs).__name__}. Give paths or data frames.", kind="shape")
    return runs


def read_runs(source: RunLike, fallback: str, memory: int) -> Iterator[Run]:
    """The run in a source; every run of a table that holds several, of a folder, or of a pattern such as ``*.gz``."""
    for one in files_in(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else [source]:
        default = own_name(one) or fallback
        for name, where in read_sources(one, default, {}, memory):
            yield Run.from_source(where, default if name is None else name)


def files_in(path: str) -> list[str]:
    """The files that a path names: those of a folder or of a pattern, or itself."""
    if os.path.isdir(path):
        files = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
        if not files:
            raise InputError(f"{path}: there is no file in this folder.", kind="directory", file=path)
        return files
    return ([] if os.path.exists(path) else sorted(glob(path))) or [path]
