"""Utilities from any source: what is read, groups, curves of lags, and how results are shown."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from populations import slow
from populations.tables import binary_values, pairs, ranks_by_run, values_by_run
from tiebreak.populations import CATALOGUE

CELLS = [
    ("bm25", "001", 0.25),
    ("bm25", "NA", 1.0),
    ("bm25", "q 3", 0.1),
    ("dense", "001", 0.5),
    ("dense", "NA", 0.0),
    ("dense", "q 3", 1e-3),
]
NAMES = ("run", "request", "value")


def nested(cells=CELLS):
    actual = {}
    for run, request, value in cells:
        actual.setdefault(run, {})[request] = value
    return actual


def separated(mark):
    return "".join(mark.join(map(str, row)) + "\n" for row in [NAMES, *CELLS])


FILES = {
    "cells.csv": separated(","),
    "cells.tsv": separated("\t"),
    "cells.jsonl": "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in CELLS),
}


def assert_same(actual, other):
    assert actual.runs == other.runs
    assert list(actual.requests) == list(other.requests)
    assert np.array_equal(actual.values, other.values)


# Sources


@pytest.mark.parametrize("name", FILES)
def test_files_give_what_a_dictionary_gives(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    for path in (tmp_path / name, str(tmp_path / name)):
        assert_same(tb.Utilities(path), tb.Utilities(nested()))


def test_a_frame_gives_what_a_dictionary_gives():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(CELLS, schema=list(NAMES), orient="row")
    assert_same(tb.Utilities(frame), tb.Utilities(nested()))
    assert_same(tb.Utilities(frame.lazy()), tb.Utilities(nested()))
    assert isinstance(tb.Utilities(frame).order("mean").to_frame(), polars.DataFrame)


def test_parquet_gives_what_a_dictionary_gives(tmp_path):
    polars = pytest.importorskip("polars")
    polars.DataFrame(CELLS, schema=list(NAMES), orient="row").write_parquet(tmp_path / "cells.parquet")
    assert_same(tb.Utilities(tmp_path / "cells.parquet"), tb.Utilities(nested()))


@pytest.mark.parametrize("name", FILES)
def test_ids_stay_text(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    assert list(tb.Utilities(tmp_path / name).requests) == ["001", "NA", "q 3"]


def test_integers_as_ids_become_their_text():
    assert list(tb.Utilities({"a": {7: 1, 10: 0.5}}).requests) == ["7", "10"]


def test_columns_with_other_names_can_be_named(tmp_path):
    (tmp_path / "other.csv").write_text("llm,question,accuracy\na,q1,0.5\nb,q1,1\n")
    made = tb.Utilities(
        tmp_path / "other.csv", columns={"run": "llm", "request": "question", "value": "accuracy"}, measure="accuracy"
    )
    assert_same(made, tb.Utilities({"a": {"q1": 0.5}, "b": {"q1": 1}}))
    assert repr(made) == "<Utilities of accuracy: 2 runs, 1 request>"


def test_runs_may_list_their_requests_in_any_order():
    backwards = {run: dict(reversed(cells.items())) for run, cells in nested().items()}
    mixed = {"bm25": nested()["bm25"], "dense": backwards["dense"]}
    assert_same(tb.Utilities(mixed), tb.Utilities(nested()))


def test_what_was_given_is_left_as_it_was():
    cells, weights = nested(), {"001": 1, "NA": 2, "q 3": 3}
    tb.Utilities(cells, weights=weights, lower_is_better=True).order("mean")
    assert cells == nested() and weights == {"001": 1, "NA": 2, "q 3": 3}


def test_weights_and_groups_may_stand_in_files(tmp_path):
    (tmp_path / "weights.csv").write_text("request,weight\n001,3\nNA,1\nq 3,0\n")
    (tmp_path / "groups.tsv").write_text("request\tgroup\n001\tfr\nNA\tde\nq 3\tfr\n")
    made = tb.Utilities(nested(), weights=tmp_path / "weights.csv", groups=tmp_path / "groups.tsv")
    # Groups stand for requests: 001 alone counts in fr, NA is de.
    assert made.order("mean").scores.tolist() == [(0.25 + 1) / 2, (0.5 + 0) / 2]
    assert made.groups == ("fr", "de", "fr")


def test_weights_of_requests_that_nobody_asked_for_do_not_matter():
    made = tb.Utilities(nested(), weights={"001": 1, "NA": 0, "q 3": 0, "another": 99})
    assert made.order("mean").scores.tolist() == [0.25, 0.5]


# Tables of several measures


SEVERAL = [(run, request, measure, value) for run, request, value in CELLS for measure in ("AP", "RR")]


@pytest.fixture
def several():
    """Each cell twice: its value as AP, and one more than that as RR."""
    rows = [(run, request, name, value + (name == "RR")) for run, request, name, value in SEVERAL]
    return [dict(zip(("run", "request", "measure", "value"), row, strict=True)) for row in rows]


def test_one_measure_of_several_is_taken(several, tmp_path):
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in several))
    ap, rr = (tb.Utilities(tmp_path / "scores.jsonl", measure=name) for name in ("AP", "RR"))
    assert_same(ap, tb.Utilities(nested()))
    assert np.array_equal(rr.values, ap.values + 1)
    assert repr(rr) == "<Utilities of RR: 2 runs, 3 requests>"


def test_runs_and_requests_of_other_measures_do_not_count(several, tmp_path):
    several.append({"run": "bm25", "request": "all", "measure": "count", "value": 3})
    several.append({"run": "oracle", "request": "all", "measure": "count", "value": 3})
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in several))
    assert_same(tb.Utilities(tmp_path / "scores.jsonl", measure="AP"), tb.Utilities(nested()))


def test_a_single_measure_need_not_be_named(several, tmp_path):
    rows = [row for row in several if row["measure"] == "AP"]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    alone = tb.Utilities(tmp_path / "scores.jsonl")
    assert alone.measure == "AP" and np.array_equal(alone.values, tb.Utilities(nested()).values)
    with pytest.raises(tb.InputError, match=r'unknown measure "f1"\. Known: AP'):
        tb.Utilities(tmp_path / "scores.jsonl", measure="f1")


def test_values_are_not_taken_for_those_of_a_measure_that_is_not_there():
    rows = [{"run": "a", "request": "q", "value": 1.0, "f1": 0.5}]
    words = r'no column is called "acc", and none names measures\. There are run, request, value, f1\.'
    with pytest.raises(tb.InputError, match=words + r".*--columns value=value"):
        tb.Utilities(rows, measure="acc")
    with pytest.raises(tb.InputError, match=r'no column is called "acc".*There are request, f1\.'):
        tb.Utilities({"a": [{"request": "q", "f1": 0.5}]}, measure="acc")
    named = tb.Utilities(rows, measure="acc", columns={"value": "value"})
    assert (named.measure, named.values.tolist()) == ("acc", [[1]])


def test_what_a_model_predicts_is_no_utility():
    rows = [{"model": "a", "query": q, "prediction": answer, "correct": c} for q, answer, c in ((1, 42, 0), (2, 7, 1))]
    with pytest.raises(tb.InputError, match=r"no column for value.*columns={.value.: .correct.}"):
        tb.Utilities(rows)
    assert tb.Utilities(rows, measure="correct").values.tolist() == [[0, 1]]
    assert tb.Utilities(rows, columns={"value": "prediction"}).values.tolist() == [[42, 7]]
    alone = [{name: row[name] for name in ("query", "prediction", "correct")} for row in rows]
    with pytest.raises(tb.InputError, match='column "prediction" may be no run'):
        tb.Utilities(alone)


def test_two_columns_of_values_are_asked_about():
    rows = [{"run": "a", "request": "q", "value": 1.0, "score": 0.5}]
    with pytest.raises(
        tb.InputError, match=r'"value" and "score" may both be the column for value.*columns value=score'
    ):
        tb.Utilities(rows)
    for how in ({"columns": {"value": "score"}}, {"columns": {"other": "value"}}, {"measure": "score"}):
        assert tb.Utilities(rows, **how).values.tolist() == [[0.5]]
    several = [{"run": "a", "request": "q", "value": 1.0, "measure": "x", "metric": "y"}]
    with pytest.raises(tb.InputError, match='"measure" and "metric" may both be the column for measure'):
        tb.Utilities(several)


def test_two_columns_of_trials_are_asked_about_where_they_matter():
    rows = [{"run": "a", "request": "q", "epoch": 1, "seed": 2, "value": 1.0}]
    assert tb.Utilities(rows).values.tolist() == [[1]]
    with pytest.raises(tb.InputError, match='"epoch" and "seed" may both be the column for trial'):
        tb.Utilities(rows, trials="keep")
    with pytest.raises(tb.InputError, match='"epoch" and "seed" may both be the column for trial'):
        tb.Utilities([{"request": "q", "epoch": 1, "seed": 2, "gpt": 1.0}])


def test_results_of_pytrec_eval_by_run():
    results = {"q": {"map": 0.5, "P_5": 0.2}, "r": {"map": 1.0, "P_5": 0.4}}
    table = tb.Utilities({"a": results}, measure="map")
    assert (table.runs, list(table.requests), table.measure) == (("a",), ["q", "r"], "map")
    assert table.values.tolist() == [[0.5, 1]]
    assert tb.Utilities({"a": {"q": {"map": 0.5}}}).measure == "map"
    with pytest.raises(tb.InputError, match=r"several measures: map, P_5\. Say which: measure='map'"):
        tb.Utilities({"a": results})
    with pytest.raises(tb.InputError, match="the table is empty"):
        tb.Utilities({"a": {"q": {}}}, measure="map")
    with pytest.raises(tb.InputError, match=r'unknown measure "ndcg"\. Known: map, P_5'):
        tb.Utilities({"a": results}, measure="ndcg")
    with pytest.raises(tb.InputError, match=r'"map" is a measure.*\{run: \{request: \{measure: value\}\}\}'):
        tb.Utilities(results, measure="map")


def test_results_of_ir_measures_by_run():
    """`iter_calc` names measures by objects, which print as their names."""
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR
    from ir_measures.util import Metric

    rows = [Metric("q", AP, 0.5), Metric("q", RR, 1.0), Metric("r", AP, 0.25), Metric("r", RR, 0.5)]
    assert ir_measures.AP is AP
    for held in (rows, iter(rows)):
        assert tb.Utilities({"a": held}, measure="RR").values.tolist() == [[1, 0.5]]
    with pytest.raises(tb.InputError, match="several measures: AP, RR"):
        tb.Utilities({"a": rows})


@pytest.mark.parametrize("nothing", [None, float("nan"), "", "NA"])
def test_cells_without_a_value_are_worth_what_is_missing(nothing, tmp_path):
    rows = [("a", "q", 1.0), ("a", "r", nothing), ("b", "q", 0.5), ("b", "r", 0.25)]
    table = [dict(zip(("run", "request", "value"), row, strict=True)) for row in rows]
    held = [table]
    if not isinstance(nothing, str):
        held += [pytest.importorskip(library).DataFrame(table) for library in ("pandas", "polars")]
        held[-1].write_parquet(tmp_path / "t.parquet")
        held.append(tmp_path / "t.parquet")
    else:
        text = "".join(f"{run},{request},{value}\n" for run, request, value in rows)
        (tmp_path / "t.csv").write_text("run,request,value\n" + text)
        held.append(tmp_path / "t.csv")
    for one in held:
        with pytest.raises(tb.InputError, match=r'1 of 4 cells are missing: run "a", request "r"'):
            tb.Utilities(one)
        assert tb.Utilities(one, missing=0).values.tolist() == [[1, 0], [0.5, 0.25]]


def test_scores_written_by_evaluate_are_utilities(tmp_path):
    qrels, run = {"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "r": {"x": 2.0, "b": 1.0}}
    frame = tb.Experiment(qrels, run).evaluate(["AP", "TSE"]).to_frame()
    assert tb.Utilities(frame, measure="TSE").values.tolist() == [[1, 1 / 2]]


def test_a_column_for_each_measure_and_a_frame_for_each_run():
    pandas = pytest.importorskip("pandas")
    frames = {
        run: pandas.DataFrame({"AP": values, "RR": [1.0, 1.0, 1.0]}, index=pandas.Index(list(values), name="user_id"))
        for run, values in nested().items()
    }
    assert_same(tb.Utilities(frames, measure="AP"), tb.Utilities(nested()))
    both = pandas.concat(frames, names=["model"])
    assert_same(tb.Utilities(both, measure="AP"), tb.Utilities(nested()))
    polars = pytest.importorskip("polars")
    plain = {run: polars.from_pandas(frame.reset_index()) for run, frame in frames.items()}
    assert_same(tb.Utilities(plain, measure="AP"), tb.Utilities(nested()))


def test_a_request_with_two_rows_in_the_frame_of_a_run_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"user_id": ["u", "u"], "AP": [1.0, 0.5]})
    with pytest.raises(tb.InputError, match='run "a", request "u" appears twice'):
        tb.Utilities({"a": frame}, measure="AP")


# Costs


LATENCIES = {"steady": {"q1": 90, "q2": 100, "q3": 110}, "spiky": {"q1": 10, "q2": 10, "q3": 250}}


def test_of_latencies_leximin_puts_the_smaller_worst_first():
    made = tb.Utilities(LATENCIES, lower_is_better=True, measure="milliseconds")
    assert made.order("leximin").ranking() == ["steady", "spiky"]
    assert made.order("leximax").ranking() == ["spiky", "steady"]
    assert made.order("mean").ranking() == ["spiky", "steady"]  # (10 + 10 + 250) / 3 = 90 against 100
    assert made.worst() == [("steady", ["q3"], -110), ("spiky", ["q3"], -250)]


def test_costs_are_said_to_be_shown_with_a_minus():
    made = tb.Utilities(LATENCIES, lower_is_better=True)
    for shown in (made.order("mean"), made.evaluate("mean")):
        assert "Utilities are minus the values given" in repr(shown)
    assert "minus" not in repr(tb.Utilities(LATENCIES).order("mean"))


def test_a_missing_cost_is_worth_what_was_given():
    made = tb.Utilities({"a": {"q1": 5}, "b": {"q2": 1}}, lower_is_better=True, missing=100)
    assert made.values.tolist() == [[-5, -100], [-100, -1]]


# Groups

SEGMENTS = {
    "a": {"q1": 1.0, "q2": 0.0, "q3": 0.75, "q4": 0.25},
    "b": {"q1": 0.5, "q2": 0.5, "q3": 0.25, "q4": 1.0},
}
OF = {"q1": "fr", "q2": "fr", "q3": "de", "q4": "pt"}


def test_evaluating_groups_by_hand():
    scores = tb.Utilities(SEGMENTS, groups=OF).evaluate(["mean", "min"])
    assert values_by_run(scores) == {
        "a": {
            "mean": {"fr": 0.5, "de": 0.75, "pt": 0.25, "all": 0.5},
            "min": {"fr": 0, "de": 0.75, "pt": 0.25, "all": 0},
        },
        "b": {
            "mean": {"fr": 0.5, "de": 0.25, "pt": 1, "all": 0.5625},
            "min": {"fr": 0.5, "de": 0.25, "pt": 1, "all": 0.25},
        },
    }
    gaps = {(row.run, row.measure): row.gap for row in scores.values if row.group == "all"}
    assert gaps == {("a", "mean"): 0.5, ("a", "min"): 0.75, ("b", "mean"): 0.75, ("b", "min"): 0.75}
    assert all(row.gap != row.gap for row in scores.values if row.group != "all")
    assert "gap: the largest value of a group minus the smallest." in scores.notes


def test_gaps_between_groups_are_exact():
    table = {"a": {"q": 0.3, "r": 0.1}, "b": {"q": 0.1, "r": 0.3}}
    of = {"q": "x", "r": "y"}
    gaps = {row.run: row.gap for row in tb.Utilities(table, groups=of).evaluate("mean").values if row.group == "all"}
    assert gaps == {"a": 0.2, "b": 0.2}  # in floats 0.3 - 0.1 is 0.19999999999999998
    of = {"q": "all", "r": "y"}
    assert [row.group for row in tb.Utilities(table, groups=of).evaluate("gmean").values] == ["all"] * 2 + ["y"] * 2 + [
        "(all)"
    ] * 2
    costs = tb.Utilities(table, groups={"q": "x", "r": "y"}).evaluate("gini").values
    assert [row.gap for row in costs if row.group == "all"] == [0, 0]


def test_groups_stand_for_requests_once_grouped():
    grouped = tb.Utilities(SEGMENTS, groups=OF, measure="accuracy").by_group("mean")
    assert list(grouped.requests) == ["fr", "de", "pt"]
    assert grouped.values.tolist() == [[0.5, 0.75, 0.25], [0.5, 0.25, 1]]
    # Sorted 0.25 0.5 0.75 against 0.25 0.5 1: the best group decides.
    assert grouped.order("leximin").ranking() == ["b", "a"]
    assert grouped.measure == "mean of accuracy"
    assert "mean in each of 3 groups" in repr(grouped.order("leximin"))


def test_the_worst_groups_of_every_run_are_named():
    grouped = tb.Utilities(SEGMENTS, groups=OF | {"q4": "de"}).by_group("mean")
    # a: (1 + 0) / 2 and (0.75 + 0.25) / 2; b: (0.5 + 0.5) / 2 and (0.25 + 1) / 2.
    assert grouped.worst() == [("a", ["fr", "de"], 0.5), ("b", ["fr"], 0.5)]


def test_the_worst_requests_are_all_that_tie():
    made = tb.Utilities({"a": {"q1": 0.5, "q2": 0, "q3": 0}, "b": {"q1": 1, "q2": 0.5, "q3": 0.75}})
    assert made.worst() == [("a", ["q2", "q3"], 0), ("b", ["q2"], 0.5)]


def test_weights_count_within_groups():
    made = tb.Utilities(SEGMENTS, groups=OF, weights={"q1": 3, "q2": 1, "q3": 1, "q4": 1})
    assert made.by_group("mean").values.tolist() == [[3 / 4, 0.75, 0.25], [0.5, 0.25, 1]]


def test_groups_of_one_request_each_change_nothing():
    made = tb.Utilities(SEGMENTS, groups={q: q for q in OF})
    assert_same(made.by_group("mean"), tb.Utilities(SEGMENTS))


def test_grouped_utilities_of_gini_put_the_more_equal_first():
    # In fr a has 1 and 0, b 0.5 twice: gini 1/2 against 0.
    grouped = tb.Utilities(SEGMENTS, groups=OF).by_group("gini")
    assert grouped.order("leximin").ranking() == ["b", "a"]


# Curves of lags


def two_runs(x, y):
    return tb.Utilities({"x": {f"q{k}": u for k, u in enumerate(x)}, "y": {f"q{k}": u for k, u in enumerate(y)}})


@settings(max_examples=examples(50))
@given(pair=pairs(binary_values))
def test_signs_of_the_curve_are_those_of_smoothed_leximin(pair):
    curve = two_runs(*pair).by_lag("x", "y", resamples=3)
    n = len(pair[0])
    assert [row.lag for row in curve.rows()] == list(range(1, n + 1))
    assert [row.observed for row in curve.rows()] == [slow.smoothed_leximin(*pair, row.lag) for row in curve.rows()]
    assert curve.rows()[0].observed == slow.leximin(*pair)
    assert curve.rows()[-1].observed == slow.by_mean(*pair)


@settings(max_examples=examples(50))
@given(pair=pairs(st.floats(0, 1)), seed=st.integers(0, 5))
def test_shares_sum_to_one_and_swap_with_the_runs(pair, seed):
    made = two_runs(*pair)
    curve, swapped = (made.by_lag(*names, resamples=8, seed=seed) for names in ("xy", "yx"))
    for row, other in zip(curve.rows(), swapped.rows(), strict=True):
        assert row.first + row.tied + row.second == 1  # eighths are exact
        assert (other.observed, other.first, other.second) == (-row.observed, row.second, row.first)


def test_a_seed_gives_the_same_curve_again_and_another_seed_another():
    chance = np.random.default_rng(7)
    made = two_runs(chance.random(30), chance.random(30))
    curve = made.by_lag("x", "y", resamples=50, seed=3)
    assert curve.rows() == made.by_lag("x", "y", resamples=50, seed=3).rows()
    assert curve.rows() != made.by_lag("x", "y", resamples=50, seed=4).rows()


def test_a_lag_has_the_same_share_whichever_others_are_asked_for():
    chance = np.random.default_rng(7)
    made = two_runs(chance.random(12), chance.random(12))
    every = made.by_lag("x", "y", resamples=40).rows()
    assert made.by_lag("x", "y", [5, 1], resamples=40).rows() == (every[4], every[0])


def test_identical_runs_always_tie():
    curve = two_runs([0.1, 0.7, 0.3], [0.1, 0.7, 0.3]).by_lag("x", "y", resamples=20)
    assert [row[1:] for row in curve.rows()] == [(0, 0, 1, 0)] * 3


def test_a_run_that_is_better_everywhere_always_wins():
    curve = two_runs([0.2, 0.8, 0.4], [0.1, 0.7, 0.3]).by_lag("x", "y", resamples=20)
    assert [row[1:] for row in curve.rows()] == [(1, 1, 0, 0)] * 3


def test_sums_of_numbers_that_floats_would_lose_are_kept():
    # 1e16 + 1 = 1e16 in floats; the mean still tells them apart.
    curve = two_runs([1e16, 1.0], [1e16, 0.0]).by_lag("x", "y", [2], resamples=5)
    assert curve.rows()[0].observed == 1
    assert two_runs([1e100, 1e-300], [1e100, 0.0]).by_lag("x", "y", [2], resamples=5).rows()[0].observed == 1


def test_many_requests_have_about_twenty_lags_from_leximin_to_the_mean():
    made = two_runs(np.linspace(0, 1, 300), np.linspace(0.1, 0.9, 300))
    lags = [row.lag for row in made.by_lag("x", "y", resamples=2).rows()]
    assert lags[0] == 1 and lags[-1] == 300 and 15 <= len(lags) <= 20 and lags == sorted(set(lags))


# Results


def made():
    return tb.Utilities({"a": {"q1": 1, "q2": 0}, "b_c": {"q1": 0.5, "q2": 0.25}}, measure="accuracy")


def test_an_order_says_what_it_is_of():
    order = made().order("leximin")
    assert (order.measure, order.by) == ("accuracy", "leximin")
    assert ranks_by_run(order) == {"b_c": 1, "a": 2}
    for words in ("accuracy by leximin", "Over 2 requests.", "number of runs below"):
        assert words in repr(order)
    assert "number of runs below" not in repr(made().order("mean"))
    assert r"b\_c & \textbf{1} & 1 & " in order.to_latex()


def test_an_order_of_groups_counts_requests_and_groups():
    grouped = tb.Utilities({"a": {"p": 1, "q": 0, "r": 1}}, groups={"p": "x", "q": "x", "r": "y"})
    assert "Over 3 requests in 2 groups." in grouped.order("mean").notes


def test_numbers_are_shown_in_tables():
    scores = made().evaluate(["mean", "gini"])
    # Each pair counts both ways: gini 2 * 1 / (2 * 4 * 0.5), and 2 * 0.25 / (2 * 4 * 0.375).
    assert values_by_run(scores) == {
        "a": {"mean": 0.5, "gini": 0.5},
        "b_c": {"mean": 0.375, "gini": pytest.approx(1 / 6)},
    }
    text = repr(scores)
    for words in ("run", "mean", "gini", "0.3750", "0.1667", "Of accuracy, over 2 requests."):
        assert words in text
    assert r"b\_c & 0.3750 & 0.1667 \\" in scores.to_latex()
    assert scores._repr_html_().count("<tr>") == 3


def test_numbers_of_groups_are_shown_with_their_groups():
    scores = tb.Utilities(SEGMENTS, groups=OF).evaluate(["mean", "max"])
    assert scores.table().header == ("run", "group", "mean", "gap", "max", "gap")
    assert ("a", "fr", "0.5000", "-", "1.0000", "-") in scores.table().rows
    assert ("a", "all", "0.5000", "0.5000", "1.0000", "0.7500") in scores.table().rows
    assert len(scores.table().rows) == 2 * 4


def test_results_are_frames():
    polars = pytest.importorskip("polars")
    frame = made().evaluate("mean").to_frame()
    assert frame.columns == ["run", "measure", "value"]
    assert frame.rows() == [("a", "mean", 0.5), ("b_c", "mean", 0.375)]
    order = made().order("mean").to_frame()
    assert order.columns[:6] == ["run", "measure", "by", "rank", "score", "tied"]
    assert order["run"].to_list() == ["a", "b_c"]
    curve = made().by_lag("a", "b_c", resamples=4).to_frame()
    assert curve.columns == ["lag", "observed", "first", "tied", "second"] and curve["lag"].to_list() == [1, 2]
    assert isinstance(curve, polars.DataFrame)


def test_a_curve_is_shown_as_a_table():
    curve = made().by_lag("a", "b_c", resamples=4, seed=2)
    assert [row["lag"] for row in curve.to_dict()["rows"]] == [1, 2]
    assert set(curve.to_dict()["rows"][0]) == {"lag", "observed", "first", "tied", "second"}
    assert "4 resamples of requests, seed 2." in repr(curve)
    # Leximin: 0 against 0.25; the mean: 0.5 against 0.375.
    assert [row[:2] for row in curve.table().rows] == [("1", "-1"), ("2", "1")]
    assert "a against b_c by smoothed leximin. Observed is 1 where the first is better" in curve.notes[0]


def test_names_are_those_that_were_asked_for():
    assert list(values_by_run(made().evaluate([" gavg ", "avg"]))["a"]) == ["gavg", "avg"]


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_population_orders_a_table_of_one_run(name):
    one = tb.Utilities({"a": {f"q{k}": k / 8 for k in range(8)}})
    spec = f"{name}(baseline='a')" if name in ("urisk", "trisk") else name
    assert ranks_by_run(one.order(spec)) == {"a": 1}


# Metrics of an experiment


def scored(rankings):
    return {q: {item: float(-k) for k, item in enumerate(items.split())} for q, items in rankings.items()}


def test_metric_values_of_an_experiment_are_utilities():
    # RR of a is 1 and 1/3, of b 1/2 and 1/2: b by its worst request, a by its mean of 2/3.
    judged = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    a, b = {"q1": "d1 d2 d3", "q2": "d2 d3 d1"}, {"q1": "d2 d1 d3", "q2": "d2 d1 d3"}
    made = tb.Experiment(judged, [tb.Run(scored(a), name="a"), tb.Run(scored(b), name="b")])
    assert made.utilities("RR").values.tolist() == [[1, 1 / 3], [1 / 2, 1 / 2]]
    assert made.order("leximin(RR)").ranking() == made.order("RR", "leximin").ranking() == ["b", "a"]
    assert made.order("RR", "mean").ranking() == made.utilities("RR").order("mean").ranking() == ["a", "b"]
    assert made.order("s@10").n_tied == 2


def test_a_metric_that_no_request_has_a_value_of_is_refused():
    nobody = tb.Experiment({"q": {"d": 1}}, [tb.Run({"q": {"d": 1.0}}, name="a"), tb.Run({"q": {"e": 1.0}}, name="b")])
    for asked in (lambda: nobody.utilities("AP(rel=3)"), lambda: nobody.order("leximin(AP(rel=3))")):
        with pytest.raises(tb.InputError, match="has no value for any request"):
            asked()


def test_a_sample_may_draw_the_largest_utility_every_time():
    # In units of 2^-61 four of five draws of 1 are more than 63 bits.
    curve = two_runs([1.0, 2.0**-61, 0.0, 0.0, 0.0], [0.0] * 5).by_lag("x", "y", resamples=1000)
    assert all(row.second == 0 for row in curve.rows())


@pytest.mark.parametrize("weights", [None, {"q1": 3, "q2": 1, "q3": 1, "q4": 1}])
@pytest.mark.parametrize("by", ["leximin", "min", "mean"])
def test_orders_of_grouped_utilities_are_over_groups(by, weights):
    made = tb.Utilities(SEGMENTS, groups=OF, weights=weights)
    actual, expected = made.order(by), made.by_group().order(by)
    notes = {note for note in expected.notes if not note.startswith(("mean", "place"))}  # of columns over all requests
    assert actual.measure == expected.measure and {*actual.notes} >= notes
    assert "gap" in actual.columns and ("rank_all" in actual.columns) == (not weights or by == "mean")
    for record, other in zip(actual.records(), expected.records(), strict=True):
        shared = {*other} & {*record} - {"mean", "cvar", "zeros", "zeros_tied"}  # these are over all requests
        assert {name: record[name] for name in shared} == {name: other[name] for name in shared}


def test_whatever_is_asked_of_grouped_utilities_but_tests_is_over_groups():
    table = {"a": {"q1": 1, "q2": 0.0, "q3": 1}, "b": {"q1": 0.5, "q2": 0.1, "q3": 0.5}}
    grouped = tb.Utilities(table, groups={"q1": "g", "q2": "g", "q3": "h"})
    means = tb.Utilities({"a": {"g": 0.5, "h": 1}, "b": {"g": 0.3, "h": 0.5}})
    assert grouped.order("leximin").ranking() == means.order("leximin").ranking() == ["a", "b"]
    assert grouped.win_shares("a", "b") == means.win_shares("a", "b")
    assert grouped.worst() == means.worst() == [("a", ["g"], 0.5), ("b", ["g"], 0.3)]
    curves = [made.by_lag("a", "b", [1, 2], resamples=50).rows() for made in (grouped, means)]
    assert curves[0] == curves[1]
    assert grouped.by_group().test("t").pvalue.tolist() == means.test("t").pvalue.tolist()
