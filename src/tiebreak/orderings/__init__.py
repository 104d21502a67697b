"""Preferences over requests -> an order of systems. `CATALOGUE` lists the methods, such as ``mc4`` or ``borda``."""

from __future__ import annotations

from tiebreak._base.catalogue import Catalogue
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method
from tiebreak.orderings.result import Ordering

__all__ = ["CATALOGUE", "Ballots", "Method", "Ordering", "method"]

CATALOGUE: Catalogue[Method] = Catalogue(
    "ordering method",
    "tiebreak.orderings",
    {
        "mc4": "markov.MC4",
        "borda": "voting.Borda",
        "copeland": "voting.Copeland",
        "win_rate": "voting.WinRate",
        "mean": "voting.MeanPreference",
    },
)


def method(spec: str | Method) -> Method:
    """The ordering method that a spec names."""
    return CATALOGUE.find(spec, Method, "mc4")


def is_method(spec: object) -> bool:
    """Whether a spec begins with the name of an ordering method."""
    return isinstance(spec, Method) or (isinstance(spec, str) and CATALOGUE.begins(spec.strip()))
