"""Utilities made coarser, under which leximin comes near the mean (PE 7, Fig 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import ROUND_DOWN, Decimal, localcontext
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from tiebreak.errors import InputError
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations.base import Vector
from tiebreak.results.plots import Picture
from tiebreak.results.record import text
from tiebreak.studies.base import Findings
from tiebreak.utilities import Utilities

THRESHOLDS = tuple(k / 20 for k in range(20))
DIGITS = (6, 5, 4, 3, 2, 1, 0)
LONGEST_NUMBER = 400
TAU = "Kendall's tau_b of leximin and the mean"


def thresholding(utilities: Utilities, thresholds: Iterable[float] = THRESHOLDS) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities below a threshold set to 0 (PE Fig 3a)."""
    chosen = [checked(t) for t in thresholds]
    rows = [(t, *alike(utilities, below_to_zero(utilities.values, t))) for t in chosen]
    return converging("threshold", rows, "utilities below the threshold are 0", "threshold")


def truncation(utilities: Utilities, digits: Iterable[int] = DIGITS) -> Findings:
    """Kendall's tau_b of leximin's and the mean's order, utilities cut to so many decimals (PE Fig 3b)."""
    rows = [(d, *alike(utilities, truncated(utilities.values, d))) for d in digits]
    return converging("digits", rows, "utilities are cut after so many decimals", "decimals kept")


def converging(name: str, rows: list[tuple[Any, float, int]], how: str, title: str) -> Findings:
    """tau_b by how coarse utilities are made."""
    if not rows:
        raise InputError(f"no {name} was given. Give at least one number.", kind="empty")
    (first, before, _), (last, after, tied) = rows[0], rows[-1]
    summary = (
        f"Leximin and the mean: tau_b {text(before, 3)} at {name} {first:g}, {text(after, 3)} at {last:g}, where "
        f"leximin ties {tied} runs."
    )
    picture = Picture("line", name, "tau_b", titles=((name, title), ("tau_b", TAU)))
    said = (f"{TAU}, nan where either ties all runs; {how}. Tied: runs leximin ties.",)
    return Findings((name, "tau_b", "tied"), tuple(rows), summary, said, picture)


def checked(threshold: Any) -> float:
    if isinstance(threshold, bool) or not isinstance(threshold, Real) or not isfinite(threshold):
        raise InputError(f"threshold {threshold!r}. Give finite numbers.", kind="size")
    return float(threshold)


def below_to_zero(values: Vector, threshold: float) -> Vector:
    """Values below the threshold become 0.

    Examples
    --------
    >>> below_to_zero(np.array([0.1, 0.2, 0.3]), 0.2).tolist()
    [0.0, 0.2, 0.3]
    """
    kept: Vector = np.where(values < threshold, 0.0, values)
    return kept


def truncated(values: Vector, digits: int) -> Vector:
    """Values without the decimals behind so many, as they are written: 0.3 with one is 0.3.

    Examples
    --------
    >>> truncated(np.array([0.129, 0.5, 0.999, 0.3]), 2).tolist()
    [0.12, 0.5, 0.99, 0.3]
    """
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 15:
        raise InputError(f"digits={digits}. Give a whole number from 0 to 15.", kind="size")
    unit = Decimal(1).scaleb(-digits)
    with localcontext(prec=LONGEST_NUMBER):
        cut = [float(Decimal(repr(value)).quantize(unit, ROUND_DOWN)) + 0.0 for value in values.ravel().tolist()]
    return np.array(cut).reshape(values.shape)


def alike(utilities: Utilities, values: Vector) -> tuple[float, int]:
    """tau_b of leximin and mean on other values, and how many systems leximin ties."""
    table: UtilityTable = replace(utilities.table, values=values, exact=None)
    changed = Utilities.from_table(table, utilities.measure)
    leximin = changed.order("leximin")
    return leximin.correlation(changed.order("mean")), leximin.n_tied
