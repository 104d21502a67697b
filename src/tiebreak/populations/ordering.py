"""Orders by populations, with what decided between neighbours, and the mean and CVaR beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from tiebreak._base.text import digits_apart
from tiebreak.errors import InputError
from tiebreak.exact.number import compare, competition_ranks
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.orderings import Ordering
from tiebreak.populations.aggregations import ConditionalValueAtRisk, Mean
from tiebreak.populations.base import Population, sample_weights
from tiebreak.populations.deciding import Decision, deciding_places
from tiebreak.populations.values import gap
from tiebreak.results.cells import Cell, column, text

BESIDE = (
    "mean, and cvar, that of the worst 10%, are over all requests. zeros, if there are any: requests with a utility of "
    "0, and in brackets how many runs have as many."
)
BESIDE_WEIGHTED = (
    "mean is over all requests, by weight. zeros, if there are any: requests with a utility of 0, and in brackets how "
    "many runs have as many."
)
BESIDE_GROUPS = BESIDE.replace("requests", "groups")
GROUPS = (
    "gap: the largest value of a group minus the smallest. rank_all: the rank by the same population over all requests."
)
TIER = "tier: which one decided between a run and the next one below; value and next: by which numbers."
DECIDED = (
    "place: from the worst request, the first at which a run and the next one below differ; request, value and next: "
    "the utilities of both there."
)
DECIDED_BY_GROUP = (
    "place: from the worst group, the first at which a run and the next one below differ; request, value and next: the "
    "group and the utilities of both there."
)
DECIDED_BY_COUNTS = DECIDED.replace("request, value", "value")  # which request it is was not kept
COLUMN_NOTES = (BESIDE, BESIDE_WEIGHTED, BESIDE_GROUPS, GROUPS, TIER, DECIDED, DECIDED_BY_GROUP, DECIDED_BY_COUNTS)
NOTHING = Decision(*[None] * 5)  # type: ignore[arg-type]


class RunFacts(NamedTuple):
    """What is told of a run beside its rank; of the next run below, what decided between them.

    `zeros` are requests with a utility of 0, None where no run has any; `zeros_tied` is the number of runs with as many
    of them, this one included. Of an order over groups, `gap` is the largest utility of a group minus the smallest, and
    `rank_all` the rank by the same population over all requests, None where it is not defined for them.
    """

    mean: float
    cvar: float | None
    zeros: int | None
    zeros_tied: int | None
    gap: float | None
    rank_all: int | None
    tier: str | None
    place: int | None
    request: str | None
    value: float | None
    next_request: str | None
    next_value: float | None


def zeros_cell(row: Mapping[str, Any], digits: int) -> str:
    return f"{row['zeros']:,} ({row['zeros_tied']:,})"


def count_cell(row: Mapping[str, Any], digits: int) -> str:
    """A score that is a count."""
    return f"{row['score']:,.0f}"


def deciding_cell(name: str) -> Cell:
    """One of the two values that decided, with as many digits as show that they differ."""
    return lambda row, digits: text(row[name], digits_apart(row["value"], row["next_value"], digits))


CELLS: Mapping[str, Cell] = {
    "mean": column("mean"),
    "cvar": column("cvar"),
    "zeros": zeros_cell,
    "gap": column("gap"),
    "rank_all": column("rank_all"),
    "tier": column("tier"),
    "place": column("place"),
    "request": column("request"),
    "value": deciding_cell("value"),
    "next": deciding_cell("next_value"),
    "next request": column("next_request"),
}
COLUMNS = {"next": "next_value", "next request": "next_request"}
"""Titles that are not the names of their columns."""


@dataclass(frozen=True, eq=False, repr=False)
class PopulationOrdering(Ordering):
    """Systems by a population over requests: each with its mean, its CVaR, and what put it above the next one.

    Attributes
    ----------
    population : Population
    utilities : UtilityTable
        The utilities that it orders, of which the columns beside ranks are computed when they are looked at.
    tiers : dict
        By priority, parts of the utilities that are ordered one after another.
    requests : UtilityTable, optional
        Where groups of requests are ordered, the utilities of the requests.
    also : tuple of str
        Columns that are there although no run has a value, so that several orders have the same ones.
    known_facts : dict, optional
        What is told of every run, of an order from a pickle, which has no utilities.
    """

    population: Population | None = None
    utilities: UtilityTable | None = None
    tiers: Mapping[str, UtilityTable] = field(default_factory=dict)
    requests: UtilityTable | None = None
    also: tuple[str, ...] = ()
    known_facts: dict[str, RunFacts] | None = None
    _internals: ClassVar[tuple[str, ...]] = ("also", "known_facts", "has_number")

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: what is told of every run, in place of the utilities."""
        return vars(self) | {"known_facts": self.facts, "utilities": None, "tiers": {}, "requests": None}

    @cached_property
    def facts(self) -> dict[str, RunFacts]:
        """What is told of every run."""
        if self.known_facts is not None:
            return self.known_facts
        population, table = self.population, self.utilities
        assert population is not None and table is not None
        every = self.requests or table
        zeros = every.zeros()
        nothing = [None] * len(zeros)
        means, worst = self._means(every)
        parts = (
            means,
            worst,
            zeros.tolist() if zeros.any() else nothing,
            (zeros[:, None] == zeros).sum(axis=1).tolist() if zeros.any() else nothing,
            self._gaps(table),
            self._ranks_over_requests(population),
            self._decisions(population, table),
        )
        rows = zip(self.runs, *parts, strict=True)
        return {run: RunFacts(*numbers, *decision) for run, *numbers, decision in rows}

    def _means(self, table: UtilityTable) -> tuple[list[float], list[float | None]]:
        """The mean of every run, and its CVaR where requests have no weights, which that does not take."""
        mean, cvar, weights = Mean(), ConditionalValueAtRisk(), sample_weights(table)
        numbers = [
            (float(mean.value(u, weights)), float(cvar.value(u)) if weights is None else None)
            for u in table.samples(by_place=True)
        ]
        return [first for first, _ in numbers], [second for _, second in numbers]

    def _gaps(self, table: UtilityTable) -> list[float | None]:
        """Between the groups of requests, if there are any."""
        if self.requests is None:
            return [None] * len(self.runs)
        return [gap([u.item(0), u.item(len(u) - 1)]) for u in table.samples()]

    def _ranks_over_requests(self, population: Population) -> list[int | None]:
        """The ranks over all requests, where groups of them are ordered."""
        if self.requests is None:
            return [None] * len(self.runs)
        try:
            population.check(self.requests)
        except InputError:  # weights, which groups do not have
            return [None] * len(self.runs)
        return [*competition_ranks(population.scores(self.requests)).tolist()]

    def _decisions(self, population: Population, table: UtilityTable) -> list[tuple[Any, ...]]:
        """What decided between every run and the next one below: the tier, if there are some, and the place."""
        pairs = [(run, other) for run, other in enumerate(self.next_below()) if other is not None]
        decisions: dict[int, tuple[Any, ...]] = {}
        for tier, part in self.tiers.items():
            decisions |= {run: (tier, *decision) for run, decision in decisions_in_tier(population, part, pairs)}
            pairs = [(run, other) for run, other in pairs if run not in decisions]
        if not self.tiers:
            places = zip(pairs, deciding_places(population, table, pairs), strict=True)
            decisions = {run: (None, *decision) for (run, _), decision in places if decision is not None}
        return [decisions.get(run, (None, *NOTHING)) for run in range(len(self.runs))]

    @cached_property
    def more_columns(self) -> tuple[str, ...]:
        """The facts that some run has."""
        by_name = zip(RunFacts._fields, zip(*self.facts.values(), strict=True), strict=True)
        return tuple(
            name for name, values in by_name if name in self.also or any(value is not None for value in values)
        )

    def more_values(self, run: str) -> tuple[Any, ...]:
        return tuple(getattr(self.facts[run], name) for name in self.more_columns)

    @property
    def table_cells(self) -> Mapping[str, Cell]:
        known = self.more_columns
        cells = {title: cell for title, cell in CELLS.items() if COLUMNS.get(title, title) in known}
        return {**super().table_cells, **({} if self.has_number else {"score": count_cell}), **cells}

    @property
    def has_number(self) -> bool:
        """Whether the population is a number of every run; else the score is the number of runs below."""
        assert self.population is not None
        return self.population.is_number and "tier" not in self.more_columns

    @property
    def score_name(self) -> str:  # type: ignore[override]
        return super().score_name if self.has_number else "number of runs below"

    @property
    def optional_columns(self) -> tuple[str, ...]:  # type: ignore[override]
        first = () if self.has_number else ("score",)
        return (*first, "next request", "cvar", "zeros", "mean", "rank_all")


def decisions_in_tier(
    population: Population, part: UtilityTable, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, Decision]]:
    """The pairs that one tier decides, by their first run: the place; or the numbers, where no place decides alone."""
    scores = population.scores(part)
    untied = [(x, y) for x, y in pairs if compare(scores[x], scores[y])]
    for (x, y), decision in zip(untied, deciding_places(population, part, untied), strict=True):
        numbers = (None, None, population.number(scores[x]), None, population.number(scores[y]))
        yield x, decision or Decision(*numbers)  # type: ignore[arg-type]


def align_columns(orderings: Sequence[Ordering]) -> list[Ordering]:
    """Several orders with the columns that any of them has, for one table of all; the ranks are side by side there."""
    names = tuple({name for one in orderings for name in one.more_columns})
    notes = ([note for note in one.notes if note not in COLUMN_NOTES] for one in orderings)
    aligned = (replace(one, notes=tuple(some)) for one, some in zip(orderings, notes, strict=True))
    return [replace(one, also=names) if isinstance(one, PopulationOrdering) else one for one in aligned]
