"""What was found about each metric and axiom, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tiebreak._base.text import plural
from tiebreak.results.plots import Picture
from tiebreak.results.tables import Table
from tiebreak.studies.axiomatic.measures import Measure
from tiebreak.studies.axiomatic.rankings import written, written_interest
from tiebreak.studies.axiomatic.requirements import AXIOMS, Axiom
from tiebreak.studies.axiomatic.search import Finding
from tiebreak.studies.base import Findings
from tiebreak.studies.properties.findings import YES_OR_NO

PICTURE = Picture("point", "axiom", "metric", color="verdict", titles=(("axiom", ""), ("metric", "")))
MOST_DIGITS = 16
ORDERS = {1: ">", 0: "=", -1: "<"}
VERDICTS = {
    (True, None): "holds",
    (False, None): "fails",
    (True, True): "holds, as printed",
    (False, False): "fails, as printed",
    (True, False): "holds, printed as failing",
    (False, True): "fails, printed as holding",
}
"""By what was found and what is printed."""


class Cell(NamedTuple):
    """What was found about one metric and one axiom.

    `better` and `worse` are what decides, if anything: rankings of ``rating:aspects``, of which the axiom says that the
    first has the higher value; `order` is what was found of their values: ``">"``, ``"="`` or ``"<"``. `printed` is the
    paper's verdict, None where it has none.
    """

    metric: str
    axiom: str
    holds: bool
    printed: bool | None
    agrees: bool | None
    verdict: str
    searched: int
    better: str | None = None
    worse: str | None = None
    interests: str | None = None
    value_better: float | None = None
    order: str | None = None
    value_worse: float | None = None

    def mark(self) -> str:
        """Whether the axiom holds; a star where the paper says otherwise."""
        return f"{YES_OR_NO[self.holds]}{'*' if self.agrees is False else ''}"

    def values(self, digits: int) -> tuple[str, str]:
        """Both values, with as many digits as it takes to see which is larger."""
        pairs = [
            (f"{self.value_better:.{k}f}", f"{self.value_worse:.{k}f}")
            for k in range(digits, max(digits, MOST_DIGITS) + 1)
        ]
        apart = (pair for pair in pairs if pair[0] != pair[1] and self.order != "=")
        return next(apart, pairs[0])

    def decided(self, digits: int) -> str:
        """What decides, in words."""
        where = f"{self.axiom} of {self.metric} {self.verdict}"
        if self.order is None:
            return f"{where}: not one of {plural(self.searched, 'pair')} is ordered so."
        better, worse = self.values(digits)
        return f"{where}: {self.better} {better} {self.order} {self.worse} {worse}; interest {self.interests}."


@dataclass(frozen=True, eq=False, repr=False)
class AxiomTable(Findings):
    """AB Table 1 as it was found; `rows` are its cells, one after the other."""

    def table(self, digits: int = 3, most: int | None = None) -> Table:
        """Axioms as rows and metrics as columns, what decides under them."""
        cells = [Cell(*row) for row in self.rows()]
        by_axiom: dict[str, list[Cell]] = {}
        for cell in cells:
            by_axiom.setdefault(cell.axiom, []).append(cell)
        rows = tuple(
            (axiom, *(cell.mark() for cell in of_axiom), f"{max(cell.searched for cell in of_axiom):,}")
            for axiom, of_axiom in by_axiom.items()
        )
        header = ("axiom", *dict.fromkeys(cell.metric for cell in cells), "searched")
        asks_for_one = {axiom.name for axiom in AXIOMS if axiom.is_existential}
        shown = (cell.decided(digits) for cell in cells if not cell.holds or cell.axiom in asks_for_one)
        return Table(header, rows, (self.conclusion, *shown, *self.details))


def cell(measure: Measure, axiom: Axiom, finding: Finding) -> Cell:
    """What was found, beside what is printed."""
    printed = None
    if measure.printed is not None and axiom in AXIOMS:
        printed = measure.printed[AXIOMS.index(axiom)] == "y"
    agrees = None if printed is None else printed == finding.holds
    made = Cell(
        measure.name, axiom.name, finding.holds, printed, agrees, VERDICTS[finding.holds, printed], finding.pairs
    )
    if finding.pair is None:
        return made
    better, worse = map(float, measure.values(finding.pair))
    return made._replace(
        better=written(finding.pair.better),
        worse=written(finding.pair.worse),
        interests=written_interest(finding.pair.interest),
        value_better=better,
        order=ORDERS[measure.sign(finding.pair)],
        value_worse=worse,
    )


def summary(cells: list[Cell]) -> str:
    """How many cells are as printed, and which are not; of other measures which axioms hold."""
    compared = [cell for cell in cells if cell.printed is not None]
    others = [f"{cell.axiom} of {cell.metric}" for cell in compared if not cell.agrees]
    said = []
    if compared:
        first = f"{len(compared) - len(others)} of {plural(len(compared), 'cell')} are as AB Table 1 prints them"
        said.append(f"{first}; not so (*): {', '.join(others)}." if others else f"{first}.")
    for metric in dict.fromkeys(cell.metric for cell in cells):
        of_metric = [cell for cell in cells if cell.metric == metric]
        if all(cell.printed is None for cell in of_metric):
            kept = [cell.axiom for cell in of_metric if cell.holds]
            said.append(f"{metric} keeps on all that was tried: {', '.join(kept) or 'no axiom'}.")
    return " ".join(said)
