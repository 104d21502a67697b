"""How often a measure prefers the ranking whose worst-off user has more (LR 4.3, Table 2)."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import join_names, plural
from tiebreak.analysis.theory import tie_probability
from tiebreak.projection import Positions
from tiebreak.projection.primitives import pair_signs
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings, run_tasks
from tiebreak.studies.on_paper.asked import Asked, View, as_positions, draw, preferred
from tiebreak.studies.on_paper.printed import (
    EXACT,
    TABLE_2,
    TABLE_2_COLUMNS,
    errors_apart,
    standard_error,
    status,
)

TIED, RANDOM = "tied", "random"
"""Rows that are no measures: pairs with equal worst cases, and a coin."""


class Agreement(NamedTuple):
    """How often a measure agrees with a strict difference of the worst case.

    `error` is the standard error of `share`. `apart` is by how many standard errors the printed number differs, which
    was drawn itself.
    """

    measure: str
    items: int
    share: float
    error: float
    printed: str | None
    apart: float | None
    status: str | None


def agreement(asked: Asked) -> Findings:
    r"""Draw pairs of rankings and compare strict preferences.

    .. math:: \Pr(\mu(\pi) < \mu(\pi') \mid \mathrm{WC}(\pi) < \mathrm{WC}(\pi'))

    The worst case of every top-heavy metric orders rankings by their last position (LR theorem C.1), an integer.
    """
    parts = run_tasks(lambda n: list(at_size(asked, n)), asked.items, asked.jobs, asked.tick)
    rows = tuple(row for part in parts for row in part)
    return Findings(Agreement._fields, rows, summary(asked, rows), notes(asked), PICTURE)


def at_size(asked: Asked, n: int) -> Iterator[Agreement]:
    """One row per measure for a corpus of n items."""
    rng = asked.rng(n)
    drawn = list(drawn_pairs(rng, asked, n))
    worst = np.concatenate([last_positions(at) for at in drawn])
    coin = np.sign(rng.random(len(worst)) - 0.5)
    differs = worst != 0
    yield row(asked, TIED, n, tied_worst_cases(asked, n), 0.0)
    for name, measure in asked.preferences:
        signs = np.concatenate([np.sign(preferred(measure, at)) for at in drawn])
        yield row(asked, name, n, *share((signs == worst)[differs]))
    yield row(asked, RANDOM, n, *share((coin == worst)[differs]))


def drawn_pairs(rng: np.random.Generator, asked: Asked, n: int) -> Iterator[Positions]:
    """Pairs of random rankings, every pair with its own number of relevant items; those of one number together."""
    chosen = rng.choice(np.array(asked.relevant), size=asked.pairs)
    for m, cases in zip(*np.unique(chosen, return_counts=True), strict=True):
        yield as_positions(draw(rng, 2 * int(cases), n, int(m)).reshape(2, int(cases), int(m)))


def last_positions(at: Positions) -> NDArray[np.int8]:
    """1 where the last relevant item stands above that of the other ranking, -1 where below."""
    x, y = at.retrieved
    return pair_signs(x, y)


def tied_worst_cases(asked: Asked, n: int) -> float:
    """How likely the last positions are equal: exact, so that no draw is needed."""
    return float(sum(tie_probability("TSE", n, m) for m in asked.relevant) / len(asked.relevant))


def share(agrees: NDArray[np.bool_]) -> tuple[float, float]:
    """The share of pairs, and its standard error; nothing can be said where all worst cases tie."""
    if not len(agrees):
        return nan, nan
    return float(agrees.mean()), standard_error(float(agrees.mean()), len(agrees))


def row(asked: Asked, measure: str, n: int, found: float, error: float) -> Agreement:
    printed = printed_value(asked, measure, n)
    if printed is None:
        return Agreement(measure, n, found, error, None, None, None)
    apart = errors_apart(found, error, printed)
    return Agreement(measure, n, found, error, printed, apart, status(found, printed, apart))


def printed_value(asked: Asked, measure: str, n: int) -> str | None:
    """Of Table 2, which is about 5 to 50 relevant items."""
    if asked.relevant != RELEVANT or n not in TABLE_2 or measure not in TABLE_2_COLUMNS:
        return None
    return TABLE_2[n][TABLE_2_COLUMNS.index(measure)]


def summary(asked: Asked, rows: tuple[Agreement, ...]) -> str:
    largest = max(asked.items)
    last = [row for row in rows if row.items == largest and row.measure not in (TIED, RANDOM)]
    said = ", ".join(f"{row.measure} {100 * row.share:.1f}%" for row in sorted(last, key=lambda row: -row.share))
    return f"Where the worst-off users differ, measures agree strictly, among {largest:,} items: {said}."


def notes(asked: Asked) -> tuple[str, ...]:
    low, high = min(asked.relevant), max(asked.relevant)
    m = f"{low} to {high}" if len(asked.relevant) == high - low + 1 > 1 else join_names([*map(str, asked.relevant)])
    return (
        f"{plural(asked.pairs, 'pair')} of random rankings for each number of items, drawn with seed {asked.seed}; "
        f"relevant items: {m}, each number alike.",
        f'"{TIED}" is how likely the worst cases are equal, exactly; such pairs are left out of the other rows. '
        f'"{RANDOM}" is a coin.',
        *((PRINTED_NOTE,) if asked.relevant == RELEVANT else ()),
    )


PRINTED_NOTE = (
    "Printed: LR Table 2, drawn as well; apart: standard errors of the difference of both. "
    f'"{EXACT}": the printed digits are the same.'
)
PICTURE = Picture(
    "line",
    "items",
    "share",
    color="measure",
    titles=(("items", "items in the corpus"), ("share", "agrees with the worst case")),
    is_log=True,
)
RELEVANT = tuple(range(5, 51))
AGREEMENT = View(agreement, tuple(TABLE_2), RELEVANT, ("TSE", "R@1000", "RP", "AP", "nDCG"))
