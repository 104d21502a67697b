"""How a page can be made again: inputs with their checksums, settings, versions and the command."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterator, Mapping
from typing import Any

from tiebreak import __version__
from tiebreak._kernels import load_core
from tiebreak.results.tables import Table

PACKAGES = ("numpy", "scipy")
"""Those that numbers may depend on."""
BYTES_AT_ONCE = 1 << 20
NO_FILE = "not a file: in memory, or read from a stream"


def input_table(inputs: Mapping[str, str | None]) -> Table:
    """What was read for what, with the size and the SHA-256 of every file."""
    rows = tuple((what, *describe_input(path)) for what, path in inputs.items())
    return Table(("input", "file", "bytes", "SHA-256"), rows)


def describe_input(path: str | None) -> tuple[str, str, str]:
    """The name, size and checksum of a file."""
    if path is None or not os.path.isfile(path):
        return NO_FILE, "-", "-"
    return path, f"{os.path.getsize(path):,}", checksum(path)


def checksum(path: str) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BYTES_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def versions() -> str:
    """What numbers may depend on."""
    from importlib.metadata import version

    core = "compiled core" if load_core()[0] else "Python twin of the core"
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"tiebreak {__version__} ({core}), Python {platform.python_version()}, {packages}"


def setting_lines(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Settings by their names, those of reading among them; without what was not chosen.

    Examples
    --------
    >>> dict(setting_lines({"seed": 0, "reading": {"min_grade": 2.0, "binary": True, "depth": None, "exclude": False}}))
    {'seed': '0', 'min grade': '2.0', 'binary': 'yes'}
    """
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from setting_lines(value)
        elif value is not None and value is not False:
            text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            yield name.replace("_", " "), "yes" if value is True else text
