"""Reading in the background: a new process spends as long on importing numpy as on reading its files.

The compiled core reads on a thread of its own meanwhile. A caller that holds the `EarlyReading` and asks for the same
files with the same options gets what was read; anything else is read as usual.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from tiebreak._kernels.interface import Judged, Options, Source, Tick


class EarlyReading(NamedTuple):
    """What is being read, with which options, and the core's handle."""

    judgements: Source
    runs: list[Source]
    options: Options
    reading: Any

    @classmethod
    def begin(cls, core: Any, judgements: str, runs: list[str], options: Options) -> EarlyReading | None:
        """Start, unless something is not a regular file: a pipe can be read only once."""
        if not all(map(os.path.isfile, [judgements, *runs])):
            return None
        try:
            reading = core.ReadAhead(judgements, runs, options)
        except (OverflowError, TypeError):  # reading as usual reports which number is too large
            return None
        return cls(("file", judgements), [("file", path) for path in runs], options, reading)

    def read_judgements(self, source: Source, tick: Tick | None, memory: int) -> Any:
        """What the kernel of this name returns; None for another source or another limit."""
        if (source, memory) != (self.judgements, self.options.memory):
            return None
        return self.reading.judgements(tick)

    def project(self, sources: list[Source], judged: Judged, options: Options, tick: Tick | None) -> Any:
        """What the kernel of this name returns; None for other sources or other options."""
        if (sources, options) != (self.runs, self.options):
            return None
        return self.reading.projection(judged, tick)
