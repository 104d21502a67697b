"""The studentised range against closed forms, printed tables and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import studentized_range

from tiebreak.significance.studentized_range import quantile, survival

Q = np.array([0.01, 0.1, 0.5, 1, 2, 3, 4, 5, 6, 8, 12, 20, 100])


@pytest.mark.parametrize("freedom", [1, 2, 5, 30, 1000, 10**6, 6 * 10**7])
def test_two_groups_are_a_t_test(freedom):
    expected = 2 * stdtr(freedom, -Q / np.sqrt(2))
    is_normal = expected > 1e-30
    np.testing.assert_allclose(survival(Q, 2, freedom)[is_normal], expected[is_normal], rtol=1e-13)


@pytest.mark.parametrize(("size", "freedom"), [(3, 2), (4, 10), (10, 90), (37, 1512), (110, 27032)])
def test_it_is_that_of_scipy_within_the_error_of_its_integrals(size, freedom):
    np.testing.assert_allclose(survival(Q, size, freedom), studentized_range.sf(Q, size, freedom), rtol=0, atol=2e-11)
    assert quantile(0.05, size, freedom) == pytest.approx(studentized_range.ppf(0.95, size, freedom), abs=2e-10)


@pytest.mark.parametrize(
    ("size", "freedom", "at_5_percent", "at_1_percent"),
    [(3, 10, 3.88, 5.27), (3, 5, 4.60, 6.98), (10, 20, 5.01, 6.09), (20, 120, 5.13, 5.83), (5, 60, 3.98, 4.82)],
)
def test_critical_values_are_the_printed_ones(size, freedom, at_5_percent, at_1_percent):
    """As in tables of the studentised range in textbooks, with two decimals."""
    assert quantile(0.05, size, freedom) == pytest.approx(at_5_percent, abs=0.0051)
    assert quantile(0.01, size, freedom) == pytest.approx(at_1_percent, abs=0.0051)


@pytest.mark.parametrize(("size", "freedom"), [(2, 1), (3, 4), (37, 1512), (300, 4000)])
def test_the_quantile_is_reached_with_its_probability(size, freedom):
    for alpha in (0.2, 0.05, 0.001):
        assert survival(quantile(alpha, size, freedom), size, freedom) == pytest.approx(alpha, rel=1e-12)


def test_no_difference_is_always_reached_and_an_infinite_one_never():
    assert survival([0.0, np.inf], 5, 20).tolist() == [1.0, 0.0]


def test_many_values_are_what_each_of_them_is():
    q = np.linspace(0, 9, 700)
    several = survival(q, 12, 300)
    assert several[::50].tolist() == [float(survival(value, 12, 300)) for value in q[::50]]
    assert (np.diff(several) < 1e-14).all()
