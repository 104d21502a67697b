"""What every study returns, and how its parts are worked through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tiebreak._interface import Tick
from tiebreak.reports.plots import Drawn, Picture
from tiebreak.reports.tables import Table
from tiebreak.theory import whole

Task = TypeVar("Task")
Part = TypeVar("Part")
MOST_ROWS = 60
"""Rows that a terminal or a notebook shows of a study."""


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Drawn):
    """What a study found: rows, a picture of them, and what they say in plain words.

    Attributes
    ----------
    names : tuple of str
        Of the columns.
    rows : tuple of tuples
    summary : str
        What was found, in a sentence or two.
    notes : tuple of str
        What was studied, and which choices were made.
    shown_as : Picture
        Which columns are drawn, and how.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    summary: str
    notes: tuple[str, ...]
    shown_as: Picture

    def to_dict(self) -> list[dict[str, Any]]:
        """A dictionary per row."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """The rows, named as `names` says."""
        return self._frame(self.names, self.rows)

    def table(self, digits: int = 3) -> Table:
        """The rows, with the summary and the notes under them."""
        shown = tuple(tuple(cell(value, digits) for value in row) for row in self.rows)
        return Table(self.names, shown, (self.summary, *self.notes), most=MOST_ROWS)

    def picture(self) -> tuple[Picture, Sequence[str], Iterable[Sequence[Any]]]:
        return self.shown_as, self.names, self.rows


def cell(value: Any, digits: int) -> str:
    """A value as people read it."""
    return "-" if value is None else f"{value:.{digits}f}" if isinstance(value, float) else f"{value}"


def each(
    function: Callable[[Task], Part], tasks: Iterable[Task], jobs: int = 1, tick: Tick | None = None
) -> list[Part]:
    """The function of every task, in the order of the tasks whatever the threads; `tick` hears (done, all)."""
    whole("jobs", jobs, 1)
    todo, found = list(tasks), list[Part]()
    pool = ThreadPoolExecutor(jobs)
    try:
        for part in pool.map(function, todo):
            found.append(part)
            if tick is not None:
                tick(len(found), len(todo))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # who interrupts does not wait for parts at work
    return found


def seeds_of(seed: int, samples: int) -> list[int]:
    """A seed for every sample; more samples begin with the same ones."""
    drawn: list[int] = np.random.SeedSequence(seed).generate_state(samples, np.uint64).tolist()
    return drawn
