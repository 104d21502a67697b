"""Positions of blocks in a temporary file, so that a second measure need not read the rows again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from tiebreak.engines.scratch_file import ScratchFile
from tiebreak.projection import Positions
from tiebreak.projection.reading import Reading


@dataclass(frozen=True, eq=False)
class KeptPositions:
    """The positions of blocks, as they were read in one way: where each begins in a file."""

    how: Reading
    file: ScratchFile = field(default_factory=ScratchFile)
    places: dict[int, int] = field(default_factory=dict)


class PositionFile:
    """The positions of blocks as they were last read; those of another reading take their place."""

    def __init__(self) -> None:
        self._kept: KeptPositions | None = None

    def read(self, how: Reading, k: int, project: Callable[[], Positions]) -> Positions:
        """The positions of a block, from the file if they are there."""
        kept = self._kept  # which another thread may replace
        if kept is None or how != kept.how:
            kept = self._kept = KeptPositions(how)
        if k in kept.places:
            with kept.file.open(kept.places[k]) as stream:
                held: Positions = pickle.load(stream)
            return held
        positions = project()
        if kept.file.is_own:
            with suppress(OSError):  # a full disk: the rows are read again
                kept.places[k] = kept.file.write(pickle.dumps(positions, protocol=5))
        return positions
