"""Preferences over requests -> an order of systems. `CATALOGUE` lists the methods, such as ``mc4`` or ``borda``."""

from __future__ import annotations

from tiebreak._base.catalogue import Catalogue
from tiebreak._base.spec import parse
from tiebreak.errors import InputError
from tiebreak.orderings.ballots import Ballots
from tiebreak.orderings.base import Method, Ordering

__all__ = ["CATALOGUE", "Ballots", "Method", "Ordering", "method"]

CATALOGUE: Catalogue[Method] = Catalogue(
    "way to order systems",
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
    if isinstance(spec, Method):
        return spec
    if not isinstance(spec, str):
        raise InputError(f"{spec!r} is not a way to order systems. Give its name, such as mc4.", kind="spec")
    return CATALOGUE.make(parse(spec))
