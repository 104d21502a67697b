"""Compare search and recommender systems by what users in different situations would prefer.

Importing this package imports nothing heavy: each name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak import errors as errors
    from tiebreak.errors import InputError as InputError
    from tiebreak.errors import TiebreakError as TiebreakError
    from tiebreak.inputs import Judgements as Judgements
    from tiebreak.inputs import Run as Run
    from tiebreak.inputs import read_judgements as read_judgements
    from tiebreak.projection import UNRETRIEVED as UNRETRIEVED
    from tiebreak.projection import Levels as Levels
    from tiebreak.projection import Positions as Positions
    from tiebreak.projection import positions as positions
    from tiebreak.projection import project as project
    from tiebreak.projection import sample_labels as sample_labels
    from tiebreak.projection import sample_requests as sample_requests
    from tiebreak.simulation import simulate as simulate

__version__ = "0.1.0"

_HOME = {
    "InputError": "errors",
    "TiebreakError": "errors",
    "Judgements": "inputs",
    "Run": "inputs",
    "read_judgements": "inputs",
    "UNRETRIEVED": "_interface",
    "Levels": "projection",
    "Positions": "projection",
    "positions": "projection",
    "project": "projection",
    "sample_labels": "projection",
    "sample_requests": "projection",
    "simulate": "simulation",
}
"""Public names and the module each one lives in."""

__all__ = [*_HOME, "__version__", "errors"]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("tiebreak.errors")
    if name not in _HOME:
        raise AttributeError(f"module 'tiebreak' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
