"""Experiments about evaluation itself, one function each; a function is loaded when it is first used.

Those of runs take an `Experiment` first. `seed` is the random seed, `jobs` the number of threads, which changes no
result, and `tick` is called with the number of tasks done and their total.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiebreak.studies._catalogue import CATALOGUE as CATALOGUE

if TYPE_CHECKING:
    from tiebreak.studies._agreement import agreement as agreement
    from tiebreak.studies._axioms import axioms as axioms
    from tiebreak.studies._ideal import ideal as ideal
    from tiebreak.studies._missing import missing as missing
    from tiebreak.studies._orientation import orientation as orientation
    from tiebreak.studies._power import power as power
    from tiebreak.studies._properties import properties as properties
    from tiebreak.studies._ties import ties as ties
    from tiebreak.studies._validity import validity as validity

__all__ = [*CATALOGUE]


def __getattr__(name: str) -> Any:
    if name not in CATALOGUE:
        raise AttributeError(f"module 'tiebreak.studies' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.studies._{name}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
