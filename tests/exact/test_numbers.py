"""Exact numbers, sums and ranks, each by its definition."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.exact import Number, competition_ranks, dcg_discount, decimal
from tiebreak.exact.arithmetic import fractions
from tiebreak.exact.decimals import decimal_number
from tiebreak.exact.logarithms import BITS, power_of_two
from tiebreak.exact.number import compare
from tiebreak.exact.sample import Sample
from tiebreak.exact.sums import WholeUnits, exact_sum, row_means, whole_units


def ranks_by_definition(scores):
    return [1 + sum(compare(other, score) > 0 for other in scores) for score in scores]


@pytest.mark.parametrize("kind", [int, float, Fraction, lambda k: Number(Fraction(k)), np.array])
@given(whole=st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_rank_is_one_more_than_the_number_of_larger_scores(kind, whole):
    scores = np.array(whole) if kind is np.array else [kind(k) for k in whole]
    assert competition_ranks(scores).tolist() == ranks_by_definition(whole)


@pytest.mark.parametrize("sixty_first_digits", list(permutations([0, 9, 18])))
def test_ranks_count_larger_scores_where_equality_to_60_digits_is_no_chain(sixty_first_digits):
    """0 and 9 tie, 9 and 18 tie, 18 is larger than 0: the ranks are 2, 1, 1 in whatever order they come."""
    unit = Fraction(1, 10**61)
    scores = [Number(k * unit, Fraction(1, 10**30), lambda k=k: k * unit, False) for k in sixty_first_digits]
    assert competition_ranks(scores).tolist() == ranks_by_definition(scores)
    assert competition_ranks(scores).tolist() == [2 if k == 0 else 1 for k in sixty_first_digits]


def test_ranks_of_numbers_far_apart_need_no_exact_value():
    """The exact mean of many logarithms may take seconds."""

    def too_slow():
        raise AssertionError("an exact value was computed")

    scores = [Number(Fraction(k), Fraction(1, 10), too_slow) for k in (2, 3, 1)]
    assert competition_ranks(scores).tolist() == [2, 1, 3]


def test_ranks_of_an_array_are_along_its_last_axis():
    assert competition_ranks(np.array([[0.5, 0.75, 0.5, 0.25], [1, 2, 3, 4]])).tolist() == [[2, 1, 2, 4], [4, 3, 2, 1]]


def test_numbers_compare_and_round_exactly():
    third = Number(Fraction(1, 3))
    assert third + third + third == 1 and float(third) == 1 / 3 and third < Number(Fraction(1, 2))


def test_floats_of_few_digits_are_decimals():
    assert (decimal(0.8), decimal(3)) == (Fraction(4, 5), 3)
    assert decimal_number(0.1) == Fraction(1, 10) and decimal_number(1 / 3) == Fraction(1 / 3)


def test_powers_of_two_are_exact_where_they_are_rational():
    assert power_of_two(Fraction(3)) == 8 and float(power_of_two(Fraction(1, 2))) == 2**0.5


def test_sums_are_exact():
    assert exact_sum(np.array([1e16, 1.0, -1e16])) == 1
    weights = Sample.from_floats(np.array([-3.0, 2.0]))
    assert Sample.from_floats(np.array([0.5, 0.25])).dot(weights) == -1
    tenths = [Sample.from_floats(np.array(numbers)) for numbers in ([0.1, 0.2], [0.3, 0.7])]
    assert tenths[0].dot(tenths[1]) == Fraction(17, 100)
    assert row_means(np.array([[1, 1, 1, -1], [2, 0, 0, 0]]), np.array([3, 3, 3, 1])) == [0, 1 / 6]
    assert whole_units([Fraction(1, 2), Fraction(-2, 3)], True) == WholeUnits([3, -4], Fraction(1, 6), 0)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.data())
def test_the_smallest_of_many_are_those_of_the_whole_order(whole, data):
    """Of halves of tenths, nearly equal: floats that are equal may be of numbers that are not."""
    k = data.draw(st.integers(1, len(whole)))
    tiny = Fraction(1, 10**20)
    numbers = [Fraction(n // 3, 10) + n % 3 * tiny for n in whole]
    sample = Sample.from_exact(numbers)
    assert sample.lowest(k) == sum(sorted(numbers)[:k])
    assert sample.item(k - 1) == sorted(numbers)[k - 1]


def test_sums_of_irrational_values_have_one_short_denominator():
    """Else the mean of a thousand logarithms has a denominator of a hundred thousand digits."""
    thirds = [Fraction(1, n) for n in (3, 5, 7)]
    sample = Sample(np.array([1 / 3, 1 / 5, 1 / 7]), np.zeros(3), lambda: thirds, is_rational=False)
    total = sample.total().exact
    assert (1 << BITS) % total.denominator == 0
    assert abs(total - sum(thirds)) < Fraction(1, 10**90)


@pytest.mark.parametrize("rank", [1, 2, 3, 7, 1000])
def test_exact_dcg_discount_is_one_over_the_logarithm(rank):
    (exact,) = dcg_discount(fractions([rank])).tolist()
    with localcontext(prec=120):
        expected = Fraction(Decimal(2).ln() / Decimal(rank + 1).ln())
    assert abs(exact - expected) < Fraction(1, 10**95)
    assert dcg_discount(np.array([float(rank)])).item() == pytest.approx(float(exact), rel=1e-15)
