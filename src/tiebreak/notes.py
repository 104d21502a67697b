"""Notes on results: what counts as relevant, what was left out, how much was judged."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tiebreak._base.text import plural
from tiebreak.errors import GradesWarning
from tiebreak.exact import ExactValues
from tiebreak.metrics import Metric
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.projection import Positions

if TYPE_CHECKING:
    from tiebreak.preferences import Preference


def reading_notes(positions: Positions, rel: float | None = None, counted: int | None = None) -> Iterator[str]:
    """Notes on the data, with relevance from `rel` on and `counted` requests."""
    m = positions.relevant(rel)
    left_out = int((m == 0).sum()) if counted is None else len(m) - counted
    relevance = positions.relevance if rel is None else f"a grade of at least {rel:g}"
    yield f"Relevant is {relevance}." + (
        f" Left out: {plural(left_out, 'request')} without a relevant item." if left_out else ""
    )
    yield from positions.notes
    missing = int(((positions.listed == 0) & (m > 0)).sum())
    if missing:
        yield f"Missing rankings, evaluated as empty: {missing:,}."
    ignored = sum(audit.count("unjudged_requests") for audit in positions.audits)
    if ignored:
        yield f"Rankings of requests without judgements, ignored: {ignored:,}."
    yield from share_of_unjudged(positions)


def share_of_unjudged(positions: Positions) -> Iterator[str]:
    """The share of unjudged items in the top ten, by run."""
    there = (positions.retrieved > 0).any(axis=1)
    shares = [1 - positions.share_judged(r, 10) for r in np.flatnonzero(there).tolist()]
    if shares:
        low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
        yield f"{low if low == high else f'{low} to {high}, by run,'} of the top 10 is unjudged."


def preference_notes(preference: Preference, positions: Positions, counted: int) -> Iterator[str]:
    """Notes on a comparison by a preference."""
    yield from reading_notes(positions, preference.relevant_from, counted)
    if preference.traits.favours_depth:
        from tiebreak.results.overview import uneven_depths

        yield from uneven_depths(positions)


def metric_notes(
    names: tuple[str, ...], metrics: tuple[Metric, ...], exact: tuple[ExactValues, ...], positions: Positions
) -> Iterator[str]:
    """Notes on the values of metrics: what they are means of, and which differ from the rest."""
    requests = int((positions.relevant() > 0).sum())
    yield f"Means over {plural(requests, 'request')}."
    yield from reading_notes(positions)
    named = list(zip(names, metrics, strict=True))
    for total in ("sum", "geometric mean"):
        if others := [name for name, m in named if m.total == total]:
            yield f"{total.capitalize()}s over requests, not means: {', '.join(others)}."
    figures = [name for name, m in named if m.total == "figure"]
    if figures:
        yield f"Figures of a whole run, without values for requests: {', '.join(figures)}."
    for (name, m), values in zip(named, exact, strict=True):
        if name in figures:
            continue
        counted = int((~np.isnan(values.nearest)).any(axis=0).sum())
        if m.rel is not None or counted != requests:
            yield f"{name}: {m.total}s over {plural(counted, 'request')}."
    yield from aspect_notes([m for m in metrics if isinstance(m, AspectMetric)], positions)


def aspect_notes(metrics: list[AspectMetric], positions: Positions) -> Iterator[str]:
    """What measures of diversity assume."""
    if not metrics or positions.aspect_source is None:
        return
    from tiebreak.metrics.diversity.base import InterestMetric
    from tiebreak.metrics.diversity.noisy_or import NoisyOrNDCG

    rankings = positions.aspect_rankings
    unknown = rankings.n_without_aspect
    lacking = f" {plural(unknown, 'rated item')} without one." if unknown else ""
    yield f"{plural(len(rankings.table.labels), 'aspect')}.{lacking}"
    by_interest = [m for m in metrics if isinstance(m, InterestMetric) and m.interest == "profile"]
    if by_interest:
        whose = "their own ratings" if positions.aspect_source.profile is None else "a profile"
        empty = rankings.n_without_profile
        counted = f" {plural(empty, 'user')} without any interest, included with a gain of 0." if empty else ""
        yield f"Users' interest in aspects is taken from {whose}.{counted}"
    by_rated = any(isinstance(m, NoisyOrNDCG) and m.pool == "rated" for m in by_interest)
    if by_rated and (unserved := rankings.n_unserved):
        yield f"Users whose interests no rated item serves, for whom it is 0: {unserved:,}."
    if any(getattr(m, "r_max", 0) is None for m in metrics):
        yield f"The largest rating of the scale is taken to be {rankings.largest:g}, the largest in the data."


def warn_about_grades(metrics: Iterable[Metric], positions: Positions) -> None:
    """Warn if graded measures count items below the relevance threshold of others."""
    lowest = positions.grade.min()
    graded = [str(m) for m in metrics if m.traits.uses_grades and m.rel is None]
    if graded and positions.min_grade is not None and positions.min_grade > lowest:
        warnings.warn(
            f"{', '.join(graded)} {'count' if len(graded) > 1 else 'counts'} every grade above 0, also those below "
            f"min_grade={positions.min_grade:g}. "
            f"Use binary judgements, or {graded[0]} with rel=, for the same relevance threshold in all measures.",
            GradesWarning,
            stacklevel=3,
        )
