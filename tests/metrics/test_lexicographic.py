"""Lexicographic preferences as exact numbers: by hand, against the preferences themselves, and what floats lose."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError
from tiebreak.metrics.lexicographic import (
    LexiPrecisionValue,
    LexiRecallValue,
    metric_lexirecall,
    mu_lp,
    yager_weights,
)
from tiebreak.metrics.rbp import RankBiasedPrecision
from worked_examples import examples_of


def literal_weights(n, m, epsilon=Fraction(1, 2)):
    """LR 7.3.1, letter by letter."""
    delta = 1 / (n + epsilon)
    first = delta ** (m - 1) / (1 + delta) ** (m - 1)
    return [first, *(delta ** (m - i) / (1 + delta) ** (m + 1 - i) for i in range(2, m + 1))]


def vectors(n, m):
    return combinations(range(1, n + 1), m)


def test_weights_by_hand():
    # delta = 1/(2 + 1/2) = 2/5: w_1 = (2/5) / (7/5), w_2 = 1 / (7/5)
    assert yager_weights(2, 2) == [Fraction(2, 7), Fraction(5, 7)]
    # Delta = 1 / (2 + 1/4) = 4/9: 4/13 and 9/13; 0.25 is the decimal
    assert yager_weights(2, 2, 0.25) == [Fraction(4, 13), Fraction(9, 13)]
    assert yager_weights(5, 3) == [Fraction(4, 169), Fraction(22, 169), Fraction(11, 13)]


def test_lexirecall_value_by_hand():
    # of the weights above: 1 - (2/7 * 1 + 5/7 * 2) / 2
    assert metric_lexirecall([1, 2], 2) == 1 - (Fraction(2, 7) + Fraction(10, 7)) / 2 == Fraction(1, 7)
    assert metric_lexirecall([2, 3, None], 10) == Fraction(163, 2645)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1, 3), Fraction(99, 100)])
def test_weights_are_those_of_the_paper_and_sum_to_one(epsilon):
    for n in range(1, 12):
        for m in range(1, n + 1):
            weights = yager_weights(n, m, epsilon)
            assert weights == literal_weights(n, m, epsilon)
            assert sum(weights) == 1


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(1, n), min_size=1))))
def test_lexirecall_value_is_the_weighted_mean_of_the_positions(case):
    n, positions = case
    p = sorted(positions)
    mean = sum(w * k for w, k in zip(literal_weights(n, len(p)), p, strict=True))
    assert metric_lexirecall(p, n) == 1 - mean / n


def test_lexirecall_value_orders_as_lexirecall_does():
    for n in range(1, 9):
        for m in range(1, n + 1):
            from_best = sorted(vectors(n, m), key=lambda p: p[::-1])
            values = [metric_lexirecall(p, n) for p in from_best]
            assert len(values) == comb(n, m)
            assert all(better > worse for better, worse in pairwise(values))


def test_lexiprecision_value_orders_as_lexiprecision_does():
    for n in range(1, 9):
        for m in range(1, n + 1):
            values = [mu_lp(p, n) for p in sorted(vectors(n, m))]
            assert all(better > worse for better, worse in pairwise(values))


def test_lexiprecision_value_reads_relevance_as_binary_digits():
    assert mu_lp([1, 3], 4) == 0b1010
    assert mu_lp([4, None], 4 + 1) == 0b00010


def test_unretrieved_items_stand_at_the_bottom_of_the_corpus():
    assert metric_lexirecall([3, None, None], 9) == metric_lexirecall([3, 8, 9], 9)
    assert metric_lexirecall([None], 9) == 0
    assert mu_lp([None, None], 9) == 0


def test_order_of_the_positions_given_does_not_matter():
    assert metric_lexirecall([7, None, 2], 9) == metric_lexirecall([2, 7, None], 9)


@pytest.mark.parametrize(
    ("p", "n"), [([], 5), ([0], 5), ([6], 5), ([2, 2], 5), ([5, None], 5), ([1, 2, None], 2), ([1], 0), ([1], True)]
)
@pytest.mark.parametrize("value", [metric_lexirecall, mu_lp])
def test_what_is_no_position_in_the_corpus_is_refused(value, p, n):
    with pytest.raises(InputError, match="n="):
        value(p, n)


@pytest.mark.parametrize(
    ("m", "epsilon"), [(0, Fraction(1, 2)), (6, Fraction(1, 2)), (2, Fraction(0)), (2, Fraction(1))]
)
def test_weights_need_sensible_sizes(m, epsilon):
    with pytest.raises(InputError, match="Give a"):
        yager_weights(5, m, epsilon)


def test_floats_collapse_where_the_exact_value_still_separates():
    n = 100_000
    near, far = [1, 60_000, 70_000, 80_000, 90_000], [50_000, 60_000, 70_000, 80_000, 90_000]
    exact = [metric_lexirecall(p, n) for p in (near, far)]
    # p_1 has weight (n + 3/2)^-4, and moves by 49,999 of 100,000 positions.
    assert exact[0] - exact[1] == Fraction(49_999, 100_000) * Fraction(2, 2 * n + 3) ** 4
    floats = LexiRecallValue(n=n).evaluate(tb.positions([near, far])).ravel()
    assert floats[0] == floats[1]


def test_lexiprecision_in_floats_loses_what_stands_deep():
    values = LexiPrecisionValue().evaluate(tb.positions([[1, 53], [1, 54], [1, 55], [1, None]])).ravel()
    assert values[0] > values[1] == values[2] == values[3]
    assert mu_lp([1, 54], 100) > mu_lp([1, 55], 100) > mu_lp([1, None], 100)


ranks = st.lists(st.integers(1, 2000), min_size=1, max_size=6, unique=True).map(sorted)


@given(st.integers(1, 6).flatmap(lambda m: st.lists(st.permutations(range(1, 40)).map(lambda p: p[:m]), min_size=1)))
def test_evaluated_lexirecall_is_the_float_nearest_to_the_exact_value(given_vectors):
    values = LexiRecallValue(n=1000).evaluate(tb.positions(given_vectors)).ravel().tolist()
    assert values == [float(metric_lexirecall(p, 1000)) for p in given_vectors]


@given(ranks)
def test_evaluated_lexiprecision_is_the_float_nearest_to_the_exact_value(p):
    (value,) = LexiPrecisionValue().evaluate(tb.positions([p])).ravel().tolist()
    assert value == float(Fraction(mu_lp(p, 2000), 2**2000))


def test_what_stands_very_deep_still_decides_a_rounding():
    # 1/2 + 2^-54 lies half-way between two floats, and what follows lifts it to the upper one.
    half_way, above = LexiPrecisionValue().evaluate(tb.positions([[1, 54, None], [1, 54, 9000]])).ravel().tolist()
    assert half_way == 0.5
    assert above == np.nextafter(0.5, 1)


@given(ranks)
def test_lexiprecision_value_is_rbp_with_persistence_one_half(p):
    positions = tb.positions([p])
    rbp = RankBiasedPrecision(p=0.5).evaluate(positions)
    assert LexiPrecisionValue().evaluate(positions) == pytest.approx(rbp, rel=1e-12, abs=0)


def test_unretrieved_items_in_the_metrics():
    positions = tb.positions([[2, None, None], [None, None, None]])
    imputed = [float(metric_lexirecall(p, 9)) for p in ([2, 8, 9], [7, 8, 9])]
    assert LexiRecallValue(n=9).evaluate(positions).ravel().tolist() == imputed
    assert LexiPrecisionValue().evaluate(positions).ravel().tolist() == [0.25, 0.0]


def test_metrics_print_as_their_specs_and_refuse_what_they_cannot_use():
    assert str(LexiRecallValue(n=1000)) == "LR(n=1000)"
    assert str(LexiPrecisionValue()) == "LP"
    for wrong in (0, -1, 2.5, True, "union"):
        with pytest.raises(InputError, match=r"LR needs the number of items|LR: n=.*Give a whole number from 1 on"):
            LexiRecallValue(n=wrong)
    with pytest.raises(InputError, match="takes no cutoff"):
        LexiPrecisionValue(cutoff=10)
    with pytest.raises(InputError, match="too few"):
        LexiRecallValue(n=5).evaluate(tb.positions([[5, None]]))


def test_requests_of_several_sizes_and_a_grade_of_their_own():
    positions = tb.project({"q": {"a": 1, "b": 2}, "r": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"a": 1.0}})
    assert LexiRecallValue(n=2).evaluate(positions).tolist() == [[1 / 7, 0.5]]
    assert LexiPrecisionValue(rel=2).evaluate(positions)[0, 0] == 0.5
    assert np.isnan(LexiPrecisionValue(rel=2).evaluate(positions)[0, 1])


@pytest.mark.parametrize("function", [metric_lexirecall, yager_weights])
def test_worked_examples_hold(function):
    for args, expected in examples_of(function.__name__):
        if isinstance(expected, dict):
            with pytest.raises(ValueError, match=r"\."):
                function(**args)
        elif isinstance(expected, list):
            assert function(**args) == [Fraction(w) for w in expected]
        else:
            assert function(**args) == Fraction(expected)
