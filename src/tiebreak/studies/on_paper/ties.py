"""How often measures tie two random rankings (LR 5.3, Tables 3 and 4; LP 2, Fig 2)."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from tiebreak._base.text import plural
from tiebreak.analysis.theory import first_position_tie_probability, is_strict, tie_probability
from tiebreak.metrics import metric as metric_of
from tiebreak.metrics import recall_level_form
from tiebreak.metrics.rank_based import ReciprocalRank, TotalSearchEfficiency
from tiebreak.metrics.set_based import Recall, RPrecision
from tiebreak.preferences import Preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.preferences.lexicographic import LexiPrecision, LexiRecall
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.on_paper.asked import Asked, View, all_vectors, draw, prefer
from tiebreak.studies.on_paper.printed import (
    BY_CHANCE,
    DIFFERENT,
    EXACT,
    TABLE_3_COLUMNS,
    TABLES_3_AND_4,
    errors_apart,
    standard_error,
    status,
)

MOST_VECTORS = 1000
"""Position vectors of which all pairs are gone through."""
POINTS = 40
"""First positions that are shown of a large corpus."""
FORMULA, ALL_PAIRS, DRAWN = "formula", "all pairs", "drawn"


class Tie(NamedTuple):
    """How likely a measure ties two random rankings; `error` is 0 where that is exact."""

    items: int
    relevant: int

    size: str
    measure: str
    probability: float
    error: float
    method: str
    table: str | None
    printed: str | None
    status: str | None


def ties(asked: Asked) -> Findings:
    """The probability of a tie of every measure and size."""
    sizes: list[tuple[str | None, int, int]] = [(None, n, m) for n in asked.items for m in asked.relevant]
    if asked.is_default:
        sizes = list(TABLES_3_AND_4)
    tasks = [(*size, name, measure) for size in sizes for name, measure in asked.preferences]
    rows = tuple(run_tasks(lambda task: one(asked, *task), tasks, asked.jobs, asked.tick))
    return Findings(Tie._fields, rows, summary(rows), notes(asked), PER_SIZE)


def one(asked: Asked, table: str | None, n: int, m: int, name: str, measure: Preference) -> Tie:
    probability, error, method = tied(asked, n, m, measure)
    printed = None
    if table is not None and name in TABLE_3_COLUMNS:
        printed = TABLES_3_AND_4[table, n, m][TABLE_3_COLUMNS.index(name)]
    verdict = None
    if printed is not None:
        verdict = status(probability, printed, errors_apart(probability, error, printed) if error else None)
        if verdict == EXACT and method == DRAWN and not is_settled(asked.pairs, printed):
            verdict = BY_CHANCE
    return Tie(n, m, f"{m} of {n:,}", name, probability, error, method, table, printed, verdict)


def is_settled(pairs: int, printed: str) -> bool:
    """Whether so many draws without a tie leave no other printed digits open."""
    decimals = len(printed.partition(".")[2])
    return highest_unseen(pairs) < 0.5 * 0.1**decimals


def highest_unseen(pairs: int) -> float:
    """The largest probability of what none of so many draws showed, at 95%."""
    return float(1 - 0.05 ** (1 / pairs))


def tied(asked: Asked, n: int, m: int, measure: Preference) -> tuple[float, float, str]:
    """The probability of a tie, its standard error, and how it was found."""
    formula = closed_form(measure)
    if formula is not None:
        return float(tie_probability(formula, n, m)), 0.0, FORMULA
    if comb(n, m) <= MOST_VECTORS:
        every = all_vectors(n, m)
        x, y = np.repeat(every, len(every), axis=0), np.tile(every, (len(every), 1))
        return float((prefer(measure, x, y) == 0).mean()), 0.0, ALL_PAIRS
    x, y = draw(asked.rng(n, m), 2 * asked.pairs, n, m).reshape(2, asked.pairs, m)
    share = float((prefer(measure, x, y) == 0).mean())
    return share, standard_error(share, asked.pairs), DRAWN


def closed_form(measure: Preference) -> str | None:
    """The measure that `tie_probability` knows and that ties the same rankings."""
    if isinstance(measure, (LexiRecall, LexiPrecision)):
        return "lexirecall"
    if not isinstance(measure, MetricDifference):
        return None
    metric = metric_of(measure.metric)
    if isinstance(metric, Recall) and metric.cutoff is not None:
        return f"R@{metric.cutoff}"
    if isinstance(metric, RPrecision):
        return "RP"
    if isinstance(metric, ReciprocalRank) and metric.cutoff is None and metric.level == 1:
        return "RR"
    if isinstance(metric, TotalSearchEfficiency) and is_strict(recall_level_form(metric)):
        return "TSE"
    return None


def summary(rows: tuple[Tie, ...]) -> str:
    """Which measure ties most and least, and how many printed numbers are found again."""
    mean = {row.measure: 0.0 for row in rows}
    for row in rows:
        mean[row.measure] += row.probability / len([r for r in rows if r.measure == row.measure])
    said = ", ".join(f"{name} {100 * mean[name]:.1f}%" for name in sorted(mean, key=lambda name: -mean[name]))
    compared = [row for row in rows if row.printed is not None]
    if not compared:
        return f"Ties of two random rankings, on average over the sizes: {said}."
    wrong = [
        f"{row.table}, n = {row.items:,}, m = {row.relevant}, {row.measure}: printed {row.printed}, here "
        f"{row.probability:.5f}"
        for row in compared
        if row.status == DIFFERENT
    ]
    same = sum(row.status == EXACT for row in compared)
    but = f" Different: {'; '.join(wrong)}." if wrong else ""
    return f"{same} of {len(compared)} printed numbers are found to their last digit.{but}"


def notes(asked: Asked) -> tuple[str, ...]:
    return (
        "Rankings of all items, every one alike (LR 5.3, appendix E).",
        f'"{FORMULA}": exact; "{ALL_PAIRS}": of all pairs of position vectors, where there are up to {MOST_VECTORS:,} '
        f'vectors; "{DRAWN}": {plural(asked.pairs, "pair")}, seed {asked.seed}. Where none of so many ties, the '
        f"probability is below {highest_unseen(asked.pairs):.1g} at 95%.",
        *(("Printed: LR Tables 3 and 4.",) if asked.is_default else ()),
    )


PER_SIZE = Picture(
    "point",
    "probability",
    "size",
    color="measure",
    titles=(("size", "relevant items"), ("probability", "probability of a tie")),
)
TIES = View(ties, (10**3, 10**4, 10**5, 10**6), (1, 5, 10, 25, 50), TABLE_3_COLUMNS)


def first(asked: Asked) -> Findings:
    """How likely RR ties with a random ranking, by the first position of the given one."""
    (n,) = asked.items
    rows = tuple(
        (m, p1, chance, 1e6 * chance)
        for m in asked.relevant
        for p1 in places(n - m + 1)
        for chance in [float(first_position_tie_probability(n, m, p1))]
    )
    at_top = ", ".join(f"{m} relevant {chance:.2g}" for m, p1, chance, _ in rows if p1 == 1)
    return Findings(
        ("relevant", "first", "probability", "in_a_million"),
        rows,
        f"A ranking that begins with a relevant item ties by RR with a random one with probability m/n: {at_top}.",
        (
            f"{n:,} items; the other ranking is random (LP 2, Fig 2). Exact.",
            f"Up to {POINTS} first positions of each number of relevant items, by equal ratios.",
        ),
        PER_FIRST,
    )


def places(last: int) -> list[int]:
    """Positions from 1 to the last, closer together at the top."""
    return sorted({round(float(place)) for place in np.geomspace(1, last, POINTS)})


PER_FIRST = Picture(
    "line",
    "first",
    "probability",
    color="relevant",
    titles=(("first", "position of the first relevant item"), ("probability", "probability of a tie by RR")),
    is_log=True,
)
FIRST = View(first, (50_000,), (1, 5, 10, 50, 100, 500), one_n=True, has_measures=False)
