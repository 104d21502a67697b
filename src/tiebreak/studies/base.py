"""What every study returns, and how its tasks run in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tiebreak._base.checks import check_count
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.results.plots import Picture, PlottedResult
from tiebreak.results.record import Cell, column

Task = TypeVar("Task")
Part = TypeVar("Part")


@dataclass(frozen=True, eq=False, repr=False)
class Findings(PlottedResult):
    """The result of a study: rows, a picture of them or of what is `drawn` instead, and a conclusion in plain words."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    conclusion: str
    details: tuple[str, ...]
    drawn_as: Picture
    drawn: tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]] | None = None
    spread: str | None = None
    library: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.conclusion, *self.details)

    @property
    def spread_cells(self) -> Mapping[str, Cell]:  # type: ignore[override]
        return {"": column(self.drawn_as.y)}

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        return self.values

    def picture(self) -> tuple[Picture, Sequence[str], Iterable[Sequence[Any]]]:
        return self.drawn_as, *(self.drawn or (self.columns, self.values))


def view_options(view: str, views: Mapping[str, tuple[str, ...]], **options: Any) -> dict[str, Any]:
    """The options that are set; one that the view does not take, by the names in `views`, is refused."""
    chosen = {name: value for name, value in options.items() if value is not None}
    for name in chosen:
        if name not in views.get(view, ()):
            others = " or ".join(f'view="{other}"' for other, names in views.items() if name in names)
            raise InputError(f"{name} is for {others}. Leave it out.", kind="choice")
    return chosen


def run_tasks(
    function: Callable[[Task], Part], tasks: Iterable[Task], jobs: int = 1, tick: Tick | None = None
) -> list[Part]:
    """Call the function with every task, in threads; results are in the order of the tasks."""
    check_count(jobs, "jobs")
    todo, parts = list(tasks), list[Part]()
    pool = ThreadPoolExecutor(jobs)
    try:
        for part in pool.map(function, todo):
            parts.append(part)
            if tick is not None:
                tick(len(parts), len(todo))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # on Ctrl-C, do not wait for running tasks
    return parts


def sample_seeds(seed: int, samples: int) -> list[int]:
    """A seed for every sample; those of the first samples do not depend on how many there are."""
    seeds: list[int] = np.random.SeedSequence(seed).generate_state(samples, np.uint64).tolist()
    return seeds
