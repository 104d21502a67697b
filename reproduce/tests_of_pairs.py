"""How many pairs of runs tests tell apart, beside the printed shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cells import Cell, Status
from data import Collection, Data, compared

import tiebreak as tb

FEW = 1_000


def separated(experiment: tb.Experiment, measures: Iterable[str], test: str, **how: Any) -> dict[str, float]:
    """Percent of pairs that each measure tells apart."""
    return {row.measure: 100 * row.share for row in tb.studies.power(experiment, measures, test, **how).rows}


def shuffled(data: Data, printed: Mapping[str, str], experiment: Callable[[Collection], tb.Experiment]) -> list[Cell]:
    """Randomised Tukey HSD: shares with what the shuffles leave open; where they differ also with few shuffles."""
    found: dict[str, Shuffled] = {}
    few: dict[str, Shuffled] = {}

    def shares(one: Collection) -> dict[str, float]:
        found.update(hsd(experiment(one), printed, data.shuffles))
        few.update(hsd(experiment(one), printed, FEW))
        return {measure: row.share for measure, row in found.items()}

    cells = compared(data, printed, shares)
    named = zip(cells, printed, strict=True)
    return [beside_few(cell, found[name], few[name]) if found else cell for cell, name in named]


class Shuffled(NamedTuple):
    """Percent of pairs told apart, and what chance leaves open."""

    share: float
    low: float
    high: float


def hsd(experiment: tb.Experiment, measures: Iterable[str], shuffles: int) -> dict[str, Shuffled]:
    rows = tb.studies.power(experiment, measures, "hsd", permutations=shuffles, seed=1).rows
    return {row.measure: Shuffled(100 * row.share, 100 * row.low, 100 * row.high) for row in rows}


def beside_few(cell: Cell, found: Shuffled, few: Shuffled) -> Cell:
    """A cell that differs, with what fewer shuffles leave open: the papers do not say how many were drawn."""
    cell = replace(cell, interval=(found.low, found.high))
    if cell.status is not Status.OPEN:
        return cell
    return replace(cell, note=f"with {FEW:,} shuffles {few.share:.2f}, 95% [{few.low:.2f}, {few.high:.2f}]")
