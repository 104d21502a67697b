"""The same numbers as the tools people use, and every known disagreement pinned; docs/conformance.md lists them."""

from typing import NamedTuple

import numpy as np
import pytest

import tiebreak as tb
from nested import nested

pytrec_eval = pytest.importorskip("pytrec_eval")
ir_measures = pytest.importorskip("ir_measures")

TREC = ("map", "ndcg", "ndcg_cut_10", "P_10", "recall_100", "recip_rank", "Rprec", "bpref", "success_5", "map_cut_20")
IR = (
    *("AP", "AP@20", "AP(rel=2)", "nDCG", "nDCG@10", "nDCG(dcg='exp-log2')@10", "P@10", "P(rel=2)@5", "R@100", "RR"),
    *("RR@10", "Rprec", "Bpref", "Success@5", "ERR@20", "Judged@10"),
    *(
        "SetP",
        "SetR",
        "SetF",
        "SetF(beta=0.5)",
        "SetAP",
        "SetRelP",
        "infAP",
        "NumRet",
        "NumRet(rel=2)",
        "NumRel",
        "NumQ",
    ),
)
# Behind these are programs that order ties in their own way.
NOT_ON_TIES = ("RR@10", "ERR@20", "nDCG(dcg='exp-log2')@10", "Judged@10")


@pytest.fixture(scope="module", params=[0, 1])
def simulation(request):
    """With numbers for request ids, which gdeval insists on."""
    result = tb.simulate(40, seed=request.param)
    numbered = {request: str(k) for k, request in enumerate(result.judgements, start=1)}
    return Simulated(
        {numbered[q]: grades for q, grades in result.judgements.items()},
        {name: {numbered[q]: scores for q, scores in run.items()} for name, run in result.runs.items()},
    )


def untied(run):
    """The same rankings with scores that differ: minus the rank."""
    order = {q: sorted(scores, key=lambda item: (scores[item], item), reverse=True) for q, scores in run.items()}
    return {q: {item: float(-k) for k, item in enumerate(items)} for q, items in order.items()}


class Simulated(NamedTuple):
    judgements: dict
    runs: dict


def with_trec_eval(qrels, run, measure, level=1):
    """``{request: value}`` by trec_eval, whose names with a cutoff are asked for as ``P.10`` and come as ``P_10``."""
    name, _, cutoff = measure.rpartition("_")
    asked = f"{name}.{cutoff}" if cutoff.isdigit() else measure
    scores = pytrec_eval.RelevanceEvaluator(qrels, {asked}, relevance_level=level).evaluate(run)
    return {request: values[measure] for request, values in scores.items()}


@pytest.mark.parametrize("measure", TREC)
@pytest.mark.parametrize("level", [1, 2])
def test_equal_to_trec_eval(simulation, measure, level):
    name, run = "popular", simulation.runs["popular"]
    expected = with_trec_eval(simulation.judgements, run, measure, level)
    positions = tb.project(simulation.judgements, tb.Run(run, name=name), min_grade=level, nonrelevant=True)
    scores = tb.metric(measure).evaluate(positions)
    for q, request in enumerate(positions.requests):
        assert scores[0, q] == pytest.approx(expected[request], abs=1e-12), request


@pytest.mark.parametrize(
    ("spec", "name"),
    [(spec, name) for spec in IR for name in ("untied", "popular") if name == "untied" or spec not in NOT_ON_TIES],
)
def test_equal_to_ir_measures(simulation, spec, name):
    measure = ir_measures.parse_measure(spec)
    run = untied(simulation.runs["balanced"]) if name == "untied" else simulation.runs[name]
    expected = {m.query_id: m.value for m in ir_measures.iter_calc([measure], simulation.judgements, run)}
    positions = tb.project(simulation.judgements, tb.Run(run, name=name), nonrelevant=True)
    scores = tb.metric(spec).evaluate(positions)
    # gdeval, behind ERR and the exponential gain, prints five decimals.
    tolerance = 6e-6 if spec.startswith(("ERR", "nDCG(dcg")) else 1e-9
    for q, request in enumerate(positions.requests):
        value = 0.0 if np.isnan(scores[0, q]) else scores[0, q]
        assert value == pytest.approx(expected[request], abs=tolerance), request


def test_measures_of_several_runs_come_in_one_table(simulation):
    runs = [tb.Run(run, name=name) for name, run in simulation.runs.items()]
    scores = tb.Experiment(simulation.judgements, runs).evaluate(["AP", "infAP", "SetAP", "SetR"])
    for r, (_, run) in enumerate(simulation.runs.items()):
        measures = [ir_measures.parse_measure(m) for m in ("infAP", "SetAP", "SetR")]
        for k, measure in enumerate(measures, start=1):
            for value in ir_measures.iter_calc([measure], simulation.judgements, run):
                q = list(scores.requests).index(value.query_id)
                assert scores.values[r, q, k] == pytest.approx(value.value, abs=1e-9)


# Known disagreements, each with its reason in docs/conformance.md.


def test_pytrec_eval_compares_scores_as_32_bit_floats():
    run = {"q": {"a": 1.0 + 1e-9, "b": 1.0}}
    qrels = {"q": {"a": 1}}
    assert with_trec_eval(qrels, run, "recip_rank")["q"] == 0.5
    assert tb.Experiment(qrels, run).evaluate("RR").values.item() == 1.0


def test_trec_eval_takes_negative_grades_for_unjudged():
    qrels = {"q": {"a": 1, "n": -1}}
    run = {"q": {"n": 2.0, "a": 1.0}}
    assert with_trec_eval(qrels, run, "bpref")["q"] == 1.0
    positions = tb.project(qrels, run, nonrelevant=True)
    assert tb.metric("bpref").evaluate(positions).item() == 0.0


def test_trec_eval_cuts_before_it_removes_unjudged_items():
    """By its source, form_res_rels.c: ``-M 2`` leaves x and y, of which ``-J`` leaves nothing."""
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 4.0, "y": 3.0, "a": 2.0, "z": 1.5, "b": 1.0}}
    cut = {"q": {item: run["q"][item] for item in ("x", "y")}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}, judged_docs_only_flag=True)
    assert evaluator.evaluate(cut)["q"]["recip_rank"] == 0
    both = {"depth": 2, "judged_only": True}
    assert tb.Experiment(qrels, run, **both).evaluate("RR").values.item() == 1
    assert evaluator.evaluate(run)["q"]["recip_rank"] == 1  # -J alone


def test_tools_leave_out_requests_that_a_run_misses():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}
    assert set(with_trec_eval(qrels, run, "map")) == {"q1"}
    assert nested(tb.Experiment(qrels, run).evaluate("AP"), "request", "measure")["q2"] == {"AP": 0.0}


def test_ir_measures_scores_requests_that_a_run_misses_0():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}
    assert {value.query_id: value.value for value in ir_measures.iter_calc([ir_measures.AP], qrels, run)} == {
        "q1": 1.0,
        "q2": 0.0,
    }
