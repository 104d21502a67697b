"""Cells of tables for people: the text of the values of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan
from typing import Any, TypeAlias

from tiebreak._base.text import format_signed, join_names

Row: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = Callable[[Row, int], str]
"""A row and a number of digits -> the text of one cell."""


def column(name: str) -> Cell:
    """A column as it is."""
    return lambda row, digits: text(row[name], digits)


def signed_column(name: str) -> Cell:
    """A column of numbers with their signs."""
    return lambda row, digits: format_signed(row[name], digits)


def text(value: Any, digits: int) -> str:
    """A value for people: counts with separators, other numbers with some digits."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    if isinstance(value, int):
        return f"{value:,}"
    return join_names([*map(str, value)], most=4) if isinstance(value, (list, tuple)) else str(value)
