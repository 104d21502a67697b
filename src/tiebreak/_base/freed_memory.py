"""Return freed heap memory to the operating system: C libraries keep it, at times more than what is in use."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def return_freed_memory() -> None:
    """Trim the heap, where the C library can (`malloc_trim` of glibc)."""
    trim = find_trim()
    if trim is not None:
        trim(0)


@cache
def find_trim() -> Callable[[int], int] | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
