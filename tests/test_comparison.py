"""Comparisons: over pairs and requests, against baselines, as tables and data."""

import re
import tracemalloc
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from nested import nested
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.metrics import CATALOGUE, metric
from tiebreak.orderings import ballots
from tiebreak.preferences import base, interleaving, lexicographic, paired_levels
from tiebreak.preferences.pairs import Pairs

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 1}}
RUNS = [
    tb.Run({"q1": {"a": 9.0, "x": 8.0, "b": 7.0}, "q2": {"c": 1.0}, "q3": {"y": 2.0, "d": 1.0}}, name="one"),
    tb.Run({"q1": {"b": 9.0, "a": 8.0}, "q2": {"x": 2.0, "c": 1.0}}, name="two"),
    tb.Run({"q1": {"x": 9.0}, "q2": {"c": 1.0}, "q3": {"y": 2.0, "d": 1.0}}, name="three"),
]
# Positions: one (1, 3), (1), (2); two (1, 2), (2), (-); three (-, -), (1), (2). Grade 2 is b: 3, 1 and -.


@pytest.fixture
def exp():
    return tb.Experiment(QRELS, RUNS)


def test_preferences_of_all_pairs_and_requests(exp):
    comparison = exp.compare("LexiRecall")
    assert list(comparison.names()) == [("one", "two"), ("one", "three"), ("two", "three")]
    assert list(comparison.requests) == ["q1", "q2", "q3"]
    assert comparison.values.tolist() == [[-1, 1, 1], [1, 0, 0], [1, -1, -1]]
    assert comparison.win_tie_loss.tolist() == [[2, 0, 1], [1, 2, 0], [1, 0, 2]]
    assert comparison.share_tied == 2 / 9
    assert comparison.mean.tolist() == [1 / 3, 1 / 3, -1 / 3]
    assert comparison.matrix().tolist() == [[0, 1 / 3, 1 / 3], [-1 / 3, 0, -1 / 3], [-1 / 3, 1 / 3, 0]]


def test_graded_preference_by_hand(exp):
    comparison = exp.compare("RPP")
    # q1, one over two: at grade >= 1 (1, 3) against (1, 2): 0 - 1; at grade >= 2, b: 3 against 1: -1; of 2 + 1 users.
    assert comparison.values[0].tolist() == [-2 / 3, 1, 1]
    assert (comparison.numerator[0].tolist(), comparison.denominator.tolist()) == ([-2, 1, 1], [3, 1, 1])
    assert comparison.mean[0] == float(Fraction(4, 9))


