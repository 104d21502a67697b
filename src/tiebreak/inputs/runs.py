"""A run: one system's rankings, named, read only when they are projected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from glob import glob
from typing import Any, TypeAlias

from tiebreak._base.text import join_names
from tiebreak._kernels.interface import MEMORY
from tiebreak.errors import InputError, quote
from tiebreak.inputs.frames import Columns, check_no_columns, frame_in, is_frame, run_tables
from tiebreak.inputs.objects import unpack
from tiebreak.inputs.sources import (
    STANDARD_INPUT,
    Path,
    Source,
    Values,
    check_sizes,
    file_source,
    run_name,
    table_source,
)


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
        check_sizes(memory=memory)
        self.name, self.source = named_source(source, name, columns or {}, memory)

    @classmethod
    def from_source(cls, source: Source, name: str) -> Run:
        """A run that was read already."""
        run = cls.__new__(cls)
        run.name, run.source = name, source
        return run

    def __repr__(self) -> str:
        return f"<Run {self.name!r}>"


def named_source(given: Any, name: str | None, columns: Columns, memory: int) -> tuple[str, Source]:
    """What a run is called, and where its lines come from."""
    if isinstance(given, (str, os.PathLike)):
        label, default = os.fspath(given), file_name(given)
        tables = sources_in(given, columns, memory)
    else:
        held = unpack(given, "score")
        default = own_name(given) or "run"
        label = f"run {quote(name or default)}"
        if isinstance(held, Mapping):
            return name or default, table_source(held, label)
        if not is_frame(held):
            raise InputError(
                f"a run cannot be read from {type(given).__name__}. "
                "Give a path, {request: {item: score}} or a data frame.",
                kind="shape",
            )
        tables = list(run_tables(held, columns, label))
    if not tables:
        raise InputError(f"{label} holds no run: its table has no rows.", kind="empty", file=label)
    if len(tables) > 1:
        names = [str(one) for one, _ in tables]
        raise InputError(
            f"{label} holds several runs: {join_names(names)}. Give the frame itself as runs.", kind="shape"
        )
    return name or tables[0][0] or default, tables[0][1]


def sources_in(path: Path, columns: Columns, memory: int) -> list[tuple[str | None, Source]]:
    """The run in a file, or each run of a table that holds several; their names where the table has them."""
    held = frame_in(os.fspath(path), memory)
    if held is not None:
        return [(name, replace(table, library=None)) for name, table in run_tables(held, columns, os.fspath(path))]
    check_no_columns(columns)
    return [(None, file_source(path, memory))]


def file_name(path: Path) -> str:
    return "stdin" if os.fspath(path) == STANDARD_INPUT else run_name(path)


def own_name(given: Any) -> str | None:
    """What an object calls itself; a frame's attribute of that name may be one of its columns."""
    name = None if is_frame(given) else getattr(given, "name", None)
    return name if isinstance(name, str) and name else None


RunLike: TypeAlias = "Run | Path | Values | Any"


def as_runs(runs: RunLike | Iterable[RunLike], memory: int = MEMORY) -> list[Run]:
    """Runs of whatever was given; those without a name are called after their place, run1, run2, ..."""
    made = [run for place, given in enumerate(each(runs), start=1) for run in as_run(given, place, memory)]
    if not made:
        raise InputError("no run was given. Give at least one.", kind="empty")
    check_names(made)
    return made


def each(runs: RunLike | Iterable[RunLike]) -> Iterable[RunLike]:
    """What was given one by one; what is one run, or a frame of several, as a list of one."""
    if isinstance(runs, (Run, str, os.PathLike, Mapping)) or is_frame(runs):
        return [runs]
    held = unpack(runs, "score")
    if held is not runs:
        return [Run(held, name=own_name(runs))]
    if not isinstance(runs, Iterable):
        raise InputError(f"runs cannot be read from {type(runs).__name__}. Give paths or data frames.", kind="shape")
    return runs


def as_run(given: RunLike, place: int, memory: int) -> Iterator[Run]:
    """The run that was given, or each run of a frame that holds several."""
    if isinstance(given, Run):
        yield given
    elif is_frame(given):
        for name, source in run_tables(given, {}, f"run {place}"):
            yield Run.from_source(source, name if name is not None else f"run{place}")
    elif isinstance(given, (str, os.PathLike)):
        yield from runs_in(os.fspath(given), memory)
    else:
        yield Run(given, name=own_name(given) or f"run{place}")


def runs_in(path: str, memory: int) -> Iterator[Run]:
    """The run in a file; every run of a table that holds several, of a folder, or of a pattern such as ``*.run.gz``."""
    for file in files_in(path):
        for name, source in sources_in(file, {}, memory):
            yield Run.from_source(source, name if name is not None else file_name(file))


def files_in(path: str) -> list[str]:
    """The files that a path names: those of a folder or of a pattern, or itself."""
    if os.path.isdir(path):
        files = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and not entry.name.startswith("."))
        if not files:
            raise InputError(f"{path}: there is no file in this folder.", kind="directory", file=path)
        return files
    return ([] if os.path.exists(path) else sorted(glob(path))) or [path]


def check_names(runs: list[Run]) -> None:
    named: dict[str, Run] = {}
    for run in runs:
        if other := named.get(run.name):
            raise InputError(
                f"two runs are called {quote(run.name)}: {other.source.label} and {run.source.label}. "
                "Give one of them another name: Run(path, name=...), or NAME=PATH on the command line.",
                kind="names",
            )
        named[run.name] = run
