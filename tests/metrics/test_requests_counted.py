"""Which requests a measure counts: with grades below min_grade, and with a level of its own."""

import numpy as np
import pytest

import tiebreak as tb

pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")

QRELS = {"q1": {"a": 3, "b": 1}, "q2": {"a": 2, "c": 1}, "q3": {"c": 1}, "q4": {"d": 0}}
RUN = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"c": 2.0, "a": 1.0}, "q3": {"x": 2.0, "c": 1.0}}


def values(measure, **options):
    return tb.Experiment(QRELS, RUN, **options).evaluate(measure)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.GradesWarning")
@pytest.mark.parametrize("measure", ["nDCG", "nDCG@10", "ERR@10"])
def test_measures_of_all_grades_keep_requests_without_an_item_of_min_grade(measure):
    strict, all_grades = values([measure, "AP"], min_grade=2), values(measure)
    np.testing.assert_array_equal(strict[measure], all_grades[measure])
    assert strict.to_flat_dict()[f"run1/{measure}"] == all_grades.to_flat_dict()[f"run1/{measure}"]
    assert np.isnan(strict["AP"][0]).tolist() == [False, False, True, True]


@pytest.mark.parametrize("measure", ["Success(rel=3)@5", "AP(rel=3)", "R(rel=3)@5", "nDCG(rel=3)"])
def test_requests_without_an_item_of_a_measures_own_level_are_zero(measure):
    actual = values(["AP", measure])
    assert actual[measure][0, 1:3].tolist() == [0.0, 0.0]
    assert np.isnan(actual[measure][0, 3])
    assert actual[measure][0, 0] > 0
    counted = {row.measure: row.n_requests for row in actual.summary().rows()}
    assert counted == {"AP": 3, measure: 3}


def test_means_with_a_level_of_their_own_differ_as_the_comparison_says():
    exp = tb.Experiment(QRELS, [tb.Run(RUN, name="x"), tb.Run({"q1": {"a": 1.0}}, name="y")])
    means = exp.evaluate("AP(rel=3)").to_flat_dict()
    assert exp.compare("AP(rel=3)").mean.item() == means["x/AP(rel=3)"] - means["y/AP(rel=3)"]


def test_lengths_are_not_zero_where_a_level_has_no_item():
    assert np.isnan(values("ISL(rel=3)")["ISL(rel=3)"][0, 1:]).all()


def test_requests_with_items_of_a_level_below_min_grade_keep_their_value():
    np.testing.assert_array_equal(values("AP(rel=1)", min_grade=2)["AP(rel=1)"], values("AP")["AP"])
