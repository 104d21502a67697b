"""Orders of systems: of all requests together, and of every request."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_choice
from tiebreak._base.text import join_names, plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import Real, competition_ranks
from tiebreak.orderings import correlation
from tiebreak.projection.primitives import Floats
from tiebreak.results.cells import Cell, Row, column, signed_column
from tiebreak.results.drawable import Drawable
from tiebreak.results.record import Result, Rows

if TYPE_CHECKING:
    from tiebreak.results.plots import Drawing


class Place(NamedTuple):
    """One run's place in an order."""

    run: str
    measure: str
    by: str
    rank: int
    score: float
    tied: bool


@cache
def row_type(columns: tuple[str, ...]) -> Any:
    """A place in an order with all that is told of a run."""
    return namedtuple("Place", columns)


def rank_cell(row: Row, digits: int) -> str:
    """A rank, marked where it is shared."""
    return f"{row['rank']}=" if row["tied"] else f"{row['rank']}"


def interval_cell(row: Row, digits: int) -> str:
    return f"{row['low']}-{row['high']}"


def support_cell(row: Row, digits: int) -> str:
    return "-" if isnan(row["support"]) else f"{row['support']:.0%}"


@dataclass(frozen=True, eq=False, repr=False)
class Ordering(Drawable, Result):
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
    support : array [run], optional
        The share of bootstrap samples in which a run is above the next one below; NaN where there is none below.
    """

    measure: str
    by: str
    runs: tuple[str, ...]
    scores: Floats
    ranks: NDArray[np.int64]
    cycles: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    intervals: NDArray[np.int64] | None = None
    support: Floats | None = None
    marked_column = "rank"
    spread = "measure"
    score_name: ClassVar[str] = "score"
    """What scores are called in pictures."""
    trec_columns = ("measure", "request", "run", "rank", "score")
    _internals: ClassVar[tuple[str, ...]] = ("from_scores", "more_columns", "more_values", "next_below", "score_name")

    @property
    def columns(self) -> tuple[str, ...]:
        last = () if self.intervals is None else ("low", "high", "support")
        return (*Place._fields, *self.more_columns, *last)

    @property
    def more_columns(self) -> tuple[str, ...]:
        """Columns of `more_values`."""
        return ()

    def more_values(self, run: str) -> tuple[Any, ...]:
        """What else is told of a run."""
        return ()

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        return {"run": column("run"), "rank": rank_cell, "score": column("score"), **self._interval_cells}

    @property
    def spread_cells(self) -> Mapping[str, Cell]:
        return {"": rank_cell, **self._interval_cells}

    @property
    def _interval_cells(self) -> Mapping[str, Cell]:
        return {} if self.intervals is None else {"95%": interval_cell, "support": support_cell}

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
    ) -> Self:
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

    def rows(self) -> list[Any]:
        """The runs, the best first, with what else is told of them, and their rank intervals if there are any."""
        make, last = row_type(self.columns), dict(zip(self.runs, self._intervals_and_support(), strict=True))
        return [make(*place, *self.more_values(place.run), *last[place.run]) for place in self.places()]

    def _intervals_and_support(self) -> list[tuple[float, ...]]:
        """The rank interval and the support of every run, if there are any."""
        if self.intervals is None or self.support is None:
            return [()] * len(self.runs)
        pairs = zip(self.intervals.tolist(), self.support.tolist(), strict=True)
        return [(low, high, support) for (low, high), support in pairs]

    def next_below(self) -> list[int | None]:
        """For every run the next one below, by name the first of the next rank; None of the last."""
        order = [self.runs.index(run) for run in self.ranking()]
        places = np.searchsorted(self.ranks[order], self.ranks, side="right").tolist()
        return [order[place] if place < len(order) else None for place in places]

    def is_marked(self, row: Row) -> bool:
        return bool(row["rank"] == 1)

    @property
    def pictures(self) -> Mapping[str, Callable[[], Drawing]]:
        """Ranks with their intervals if there are any, else scores."""
        from tiebreak.results.pictures import leaderboard, rank_intervals

        if self.intervals is None:
            named = self.measure if self.measure.startswith(self.by) else f"{self.measure} by {self.by}"
            title = f"{named}: {self.score_name}, the best run first"
            scores = [(place.run, self.score_name, place.score, None, None) for place in self.places()]
            return {"scores": lambda: leaderboard(title, scores)}
        notes = tuple(note for note in self.notes if note.startswith("95% intervals"))
        rows = ((row.run, row.rank, row.low, row.high) for row in self.rows())
        return {"ranks": lambda: rank_intervals(self.measure, rows, notes)}

    def picture_with(self, others: Sequence[Ordering], kind: str | None) -> dict[str, Any]:
        """Several orders as one bump chart; their intervals beside each other."""
        if others and (kind == "bump" or (kind is None and self.intervals is None)):
            from tiebreak.results.vega_lite import vega_lite

            return vega_lite(*self._bump_chart([self, *others]))
        return super().picture_with(others, kind)

    @staticmethod
    def _bump_chart(orderings: Sequence[Ordering]) -> Drawing:
        from tiebreak.results.pictures import bump_chart

        return bump_chart({one.measure: dict(zip(one.runs, one.ranks.tolist(), strict=True)) for one in orderings})

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
