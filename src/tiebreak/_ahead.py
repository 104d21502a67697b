"""Reading begun early: a process that has just started spends as long on importing numpy as on reading its files.

The compiled core reads on a thread of its own meanwhile. Whoever then asks the kernels for just these files, read in
just this way, is given what has been read; anybody else is not affected.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from tiebreak._interface import Judged, Options, Source, Tick


class Begun(NamedTuple):
    """What is being read, how, and the core's hold on it."""

    judgements: Source
    runs: list[Source]
    options: Options
    reading: Any


_begun: Begun | None = None


def begin(core: Any, judgements: str, runs: Iterable[str], options: Options) -> None:
    """Let the core begin, unless something here is not a file: a pipe can be read only once, by whoever asks."""
    global _begun
    paths = list(runs)
    if all(map(os.path.isfile, [judgements, *paths])):
        try:
            reading = core.ReadAhead(judgements, paths, options)
        except (OverflowError, TypeError):  # whoever asks is told which number is too large
            return
        _begun = Begun(("file", judgements), [("file", path) for path in paths], options, reading)


def end() -> None:
    """Forget what was begun: files may change, and nobody asks any more."""
    global _begun
    _begun = None


def read_judgements(source: Source, tick: Tick | None, memory: int) -> Any:
    """What the kernel of this name returns; None where nothing of the kind was begun."""
    if _begun is None or (source, memory) != (_begun.judgements, _begun.options.memory):
        return None
    return _begun.reading.judgements(tick)


def project(sources: list[Source], judged: Judged, options: Options, tick: Tick | None) -> Any:
    """What the kernel of this name returns; None where nothing of the kind was begun."""
    if _begun is None or (sources, options) != (_begun.runs, _begun.options):
        return None
    return _begun.reading.projection(judged, tick)
