"""How leximin relates to the mean and to its relatives on given utilities (PE 3.4, 6, 7; Figs 1-3, Table 2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal, localcontext
from math import floor, isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InputError
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings import Ordering
from tiebreak.populations.base import Vector
from tiebreak.populations.lags import check_lags, some_lags
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.utilities import Utilities
from tiebreak.words import many

RELATIVES = ("min", "gmean", "auc4", "mean", "leximax")
THRESHOLDS = tuple(k / 20 for k in range(20))
DIGITS = (6, 5, 4, 3, 2, 1, 0)
LONGEST_NUMBER = 400


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Shown):
    """Rows of a study, whose names say what they hold."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """A dictionary per row."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    def to_frame(self) -> Any:
        """The rows, named as `names` says."""
        return self._frame(self.names, self.rows)

    def table(self, digits: int = 3) -> Table:
        shown = (tuple(f"{v:.{digits}f}" if isinstance(v, float) else f"{v}" for v in row) for row in self.rows)
        return Table(self.names, tuple(shown), self.notes)


def agreement(utilities: Utilities, populations: Iterable[str | Ordering] = RELATIVES) -> Curve:
    """Kendall's tau_b of leximin's order with those of other populations, and how many systems each ties (PE Table 2).

    An order that is not of these utilities, such as ``Experiment.order("s@10")``, is given itself.

    Examples
    --------
    >>> made = Utilities({"a": {"p": 0.5, "q": 0.5}, "b": {"p": 1, "q": 0.25}, "c": {"p": 0, "q": 0}})
    >>> agreement(made, ["min", "mean"]).rows
    (('min', 1.0, 0), ('mean', 0.3333333333333333, 0))
    """
    leximin = utilities.order("leximin")
    orders = [
        (f"{given.by}({given.measure})", given) if isinstance(given, Ordering) else (given, utilities.order(given))
        for given in populations
    ]
    rows = tuple((name, order.correlation(leximin), order.n_tied) for name, order in orders)
    return Curve(
        ("population", "tau_b", "tied"), rows, ("tau_b with leximin; number of tied systems.", *over(utilities))
    )


def smoothing(utilities: Utilities, lags: int | Iterable[int] | None = None) -> Curve:
    """Kendall's tau_b of smoothed leximin's order with leximin's and the mean's, by lag (PE Fig 2)."""
    n = len(utilities.requests)
    chosen = some_lags(n) if lags is None else check_lags(lags, n)
    leximin, mean = utilities.order("leximin"), utilities.order("mean")
    orders = [(lag, utilities.order(f"smoothed_leximin(lag={lag})")) for lag in chosen]
    rows = tuple((lag, order.correlation(leximin), order.correlation(mean)) for lag, order in orders)
    said = ("tau_b of smoothed leximin with leximin and with the mean.", *over(utilities))
    return Curve(("lag", "leximin", "mean"), rows, said)


def thresholding(utilities: Utilities, thresholds: Iterable[float] = THRESHOLDS) -> Curve:
    """Kendall's tau_b of leximin's and the mean's order, utilities below a threshold set to 0 (PE Fig 3a)."""
    rows = [(checked(t), *alike(utilities, below_to_zero(utilities.values, t))) for t in thresholds]
    said = ("tau_b of leximin and the mean; utilities below the threshold are 0.", *over(utilities))
    return Curve(("threshold", "tau_b", "tied"), tuple(rows), said)


def truncation(utilities: Utilities, digits: Iterable[int] = DIGITS) -> Curve:
    """Kendall's tau_b of leximin's and the mean's order, utilities cut to so many decimals (PE Fig 3b)."""
    rows = [(int(d), *alike(utilities, truncated(utilities.values, d))) for d in digits]
    said = ("tau_b of leximin and the mean; utilities are cut after so many decimals.", *over(utilities))
    return Curve(("digits", "tau_b", "tied"), tuple(rows), said)


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
    table: UtilityTable = replace(utilities.table, values=values)
    changed = Utilities.of(table, utilities.measure)
    leximin = changed.order("leximin")
    return leximin.correlation(changed.order("mean")), leximin.n_tied


class Movement(NamedTuple):
    """Where a run stands by the mean and by leximin, and how far it moves.

    `quintiles` is how many whole fifths of the runs it moves: 0, 1, or 2 for two and more.
    """

    run: str
    mean: int
    leximin: int
    change: int
    quintiles: int


def movement(utilities: Utilities) -> Curve:
    """Ranks by the mean and by leximin, and by how many quintiles a run moves (PE Fig 1); positive is better."""
    mean, leximin = utilities.order("mean"), utilities.order("leximin")
    fifth = len(utilities.runs) / 5
    rows: list[Movement] = []
    for run, before, after in zip(utilities.runs, mean.ranks.tolist(), leximin.ranks.tolist(), strict=True):
        rows.append(Movement(run, before, after, before - after, min(floor(abs(before - after) / fifth), 2)))
    said = (
        "Ranks by the mean and by leximin; a change above 0 is a better rank by leximin. Quintiles: less than one, one "
        "to two, two and more.",
        *over(utilities),
    )
    ordered: list[Movement] = sorted(rows, key=lambda row: row[1])
    return Curve(Movement._fields, tuple(ordered), said)


def over(utilities: Utilities) -> tuple[str, ...]:
    size = f"{many(len(utilities.runs), 'run')}, {many(len(utilities.requests), 'request')}"
    return (f"{utilities.measure} of {size}.", *utilities.notes)
