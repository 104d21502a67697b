"""What is computed of all requests at once, where everything is held. Imports nothing that blocks need."""

from __future__ import annotations

from tiebreak.engines.plan import State, Task
from tiebreak.engines.request_file import RequestFile
from tiebreak.projection import Positions


def run_whole(task: Task[State], positions: Positions, write: RequestFile | None = None) -> State:
    """What is computed of all requests at once."""
    fitted: Task[State] = task.fit(0, positions.runs)  # there is room, but sums may be all that is wanted
    return fitted.complete(compute_whole(task, fitted, positions, write), lambda other: other.partial(positions))


def compute_whole(task: Task[State], fitted: Task[State], positions: Positions, write: RequestFile | None) -> State:
    if fitted is task:
        return task.partial(positions)
    from tiebreak.engines.running import with_file

    fitted.check_blocks()
    return fitted.join([with_file(fitted, write).partial(positions)])
