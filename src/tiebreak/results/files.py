"""Output files that are there whole or not at all, and standard output."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO

from tiebreak._base.temporary import temporary_file
from tiebreak._base.text import escape_controls
from tiebreak.errors import InputError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

DEVICES = ("/dev/", "/proc/")
"""Where names such as /dev/stdout are open files: they are written to, not replaced."""


@contextmanager
def text_output(path: str | None) -> Iterator[SupportsWrite[str]]:
    """Standard output, or a file that appears only when all is written."""
    if path is None:
        yield Terminal() if sys.stdout.isatty() else sys.stdout
    elif is_device(path):
        with errors_naming(path), open(path, "ab") as device, as_text(device) as out:
            yield out
    else:
        with whole_file(path) as file, as_text(file) as out:
            yield out


class Terminal:
    """Standard output where it is a terminal: ids from files cannot control it."""

    def write(self, text: str, /) -> None:
        sys.stdout.write(escape_controls(text, keep="\n\t"))


@contextmanager
def as_text(file: BinaryIO) -> Iterator[TextIOWrapper]:
    """An open file to write text to; it stays open."""
    out = TextIOWrapper(file, encoding="utf-8", newline="", errors="backslashreplace")
    try:
        yield out
        out.flush()
    finally:
        out.detach()


def is_device(path: str) -> bool:
    """Whether something is there that is no file, such as a pipe or a terminal: it is written to, never replaced."""
    return os.path.exists(path) and (not os.path.isfile(path) or os.path.abspath(path).startswith(DEVICES))


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A draft beside `path`, moved into place at the end; nothing is left where the work fails."""
    path = os.path.realpath(path)
    if is_device(path):
        raise InputError(f"{path}: this is not a file. Give the name of one.", kind="output", file=path)
    folder, name = os.path.split(path)
    with errors_naming(path), temporary_file(os.path.join(folder, f".{name}.")) as draft:
        yield draft
        draft.close()
        keep_access(path, draft.name)
        os.replace(draft.name, path)


@contextmanager
def errors_naming(path: str) -> Iterator[None]:
    """Name the file that could not be written: the system does not where a disk is full."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        reason = f"{path}: cannot be written: {error.strerror or error}."
        raise InputError(reason, kind="output", file=path) from None


def keep_access(path: str, draft: str) -> None:
    """Give a draft the permissions of the file it replaces, and its owner where that is allowed; else a new file's."""
    if not os.path.exists(path):
        os.chmod(draft, 0o666 & ~_umask())
        return
    old = os.stat(path)
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(draft, old.st_uid, old.st_gid)
    os.chmod(draft, stat.S_IMODE(old.st_mode))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
