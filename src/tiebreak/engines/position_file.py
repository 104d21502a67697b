"""Positions of blocks in a temporary file, so that a second measure need not read the rows again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO
from weakref import finalize

from tiebreak._base.temporary import temporary_folder
from tiebreak.projection import Positions
from tiebreak.projection.reading import Reading


class PositionFile:
    """The positions of blocks as they were last read; those of another reading take their place."""

    def __init__(self) -> None:
        self._how: Reading | None = None
        self._file: IO[bytes] | None = None
        self._places: dict[int, int] = {}
        self._close: Callable[[], object] = lambda: None

    def read(self, how: Reading, k: int, project: Callable[[], Positions]) -> Positions:
        """The positions of a block, from the file if they are there."""
        if how != self._how:
            self._how, self._places = how, {}
            self._close()
            self._file = TemporaryFile(prefix="tiebreak-", dir=temporary_folder())  # noqa: SIM115
            self._close = finalize(self, self._file.close)
        assert self._file is not None
        if k in self._places:
            self._file.seek(self._places[k])
            held: Positions = pickle.load(self._file)
            return held
        positions = project()
        with suppress(OSError):  # a full disk: the rows are read again
            self._file.seek(0, 2)
            place = self._file.tell()
            pickle.dump(positions, self._file, protocol=5)
            self._file.flush()
            self._places[k] = place
        return positions
