"""Text helpers."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan


def plural(n: int, noun: str) -> str:
    """A number with its noun, such as "2,000 queries"."""
    nouns = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else nouns}"


def join_names(names: Sequence[str], most: int = 8) -> str:
    """Names separated by commas; only the first few where there are many."""
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more:,} more"


def escape_controls(text: str, keep: str = "") -> str:
    """Text with every character that could control a terminal replaced by its escape, except those to keep."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def format_signed(value: float, digits: int) -> str:
    """A number with its sign; a dash for NaN, and no sign where it rounds to 0."""
    if isnan(value):
        return "-"
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]
