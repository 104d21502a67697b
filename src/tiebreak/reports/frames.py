"""Columns as a data frame, of the first library that is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from tiebreak.errors import MissingExtraError

MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "polars": lambda library: library.DataFrame,
    "pandas": lambda library: library.DataFrame,
    "pyarrow": lambda library: library.table,
}


def to_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A polars or pandas frame or a pyarrow table, whichever is there first."""
    for name, maker in MAKERS.items():
        try:
            library = import_module(name)
        except ImportError:
            continue
        return maker(library)(dict(columns))
    raise MissingExtraError("to_frame()", "frames")
