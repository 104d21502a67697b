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
    OTHER = "other data"
    ABSENT = "data not here"
    FAILED = "failed"
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
    other_data : str
        In what the data at hand is not the paper's; both values are shown, and not comparable.
    failure : str
        Why nothing could be computed of data that is here.
    like : str
        A number with as many digits as are shown where none is printed.
    """

    where: str
    printed: str | None
    computed: float | str | None
    errors: float | None = None
    interval: tuple[float, float] | None = None
    reason: str = ""
    note: str = ""
    other_data: str = ""
    failure: str = ""
    like: str = "0.000"

    @property
    def status(self) -> Status:
        """Exact where the printed digits are the same; else whether chance or a known reason explains it."""
        if self.failure:
            return Status.FAILED
        if self.computed is None:
            return Status.ABSENT
        if self.printed is None:
            return Status.UNPRINTED
        if self.other_data:
            return Status.OTHER
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
        like = self.printed if self.printed and any(map(str.isdigit, self.printed)) else self.like
        return self.computed if isinstance(self.computed, str) else rounded(self.computed, like)

    @property
    def verdict(self) -> str:
        """The status in words, with what it rests on."""
        because = {Status.EXPLAINED: self.reason, Status.OTHER: self.other_data, Status.FAILED: self.failure}
        why = because.get(self.status)
        parts = [f"{self.status}: {why}" if why else str(self.status)]
        if self.status in (Status.BY_CHANCE, Status.EXPLAINED, Status.OPEN):
            if self.errors is not None:
                parts.append(f"{abs(self.errors):.1f} standard errors")
            if self.interval is not None:
                low, high = (rounded(end, self.printed or "0.00") for end in self.interval)
                parts.append(f"95% [{low}, {high}]")
        return "; ".join(filter(None, [", ".join(parts), self.note]))

    @property
    def row(self) -> tuple[str, str, str, str]:
        return self.where, self.printed or "-", self.written or "-", self.verdict


COLUMNS = ("cell", "printed", "computed", "status")


@dataclass(frozen=True)
class Grid:
    """A table with a title, its first row the names of its columns."""

    title: str
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        return "\n".join([self.title, *aligned(self.rows)])

    def markdown(self) -> str:
        header, *rows = self.rows
        return f"{self.title}\n\n{markdown_table(header, rows)}"


@dataclass(frozen=True)
class Sheet:
    """A table of a paper.

    Attributes
    ----------
    elsewhere : str
        Which of its cells are of data that is not here, in one line.
    n_elsewhere : int
        How many these are.
    grids : sequence of Grid
        The table over several collections, as the paper has it, and what other settings give.
    """

    title: str
    cells: Sequence[Cell] = ()
    setting: str = ""
    elsewhere: str = ""
    n_elsewhere: int = 0
    grids: Sequence[Grid] = ()

    def counts(self) -> Counter[Status]:
        """How many cells have which status."""
        counted = Counter(cell.status for cell in self.cells)
        return counted + Counter({Status.ABSENT: self.n_elsewhere})

    @property
    def remarks(self) -> list[str]:
        missing = f"{Status.ABSENT.capitalize()}, {self.n_elsewhere} cells: {self.elsewhere}" if self.elsewhere else ""
        return list(filter(None, [self.setting, missing]))

    @property
    def listed(self) -> list[Cell]:
        """Cells one by one; where there are grids, those that are printed or failed."""
        plain = (Status.UNPRINTED,) if self.grids else ()
        return [cell for cell in self.cells if cell.status not in plain]

    def text(self) -> str:
        """For a terminal."""
        table = aligned([COLUMNS, *(cell.row for cell in self.listed)]) if self.listed else []
        return "\n".join([self.title, *self.remarks, *table, *(grid.text() for grid in self.grids)])

    def markdown(self) -> str:
        table = markdown_table(COLUMNS, [cell.row for cell in self.listed]) if self.listed else ""
        grids = [grid.markdown() for grid in self.grids]
        return "\n\n".join(filter(None, [f"### {self.title}", *self.remarks, table, *grids]))


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
