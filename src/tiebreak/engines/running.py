"""The local engine: one block after another; what is computed of them is joined, and checked once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from math import inf

import numpy as np

from tiebreak._kernels.interface import Tick
from tiebreak.engines.blocks import LocalBlocks
from tiebreak.engines.plan import Plan, State, Task, judgement_scale, partial
from tiebreak.errors import InputError, TiebreakError
from tiebreak.projection import Positions
from tiebreak.projection.position_table import GradeScale
from tiebreak.projection.reading import input_notes
from tiebreak.projection.summary import InputSummary

HELD, HELD_REQUESTS = 2, 10_000
"""Blocks that are kept while exact values are asked for, or more of them while they have no more requests in all."""


def run_blocks(
    plan: Plan, task: Task[State], blocks: LocalBlocks, jobs: int | None = None, tick: Tick | None = None
) -> tuple[State, InputSummary]:
    """What is computed of all blocks, and what was read.

    The error of lines that cannot be read is that of the first one, whichever block it is in; it comes before what can
    be checked only of all requests, and that before what measures find wrong.
    """
    task.check_blocks()
    blocks.whole.check(plan.reading)
    plan = replace(plan, scale=whole_scale(plan, blocks, jobs))
    parts, faults, error = [], [], None
    labels = [source.label for source in blocks.whole.runs]
    for k in range(len(blocks)):
        try:
            everything = read_block(plan, blocks, k, jobs)
        except InputError as fault:
            faults.append(fault)
            continue
        if tick is not None:
            tick(k + 1, len(blocks))
        try:
            part = partial(plan, task if error is None else NOTHING, everything)  # type: ignore[arg-type]
        except TiebreakError as first:
            error, part = first, partial(plan, NOTHING, everything)  # type: ignore[arg-type]
        parts.append(part)
    if faults:
        raise min(faults, key=lambda fault: (labels.index(fault.file) if fault.file in labels else -1, fault.line or 0))
    summary = InputSummary.total([part.summary for part in parts])
    summary = replace(summary, notes=(*input_notes(blocks.whole), *summary.notes))
    summary = replace(summary, notes=tuple(summary.reading_notes()))
    summary.check(labels, blocks.whole.judgements.requests[0])
    if error is not None:
        raise error

    @lru_cache(max(HELD, HELD_REQUESTS // blocks.size))
    def load(k: int) -> State:
        state = partial(plan, task, read_block(plan, blocks, k, jobs)).state
        assert state is not None, "the block had requests before"
        return state

    known = [(k, part.state) for k, part in enumerate(parts) if part.state is not None]
    return task.join([task.read_from(state, lambda k=k: load(k)) for k, state in known]), summary  # type: ignore[misc]


def whole_scale(plan: Plan, blocks: LocalBlocks, jobs: int | None) -> GradeScale:
    """The grades of all requests that count; which ones every run lists is known once all were read."""
    if plan.reading.requests == "judged":
        return judgement_scale(blocks.whole.judgements)
    scale = GradeScale(inf, 0.0)
    for k in range(len(blocks)):
        with suppress(InputError):  # which is raised when the block is read again
            scale = scale.plus(plan.reading.choose_requests(read_block(plan, blocks, k, jobs)).grade_scale)
    return scale


def read_block(plan: Plan, blocks: LocalBlocks, k: int, jobs: int | None) -> Positions:
    """The positions of a block, which know all judgements where they have the first items of rankings."""
    positions, first = plan.read(blocks[k], jobs), blocks.first_judgement(k)
    tops = positions.top
    if tops is not None:
        moved = (np.where(top.judgement < 0, -1, top.judgement + first).astype(np.int32) for top in tops)
        tops = tuple(top._replace(judgement=judgement) for top, judgement in zip(tops, moved, strict=True))
    return replace(positions, top=tops, judgements=blocks.whole.judgements)


class Nothing:
    """A task of which only the summary of the input is wanted."""

    levels: frozenset[float | None] = frozenset()
    has_aspects = False

    def partial(self, positions: Positions) -> None:
        return None


NOTHING = Nothing()
