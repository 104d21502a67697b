"""Leximin and the mean as utilities get coarser (PE 7, Fig 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, localcontext
from typing import Any

import numpy as np

from tiebreak._base.checks import check_count, check_number, check_several
from tiebreak.populations.rounding import Vector
from tiebreak.results.cells import text
from tiebreak.results.plots import Picture
from tiebreak.studies.base import Findings
from tiebreak.utilities import Utilities

THRESHOLDS = tuple(k / 20 for k in range(20))
DIGITS = (6, 5, 4, 3, 2, 1, 0)
LONGEST_NUMBER = 400
TAU = "Kendall's tau_b of leximin and the mean"


def thresholding(utilities: Utilities, thresholds: float | Iterable[float] = THRESHOLDS) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities below a threshold set to 0 (PE Fig 3a)."""
    steps = check_several(thresholds, "threshold", check_number)
    rows = [(step, *compare_with_mean(utilities, set_small_to_zero(utilities.values, step))) for step in steps]
    return coarsening("threshold", rows, "utilities below the threshold are 0", "threshold")


def truncation(utilities: Utilities, digits: int | Iterable[int] = DIGITS) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities truncated to some decimals (PE Fig 3b)."""
    steps = check_several(digits, "digits", lambda value, name: check_count(value, name, 0, 15))
    rows = [(step, *compare_with_mean(utilities, truncate(utilities.values, step))) for step in steps]
    return coarsening("digits", rows, "utilities are truncated to this number of decimals", "decimals kept")


def set_small_to_zero(values: Vector, threshold: float) -> Vector:
    kept: Vector = np.where(values < threshold, 0.0, values)
    return kept


def truncate(values: Vector, digits: int) -> Vector:
    """Values truncated to some decimals, as they are written: 0.3 with one is 0.3.

    Examples
    --------
    >>> truncate(np.array([0.129, 0.5, 0.999, 0.3]), 2).tolist()
    [0.12, 0.5, 0.99, 0.3]
    """
    unit = Decimal(1).scaleb(-digits)
    with localcontext(prec=LONGEST_NUMBER):
        shorter = [float(Decimal(repr(value)).quantize(unit, ROUND_DOWN)) + 0.0 for value in values.ravel().tolist()]
    return np.array(shorter).reshape(values.shape)


def compare_with_mean(utilities: Utilities, values: Vector) -> tuple[float, int]:
    """tau_b of leximin and mean on other values, and how many systems leximin ties."""
    changed = Utilities.from_table(replace(utilities.table, values=values, exact=None), utilities.measure)
    leximin = changed.order("leximin")
    return leximin.correlation(changed.order("mean")), leximin.n_tied


def coarsening(name: str, rows: list[tuple[Any, float, int]], how: str, title: str) -> Findings:
    """tau_b by how coarse utilities are."""
    (first, before, _), (last, after, tied) = rows[0], rows[-1]
    return Findings(
        (name, "tau_b", "tied"),
        tuple(rows),
        f"Leximin and the mean: tau_b {text(before, 3)} at {name} {first:g}, {text(after, 3)} at {last:g}, where "
        f"leximin ties {tied} runs.",
        (f"{TAU}, nan where either ties all runs; {how}. Tied: runs leximin ties.",),
        Picture("line", name, "tau_b", titles=((name, title), ("tau_b", TAU))),
    )
