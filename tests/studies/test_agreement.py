"""Agreement between measures: numbers worked out by hand, and slow twins written from the papers."""

from itertools import combinations, permutations
from random import Random
from statistics import correlation

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from studies.placed import TABLE, experiment_at, simulated_experiment, tables
from tiebreak.studies import agreement


@pytest.fixture
def small():
    return experiment_at(TABLE)


@pytest.fixture(scope="module")
def simulated():
    return simulated_experiment()


def test_preference_by_hand(small):
    actual = agreement(small, "preference", ["LexiRecall", "RR"])
    assert actual.columns == ("given", "measure", "differ", "agree", "share")
    # RR differs for four: of + + in q1 LexiRecall says - +, of - - in q2 + -. Two agree.
    # LexiRecall differs for all six, of which RR agrees with the same two.
    assert actual.rows() == (
        ("LexiRecall", "LexiRecall", 6, 6, 1.0),
        ("LexiRecall", "RR", 6, 2, 2 / 6),
        ("RR", "LexiRecall", 4, 2, 2 / 4),
        ("RR", "RR", 4, 4, 1.0),
    )
    assert actual.conclusion == "LexiRecall agrees most with differences by RR: 50.0% of 4."


def test_preference_is_the_share_of_the_papers_equation(simulated):
    measures = ["LexiRecall", "AP", "RR", "R@10"]
    actual = {(row[0], row[1]): row[2:] for row in agreement(simulated, "preference", measures).rows()}
    prefers = {}
    for name in measures:
        comparison = simulated.compare(name)
        prefers[name] = {
            (x, y, q): value
            for run, other in comparison.names()
            for x, y, sign in ((run, other, 1), (other, run, -1))
            for q, value in enumerate((sign * comparison.between(run, other)).tolist())
        }
    for mu, nu in permutations(measures, 2):
        above = sum(prefers[mu][key] > 0 and prefers[nu][key] > 0 for key in prefers[mu])
        below = sum(value > 0 for value in prefers[mu].values())
        assert actual[mu, nu] == (below, above, above / below)


def test_sign_by_hand(small):
    actual = agreement(small, "sign", ["RR", "LexiRecall"], points=3)
    # Sizes by RR: 1/2, 1/2, 0 and 0, -2/3, -2/3; signs by LexiRecall: -1, 1, 1 and 1, 1, -1. The products -1/2, 1/2, 0,
    # 0, -2/3 and 2/3 add up to 0. Two of six signs are the same; no pair ties by both.
    ((measure, other, r, agree),) = actual.rows()
    assert (measure, other, agree) == ("RR", "LexiRecall", 2 / 6)
    assert r == pytest.approx(0, abs=1e-15)
    assert len(actual.picture()[2]) == 3


def test_two_ties_are_the_same_sign():
    actual = agreement(experiment_at({"q1": [[1], [1]], "q2": [[1], [2]]}), "sign", ["RR", "LexiRecall"])
    assert actual.rows()[0][3] == 1.0


def test_sign_is_pearson_over_both_orders_of_every_pair(simulated):
    actual = {row[:2]: row[2:] for row in agreement(simulated, "sign", ["RPP", "AP", "RR"]).rows()}
    values = {name: simulated.compare(name).values.ravel() for name in ("RPP", "AP", "RR")}
    for x, y in combinations(values, 2):
        both = [np.concatenate([values[name], -values[name]]).tolist() for name in (x, y)]
        assert actual[x, y][0] == pytest.approx(correlation(*both))
        assert actual[x, y][1] == np.mean(np.sign(values[x]) == np.sign(values[y]))


def test_points_do_not_depend_on_the_order_of_runs_and_requests():
    names, requests = ["b", "a", "c"], ["q2", "q10", "q1", "q3"]
    items = {name: {q: [f"d{k}" for k in Random(name + q).sample(range(6), 6)] for q in requests} for name in names}

    def points(names, requests):
        runs = [
            tb.Run({q: {d: -k for k, d in enumerate(items[name][q])} for q in requests}, name=name) for name in names
        ]
        experiment = tb.Experiment({q: {"d0": 1, "d1": 1, "d2": 1} for q in requests}, runs)
        return agreement(experiment, "sign", ["RPP", "AP"], points=5, seed=1).picture()[2]

    assert points(names, requests) == points(names[::-1], requests[::-1])


