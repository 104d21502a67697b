"""Why a population prefers a run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb

VALUES = st.lists(st.integers(0, 3), min_size=4, max_size=4)


def explain(x, y, population):
    """Requests with one relevant item, at positions that are given: RR is 1 over them, 0 for 0."""
    qrels = {f"q{k}": {"a": 1} for k in range(len(x))}

    def ranking(place):
        return {"z": 0.0} if not place else {f"n{k}": 9.0 - k for k in range(place - 1)} | {"a": 1.0}

    runs = {name: {f"q{k}": ranking(place) for k, place in enumerate(places)} for name, places in (("x", x), ("y", y))}
    exp = tb.Experiment(qrels, runs)
    return exp, exp.explain("x", "y", measure=population)


def test_deciding_place_worked_by_hand():
    # RR of x: 1, 0, 1/2, of y: 1/3, 0, 1; sorted 0 1/2 1 and 0 1/3 1
    _, shown = explain([1, 0, 2], [3, 0, 1], "leximin(RR)")
    assert [tuple(row[:5]) for row in shown.rows()] == [
        (1, "q1", 0.0, "q1", 0.0),
        (2, "q2", 1 / 2, "q0", 1 / 3),
        (3, "q0", 1.0, "q2", 1.0),
    ]
    assert shown.notes[:2] == (
        "leximin(RR) prefers x.",
        "Place 2 from the worst decides: 0.5000 (q2) against 0.3333 (q0); all before it tie.",
    )


def test_best_place_decides_for_leximax():
    _, shown = explain([2, 2], [1, 0], "leximax(RR)")
    assert shown.notes[1] == "Place 2 from the worst decides: 0.5000 (q1) against 1.0000 (q0)."
    _, shown = explain([1, 2], [1, 0], "leximax(RR)")
    assert shown.notes[1] == "Place 1 from the worst decides: 0.5000 (q1) against 0.0000 (q1); all after it tie."


def test_windows_decide_for_smoothed_leximin():
    # sorted 0 1/2 1 and 1/3 1/3 1/3: sums of two are 1/2 and 2/3
    _, shown = explain([1, 0, 2], [3, 3, 3], "smoothed_leximin(RR, lag=2)")
    assert shown.notes[1] == ("Places 1 to 2 from the worst decide: sums 0.5000 and 0.6667.")
    # sorted 0 1/2 1/2 and 0 1/2 1: sums of two are 1/2 1 and 1/2 3/2
    _, shown = explain([0, 2, 2], [0, 1, 2], "smoothed_leximin(RR, lag=2)")
    assert shown.notes[1].endswith(
        "Places 2 to 3 from the worst decide: sums 1.0000 and 1.5000; all windows before it tie."
    )


def test_numbers_are_shown_where_a_population_has_them():
    _, shown = explain([1, 1], [2, 2], "min(RR)")
    assert shown.notes[:2] == (
        "min(RR) prefers x: 1.0000 of x against 0.5000 of y.",
        "Mean difference over requests: +0.5000.",
    )


def test_mean_difference_is_not_told_beside_weights():
    """By q alone a is better, 1 and 0.5; without weights it is worse."""
    utilities = tb.Utilities({"a": {"q": 1, "r": 0}, "b": {"q": 0.5, "r": 1}}, weights={"q": 1, "r": 0})
    first, second, *_ = utilities.explain("a", "b", "mean").notes
    assert first == "mean prefers a: 1.0000 of a against 0.5000 of b." and second == "Requests are weighted."


def test_equal_utilities_tie():
    _, shown = explain([1, 2], [2, 1], "leximin(RR)")
    assert shown.notes[:2] == ("leximin(RR) ties x and y.", "All sorted utilities are equal.")
    # sorted 1/2 1/2 and 0 1: both sums are 1
    _, shown = explain([2, 2], [0, 1], "smoothed_leximin(RR, lag=2)")
    assert shown.notes[1] == "All sums of 2 sorted utilities are equal."
    _, shown = explain([1, 3], [1, 3], "leximin(RR, digits=1)")
    assert shown.notes[1] == "All sorted utilities are equal, rounded."


@pytest.mark.parametrize("population", ["leximin(RR)", "leximax(RR)"])
def test_table_shows_the_place_that_decided(population):
    """0 at 29 places, then 1/2 or 0, then ones: of leximin place 30 decides, of leximax the same, from the best."""
    _, shown = explain([0] * 29 + [2] + [1] * 10, [0] * 30 + [1] * 10, population)
    assert shown.settings["place"] == 30
    table = shown.table()
    assert [row[0] for row in table.rows] == [str(k) for k in range(21, 41)]
    assert "Places 21 to 40 of 40 are shown; other formats list all." in table.notes
    assert len(shown.table(most=None).rows) == 40


@given(VALUES, VALUES)
def test_run_that_is_better_at_the_deciding_place_is_preferred(x, y):
    exp, shown = explain(x, y, "leximin(RR)")
    first = next((row.difference for row in shown.rows() if row.value != row.other_value), 0)
    ranks = dict(zip(exp.positions.runs, exp.order("leximin(RR)").ranks.tolist(), strict=True))
    assert (ranks["y"] > ranks["x"]) - (ranks["y"] < ranks["x"]) == (first > 0) - (first < 0)


def test_population_needs_two_runs_and_no_request():
    exp, _ = explain([1], [2], "leximin(RR)")
    for arguments in (("x",), ("x", "y", "q0")):
        with pytest.raises(tb.InputError, match="is over all requests: give two runs, and no request"):
            exp.explain(*arguments, measure="leximin(RR)")