def test_interval_is_that_of_a_t_test(exp):
    comparison = exp.compare("LexiRecall")
    # -1, 1, 1: standard error 2 / 3, and t of 2 degrees of freedom at 97.5% is 4.302652729911275.
    assert comparison.interval[0] == pytest.approx(
        [1 / 3 - 4.302652729911275 * 2 / 3, 1 / 3 + 4.302652729911275 * 2 / 3]
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", ["RPP", "AP", "LexiRecall", "sign(AP)", "rrLP"])
@pytest.mark.parametrize("baseline", [None, "balanced"])
def test_marks_are_those_of_the_default_test(measure, baseline):
    """One rule: the papers' test for the measure, corrected by Holm over the pairs shown."""
    simulation = tb.simulate(30, seed=7)
    exp = tb.Experiment(simulation.judgements, simulation.runs)
    comparison = exp.compare(measure, baseline)
    summary, test = comparison.summary(), comparison.test()
    assert test.test.name == ("sign" if measure in ("LexiRecall", "sign(AP)") else "t") and test.correction == "holm"
    assert [row.pvalue_corrected for row in summary.values] == test.pvalue_corrected.tolist()
    marks = [summary.is_marked(row) for row in summary.records()]
    assert marks == test.differs.tolist() and sum(marks) > 0
    assert f"* {test.criterion}." in summary.notes[0] and "Holm's correction for" in test.criterion
    plain = comparison.test(correction="none")
    assert [row.pvalue_corrected for row in comparison.summary(plain).values] == plain.pvalue.tolist()


def test_several_measures_are_compared_at_once():
    simulation = tb.simulate(20, seed=7, systems=["deep", "balanced", "weak"])
    exp = tb.Experiment(simulation.judgements, simulation.runs)
    several = exp.compare(["RPP", "AP"], "weak")
    assert list(several) == ["RPP", "AP"] and len(several) == 2
    for measure in several:
        one = exp.compare(measure, "weak")
        assert several[measure].rows()[:] == one.rows()[:]
        assert [row for row in several.summary().rows() if row.measure == measure] == [*one.summary().rows()]
        assert several.test(alpha=0.01)[measure].rows() == one.test(alpha=0.01).rows()
    assert len(several.rows()) == 2 * 2 * 20 and {row.measure for row in several.rows()} == {"RPP", "AP"}
    assert repr(several).splitlines()[0].split() == ["run", "other", "RPP", "w/t/l", "AP", "w/t/l"]
    assert [*exp.compare(["RPP", "AP"])] == [*exp.compare(["RPP AP"])] == ["RPP", "AP"]
    with pytest.raises(UnknownNameError, match="RP"):
        several["RP"]
    with pytest.raises(InputError, match="twice"):
        exp.compare(["AP", "AP"])


def test_interval_does_not_depend_on_the_order_of_requests():
    requests = [f"q{k}" for k in range(99)]
    ranks = np.random.default_rng(1).integers(1, 40, size=(8, 99)).tolist()
    runs = [
        tb.Run({q: {"d": -place, "x": -20.5} for q, place in zip(requests, places, strict=True)}, name=f"run {k}")
        for k, places in enumerate(ranks)
    ]
    one, other = (
        tb.Experiment({q: {"d": 1, q: 1} for q in order}, runs).compare("RBP") for order in (requests, requests[::-1])
    )
    assert list(one.requests) != list(other.requests)
    assert one.interval.tolist() == other.interval.tolist()


def test_interval_of_one_request_is_unknown():
    comparison = tb.Experiment({"q1": {"a": 1}}, RUNS).compare("AP")
    assert np.isnan(comparison.interval).all()


def test_win_rate_is_the_sum_of_preferences_over_the_others(exp):
    comparison = exp.compare("LexiRecall")
    assert comparison.win_rate().tolist() == [[0, 1, 1], [2, -2, -2], [-2, 1, 1]]
    ranks = nested(comparison.order_requests(), "run", "request", value="rank")
    assert [list(ranks[run].values()) for run in ("one", "two", "three")] == [[2, 1, 1], [1, 3, 3], [3, 1, 1]]


def test_baseline_is_the_second_run_of_every_pair(exp):
    comparison = exp.compare("LexiRecall", baseline="two")
    assert list(comparison.names()) == [("one", "two"), ("three", "two")]
    assert comparison.values.tolist() == [[-1, 1, 1], [-1, 1, 1]]
    assert np.isnan(comparison.matrix()[0, 2]) and comparison.matrix()[1, 0] == -1 / 3
    assert "against two" in str(comparison.summary())


def test_several_baselines(exp):
    comparison = exp.compare("LexiRecall", baseline=["one", "two"])
    assert list(comparison.names()) == [("two", "one"), ("three", "one"), ("three", "two")]
    everything = exp.compare("LexiRecall")
    for pair in comparison.names():
        assert comparison.between(*pair).tolist() == everything.between(*pair).tolist()


def test_between_two_runs_has_the_sign_of_the_first(exp):
    comparison = exp.compare("LexiPrecision")
    assert comparison.between("two", "one").tolist() == (-comparison.between("one", "two")).tolist()
    with pytest.raises(UnknownNameError, match='unknown run "four"'):
        comparison.between("one", "four")
    with pytest.raises(InputError, match="were not compared"):
        exp.compare("RPP", baseline="one").between("two", "three")


@pytest.mark.parametrize("baseline", ["four", ["one", "four"]])
def test_unknown_baseline_is_refused(exp, baseline):
    with pytest.raises(UnknownNameError, match='unknown run "four"'):
        exp.compare("RPP", baseline=baseline)


def test_one_run_cannot_be_compared():
    with pytest.raises(InputError, match="at least two runs"):
        tb.Experiment(QRELS, RUNS[:1]).compare("RPP")


def test_runs_of_other_requests_are_refused():
    strange = tb.Run({"z1": {"a": 1.0}}, name="strange")
    with pytest.raises(InputError, match="lists none of the judged requests"):
        tb.Experiment(QRELS, [*RUNS, strange]).compare("RPP")


def test_an_order_needs_all_pairs(exp):
    with pytest.raises(InputError, match="all pairs"):
        exp.compare("RPP", baseline="one").order()


def test_a_preference_that_has_no_value_is_refused(exp):
    with pytest.raises(InputError, match="no value for any request"):
        exp.compare("RPP(rel=9)")


def test_requests_without_a_value_are_left_out(exp):
    comparison = exp.compare("rrLP(rel=2)")
    assert list(comparison.requests) == ["q1"]  # only q1 has an item of grade 2: at 3, 1 and nowhere
    assert comparison.values.ravel() == pytest.approx([-2 / 3, 1 / 3, 1])


def test_metrics_that_need_more_than_positions_can_be_compared(exp):
    assert exp.compare("ASL(n='union')").values.shape == (3, 3)  # the corpus is the pool of all runs


def test_graded_metrics_warn_where_they_count_what_is_not_relevant(exp):
    graded = {request: dict.fromkeys(items, 2) | {"z": 1} for request, items in QRELS.items()}
    with pytest.warns(tb.errors.GradesWarning, match="nDCG counts every grade above 0"):
        tb.Experiment(graded, RUNS, min_grade=2).compare("nDCG")


def test_data_come_out_in_every_shape(exp):
    comparison = exp.compare("LexiRecall")
    assert nested(comparison, "run", "other", "request")["one"]["two"] == {"q1": -1, "q2": 1, "q3": 1}
    assert comparison.rows()[0] == ("one", "two", "q1", "LexiRecall", -1)
    means = nested(comparison.summary(), "run", "other")
    assert means == {"one": {"two": 1 / 3, "three": 1 / 3}, "two": {"three": -1 / 3}}
    polars = pytest.importorskip("polars")
    frame = comparison.to_frame()
    assert isinstance(frame, polars.DataFrame) and frame.columns == ["run", "other", "request", "measure", "value"]
    assert frame.height == 9
    assert comparison.summary().to_frame().columns[2:6] == ["measure", "value", "low", "high"]
    assert exp.order("LexiRecall").to_frame().columns == ["run", "measure", "by", "rank", "score", "tied"]


def test_displays_hold_names_safely():
    runs = [tb.Run(RUNS[0].source and {"q1": {"a": 1.0}}, name=name) for name in ("<b>_&", "[red]x")]
    exp = tb.Experiment(QRELS, runs)
    for shown in (exp.compare("RPP"), exp.order("RPP"), exp.explain("<b>_&", "[red]x"), exp.compare("RPP").summary()):
        assert "&lt;b&gt;_&amp;" in shown._repr_html_() and "<b>_" not in shown._repr_html_()
        assert "[red]x" in repr(shown)
    assert r"\textless{}b\textgreater{}\_\&" in exp.compare("RPP").to_latex()
    assert r"\textless{}b\textgreater{}\_\&" in exp.order("RPP").to_latex()


def test_explanation_of_a_request(exp):
    actual = exp.explain("one", "two", request="q1")
    assert [level[:8] for level in actual.rows()] == [(1, 1, "a", 1, 1, "b", 2, 0), (2, 3, "b", 2, 2, "a", 1, -1)]
    assert [level.AP for level in actual.rows()] == pytest.approx([0, 1 / 3 - 1 / 2])  # 2/2 (1/3 - 1/2)
    assert actual.values == pytest.approx({"RPP": -2 / 3, "LexiRecall": -1, "LexiPrecision": -1, "diff(AP)": -1 / 6})
    assert "LexiRecall prefers two: recall level 2 decides, position 3 against position 2." in actual.notes


def test_explanation_over_requests_is_sorted_by_size(exp):
    actual = exp.explain("one", "three")
    assert actual.table().header == ("request", "m", "RPP", "LexiRecall", "LexiPrecision", "diff(AP)")
    assert [row.request for row in actual.rows()[::4]] == ["q1", "q2", "q3"]
    assert [row.value for row in actual.rows()[:4]] == pytest.approx([1, 1, 1, 5 / 6])  # (1 + 2/3) / 2 against nothing
    first = exp.explain("one", "two", measure="diff(RR)").rows()[0]
    assert first == ("q2", 1, "diff(RR)", 0.5)  # the first of two whose first levels differ: 1 against 1/2


def test_explanation_needs_two_runs_and_a_known_request(exp):
    with pytest.raises(InputError, match="with itself"):
        exp.explain("one", "one")
    with pytest.raises(UnknownNameError, match='unknown run "four"'):
        exp.explain("one", "four")
    with pytest.raises(UnknownNameError, match='unknown request "q9"'):
        exp.explain("one", "two", request="q9")


@cache
def some_positions(seed, runs=5, requests=40):
    result = tb.simulate(requests, seed=seed)
    inputs = [tb.Run(run, name=name) for name, run in result.runs.items()]
    return tb.Experiment(result.judgements, inputs[:runs]).positions


SPECS = ("RPP", "dcgRPP", "LexiRecall", "LexiPrecision", "rrLP", "OI", "Interleaving(stops='3,2,1')", "AP")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", SPECS)
def test_values_do_not_depend_on_how_much_is_worked_on_at_once(monkeypatch, spec):
    positions = some_positions(seed=3)
    at_once = tb.compare(positions, spec).values
    for module in (base, paired_levels, lexicographic, interleaving):
        monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 1)
    monkeypatch.setattr(paired_levels, "WEIGHTED_AT_ONCE", 1)
    monkeypatch.setattr(paired_levels, "POPULATED_AT_ONCE", 50)
    assert len(list(paired_levels.by_requests(positions))) > 5
    assert (tb.compare(positions, spec).values == at_once).all()


