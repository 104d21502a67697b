"""A run: one system's rankings, named, read only when they are projected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tiebreak.errors import InputError, quoted
from tiebreak.inputs.sources import STANDARD_INPUT, Path, Source, Values, file_source, name_of, table_source


class Run:
    """One system's rankings.

    Items are ranked by score, the highest first; where scores tie, by item id, the largest bytes first.

    Parameters
    ----------
    source : path or dict
        A file of lines ``request iteration item rank score [tag]``, plain or compressed by gzip or zstd; ``"-"`` for
        standard input; or ``{request: {item: score}}``.
    name : str, optional
        What to call it. By default the file's name without endings such as ``.run.gz``.

    Examples
    --------
    >>> Run({"q1": {"d1": 2.0, "d2": 1.5}}, name="bm25")
    <Run 'bm25'>
    """

    def __init__(self, source: Path | Values, name: str | None = None) -> None:
        if not (name is None or isinstance(name, str)):
            raise InputError(f"name={name!r}. Give a run's name as text.", kind="names")
        if isinstance(source, Mapping):
            self.name = name or "run"
            self.source: Source = table_source(source, f"run {quoted(self.name)}")
        elif isinstance(source, (str, os.PathLike)):
            self.name = name or ("stdin" if os.fspath(source) == STANDARD_INPUT else name_of(source))
            self.source = file_source(source)
        else:
            raise InputError(
                f"a run cannot be read from {type(source).__name__}. Give a path or {{request: {{item: score}}}}.",
                kind="shape",
            )

    def __repr__(self) -> str:
        return f"<Run {self.name!r}>"


RunLike: TypeAlias = "Run | Path | Values"


def as_runs(runs: RunLike | Iterable[RunLike]) -> list[Run]:
    """Runs of whatever was given; dictionaries without a name are called after their place, run1, run2, ..."""
    given: Iterable[RunLike] = [runs] if isinstance(runs, (Run, str, os.PathLike, Mapping)) else runs
    made = [as_run(run, place) for place, run in enumerate(given, start=1)]
    if not made:
        raise InputError("no run was given. Give at least one.", kind="empty")
    check_names(made)
    return made


def as_run(run: RunLike, place: int) -> Run:
    if isinstance(run, Run):
        return run
    return Run(run, name=f"run{place}" if isinstance(run, Mapping) else None)


def check_names(runs: list[Run]) -> None:
    named: dict[str, Run] = {}
    for run in runs:
        if other := named.get(run.name):
            raise InputError(
                f"two runs are called {quoted(run.name)}: {other.source.label} and {run.source.label}. "
                "Give one of them another name: Run(path, name=...), or NAME=PATH on the command line.",
                kind="names",
            )
        named[run.name] = run
