"""Orders of systems: of all requests together, and of every request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import Real, competition_ranks
from tiebreak.orderings import correlation
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, Row, column, signed_column
from tiebreak.results.record import Result, Rows


class Place(NamedTuple):
    """One run's place in an order."""

    run: str
    measure: str
    by: str
    rank: int
    score: float
    tied: bool


def rank_cell(row: Row, digits: int) -> str:
    """A rank, marked where it is shared."""
    return f"{row['rank']}=" if row["tied"] else f"{row['rank']}"


@dataclass(frozen=True, eq=False, repr=False)
class Ordering(Result):
    """Systems from the best to the worst, ties shown as ties.

    Attributes
    ----------
    measure, by : str
        The measure, and the ordering method.
    runs : tuple of str
        In the order of the input.
    scores : array [run]
    ranks : int array [run]
        1 is best; runs that tie share the best of their ranks.
    cycles : tuple of tuples of str
        Condorcet cycles: runs of which each can be reached from each by majority preferences.
    intervals : int array [run, 2], optional
        95% bootstrap intervals of ranks.
    """

    measure: str
    by: str
    runs: tuple[str, ...]
    scores: Floats
    ranks: NDArray[np.int64]
    cycles: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    intervals: NDArray[np.int64] | None = None
    marked_column = "rank"
    spread = "measure"
    trec_columns = ("measure", "request", "run", "rank", "score")

    @property
    def columns(self) -> tuple[str, ...]:
        return Place._fields if self.intervals is None else (*Place._fields, "low", "high")

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        return {"run": column("run"), "rank": rank_cell, "score": column("score"), **self._interval_cells}

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": rank_cell, **self._interval_cells}

    @property
    def _interval_cells(self) -> Mapping[str, Cell]:
        return {} if self.intervals is None else {"95%": lambda row, digits: f"{row['low']}-{row['high']}"}

    @classmethod
    def from_scores(
        cls,
        measure: str,
        by: str,
        runs: tuple[str, ...],
        scores: Sequence[Real],
        *,
        reported: Sequence[float] | None = None,
        cycles: tuple[tuple[str, ...], ...] = (),
        notes: tuple[str, ...] = (),
        library: str | None = None,
        more_settings: Mapping[str, Any] | None = None,
    ) -> Ordering:
        """The order that exact scores make, the larger the better; they are reported as floats, or as given."""
        ranks = competition_ranks(scores)
        floats = np.array([*map(float, scores)] if reported is None else list(reported))
        for rank in np.unique(ranks):  # what is equal is reported as equal
            floats[ranks == rank] = floats[ranks == rank].min()
        ordering = cls(measure, by, runs, floats, ranks, cycles, library=library, more_settings=more_settings or {})
        tied = f", {plural(ordering.n_tied, 'system')} tied" if ordering.n_tied else ""
        cyclic = (f"{measure}: Condorcet cycle among {join_names(cycle)}." for cycle in cycles)
        return replace(ordering, notes=(f"{measure} by {by}: rank 1 is best{tied}.", *cyclic, *notes))

    @property
    def settings(self) -> dict[str, Any]:
        return {"measure": self.measure, "by": self.by, **self.more_settings}

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs that tie, by name; the best first."""
        return tuple(
            tuple(sorted(run for run, rank in zip(self.runs, self.ranks, strict=True) if rank == shared))
            for shared in np.unique(self.ranks)
        )

    @property
    def n_tied(self) -> int:
        """The number of runs that share their rank with another."""
        return sum(len(group) for group in self.groups if len(group) > 1)

    def correlation(self, other: Ordering, method: str = "tau_b", *, persistence: float = 0.9) -> float:
        """The rank correlation of two orderings of the same runs: 1 where they agree.

        Parameters
        ----------
        other : Ordering
        method : {"tau_b", "tau_ap", "rbo"}
            Kendall's tau with ties; its top-weighted form, `other` being the truth; rank-biased overlap.
        persistence : float
            Of rank-biased overlap: the larger, the deeper it compares.
        """
        check_choice(method, "correlation", correlation.METHODS)
        for run in sorted(set(self.runs) ^ set(other.runs)):
            lacking = other if run in self.runs else self
            raise InputError(f"{lacking.measure} by {lacking.by} does not order the run {quote(run)}.", kind="runs")
        theirs = other.ranks[[other.runs.index(run) for run in self.runs]]
        if method == "rbo":
            return correlation.rbo(self.ranks, theirs, persistence)
        return correlation.METHODS[method](self.ranks, theirs)

    def places(self) -> list[Place]:
        """The runs, the best first; those that tie by name."""
        shared = np.bincount(self.ranks)[self.ranks] > 1
        places = zip(self.runs, self.ranks.tolist(), self.scores.tolist(), shared.tolist(), strict=True)
        rows = (Place(run, self.measure, self.by, rank, score, tied) for run, rank, score, tied in places)
        return sorted(rows, key=lambda row: (row.rank, row.run))

    def rows(self) -> list[tuple[Any, ...]]:
        """The runs, the best first, with their rank intervals if there are any."""
        if self.intervals is None:
            return list(self.places())
        bounds = dict(zip(self.runs, self.intervals.tolist(), strict=True))
        return [(*place, *bounds[place.run]) for place in self.places()]

    def is_marked(self, row: Row) -> bool:
        return bool(row["rank"] == 1)

    def ranking(self) -> list[str]:
        """Names of the runs, the best first; those that tie by name."""
        return [place.run for place in self.places()]


class RequestPlace(NamedTuple):
    """One run's place in one request, by win rate."""

    run: str
    request: str
    measure: str
    rank: int
    win_rate: float
    tied: bool


@dataclass(frozen=True, eq=False, repr=False)
class RequestOrders(Rows[RequestPlace]):
    """The order of the runs within every request, the best first."""

    columns = RequestPlace._fields
    table_cells: ClassVar[Mapping[str, Cell]] = {
        "request": column("request"),
        "rank": rank_cell,
        "run": column("run"),
        "win rate": signed_column("win_rate"),
    }
    trec_columns = ("measure", "request", "run", "rank", "win_rate")
