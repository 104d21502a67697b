"""Orders of resampled requests: repeatable, consistent with the point estimate, ties kept as ties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from orderings import slow
from orderings.experiments import compared, tables
from tiebreak import InputError
from tiebreak.errors import UnknownNameError
from tiebreak.orderings import bootstrap as module
from tiebreak.orderings import method

METHODS = sorted(slow.METHODS)
every_method = pytest.mark.parametrize("by", METHODS)

# Three runs over six requests that do not agree on them.
MIXED = [
    [[1, 4], [2, 3], [5, 6]],
    [[3], [1], [2]],
    [[2, 3, 9], [1, 5, 6], [4, 7, 8]],
    [[2], [3], [1]],
    [[1, None], [2, 3], [4, None]],
    [[6], [5], [5]],
]
# RPP of run0 over run1 is 2/3, -1/3 and -1/3.
TWO_THIRDS_AND_TWICE_ONE_THIRD = [[[1, 3, 6], [2, 5, 6]], *[[[3, 5, 6], [2, 5, 6]]] * 2]


@pytest.fixture
def mixed():
    return compared(MIXED, "RPP")


@every_method
def test_the_same_seed_gives_the_same_samples(mixed, by):
    first, second = (mixed.bootstrap(by, resamples=60, seed=7) for _ in range(2))
    assert (first.ranks == second.ranks).all() and (first.wins == second.wins).all()
    assert first.ranks.shape == (60, 3) and first.wins.shape == (3, 3)


@every_method
def test_another_seed_gives_other_samples(mixed, by):
    first, second = (mixed.bootstrap(by, resamples=60, seed=seed) for seed in (7, 8))
    assert (first.ranks != second.ranks).any() and (first.wins != second.wins).any()


@every_method
def test_a_sample_does_not_depend_on_how_many_are_drawn(mixed, by):
    few, many = (mixed.bootstrap(by, resamples=resamples) for resamples in (50, 100))
    assert (many.ranks[:50] == few.ranks).all() and (many.wins >= few.wins).all()
    assert (many.ranks[50:] != few.ranks).any()


def test_a_sample_does_not_depend_on_how_many_are_held_at_once(mixed, monkeypatch):
    at_once = mixed.bootstrap("borda", resamples=50)
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 63)  # 9 pairs of runs are more than 6 requests: 7 samples at a time
    assert (mixed.bootstrap("borda", resamples=50).ranks == at_once.ranks).all()


def test_every_sample_draws_as_many_requests_as_there_are():
    weights = np.concatenate([some for _, some in module.draw_counts(requests=6, resamples=40, seed=3, step=7)])
    assert weights.shape == (40, 6)
    assert (weights.sum(axis=1) == 6).all()
    assert len({*map(tuple, weights.tolist())}) > 30
    # Each of 240 draws takes a request with probability 1/6: 40 times each on average, give or take 6.
    assert (abs(weights.sum(axis=0) - 40) < 25).all()


@every_method
@settings(max_examples=examples(15))
@given(table=tables(most_runs=4), seed=st.integers(0, 2**32))
def test_shares_sum_to_one_and_are_antisymmetric(table, seed, by):
    boot = compared(table, "RPP").bootstrap(by, resamples=20, seed=seed)
    for first in boot.runs:
        for second in boot.runs:
            there, back = boot.shares(first, second), boot.shares(second, first)
            assert sum(there) == pytest.approx(1, rel=0, abs=1e-15)
            assert there == back[::-1]
        assert boot.shares(first, first) == (0, 1, 0)


@every_method
@settings(max_examples=examples(15))
@given(table=tables(most_requests=1))
def test_with_one_request_every_sample_is_the_point_estimate(table, by):
    exact = slow.METHODS[by](slow.matrices(table, "RPP"))
    comparison = compared(table, "RPP")
    boot = comparison.bootstrap(by, resamples=5)
    assert boot.ranks.tolist() == [[1 + sum(other > score for other in exact) for score in exact]] * 5
    assert boot.wins.tolist() == (5 * (comparison.matrix() > 0)).tolist()


@every_method
def test_a_run_that_wins_every_request_is_surely_first(by):
    best = [[*request, list(range(1, len(request[0]) + 1))] for request in MIXED]
    moved = [[[k and k + len(p) for k in p] for p in request[:-1]] + [request[-1]] for request in best]
    boot = compared(moved, "LexiRecall").bootstrap(by, resamples=200)
    assert boot.rows()[-1] == ("run3", 1, 1)
    assert all(low > 1 for _, low, _ in boot.rows()[:-1])
    assert boot.shares("run3", "run0") == (1, 0, 0)


def test_rank_interval_leaves_a_fortieth_of_the_samples_out_at_each_end():
    # Of 80 samples one has rank 1, three have rank 4: one is less than 2 of 80 allowed below, three are more.
    ranks = np.array([[1], *[[2]] * 76, *[[4]] * 3])
    boot = module.Bootstrap("mc4", ("only",), ranks, np.zeros((1, 1), dtype=np.int64), 0)
    assert boot.rows() == [("only", 2, 4)]


def test_rank_interval_begins_at_exactly_a_fortieth_of_the_samples():
    # 25 of 1,000 are a fortieth; as floats (1 - 0.95) / 2 is a little more.
    ranks = np.array([[1, 4]] * 25 + [[2, 3]] * 950 + [[4, 1]] * 25)
    boot = module.Bootstrap("mc4", ("a", "b"), ranks, np.zeros((2, 2), dtype=np.int64), 0)
    assert boot.rows() == [("a", 1, 2), ("b", 1, 3)]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=200))
def test_ends_of_a_rank_interval_are_the_first_ranks_that_enough_samples_reach(ranks):
    boot = module.Bootstrap("mc4", ("a",), np.array(ranks)[:, None], np.zeros((1, 1), dtype=np.int64), 0)

    def first(share):
        return min(k for k in ranks if Fraction(sum(rank <= k for rank in ranks), len(ranks)) >= share)

    assert boot.rows() == [("a", first(Fraction(1, 40)), first(Fraction(39, 40)))]


@every_method
@settings(max_examples=examples(20))
@given(table=tables())
def test_counting_every_request_once_gives_the_ranks_of_the_order(table, by):
    comparison = compared(table, "RPP")
    resampled = method(by).ranks(comparison.ballots, np.ones((1, len(table))))
    assert resampled.tolist() == [comparison.order(by).ranks.tolist()]


@every_method
@settings(max_examples=examples(20))
@given(table=tables(most_requests=3), data=st.data())
def test_drawing_a_request_twice_is_having_it_twice(table, by, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)).filter(any))
    repeated = [request for request, count in zip(table, times, strict=True) for _ in range(count)]
    for measure in ("RPP", "diff(AP)"):
        exact = slow.METHODS[by](slow.matrices(repeated, measure))
        resampled = method(by).ranks(compared(table, measure).ballots, np.array([times], dtype=float))
        assert resampled.tolist() == [slow.ranks(exact)]


def test_runs_whose_preferences_cancel_out_tie_in_a_sample():
    # The mean is 0 where one draw of three is the first request: in 3 * 1/3 * (2/3)^2 = 4/9 of all samples.
    boot = compared(TWO_THIRDS_AND_TWICE_ONE_THIRD, "RPP").bootstrap("win_rate", resamples=400)
    assert boot.shares("run0", "run1").tied == pytest.approx(4 / 9, abs=0.1)


@pytest.mark.parametrize("by", ["win_rate", "mean"])
def test_runs_whose_win_rates_cancel_out_share_their_rank_in_a_sample(by):
    comparison = compared(TWO_THIRDS_AND_TWICE_ONE_THIRD, "RPP")
    assert comparison.order(by).ranks.tolist() == [1, 1]
    shared = (comparison.bootstrap(by, resamples=400).ranks == 1).all(axis=1)
    assert shared.mean() == pytest.approx(4 / 9, abs=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resamples": 0}, "resamples=0"),
        ({"resamples": 2.5}, "resamples=2.5"),
        ({"resamples": True}, "resamples=True"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": None}, "seed=None"),
        ({"by": "mc5"}, '"mc5"'),
    ],
)
def test_what_cannot_be_drawn_is_refused(mixed, options, message):
    with pytest.raises(InputError, match=message):
        mixed.bootstrap(**options)


@pytest.mark.parametrize("pair", [("run0", "run7"), ("run7", "run0")])
def test_shares_of_an_unknown_run_are_refused(mixed, pair):
    with pytest.raises(UnknownNameError, match='"run7"'):
        mixed.bootstrap(resamples=2).shares(*pair)
