"""The same numbers as LensKit 2025, whose discount and denominators are parameters here."""

import pytest

import tiebreak as tb
from conformance.test_ir_measures import random_experiment

metrics = pytest.importorskip("lenskit.metrics.ranking")
data = pytest.importorskip("lenskit.data")

OURS = {
    "RecipRank(5)": "RecipRank@5",
    "RecipRank()": "RecipRank",
    "Hit(5)": "Hit@5",
    "Hit()": "Hit",
    "AveragePrecision(5)": "AveragePrecision(relative=true)@5",
    "Recall(5)": "P(relative=true)@5",
    "Recall()": "Recall",
    "DCG(5, gain='rating')": "DCG(discount='clipped')@5",
    "DCG(5)": "binary_DCG(discount='clipped')@5",
    "NDCG(5, gain='rating')": "NDCG(discount='clipped')@5",
    "NDCG(gain='rating')": "NDCG(discount='clipped')",
    "NDCG(5)": "binary_nDCG(discount='clipped')@5",
    "RBP(5, patience=0.8)": "RBP(p=0.8)@5",
}


@pytest.mark.parametrize("seed", range(2))
def test_equal_to_lenskit(seed):
    qrels, run = random_experiment(seed)
    qrels = {q: {item: grade for item, grade in of.items() if grade > 0} for q, of in qrels.items()}
    # Of shorter lists it divides average precision by their length.
    run = {q: scores for q, scores in run.items() if len(scores) >= 5}
    ours = tb.Experiment({q: qrels[q] for q in run}, run).evaluate(list(OURS.values()))
    for k, theirs in enumerate(OURS):
        metric = eval(f"metrics.{theirs}", {"metrics": metrics})
        for q, request in enumerate(ours.requests):
            ranking = sorted(run[request], key=run[request].get, reverse=True)
            recs = data.ItemList(item_ids=ranking, ordered=True)
            test = data.ItemList(item_ids=list(qrels[request]), rating=list(map(float, qrels[request].values())))
            assert ours.values[0, q, k] == pytest.approx(metric.measure_list(recs, test), abs=1e-9), theirs


def test_gini_of_exposure_equals_that_of_lenskit():
    qrels, run = random_experiment(3)
    lists = {
        q: data.ItemList(item_ids=sorted(scores, key=scores.get, reverse=True), ordered=True)
        for q, scores in run.items()
    }
    ours = tb.Experiment({q: qrels[q] for q in run}, run).evaluate(
        ["ExposureGini(n=450)@20", "ExposureGini(RBP(p=0.85), n=450)@20"]
    )
    theirs = metrics.ListGini(20, items=450), metrics.ExposureGini(20, items=450)
    for k, metric in enumerate(theirs):
        value = metric.global_aggregate([metric.compute_list_data(recs, None) for recs in lists.values()])
        assert ours.mean[0, k] == pytest.approx(value, abs=1e-5)  # its exposures are 32-bit floats


def test_lenskit_divides_by_the_length_of_short_lists():
    recs, test = data.ItemList(item_ids=["a", "x"], ordered=True), data.ItemList(item_ids=["a", "b", "c"])
    assert metrics.AveragePrecision(5).measure_list(recs, test) == 1 / 2
    assert metrics.Precision(5).measure_list(recs, test) == 1 / 2
    exp = tb.Experiment({"u": {"a": 1, "b": 1, "c": 1}}, {"u": {"a": 2.0, "x": 1.0}})
    assert exp.evaluate(["AP(relative=true)@5", "P@5"]).values.ravel().tolist() == [1 / 3, 1 / 5]
