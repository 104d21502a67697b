"""Experiments about evaluation itself, one function each; a function is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak.studies.agreeing import agreement as agreement
    from tiebreak.studies.axiomatic import axioms as axioms
    from tiebreak.studies.convergent import validity as validity
    from tiebreak.studies.discriminative import power as power
    from tiebreak.studies.incomplete import missing as missing
    from tiebreak.studies.on_paper import orientation as orientation
    from tiebreak.studies.perturbed import ideal as ideal
    from tiebreak.studies.properties import check_properties as check_properties
    from tiebreak.studies.properties import paper_table as paper_table
    from tiebreak.studies.tied import ties as ties

_HOME = {
    "ties": "tied",
    "agreement": "agreeing",
    "power": "discriminative",
    "missing": "incomplete",
    "validity": "convergent",
    "orientation": "on_paper",
    "axioms": "axiomatic",
    "ideal": "perturbed",
    "check_properties": "properties",
    "paper_table": "properties",
}
"""Studies and the module each one lives in."""

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tiebreak.studies' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.studies.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
