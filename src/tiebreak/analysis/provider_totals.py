"""Exposure of providers summed over requests, and which run is best for the worst-off of them (LR 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.text import plural
from tiebreak.exact import ExactValues, Number
from tiebreak.inputs import Ids
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings import Ordering
from tiebreak.populations import Population
from tiebreak.results.cells import Row
from tiebreak.results.record import LazyRows, Result
from tiebreak.utilities import Utilities


class TotalExposure(NamedTuple):
    """The exposure of one provider in all rankings of a run."""

    run: str
    provider: str
    requests: int
    exposure: float
    is_worst: bool


@dataclass(frozen=True, eq=False, repr=False)
class ProviderTotals(Result):
    """Exposure of every provider summed over requests, by run.

    Attributes
    ----------
    utilities : Utilities
        The sums, with providers in the place of requests: for populations such as gini.
    n_requests : int array [provider]
        Requests with a relevant item of the provider.
    """

    utilities: Utilities
    n_requests: NDArray[np.int64]
    columns = TotalExposure._fields
    marked_column = "exposure"

    @property
    def runs(self) -> tuple[str, ...]:
        return self.utilities.runs

    @property
    def providers(self) -> tuple[str, ...]:
        return tuple(self.utilities.requests)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.utilities.notes

    def is_marked(self, row: Row) -> bool:
        return bool(row["is_worst"])

    def rows(self) -> Sequence[TotalExposure]:
        """One row per run and provider."""
        return LazyRows(self.utilities.values.size, self._rows)

    def _rows(self) -> Iterator[TotalExposure]:
        codes = self.utilities.table.numbers.codes()
        for r, run in enumerate(self.runs):
            parts = zip(self.providers, self.n_requests.tolist(), self.utilities.values[r].tolist(), strict=True)
            is_worst = (codes[r] == codes[r].min()).tolist()
            for (provider, n_requests, total), worst in zip(parts, is_worst, strict=True):
                yield TotalExposure(run, provider, n_requests, total, worst)

    def order(self, by: str | Population = "leximin") -> Ordering:
        """Order the runs by a population over providers: by leximin, which run is best for the worst-off one."""
        ordering = self.utilities.order(by)
        over = f"Over {plural(len(self.providers), 'provider')}."
        return replace(ordering, notes=tuple(over if note.startswith("Over ") else note for note in ordering.notes))


def sum_by_provider(
    runs: tuple[str, ...],
    providers: tuple[str, ...],
    provider: NDArray[np.int64],
    parts: Sequence[tuple[NDArray[np.int64], ExactValues]],
    library: str | None,
) -> UtilityTable:
    """The exact sums [run, provider] of exposures [run, pair], of which `provider` tells whose they are."""
    sums: list[list[Number]] = [[Number(Fraction(0))] * len(providers) for _ in runs]
    for columns, values in parts:
        owner = provider[columns]
        order = np.argsort(owner, kind="stable")
        starts = np.flatnonzero(np.diff(owner[order], prepend=-1)).tolist()
        for begin, end in pairwise([*starts, len(order)]):
            some, v = values.take_columns(order[begin:end]), int(owner[order[begin]])
            for r, row in enumerate(sums):
                row[v] = row[v] + some.sample(r).total()
    exact = ExactValues.from_numbers(sums)
    return UtilityTable(runs, Ids.from_names(providers), exact.nearest, exact=exact, library=library)
