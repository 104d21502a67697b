"""p -> one number per run and request. `CATALOGUE` lists every metric; a spec such as ``AP(rel=2)@100`` makes one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any, ClassVar

from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics.base import LevelMetric, Metric, Traits
from tiebreak.metrics.recall_level import RecallLevelMetric, recall_level_form
from tiebreak.metrics.weights import recall_weights
from tiebreak.spec import LONGEST, Spec, Value, canonical, parse, shown

__all__ = [
    "CATALOGUE",
    "LevelMetric",
    "Metric",
    "RecallLevelMetric",
    "Traits",
    "metric",
    "recall_level_form",
    "recall_weights",
]


class Catalogue(Mapping[str, type[Metric]]):
    """Every metric by its name; a file of definitions is imported when one of its metrics is asked for."""

    HOMES: ClassVar[dict[str, str]] = {
        "AP": "recall_level.AveragePrecision",
        "RR": "recall_level.ReciprocalRank",
        "nDCG": "graded.NDCG",
        "binary_nDCG": "recall_level.BinaryNDCG",
        "RBP": "recall_level.RankBiasedPrecision",
        "R": "recall_level.Recall",
        "RP": "recall_level.RPrecision",
        "P": "recall_level.Precision",
        "Success": "recall_level.Success",
        "TSE": "recall_level.TotalSearchEfficiency",
        "NCP": "recall_level.NormalisedCumulativePrecision",
        "linear": "recall_level.LinearExposure",
        "ERR": "graded.ExpectedReciprocalRank",
        "bpref": "judged.BinaryPreference",
        "Judged": "judged.JudgedShare",
        "ISL": "search_length.InitialSearchLength",
        "TSL": "search_length.TotalSearchLength",
        "ASL": "search_length.AverageSearchLength",
        "SL3": "search_length.SearchLength3",
        "RecallError": "search_length.RecallError",
        "LR": "exact.LexiRecallValue",
        "LP": "exact.LexiPrecisionValue",
    }

    def __getitem__(self, name: str) -> type[Metric]:
        module, entry = self.HOMES[name].split(".")
        found: type[Metric] = getattr(import_module(f"tiebreak.metrics.{module}"), entry)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.HOMES)

    def __len__(self) -> int:
        return len(self.HOMES)


CATALOGUE = Catalogue()


def metric(spec: str | Spec | Metric) -> Metric:
    """The metric that a spec names; a measure that only ir_measures knows is handed over to it.

    Examples
    --------
    >>> print(metric("map_cut_100"), metric("RBP(p=0.9)@20"), metric("AP(rel=2)@100"), metric("TSE(nDCG)"))
    AP@100 RBP(p=0.9)@20 AP(rel=2)@100 TSE(nDCG)
    """
    if isinstance(spec, Metric):
        return spec
    if not isinstance(spec, (str, Spec)):
        raise InputError(f"{spec!r} is no measure. Give its name, such as AP or nDCG@10.", kind="spec")
    if isinstance(spec, str):
        from tiebreak.metrics.external import external

        text = spec.strip()
        if len(text) <= LONGEST and not known_name(text) and (handed_over := external(text)):
            return handed_over
        spec = parse(text)
    if spec.name not in CATALOGUE:
        raise UnknownNameError("metric", spec.name, CATALOGUE)
    kind = CATALOGUE[spec.name]
    return kind(**parameters(kind, spec), cutoff=spec.cutoff)


OTHER_SPELLINGS: dict[tuple[str, str | None, object], tuple[str, Value]] = {
    ("nDCG", "dcg", "log2"): ("gain", "linear"),
    ("nDCG", "dcg", "exp-log2"): ("gain", "exp"),
}
"""Parameters as ir_measures names them."""


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
        if (spec.name, key, value) in OTHER_SPELLINGS:
            key, value = OTHER_SPELLINGS[spec.name, key, value]
        name = key if key is not None else own[place] if place < len(own) else shown(value)
        if name not in known or name in given:
            problem = f"{name!r} is given twice" if name in given else f"there is no parameter {name!r}"
            raise InputError(f"{spec}: {problem}. {spec.name} has {', '.join(known)}, and @ for a cutoff.", kind="spec")
        given[name] = metric(value) if isinstance(value, Spec) else value
    return given
