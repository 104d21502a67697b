"""Which grades make populations of users, and how likely each is: p(lambda) (RPP 3.2, 5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import isnan
from typing import Any

import numpy as np

from tiebreak._base.checks import check_number
from tiebreak._base.spec import format_value, is_written_whole
from tiebreak._base.text import join_names
from tiebreak.errors import InputError
from tiebreak.inputs.attributes import id_values
from tiebreak.inputs.sources import LARGEST_VALUE

NUMBERS = re.compile(r"[0-9.eE+:,\s-]*|[^:,/\\]+:[^:,/\\]+(,[^:,/\\]+:[^:,/\\]+)*")
Grade = tuple[float, float | None]
"""A grade, and its weight where weights are given."""


def check_grades(grades: Any) -> str:
    """Grades as text, such as ``1,2``, or with their weights, such as ``1:0.25,2:0.75``; the smallest first.

    Parameters
    ----------
    grades : str, path, list, dict or frame
        Such text, a list of grades, ``{grade: weight}``, or a table with a column for the grade and one for its weight.
    """
    try:
        pairs = sorted(read_grades(grades), key=lambda pair: pair[0])
    except InputError:
        raise
    except (ArithmeticError, TypeError, ValueError):  # also of decimals
        raise wrong(grades, "Give grades such as '1,2,3', or with weights such as '1:0.5,2:0.3,3:0.2'") from None
    weights = [weight for _, weight in pairs if weight is not None]
    if weights and len(weights) < len(pairs):
        raise wrong(grades, "Give a weight for every grade, or for none")
    for grade, weight in pairs:
        check_number(grade, "grades: grade", above=0)
        check_number(0 if weight is None else weight, f"grades: weight of grade {grade:g}", low=0, high=LARGEST_VALUE)
    if not pairs or (weights and not any(weights)):
        raise wrong(grades, "Give at least one grade a weight above 0")
    if len({grade for grade, _ in pairs}) < len(pairs):
        raise wrong(grades, "Give each grade once")
    return ",".join(":".join(format_value(number) for number in pair if number is not None) for pair in pairs)


def read_grades(grades: Any) -> Iterator[Grade]:
    """The grades that a user gave, and their weights."""
    if isinstance(grades, str) and NUMBERS.fullmatch(grades):
        yield from parse_grades(grades)
    elif isinstance(grades, (int, float)):
        yield grades, None
    elif isinstance(grades, (list, tuple, set, range, np.ndarray)):
        yield from ((float(grade), None) for grade in grades)
    else:
        yield from ((float(grade), weight) for grade, weight in id_values(grades, "grade", "weight", None, True))


def parse_grades(text: str) -> Iterator[Grade]:
    """Grades and weights written as ``1,2`` or ``1:0.25,2:0.75``."""
    for part in text.split(","):
        numbers = [number.strip() for number in part.split(":")]
        if not all(is_written_whole(number) or isnan(float(number)) for number in numbers):
            raise wrong(text, "They have more digits than a float holds: give fewer")
        grade, *weight = map(float, numbers)
        if len(weight) > 1:
            raise ValueError(part)
        yield grade, weight[0] if weight else None


def check_fit(grades: Iterable[float], lowest: float | None, largest: float, name: str) -> None:
    """Check that all grades are relevant, and that items have grades as large."""
    for grade in grades:
        if lowest is not None and grade < lowest:
            raise InputError(
                f"{name}: grade {grade:g} is below {lowest:g}, from which items are relevant. Leave it out, or lower "
                "rel or min_grade.",
                kind="grade",
            )
        if grade > largest:
            raise InputError(
                f"{name}: no item has the grade {grade:g}, the largest is {largest:g}. Leave it out.", kind="grade"
            )


def wrong(grades: Any, advice: str) -> InputError:
    text = join_names([str(grade) for grade in grades]) if isinstance(grades, (list, tuple)) else str(grades)
    return InputError(f"grades={text[:60]!r}. {advice}.", kind="grade")
