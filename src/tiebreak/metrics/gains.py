"""Gains of grades, as users give them: ``{1: 1, 2: 5}``, or as text ``1:1,2:5``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from tiebreak._base.checks import check_number
from tiebreak._base.spec import format_value, is_written_whole
from tiebreak.errors import InputError
from tiebreak.exact import decimal
from tiebreak.inputs.sources import LARGEST_VALUE


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
    pairs: Any = gains.items() if isinstance(gains, Mapping) else (part.split(":") for part in str(gains).split(","))
    for grade, gain in pairs:
        if not all(is_written_whole(str(number).strip()) for number in (grade, gain)):
            raise ValueError("a float does not hold all its digits")
        yield float(grade), float(gain)


@cache
def parse_gains(text: str) -> dict[Fraction, Fraction]:
    """The gain of every grade that has one of its own."""
    return {decimal(grade): decimal(gain) for grade, gain in (part.split(":") for part in text.split(","))}
