"""Temporary files that are read at places, by several threads at once and by forked processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO
from weakref import finalize

from tiebreak._base.locks import PrivateLock
from tiebreak._base.temporary import remove, temporary_file, temporary_folder
from tiebreak.errors import InputError
from tiebreak.inputs.sources import reason

MOST_AT_ONCE = 1 << 20
"""Bytes that are read together, as they are copied once."""


class ScratchFile:
    """A temporary file that goes with this object, and with the process, however that ends.

    A forked process has the file, too, and may only read it.
    """

    def __init__(self) -> None:
        with temporary_file(os.path.join(temporary_folder(), "tiebreak-")) as file:
            self._file = open(file.name, "r+b", buffering=0)  # noqa: SIM115
            finalize(self, close_and_remove, self._file)
            if os.name == "posix":  # where an open file needs no name
                remove(file.name)
        self.size = 0
        self._lock, self._owner = PrivateLock(), os.getpid()

    def __deepcopy__(self, _: object) -> ScratchFile:
        """What was written stays where it is, so that copies may share it."""
        return self

    @property
    def is_own(self) -> bool:
        """Whether this process may write to it."""
        return self._owner == os.getpid()

    def write(self, data: bytes | memoryview) -> int:
        """Add data at the end; where it begins."""
        assert self.is_own, "two processes would write at one place"
        with self._lock:
            begin, rest = self.size, memoryview(data).cast("B")
            size = begin + len(rest)
            self._file.seek(begin)
            while len(rest):
                rest = rest[self._file.write(rest) :]
            self.size = size
        return begin

    def read(self, begin: int, size: int) -> bytes:
        """Up to so many bytes from a place on."""
        if hasattr(os, "pread"):  # forked processes share the place of the file
            return os.pread(self._file.fileno(), size, begin)
        with self._lock:
            self._file.seek(begin)
            data: bytes = self._file.read(size)
        return data

    def open(self, begin: int = 0) -> BinaryIO:
        """The file from a place on, as one reader has it."""
        return BufferedReader(Reader(self, begin))


class Reader(RawIOBase):
    """A file that is read from a place of its own."""

    def __init__(self, file: ScratchFile, place: int) -> None:
        self._file, self._place = file, place

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._place = offset + (0, self._place, self._file.size)[whence]
        return self._place

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer)
        data = self._file.read(self._place, min(len(room), MOST_AT_ONCE))
        room[: len(data)] = data
        self._place += len(data)
        return len(data)


def close_and_remove(file: BinaryIO) -> None:
    file.close()
    remove(file.name)


@contextmanager
def writing_for(label: str, problem: str) -> Iterator[None]:
    """Say of a temporary file that cannot be written, most often as the disk is full, whose it is and where."""
    try:
        yield
    except OSError as error:
        where = f"{temporary_folder()}: {reason(error)}"
        advice = "TMPDIR names another folder for temporary files"
        raise InputError(f"{label}: {problem} {where}. {advice}.", kind="disk", file=label) from None
