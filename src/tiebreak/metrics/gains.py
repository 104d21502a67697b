"""Gains of grades, as users give them: ``{1: 1, 2: 5}``, or as text ``1:1,2:5``, which trec_eval writes ``1=1,2=5``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number
from tiebreak._base.spec import format_value, is_written_whole
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, decimal
from tiebreak.inputs.judgements import is_relevant
from tiebreak.inputs.sources import LARGEST_VALUE
from tiebreak.metrics.base import Metric
from tiebreak.projection import Positions


def check_gains(gains: Any, name: str) -> str:
    """Gains as text, the smallest grade first; grades of 0 and below gain nothing and are left out."""
    advice = f"{name}={str(gains)[:60]!r}. Give the gain of each grade, such as {{1: 1, 2: 5}} or '1:1,2:5'."
    try:
        pairs = sorted(read_gains(gains))
    except (ArithmeticError, TypeError, ValueError):
        raise InputError(advice, kind="spec") from None
    for grade, gain in pairs:
        check_number(grade, f"{name}: grade")
        check_number(gain, f"{name} of grade {grade:g}", low=0, high=LARGEST_VALUE)
        if grade <= 0 < gain:
            raise InputError(f"{name}: what has grade {grade:g} is not relevant. Give it a gain of 0.", kind="spec")
    relevant = [(grade, gain) for grade, gain in pairs if grade > 0]
    if not relevant or len(dict(relevant)) < len(relevant):
        raise InputError(advice, kind="spec")
    return ",".join(f"{format_value(grade)}:{format_value(gain)}" for grade, gain in relevant)


def read_gains(gains: Any) -> Iterator[tuple[float, float]]:
    pairs: Any = (
        gains.items() if isinstance(gains, Mapping) else (re.split("[:=]", part) for part in str(gains).split(","))
    )
    for grade, gain in pairs:
        if not all(is_written_whole(str(number).strip()) for number in (grade, gain)):
            raise ValueError("a float does not hold all its digits")
        yield float(grade), float(gain)


@cache
def parse_gains(text: str) -> dict[Fraction, Fraction]:
    """The gain of every grade that has one of its own."""
    return {decimal(grade): decimal(gain) for grade, gain in (part.split(":") for part in text.split(","))}


@dataclass(frozen=True)
class GainMetric(Metric):
    """A metric of grades that sees nothing but gains; an item that gains nothing is not relevant to it.

    Parameters
    ----------
    gains : dict or str, optional
        Gains of some grades, such as ``{1: 1, 2: 5}``, in a spec also ``'1:1,2:5'``; other grades gain themselves.
    """

    gains: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is not None:
            object.__setattr__(self, "gains", check_gains(self.gains, f"{self.name}: gains"))

    def gain_values(self, positions: Positions) -> ExactValues:
        """Exact values [run, request] of positions whose grades are gains."""
        raise NotImplementedError

    def values(self, positions: Positions) -> ExactValues:
        graded = positions.keep(is_relevant(positions.grade, self.rel))
        if self.gains is None:
            return self.gain_values(graded)
        gains = parse_gains(self.gains)
        grades, code = np.unique(graded.grade, return_inverse=True)
        gain = np.array([float(gains.get(decimal(grade), decimal(grade))) for grade in grades.tolist()])
        gaining = replace(graded, grade=gain[code.ravel()])
        gaining = gaining.keep(gaining.grade > 0)
        values = self.gain_values(gaining)
        has_no_gain = (counts(graded) > 0) & (counts(gaining) == 0)
        shape = positions.retrieved.shape
        return values.zero_where(np.broadcast_to(has_no_gain, shape)) if has_no_gain.any() else values


def counts(positions: Positions) -> NDArray[np.int64]:
    """The number of entries of every request."""
    return np.bincount(positions.layout.request, minlength=len(positions.requests))
