"""A plan: how blocks of requests are read, with every choice made that depends on all of them; and what is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import Tick
from tiebreak.inputs import Ids, Judgements
from tiebreak.inputs.sources import Source
from tiebreak.projection import Positions
from tiebreak.projection.aspect_source import AspectSource
from tiebreak.projection.popularity import Popularity
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import Block, Reading
from tiebreak.projection.summary import InputSummary

State = TypeVar("State")


class Task(Protocol[State]):
    """What is computed of the positions of every block. Tasks can be pickled; their functions are pure."""

    @property
    def levels(self) -> frozenset[float | None]:
        """Grades from which items are relevant to it, beside that of the experiment."""

    @property
    def has_aspects(self) -> bool:
        """Whether it looks at the aspects of items."""

    def fit(self, n_requests: int, runs: tuple[str, ...]) -> Task[Any]:
        """The task itself; or where it would hold too much of so many requests, the one that holds sums and counts."""

    def partial(self, positions: Positions) -> State:
        """The state of a block."""

    def check_blocks(self) -> None:
        """Refuse what cannot be computed in blocks."""

    def join(self, states: Sequence[State]) -> State:
        """The state of several blocks, in the order of their requests."""

    def requests(self, state: State) -> Ids | None:
        """The requests of a state, if it has values of them."""

    def take_requests(self, state: State, places: NDArray[np.int64]) -> State:
        """The state of some requests, in this order."""

    def detach(self, state: State) -> State:
        """A state that holds nothing of its block but floats and counts."""

    def attach(self, state: State, load: Callable[[], State]) -> State:
        """A detached state whose exact values are those of what `load` returns."""

    def complete(self, state: State, visit: Callable[[Any], Any], *how: Any) -> State:
        """The joined state, with what is computed in another pass over all blocks: `visit` does that, of other tasks.

        Their states are added up. `how` is as in `Visit`.
        """


@dataclass(frozen=True, eq=False)
class Partial(Generic[State]):
    """What is known of a block; without a state where no request of it counts."""

    summary: InputSummary
    state: State | None

    def with_empty(self, names: tuple[str, ...]) -> Partial[State]:
        """The same, with other names of requests without relevant items."""
        return replace(self, summary=replace(self.summary, empty=names))


@dataclass(frozen=True, eq=False)
class Plan:
    """How every block is read. It can be pickled.

    `scale` are the grades of all requests that count; `aspects` and `intents` are of all requests. With
    `counts_users`, aspects have to know how many users rated each item.
    """

    reading: Reading
    runs: tuple[str, ...]
    imputation: str = "pessimistic"
    aspects: AspectSource | None = None
    intents: Judgements | None = None
    scale: GradeScale | None = None
    counts_users: bool = False

    def with_popularity(self, count: Callable[[], Popularity]) -> Plan:
        """The same, with the users of every item if they are needed, unless training ratings tell them."""
        if not self.counts_users or self.aspects is None or self.aspects.train is not None:
            return self
        return replace(self, aspects=replace(self.aspects, popularity=count()))

    def read(
        self,
        block: Block,
        jobs: int | None = None,
        audit: bool = False,
        tick: Tick | None = None,
        early: EarlyReading | None = None,
    ) -> Positions:
        """The positions of all requests of a block."""
        return replace(self.reading.project(block, self.runs, jobs, audit, tick, early), whole_scale=self.scale)

    def read_ratings(self, ratings: Judgements, runs: tuple[Source, ...], jobs: int | None = None) -> Positions:
        """The positions of whole requests, with judgements of theirs that are held nowhere else."""
        positions = self.read(Block(self.reading.binarize(ratings), runs), jobs)
        return replace(positions, aspect_source=AspectSource(ratings))

    def with_aspect_source(self, positions: Positions) -> Positions:
        """Positions that know where aspects come from, with the judgements that they were read with, if any."""
        source, own = self.aspects, positions.aspect_source
        if source is not None and own is not None:
            source = replace(source, judgements=own.judgements)
        return replace(positions, aspect_source=source)

    def complete(self, positions: Positions) -> Positions:
        """Positions with what measures look at beside ranks."""
        if self.imputation == "optimistic":
            positions = positions.optimistic()
        positions = self.with_aspect_source(positions)
        source = self.aspects
        if self.intents is None and (source is None or source.aspects is None):
            return positions
        from tiebreak.projection.aspect_rankings import with_aspects, with_intents

        if source is not None and source.aspects is not None:
            positions = with_aspects(positions, source.aspects)
        return positions if self.intents is None else with_intents(positions, self.intents)


def partial(plan: Plan, task: Task[State], everything: Positions) -> Partial[State]:
    """What is known of the positions of a block: a pure function."""
    everything = plan.with_aspect_source(everything)
    chosen = plan.reading.choose_requests(everything)
    if not len(chosen.requests):
        return Partial(InputSummary.from_positions(chosen, task.levels, everything=everything), None)
    positions = plan.complete(chosen)
    state = task.partial(positions)  # which says what is missing
    return Partial(InputSummary.from_positions(positions, task.levels, task.has_aspects, everything), state)


def judgement_scale(judgements: Judgements) -> GradeScale:
    """The grades of judgements that positions are of."""
    above = judgements.grade[judgements.grade > 0]
    subtopics = 0.0 if judgements.subtopics is None else judgements.subtopics.grade.max(initial=0.0)
    return GradeScale(float(above.min(initial=np.inf)), float(above.max(initial=0.0)), float(subtopics))
