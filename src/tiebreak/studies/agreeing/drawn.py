"""Findings whose picture shows other rows than their table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.reports.plots import Picture
from tiebreak.studies.base import Findings


@dataclass(frozen=True, eq=False, repr=False)
class DrawnApart(Findings):
    """Findings with rows of their own for the picture, such as points of which the table holds the correlation."""

    drawn_names: tuple[str, ...] = ()
    drawn_rows: tuple[tuple[Any, ...], ...] = ()

    def picture(self) -> tuple[Picture, Sequence[str], Iterable[Sequence[Any]]]:
        return self.shown_as, self.drawn_names, self.drawn_rows
