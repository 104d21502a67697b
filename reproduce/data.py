"""The data that tables and figures are made from: folders of judgements and runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cells import Cell

import tiebreak as tb

DEEP, WEB, MOVIES = "dl19-passage", "web2012", "ml-small"
READING: dict[str, tuple[str, int | None]] = {
    DEEP: ("qrels.txt", 2),
    WEB: ("qrels.txt", 1),
    MOVIES: ("qrels.stars.txt", 4),
}
"""Judgements of known collections, and the grade from which an item counts as relevant where grades are forgotten."""
UNKNOWN: tuple[str, int | None] = ("qrels.txt", None)
PRINTED_AS = {DEEP: "deep-pass (2019)"}
"""Collections of which all runs are here, and what the papers call them."""


class Collection:
    """Judgements and runs of one folder, read when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.resolve().name
        qrels, self.relevant_from = READING.get(self.name, UNKNOWN)
        self.qrels = folder / qrels

    def __str__(self) -> str:
        return self.name

    @property
    def printed_as(self) -> str:
        return PRINTED_AS.get(self.name, self.name)

    @cached_property
    def graded(self) -> tb.Experiment:
        """With all grades; every one above 0 is relevant."""
        return self.read()

    @cached_property
    def binary(self) -> tb.Experiment:
        """Relevant or not, from the grade on that the papers take."""
        return self.read(min_grade=self.relevant_from, binary=True)

    def read(self, **options: object) -> tb.Experiment:
        made = tb.Experiment(self.qrels, self.folder / "runs", **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tb.errors.EmptyRequestsWarning)
            made.read()
        return made

    def sizes(self) -> dict[str, float]:
        """What tables of data sets print."""
        runs = self.graded.audit().runs
        relevant = self.graded.positions.relevant()
        return {
            "requests": len(relevant),
            "runs": len(runs),
            "rel/request": float(relevant.mean()),
            "docs/request": sum(run.lines for run in runs) / sum(run.requests for run in runs),
        }


@dataclass(frozen=True)
class Data:
    """All collections at hand, and how much work may be done with them."""

    collections: tuple[Collection, ...] = ()
    quick: bool = False
    jobs: int = 2

    @classmethod
    def of(cls, folder: Path | None, quick: bool = False) -> Data:
        """A folder with `qrels.txt` and `runs`, or a folder of such folders."""
        if folder is None:
            return cls((), quick)
        known = [folder / name for name in READING if (folder / name).is_dir()]
        found = [folder] if (folder / "runs").is_dir() else known
        if not found:
            raise SystemExit(f"{folder}: no runs/ here, and none of {', '.join(READING)}. Give a folder that has them.")
        return cls(tuple(map(Collection, found)), quick)

    def find(self, name: str) -> Collection | None:
        return next((one for one in self.collections if one.name == name), None)

    @property
    def main(self) -> Collection | None:
        """Of which tables are made: the one that the papers print, or the one that was given."""
        return self.find(DEEP) or next(iter(self.collections), None)

    def drawn(self) -> Iterator[Collection]:
        """Of which figures are made where a paper has retrieval and recommendation."""
        return (one for one in self.collections if one.name != WEB)

    @property
    def relevance(self) -> str:
        """What is relevant where grades are forgotten, in words."""
        least = READING[DEEP][1] if self.main is None else self.main.relevant_from
        return "Every grade above 0 is relevant" if least is None else f"Grade >= {least} is relevant"

    @property
    def samples(self) -> int:
        """How often data is removed; the papers say ten."""
        return 2 if self.quick else 10

    @property
    def shuffles(self) -> int:
        """Of randomised tests; the papers do not say how many they drew."""
        return 1_000 if self.quick else 100_000


def compared(
    data: Data, printed: Mapping[str, str], compute: Callable[[Collection], Mapping[str, float]]
) -> list[Cell]:
    """A row of a table: what is printed for the main collection, and what is computed of it by column."""
    main = data.main
    if main is None:
        return [Cell(f"{PRINTED_AS[DEEP]}, {name}", value, None) for name, value in printed.items()]
    computed = compute(main)
    return [
        Cell(f"{main.printed_as}, {name}", value if main.name in PRINTED_AS else None, computed[name])
        for name, value in printed.items()
    ]
