"""What parameters of measures of diversity may be, and the scale of ratings."""

from __future__ import annotations

from math import inf

from tiebreak.errors import InputError
from tiebreak.metrics.base import check_number


def check_between(name: str, value: float, low: float, high: float) -> None:
    check_number(name, value)
    if not low <= value <= high:
        raise InputError(f"{name}={value}. Give a number from {low:g} to {high:g}.", kind="spec")


def check_scale(r_max: float | None) -> None:
    if r_max is not None:
        check_number("r_max", r_max)
        if not 0 < r_max < inf:
            raise InputError(f"r_max={r_max}. Give a finite number above 0.", kind="spec")


def check_ratings(largest: float, r_max: float) -> None:
    """Refuse a scale that ends below a rating that was given."""
    if largest > r_max:
        raise InputError(f"r_max={r_max:g} is below a rating. Give the maximum of the scale.", kind="range")
