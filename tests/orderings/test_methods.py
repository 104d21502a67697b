"""Ordering methods: by hand, against slow exact twins, and the laws they obey."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from orderings import slow
from orderings.experiments import compared, ranks_by_run, tables, vectors
from tiebreak import InputError
from tiebreak.errors import UnknownNameError
from tiebreak.orderings import CATALOGUE
from tiebreak.orderings.ballots import condorcet_cycles

EXACT = ["RPP", "LexiRecall"]
MEASURES = [*EXACT, "diff(AP)"]
METHODS = sorted(slow.METHODS)
every_measure = pytest.mark.parametrize("measure", MEASURES)
every_method = pytest.mark.parametrize("by", METHODS)

# RPP, m = 2: run1 and run2 win one level each, and so do run2 and run3; run3 beats run1 at one of the two levels.
THREE = [[1, 9], [2, 3], [1, 8]]
# Three times 1/3, once -1: run0 gains over run1 exactly what it loses.
CANCELLING = [*[[[2, 5, 6], [3, 5, 6]]] * 3, [[2], [1]]]
# AP of the first is (1 + 2/12) / 2 = 7/12, of the second (1/2 + 2/3) / 2 = 7/12.
EQUAL_AP = [[[1, 12], [2, 3], [1, 2]]]
# Each stands above the next in two requests of three: 0 above 1, 1 above 2, 2 above 0.
CIRCLE = [[[1], [2], [3]], [[3], [1], [2]], [[2], [3], [1]]]
CIRCLE_AND_ONE_BELOW = [[*request, [4]] for request in CIRCLE]


def floats(exact):
    return [float(number) for number in exact]


def three(by):
    return tb.compare(tb.positions(THREE), "RPP").order(by)


def test_every_method_has_a_slow_twin():
    assert sorted(CATALOGUE) == METHODS


def test_scores_by_hand():
    assert three("win_rate").scores.tolist() == [0 - 1 / 2, 0 + 0, 1 / 2 + 0]
    assert three("mean").scores.tolist() == [-1 / 2 / 2, 0, 1 / 2 / 2]
    assert three("borda").scores.tolist() == [3 - 3, 3 - 2, 3 - 1]
    assert three("copeland").scores.tolist() == [0 - 1, 0 - 0, 1 - 0]


def test_one_step_of_the_walk_by_hand():
    # Win rates put run3 above run2 above run1. A third of the mass of run1 stays, a third goes to each of the others;
    # run2 keeps two thirds and gives one to run3, which keeps all.
    assert three("mc4(steps=1)").scores == pytest.approx([1 / 9, 1 / 9 + 2 / 9, 1 / 9 + 1 / 9 + 3 / 9], abs=1e-15)
    # 3/4 of each, and 1/4 spread over the three: 3/4 * 1/9 + 1/12, and so on.
    assert three("mc4(steps=1, teleport=0.25)").scores == pytest.approx([2 / 12, 4 / 12, 6 / 12], abs=1e-15)


def test_ten_steps_between_two_runs_by_hand():
    # Half of the mass of the worse run leaves it at every step: 1/2 * (1/2)^10 is left.
    ordering = tb.compare(tb.positions([[2], [1]]), "RPP").order("mc4")
    assert ordering.scores == pytest.approx([1 / 2**11, 1 - 1 / 2**11], abs=1e-15)


def test_a_walk_that_has_converged_ends_at_the_run_above_all():
    assert three("mc4(steps='converge')").scores == pytest.approx([0, 0, 1], abs=1e-12)


def test_runs_that_tie_share_the_best_rank():
    # run2 beats three, run3 loses to three; run1 and run4 tie, beat one and lose to one.
    ordering = tb.compare(tb.positions([[2], [1], [3], [2]]), "LexiRecall").order("win_rate")
    assert ordering.scores.tolist() == [1 - 1, 3, -3, 1 - 1]
    assert ordering.ranks.tolist() == [2, 1, 4, 2]
    assert ordering.groups == (("run2",), ("run1", "run4"), ("run3",))
    assert ordering.n_tied == 2
    assert ordering.ranking() == ["run2", "run1", "run4", "run3"]
    assert [row.tied for row in ordering.rows()] == [False, True, True, False]
    assert [(row.run, row.rank) for row in ordering.rows()] == [("run2", 1), ("run1", 2), ("run4", 2), ("run3", 4)]


@pytest.mark.one_in(3)
@every_method
@pytest.mark.parametrize("measure", EXACT)
@settings(max_examples=examples(25))
@given(table=tables())
@example(table=CANCELLING)
@example(table=CIRCLE)
def test_scores_and_ties_are_those_of_the_slow_twin(table, measure, by):
    exact = slow.METHODS[by](slow.matrices(table, measure))
    ordering = compared(table, measure).order(by)
    assert ordering.scores == pytest.approx(floats(exact), rel=0, abs=1e-12 if by == "mc4" else 0)
    assert ordering.ranks.tolist() == slow.ranks(exact, tolerance=Fraction(1, 10**12) if by == "mc4" else 0)


@every_method
@given(table=tables())
@example(table=EQUAL_AP)
def test_differences_of_a_metric_are_ordered_like_the_slow_twin(table, by):
    exact = slow.METHODS[by](slow.matrices(table, "diff(AP)"))
    ordering = compared(table, "diff(AP)").order(by)
    assert ordering.scores == pytest.approx(floats(exact), rel=0, abs=1e-12)
    assert ordering.ranks.tolist() == slow.ranks(exact, tolerance=Fraction(1, 10**12))


@given(table=tables(), teleport=st.sampled_from([Fraction(1, 4), Fraction(1, 2)]), steps=st.integers(1, 12))
def test_walk_with_teleport_is_that_of_the_slow_twin(table, teleport, steps):
    exact = slow.mc4(slow.matrices(table, "RPP"), steps, teleport)
    ordering = compared(table, "RPP").order(f"mc4(steps={steps}, teleport={float(teleport)})")
    assert ordering.scores == pytest.approx(floats(exact), rel=0, abs=1e-12)


@every_measure
@given(table=tables())
def test_win_rates_are_sums_of_preferences(table, measure):
    exact = zip(*map(slow.win_rates, slow.matrices(table, measure)), strict=True)
    actual = compared(table, measure).win_rate().tolist()
    assert actual == [pytest.approx(floats(row), rel=0, abs=0 if measure in EXACT else 1e-12) for row in exact]


@every_measure
@given(table=tables())
@example(table=CANCELLING)
def test_matrix_holds_mean_preferences(table, measure):
    exact = slow.mean_matrix(slow.matrices(table, measure))
    actual = compared(table, measure).matrix().tolist()
    assert actual == [pytest.approx(floats(row), rel=0, abs=0 if measure in EXACT else 1e-12) for row in exact]


@every_measure
@given(table=tables(most_requests=3))
@example(table=CIRCLE_AND_ONE_BELOW)
def test_cycles_are_the_runs_that_reach_each_other(table, measure):
    actual = compared(table, measure).order().cycles
    exact = slow.cycles(slow.matrices(table, measure))
    assert sorted(actual) == sorted(tuple(f"run{r}" for r in sorted(cycle)) for cycle in exact)


@given(st.integers(3, 7).flatmap(lambda n: st.tuples(*[st.tuples(*[st.integers(-1, 1)] * n)] * n)))
def test_cycles_of_any_majorities_are_found(drawn):
    runs = range(len(drawn))
    signs = [[0 if i == j else drawn[i][j] if i < j else -drawn[j][i] for j in runs] for i in runs]
    exact = sorted(tuple(sorted(cycle)) for cycle in slow.cycles([signs]))
    assert condorcet_cycles(np.array(signs, dtype=np.int8), tuple(runs)) == tuple(exact)


@every_method
def test_a_circle_of_majorities_is_reported_and_ties(by):
    ordering = compared(CIRCLE_AND_ONE_BELOW, "LexiRecall").order(by)
    assert ordering.cycles == (("run0", "run1", "run2"),)
    assert ordering.ranks.tolist() == [1, 1, 1, 4]
    assert "Condorcet cycle among run0, run1, run2." in repr(ordering)


@every_method
def test_an_undisputed_order_has_no_cycle(by):
    ordering = compared([[[1], [2], [3]]] * 2, "LexiRecall").order(by)
    assert ordering.cycles == () and ordering.ranking() == ["run0", "run1", "run2"]


@pytest.mark.one_in(3)
@every_measure
@every_method
@settings(max_examples=examples(10))
@given(table=tables(), data=st.data())
def test_order_is_unmoved_by_the_order_of_runs_and_requests(table, measure, by, data):
    runs = data.draw(st.permutations(range(len(table[0]))))
    requests = data.draw(st.permutations(range(len(table))))
    before = compared(table, measure).order(by)
    after = compared(table, measure, runs=runs, requests=requests).order(by)
    assert ranks_by_run(after) == ranks_by_run(before)
    assert after.scores == pytest.approx(before.scores[runs], rel=0, abs=1e-12 if by == "mc4" else 0)
    assert {*map(frozenset, after.cycles)} == {*map(frozenset, before.cycles)}


@pytest.mark.one_in(3)
@every_measure
@every_method
@settings(max_examples=examples(10))
@given(table=tables(most_runs=4))
def test_identical_runs_tie(table, measure, by):
    ordering = compared([[*request, request[0]] for request in table], measure).order(by)
    assert ordering.ranks[0] == ordering.ranks[-1]


@every_method
@settings(max_examples=examples(10))
@given(table=tables(most_runs=4))
def test_a_run_that_wins_every_request_is_first(table, by):
    # Everything of the others moves down by m places, and the winner takes the first m.
    moved = [[[k and k + len(p) for k in p] for p in request] for request in table]
    ordering = compared([[*r, list(range(1, len(r[0]) + 1))] for r in moved], "LexiRecall").order(by)
    assert ordering.groups[0] == (ordering.runs[-1],)


@pytest.mark.parametrize(("measure", "direction"), [("LexiRecall", -1), ("LexiPrecision", 1)])
@given(data=st.data())
def test_lexicographic_order_of_a_request_is_that_of_its_vectors(measure, direction, data):
    m = data.draw(st.integers(1, 4))
    table = data.draw(st.lists(st.lists(vectors(m), min_size=4, max_size=4), min_size=1, max_size=3))
    q = data.draw(st.integers(0, len(table) - 1))
    keys = [[inf if k is None else k for k in p][::direction] for p in table[q]]
    ordering = compared(table, measure).order(request=f"q{q}")
    assert ordering.ranks.tolist() == [1 + sorted(keys).index(key) for key in keys]


@pytest.mark.parametrize(("measure", "by"), [("RPP", "mc4"), ("LexiRecall", "mc4"), ("diff(AP)", "mean")])
def test_default_method_follows_the_measure(measure, by):
    comparison = compared(CIRCLE, measure)
    assert comparison.order().by == by
    assert comparison.order(request="q1").by == "win_rate"


def test_what_cannot_be_ordered_is_refused():
    comparison = compared(CIRCLE, "RPP")
    with pytest.raises(UnknownNameError, match="borda"):
        comparison.order("bordo")
    with pytest.raises(UnknownNameError, match="q9"):
        comparison.order(request="q9")
    with pytest.raises(InputError, match="without a baseline"):
        tb.compare(tb.positions(THREE), "RPP", baseline="run1").order()


@pytest.mark.parametrize("spec", ["mc4(steps=0)", "mc4(steps='often')", "mc4(teleport=1)", "mc4(teleport=-0.1)"])
def test_walks_that_make_no_sense_are_refused(spec):
    with pytest.raises(InputError, match="mc4"):
        compared(CIRCLE, "RPP").order(spec)
