"""Tails of the binomial and of Student's t against exact sums, closed forms and SciPy."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import atan, comb, pi

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from tiebreak._base.distributions import binomial_tail, student_quantile, student_tail

T = np.array([1e-8, 0.01, 0.1, 0.5, 1, 1.5, 2, 3, 5, 8, 15, 30, 100])


@pytest.mark.parametrize("n", [1, 2, 3, 10, 43, 249, 1000])
def test_tails_of_coins_are_sums_of_binomial_coefficients(n):
    ways = accumulate(comb(n, k) for k in range(n, 0, -1))  # of all heads, of all or all but one, ...
    expected = [float(Fraction(number, 2**n)) for number in ways]
    assert binomial_tail(range(1, n + 1), n).tolist() == expected[::-1]


def test_tails_of_many_coins_have_twelve_digits():
    n, heads = 1500, [1, 600, 750, 751, 800, 900, 1000]
    sums = [Fraction(sum(comb(n, k) for k in range(least, n + 1)), 2**n) for least in heads]
    np.testing.assert_allclose(binomial_tail(heads, n), [float(one) for one in sums], rtol=1e-12)


@pytest.mark.parametrize("freedom", [2, 3, 5, 30, 248, 17_563, 10**6, 10**8])
def test_tails_of_t_are_those_of_scipy(freedom):
    expected = stdtr(freedom, -T)
    is_normal = expected > 1e-250
    np.testing.assert_allclose(student_tail(freedom, T)[is_normal], expected[is_normal], rtol=2e-13)
    np.testing.assert_allclose(student_tail(freedom, -T), stdtr(freedom, T), rtol=1e-14)


def test_with_one_degree_of_freedom_t_is_an_angle():
    np.testing.assert_allclose(student_tail(1, T), [atan(1 / t) / pi for t in T], rtol=1e-13)


def test_a_tail_does_not_depend_on_what_stands_beside_it():
    together = student_tail(11, T)
    assert together.tolist() == [float(student_tail(11, t)) for t in T]
    assert binomial_tail([760, 800], 1500).tolist() == [float(binomial_tail(k, 1500)) for k in (760, 800)]


def test_t_is_above_0_half_of_the_time_and_never_infinite():
    assert student_tail(7, [0.0, np.inf, -np.inf]).tolist() == [0.5, 0.0, 1.0]


@pytest.mark.parametrize("freedom", [1, 2, 3, 5, 30, 248, 17_563, 10**6, 10**8])
def test_quantiles_of_t_are_those_of_scipy(freedom):
    for tail in (0.4, 0.1, 0.025, 0.0005, 1e-9):
        assert student_quantile(freedom, tail) == pytest.approx(-stdtrit(freedom, tail), rel=2e-14)
