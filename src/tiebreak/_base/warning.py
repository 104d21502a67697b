"""Warnings that point at the line that called the package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from tiebreak.errors import TiebreakWarning

PACKAGE = __name__.partition(".")[0]
_earlier: ContextVar[set[str] | None] = ContextVar("earlier", default=None)


def warn(message: str, category: type[TiebreakWarning]) -> None:
    """Warn at the line that called the package, however deep in it this is."""
    earlier = _earlier.get()
    if earlier is not None and message in earlier:
        return
    frame = calling_frame()
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"), registry
    )
    if earlier is not None:
        earlier.add(message)


@contextmanager
def warn_once(earlier: set[str]) -> Iterator[None]:
    """Do not repeat `earlier` warnings, among which new ones are remembered."""
    token = _earlier.set(earlier)
    try:
        yield
    finally:
        _earlier.reset(token)


def calling_frame() -> FrameType:
    """What called the outermost function of the package: its own calls may go through those of other libraries."""
    frame: FrameType | None = sys._getframe()
    caller = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE:
            caller = frame.f_back or frame
        frame = frame.f_back
    return caller
