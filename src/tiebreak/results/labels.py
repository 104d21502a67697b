"""Names in pictures, which have little room."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST, LONGEST_IN_PAIR, LONGEST_FACET = 48, 24, 22
"""Characters of a name alone, beside another, and over a small facet."""


def short_names(names: Iterable[str], most: int = LONGEST) -> dict[str, str]:
    """Every name in at most so many characters, without its middle; whole where others would look like it.

    Examples
    --------
    >>> short_names(["bm25", "dense-retriever-run-1", "dense-retriever-run-2"], 11)
    {'bm25': 'bm25', 'dense-retriever-run-1': 'dense…run-1', 'dense-retriever-run-2': 'dense…run-2'}
    """
    half = (most - 1) // 2
    whole = list(dict.fromkeys(names))
    short = [name if len(name) <= most else f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}" for name in whole]
    return {name: cut if short.count(cut) == 1 else name for name, cut in zip(whole, short, strict=True)}
