"""How far Spark is: the tasks of its stages, looked at while a job runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from tiebreak._kernels.interface import Tick

SECONDS = 0.2
"""Between two looks."""


class Stages:
    """Tasks of the stages that ran since this was made."""

    def __init__(self, tracker: Any) -> None:
        self.tracker = tracker
        self.tasks: dict[int, tuple[int, int]] = {}

    def look(self) -> tuple[int, int]:
        """Tasks that are done, and all that are known of; a stage that is no longer active is done."""
        active = {stage: self.tracker.getStageInfo(stage) for stage in self.tracker.getActiveStageIds()}
        self.tasks = {stage: (total, total) for stage, (_, total) in self.tasks.items()}
        self.tasks |= {k: (info.numCompletedTasks, info.numTasks) for k, info in active.items() if info is not None}
        done, total = (sum(counts) for counts in zip((0, 0), *self.tasks.values(), strict=True))
        return done, total


@contextmanager
def watch_stages(session: Any, tick: Tick | None) -> Iterator[None]:
    """Call `tick` with tasks while the jobs of a session run; a session of Spark Connect has no stages to look at.

    An exception of `tick` ends the work.
    """
    context = getattr(session, "sparkContext", None) if tick is not None else None
    if tick is None or context is None:
        yield
        return
    stages, is_over, tag = Stages(context.statusTracker()), Event(), f"tiebreak-{uuid4().hex}"
    raised: list[BaseException] = []

    def watch() -> None:
        while not is_over.wait(SECONDS):
            try:
                if not raised:
                    tick(*stages.look())
            except BaseException as error:
                raised.append(error)
            if raised:
                context.cancelJobsWithTag(tag)  # again, as another job may have begun

    thread = Thread(target=watch, daemon=True)
    context.addJobTag(tag)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        context.removeJobTag(tag)
        if raised:
            raise raised[0] from None
        tick(*stages.look())
