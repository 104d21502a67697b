"""What a page says of utilities: those of a table, and those that a metric gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tiebreak._base.text import plural
from tiebreak.comparison import Comparison
from tiebreak.errors import InputError
from tiebreak.inputs import Ids
from tiebreak.inputs.utilities import LOWER
from tiebreak.inputs.utility_cells import Cells
from tiebreak.reports.answers import claims
from tiebreak.reports.content import (
    Content,
    MeasureContent,
    build_measures,
    first_runs,
    largest_groups,
    most_compared,
)
from tiebreak.reports.leaders import MOST_LETTERED, metric_leaders
from tiebreak.reports.served import worst_served
from tiebreak.results.record import Result
from tiebreak.results.utility_overview import UtilityOverview, utility_overview
from tiebreak.score_groups import ScoreGroups
from tiebreak.scores import Scores
from tiebreak.segments import Segments

MOST_ORDERED = 200_000
"""Runs times requests up to which runs are ordered by leximin, which compares exact values."""
CASES = ("mean", "cvar(share=0.1)")


def served_utilities(utilities: Any) -> dict[str, Any]:
    """The sorted utilities of every run, the run with the best mean first."""
    units = utilities.independent_units
    values = np.asarray(units.values, dtype=np.float64)
    order = np.argsort(-values.mean(axis=1), kind="stable").tolist()
    return worst_served(units.measure, units.runs, units.requests, values, order)


def orders_by_case(utilities: Any) -> list[Result]:
    """Runs by their worst requests, beside their means; with groups also by their worst group."""
    units = utilities.independent_units
    if units.values.size > MOST_ORDERED:
        return [units.evaluate(CASES)]
    return [units.order("leximin"), *([] if utilities.groups is None else [utilities.order("leximin")])]


def marked_table(scores: Scores | ScoreGroups[Any], n_runs: int) -> Result:
    """The table for a paper, with letters; without them where there are too many runs, or groups of runs."""
    if 1 < n_runs <= MOST_LETTERED:
        try:
            return scores.against()
        except InputError as error:
            if error.kind != "size":
                raise
    return scores.summary(None)


@dataclass(frozen=True, eq=False)
class UtilityPage:
    """A table of utilities, and what a page says of it."""

    utilities: Any
    inputs: Mapping[str, str | None]
    settings: Mapping[str, Any]

    @cached_property
    def units(self) -> Any:
        """Utilities of requests, by the means of their trials, without groups."""
        return self.utilities.independent_units

    @cached_property
    def scores(self) -> Scores:
        scores: Scores = self.utilities.scores()
        return scores

    @cached_property
    def run_places(self) -> list[int]:
        """The places of the runs that are compared: all, or those with the best means."""
        means = self.scores.mean[:, 0]
        order = np.argsort(-means, kind="stable").tolist()
        return first_runs(order, most_compared(len(self.units.requests)))

    @cached_property
    def groups(self) -> Mapping[str, int]:
        """The largest groups of requests, with their sizes."""
        return largest_groups(self.units.requests, self.utilities.group_by_request)

    def content(self) -> Content:
        """All that the page says."""
        runs, requests = self.units.runs, self.units.requests
        measures, paired = build_measures([self.units.measure], self.run_places, self._compare, self._describe)
        numbers = measures[0].numbers
        orders = orders_by_case(self.utilities)
        by_group = self.utilities.group_by_request
        return Content(
            title=f"Comparison of {plural(len(runs), 'run')}",
            subtitle=f"{self.units.measure} of {plural(len(requests), 'request')}",
            runs=runs,
            paired=paired,
            groups=self.groups,
            n_groups=len({*(by_group or {}).values()}),
            measures=measures,
            claims=None
            if numbers is None
            else replace(claims([numbers], {}), first_by_leximin=leading_runs(orders[0])),
            audit=self._audit(),
            served=served_utilities(self.utilities),
            orders=orders,
            group_table=[] if by_group is None else [marked_table(self.scores.by_group(by_group), len(runs))],
            diversity=[],
            inputs=self.inputs,
            settings=self.settings,
            is_of_rankings=False,
        )

    def _audit(self) -> UtilityOverview:
        """What every run has, and what looks odd."""
        table, notes = self.utilities.table, self.utilities.notes
        n_runs, n_requests = table.values.shape
        cells = Cells(
            Ids.from_names(table.runs),
            table.requests,
            np.repeat(np.arange(n_runs, dtype=np.int32), n_requests),
            np.tile(np.arange(n_requests, dtype=np.int32), n_runs),
            np.asarray(table.values, dtype=np.float64).ravel(),
            self.utilities.measure,
            notes=notes,
        )
        return utility_overview(cells, lower_is_better=LOWER in notes)

    def _compare(self, name: str) -> Comparison | None:
        """The comparison of the runs; None where there is one."""
        if len(self.run_places) < 2:
            return None
        utilities = self.units
        if len(self.run_places) < len(self.units.runs):
            utilities = type(self.units).from_table(self.units.table.take_runs(self.run_places), self.units.measure)
        comparison: Comparison | Segments[Comparison] = utilities.compare()
        assert isinstance(comparison, Comparison), "units have no groups"
        return comparison

    def _describe(self, name: str, comparison: Comparison | None, letters: Mapping[str, str]) -> MeasureContent:
        intervals = {(row.run, row.measure): row for row in self.scores.intervals().values}
        by_group = self.scores.by_group(self.utilities.group_by_request) if self.groups else None
        parts = [] if by_group is None else [by_group[group] for group in self.groups]
        leaders = metric_leaders(self.scores, name, intervals, letters, parts)
        about = "minus the values given, of which lower is better" if LOWER in self.utilities.notes else ""
        return MeasureContent(name, about, "metric", "higher", leaders)


def leading_runs(order: Result) -> tuple[str, ...]:
    """The runs that are first in an order; none of what is no order."""
    return tuple(row["run"] for row in order.records() if row.get("rank") == 1)
