"""Jobs of Spark while they run: how far they are, by the tasks of their stages, and what ends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
def running_jobs(session: Any, tick: Tick | None = None) -> Iterator[None]:
    """End the jobs of a session where Ctrl-C or `tick` does, which is called with their tasks.

    A session of Spark Connect has no stages to look at, nor has one that was stopped.
    """
    context = getattr(session, "sparkContext", None)
    if context is None or context._jsc is None:
        yield
        return
    tag = f"tiebreak-{uuid4().hex}"
    context.addJobTag(tag)
    try:
        with nullcontext() if tick is None else watch_stages(context, tag, tick):
            yield
    except KeyboardInterrupt:
        context.cancelJobsWithTag(tag)  # what is persisted could not be released before they end
        raise
    finally:
        context.removeJobTag(tag)


@contextmanager
def watch_stages(context: Any, tag: str, tick: Tick) -> Iterator[None]:
    """Call `tick` with tasks while the jobs of this tag run; they end where it raises an exception."""
    stages, is_over = Stages(context.statusTracker()), Event()
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
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        if raised:
            raise raised[0] from None
        tick(*stages.look())
