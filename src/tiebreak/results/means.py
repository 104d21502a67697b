"""Means of measures over requests, and their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tiebreak.results.cells import Cell, Row, value_or_count
from tiebreak.results.record import Rows


class Mean(NamedTuple):
    """The mean of one measure for one run; of counts the sum, of ``gm`` the geometric mean."""

    run: str
    measure: str
    value: float
    n_requests: int


class MeanInterval(NamedTuple):
    """A mean with its 95% interval by Student's t over requests."""

    run: str
    measure: str
    value: float
    low: float
    high: float
    n_requests: int


@dataclass(frozen=True, eq=False, repr=False)
class Means(Rows[Mean]):
    """The means of all measures for all runs.

    Attributes
    ----------
    best : frozenset of (str, str)
        Run and measure of every best mean; all of them where runs tie.
    counts : frozenset of str
        Measures that are whole numbers, and shown as such.
    """

    best: frozenset[tuple[str, str]] = frozenset()
    counts: frozenset[str] = frozenset()
    columns = Mean._fields
    spread = "measure"

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": value_or_count(self.counts)}

    def is_marked(self, row: Row) -> bool:
        return (row["run"], row["measure"]) in self.best

    def to_flat_dict(self) -> dict[str, float]:
        """``{"run/measure": mean}``, as experiment trackers like it."""
        return {f"{row.run}/{row.measure}": row.value for row in self.values}


class MeanIntervals(Rows[MeanInterval]):
    """The means of all measures for all runs, with 95% intervals."""

    columns = MeanInterval._fields
