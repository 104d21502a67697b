"""A progress bar with the time left, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tiebreak._kernels.interface import Tick


@contextmanager
def progress(what: str, unit: str = "bytes") -> Iterator[Tick | None]:
    """A function to call with (done, all), counted in a unit; None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    counted = {"bytes": DownloadColumn, "percent": TaskProgressColumn}.get(unit, MofNCompleteColumn)()
    columns = TextColumn("{task.description}"), BarColumn(), counted, TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True, force_jupyter=False), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=min(done, total), total=total)
