"""p -> one number per run and request. `CATALOGUE` lists every metric; a spec such as ``AP(rel=2)@100`` makes one."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics.base import LevelMetric, Metric, Traits
from tiebreak.metrics.disaggregation import Disaggregation, disaggregate
from tiebreak.metrics.exact import LexiPrecisionValue, LexiRecallValue
from tiebreak.metrics.external import ExternalMeasure, external
from tiebreak.metrics.graded import NDCG, ExpectedReciprocalRank
from tiebreak.metrics.judged import BinaryPreference, JudgedShare
from tiebreak.metrics.recall_level import (
    AveragePrecision,
    BinaryNDCG,
    LinearExposure,
    NormalisedCumulativePrecision,
    Precision,
    RankBiasedPrecision,
    Recall,
    RecallLevelMetric,
    ReciprocalRank,
    RPrecision,
    Success,
    TotalSearchEfficiency,
    recall_level_form,
)
from tiebreak.metrics.search_length import (
    AverageSearchLength,
    InitialSearchLength,
    RecallError,
    SearchLength3,
    TotalSearchLength,
)
from tiebreak.metrics.weights import recall_weights
from tiebreak.spec import LONGEST, Spec, canonical, parse, shown

__all__ = [
    "CATALOGUE",
    "Disaggregation",
    "ExternalMeasure",
    "LevelMetric",
    "Metric",
    "RecallLevelMetric",
    "Traits",
    "disaggregate",
    "metric",
    "recall_level_form",
    "recall_weights",
]

CATALOGUE: dict[str, type[Metric]] = {
    entry.name: entry
    for entry in (
        AveragePrecision,
        ReciprocalRank,
        NDCG,
        BinaryNDCG,
        RankBiasedPrecision,
        Recall,
        RPrecision,
        Precision,
        Success,
        TotalSearchEfficiency,
        NormalisedCumulativePrecision,
        LinearExposure,
        ExpectedReciprocalRank,
        BinaryPreference,
        JudgedShare,
        InitialSearchLength,
        TotalSearchLength,
        AverageSearchLength,
        SearchLength3,
        RecallError,
        LexiRecallValue,
        LexiPrecisionValue,
    )
}


def metric(spec: str | Spec | Metric) -> Metric:
    """The metric that a spec names; a measure that only ir_measures knows is handed over to it.

    Examples
    --------
    >>> print(metric("map_cut_100"), metric("RBP(p=0.9)@20"), metric("AP(rel=2)@100"), metric("TSE(nDCG)"))
    AP@100 RBP(p=0.9)@20 AP(rel=2)@100 TSE(nDCG)
    """
    if isinstance(spec, Metric):
        return spec
    if isinstance(spec, str):
        text = spec.strip()
        if len(text) <= LONGEST and not known_name(text) and (handed_over := external(text)):
            return handed_over
        spec = parse(text)
    if spec.name not in CATALOGUE:
        raise UnknownNameError("metric", spec.name, CATALOGUE)
    kind = CATALOGUE[spec.name]
    return kind(**parameters(kind, spec), cutoff=spec.cutoff)


def known_name(text: str) -> bool:
    """Whether a spec begins with a name of the catalogue, once aliases are read."""
    name = re.match(r"[\w-]*", canonical(text))
    return name is not None and name.group() in CATALOGUE


def parameters(kind: type[Metric], spec: Spec) -> dict[str, Any]:
    """The arguments of a spec by name; those without one go to the metric's own parameters in order."""
    known = [parameter.name for parameter in fields(kind) if parameter.name != "cutoff"]
    own = [name for name in known if name != "rel"]
    given: dict[str, Any] = {}
    for place, (key, value) in enumerate(spec.arguments):
        name = key if key is not None else own[place] if place < len(own) else shown(value)
        if name not in known or name in given:
            problem = f"{name!r} is given twice" if name in given else f"there is no parameter {name!r}"
            raise InputError(f"{spec}: {problem}. {spec.name} has {', '.join(known)}, and @ for a cutoff.", kind="spec")
        given[name] = metric(value) if isinstance(value, Spec) else value
    return given
