"""(p, p') -> signed preference per request.

`CATALOGUE` lists every preference; a spec such as ``RPP(weights='dcg')`` makes one, and a metric's name stands for the
difference of its values.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tiebreak._base.catalogue import LIST, Catalogue
from tiebreak._base.purposes import purpose
from tiebreak._base.spec import Spec, expand_alias, parse
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics import CATALOGUE as METRICS
from tiebreak.metrics import Metric, metric
from tiebreak.preferences.base import Preference, Traits
from tiebreak.preferences.from_metric import MetricDifference
from tiebreak.preferences.pair_values import PairValues
from tiebreak.preferences.pairs import Pairs

__all__ = ["CATALOGUE", "DEFAULTS", "PairValues", "Pairs", "Preference", "Traits", "preference"]

CATALOGUE: Catalogue[Preference] = Catalogue(
    "preference",
    "tiebreak.preferences",
    {
        "RPP": "rpp.RecallPairedPreference",
        "ST-RPP": "rpp.SubtopicRecallPairedPreference",
        "LexiRecall": "lexicographic.LexiRecall",
        "LexiPrecision": "lexicographic.LexiPrecision",
        "rrLP": "lexicographic.ReciprocalRankLexiPrecision",
        "UserLeximin": "user_leximin.UserLeximin",
        "diff": "from_metric.MetricDifference",
        "sign": "from_metric.MetricSign",
        "OI": "interleaving.OfflineInterleaving",
        "Interleaving": "interleaving.Interleaving",
    },
)

DEFAULTS = ("RPP", "LexiRecall", "LexiPrecision")
"""Average, worst and best case."""

ALIASES = {
    "rpp": "RPP",
    "invrpp": "RPP(weights='inverse')",
    "dcgrpp": "RPP(weights='dcg')",
    "invRPP": "RPP(weights='inverse')",
    "dcgRPP": "RPP(weights='dcg')",
    "st-RPP": "ST-RPP",
    "lexirecall": "LexiRecall",
    "LR": "LexiRecall",
    "sgnLR": "LexiRecall",
    "lexiprecision": "LexiPrecision",
    "LP": "LexiPrecision",
    "sgnLP": "LexiPrecision",
    "rrlexiprecision": "rrLP",
}
"""Names in the papers and in pref_eval."""


def preference(spec: str | Spec | Preference | Metric, **parameters: Any) -> Preference:
    """The preference that a spec names; a metric stands for the difference of its values.

    Parameters
    ----------
    spec : str, Preference or Metric
    **parameters
        Those of the preference, in place of what the spec says: also what is not written easily in one, such as a
        dictionary, a list or a frame.

    Examples
    --------
    >>> print(preference("dcgrpp"), preference("sgnLP"), preference("AP"), preference("sign(nDCG@10)"))
    RPP(weights='dcg') LexiPrecision diff(AP) sign(nDCG@10)
    >>> print(preference("RPP", grades={1: 0.5, 2: 0.5}, weights=[2, 1]))
    RPP(weights='2,1', grades='1:0.5,2:0.5')
    """
    if parameters:
        entry = preference(spec)
        names = [one.name for one in fields(entry)]
        for name in parameters:
            if name not in names:
                has = ", ".join(names) or "no parameters"
                raise InputError(f"{entry}: there is no parameter {name!r}. {entry.name} has {has}.", kind="spec")
        return replace(entry, **parameters)
    if isinstance(spec, Preference):
        return spec
    if isinstance(spec, Metric) or callable(spec):
        return MetricDifference(metric(spec))
    if not isinstance(spec, (str, Spec)):
        raise InputError(f"{spec!r} is not a preference. Give its name, such as RPP or LexiRecall.", kind="spec")
    text = expand_alias(str(spec).strip(), ALIASES)
    if CATALOGUE.begins(text):
        return CATALOGUE.make(parse(text), argument)
    try:
        return MetricDifference(metric(text))
    except UnknownNameError:
        name = parse(text).name
        elsewhere = purpose(name, "preference", "metric")
        raise UnknownNameError(
            "preference", name, [*CATALOGUE, *METRICS, *METRICS.others], elsewhere, where=LIST
        ) from None


def is_preference(spec: object) -> bool:
    """Whether something is a preference, or the name of one that is not a metric's too."""
    text = str(spec).strip() if isinstance(spec, (str, Spec)) else ""
    return isinstance(spec, Preference) or CATALOGUE.begins(text) or (text in ALIASES and text not in METRICS)


def argument(spec: Spec) -> Metric:
    """The metric inside a preference; a preference there is an error."""
    if is_preference(spec):
        raise InputError(f"{spec} is a preference itself; diff and sign take a metric, such as AP.", kind="spec")
    return metric(str(spec))
