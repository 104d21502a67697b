"""Reading begun early: a process that has just started spends as long on importing numpy as on reading its files.

The compiled core reads on a thread of its own meanwhile. Whoever holds the `EarlyReading` and asks for just these
files, read in just this way, is given what has been read; anything else is read as usual.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from tiebreak._kernels.interface import Judged, Options, Source, Tick


class EarlyReading(NamedTuple):
    """What is being read, how, and the core's hold on it."""

    judgements: Source
    runs: list[Source]
    options: Options
    reading: Any

    def read_judgements(self, source: Source, tick: Tick | None, memory: int) -> Any:
        """What the kernel of this name returns; None where it was asked for something else."""
        if (source, memory) != (self.judgements, self.options.memory):
            return None
        return self.reading.judgements(tick)

    def project(self, sources: list[Source], judged: Judged, options: Options, tick: Tick | None) -> Any:
        """What the kernel of this name returns; None where it was asked for something else."""
        if (sources, options) != (self.runs, self.options):
            return None
        return self.reading.projection(judged, tick)


def read_early(core: Any, judgements: str, runs: Iterable[str], options: Options) -> EarlyReading | None:
    """Let the core begin, unless something here is not a file: a pipe can be read only once, by whoever asks."""
    paths = list(runs)
    if not all(map(os.path.isfile, [judgements, *paths])):
        return None
    try:
        reading = core.ReadAhead(judgements, paths, options)
    except (OverflowError, TypeError):  # whoever asks is told which number is too large
        return None
    return EarlyReading(("file", judgements), [("file", path) for path in paths], options, reading)
