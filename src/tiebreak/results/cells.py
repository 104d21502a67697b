"""Cells of tables for people: the text of the values of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite, isnan
from typing import Any, TypeAlias

from tiebreak._base.text import format_signed, join_names, percent

Row: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = Callable[[Row, int], str]
"""A row and a number of digits -> the text of one cell."""
SUPERSCRIPTS = dict(zip("abcdefghijklmnopqrstuvwxyz0123456789", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖᑫʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
"""Small raised letters and digits, for marks after numbers."""
MOST_ROWS = 200
"""Rows that a terminal or a notebook shows."""


def column(name: str) -> Cell:
    """A column as it is."""
    return lambda row, digits: text(row[name], digits)


def signed_column(name: str) -> Cell:
    """A column of numbers with their signs."""
    return lambda row, digits: format_signed(row[name], digits)


def grade_column(name: str) -> Cell:
    """A column of grades or ratings; a dash where there is none."""
    return lambda row, digits: "-" if row[name] is None else grade_text(row[name])


def grade_text(grade: float) -> str:
    """A grade in as few digits as tell it from others.

    Examples
    --------
    >>> grade_text(3.0), grade_text(0.5), grade_text(1.0000001)
    ('3', '0.5', '1.0000001')
    """
    short = f"{grade:g}"
    return short if float(short) == grade else repr(grade)


def interval_columns(confidence: float) -> dict[str, Cell]:
    """Both ends of an interval, titled by how sure it is: low 95% and high 95%."""
    return {f"{end} {percent(confidence)}": signed_column(end) for end in ("low", "high")}


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


def superscript(marks: str) -> str:
    """Letters and digits raised; others as they are."""
    return "".join(SUPERSCRIPTS.get(c, c) for c in marks)


def value_or_count(counts: frozenset[str]) -> Cell:
    """The value of a row; of measures that are counts, without decimals."""

    def cell(row: Row, digits: int) -> str:
        value = row["value"]
        return text(int(value) if row["measure"] in counts and isfinite(value) else value, digits)

    return cell
