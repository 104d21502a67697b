"""Compare search and recommender systems by what users in different situations would prefer.

Importing this package imports nothing heavy: each name below is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiebreak import errors as errors
    from tiebreak import studies as studies
    from tiebreak.analysis import theory as theory
    from tiebreak.analysis.disaggregation import disaggregate as disaggregate
    from tiebreak.analysis.worst_off_users import is_top_heavy as is_top_heavy
    from tiebreak.analysis.worst_off_users import provider_exposure as provider_exposure
    from tiebreak.analysis.worst_off_users import worst_case as worst_case
    from tiebreak.comparison import Comparison as Comparison
    from tiebreak.comparison import compare as compare
    from tiebreak.errors import InputError as InputError
    from tiebreak.errors import TiebreakError as TiebreakError
    from tiebreak.experiment import Experiment as Experiment
    from tiebreak.inputs import Judgements as Judgements
    from tiebreak.inputs import Run as Run
    from tiebreak.inputs import read_aspects as read_aspects
    from tiebreak.inputs import read_groups as read_groups
    from tiebreak.inputs import read_judgements as read_judgements
    from tiebreak.inputs import read_providers as read_providers
    from tiebreak.inputs import read_weights as read_weights
    from tiebreak.metrics import metric as metric
    from tiebreak.orderings import Ordering as Ordering
    from tiebreak.populations import population as population
    from tiebreak.preferences import preference as preference
    from tiebreak.projection import UNRETRIEVED as UNRETRIEVED
    from tiebreak.projection import Levels as Levels
    from tiebreak.projection import Positions as Positions
    from tiebreak.projection import positions as positions
    from tiebreak.projection import project as project
    from tiebreak.projection import sample_labels as sample_labels
    from tiebreak.projection import sample_requests as sample_requests
    from tiebreak.scores import Scores as Scores
    from tiebreak.simulation import simulate as simulate
    from tiebreak.utilities import Utilities as Utilities

__version__ = "0.1.0"

_HOME = {
    "Experiment": "experiment",
    "Comparison": "comparison",
    "compare": "comparison",
    "Ordering": "orderings",
    "preference": "preferences",
    "Scores": "scores",
    "Utilities": "utilities",
    "population": "populations",
    "disaggregate": "analysis.disaggregation",
    "metric": "metrics",
    "InputError": "errors",
    "TiebreakError": "errors",
    "Judgements": "inputs",
    "Run": "inputs",
    "read_aspects": "inputs",
    "read_groups": "inputs",
    "read_judgements": "inputs",
    "read_providers": "inputs",
    "read_weights": "inputs",
    "UNRETRIEVED": "_kernels.interface",
    "Levels": "projection",
    "Positions": "projection",
    "positions": "projection",
    "project": "projection",
    "sample_labels": "projection",
    "sample_requests": "projection",
    "simulate": "simulation",
    "worst_case": "analysis.worst_off_users",
    "provider_exposure": "analysis.worst_off_users",
    "is_top_heavy": "analysis.worst_off_users",
}
"""Public names and the module each one lives in."""

_MODULES = {"errors": "errors", "studies": "studies", "theory": "analysis.theory"}
"""Public modules, and where each one is."""

__all__ = [*_HOME, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"tiebreak.{_MODULES[name]}")
    if name not in _HOME:
        raise AttributeError(f"module 'tiebreak' has no attribute {name!r}")
    value = getattr(import_module(f"tiebreak.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
