"""Summary of the input: runs, judgements, anomalies and reading options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._base.text import join_names, plural
from tiebreak._kernels.interface import ANOMALIES, UNRETRIEVED
from tiebreak.inputs import Judgements
from tiebreak.inputs.audit import Oddity
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection import Positions
from tiebreak.projection.rating_scale import RatingScale
from tiebreak.results.cells import Cell, Row, column, grade_text
from tiebreak.results.record import Result

MANY_TIES = 0.5
NEARLY_ALL = 0.99
SPARSE = 20
"""Relevant items per request between the recommendation data of LR Table 5, at most 18.87, and the retrieval data."""
ODD_RANKINGS = {
    "rank_disagrees": "Requests whose rank column disagrees with the order of scores, which is used",
    "float32_ties": "Distinct scores that tie in float32, as in pytrec_eval, and are broken by item id",
}
SHOWN_IN_ROWS = ("judged_ties", "unjudged_requests")
SHALLOW, STANDARD = 100, 1000
"""Documents per request up to which rankings count as shallow or standard (LR 6.1.1)."""
MOST_COMPARED = 200
"""Runs among which near-identical ones are looked for: pairs of more take long."""


class RunRow(NamedTuple):
    """What one run holds; depths and shares are of the judged requests that it lists."""

    run: str
    lines: int
    requests: int
    missing: int
    unjudged: int
    depth_min: int
    depth_median: float
    depth_max: int
    judged_at_10: float
    judged_at_100: float
    relevant_found: int
    relevant_share: float
    tied: float
    judged_ties: int
    score_low: float | None
    score_high: float | None


class JudgedRow(NamedTuple):
    """What the judgements hold."""

    requests: int
    without_relevant: int
    relevant: int
    relevant_min: int
    relevant_median: float
    relevant_max: int
    grades: dict[str, int]
    subtopics_min: int
    subtopics_median: float
    subtopics_max: int


class DataRow(NamedTuple):
    """The columns of LR Table 5: means over requests with a relevant item, and over the rankings of judged requests."""

    requests: int
    runs: int
    relevant_per_request: float
    documents_per_request: float
    depth_class: str


def documents_per_request(positions: Positions) -> float:
    """Items that runs retrieve for a judged request that they list, on average."""
    is_listed = positions.listed > 0
    return float(positions.retrieved[is_listed].sum() / max(is_listed.sum(), 1))


def depth_class(documents: float) -> str:
    """How deep rankings are, by documents per request (LR 6.1.1).

    Examples
    --------
    >>> [depth_class(documents) for documents in (99.4, 100, 913.8, 1000, 7013.2)]
    ['shallow', 'shallow', 'standard', 'standard', 'deep']
    """
    return "shallow" if documents <= SHALLOW else "standard" if documents <= STANDARD else "deep"


def share_column(name: str) -> Cell:
    return lambda row, digits: f"{row[name]:.0%}"


def scores_cell(row: Row, digits: int) -> str:
    return "-" if row["score_low"] is None else f"{row['score_low']:.4g} to {row['score_high']:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Result):
    """Summary of the input: a row per run; judgements, oddities, warnings and choices are notes and settings."""

    runs: tuple[RunRow, ...]
    judgements: JudgedRow
    data: DataRow
    oddities: dict[str, tuple[Oddity, ...]]
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    columns = RunRow._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in ("run", "lines", "requests", "missing", "unjudged")},
        "depth": lambda row, digits: span(row["depth_min"], row["depth_median"], row["depth_max"]),
        "judged@10": share_column("judged_at_10"),
        "judged@100": share_column("judged_at_100"),
        "relevant found": lambda row, digits: f"{row['relevant_found']:,} ({row['relevant_share']:.0%})",
        "tied scores": lambda row, digits: f"{row['tied']:.0%} ({row['judged_ties']:,})",
        "scores": scores_cell,
    }

    def rows(self) -> tuple[RunRow, ...]:
        return self.runs

    @property
    def notes(self) -> tuple[str, ...]:
        warnings = (f"Warning: {warning}" for warning in self.warnings)
        return (*self._judgement_notes(), *self._data_notes(), *self.choices, *warnings, *self._oddity_notes())

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "judgements": self.judgements._asdict(),
            "data": self.data._asdict(),
            "oddities": {name: [asdict(odd) for odd in several] for name, several in self.oddities.items()},
            "warnings": list(self.warnings),
            "choices": list(self.choices),
            **self.more_settings,
        }

    def _judgement_notes(self) -> Iterator[str]:
        row = self.judgements
        each = span(row.relevant_min, row.relevant_median, row.relevant_max)
        yield f"{plural(row.requests, 'request')} with {plural(row.relevant, 'relevant item')}, {each} each."
        yield "Grades: " + join_names([f"{grade} ({count:,})" for grade, count in row.grades.items()], most=12) + "."
        if row.subtopics_max:
            yield f"Subtopics: {span(row.subtopics_min, row.subtopics_median, row.subtopics_max)} per request."
        if row.without_relevant:
            yield f"{plural(row.without_relevant, 'request')} without a relevant item, left out of everything."

    def _data_notes(self) -> Iterator[str]:
        """The line of LR Table 5, and what that paper advises for such data (7.1.2)."""
        row = self.data
        yield (
            f"{plural(row.requests, 'request')}, {plural(row.runs, 'run')}, {row.relevant_per_request:,.2f} relevant "
            f"items per request, {row.documents_per_request:,.2f} items per ranking: {row.depth_class} (LR Table 5)."
        )
        is_shallow, is_sparse = row.depth_class == "shallow", row.relevant_per_request < SPARSE
        if is_shallow:
            yield (
                f"Rankings of at most {SHALLOW} items are shallow for recall-oriented measures such as "
                "LexiRecall, RP and R@1000: retrieve deeper ones, whichever is used (LR 7.1.2)."
            )
        if is_sparse:
            avoid = ". With shallow rankings avoid RP altogether" if is_shallow else ""
            yield (
                f"With fewer than {SPARSE} relevant items per request RP and R@1000 tie often, and are unstable where "
                f"labels are missing{avoid} (LR 7.1.2)."
            )

    def _oddity_notes(self) -> Iterator[str]:
        """A line per kind of oddity: in which files, how often, where first."""
        named = [(name, odd) for name, several in self.oddities.items() for odd in several]
        for kind, words in ANOMALIES.items():
            where = [f"{name} ({odd.where})" for name, odd in named if odd.kind == kind]
            if where:
                yield f"{words[0].upper()}{words[1:]}: {join_names(where, most=3)}."


def overview(positions: Positions, judgements: Judgements) -> Overview:
    """What was read, of positions with their audits."""
    audits = [("judgements", judgements.audit)] if judgements.audit else []
    named = [*audits, *zip(positions.runs, positions.audits, strict=True)]
    odd = {name: tuple(odd for odd in audit.oddities if odd.kind not in SHOWN_IN_ROWS) for name, audit in named}
    rows = tuple(run_rows(positions))
    return Overview(
        rows,
        judgement_row(positions, judgements),
        data_row(positions),
        {name: several for name, several in odd.items() if several},
        tuple(warnings(positions, rows)),
        choices(positions),
        library=positions.library,
    )


def run_rows(positions: Positions) -> Iterator[RunRow]:
    relevant = is_relevant(positions.grade, positions.min_grade)
    request = positions.layout.request[relevant]
    judged_at_10, judged_at_100 = (positions.share_judged(depth).tolist() for depth in (10, 100))
    for k, (name, audit) in enumerate(zip(positions.runs, positions.audits, strict=True)):
        is_listed = positions.listed[k] > 0
        retrieved = int((positions.ranks[k, relevant] <= positions.retrieved[k, request]).sum())
        yield RunRow(
            name,
            audit.lines,
            int(is_listed.sum()),
            int((~is_listed).sum()),
            audit.count("unjudged_requests"),
            *smallest_median_largest(positions.retrieved[k][is_listed]),
            judged_at_10[k],
            judged_at_100[k],
            retrieved,
            retrieved / max(int(relevant.sum()), 1),
            float(positions.tied[k].sum() / max(int(positions.listed[k].sum()), 1)),
            audit.count("judged_ties"),
            *(None if np.isnan(score) else score for score in audit.scores),
        )


def smallest_median_largest(numbers: NDArray[Any]) -> tuple[int, float, int]:
    """Of whole numbers; 0 where there are none."""
    return (int(numbers.min()), float(np.median(numbers)), int(numbers.max())) if len(numbers) else (0, 0.0, 0)


def judgement_row(positions: Positions, judgements: Judgements) -> JudgedRow:
    m = positions.relevant()
    grades, counts = np.unique(judgements.grade, return_counts=True)
    return JudgedRow(
        int((m > 0).sum()),
        int((m == 0).sum()),
        int(m.sum()),
        *smallest_median_largest(m[m > 0]),
        {grade_text(grade): count for grade, count in zip(grades.tolist(), counts.tolist(), strict=True)},
        *smallest_median_largest(subtopics_per_request(judgements)),
    )


def data_row(positions: Positions) -> DataRow:
    """The line of LR Table 5; rankings of requests without judgements are not counted."""
    relevant = positions.relevant()
    requests = int((relevant > 0).sum())
    documents = documents_per_request(positions)
    per_request = float(relevant.sum() / max(requests, 1))
    return DataRow(requests, len(positions.runs), per_request, documents, depth_class(documents))


def subtopics_per_request(judgements: Judgements) -> NDArray[np.int64]:
    """The number of subtopics of every request; nothing where judgements have none."""
    rows = judgements.subtopics
    if rows is None:
        return np.zeros(0, dtype=np.int64)
    pairs = np.unique(np.stack([judgements.request[rows.entry], rows.label.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0])


def span(low: int, median: float, high: int) -> str:
    """The smallest, the median and the largest, or the one that all have."""
    return f"{low:,}" if low == high else f"{low:,}-{median:,g}-{high:,}"


def choices(positions: Positions) -> tuple[str, ...]:
    order = {"item": "item id, descending", "rank": "rank column, then by item id"}[positions.ties]
    core = "the compiled core" if _kernels.kernels().__name__.endswith("_core") else "the Python twin of the core"
    return (
        *positions.notes,
        f"Relevant is {positions.relevance}. Ranked by score, ties by {order}. Read by {core}.",
        "Depths are min-median-max. Judged: share of the first 10 and 100 items that was judged. Tied scores: their "
        "share, and how many ties touch a judged item.",
    )


def warnings(positions: Positions, rows: tuple[RunRow, ...]) -> Iterator[str]:
    """What may mislead a comparison of these runs."""
    yield from RatingScale.from_positions(positions).notes()
    yield from uneven_depths(positions.retrieved.max(axis=1))
    missing = [f"{row.run} ({row.missing:,})" for row in rows if row.missing]
    if missing:
        yield f"Judged requests that a run does not list count as retrieving nothing: {join_names(missing)}."
    tied = [row.run for row in rows if row.tied > MANY_TIES]
    if tied:
        yield f"More than half of the scores tie, so item ids decide much of the ranking: {join_names(tied)}."
    for kind, warning in ODD_RANKINGS.items():
        counts = ((name, audit.count(kind)) for name, audit in zip(positions.runs, positions.audits, strict=True))
        odd = [f"{name} ({count:,})" for name, count in counts if count]
        if odd:
            yield f"{warning}: {join_names(odd)}."
    duplicates = list(near_identical(positions))
    if duplicates:
        yield f"Near-duplicate runs: {join_names(duplicates)}."


def uneven_depths(deepest: NDArray[np.integer]) -> Iterator[str]:
    """Whether some runs could retrieve more than others, by the deepest ranking of each."""
    if deepest.min() < deepest.max():
        yield (
            f"Depths differ, from {deepest.min():,} to {deepest.max():,}: lexirecall favours the deeper run. "
            "Truncate all runs to the same depth (depth=, --depth)."
        )


def near_identical(positions: Positions) -> Iterator[str]:
    """Pairs of runs that rank nearly all relevant items at the same positions."""
    if len(positions.runs) > MOST_COMPARED:
        return
    is_retrieved = positions.ranks != UNRETRIEVED
    for x, y in combinations(range(len(positions.runs)), 2):
        either = is_retrieved[x] | is_retrieved[y]
        same = (positions.ranks[x] == positions.ranks[y]) & either
        if either.any() and same.sum() >= NEARLY_ALL * either.sum():
            yield f"{positions.runs[x]} and {positions.runs[y]}"
