"""Utilities of all requests -> a number per run, or an order of the runs.

`CATALOGUE` lists every population; a spec such as ``leximin(AP)`` or ``cvar(RR, share=0.1)`` makes one.
"""

from __future__ import annotations

from tiebreak.catalogue import Catalogue
from tiebreak.errors import InputError
from tiebreak.metrics import metric as metric_of
from tiebreak.populations.base import Aggregation, Population
from tiebreak.spec import parse, unaliased

__all__ = ["CATALOGUE", "Aggregation", "Population", "population"]

CATALOGUE: Catalogue[Population] = Catalogue(
    "population",
    "tiebreak.populations",
    {
        "mean": "aggregations.Mean",
        "median": "aggregations.Median",
        "gmean": "aggregations.GeometricMean",
        "min": "aggregations.Minimum",
        "max": "aggregations.Maximum",
        "quantile": "aggregations.Quantile",
        "leximin": "lexicographic.Leximin",
        "leximax": "lexicographic.Leximax",
        "smoothed_leximin": "lexicographic.SmoothedLeximin",
        "lower_area": "aggregations.LowerArea",
        "positive": "aggregations.PositiveShare",
        "cvar": "aggregations.ConditionalValueAtRisk",
        "gain": "risk.Gain",
        "urisk": "risk.URisk",
        "trisk": "risk.TRisk",
        "georisk": "risk.GeoRisk",
        "gini": "aggregations.Gini",
    },
)

ALIASES = {
    "avg": "mean",
    "gavg": "gmean",
    "lmin": "leximin",
    "lmax": "leximax",
    "maximin": "min",
    "auc4": "lower_area",
    "s@10": "positive(P@10)",
    "T": "urisk",
    "URisk": "urisk",
    "TRisk": "trisk",
    "GeoRisk": "georisk",
    "CVaR": "cvar",
}
"""Names in the papers."""


def is_population(spec: object) -> bool:
    """Whether a spec begins with the name of a population."""
    if isinstance(spec, Population):
        return True
    return isinstance(spec, str) and CATALOGUE.begins(unaliased(spec.strip(), ALIASES))


def population(spec: str | Population) -> Population:
    """The population that a spec names.

    Examples
    --------
    >>> print(population("leximin(AP)"), population("auc4"), population("s@10"), population("cvar(RR, share=0.2)"))
    leximin(AP) lower_area positive(P@10) cvar(RR, share=0.2)
    """
    if isinstance(spec, Population):
        return spec
    if not isinstance(spec, str):
        raise InputError(f"{spec!r} is no population. Give its name, such as leximin or gmean.", kind="spec")
    return CATALOGUE.make(parse(unaliased(spec.strip(), ALIASES)), lambda inside: metric_of(str(inside)))
