"""Why a population prefers a run: the utilities of two runs from the worst request to the best (PE 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from tiebreak._base.checks import find_pair
from tiebreak._base.text import digits_apart, format_signed
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings import Ordering
from tiebreak.populations import Population
from tiebreak.populations.deciding import Decision, deciding_places
from tiebreak.populations.lexicographic import Lexicographic, Leximax, SmoothedLeximin
from tiebreak.results.cells import Cell, column, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows
from tiebreak.results.tables import Table

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

MOST_PLACES = 20


class UtilityPlace(NamedTuple):
    """The utilities of two runs at one place of their sorted utilities, 1 being the worst; and their difference."""

    place: int
    request: str
    value: float
    other_request: str
    other_value: float
    difference: float


class SortedUtilities(Drawable, Rows[UtilityPlace]):
    """The utilities of two runs, each from its worst request to its best."""

    columns = UtilityPlace._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {
        **{name: column(name) for name in UtilityPlace._fields[:-1]},
        "difference": signed_column("difference"),
    }

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """The utilities of both runs from the worst request to the best."""
        from tiebreak.results.pictures import sorted_values

        run, other = self.settings["run"], self.settings["other"]
        values = {run: [row.value for row in self.values], other: [row.other_value for row in self.values]}
        return {"sorted": lambda: sorted_values(self.settings["measure"], values, notes=self.notes[:2])}

    def table(self, digits: int = 4, most: int | None = MOST_PLACES) -> Table:
        """The worst places, or those around the one that decided."""
        place, size = self.settings["place"], len(self.values)
        if most is None or place is None or place <= most:
            return super().table(digits, most)
        begin = min(place - most // 2, size - most)
        shown = f"Places {begin + 1} to {begin + most} of {size:,} are shown; other formats list all."
        rows: tuple[Any, ...] = self.values[begin : begin + most]
        return replace(self, values=rows, notes=(*self.notes, shown)).table(digits, None)


def sorted_utilities(
    table: UtilityTable, ordering: Ordering, population: Population, run: str, other: str, notes: Sequence[str] = ()
) -> SortedUtilities:
    """The utilities of two runs from the worst to the best, and what makes a population prefer one of them.

    Examples
    --------
    >>> import tiebreak as tb
    >>> exp = tb.Experiment({q: {"x": 1} for q in "qr"}, [{q: {"x": 1.0} for q in "qr"}, {"q": {"x": 1.0}}])
    >>> exp.explain("run1", "run2", measure="leximin(AP)").notes[:2]      # sorted 1, 1 and 0, 1
    ('leximin(AP) prefers run1.', 'Place 1 from the worst decides: 1.0000 (q) against 0.0000 (r).')
    """
    pair = find_pair(run, other, table.runs)
    names = np.array(list(table.requests), dtype=object)
    codes = table.codes()
    by_name = table.requests.places_in_order
    orders = [np.lexsort((by_name, codes[k])) for k in pair]
    values = [[float(v) for v in table.values[k][order]] for k, order in zip(pair, orders, strict=True)]
    requests = [names[order].tolist() for order in orders]
    rows = tuple(
        UtilityPlace(place, q, x, r, y, x - y)
        for place, (q, x, r, y) in enumerate(zip(requests[0], values[0], requests[1], values[1], strict=True), 1)
    )
    (decision,) = deciding_places(population, table, [pair])
    is_mean_told = table.weights is None and not isinstance(population, Lexicographic)
    mean = (mean_difference(rows),) if is_mean_told else ()
    why = (verdict(ordering, population, *pair), *mean, *deciding_sentences(population, decision, len(rows)))
    metric = "utility" if population.metric is None else str(population.metric)
    place = None if decision is None else decision.place
    settings = {"population": str(population), "measure": metric, "run": run, "other": other, "place": place}
    return SortedUtilities(rows, (*why, *notes), library=table.library, more_settings=settings)


def verdict(ordering: Ordering, population: Population, x: int, y: int) -> str:
    """Which run a population prefers, and by which numbers, if it has some."""
    run, other = ordering.runs[x], ordering.runs[y]
    tied = ordering.ranks[x] == ordering.ranks[y]
    better = f"ties {run} and {other}" if tied else f"prefers {run if ordering.ranks[x] < ordering.ranks[y] else other}"
    if not population.is_number:
        return f"{population} {better}."
    a, b = values_apart(ordering.scores[x], ordering.scores[y])
    return f"{population} {better}: {a} of {run} against {b} of {other}."


def values_apart(x: float, y: float) -> tuple[str, str]:
    """Two values, with as many digits as show that they differ."""
    digits = digits_apart(x, y, 4)
    return f"{x:.{digits}f}", f"{y:.{digits}f}"


def mean_difference(rows: Sequence[UtilityPlace]) -> str:
    return f"Mean difference over requests: {format_signed(sum(row.difference for row in rows) / len(rows), 4)}."


def deciding_sentences(population: Population, decision: Decision | None, n_places: int) -> Iterator[str]:
    """Where the first difference is that decides, if one place does or a window."""
    if not isinstance(population, Lexicographic):
        if decision is not None:
            yield f"{place_and_values(decision)}."
        return
    lag = population.lag if isinstance(population, SmoothedLeximin) else 1
    if decision is None:
        compared = "sorted utilities" if lag == 1 else f"sums of {lag} sorted utilities"
        yield f"All {compared} are equal{'' if population.digits is None else ', rounded'}."
        return
    is_from_best = isinstance(population, Leximax)
    is_first = decision.place == (n_places if is_from_best else 1)
    rest = "" if is_first else f"; all {'windows ' if lag > 1 else ''}{'after' if is_from_best else 'before'} it tie"
    yield f"{place_and_values(decision, lag)}{rest}."


def place_and_values(decision: Decision, lag: int = 1) -> str:
    """The place that decides, or the places of a window, and by which values."""
    place, request, value, other, other_value = decision
    a, b = values_apart(value, other_value)
    if lag > 1:
        return f"Places {place} to {place + lag - 1} from the worst decide: sums {a} and {b}"
    return f"Place {place} from the worst decides: {a} ({request}) against {b} ({other})"
