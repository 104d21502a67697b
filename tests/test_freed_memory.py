"""Freed memory goes back to the system where the C library can be told so."""

import os
import sys

import pytest

from tiebreak._base.freed_memory import find_trim, return_freed_memory


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_holes_between_what_is_used_are_given_back():
    if sys.platform != "linux" or find_trim() is None:
        pytest.skip("the C library is not glibc")
    pieces = [bytes(100_000) for _ in range(1000)]  # too small for pages of their own
    kept = pieces[::50]
    del pieces
    before = resident_bytes()
    return_freed_memory()
    assert before - resident_bytes() > 50_000_000
    assert len(kept) == 20
