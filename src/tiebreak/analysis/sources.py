"""Where positions come from: from themselves, or from an experiment that reads what a measure needs."""

from __future__ import annotations

from typing import Any, Protocol

from tiebreak.errors import InputError
from tiebreak.projection import Positions


class Readable(Protocol):
    """What an `Experiment` has."""

    @property
    def positions(self) -> Positions: ...
    @property
    def read(self) -> Any: ...


def read_positions(source: Positions | Readable, measure: Any) -> Positions:
    """Positions as they are, or those of an experiment, with all that a measure needs."""
    if isinstance(source, Positions):
        return source
    if not hasattr(source, "read") or not hasattr(source, "runs"):
        raise InputError(f"{type(source).__name__} has no positions. Give Positions or an Experiment.", kind="shape")
    source.read([measure])
    return source.positions
