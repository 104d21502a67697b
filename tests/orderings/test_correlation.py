"""How alike two orderings are: by hand, against SciPy, worked examples and slow exact twins."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from orderings import slow
from orderings.experiments import RANK_PAIRS
from tiebreak import InputError, Ordering
from tiebreak.errors import UnknownNameError
from tiebreak.orderings import correlation
from worked_examples import examples_of

PERSISTENCES = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)])


def ordering(ranks, runs=None):
    """An ordering with these ranks: the smaller the score's rank, the larger the score."""
    runs = tuple(runs or (f"run{r}" for r in range(len(ranks))))
    return Ordering.from_scores("RPP", "mean", runs, [-rank for rank in ranks])


def correlated(x, y, method, **options):
    return ordering(x).correlation(ordering(y), method, **options)


def test_tau_b_by_hand():
    # Of three pairs two agree and one does not: (2 - 1) / 3.
    assert correlated([1, 2, 3], [1, 3, 2], "tau_b") == pytest.approx(1 / 3)
    # One pair is tied in the first only, two agree: 2 / sqrt(2 * 3).
    assert correlated([1, 1, 3], [1, 2, 3], "tau_b") == pytest.approx(2 / 6**0.5)


def test_tau_ap_by_hand():
    # The second run has its one better run above it, the third has one of two: 2/2 (1/1 + 1/2) - 1.
    assert correlated([1, 2, 3], [1, 3, 2], "tau_ap") == 2 / 2 * (1 + 1 / 2) - 1
    # A mistake at the top costs more: the second is wrong, the third is right: 2/2 (0/1 + 2/2) - 1.
    assert correlated([1, 2, 3], [2, 1, 3], "tau_ap") == 2 / 2 * (0 + 1) - 1
    # Half of the ways to break the one tie are right: 2/2 (1/2 + 2/2) - 1.
    assert correlated([1, 1, 3], [1, 2, 3], "tau_ap") == 2 / 2 * (1 / 2 + 1) - 1


def test_rbo_by_hand():
    # First places differ, the first two share one of two, all three are shared: 1/2 (0 + 1/2 * 1/2 + 1/4) + 1/8.
    assert correlated([1, 2, 3], [3, 2, 1], "rbo", persistence=0.5) == 1 / 2 * (0 + 1 / 4 + 1 / 4) + 1 / 8
    # One run first against two that tie: 2 * 1 / (1 + 2) at the first depth, all shared at the second.
    assert correlated([1, 2], [1, 1], "rbo", persistence=0.5) == pytest.approx(1 / 2 * (2 / 3 + 1 / 2) + 1 / 4)


@given(RANK_PAIRS)
def test_tau_b_equals_scipy_and_counting_pairs(pair):
    x, y = pair
    actual = correlated(x, y, "tau_b")
    assert actual == pytest.approx(slow.tau_b(x, y), rel=1e-15, nan_ok=True)
    assert actual == pytest.approx(kendalltau(x, y).statistic, abs=1e-12, nan_ok=True)


def test_tau_b_equals_the_worked_examples():
    for args, expected in examples_of("tau_b"):
        actual = correlation.tau_b(np.array(args["x"]), np.array(args["y"]))
        assert actual == pytest.approx(nan if expected is None else expected, abs=1e-12, nan_ok=True)


@given(RANK_PAIRS)
def test_tau_ap_averages_over_all_ways_to_break_ties(pair):
    x, y = pair
    assert correlated(x, y, "tau_ap") == pytest.approx(float(slow.tau_ap(x, y)), rel=0, abs=1e-12)


@given(RANK_PAIRS, PERSISTENCES)
def test_rbo_is_the_weighted_overlap_of_the_first_runs(pair, p):
    x, y = pair
    assert correlated(x, y, "rbo", persistence=float(p)) == pytest.approx(float(slow.rbo(x, y, p)), rel=0, abs=1e-12)


def test_rbo_has_a_persistence_of_nine_tenths_unless_told():
    x, y = [1, 2, 3], [2, 1, 3]
    assert correlated(x, y, "rbo") == pytest.approx(float(slow.rbo(x, y, Fraction(9, 10))), abs=1e-12)


@given(st.permutations(range(1, 7)))
def test_the_same_order_correlates_fully_and_its_reverse_not_at_all(ranks):
    reverse = [7 - rank for rank in ranks]
    for method in correlation.METHODS:
        assert correlated(ranks, ranks, method) == pytest.approx(1)
    assert correlated(ranks, reverse, "tau_b") == correlated(ranks, reverse, "tau_ap") == -1


