"""How systems are ordered: a method gives every run a score, and an `Ordering` is what follows from the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiebreak.catalogue import Entry
from tiebreak.errors import InputError, UnknownNameError, quoted
from tiebreak.exact import Number, shared_ranks
from tiebreak.orderings import correlation
from tiebreak.orderings.ballots import Ballots
from tiebreak.projection.primitives import Floats
from tiebreak.reports.frames import Shown
from tiebreak.reports.tables import Table
from tiebreak.words import listed, many

Score: TypeAlias = "Number | Fraction | float"


@dataclass(frozen=True)
class Method(Entry):
    """Ballots -> a score per run, the larger the better; equal scores tie."""

    def scores(self, ballots: Ballots) -> list[Score]:
        """An exact score per run."""
        raise NotImplementedError

    def ranks(self, ballots: Ballots, weights: Floats) -> NDArray[np.int64]:
        """Ranks [sample, run], as in an `Ordering`, where request q counts ``weights[sample, q]`` times."""
        raise NotImplementedError


def ranks_of_rows(scores: NDArray[Any]) -> NDArray[np.int64]:
    """Ranks [sample, run] by descending scores that are exact; equal ones share the best of their ranks."""
    ranks: NDArray[np.int64] = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    return ranks


class Row(NamedTuple):
    """One run's place."""

    rank: int
    run: str
    score: float
    tied: bool

    @property
    def shown(self) -> str:
        """The rank, marked where it is shared."""
        return shown_rank(self.rank, self.tied)


@dataclass(frozen=True, eq=False, repr=False)
class Ordering(Shown):
    """Systems from the best to the worst, ties shown as ties.

    Attributes
    ----------
    measure, by : str
        What was compared, and how an order was made of it.
    runs : tuple of str
        In the order of the input.
    scores : array [run]
    ranks : int array [run]
        1 is best; runs that tie share the best of their ranks.
    cycles : tuple of tuples of str
        Runs of which each can be reached from each by majority preferences: no order can please all of these.
    """

    measure: str
    by: str
    runs: tuple[str, ...]
    scores: Floats
    ranks: NDArray[np.int64]
    cycles: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, measure: str, by: str, runs: tuple[str, ...], scores: Sequence[Score], **more: Any) -> Ordering:
        """The order that exact scores make, the larger the better; they are shown as floats, or as `shown` says."""
        ranks = shared_ranks(scores)
        floats = np.array(more.pop("shown", None) or [*map(float, scores)])
        for rank in np.unique(ranks):  # what is equal is reported as equal
            floats[ranks == rank] = floats[ranks == rank].min()
        return cls(measure, by, runs, floats, ranks, **more)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs that tie, by name; the best first."""
        return tuple(
            tuple(sorted(run for run, rank in zip(self.runs, self.ranks, strict=True) if rank == shared))
            for shared in np.unique(self.ranks)
        )

    @property
    def n_tied(self) -> int:
        """How many runs share their rank with another."""
        return sum(len(group) for group in self.groups if len(group) > 1)

    def correlation(self, other: Ordering, method: str = "tau_b", *, persistence: float = 0.9) -> float:
        """How alike two orderings of the same runs are: 1 where they agree.

        Parameters
        ----------
        other : Ordering
        method : {"tau_b", "tau_ap", "rbo"}
            Kendall's tau with ties; the same weighed to the top, `other` being the truth; rank-biased overlap.
        persistence : float
            Of rank-biased overlap: how deep it looks.
        """
        if method not in correlation.METHODS:
            raise UnknownNameError("correlation", method, correlation.METHODS)
        for run in sorted(set(self.runs) ^ set(other.runs)):
            lacking = other if run in self.runs else self
            raise InputError(f"{lacking.measure} by {lacking.by} does not order the run {quoted(run)}.", kind="runs")
        theirs = other.ranks[[other.runs.index(run) for run in self.runs]]
        if method == "rbo":
            return correlation.rbo(self.ranks, theirs, persistence)
        return correlation.METHODS[method](self.ranks, theirs)

    def rows(self) -> list[Row]:
        """The runs, the best first; those that tie by name."""
        alone = np.bincount(self.ranks) == 1
        rows = zip(self.ranks.tolist(), self.runs, self.scores.tolist(), (~alone[self.ranks]).tolist(), strict=True)
        return sorted((Row(*row) for row in rows), key=lambda row: (row.rank, row.run))

    def ranking(self) -> list[str]:
        """Names of the runs, the best first; those that tie by name."""
        return [row.run for row in self.rows()]

    def to_dict(self) -> dict[str, int]:
        """``{run: rank}``, the best first."""
        return {row.run: row.rank for row in self.rows()}

    def to_frame(self) -> Any:
        """A row per run, the best first: rank, run, score, tied."""
        return self._frame(Row._fields, self.rows())

    def table(self, digits: int = 4) -> Table:
        rows = tuple((row.run, row.shown, f"{row.score:.{digits}f}") for row in self.rows())
        said = (f"{self.measure}, by {self.by}.", *self.notes, *self._ties())
        return Table(("run", "rank", "score"), rows, said)

    def _ties(self) -> list[str]:
        said = [f"Tied systems: {self.n_tied}."] if self.n_tied else []
        said += [f"Majorities go round in a circle among {listed(cycle)}." for cycle in self.cycles]
        return said

    def __repr__(self) -> str:
        return f"<Ordering of {many(len(self.runs), 'run')}: {self.measure} by {self.by}>\n{self.table().to_text()}"


def shown_rank(rank: int, tied: bool) -> str:
    return f"{rank}=" if tied else f"{rank}"
