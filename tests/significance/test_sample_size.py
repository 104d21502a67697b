"""How many requests a test needs, against tables of power, a slow twin and simulated tests."""

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tiebreak.significance.sample_size import detectable_difference, requests_needed


@pytest.mark.parametrize(("d", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])  # G*Power: one sample, two-tailed, power 0.8
def test_numbers_of_tables_of_power(d, n):
    assert requests_needed(d, 1.0).item() == n
    assert requests_needed(-3 * d, 3.0).item() == n


def twin(d, alpha, power):
    """The first n whose power reaches the one wanted, by SciPy's noncentral t."""
    for n in range(2, 10_000):
        critical, shift = stats.t.isf(alpha / 2, n - 1), d * n**0.5
        if stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift) >= power:
            return n
    raise AssertionError


@pytest.mark.parametrize("d", [pytest.param(0.1, marks=pytest.mark.slow), 0.37, 1.0, 2.5])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.05 / 21, 0.8), (0.01, 0.95)])
def test_it_is_the_first_number_that_suffices(d, alpha, power):
    assert requests_needed(d, 1.0, alpha=alpha, power=power).item() == twin(d, alpha, power)


def test_simulated_tests_are_significant_as_often():
    n = int(requests_needed(0.5, 1.0).item())
    samples = np.random.default_rng(1).normal(0.5, 1.0, (4000, n))
    assert np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05) == pytest.approx(0.8, abs=0.03)


def test_no_difference_needs_infinitely_many_and_a_constant_one_two():
    assert requests_needed([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).tolist() == [np.inf, np.inf, 2.0]
    assert requests_needed(1e-9, 1.0).item() == pytest.approx(7.8489e18, rel=1e-4)  # (1.95996 + 0.84162)^2 / d^2


@pytest.mark.parametrize("options", [{"alpha": 0}, {"power": 1}, {"alpha": 0.5, "power": 0.4}])
def test_what_makes_no_sense_is_refused(options):
    with pytest.raises(tb.InputError):
        requests_needed(0.5, 1.0, **options)


@pytest.mark.parametrize("n", [5, 34, 199, 5000])  # of 2 requests, SciPy knows the distribution to two digits
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_detectable_difference_needs_that_many_requests(n, alpha):
    d = float(detectable_difference(1.0, n, alpha=alpha)[0])
    critical = stats.t.ppf(1 - alpha / 2, n - 1)
    noncentral = stats.nct(n - 1, d * n**0.5)
    assert noncentral.sf(critical) + noncentral.cdf(-critical) == pytest.approx(0.8, abs=1e-6)
    assert requests_needed(d * 1.0001, 1.0, alpha=alpha).tolist() == [n]
    assert requests_needed(d * 0.9999, 1.0, alpha=alpha).tolist() == [n + 1]


def test_detectable_difference_scales_with_the_deviation_and_needs_two_requests():
    assert detectable_difference([2.0, 0.0], 40).tolist() == [2 * detectable_difference(1.0, 40)[0], 0.0]
    assert np.isnan(detectable_difference(1.0, 1)).all()
    assert detectable_difference(1.0, 10**8)[0] == pytest.approx((1.959964 + 0.841621) / 1e4, rel=1e-5)