def test_points_are_those_of_the_measures(simulated):
    actual = agreement(simulated, "sign", ["RPP", "AP"], points=10_000, seed=5)
    picture, names, rows = actual.picture()
    # A field's name is fixed: Vega takes the dot of "RBP(p=0.5)" for a path.
    assert picture.y == names[2] == "first" and dict(picture.titles)["first"] == "RPP"
    rpp, ap = (np.abs(simulated.compare(name).values.ravel()) for name in ("RPP", "AP"))
    assert sorted((abs(x), abs(y)) for _, x, y, _ in rows) == sorted(zip(ap.tolist(), rpp.tolist(), strict=True))
    assert all((kind == "the same") == (np.sign(x) == np.sign(y)) for _, x, y, kind in rows)
    again = agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=1).picture()[2]
    assert again != agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=2).picture()[2]
    assert again == agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=1).picture()[2]


def test_order_by_hand(small):
    actual = agreement(small, "order", ["RR", "AP", "leximin(AP)"])
    # RR: 8/12, 5/12, 9/12. AP: run1 (1 + 1/2) / 2 and (1/3 + 2/5) / 2, run2 (1/2 + 2/3) / 2 and 1/6, run3 1/2 and
    # (1 + 1/3) / 2; means 67/120, 45/120, 70/120, worst 22/60, 10/60, 30/60. All order run3, run1, run2.
    assert actual.rows() == (("RR", "AP", 1.0), ("RR", "leximin(AP)", 1.0), ("AP", "leximin(AP)", 1.0))
    # By majority LexiRecall puts run1 above run3 and ties the rest: run1, run2, run3. RR puts run1 and run3 above run2,
    # and ties them: one pair agrees, one does not, one ties.
    other = agreement(small, "order", ["RR", "LexiRecall"], ordering="copeland")
    assert other.rows() == (("RR", "LexiRecall", 0.0),)
    assert other.conclusion == "Highest tau_b: RR and LexiRecall, 0.000."
    assert "RR by copeland, LexiRecall by copeland" in other.notes[1]


def test_order_is_as_preferences_and_metrics_are_ordered(simulated):
    actual = agreement(simulated, "order", ["RPP", "AP"], correlation="tau_ap")
    assert actual.columns == ("measure", "other", "tau_ap")
    assert actual.rows()[0][2] == simulated.order("RPP", "mc4").correlation(simulated.order("AP", "mean"), "tau_ap")


def test_order_that_ties_all_has_no_correlation():
    actual = agreement(experiment_at({"q": [[1], [2]]}), "order", ["RR", "R@5"])
    assert actual.rows() == (("RR", "R@5", None),)
    assert actual.conclusion == "No two orders can be compared: runs tie."


@given(tables, st.permutations(range(3)))
@settings(max_examples=examples(10))
def test_order_of_the_runs_changes_nothing(table, order):
    changed = {q: [rankings[k] for k in order] for q, rankings in table.items()}
    for view, how in (
        ("preference", {"measures": ["LexiRecall", "RR"]}),
        ("sign", {"measures": ["RPP", "AP"]}),
    ):
        before, after = (agreement(experiment_at(each), view, **how).rows() for each in (table, changed))
        for one, other in zip(before, after, strict=True):
            assert other == pytest.approx(one, abs=1e-9)


def test_measures_without_a_value_for_some_requests_are_compared_on_the_others():
    judgements = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    runs = [{"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 2.0, "a": 1.0}}]
    actual = agreement(tb.Experiment(judgements, runs), "preference", ["AP(rel=2)", "RR"])
    # Only q1 has an item of grade 2; there RR ties.
    assert actual.rows()[1] == ("AP(rel=2)", "RR", 1, 0, 0.0)
    with pytest.raises(tb.InputError, match="has no value for any request"):
        agreement(tb.Experiment(judgements, runs), "preference", ["AP(rel=3)", "RR"])


@pytest.mark.parametrize(
    ("view", "how", "message"),
    [
        ("signs", {}, 'unknown value for view "signs". Did you mean "sign"'),
        ("preference", {"measures": "AP"}, "there is one. Give at least two"),
        ("preference", {"measures": []}, "no measure was given"),
        ("sign", {"measures": ["AP", "AP "]}, "given twice"),
        ("order", {"measures": ["AP", "nothing"]}, "nothing"),
        ("order", {"ordering": "nothing"}, "nothing"),
        ("order", {"correlation": "tau"}, "unknown value for correlation"),
        ("sign", {"points": 0}, "points"),
    ],
)
def test_what_cannot_be_meant_is_refused(small, view, how, message):
    with pytest.raises(tb.InputError, match=message):
        agreement(small, view, **how)


def test_one_run_is_refused():
    with pytest.raises(tb.InputError, match="at least two runs; there is one"):
        agreement(experiment_at({"q": [[1]]}))
