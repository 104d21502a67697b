"""Which requests make one run better than another, by utilities: their two values, and how many of them decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak._base.checks import find_pair
from tiebreak._base.text import format_signed, join_names, plural
from tiebreak.exact.sums import sum_fractions
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.preferences import Pairs, PairValues
from tiebreak.results.cells import Cell, column, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Rows
from tiebreak.results.tables import Table

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing

MOST_REQUESTS = 20
MOST_NAMED = 5


class RequestDifference(NamedTuple):
    """The utilities of two runs in one request, and their difference, positive where `run` is better."""

    request: str
    group: str | None
    value: float
    other_value: float
    difference: float


class RequestDifferences(Drawable, Rows[RequestDifference]):
    """Requests by how much two runs differ in them, the largest difference first."""

    @property
    def columns(self) -> tuple[str, ...]:
        names = RequestDifference._fields
        return names if self._has_groups else tuple(name for name in names if name != "group")

    @property
    def _has_groups(self) -> bool:
        return any(row.group is not None for row in self.values)

    def rows(self) -> tuple[Any, ...]:
        """Every request; without the column of groups where there are none."""
        return self.values if self._has_groups else tuple((row.request, *row[2:]) for row in self.values)

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        return {name: column(name) for name in self.columns[:-1]} | {"difference": signed_column("difference")}

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """The difference in every request."""
        from tiebreak.results.pictures import contribution_bars

        measure, run, other = (self.settings[name] for name in ("measure", "run", "other"))
        values = [(row.request, row.difference) for row in self.values]
        return {"requests": lambda: contribution_bars(f"Difference in {measure}", run, other, values)}

    def table(self, digits: int = 4, most: int | None = MOST_REQUESTS) -> Table:
        return super().table(digits, most)


def request_differences(
    table: UtilityTable, measure: str, run: str, other: str, groups: Mapping[str, str] | None, notes: tuple[str, ...]
) -> RequestDifferences:
    """The utilities of two runs in every request, and what makes one better."""
    pair = table.take_runs([*find_pair(run, other, table.runs)])
    paired = PairValues.differences(pair, Pairs.one(0, 1), pair.numbers)
    by_size = np.lexsort((pair.requests.places_in_order, -np.abs(paired.values[0]))).tolist()
    names, (x, y), differences = list(pair.requests), pair.values.tolist(), paired.values[0].tolist()
    rows = tuple(
        RequestDifference(
            names[k], None if groups is None else groups[names[k]], float(x[k]), float(y[k]), differences[k]
        )
        for k in by_size
    )
    why = (overall(paired, pair, measure), *what_decides(paired, [names[k] for k in by_size], by_size))
    settings = {"measure": measure, "run": run, "other": other}
    return RequestDifferences(rows, (*why, *notes), library=table.library, more_settings=settings)


def overall(paired: PairValues, pair: UtilityTable, measure: str) -> str:
    """The two means, and in how many requests each run is better."""
    run, other = pair.runs
    means = (f"{float(sample.mean()):.4f} of {name}" for name, sample in zip(pair.runs, pair.samples(), strict=True))
    wins, ties, losses = paired.win_tie_loss[0].tolist()
    difference = format_signed(float(paired.mean[0]), 4)
    return (
        f"Mean {measure}: {' against '.join(means)}, difference {difference}. value is that of {run}, other_value that "
        f"of {other}: {run} is better in {wins:,}, worse in {losses:,} and tied in {ties:,} of "
        f"{plural(paired.n_requests, 'request')}."
    )


def what_decides(paired: PairValues, names: list[str], places: list[int]) -> Iterator[str]:
    """How few requests carry the difference of the means: without them, the sign would be another.

    The requests are given from the largest difference on. Sums are exact.
    """
    run, other = paired.runs
    exact = paired.exact_values(0, np.array(places))
    total = sum_fractions(exact)
    if not total:
        yield (
            "The means are equal: what one run gains in some requests the other gains in others."
            if any(exact)
            else "The two runs have the same value in every request."
        )
        return
    better, worse = (run, other) if total > 0 else (other, run)
    sign = 1 if total > 0 else -1
    if all(value * sign >= 0 for value in exact):
        yield f"{better} is nowhere worse than {worse}."
        return
    deciding = requests_that_decide([value * sign for value in exact])
    few = join_names([names[k] for k in deciding], most=MOST_NAMED)
    count = f"{plural(len(deciding), 'request')} decide{'s' if len(deciding) == 1 else ''}"
    yield f"{count}: without {few}, {better} would not be better than {worse}."


def requests_that_decide(gains: list[Fraction]) -> list[int]:
    """The fewest of some gains, by their places, without which the sum of the others is not positive.

    Examples
    --------
    >>> requests_that_decide([Fraction(5), Fraction(-4), Fraction(2), Fraction(1)])      # 4 - 5 is below 0, 4 - 2 above
    [0]
    """
    rest, places = sum_fractions(gains), []
    for k in sorted(range(len(gains)), key=lambda k: -gains[k]):
        if rest <= 0:
            break
        rest -= gains[k]
        places.append(k)
    return places
