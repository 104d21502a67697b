"""tiebreak's metrics in LensKit: beside its own, with the same numbers as in tiebreak."""

import math
import warnings

import pytest

import tiebreak as tb
from tiebreak.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("lenskit")
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import NDCG, RecipRank, RunAnalysis

    from tiebreak.lenskit import TiebreakMetric

TEST = ItemList(["a", "b"], rating=[5.0, 2.0])
LIST = ItemList(["b", "x", "a"], ordered=True)


def collection(lists):
    result = ItemListCollection.empty(["user_id"])
    for user, items in lists.items():
        result.add(items, user_id=user)
    return result


def test_values_by_hand():
    assert TiebreakMetric("TSE").measure_list(LIST, TEST) == 1 / 3
    assert TiebreakMetric("RR").measure_list(LIST, TEST) == RecipRank().measure_list(LIST, TEST) == 1
    assert TiebreakMetric("AP").measure_list(LIST, TEST) == 5 / 6  # (1/1 + 2/3) / 2


def test_a_field_may_hold_grades():
    assert TiebreakMetric("RR(rel=4)", gain="rating").measure_list(LIST, TEST) == 1 / 3
    dcg = 2 / math.log2(1 + 1) + 5 / math.log2(3 + 1)
    assert TiebreakMetric("DCG", gain="rating").measure_list(LIST, TEST) == pytest.approx(dcg)
    with pytest.raises(InputError, match="no field 'stars'"):
        TiebreakMetric("AP", gain="stars").measure_list(LIST, TEST)


def test_ordered_lists_keep_their_order_and_others_are_ranked_by_score():
    scores = [1.0, 2.0, 3.0]
    assert TiebreakMetric("RR").measure_list(ItemList(["a", "x", "y"], scores=scores, ordered=True), TEST) == 1
    assert TiebreakMetric("RR").measure_list(ItemList(["a", "x", "y"], scores=scores), TEST) == 1 / 3
    with pytest.raises(InputError, match="neither ordered nor scored"):
        TiebreakMetric("RR").measure_list(ItemList(["a"]), TEST)


def test_run_analysis_takes_metrics_of_both():
    test, recs = collection({"u": TEST, "v": TEST}), collection({"u": LIST, "v": ItemList(["x", "a"], ordered=True)})
    analysis = RunAnalysis(NDCG(10), TiebreakMetric("TSE"))
    analysis.add_metric(TiebreakMetric("RBP(p=0.5)"))
    table = analysis.measure(recs, test).list_metrics()
    assert list(table.columns) == ["NDCG@10", "TSE", "RBP(p=0.5)"]
    assert table["TSE"].tolist() == [1 / 3, 0]
    assert table["RBP(p=0.5)"].tolist() == [0.5 + 0.125, 0.25]
    ranked = {"u": {"b": 3.0, "x": 2.0, "a": 1.0}, "v": {"x": 2.0, "a": 1.0}}
    scores = tb.Experiment({"u": {"a": 1, "b": 1}, "v": {"a": 1, "b": 1}}, ranked).evaluate(["TSE", "RBP(p=0.5)"])
    assert table[["TSE", "RBP(p=0.5)"]].to_numpy().tolist() == scores.values[0].tolist()


def test_lists_without_relevant_items_are_replaced_as_lenskit_does():
    nothing = ItemList([], rating=[])
    assert math.isnan(TiebreakMetric("TSE").measure_list(LIST, nothing))
    assert math.isnan(RecipRank().measure_list(LIST, nothing))
    assert TiebreakMetric("TSE").default == RecipRank().default == 0
    assert TiebreakMetric("TSL(n=100)").default is None
    result = RunAnalysis(TiebreakMetric("TSE"), TiebreakMetric("TSL(n=100)")).measure(
        collection({"u": LIST, "v": LIST}), collection({"u": TEST, "v": nothing})
    )
    assert result.list_summary()["mean"].to_dict() == {"TSE": (1 / 3 + 0) / 2, "TSL(n=100)": 3}


def test_an_empty_list_retrieves_nothing():
    assert TiebreakMetric("TSE").measure_list(ItemList([], ordered=True), TEST) == 0


def test_results_of_several_runs_are_utilities():
    test = collection({"u": TEST, "v": TEST})
    runs = {
        "good": collection({"u": ItemList(["a", "b"], ordered=True), "v": LIST}),
        "poor": collection({"u": LIST, "v": ItemList(["x"], ordered=True)}),
    }
    results = {name: RunAnalysis(TiebreakMetric("TSE")).measure(run, test) for name, run in runs.items()}
    utilities = tb.Utilities(results, measure="TSE")
    assert utilities.values.tolist() == [[1 / 2, 1 / 3], [1 / 3, 0]]
    assert list(utilities.requests) == ["u", "v"]
    frames = {name: result.list_metrics() for name, result in results.items()}
    assert tb.Utilities(frames, measure="TSE").values.tolist() == utilities.values.tolist()


def test_figures_of_a_whole_run_are_refused():
    with pytest.raises(InputError, match="figure of a whole run"):
        TiebreakMetric("Coverage(n=10)@5")
