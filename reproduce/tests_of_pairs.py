"""How many pairs of runs tests tell apart, beside the printed shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cells import Cell, Status
from data import Data, compared

import tiebreak as tb

FEW = 1_000


def separated(experiment: tb.Experiment, measures: Iterable[str], test: str, **how: Any) -> dict[str, float]:
    """Percent of pairs that each measure tells apart."""
    return {row.measure: 100 * row.share for row in tb.studies.power(experiment, measures, test, **how).rows}


def shuffled(data: Data, printed: dict[str, str], experiment: tb.Experiment | None) -> list[Cell]:
    """Randomised Tukey HSD: shares with what the shuffles leave open; where they differ also with few shuffles."""
    if experiment is None:
        return compared(data, printed, None)
    found = hsd(experiment, printed, data.shuffles)
    few = hsd(experiment, printed, FEW)
    shares = {measure: share for measure, (share, _) in found.items()}
    cells = compared(data, printed, shares)
    named = zip(cells, printed, strict=True)
    return [beside_few(replace(cell, interval=found[name][1]), few[name]) for cell, name in named]


def hsd(
    experiment: tb.Experiment, measures: Iterable[str], shuffles: int
) -> dict[str, tuple[float, tuple[float, float]]]:
    """Percent of pairs told apart, and the bounds that chance leaves."""
    rows = tb.studies.power(experiment, measures, "hsd", permutations=shuffles, seed=1).rows
    return {row.measure: (100 * row.share, (100 * row.low, 100 * row.high)) for row in rows}


def beside_few(cell: Cell, few: tuple[float, tuple[float, float]]) -> Cell:
    """A cell that differs, with what fewer shuffles leave open: the papers do not say how many were drawn."""
    if cell.status is not Status.OPEN:
        return cell
    share, (low, high) = few
    return replace(cell, note=f"with {FEW:,} shuffles {share:.2f}, 95% [{low:.2f}, {high:.2f}]")
