"""Rows as a data frame: of the caller's own library, or of the first that is installed."""

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


def to_frame(names: Sequence[str], rows: Iterable[Sequence[Any]], library: str | None = None) -> Any:
    """Rows as a polars or pandas frame or a pyarrow table: of this library, or of whichever is there first."""
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    for module in (library,) if library in MAKERS else MAKERS:
        try:
            make = MAKERS[module](import_module(module))
        except ImportError:
            continue
        return make({name: list(column) for name, column in zip(names, columns, strict=True)})
    raise MissingExtraError("to_frame()", "frames")
