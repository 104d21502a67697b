"""All rankings of a small corpus: where the first and the last relevant item stand, and which rankings tie."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak.errors import InputError
from tiebreak.preferences import Preference
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings
from tiebreak.studies.on_paper.asked import Asked, View, all_vectors, prefer

MOST_ITEMS = 40
"""Items whose region is shown, as a row and a column each."""
MOST_VECTORS = 150
"""Rankings that a diagram has room for."""


def region(asked: Asked) -> Findings:
    r"""How likely every possible pair of a first and a last position is.

    .. math:: \Pr(p_1, p_m) = \binom{p_m - p_1 - 1}{m - 2} \Big/ \binom{n}{m}
    """
    (n,), (m,) = asked.items, asked.relevant
    if n > MOST_ITEMS:
        raise InputError(f"items={n}. The region is shown for up to {MOST_ITEMS} items.", kind="size")
    rows = tuple(
        (first, last, between, 100 * between / comb(n, m))
        for first in range(1, n - m + 2)
        for last in range(first + m - 1, n + 1)
        if (between := vectors_between(first, last, m))
    )
    possible, alike = f"{len(rows)} of {n * n}", correlation(rows)
    related = "" if alike is None else f" Over random rankings their correlation is {alike:.3f}."
    return Findings(
        ("first", "last", "rankings", "percent"),
        rows,
        f"{possible} pairs of a first and a last position are possible.{related}",
        (
            f"{plural(n, 'item')}, {m} of them relevant: the first stands at {n - m + 1} at most and the last at least "
            f"{m - 1} below it (LR Fig 7).",
            "rankings: how many sets of positions begin and end so; percent: of all.",
        ),
        CELLS,
    )


def vectors_between(first: int, last: int, m: int) -> int:
    """Position vectors that begin and end there."""
    if m == 1:
        return int(first == last)
    return comb(last - first - 1, m - 2)


def correlation(rows: tuple[tuple[int, int, int, float], ...]) -> float | None:
    """Pearson's, of the first and the last position over all rankings; None where one never moves."""
    first, last, weight, _ = np.array(rows, dtype=np.float64).T
    (a, both), (_, b) = np.cov(first, last, aweights=weight, ddof=0) if len(rows) > 1 else np.zeros((2, 2))
    return float(both / (a * b) ** 0.5) if a * b else None


CELLS = Picture(
    "heat",
    "first",
    "last",
    color="percent",
    titles=(
        ("first", "position of the first relevant item"),
        ("last", "position of the last one"),
        ("percent", "percent of rankings"),
    ),
)
REGION = View(region, (12,), (4,), one_n=True, one_m=True, has_measures=False)


def diagram(asked: Asked) -> Findings:
    """Every ranking at its height: how many classes of worse rankings there are; tied ones side by side."""
    (n,), (m,) = asked.items, asked.relevant
    if comb(n, m) > MOST_VECTORS:
        raise InputError(
            f"{m} relevant of {n} items have {comb(n, m):,} rankings. A diagram has room for {MOST_VECTORS}.",
            kind="size",
        )
    vectors = all_vectors(n, m)
    rows = []
    for name, measure in asked.preferences:
        if not (isinstance(measure, MetricDifference) or measure.traits.is_transitive):
            raise InputError(f"{name} does not order rankings: it can go round in circles.", kind="spec")
        heights = heights_of(measure, vectors)
        sizes = np.bincount(heights)
        aside = np.array([(heights[:k] == h).sum() - (sizes[h] - 1) / 2 for k, h in enumerate(heights)])
        said = [",".join(map(str, p)) for p in vectors.tolist()]
        rows += [*zip([name] * len(said), said, heights.tolist(), aside.tolist(), sizes[heights].tolist(), strict=True)]
    return Findings(
        ("measure", "positions", "height", "aside", "tied"),
        tuple(rows),
        summary(asked, rows),
        (
            f"All {comb(n, m)} sets of positions of {m} relevant among {plural(n, 'item')} (LP Fig 1).",
            "height: how many different values are worse; tied: how many sets have the same. A set is better than all "
            "that stand lower, and ties with those beside it.",
        ),
        LEVELS,
    )


def heights_of(measure: Preference, vectors: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many classes of tied rankings are worse: those that are better than equally many tie."""
    size = len(vectors)
    better = prefer(measure, np.repeat(vectors, size, axis=0), np.tile(vectors, (size, 1))).reshape(size, size) > 0
    return np.unique(better.sum(axis=1), return_inverse=True)[1].ravel()


def summary(asked: Asked, rows: list[tuple[str, str, int, float, int]]) -> str:
    said = [
        f"{name} tells {max(height for other, _, height, *_ in rows if other == name) + 1} apart"
        for name, _ in asked.preferences
    ]
    (n,), (m,) = asked.items, asked.relevant
    return f"Of {comb(n, m)} rankings {', '.join(said)}."


LEVELS = Picture(
    "point",
    "aside",
    "height",
    facet="measure",
    label="positions",
    titles=(("aside", "tied rankings"), ("height", "values that are worse")),
    own_scales=True,
)
DIAGRAM = View(diagram, (6,), (3,), ("RR", "LexiPrecision"), one_n=True, one_m=True)