@pytest.mark.parametrize("spec", ["RPP", "dcgRPP", "OI"])
def test_win_rates_do_not_depend_on_how_many_requests_are_added_up_at_once(monkeypatch, spec):
    positions = some_positions(seed=3)
    at_once = tb.compare(positions, spec).win_rate()
    monkeypatch.setattr(ballots, "NUMBERS_AT_ONCE", 60)  # two requests
    assert (tb.compare(positions, spec).win_rate() == at_once).all()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", SPECS)
def test_samples_of_requests_are_ranked_and_signed_as_if_compared_alone(spec):
    comparison = tb.compare(some_positions(seed=5, requests=12), spec)
    weights = np.random.default_rng(1).integers(0, 2, size=(6, comparison.n_requests)).astype(float)
    for by in (None, "borda", "mean"):
        for row, ranks in zip(weights, comparison.ordering_method(by).ranks(comparison.ballots, weights), strict=True):
            assert ranks.tolist() == comparison.take_requests(np.flatnonzero(row)).order(by).ranks.tolist()
    for row, signs in zip(weights, comparison.ballots.pair_totals.signs(weights), strict=True):
        assert signs.tolist() == np.sign(comparison.take_requests(np.flatnonzero(row)).mean).tolist()


def test_mean_of_opposite_logarithmic_preferences_is_zero():
    relevant = dict.fromkeys("abc", 1)
    high = {"a": 9.0, "x": 8.0, "b": 7.0, "y": 6.0, "c": 5.0}
    low = {"x": 9.0, "a": 8.0, "b": 7.0, "c": 6.0}
    experiment = tb.Experiment({"q": relevant, "r": relevant}, [{"q": high, "r": low}, {"q": low, "r": high}])
    comparison = experiment.compare("dcgRPP")
    assert comparison.values[0, 0] == -comparison.values[0, 1] != 0
    assert comparison.mean.tolist() == [0.0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", SPECS)
def test_values_do_not_depend_on_the_order_of_runs_or_requests(spec):
    positions = some_positions(seed=4)
    expected = tb.compare(positions, spec)
    turned = positions.take_runs([3, 1, 4, 0, 2]).take_requests(np.arange(len(positions.requests))[::-1])
    comparison = tb.compare(turned, spec)
    for pair in expected.names():
        assert (comparison.between(*pair)[::-1] == expected.between(*pair)).all()
    assert comparison.order("mc4").rows() == expected.order("mc4").rows()


@given(st.integers(2, 9))
def test_pairs_are_each_wanted_once(runs):
    pairs = Pairs.all(runs)
    assert sorted(zip(pairs.x.tolist(), pairs.y.tolist(), strict=True)) == [
        (x, y) for x in range(runs) for y in range(x + 1, runs)
    ]
    for fan in pairs.fans:
        assert pairs.x[fan.rows].tolist() == [fan.run] * (runs - 1 - fan.run)
        assert pairs.y[fan.rows].tolist() == list(range(runs))[fan.others]


@pytest.mark.parametrize("spec", ["RPP", "dcgRPP", "LexiRecall", "rrLP"])
def test_memory_is_that_of_the_result_and_of_one_block(spec):
    requests, m = 50_000, 4
    result = many_requests(requests, m)
    tb.compare(result, spec)
    tracemalloc.start()
    comparison = tb.compare(result, spec)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    positions_held = result.ranks.nbytes
    # Sorted positions, values and denominators of all requests, ids; and what one block of them takes.
    assert peak < 2 * positions_held + 3 * comparison.values.nbytes + 120 * base.ENTRIES_AT_ONCE


def many_requests(requests, m):
    one = tb.positions([[1, 4, 6, 9], [2, 3, 7, None]])
    return one.take_requests(np.zeros(requests, dtype=np.int64))


OWN = "(exposure='metrics.slow:inverse')"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CATALOGUE)
def test_every_metric_compares_bare_positions_or_says_what_it_needs(name):
    arguments = ("", "@10", "(n=100)", "(n=100)@10", "(max_rel=3)", "(max_rel=3)@10", "(AP)", "@0.5", OWN)
    result = next(filter(None, (made_of(name + more) for more in arguments)))
    try:
        message = "has values" if tb.compare(tb.positions([[1, 9], [2, 3]]), result).values.size else ""
    except tb.TiebreakError as error:
        message = str(error)
    assert re.search("has values|needs|no subtopics|display only|describes the input|figure of a whole run", message)


def made_of(spec):
    try:
        return metric(spec)
    except tb.TiebreakError:
        return None


def test_metric_of_aspects_says_that_it_needs_an_experiment_with_aspects():
    with pytest.raises(tb.InputError, match=r"EU@10 needs the aspects of items.*Experiment\(\.\.\., aspects="):
        tb.compare(tb.positions([[1, 9], [2, 3]]), "EU@10")
