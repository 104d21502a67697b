"""What was read: a row per run, the judgements, what was odd about them, and the choices made while reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak import _kernels
from tiebreak._base.text import join_names, plural
from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak.inputs import Judgements
from tiebreak.inputs.audit import WORDS, FileAudit, Oddity
from tiebreak.inputs.judgements import is_relevant
from tiebreak.projection import Positions
from tiebreak.results.record import Cell, Result, Row, column

MANY_TIES = 0.5
NEARLY_ALL = 0.99
ODD_RANKINGS = {
    "rank_disagrees": "The rank column disagrees with the order of scores, which counts, in so many requests",
    "float32_ties": "In 32 bits, as pytrec_eval holds them, so many scores tie with a different one, and ids decide",
}
SHOWN_IN_ROWS = ("judged_ties", "unjudged_requests")


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


def span_cell(row: Row, digits: int) -> str:
    return span(row["depth_min"], row["depth_median"], row["depth_max"])


def share_column(name: str) -> Cell:
    return lambda row, digits: f"{row[name]:.0%}"


def scores_cell(row: Row, digits: int) -> str:
    return "-" if row["score_low"] is None else f"{row['score_low']:.4g} to {row['score_high']:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Result):
    """What was read: a row per run; the judgements, oddities, warnings and choices stand in the notes and settings."""

    runs: tuple[RunRow, ...]
    judgements: JudgedRow
    oddities: dict[str, tuple[Oddity, ...]]
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    library: str | None = None
    columns = RunRow._fields
    shown: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in ("run", "lines", "requests", "missing", "unjudged")},
        "depth": span_cell,
        "judged@10": share_column("judged_at_10"),
        "judged@100": share_column("judged_at_100"),
        "relevant found": lambda row, digits: f"{row['relevant_found']:,} ({row['relevant_share']:.0%})",
        "tied scores": lambda row, digits: f"{row['tied']:.0%} ({row['judged_ties']:,})",
        "scores": scores_cell,
    }

    def rows(self) -> tuple[RunRow, ...]:
        return self.runs

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        warned = (f"Warning: {warning}" for warning in self.warnings)
        return (*self._judged(), *self.choices, *warned, *self._oddities())

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "judgements": self.judgements._asdict(),
            "oddities": {name: [asdict(odd) for odd in met] for name, met in self.oddities.items()},
            "warnings": list(self.warnings),
            "choices": list(self.choices),
        }

    def _judged(self) -> Iterator[str]:
        of = self.judgements
        each = span(of.relevant_min, of.relevant_median, of.relevant_max)
        yield f"{plural(of.requests, 'request')} with {plural(of.relevant, 'relevant item')}, {each} each."
        yield "Grades: " + join_names([f"{grade} ({count:,})" for grade, count in of.grades.items()], most=12) + "."
        if of.subtopics_max:
            yield f"Subtopics: {span(of.subtopics_min, of.subtopics_median, of.subtopics_max)} per request."
        if of.without_relevant:
            yield f"{plural(of.without_relevant, 'request')} without a relevant item, left out of everything."

    def _oddities(self) -> Iterator[str]:
        """A line per kind of oddity: in which files, how often, where first."""
        found = [(name, odd) for name, met in self.oddities.items() for odd in met]
        for kind, words in WORDS.items():
            where = [f"{name} ({odd.where})" for name, odd in found if odd.kind == kind]
            if where:
                yield f"{words[0].upper()}{words[1:]}: {join_names(where, most=3)}."


def overview(positions: Positions, judgements: Judgements) -> Overview:
    audits = [("judgements", judgements.audit)] if judgements.audit else []
    named = [*audits, *zip(positions.runs, positions.audits, strict=True)]
    met = {name: tuple(odd for odd in audit.oddities if odd.kind not in SHOWN_IN_ROWS) for name, audit in named}
    oddities = {name: found for name, found in met.items() if found}
    rows = tuple(run_rows(positions))
    warned = tuple(warnings(positions, rows))
    judged = judged_row(positions, judgements)
    return Overview(rows, judged, oddities, warned, choices(positions), library=positions.library)


def run_rows(positions: Positions) -> Iterator[RunRow]:
    relevant = is_relevant(positions.grade, positions.min_grade)
    for k, (name, audit) in enumerate(zip(positions.runs, audits_of(positions), strict=True)):
        listed_items, there = positions.listed[k], positions.listed[k] > 0
        depths = positions.retrieved[k][there]
        yield RunRow(
            name,
            audit.lines,
            int(there.sum()),
            int((~there).sum()),
            audit.count("unjudged_requests"),
            int(depths.min(initial=2**31 - 1)) if len(depths) else 0,
            float(np.median(depths)) if len(depths) else 0.0,
            int(depths.max(initial=0)),
            judged_share(positions, k, 10),
            judged_share(positions, k, 100),
            found := int((positions.ranks[k, relevant] != UNRETRIEVED).sum()),
            found / max(int(relevant.sum()), 1),
            float(positions.tied[k].sum() / max(int(listed_items.sum()), 1)),
            audit.count("judged_ties"),
            *(None if np.isnan(score) else score for score in audit.scores),
        )


def audits_of(positions: Positions) -> tuple[FileAudit, ...]:
    return positions.audits or tuple(FileAudit(name, 0, ()) for name in positions.runs)


def judged_share(positions: Positions, run: int, depth: int) -> float:
    """How much of the first so many items of all its rankings was judged."""
    parts = [positions] if positions.nonrelevant is None else [positions, positions.nonrelevant]
    judged = sum(int((part.ranks[run] <= depth).sum()) for part in parts)
    return judged / max(int(np.minimum(positions.retrieved[run], depth).sum()), 1)


def judged_row(positions: Positions, judgements: Judgements) -> JudgedRow:
    m = positions.relevant()
    some = m[m > 0]
    grades, counts = np.unique(judgements.grade, return_counts=True)
    return JudgedRow(
        len(some),
        int((m == 0).sum()),
        int(m.sum()),
        int(some.min(initial=2**31 - 1)) if len(some) else 0,
        float(np.median(some)) if len(some) else 0.0,
        int(some.max(initial=0)),
        {grade_text(grade): count for grade, count in zip(grades.tolist(), counts.tolist(), strict=True)},
        *subtopics_per_request(judgements),
    )


def subtopics_per_request(judgements: Judgements) -> tuple[int, float, int]:
    """The smallest, the median and the largest number of subtopics of a request; 0 where judgements have none."""
    rows = judgements.subtopics
    if rows is None:
        return 0, 0.0, 0
    pairs = np.unique(np.stack([judgements.request[rows.entry], rows.label.astype(np.int64)]), axis=1)
    numbers = np.bincount(pairs[0])
    return int(numbers.min()), float(np.median(numbers)), int(numbers.max())


def grade_text(grade: float) -> str:
    """A grade as short as can be, but so that no two look alike."""
    short = f"{grade:g}"
    return short if float(short) == grade else repr(grade)


def span(low: int, median: float, high: int) -> str:
    """The smallest, the middle and the largest, or the one that all have."""
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
    named = list(zip(positions.runs, audits_of(positions), strict=True))
    yield from uneven_depths(positions)
    missing = [f"{row.run} ({row.missing:,})" for row in rows if row.missing]
    if missing:
        yield f"Judged requests that a run does not list count as retrieving nothing: {join_names(missing)}."
    tied = [row.run for row in rows if row.tied > MANY_TIES]
    if tied:
        yield f"More than half of the scores tie, so item ids decide much of the ranking: {join_names(tied)}."
    for kind, said in ODD_RANKINGS.items():
        odd = [f"{name} ({audit.count(kind):,})" for name, audit in named if audit.count(kind)]
        if odd:
            yield f"{said}: {join_names(odd)}."
    alike = list(near_identical(positions))
    if alike:
        yield f"Nearly the same rankings of judged items: {join_names(alike)}."


def uneven_depths(positions: Positions) -> Iterator[str]:
    """Whether some runs could find more than others."""
    deepest = positions.retrieved.max(axis=1)
    if deepest.min() < deepest.max():
        yield (
            f"Depths differ, from {deepest.min():,} to {deepest.max():,}: lexirecall favours the deeper run. "
            "Cut them alike with depth."
        )


def near_identical(positions: Positions) -> Iterator[str]:
    """Pairs of runs that rank nearly all relevant items alike; only looked for where that is quick."""
    found: NDArray[np.bool_] = positions.ranks != UNRETRIEVED
    if len(positions.runs) > 200:
        return
    for x, y in combinations(range(len(positions.runs)), 2):
        either = found[x] | found[y]
        same = (positions.ranks[x] == positions.ranks[y]) & either
        if either.any() and same.sum() >= NEARLY_ALL * either.sum():
            yield f"{positions.runs[x]} and {positions.runs[y]}"
