"""Printed values beside computed ones, and what is to be said of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

FAR = 3.0
"""Standard errors between two estimates from which chance is no likely explanation."""


class Status(StrEnum):
    """What was found of a printed value."""

    EXACT = "exact"
    BY_CHANCE = "within sampling error"
    EXPLAINED = "different"
    OPEN = "different, reason not known"
    ABSENT = "data not here"
    UNPRINTED = "not printed"


@dataclass(frozen=True)
class Cell:
    """One cell of a table, or one number of the text.

    Attributes
    ----------
    where : str
        Row and column.
    printed : str or None
        The printed digits or word; None where the paper says nothing of this data.
    computed : float, str or None
        In the unit of the paper; None where it cannot be computed.
    errors : float, optional
        How many standard errors the two are apart, where both or one of them was drawn.
    interval : (float, float), optional
        What the draws leave open.
    reason : str
        Why the two differ, where that is known.
    note : str
        What else is to be said.
    is_of_other_data : bool
        The printed value is of data that is not here; what is computed is of the data at hand, and not comparable.
    """

    where: str
    printed: str | None
    computed: float | str | None
    errors: float | None = None
    interval: tuple[float, float] | None = None
    reason: str = ""
    note: str = ""
    is_of_other_data: bool = False

    @property
    def status(self) -> Status:
        """Exact where the printed digits are the same; else whether chance or a known reason explains it."""
        if self.is_of_other_data or self.computed is None:
            return Status.ABSENT
        if self.printed is None:
            return Status.UNPRINTED
        if self.written == self.printed:
            return Status.EXACT
        if self.is_within_errors or self.is_within_interval:
            return Status.BY_CHANCE
        return Status.EXPLAINED if self.reason else Status.OPEN

    @property
    def is_within_errors(self) -> bool:
        return self.errors is not None and abs(self.errors) <= FAR

    @property
    def is_within_interval(self) -> bool:
        """The bounds are rounded as the printed value is: it is known no better."""
        if self.interval is None or self.printed is None:
            return False
        low, high = (float(rounded(end, self.printed)) for end in self.interval)
        return low <= float(self.printed) <= high

    @property
    def written(self) -> str:
        """What was computed, with as many digits as are printed."""
        if self.computed is None:
            return ""
        return self.computed if isinstance(self.computed, str) else rounded(self.computed, self.printed or "0.000")

    @property
    def said(self) -> str:
        """The status in words, with what it rests on."""
        parts = [f"different: {self.reason}" if self.status is Status.EXPLAINED else str(self.status)]
        if self.status not in (Status.EXACT, Status.ABSENT, Status.UNPRINTED):
            if self.errors is not None:
                parts.append(f"{abs(self.errors):.1f} standard errors")
            if self.interval is not None:
                low, high = (rounded(end, self.printed or "0.00") for end in self.interval)
                parts.append(f"95% [{low}, {high}]")
        return "; ".join(filter(None, [", ".join(parts), self.note]))

    @property
    def row(self) -> tuple[str, str, str, str]:
        return self.where, self.printed or "-", self.written or "-", self.said


COLUMNS = ("cell", "printed", "computed", "status")


@dataclass(frozen=True)
class Sheet:
    """A table of a paper.

    Attributes
    ----------
    elsewhere : str
        Which of its cells are of data that is not here, in one line.
    n_elsewhere : int
        How many these are.
    """

    title: str
    cells: Sequence[Cell] = ()
    setting: str = ""
    elsewhere: str = ""
    n_elsewhere: int = 0

    def counts(self) -> Counter[Status]:
        """How many cells have which status."""
        return Counter([cell.status for cell in self.cells] + [Status.ABSENT] * self.n_elsewhere)

    @property
    def remarks(self) -> list[str]:
        missing = f"{Status.ABSENT.capitalize()}, {self.n_elsewhere} cells: {self.elsewhere}" if self.elsewhere else ""
        return list(filter(None, [self.setting, missing]))

    def text(self) -> str:
        """For a terminal."""
        table = aligned([COLUMNS, *(cell.row for cell in self.cells)]) if self.cells else []
        return "\n".join([self.title, *self.remarks, *table])

    def markdown(self) -> str:
        table = markdown_table(COLUMNS, [cell.row for cell in self.cells]) if self.cells else ""
        return "\n\n".join(filter(None, [f"### {self.title}", *self.remarks, table]))


@dataclass(frozen=True)
class Counted:
    """How many cells have which status, over tables."""

    counts: Counter[Status] = field(default_factory=Counter)

    @classmethod
    def of(cls, sheets: Iterable[Sheet]) -> Counted:
        return cls(sum((sheet.counts() for sheet in sheets), Counter()))

    @property
    def row(self) -> tuple[str, ...]:
        return tuple(str(self.counts[status]) for status in Status)

    def text(self) -> str:
        return ", ".join(f"{self.counts[status]} {status}" for status in Status if self.counts[status])


def rounded(value: float, like: str) -> str:
    """A number with as many decimals as another has."""
    return f"{value:.{len(like.partition('.')[2])}f}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text with their columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    shown = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in shown)
