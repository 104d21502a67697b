"""Text helpers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan

MOST_DIGITS = 17
"""Decimals that tell floats from 0.1 to 1 apart."""


def plural(n: int, noun: str) -> str:
    """A number with its noun, such as "2,000 queries"."""
    nouns = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else nouns}"


def join_names(names: Sequence[str], most: int = 8) -> str:
    """Names separated by commas; only the first few where there are many."""
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more:,} more"


def first_line(docstring: str) -> str:
    """The first line of a docstring as plain text."""
    return re.sub(r":\w+:`([^`]*)`", r"\1", docstring.strip().partition("\n")[0]).replace("`", "")


def plain_word(text: str) -> str:
    """Letters and digits, in lower case: names that differ otherwise are the same word."""
    return "".join(c for c in text.lower() if c.isalnum())


def escape_controls(text: str, keep: str = "") -> str:
    """Text with every character that could control a terminal replaced by its escape, except those to keep."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def percent(share: float) -> str:
    """A share in percent, with as many digits as it has.

    Examples
    --------
    >>> percent(0.95), percent(1 - 0.07), percent(1 - 0.0001)
    ('95%', '93%', '99.99%')
    """
    return f"{100 * share:.10g}%"


def digits_apart(x: float | None, y: float | None, digits: int) -> int:
    """How many digits show that two numbers differ, at least `digits`."""
    if x is None or y is None or x == y:
        return digits
    return next((more for more in range(digits, MOST_DIGITS + 1) if f"{x:.{more}f}" != f"{y:.{more}f}"), digits)


def format_signed(value: float, digits: int) -> str:
    """A number with its sign; a dash for NaN, and no sign where it rounds to 0."""
    if isnan(value):
        return "-"
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]
