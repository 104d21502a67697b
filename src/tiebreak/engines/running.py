"""What every engine does with blocks of requests: compute each, join what was computed, and check the whole once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.freed_memory import return_freed_memory
from tiebreak.engines.blocks import Blocks
from tiebreak.engines.plan import Partial, Plan, State, Task, partial
from tiebreak.engines.request_file import RequestFile
from tiebreak.engines.totals import TotalsTask
from tiebreak.errors import InputError, TiebreakError
from tiebreak.inputs import Ids
from tiebreak.projection import Positions
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import input_notes
from tiebreak.projection.summary import MOST_NAMED, InputSummary

HELD, HELD_REQUESTS = 2, 10_000
"""Blocks that are kept while exact values are asked for, or more of them while they have no more requests in all."""


@dataclass(frozen=True, eq=False)
class Outcome(Generic[State]):
    """What became of a block: what is known of it, or the fault that kept it from being read.

    `error` is what a measure found wrong; then there is a summary of the input only.
    """

    part: Partial[State] | None = None
    fault: InputError | None = None
    error: TiebreakError | None = None


def compute(plan: Plan, task: Task[State], read: Callable[[], Positions]) -> Outcome[State]:
    """What becomes of the block that `read` returns."""
    try:
        everything = read()
    except InputError as fault:
        if fault.kind == "disk":  # which is full for other blocks, too
            raise
        return Outcome(fault=fault)
    try:
        return Outcome(partial(plan, task, everything))
    except TiebreakError as error:
        bare: Any = replace(plan, intents=None)  # which may be what is wrong
        return Outcome(partial(bare, NOTHING, everything), error=error)  # type: ignore[arg-type]


def finish(
    outcomes: Sequence[Outcome[State]], labels: Sequence[str], notes: tuple[str, ...], first: str
) -> InputSummary:
    """What was read of all blocks, checked; `labels` are of runs, `notes` of the input, which begins with `first`.

    The error of lines that cannot be read is that of the first one, whichever block it is in; it comes before what can
    be checked only of all requests, and that before what measures find wrong.
    """
    if faults := [outcome.fault for outcome in outcomes if outcome.fault is not None]:
        raise min(faults, key=lambda fault: fault_place(fault, labels))
    summary = InputSummary.total([outcome.part.summary for outcome in outcomes if outcome.part is not None])
    about_input = replace(summary, notes=notes).reading_notes()
    summary = replace(summary, notes=(*about_input, *summary.notes))  # the latter of what was made of the input
    summary.check(labels, first)
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    return summary


def fault_place(fault: InputError, labels: Sequence[str]) -> tuple[int, int, bytes, str]:
    """Where a fault is: in which run, on which line, and, where rows have no numbers, in which request; what it is."""
    run = labels.index(fault.file) if fault.file in labels else -1
    return run, fault.line or 0, (fault.request or "").encode(), str(fault)


def with_file(task: Task[State], write: RequestFile | None) -> Task[State]:
    """A task that writes the values of every request before it adds them up, if that is asked for."""
    return replace(task, write=write) if isinstance(task, TotalsTask) else task


def run_blocks(
    plan: Plan,
    task: Task[State],
    blocks: Blocks,
    jobs: int | None = None,
    notes: tuple[str, ...] = (),
    write: RequestFile | None = None,
) -> tuple[State, InputSummary]:
    """The local engine: what is computed of all blocks, one after another, and what was read.

    What is computed of every request may be written on the way.
    """
    task = task.fit(blocks.n_requests * len(blocks), plan.runs)
    task.check_blocks()
    blocks.whole.check(plan.reading)
    aspects = None if plan.aspects is None else replace(plan.aspects, is_part=len(blocks) > 1)
    plan = replace(plan, scale=whole_scale(plan, blocks, jobs), aspects=aspects)
    writing = with_file(task, write)
    outcomes: list[Outcome[State]] = []
    places: list[NDArray[np.int64]] = []
    for k in range(len(blocks)):
        has_failed = any(outcome.error is not None for outcome in outcomes)
        chosen: Task[State] = NOTHING if has_failed else writing  # type: ignore[assignment]
        outcome = compute(plan, chosen, lambda k=k: blocks.read(plan, k, jobs))  # type: ignore[misc]
        outcomes.append(outcome if has_failed else detach(outcome, task))
        requests = None if outcome.part is None or outcome.part.state is None else task.requests(outcome.part.state)
        if requests is not None:
            places.append(blocks.places(k, requests))
        return_freed_memory()
    outcomes = name_empty_requests(outcomes, lambda k, name: int(blocks.places(k, Ids.from_names([name]))[0]))
    labels = [source.label for source in blocks.whole.runs]
    summary = finish(outcomes, labels, (*input_notes(blocks.whole), *notes), blocks.first)

    @lru_cache(max(HELD, HELD_REQUESTS // max(blocks.n_requests, 1)))
    def load(k: int) -> State:
        state = partial(plan, task, blocks.read(plan, k, jobs)).state
        assert state is not None, "the block had requests before"
        return state

    known = [(k, outcome.part.state) for k, outcome in enumerate(outcomes) if outcome.part is not None]
    states = [task.attach(state, lambda k=k: load(k)) for k, state in known if state is not None]  # type: ignore[misc]
    joined, order = task.join(states), np.concatenate([*places, np.zeros(0, dtype=np.int64)])
    joined = task.complete(joined, lambda other: reduce_blocks(plan, other, blocks, jobs))
    is_sorted = bool((np.diff(order) > 0).all())
    return (joined if is_sorted else task.take_requests(joined, np.argsort(order))), summary


def known_states(outcomes: Sequence[Outcome[State]]) -> list[State]:
    """The states of blocks that were read before without a fault; what a task finds wrong is raised."""
    for outcome in outcomes:
        if error := outcome.fault or outcome.error:
            raise error
    return [outcome.part.state for outcome in outcomes if outcome.part is not None and outcome.part.state is not None]


def reduce_blocks(plan: Plan, task: TotalsTask, blocks: Blocks, jobs: int | None) -> Any:
    """What another task computes of all blocks, which were read before without a fault; one state is held."""
    total: Any = None
    for k in range(len(blocks)):
        state = partial(plan, task, blocks.read(plan, k, jobs)).state
        if state is not None:
            total = state if total is None else task.add([total, state])
    return total


def detach(outcome: Outcome[State], task: Task[State]) -> Outcome[State]:
    """An outcome whose state, if any, holds nothing of its block."""
    part = outcome.part
    if part is None or part.state is None or outcome.error is not None:
        return outcome
    return replace(outcome, part=replace(part, state=task.detach(part.state)))


def name_empty_requests(outcomes: list[Outcome[State]], key: Callable[[int, str], Any]) -> list[Outcome[State]]:
    """Outcomes of which the first names the first requests of all that have no relevant item.

    `key` is that by which requests are sorted, of a block's index and a name.
    """
    parts = [(k, outcome.part) for k, outcome in enumerate(outcomes) if outcome.part is not None]
    names = {name: key(k, name) for k, part in parts for name in part.summary.empty}
    named = iter([tuple(sorted(names, key=names.__getitem__)[:MOST_NAMED])])

    def rename(outcome: Outcome[State]) -> Outcome[State]:
        if outcome.part is None:
            return outcome
        return replace(outcome, part=outcome.part.with_empty(next(named, ())))

    return [*map(rename, outcomes)]


def whole_scale(plan: Plan, blocks: Blocks, jobs: int | None) -> GradeScale:
    """The grades of all requests that count; which ones every run lists is known once all were read."""
    if plan.reading.requests == "judged":
        return blocks.scale
    scale = GradeScale(inf, 0.0)
    for k in range(len(blocks)):
        with suppress(InputError):  # which is raised when the block is read again
            scale = scale.plus(plan.reading.choose_requests(blocks.read(plan, k, jobs)).grade_scale)
    return scale


class Nothing:
    """A task of which only the summary of the input is wanted."""

    levels: frozenset[float | None] = frozenset()
    has_aspects = False

    def partial(self, positions: Positions) -> None:
        return None


NOTHING = Nothing()
