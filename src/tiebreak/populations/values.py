"""Numbers of populations, and the shares of requests that two runs win."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np

from tiebreak.exact import Number, Real
from tiebreak.exact.sample import Sample
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Population
from tiebreak.results.cells import Cell, column
from tiebreak.results.drawable import DrawableMeans
from tiebreak.results.record import Rows


class PopulationValue(NamedTuple):
    """One population of one run, over all requests or those of a group.

    Beside groups, the row of all requests has the `gap` between them: the largest value of a group minus the smallest.
    """

    run: str
    group: str | None
    measure: str
    value: float
    gap: float = nan


class WinShares(NamedTuple):
    """In which share of the requests each of two runs is better, and in which they tie."""

    first: float
    tied: float
    second: float


class PopulationScores(DrawableMeans, Rows[PopulationValue]):
    """Numbers per run, of all requests or of every group; the measure is a population such as ``gmean(AP)``."""

    spread = "measure"

    @property
    def columns(self) -> tuple[str, ...]:
        return PopulationValue._fields if self._has_groups else ("run", "measure", "value")

    @property
    def _has_groups(self) -> bool:
        return any(row.group is not None for row in self.values)

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": column("value"), **({"gap": column("gap")} if self._has_groups else {})}

    def rows(self) -> tuple[Any, ...]:
        """Every number; without the column of groups where there are none."""
        return self.values if self._has_groups else tuple((row.run, row.measure, row.value) for row in self.values)


def population_values(
    parts: Sequence[tuple[str | None, UtilityTable]], populations: Iterable[tuple[str, Population]]
) -> Iterator[PopulationValue]:
    """The numbers of populations in every part, the last of which, if there are several, is all requests."""
    for name, chosen in populations:
        columns = []
        for _, table in parts:
            chosen.check(table)
            columns.append(chosen.scores(table))
        gaps = [gap([column[k] for column in columns[:-1]]) for k in range(len(columns[0]))]
        for (group, table), scores in zip(parts, columns, strict=True):
            is_last = scores is columns[-1]
            for run, score, between in zip(table.runs, scores, gaps, strict=True):
                yield PopulationValue(run, group, name, chosen.number(score), between if is_last else nan)


def gap(scores: Sequence[Real]) -> float:
    """The largest minus the smallest, exactly rounded where they are exact numbers; NaN without any."""
    if not scores:
        return nan
    high, low = max(scores), min(scores)
    return float(high - low if isinstance(high, Number) and isinstance(low, Number) else float(high) - float(low))


def win_shares(table: UtilityTable, x: int, y: int) -> WinShares:
    """In which share of the requests each of two runs is better; by weight where requests are weighted."""
    sign = np.sign(table.numbers.differences(np.array([x]), np.array([y])).nearest[0])
    weights = np.ones(len(sign)) if table.weights is None else table.weights
    whole = Sample.from_floats(weights).total()
    return WinShares(*(float(Sample.from_floats(weights[sign == which]).total() / whole) for which in (1, 0, -1)))


def worst_requests(table: UtilityTable) -> list[tuple[str, list[str], float]]:
    """For every run its worst requests, and their utility."""
    worst = (np.flatnonzero(row == row.min()).tolist() for row in table.codes())
    return [
        (run, [table.requests[k] for k in places], float(row[places[0]]))
        for run, row, places in zip(table.runs, table.values, worst, strict=True)
    ]
