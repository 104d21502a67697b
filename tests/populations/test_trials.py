"""Repeated trials of a run at a request: averaged, or kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb

# Each run answers q1 and q2 twice, with the seeds 7 and 8.
ROWS = [
    *(("a", "q1", 7, 1.0), ("a", "q1", 8, 0.0), ("a", "q2", 7, 0.5), ("a", "q2", 8, 0.5)),
    *(("b", "q1", 7, 0.5), ("b", "q1", 8, 0.5), ("b", "q2", 7, 0.75), ("b", "q2", 8, 0.0)),
]
NAMES = ("run", "request", "seed", "value")


def table(rows=ROWS, **how):
    return tb.Utilities([dict(zip(NAMES, row, strict=True)) for row in rows], **how)


def test_repeated_trials_are_an_error_that_says_how_to_go_on():
    with pytest.raises(tb.InputError, match=r'run "a", request "q1" appears twice.*trials="mean", --trials mean'):
        table()


def test_the_mean_of_trials_is_the_utility():
    utilities = table(trials="mean")
    assert utilities.values.tolist() == [[0.5, 0.5], [0.5, 0.375]]  # (1 + 0) / 2, (0.5 + 0.5) / 2; (0.75 + 0) / 2
    assert utilities.order("leximin").ranking() == ["a", "b"]
    assert "Repeated trials are averaged." in utilities.order("mean").notes


def test_means_of_thirds_tie_exactly():
    rows = [("a", "q", k, v) for k, v in enumerate((0.1, 0.2, 0.3))] + [("b", "q", 0, 0.2)]
    assert table(rows, trials="mean").order("leximin").groups == (("a", "b"),)


def test_costs_are_averaged_too():
    assert table(trials="mean", lower_is_better=True).values.tolist() == [[-0.5, -0.5], [-0.5, -0.375]]


def test_what_is_missing_counts_as_one_trial():
    assert table(ROWS[:6], trials="mean", missing=0).values.tolist() == [[0.5, 0.5], [0.5, 0.0]]


def test_kept_trials_count_as_requests():
    utilities = table(trials="keep")
    assert list(utilities.requests) == ["q1, trial 7", "q1, trial 8", "q2, trial 7", "q2, trial 8"]
    assert utilities.values.tolist() == [[1, 0, 0.5, 0.5], [0.5, 0.5, 0.75, 0]]
    # Leximin sees the trials 0, 0.5, 0.5, 1 and 0, 0.5, 0.5, 0.75.
    assert utilities.order("leximin").ranking() == ["a", "b"]
    assert "Every trial of a request counts as a request." in utilities.order("mean").notes


def test_weights_and_groups_of_requests_hold_for_their_trials():
    utilities = table(trials="keep", weights={"q1": 3, "q2": 1}, groups={"q1": "x", "q2": "y"})
    assert utilities.groups == ("x", "x", "y", "y")
    assert table(trials="keep", weights={"q1": 3, "q2": 1}).table.weights.tolist() == [3, 3, 1, 1]


def test_tests_of_kept_trials_are_those_of_their_means():
    """Trials of one request are not independent."""
    rng = np.random.default_rng(0)
    rows = [(run, f"q{q}", k, float(rng.integers(10)) / 10) for run in "ab" for q in range(9) for k in range(4)]
    kept, means = table(rows, trials="keep").test("t"), table(rows, trials="mean").test("t")
    assert [record["pvalue"] for record in kept.records()] == [record["pvalue"] for record in means.records()]
    assert [record["n_requests"] for record in kept.records()] == [9]


def test_kept_trials_need_their_names():
    with pytest.raises(tb.InputError, match=r"no column for trial. Known names: trial, repetition"):
        tb.Utilities([{"run": "a", "request": "q", "value": 1}], trials="keep")
    with pytest.raises(tb.InputError, match="column trial"):
        tb.Utilities({"a": {"q": 1}}, trials="keep")
    with pytest.raises(tb.InputError, match="trials"):
        table(trials="median")


def test_a_trial_that_a_run_lacks_is_missing():
    with pytest.raises(tb.InputError, match=r'1 of 8 cells are missing: run "b", request "q2, trial 8"'):
        table(ROWS[:-1], trials="keep")


@settings(deadline=None)
@given(st.permutations(ROWS))
def test_the_order_of_rows_does_not_matter(rows):
    for how in ("mean", "keep"):
        utilities = table(rows, trials=how)
        assert utilities.order("leximin").ranking() == ["a", "b"]
        assert sorted(utilities.order("mean").scores.tolist()) == [0.4375, 0.5]