@given(RANK_PAIRS)
def test_tau_b_and_rbo_are_symmetric(pair):
    x, y = pair
    assert correlated(x, y, "tau_b") == pytest.approx(correlated(y, x, "tau_b"), nan_ok=True)
    assert correlated(x, y, "rbo") == correlated(y, x, "rbo")


@pytest.mark.parametrize("method", sorted(correlation.METHODS))
@given(pair=RANK_PAIRS, data=st.data())
def test_runs_are_matched_by_name(method, pair, data):
    x, y = pair
    assume(len({*x}) > 1 and len({*y}) > 1)
    names = [f"run{r}" for r in range(len(x))]
    places = data.draw(st.permutations(range(len(x))))
    shuffled = ordering([y[r] for r in places], [names[r] for r in places])
    actual = ordering(x, names).correlation(shuffled, method)
    assert actual == correlated(x, y, method)


def test_an_ordering_that_is_one_tie_has_no_tau_b():
    assert isnan(correlated([1, 1, 1], [1, 2, 3], "tau_b"))


def test_unknown_correlation_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match=r'"tau_c".*"tau_b"'):
        correlated([1, 2], [1, 2], "tau_c")


@pytest.mark.parametrize("p", [0, 1, -0.5, 1.5, nan])
def test_persistence_outside_zero_to_one_is_refused(p):
    with pytest.raises(InputError, match="above 0 and below 1"):
        correlated([1, 2], [1, 2], "rbo", persistence=p)


def test_orderings_of_other_runs_are_refused():
    with pytest.raises(InputError, match="bm25"):
        ordering([1, 2], ["bm25", "dense"]).correlation(ordering([1], ["dense"]))


def test_a_run_that_only_the_other_ordering_has_is_not_suggested_for_itself():
    with pytest.raises(InputError, match="bm25") as refused:
        ordering([1], ["dense"]).correlation(ordering([1, 2], ["bm25", "dense"]))
    assert 'Did you mean "bm25"?' not in str(refused.value)


MANY_RANKS = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(1, n), min_size=n, max_size=n) for _ in range(2)))
)


def tau_b_to_ninety_digits(x, y):
    agreed, spread = slow.counts(x, y)
    with localcontext(prec=90):
        return agreed / Decimal(spread).sqrt() if spread else None


@given(MANY_RANKS)
def test_tau_b_is_the_nearest_float(pair):
    x, y = (ordering(ranks).ranks for ranks in pair)
    exact = tau_b_to_ninety_digits(x.tolist(), y.tolist())
    actual = correlation.tau_b(x, y)
    assert isnan(actual) if exact is None else actual == float(exact)


def test_tau_b_is_rounded_once_where_a_root_and_a_quotient_are_rounded_twice():
    missed = 0
    for seed in range(50):
        x, y = (ordering(np.random.default_rng([seed, k]).integers(1, 9, 9).tolist()).ranks for k in (0, 1))
        assert correlation.tau_b(x, y) == float(tau_b_to_ninety_digits(x.tolist(), y.tolist()))
        missed += slow.tau_b(x.tolist(), y.tolist()) != correlation.tau_b(x, y)
    assert missed


@given(RANK_PAIRS)
def test_tau_ap_is_the_nearest_float(pair):
    x, y = (ordering(ranks).ranks for ranks in pair)
    assert correlation.tau_ap(x, y) == float(slow.tau_ap(x.tolist(), y.tolist()))


@given(st.permutations(range(1, 31)), st.permutations(range(1, 31)))
def test_tau_ap_of_many_runs_is_the_nearest_float(x, y):
    order = sorted(range(len(x)), key=x.__getitem__)
    assert correlation.tau_ap(np.array(x), np.array(y)) == float(slow.tau_ap_without_ties(order, y))


@given(MANY_RANKS, st.sampled_from(["0.1", "0.3", "0.5", "0.9", "0.95", "0.99", "0.123456789"]))
def test_rbo_is_the_nearest_float_for_the_persistence_that_was_written(pair, p):
    x, y = (ordering(ranks).ranks for ranks in pair)
    assert correlation.rbo(x, y, float(p)) == float(slow.rbo(x.tolist(), y.tolist(), Fraction(p)))


def test_correlations_of_hundreds_of_runs_are_between_minus_one_and_one():
    x, y = (np.random.default_rng(k).permutation(600) + 1 for k in (0, 1))
    for method in correlation.METHODS.values():
        assert -1 < method(x, y) < method(x, x) == 1
