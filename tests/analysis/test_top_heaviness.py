"""Top-heaviness by trying all position vectors."""

from fractions import Fraction

import pytest

from analysis.recall_level_twins import TWINS, N, Twin
from tiebreak import InputError
from tiebreak.analysis.top_heaviness import is_top_heavy
from tiebreak.metrics.rank_based import NormalisedCumulativePrecision


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", TWINS)
def test_metrics_of_the_paper_are_top_heavy_in_exact_arithmetic(spec):
    assert is_top_heavy(TWINS[spec], N, 6)


def test_equal_sides_are_top_heavy():
    last = Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i == m))
    assert is_top_heavy(last, N, 6)


@pytest.mark.parametrize("spec", [*TWINS, "R@3", "P@3", "RP", "AP@4", "nDCG@4", "TSE", "NCP(weights='dcg')"])
def test_metrics_are_top_heavy_in_floats(spec):
    assert is_top_heavy(spec, N, 6)


def test_metric_that_is_not_top_heavy_has_a_counterexample():
    # z(., 3) = (1/6, 0, 15/6) and z(., 2) = (1, 0): 1/6 + 15/6 * 1/8 < 1/2, while 1/6 + 15/6 * 1/7 > 1/2
    actual = is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 20, 3)
    assert not actual
    assert actual.counterexample == ((1, 2, 8), 1)
    assert Fraction(1, 6) + Fraction(15, 6) / 8 < Fraction(1, 2) < Fraction(1, 6) + Fraction(15, 6) / 7
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 5)), 7, 3)


def test_top_heaviness_that_only_just_holds_or_fails_is_decided_exactly():
    # With weights (1, 0, w) and p = (1, 2, 8): (1 + 3w/8) / (1 + w) is 1/2 for w = 4.
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 4)), 8, 3)
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 4.0000000000001)), 8, 3).counterexample == ((1, 2, 8), 1)
    assert is_top_heavy(NormalisedCumulativePrecision((1, 0, 3.9999999999999)), 8, 3)


def test_counterexample_in_exact_arithmetic_may_be_as_small_as_any():
    nearly = Twin(
        lambda k: Fraction(1, k), lambda i, m: Fraction(1) if m == 1 else Fraction(i == m) - Fraction(1, 10**15)
    )
    assert is_top_heavy(nearly, 5, 2).counterexample == ((1, 2), 1)


def test_sizes_of_the_check_are_checked():
    with pytest.raises(InputError, match="m=6"):
        is_top_heavy("AP", 5, 6)
