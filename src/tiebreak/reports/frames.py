"""Rows as a data frame, of the first library that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from tiebreak.errors import MissingExtraError

MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "polars": lambda library: library.DataFrame,
    "pandas": lambda library: library.DataFrame,
    "pyarrow": lambda library: library.table,
}


def to_frame(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """Rows as a polars or pandas frame or a pyarrow table, whichever is there first."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    for name, maker in MAKERS.items():
        try:
            library = import_module(name)
        except ImportError:
            continue
        return maker(library)({name: list(column) for name, column in zip(names, columns, strict=True)})
    raise MissingExtraError("to_frame()", "frames")
