"""PE Table 1, cell by cell: as printed, and as found."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from tiebreak.analysis.theory import whole
from tiebreak.populations import population
from tiebreak.populations.aggregations import FLOOR
from tiebreak.populations.risk import risk_gain, symmetric_gain
from tiebreak.results.plots import Drawn, Picture
from tiebreak.studies.properties.allocations import FROM_0_TO_1, Allocation, Domain
from tiebreak.studies.properties.findings import (
    COLUMNS,
    HOLDS_OR_FAILS,
    MATRIX,
    PARETO,
    PROPERTIES,
    REQUIRED,
    UTILITARIAN,
    Finding,
)
from tiebreak.studies.properties.methods import Method, by_pairs, by_scores, gain_order, of_population
from tiebreak.studies.properties.violations import search, searched

PRINTED = {
    "min": "nny",
    "lmin": "yny",
    "avg": "yyn",
    "gavg": "ynn",
    "s@10": "nnn",
    "auc4": "nnn",
    "gain": "yyn",
    "gini": "nnn",
}
"""PE Table 1: PP, AU, DP; y for a tick."""

EXACT_FLOOR = Fraction(str(FLOOR))
FROM_FLOOR = Domain.of("from 1e-5, the floor, to 1", [max(EXACT_FLOOR, u) for u in FROM_0_TO_1.values])
ONE_RELEVANT = Domain.of("1/p, p from 1 to 20", [Fraction(1, p) for p in range(1, 21)])
SUCCESS = Domain.of("0 and 1", [Fraction(0), Fraction(1)])
ALPHA = Fraction(1)


class Cell(NamedTuple):
    """One cell of PE Table 1: what is printed there, and what was found."""

    method: str
    printed: bool
    finding: Finding


class Footnote(NamedTuple):
    """What the table leaves out, with what was found about it."""

    claim: str
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        return f"{self.claim}: {'; '.join(map(str, self.findings))}."


@dataclass(frozen=True, eq=False, repr=False)
class PropertyTable(Drawn):
    """PE Table 1 cell by cell: as printed, and as found."""

    cells: tuple[Cell, ...]
    footnotes: tuple[Footnote, ...]
    details: tuple[str, ...]
    library: str | None = None
    columns = ("method", "property", "printed", *COLUMNS)

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        return (f"{self.conclusion} {REQUIRED}", *self.details, *map(str, self.footnotes))

    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """A row per cell."""
        return tuple((method, finding.short, printed, *finding.row()) for method, printed, finding in self.cells)

    @property
    def conclusion(self) -> str:
        """How many cells are as printed."""
        equal = sum(cell.printed == cell.finding.holds for cell in self.cells)
        return f"{equal} of {len(self.cells)} cells are as printed."

    def picture(self) -> tuple[Picture, tuple[str, ...], list[tuple[str, str, str]]]:
        """A point per cell."""
        found = [(method, finding.short, HOLDS_OR_FAILS[finding.holds]) for method, _, finding in self.cells]
        return MATRIX, ("method", "property", "found"), found

    def is_as_printed(self) -> bool:
        """Whether every cell was found to be as it is printed."""
        return all(cell.printed == cell.finding.holds for cell in self.cells)


def paper_table(*, pairs: int = 250, seed: int = 0) -> PropertyTable:
    """PE Table 1, found again by search, with what its ticks and crosses leave out.

    Parameters
    ----------
    pairs : int
        How many random pairs are drawn for each number of requests.
    seed : int
        For the random pairs.

    Examples
    --------
    >>> found = paper_table(pairs=30)
    >>> found.is_as_printed(), next(row["x"] for row in found.records() if row["method"] == "gini")
    (True, '[3/5, 1/2, 1/2]')
    """
    whole("pairs", pairs, 0)
    whole("seed", seed, 0)
    cells = []
    for name, printed in PRINTED.items():
        method, domain = paper_method(name)
        findings = search(method, domain, PROPERTIES, pairs, seed).findings
        cells += [Cell(name, mark == "y", finding) for mark, finding in zip(printed, findings, strict=True)]
    notes = (
        searched(FROM_0_TO_1, 1, pairs, seed).replace("Searched: utilities", "Searched: unless noted, utilities"),
        f"gavg: utilities {FROM_FLOOR.words}. auc4: from 4 requests on. gain: the symmetric form, alpha = {ALPHA}.",
        "s@10: the utility is the AP of one relevant item at position p, 1/p; success is p <= 10.",
    )
    return PropertyTable(tuple(cells), footnotes(pairs, seed), notes)


def paper_method(name: str) -> tuple[Method, Domain]:
    """A row of the table, and the utilities that it is about."""
    if name == "s@10":
        return Method(name, by_scores(success_at_ten)), ONE_RELEVANT
    if name == "gain":
        return Method(name, by_pairs(gain_order(symmetric_gain, ALPHA))), FROM_0_TO_1
    domain = FROM_FLOOR if name == "gavg" else FROM_0_TO_1
    return of_population(population(name), domain), domain


def success_at_ten(allocations: list[Allocation]) -> list[Fraction]:
    """The share of requests with their one relevant item within ten positions (PE eq 8)."""
    return [Fraction(sum(u >= Fraction(1, 10) for u in x), len(x)) for x in allocations]


def footnotes(pairs: int, seed: int) -> tuple[Footnote, ...]:
    """Where a tick or a cross depends on the utilities, or on the form of the method."""
    plain = Method("T", by_pairs(gain_order(risk_gain, ALPHA)))
    asked = (
        ("gavg with utilities below its floor", of_population(population("gavg"), FROM_0_TO_1), FROM_0_TO_1, [PARETO]),
        (f"T itself, alpha = {ALPHA}, in place of the symmetric form", plain, FROM_0_TO_1, [UTILITARIAN]),
        ("s@10 on its own utility, 0 or 1", of_population(population("s@10"), SUCCESS), SUCCESS, PROPERTIES),
    )
    return tuple(
        Footnote(claim, search(method, domain, properties, pairs, seed).findings)
        for claim, method, domain, properties in asked
    )
