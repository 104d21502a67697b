"""Experiments about evaluation itself, one function each; a function is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiebreak.studies._catalogue import CATALOGUE as CATALOGUE

if TYPE_CHECKING:
    from tiebreak.studies._agreement import agreement as agreement
    from tiebreak.studies._missing import missing as missing
    from tiebreak.studies._power import power as power
    from tiebreak.studies._ties import ties as ties
    from tiebreak.studies._validity import validity as validity
    from tiebreak.studies.axiomatic import axioms as axioms
    from tiebreak.studies.on_paper import orientation as orientation
    from tiebreak.studies.perturbed import ideal as ideal
    from tiebreak.studies.properties import check_properties as check_properties
    from tiebreak.studies.properties import paper_table as paper_table

_HOME = {function: study.module for name, study in CATALOGUE.items() for function in study.functions or (name,)}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiebreak.studies' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.studies.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
