"""Utilities request by request: scores, comparisons, tests and explanations."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tiebreak as tb
from tiebreak.errors import InputError

TABLE = {"a": {"q": 0.9, "r": 0.1, "s": 0.5}, "b": {"q": 0.4, "r": 0.3, "s": 0.5}}
SIMULATION = tb.simulate(12, seed=5)


@pytest.fixture(scope="module")
def exp():
    return tb.Experiment(SIMULATION.judgements, SIMULATION.runs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("baseline", [None, "deep", ["deep", "weak"]])
@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RR"])
def test_values_of_a_metric_compare_as_the_metric_does(exp, measure, baseline):
    """Read back as a table of numbers, with the exact values of the metric where it has them."""
    expected, utilities = exp.compare(measure, baseline), exp.utilities(measure)
    compared = utilities.compare(baseline)
    assert np.array_equal(compared.values, expected.values) and compared.baselines == expected.baselines
    assert compared.test().pvalue.tolist() == expected.test().pvalue.tolist()
    assert compared.test("permutation").pvalue.tolist() == expected.test("permutation").pvalue.tolist()
    assert [row[3:] for row in compared.summary().rows()] == [row[3:] for row in expected.summary().rows()]
    if baseline is None:
        for by in (None, "mc4", "borda", "copeland", "win_rate"):
            assert compared.order(by).ranks.tolist() == expected.order(by).ranks.tolist()


@pytest.mark.parametrize("measure", ["AP", "P@5"])
def test_scores_are_those_of_the_metric(exp, measure):
    expected, scores = exp.evaluate(measure), exp.utilities(measure).scores()
    assert scores.mean.tolist() == expected.mean.tolist()
    assert list(scores.rows()) == list(expected.rows())
    marked, table = expected.against("deep"), scores.against("deep")
    assert [[str(cell) for cell in row] for row in table.rows()] == [
        [str(cell) for cell in row] for row in marked.rows()
    ]
    assert scores.against().rows() == expected.against().rows()
    assert {*scores.pictures} == {*expected.pictures}


def test_comparison_by_hand():
    utilities = tb.Utilities(TABLE, measure="acc")
    assert utilities.compare().values.tolist() == [[0.5, -0.2, 0.0]]  # 0.9 - 0.4, 0.1 - 0.3, 0.5 - 0.5
    assert utilities.compare("a").values.tolist() == [[-0.5, 0.2, 0.0]]
    (row,) = utilities.compare().summary().rows()
    assert (row.value, row.wins, row.ties, row.losses) == (0.1, 1, 1, 1)  # 0.3 / 3, exactly
    assert utilities.test().pvalue[0] == pytest.approx(stats.ttest_1samp([0.5, -0.2, 0.0], 0).pvalue)
    assert repr(utilities.compare()).splitlines()[-1].startswith("acc over 3 requests: positive where run is better")


def test_groups_are_compared_and_tested_apart():
    utilities = tb.Utilities(TABLE, groups={"q": "x", "r": "x", "s": "y"})
    segments = utilities.compare()
    assert segments["x"].values.tolist() == [[0.5, -0.2]] and segments["y"].values.tolist() == [[0.0]]
    assert segments.whole.values.tolist() == tb.Utilities(TABLE).compare().values.tolist()
    rows = {row[0]: row for row in utilities.test("sign").rows()}
    assert {group: row[1] for group, row in rows.items()} == {"x": 2, "y": 1, "all": 3}
    assert utilities.test("sign").rows() == utilities.compare().test("sign").rows()


@pytest.mark.parametrize("groups", [None, {"q": "x", "r": "y", "s": "y"}])
def test_kept_trials_count_once(groups):
    rows = [
        {"run": run, "request": q, "trial": t, "value": value + (t - 1) / 16}
        for run, values in TABLE.items()
        for q, value in values.items()
        for t in range(3)
    ]
    kept, means = (tb.Utilities(rows, trials=trials, groups=groups) for trials in ("keep", "mean"))
    assert [row[-8:] for row in kept.test("sign").rows()] == [row[-8:] for row in means.test("sign").rows()]
    assert kept.scores().mean.tolist() == means.scores().mean.tolist() == [[0.5], [0.4]]
    assert [row[0] for row in kept.explain("a", "b").rows()] == ["q", "r", "s"]


def test_weights_are_refused():
    utilities = tb.Utilities(TABLE, weights={"q": 1, "r": 2, "s": 1})
    for call in (utilities.compare, utilities.test, utilities.scores, lambda: utilities.explain("a", "b")):
        with pytest.raises(InputError, match="takes no weights: every request counts once"):
            call()


def test_explanation_by_hand():
    result = tb.Utilities(TABLE, measure="acc").explain("a", "b")
    assert result.columns == ("request", "value", "other_value", "difference")
    assert result.rows() == (("q", 0.9, 0.4, 0.5), ("r", 0.1, 0.3, -0.2), ("s", 0.5, 0.5, 0.0))
    assert result.notes == (
        "Mean acc: 0.5000 of a against 0.4000 of b, difference +0.1000. value is that of a, other_value that of b: a "
        "is better in 1, worse in 1 and tied in 1 of 3 requests.",
        "1 request decides: without q, a would not be better than b.",
    )
    grouped = tb.Utilities(TABLE, groups={"q": "x", "r": "x", "s": "y"}).explain("b", "a")
    assert grouped.rows()[0] == ("q", "x", 0.4, 0.9, -0.5)
    assert grouped.notes[1] == "1 request decides: without q, a would not be better than b."


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        ([0.1, 0.5], [0.1, 0.4], "a is nowhere worse than b."),
        ([0.1, 0.5], [0.1, 0.6], "b is nowhere worse than a."),
        ([0.3, 0.4], [0.1, 0.6], "The means are equal: what one run gains in some requests the other gains in others."),
        ([0.3, 0.4], [0.3, 0.4], "The two runs have the same value in every request."),
        ([0.3, 0.3, 0.3, 0], [0.1, 0.1, 0.1, 0.5], "1 request decides: without q0, a would not be better than b."),
    ],
)
def test_what_decides_in_words(a, b, note):
    """0.3 - 0.1 - (0.6 - 0.4) is not 0 in floats."""
    table = {name: {f"q{k}": value for k, value in enumerate(values)} for name, values in (("a", a), ("b", b))}
    assert tb.Utilities(table).explain("a", "b").notes[1] == note


def slow_deciding(gains):
    """The fewest gains to take away, of all subsets."""
    from itertools import combinations

    subsets = (left for size in range(len(gains) + 1) for left in combinations(range(len(gains)), size))
    return next(len(left) for left in subsets if sum(gain for k, gain in enumerate(gains) if k not in left) <= 0)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=7))
def test_requests_that_decide_are_the_fewest(gains):
    from tiebreak.analysis.request_differences import requests_that_decide

    places = requests_that_decide([Fraction(gain) for gain in gains])
    assert len(places) == slow_deciding(gains)
    assert sum(gain for k, gain in enumerate(gains) if k not in places) <= 0


def test_explanation_by_a_population_shows_the_place_that_decides():
    table = {"a": {"q": 0.0, "r": 0.1, "s": 1.0}, "b": {"q": 0.2, "r": 0.0, "s": 0.3}}
    utilities = tb.Utilities(table)
    notes = utilities.explain("a", "b", "leximin").notes
    assert notes[0] == "leximin prefers b."  # 0, 0.1, 1 and 0, 0.2, 0.3
    assert "Place 2 from the worst" in notes[1] and "0.1000 (r)" in notes[1] and "0.2000 (q)" in notes[1]
    over = tb.Utilities(table, groups={"q": "x", "r": "x", "s": "y"}).explain("a", "b", "leximin")
    assert [row.request for row in over.rows()] == ["x", "y"]  # as in its order: over the means of groups
    assert tb.Utilities(table, groups={"q": "x", "r": "x", "s": "y"}).order("leximin").ranking() == ["b", "a"]


def test_bad_runs_are_named():
    with pytest.raises(InputError, match='unknown run "c"'):
        tb.Utilities(TABLE).explain("a", "c")
    with pytest.raises(InputError, match='unknown run "c"'):
        tb.Utilities(TABLE).compare("c")
    with pytest.raises(InputError, match="two runs"):
        tb.Utilities({"a": {"q": 1}}).compare()
