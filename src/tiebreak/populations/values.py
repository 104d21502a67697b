"""Numbers of populations, and the shares of requests that two runs win."""

from __future__ import annotations

from typing import Any, NamedTuple

from tiebreak.results.record import Rows


class PopulationValue(NamedTuple):
    """One population of one run, over all requests or those of a group."""

    run: str
    group: str | None
    measure: str
    value: float


class WinShares(NamedTuple):
    """In which share of the requests each of two runs is better, and in which they tie."""

    first: float
    tied: float
    second: float


class PopulationScores(Rows[PopulationValue]):
    """Numbers per run, of all requests or of every group; the measure is a population such as ``gmean(AP)``."""

    spread = "measure"

    @property
    def columns(self) -> tuple[str, ...]:
        return PopulationValue._fields if self._has_groups else ("run", "measure", "value")

    @property
    def _has_groups(self) -> bool:
        return any(row.group is not None for row in self.values)

    def rows(self) -> tuple[Any, ...]:
        """Every number; without the column of groups where there are none."""
        return self.values if self._has_groups else tuple((row.run, row.measure, row.value) for row in self.values)
