"""A lock that objects can hold which are copied, pickled or used in forked processes."""

from __future__ import annotations

import os
from threading import RLock


class PrivateLock:
    """A lock for the threads of one process. Copies have their own, and a forked process finds it open."""

    def __init__(self) -> None:
        self._of_process: dict[int, RLock] = {}

    def __enter__(self) -> None:
        self._own().acquire()

    def __exit__(self, *_: object) -> None:
        self._own().release()

    def _own(self) -> RLock:
        """That of this process: one that a thread held when it forked would never be released here."""
        return self._of_process.setdefault(os.getpid(), RLock())

    def __reduce__(self) -> tuple[type[PrivateLock], tuple[()]]:
        return PrivateLock, ()
