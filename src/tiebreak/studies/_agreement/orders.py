"""How alike the orders of runs are that measures make (RPP Table 2)."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from typing import Any

from tiebreak._kernels.interface import Tick
from tiebreak.errors import UnknownNameError
from tiebreak.experiment import Experiment
from tiebreak.orderings import Method, Ordering, method
from tiebreak.orderings.correlation import METHODS
from tiebreak.populations import Population, requested_population
from tiebreak.preferences import Preference
from tiebreak.preferences import preference as preference_of
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.measures import measure_name


def order(
    experiment: Experiment,
    measures: list[Any],
    *,
    ordering: str | Method | None = None,
    correlation: str = "tau_b",
    jobs: int,
    tick: Tick | None,
) -> Findings:
    """The correlation of the orders by all pairs of measures; preferences are ordered by MC4, metrics by their mean."""
    if correlation not in METHODS:
        raise UnknownNameError("correlation", correlation, METHODS)
    if ordering is not None:
        ordering = method(ordering)

    def ordered(measure: Any) -> Ordering:
        return experiment.order(measure, None if requested_population(measure, None) else ordering)

    found = run_tasks(ordered, measures, jobs, tick)
    names = [str(measure) if isinstance(measure, Population) else measure_name(measure) for measure in measures]
    rows = tuple(
        (x, y, known(one.correlation(other, correlation)))
        for (x, one), (y, other) in combinations(zip(names, found, strict=True), 2)
    )
    told = [(x, y, value) for x, y, value in rows if value is not None]
    ways = ", ".join(f"{name} by {made.by}" for name, made in zip(names, found, strict=True))
    said = "No two orders can be compared: runs tie."
    if told:
        near, far = (choose(told, key=lambda row: row[2]) for choose in (max, min))
        said = f"Most alike are {near[0]} and {near[1]}, {correlation} {near[2]:.3f}"
        said += f"; least {far[0]} and {far[1]}, {far[2]:.3f}." if near != far else "."
    picture = Picture("heat", "other", "measure", color=correlation, titles=(("other", "measure"),))
    return Findings(("measure", "other", correlation), rows, said, (f"{correlation} of orders: {ways}.",), picture)


def orderable(measure: Any) -> Preference | Population:
    """What runs are ordered by: a population of a metric, or a preference."""
    return requested_population(measure, None) or preference_of(measure)


def known(value: float) -> float | None:
    """A correlation, or nothing where one order ties all runs."""
    return None if isnan(value) else value
