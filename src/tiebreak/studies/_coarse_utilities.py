"""Leximin and the mean as utilities get coarser (PE 7, Fig 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_count, check_number, check_several
from tiebreak.results.cells import text
from tiebreak.results.plots import Picture
from tiebreak.studies._population_orders import order_by
from tiebreak.studies.base import Findings
from tiebreak.utilities import Utilities

Values = NDArray[np.float64]
THRESHOLDS = tuple(k / 20 for k in range(20))
MOST_DIGITS = 6
LONGEST_NUMBER = 400
TAU = "Kendall's tau_b of leximin and the mean"


def thresholding(utilities: Utilities, thresholds: float | Iterable[float] = THRESHOLDS) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities below a threshold set to 0 (PE Fig 3a)."""
    steps = check_several(thresholds, "threshold", check_number)
    rows = [(step, *compare_with_mean(utilities, set_small_to_zero(utilities.values, step))) for step in steps]
    return coarsening("threshold", rows, "utilities below the threshold are 0", "threshold")


def truncation(
    utilities: Utilities, keep: int | Iterable[int] | None = None, truncate: str = "significant"
) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities truncated to some digits (PE Fig 3b)."""
    is_significant = truncate == "significant"
    least, what = (1, "significant digits") if is_significant else (0, "decimals")
    every = range(MOST_DIGITS, least - 1, -1) if keep is None else keep
    steps = check_several(every, "keep", lambda value, name: check_count(value, name, least, 15))
    rows = [(step, *compare_with_mean(utilities, shorten(utilities.values, step, is_significant))) for step in steps]
    return coarsening("digits", rows, f"utilities are truncated to this number of {what}", f"{what} kept")


def set_small_to_zero(values: Values, threshold: float) -> Values:
    return np.where(values < threshold, 0.0, values)


def shorten(values: Values, keep: int, is_significant: bool) -> Values:
    """Values truncated to significant digits or decimals, as they are written: 0.3 with one is 0.3.

    Examples
    --------
    >>> [shorten(np.array([0.129, 0.0129, 0.3]), 2, is_significant).tolist() for is_significant in (True, False)]
    [[0.12, 0.012, 0.3], [0.12, 0.01, 0.3]]
    """
    numbers = [Decimal(repr(value)) for value in values.ravel().tolist()]
    with localcontext(prec=LONGEST_NUMBER):
        places = [keep - 1 - number.adjusted() if is_significant else keep for number in numbers]
        units = (Decimal(1).scaleb(-place) for place in places)
        shorter = [float(number.quantize(unit, ROUND_DOWN)) + 0.0 for number, unit in zip(numbers, units, strict=True)]
    return np.array(shorter).reshape(values.shape)


def compare_with_mean(utilities: Utilities, values: Values) -> tuple[float, int]:
    """tau_b of leximin and mean on other values, and how many systems leximin ties."""
    table = replace(utilities.table, values=values, exact=None)
    groups = None if utilities.groups is None else dict(zip(utilities.requests, utilities.groups, strict=True))
    changed = Utilities.from_table(table, utilities.measure, groups=groups)
    leximin = order_by(changed, "leximin")
    return leximin.correlation(changed.order("mean")), leximin.n_tied


def coarsening(name: str, rows: list[tuple[Any, float, int]], how: str, title: str) -> Findings:
    """tau_b by how coarse utilities are."""
    (first, before, _), (last, after, tied) = rows[0], rows[-1]
    return Findings(
        (name, "tau_b", "tied"),
        tuple(rows),
        f"Leximin and the mean: tau_b {text(before, 3)} at {name} {first:g}, {text(after, 3)} at {last:g}, where "
        f"leximin ties {tied} runs.",
        (f"{TAU}, - where either ties all runs; {how}. Tied: runs leximin ties.",),
        Picture("line", name, "tau_b", titles=((name, title), ("tau_b", TAU))),
    )
