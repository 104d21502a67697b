"""Utilities of all requests -> a number per run, or an order of the runs.

`CATALOGUE` lists every population; a spec such as ``leximin(AP)`` or ``cvar(RR, share=0.1)`` makes one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tiebreak._base.catalogue import Catalogue
from tiebreak._base.purposes import purpose
from tiebreak._base.spec import expand_alias
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics import metric
from tiebreak.orderings import CATALOGUE as METHODS
from tiebreak.orderings import is_method
from tiebreak.populations.base import Aggregation, Population

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
        "owa": "ordered.OrderedWeightedAverage",
        "gini_welfare": "ordered.GiniWelfare",
        "atkinson_welfare": "atkinson.AtkinsonWelfare",
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
    return isinstance(spec, str) and CATALOGUE.begins(expand_alias(spec.strip(), ALIASES))


def population(spec: str | Population) -> Population:
    """The population that a spec names.

    Examples
    --------
    >>> print(population("leximin(AP)"), population("auc4"), population("s@10"), population("cvar(RR, share=0.2)"))
    leximin(AP) lower_area positive(P@10) cvar(RR, share=0.2)
    """
    return CATALOGUE.find(spec, Population, "leximin or gmean", ALIASES, lambda inside: metric(str(inside)))


def check_order_name(by: object) -> None:
    """Check that a text names an ordering method or a population; the error suggests both."""
    if isinstance(by, str) and by.strip() and not is_method(by) and not is_population(by):
        name = by.strip().partition("(")[0]  # as it was typed
        advice = purpose(name, "ordering method", "population")
        raise UnknownNameError("ordering method", name, [*METHODS, *CATALOGUE], advice)


def population_for(measure: Any, by: Any, *, over_requests: bool = False) -> Population | None:
    """The population that a measure or `by` names; None if neither does.

    The mean is also an ordering of preferences, and is the population only `over_requests`.
    """
    if is_population(measure):
        if by is not None:
            raise InputError(f"{measure} orders the runs already. Leave out by={by!r}.", kind="choice")
        return check_metric(population(measure))
    if not is_population(by) or (isinstance(by, str) and by.strip() in METHODS and not over_requests):
        return None
    order = population(by)
    if measure is None:
        return check_metric(order)
    try:
        utility = metric(measure)
    except UnknownNameError:
        raise InputError(f"{by} needs a metric, such as AP; {measure} is not a metric.", kind="spec") from None
    if order.metric not in (None, utility):
        raise InputError(f"{measure} cannot be ordered by {by}, which names another metric.", kind="choice")
    return replace(order, metric=utility)


def check_metric(order: Population) -> Population:
    """Check that a population names its metric."""
    if order.metric is None:
        raise InputError(f"{order} needs a metric, such as {order.name}(AP).", kind="spec")
    return order
