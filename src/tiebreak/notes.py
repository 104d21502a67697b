"""Notes on results: what counts as relevant, what was left out, how much was judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tiebreak._base.text import plural
from tiebreak._base.warning import warn
from tiebreak.errors import GradesWarning
from tiebreak.metrics import Metric
from tiebreak.projection import Positions
from tiebreak.projection.summary import AspectCounts, InputSummary

if TYPE_CHECKING:
    from tiebreak.preferences import Preference


def position_notes(positions: Positions, rel: float | None = None) -> Iterator[str]:
    """Notes on the data of positions, with relevance from `rel` on."""
    return reading_notes(InputSummary.from_positions(positions, [rel]), rel)


def reading_notes(data: InputSummary, rel: float | None = None, counted: int | None = None) -> Iterator[str]:
    """Notes on the data, with relevance from `rel` on and `counted` requests."""
    left_out = data.counts[rel].empty if counted is None else data.n_requests - counted
    relevance = data.relevance if rel is None else f"a grade of at least {rel:g}"
    yield f"Relevant is {relevance}." + (
        f" Left out: {plural(left_out, 'request')} without a relevant item." if left_out else ""
    )
    if rel is None:
        yield from data.ratings.notes()
    yield from data.notes
    if missing := data.counts[rel].missing:
        yield f"Missing rankings, evaluated as empty: {missing:,}."
    ignored = sum(audit.count("unjudged_requests") for audit in data.audits)
    if ignored:
        yield f"Rankings of requests without judgements, ignored: {ignored:,}."
    yield from share_of_unjudged(data)


def share_of_unjudged(data: InputSummary) -> Iterator[str]:
    """The share of unjudged items in the top ten, by run."""
    there = data.deepest > 0
    shares = [1 - judged / max(seen, 1) for judged, seen in zip(data.judged[there], data.seen[there], strict=True)]
    if shares:
        low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
        yield f"{low if low == high else f'{low} to {high}, by run,'} of the top 10 is unjudged."


def preference_notes(preference: Preference, data: InputSummary, counted: int) -> Iterator[str]:
    """Notes on a comparison by a preference."""
    yield from reading_notes(data, preference.relevant_from, counted)
    if preference.traits.favours_depth:
        from tiebreak.results.overview import uneven_depths

        yield from uneven_depths(data.deepest)


def metric_notes(
    names: tuple[str, ...], metrics: tuple[Metric, ...], counted: Sequence[int], data: InputSummary
) -> Iterator[str]:
    """Notes on the values of metrics: what they are means of, and which differ from the rest."""
    requests = data.n_requests - data.counts[None].empty
    yield f"Means over {plural(requests, 'request')}."
    yield from reading_notes(data)
    named = list(zip(names, metrics, strict=True))
    for total in ("sum", "geometric mean"):
        if others := [name for name, m in named if m.total == total]:
            yield f"{total.capitalize()}s over requests, not means: {', '.join(others)}."
    if "rbp" in names:
        yield "rbp is RBP(p=0.5), as in pref_eval; trec_eval's, which counts grades, is rbp.p=0.9."
    figures = [name for name, m in named if m.total == "figure"]
    if figures:
        yield f"Figures of a whole run, without values for requests: {', '.join(figures)}."
    for (name, m), number in zip(named, counted, strict=True):
        if name not in figures and (m.rel is not None or number != requests):
            yield f"{name}: {m.total}s over {plural(number, 'request')}."
    if data.aspects is not None:
        yield from aspect_notes(metrics, data.aspects)


def note_totals(totals: object, per_request: object) -> Iterator[str]:
    """A note where only sums and counts are kept, although nobody said so."""
    if totals and per_request is None:
        yield "Of so many requests sums and counts are kept, not their values; per_request=True keeps these."


def aspect_notes(metrics: Iterable[Metric], counts: AspectCounts) -> Iterator[str]:
    """What measures of diversity assume."""
    from tiebreak.metrics.diversity.base import InterestMetric
    from tiebreak.metrics.diversity.noisy_or import NoisyOrNDCG

    metrics = [m for m in metrics if is_of_aspects(m)]
    unknown = counts.without_aspect
    lacking = f" {plural(unknown, 'rated item')} without one." if unknown else ""
    yield f"{plural(counts.aspects, 'aspect')}.{lacking}"
    by_interest = [m for m in metrics if isinstance(m, InterestMetric) and m.interest == "profile"]
    if by_interest:
        whose = "the training ratings" if counts.has_training else "their own ratings"
        empty = counts.without_profile
        counted = f" {plural(empty, 'user')} without any interest, included with a gain of 0." if empty else ""
        yield f"Users' interest in aspects is taken from {whose}.{counted}"
    by_rated = any(isinstance(m, NoisyOrNDCG) and m.pool == "rated" for m in by_interest)
    if by_rated and counts.unserved:
        yield f"Users whose interests no rated item serves, for whom it is 0: {counts.unserved:,}."
    if any(getattr(m, "r_max", 0) is None for m in metrics):
        yield f"The largest rating of the scale is taken to be {counts.largest:g}, the largest in the data."


def is_of_aspects(metric: Metric) -> bool:
    """Whether a metric looks at the aspects of items."""
    if not metric.needs.aspects:
        return False
    from tiebreak.metrics.diversity.base import AspectMetric

    return isinstance(metric, AspectMetric)


def warn_about_grades(metrics: Iterable[Metric], lowest: float, min_grade: float | None) -> None:
    """Warn if graded measures count items below the relevance threshold of others, down to the lowest grade."""
    graded = [str(m) for m in metrics if m.traits.uses_grades and m.rel is None]
    if graded and min_grade is not None and min_grade > lowest:
        warn(
            f"{', '.join(graded)} {'count' if len(graded) > 1 else 'counts'} every grade above 0, also those below "
            f"min_grade={min_grade:g}. "
            f"Use binary judgements, or {graded[0]} with rel=, for the same relevance threshold in all measures.",
            GradesWarning,
        )
