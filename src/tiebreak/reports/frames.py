"""Rows as a data frame: of the caller's own library, or of the first that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tiebreak.errors import MissingExtraError
from tiebreak.reports.tables import Table

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


@dataclass(frozen=True, eq=False, repr=False)
class Framed:
    """A result whose rows can be had as a data frame.

    Attributes
    ----------
    library : str, optional
        The data frame library that the caller uses, where frames were given.
    """

    library: str | None = field(default=None, kw_only=True)

    def _frame(self, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
        return to_frame(names, rows, self.library)


class Shown(Framed):
    """A result that is also a table: in a terminal, in a notebook and in LaTeX."""

    def table(self, digits: int = 4) -> Table:
        """What people look at."""
        raise NotImplementedError

    def to_latex(self) -> str:
        """The table for LaTeX, with the package booktabs."""
        return self.table().to_latex()

    def _repr_html_(self) -> str:
        return self.table().to_html()

    def __repr__(self) -> str:
        return self.table().to_text()
