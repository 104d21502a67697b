"""Compare search and recommender systems by what users in different situations would prefer.

Importing this package imports nothing heavy: each name is loaded when it is first used, from where the stub
`__init__.pyi` imports it.
"""

from __future__ import annotations

import re
from importlib import import_module
from os.path import join
from typing import Any

__version__ = "0.1.0"

_STUB = __loader__.get_data(join(__path__[0], "__init__.pyi")).decode()  # type: ignore[name-defined]
_HOME = {name: module for module, name in re.findall(r"^from (\S+) import (\w+)", _STUB, re.MULTILINE)}
"""Public names, and the module that holds each."""

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiebreak' has no attribute {name!r}")
    home = import_module(_HOME[name])
    value = getattr(home, name) if name in vars(home) else import_module(f"{_HOME[name]}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
