"""The positions of one ranking."""

import pytest

import tiebreak as tb

EXPERIMENT = tb.Experiment({"q": {"a": 1, "b": 2, "c": 1, "x": 0}}, {"q": {"b": 3.0, "x": 2.0, "a": 1.0}})


def test_positions_increase_and_missed_items_are_last():
    shown = EXPERIMENT.explain("run1", request="q")
    assert shown.positions == [1, 3, None]
    assert [tuple(row) for row in shown.rows()] == [(1, 1, "b", 2.0), (2, 3, "a", 1.0), (3, None, "c", 1.0)]
    assert "3 relevant items, 1 of them not retrieved." in shown.notes[0]


def test_one_run_needs_a_request():
    with pytest.raises(tb.InputError, match=r"explain needs two runs, or one run and a request."):
        EXPERIMENT.explain("run1")


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_request_without_relevant_items_is_refused():
    exp = tb.Experiment({"q": {"a": 1}, "none": {"a": 0}}, {"q": {"a": 1.0}})
    with pytest.raises(tb.InputError, match="request none has no relevant item"):
        exp.explain("run1", request="none")


def test_grades_in_tables_have_no_needless_decimals():
    ratings = {"q": {"a": 3, "b": 0.5, "c": 0}}
    runs = {"x": {"q": {"a": 3.0, "b": 2.0, "z": 1.0}}, "y": {"q": {"b": 2.0, "c": 1.0}}}
    exp = tb.Experiment(ratings, runs, aspects={"a": ["war"], "b": ["war"]})
    shown = exp.explain("x", request="q").table()
    assert [row[shown.header.index("grade")] for row in shown.rows] == ["3", "0.5"]
    listed = exp.interleave("x", "y", "q").table()
    assert {row[1]: row[listed.header.index("grade")] for row in listed.rows} == {
        "a": "3",
        "b": "0.5",
        "c": "0",
        "z": "-",
    }
    gains = exp.explain("x", request="q", measure="alpha_beta_nDCG@3").table()
    assert {row[gains.header.index("rating")] for row in gains.rows} == {"3", "0.5", "-"}
