"""Temporary files that no failure and no signal leaves behind."""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

_paths: set[str] = set()


def temporary_folder() -> str:
    """Where temporary files go. Python's own search writes a file into each folder, which a signal may leave there."""
    for path in (*map(os.environ.get, ("TMPDIR", "TEMP", "TMP")), "/tmp"):
        if path and os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK):
            return path
    from tempfile import gettempdir

    return gettempdir()


@contextmanager
def temporary_file(prefix: str) -> Iterator[BinaryIO]:
    """A new file that only its owner can read: removed at once if the work fails, else by `remove` or at exit."""
    path = f"{prefix}{os.urandom(4).hex()}"
    _paths.add(path)  # before it is created: a signal may arrive at any time
    try:
        with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            yield file
    except BaseException:
        remove(path)
        raise


def remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
    _paths.discard(path)


@atexit.register
def remove_all() -> None:
    """Once more at exit: a second signal may arrive while the first is handled."""
    for path in [*_paths]:
        remove(path)
