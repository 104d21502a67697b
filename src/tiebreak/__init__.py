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
    from tiebreak.analysis.explanation import Contributions as Contributions
    from tiebreak.analysis.explanation import Disaggregation as Disaggregation
    from tiebreak.analysis.explanation import Explanation as Explanation
    from tiebreak.analysis.explanation import disaggregate as disaggregate
    from tiebreak.analysis.providers import ProviderExposure as ProviderExposure
    from tiebreak.analysis.providers import provider_exposure as provider_exposure
    from tiebreak.analysis.top_heaviness import TopHeaviness as TopHeaviness
    from tiebreak.analysis.top_heaviness import is_top_heavy as is_top_heavy
    from tiebreak.analysis.worst_off_users import WorstCase as WorstCase
    from tiebreak.analysis.worst_off_users import worst_case as worst_case
    from tiebreak.comparison import Comparison as Comparison
    from tiebreak.comparison import ComparisonSummary as ComparisonSummary
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
    from tiebreak.orderings.base import RequestOrders as RequestOrders
    from tiebreak.orderings.bootstrap import Bootstrap as Bootstrap
    from tiebreak.orderings.bootstrap import PairShares as PairShares
    from tiebreak.populations import population as population
    from tiebreak.populations.lags import LagCurve as LagCurve
    from tiebreak.preferences import preference as preference
    from tiebreak.projection import UNRETRIEVED as UNRETRIEVED
    from tiebreak.projection import Levels as Levels
    from tiebreak.projection import Positions as Positions
    from tiebreak.projection import positions as positions
    from tiebreak.projection import project as project
    from tiebreak.projection import sample_labels as sample_labels
    from tiebreak.projection import sample_requests as sample_requests
    from tiebreak.results.overview import Overview as Overview
    from tiebreak.results.record import Result as Result
    from tiebreak.scores import MeanIntervals as MeanIntervals
    from tiebreak.scores import Means as Means
    from tiebreak.scores import Scores as Scores
    from tiebreak.significance import Significance as Significance
    from tiebreak.significance.result import Letters as Letters
    from tiebreak.simulation import simulate as simulate
    from tiebreak.studies._counterexamples import LawTable as LawTable
    from tiebreak.studies._power import PowerStudy as PowerStudy
    from tiebreak.studies.base import Findings as Findings
    from tiebreak.utilities import PopulationScores as PopulationScores
    from tiebreak.utilities import Utilities as Utilities
    from tiebreak.utilities import WinShares as WinShares

__version__ = "0.1.0"

_NAMES = {
    "analysis.explanation": ("Contributions", "Disaggregation", "Explanation", "disaggregate"),
    "analysis.providers": ("ProviderExposure", "provider_exposure"),
    "analysis.top_heaviness": ("TopHeaviness", "is_top_heavy"),
    "analysis.worst_off_users": ("WorstCase", "worst_case"),
    "comparison": ("Comparison", "ComparisonSummary", "compare"),
    "errors": ("InputError", "TiebreakError"),
    "experiment": ("Experiment",),
    "inputs": ("Judgements", "Run", "read_aspects", "read_groups", "read_judgements", "read_providers", "read_weights"),
    "metrics": ("metric",),
    "orderings": ("Ordering",),
    "orderings.base": ("RequestOrders",),
    "orderings.bootstrap": ("Bootstrap", "PairShares"),
    "populations": ("population",),
    "populations.lags": ("LagCurve",),
    "preferences": ("preference",),
    "projection": ("UNRETRIEVED", "Levels", "Positions", "positions", "project", "sample_labels", "sample_requests"),
    "results.overview": ("Overview",),
    "results.record": ("Result",),
    "scores": ("MeanIntervals", "Means", "Scores"),
    "significance": ("Significance",),
    "significance.result": ("Letters",),
    "simulation": ("simulate",),
    "studies._counterexamples": ("LawTable",),
    "studies._power": ("PowerStudy",),
    "studies.base": ("Findings",),
    "utilities": ("PopulationScores", "Utilities", "WinShares"),
}
"""Modules and the public names that live in each."""

_HOME = {name: module for module, names in _NAMES.items() for name in names}
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
