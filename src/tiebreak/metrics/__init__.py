"""p -> one number per run and request. `CATALOGUE` lists every metric; a spec such as ``AP(rel=2)@100`` makes one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from tiebreak._base.catalogue import Catalogue
from tiebreak._base.checks import check_names
from tiebreak._base.nicknames import expand, expand_all
from tiebreak._base.spec import NAMES, Spec, Value, parse
from tiebreak._base.text import join_names
from tiebreak.errors import InputError
from tiebreak.metrics._recall_level import RecallLevelMetric, recall_level_form
from tiebreak.metrics.base import LevelMetric, Metric, Traits
from tiebreak.metrics.weights import recall_weights

__all__ = [
    "CATALOGUE",
    "LevelMetric",
    "Metric",
    "RecallLevelMetric",
    "Traits",
    "measure_label",
    "metric",
    "object_spec",
    "parse_metrics",
    "recall_level_form",
    "recall_weights",
]


CATALOGUE: Catalogue[Metric] = Catalogue(
    "metric",
    "tiebreak.metrics",
    {
        "AP": "rank_based.AveragePrecision",
        "RR": "rank_based.ReciprocalRank",
        "nDCG": "ndcg.NDCG",
        "binary_nDCG": "ndcg.BinaryNDCG",
        "DCG": "ndcg.DCG",
        "binary_DCG": "ndcg.BinaryDCG",
        "RBP": "rbp.RankBiasedPrecision",
        "graded_RBP": "rbp.GradedRBP",
        "RBP_resid": "rbp.RBPResidual",
        "R": "set_based.Recall",
        "G": "g_measure.G",
        "binG": "g_measure.BinaryG",
        "nDCG_rel": "ndcg_points.NDCGAtRelevantItems",
        "RnDCG": "ndcg_points.NDCGAtGradeCounts",
        "gm": "geometric.GeometricMeanOver",
        "RP": "set_based.RPrecision",
        "P": "set_based.Precision",
        "Success": "set_based.Success",
        "Hits": "set_based.Hits",
        "F1": "set_based.F1",
        "IPrec": "interpolated.InterpolatedPrecision",
        "IAP": "interpolated.InterpolatedAveragePrecision",
        "SetP": "retrieved_set.SetPrecision",
        "SetF": "retrieved_set.SetF",
        "SetAP": "retrieved_set.SetAveragePrecision",
        "utility": "retrieved_set.SetUtility",
        "TSE": "rank_based.TotalSearchEfficiency",
        "NCP": "rank_based.NormalisedCumulativePrecision",
        "linear": "rank_based.LinearExposure",
        "recall_level": "own_recall_level.OwnRecallLevel",
        "ERR": "err.ExpectedReciprocalRank",
        "SDCG": "user_models.ScaledDCG",
        "BPM": "user_models.BejeweledPlayer",
        "INSQ": "user_models.INSQ",
        "INST": "user_models.INST",
        "NERR8": "user_models.NERR8",
        "NERR9": "user_models.NERR9",
        "NERR10": "user_models.NERR10",
        "NERR11": "user_models.NERR11",
        "Compat": "compatibility.Compatibility",
        "Accuracy": "accuracy.Accuracy",
        "bpref": "judged.BinaryPreference",
        "infAP": "inferred.InferredAveragePrecision",
        "Judged": "judged.JudgedShare",
        "Unjudged": "judged.UnjudgedShare",
        "NumQ": "counts.NumberOfRequests",
        "NumRet": "counts.NumberRetrieved",
        "NumRel": "counts.NumberRelevant",
        "NumRelRet": "counts.NumberRelevantRetrieved",
        "NumNonrelJudgedRet": "judged.NumberJudgedNonrelevantRetrieved",
        "ISL": "search_length.InitialSearchLength",
        "TSL": "search_length.TotalSearchLength",
        "ASL": "search_length.AverageSearchLength",
        "SL3": "search_length.SearchLength3",
        "RecallError": "search_length.RecallError",
        "alpha_beta_nDCG": "diversity.alpha_beta_ndcg.AlphaBetaNDCG",
        "alpha_beta_DCG": "diversity.alpha_beta_ndcg.AlphaBetaDCG",
        "vargas_nDCG": "diversity.alpha_beta_ndcg.VargasNDCG",
        "RBU": "diversity.utility.RankBiasedUtility",
        "EU": "diversity.utility.ExpectedUtility",
        "S-Recall": "diversity.coverage.AspectRecall",
        "S-RR": "diversity.coverage.AspectReciprocalRank",
        "ILD": "diversity.intra_list.IntraListDiversity",
        "Novelty": "novelty.Novelty",
        "Coverage": "run_figures.Coverage",
        "ExposureGini": "run_figures.ExposureGini",
        "alpha_DCG": "diversity.intent_aware.AlphaDCG",
        "alpha_nDCG": "diversity.intent_aware.AlphaNDCG",
        "ERR_IA": "diversity.intent_aware.ExpectedReciprocalRankIA",
        "nERR_IA": "diversity.intent_aware.NormalisedERRIA",
        "NRBP": "diversity.intent_aware.NoveltyRankBiasedPrecision",
        "nNRBP": "diversity.intent_aware.NormalisedNRBP",
        "AP_IA": "diversity.intent_aware.AveragePrecisionIA",
        "P_IA": "diversity.intent_aware.PrecisionIA",
        "STREC": "diversity.intent_aware.SubtopicRecall",
        "LR": "lexicographic.LexiRecallValue",
        "LP": "lexicographic.LexiPrecisionValue",
        "LR_index": "lexicographic_index.LexiRecallIndex",
        "LP_index": "lexicographic_index.LexiPrecisionIndex",
    },
    others=NAMES,
)


def metric(spec: str | Spec | Metric | Callable[[tuple[float, ...]], float]) -> Metric:
    """The metric that a spec names.

    A measure of ir_measures means the metric of its name. A function of the increasing positions of relevant items is
    a metric too, as itself or as ``module:function``.

    Examples
    --------
    >>> print(metric("map_cut_100"), metric("RBP(p=0.9)@20"), metric("AP(rel=2)@100"), metric("TSE(nDCG)"))
    AP@100 RBP(p=0.9)@20 AP(rel=2)@100 TSE(nDCG)
    """
    if isinstance(spec, Metric):
        return spec
    spec = object_spec(spec) if is_measure_object(spec) else spec
    if callable(spec):
        from tiebreak.metrics.function import FunctionMetric

        return FunctionMetric(getattr(spec, "__qualname__", repr(spec)), spec)
    if not isinstance(spec, (str, Spec)):
        raise InputError(f"{spec!r} is not a measure. Give its name, such as AP or nDCG@10.", kind="spec")
    if isinstance(spec, str):
        text = spec.strip()
        if len(measures := expand(text)) > 1 and text not in CATALOGUE:
            raise InputError(
                f"{text} stands for several measures: {join_names(measures)}. Give one of them, or use evaluate.",
                kind="spec",
            )
        if FUNCTION.fullmatch(text):
            from tiebreak.metrics.function import FunctionMetric, import_function

            return FunctionMetric(text, import_function(text))
        spec = parse(text)
    if any(name == "judged_only" for name, _ in spec.arguments):
        from tiebreak.metrics.condensed import Condensed, split_judged_only

        spec, is_condensed = split_judged_only(spec)
        return Condensed(metric(spec)) if is_condensed else metric(spec)
    # Arguments are read as text again, so that aliases hold there too.
    return CATALOGUE.make(spec, lambda inside: metric(str(inside)), OTHER_SPELLINGS)


def parse_metrics(measures: str | Metric | Iterable[str | Metric]) -> tuple[tuple[str, ...], tuple[Metric, ...]]:
    """The names of measures, as they were typed, and the metrics."""
    several = [measures] if isinstance(measures, (str, Metric)) or callable(measures) else list(measures or ())
    several = expand_all(several)
    names = tuple(map(measure_label, several))
    check_names(names, "measure", "AP")
    return names, tuple(map(metric, several))


def measure_label(measure: Any) -> str:
    """What a measure is called in results: as it was typed or prints, an object of ir_measures by its spec."""
    return object_spec(measure) if is_measure_object(measure) else str(measure).strip()


def is_measure_object(measure: object) -> bool:
    """Whether it is an object of ir_measures, such as ``ir_measures.nDCG @ 10``; which need not be imported to know."""
    return "ir_measures" in type(measure).__module__.split(".") and hasattr(measure, "params")


def object_spec(measure: Any) -> str:
    """The spec of an object of ir_measures, which itself does not print what is its default: AP(rel=1) prints as AP."""

    def text(value: Any) -> str:
        return object_spec(value) if is_measure_object(value) else repr(value) if isinstance(value, str) else str(value)

    at = measure.AT_PARAM
    inside = ",".join(f"{key}={text(value)}" for key, value in measure.params.items() if key != at)
    cutoff = f"@{measure.params[at]}" if at in measure.params else ""
    return f"{measure.__name__}({inside}){cutoff}" if inside else f"{measure.__name__}{cutoff}"


FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
"""A user's own function, as ``module:function``."""
OTHER_SPELLINGS: dict[tuple[str, str | None, object], tuple[str, Value] | None] = {
    ("nDCG", "dcg", "log2"): ("gain", "linear"),
    ("nDCG", "dcg", "exp-log2"): ("gain", "exp"),
    ("SDCG", "dcg", "log2"): None,
}
"""Parameters as ir_measures names them."""
