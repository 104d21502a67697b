"""Calls of other libraries: whatever they raise becomes an error of ours that names the input."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tiebreak.errors import InputError, TiebreakError, quote

OURS = (TiebreakError, KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)
LONGEST_REASON = 300


@contextmanager
def calling(label: str, how: str = "") -> Iterator[None]:
    """Read `label` by somebody else's code. A panic of a library in Rust is no `Exception`, and yet about the input."""
    try:
        yield
    except OURS:
        raise
    except BaseException as error:
        kind = "io" if isinstance(error, Exception) else "panic"
        reason = quote(" ".join(str(error).split()) or type(error).__name__, LONGEST_REASON)[1:-1]
        words = " ".join(filter(None, ("cannot be read", how)))
        raise InputError(f"{label}: {words}: {reason.rstrip('.')}.", kind=kind, file=label) from None
