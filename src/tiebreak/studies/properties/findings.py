"""The properties, what was found about each, and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tiebreak._base.checks import find_name
from tiebreak._base.text import plural
from tiebreak.results.plots import Drawn, Picture
from tiebreak.studies.properties.allocations import Allocation, Scaled, written


class Property(NamedTuple):
    """What a method should respect: `requires(x, y)` is whether x must be better than y."""

    short: str
    name: str
    requires: Callable[[Scaled, Scaled], bool]


PARETO = Property(
    "PP", "Pareto property", lambda x, y: x != y and all(of_x >= of_y for of_x, of_y in zip(x, y, strict=True))
)
UTILITARIAN = Property("AU", "average utilitarianism", lambda x, y: sum(x) > sum(y))
DIFFERENCE = Property("DP", "difference principle", lambda x, y: min(x) > min(y))
PROPERTIES = (PARETO, UTILITARIAN, DIFFERENCE)
"""PE eq 1, 2 and 4."""

COLUMNS = ("holds", "x", "y", "verdict", "pairs")
YES_OR_NO = {True: "yes", False: "no"}
HOLDS_OR_FAILS = {True: "no violation found", False: "violated"}
MATRIX = Picture("point", "property", "method", color="found")
"""Methods by properties."""
REQUIRED = "Where a property does not hold it requires x > y."


class Counterexample(NamedTuple):
    """Two allocations of which the property requires x, while the method prefers y or is indifferent.

    `verdict` is the method's: ``"x < y"`` or ``"x = y"``; `source` the section of the paper, or ``"search"``.
    """

    x: Allocation
    y: Allocation
    verdict: str
    source: str

    def __str__(self) -> str:
        return f"fails: x = {written(self.x)}, y = {written(self.y)}, {self.verdict}"


class Finding(NamedTuple):
    """What was found about one property: `pairs` is on how many pairs that require a preference it was tried."""

    short: str
    pairs: int
    counterexample: Counterexample | None

    @property
    def holds(self) -> bool:
        """Whether no violation was found."""
        return self.counterexample is None

    def row(self) -> tuple[Any, ...]:
        """Holds, x, y, verdict, pairs."""
        if self.counterexample is None:
            return True, None, None, None, self.pairs
        x, y, verdict, _ = self.counterexample
        return False, written(x), written(y), verdict, self.pairs

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        holds, x, y, verdict, pairs = self.row()
        return YES_OR_NO[holds], x or "-", y or "-", verdict or "-", f"{pairs:,}"

    def to_dict(self) -> dict[str, Any]:
        """The row by name."""
        return dict(zip(COLUMNS, self.row(), strict=True))

    def __str__(self) -> str:
        return f"{self.short} {self.counterexample or 'holds on ' + plural(self.pairs, 'pair')}"


@dataclass(frozen=True, eq=False, repr=False)
class PropertyReport(Drawn):
    """What was found about one method.

    Attributes
    ----------
    method : str
    findings : tuple of Finding
        One for each property.
    searched : str
        Where violations were searched for.
    is_exact : bool
        Whether all numbers of the method were rational; else floats were compared as they are.
    """

    method: str
    findings: tuple[Finding, ...]
    searched: str
    is_exact: bool

    library: str | None = None
    columns = ("property", *COLUMNS)

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """A row per property."""
        return tuple((finding.short, *finding.row()) for finding in self.findings)

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        floats = () if self.is_exact else ("Numbers of the method are floats, compared as they are.",)
        return (f"{self.conclusion} {REQUIRED}", self.searched, *floats)

    @property
    def conclusion(self) -> str:
        """Which properties are violated."""
        violated = [finding.short for finding in self.findings if not finding.holds]
        return f"{self.method} violates {' and '.join(violated) if violated else 'none of them, as far as searched'}."

    def picture(self) -> tuple[Picture, tuple[str, ...], list[tuple[str, str, str]]]:
        """A point per property."""
        found = [(self.method, finding.short, HOLDS_OR_FAILS[finding.holds]) for finding in self.findings]
        return MATRIX, ("method", "property", "found"), found

    def __getitem__(self, short: str) -> Finding:
        """The finding for ``"PP"``, ``"AU"`` or ``"DP"``."""
        return self.findings[find_name(short, [finding.short for finding in self.findings], "property")]
