"""The same numbers as ranx, by its own names."""

import math

import pytest

import tiebreak as tb
from conformance.test_ir_measures import random_experiment

ranx = pytest.importorskip("ranx")
pytestmark = pytest.mark.filterwarnings(
    "ignore:unsafe cast from uint64"
)  # numba, where it compiles ranx for the first time

NAMES = ("hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map", "dcg", "dcg_burges")
NAMES = (*NAMES, "ndcg", "ndcg_burges")
SPECS = [
    f"{name}{cutoff}{level}"
    for name in NAMES
    for cutoff in ("", "@5", "@20")
    for level in ("", "-l2")
    if not (name == "r-precision" and cutoff)
]


@pytest.mark.parametrize("seed", range(2))
def test_equal_to_ranx(seed):
    qrels, run = random_experiment(seed)
    run = {q: run.get(q, {"none": 1.0}) for q in qrels}
    ours = tb.Experiment(qrels, tb.Run(run, name="run")).evaluate(SPECS)
    theirs = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs, SPECS)
    for k, spec in enumerate(SPECS):
        values = dict(zip(ours.requests, ours.values[0, :, k].tolist(), strict=True))
        assert values == pytest.approx(dict(theirs.scores[spec]), rel=0, abs=1e-9), spec


@pytest.mark.parametrize("seed", range(2))
def test_bpref_is_that_of_ranx_where_an_item_is_judged_not_relevant(seed):
    qrels, run = random_experiment(seed)
    qrels = {q: {item: max(grade, 0) for item, grade in of.items()} | {"none": 0} for q, of in qrels.items()}
    run = {q: run.get(q, {"none": 1.0}) for q in qrels}
    ours, theirs = tb.Experiment(qrels, run).evaluate("bpref"), ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs, ["bpref"])
    values = dict(zip(ours.requests, ours.values[0, :, 0].tolist(), strict=True))
    assert values == pytest.approx(dict(theirs.scores["bpref"]), rel=0, abs=1e-9)


@pytest.mark.filterwarnings("ignore:invalid value")  # of ranx as plain Python: see test_page.py
def test_bpref_has_no_value_in_ranx_where_nothing_is_judged_not_relevant():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"x": 2.0, "a": 1.0}}
    assert math.isnan(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "bpref"))
    assert tb.Experiment(qrels, run).evaluate("bpref").values.item() == 0.5


def test_rank_biased_precision_is_graded_in_ranx():
    qrels, run = {"q": {"a": 2}}, {"q": {"a": 1.0}}
    assert ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "rbp.50") == 1.0  # 2 x (1 - p)
    assert tb.Experiment(qrels, run).evaluate("rbp.50").values.item() == 0.5
