"""What tests refuse, and what they say of tables that have next to nothing in them."""

import re
from math import inf, isnan, nan

import numpy as np
import pytest

import tiebreak as tb
from orderings.experiments import compared, positions_of
from significance.cases import few_draws, pair, utilities
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.significance import CATALOGUE

TESTS = sorted(CATALOGUE)
RESAMPLED = ("permutation", "bootstrap", "hsd")
TABLE = [[0.1, 0.5, 0.3], [0.2, 0.25, 0.75], [0.5, 0.5, 0.25]]
THREE = [[[1], [2], [3]], [[1], [3], [6]], [[2], [1], [7]], [[1], [4], [2]]]
every_test = pytest.mark.parametrize("test", TESTS)


@pytest.fixture
def some():
    return utilities(TABLE)


def refused(*words, error=InputError):
    """An error whose message has all these words, in this order."""
    return pytest.raises(error, match="(?s)" + ".*".join(map(re.escape, words)))


def assert_numbers(actual):
    """Everything that is shown is there, and is a number."""
    for row in actual.pair_tests():
        assert not any(isnan(value) for value in row if isinstance(value, float))
        assert 0 <= row.pvalue <= 1 and 0 <= row.pvalue_corrected <= 1
        assert 0 <= row.win_low <= row.win_share <= row.win_high <= 1
        assert row.low <= row.value <= row.high
    assert "nan" not in repr(actual) and "nan" not in actual.to_latex()
    assert len(list(actual.rows())) == len(actual.pvalue)


# One request


@pytest.mark.parametrize("test", ["t", "tukey"])
def test_one_request_is_too_few_for_a_variance(test):
    with refused("needs at least 2 requests; there is 1"):
        pair([1]).test(test)


@pytest.mark.parametrize("difference", [1, 0, -1])
def test_one_request_shows_nothing_by_the_sign_test(difference):
    result = pair([difference]).test("sign")
    assert result.pvalue.tolist() == [1]
    assert_numbers(result)


@pytest.mark.parametrize("test", ["hsd", "permutation", "wilcoxon"])
def test_one_request_has_a_defined_outcome(test):
    result = utilities([[1, 2, 4]]).test(test, **({"permutations": 50} if test in RESAMPLED else {}))
    assert_numbers(result)
    assert result.share == 0


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_one_request_is_too_few_where_requests_vary(test):
    with pytest.raises(tb.InputError, match="needs at least 2 requests; there is 1"):
        utilities([[1, 2, 4]]).test(test)


@pytest.mark.parametrize("row", [[0.1, 0.1, 0.1, -0.3], [0.1, 0.2, -0.3], [0.1, 0.2, -0.3, 0.1, 0.2, -0.3]])
def test_resampled_sums_that_may_be_zero_are_zero(row):
    # Each sum has as many resamples below 0 as not above it: by going through all of them p is 1.
    result = pair(row).test("bootstrap", permutations=4000, correction="none")
    assert result.pvalue.tolist() == [1]


def test_tiny_numbers_are_tested_as_others_are():
    row = [0.3, -0.2, 0.5, 0.9, -0.7, 0.4]
    for test in ("t", "tukey", "wilcoxon"):
        plain, tiny = (pair([value * scale for value in row]).test(test) for scale in (1, 2.0**-560))
        assert tiny.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
        assert tiny.effect_size == pytest.approx(plain.effect_size, rel=1e-9)


def test_differences_equal_but_for_rounding_are_equal():
    a, b = [0.3, 0.2, 0.5, 0.9, 0.7, 0.4], [0.2, 0.1, 0.4, 0.8, 0.6, 0.5]
    result = tb.Utilities({"a": dict(enumerate(a)), "b": dict(enumerate(b))}).test("wilcoxon")
    tens = tb.Utilities({"a": dict(enumerate([10 * v for v in a])), "b": dict(enumerate([10 * v for v in b]))})
    assert result.pvalue.tolist() == tens.test("wilcoxon").pvalue.tolist() == [0.21875]
    assert tb.Utilities({"a": {1: 0.3, 2: 0.2, 3: 0.5}, "b": {1: 0.2, 2: 0.1, 3: 0.4}}).test(
        "t"
    ).effect_size.tolist() == [inf]


def test_all_shuffles_of_one_request_reach_the_largest_difference():
    # Of 1, 2, 4 every shuffle has range 3, which is all that is compared with.
    assert utilities([[1, 2, 4]]).test("hsd", permutations="all").pvalue.tolist() == [1, 1, 1]


def test_one_request_has_an_interval_without_bounds():
    row = pair([1]).test("sign").between("a", "b")
    assert (row.low, row.high) == (-inf, inf)


# No differences


@every_test
def test_identical_runs_do_not_differ(test):
    result = pair([0] * 5).test(test, **few_draws(test))
    row = result.between("a", "b")
    assert (row.pvalue, row.pvalue_corrected, row.effect_size, row.value) == (1, 1, 0, 0)
    assert (row.superiority, row.win_share, row.n_tied) == (0.5, 0.5, 5)
    assert (row.win_low, row.win_high) == (0, 1)
    assert (row.low, row.high) == (0, 0)
    assert result.share == 0
    assert_numbers(result)


@every_test
def test_two_identical_runs_among_others_do_not_differ(test):
    result = utilities([[q % 3, q % 3, (q * q) % 5] for q in range(8)]).test(test, **few_draws(test))
    assert result.between("run0", "run1").pvalue == 1
    assert result.between("run0", "run1").effect_size == 0
    assert_numbers(result)


@pytest.mark.parametrize("measure", ["RPP", "LexiRecall", "AP", "sign(AP)", "rrLP"])
@pytest.mark.parametrize("test", ["auto", "hsd"])
def test_identical_rankings_do_not_differ(measure, test):
    result = compared([[[1, 3], [1, 3]], [[2, None], [2, None]]], measure).test(test)
    assert result.pvalue.tolist() == [1]
    assert_numbers(result)


def test_differences_that_cancel_out_do_not_differ():
    for test in ("t", "permutation", "hsd", "tukey"):
        row = pair([1, -1, 2, -2]).test(test).between("a", "b")
        assert (row.pvalue, row.effect_size) == (1, 0)


# Differences that are all equal


@pytest.mark.parametrize("difference", [1, -1, 0.1, -1e-12, 1e9])
def test_t_of_differences_that_are_all_equal_is_certain(difference):
    result = pair([difference] * 4).test("t")
    row = result.between("a", "b")
    assert (row.pvalue, row.effect_size, row.statistic) == (
        0,
        np.copysign(inf, difference),
        np.copysign(inf, difference),
    )
    assert (row.low, row.high) == (row.value, row.value)
    assert_numbers(result)


def test_tukey_of_differences_that_are_all_equal_is_certain():
    result = utilities([[q, q + 1, q + 3] for q in range(4)]).test("tukey")
    assert result.pvalue.tolist() == [0, 0, 0]
    assert_numbers(result)


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_tests_of_signs_of_differences_that_are_all_equal_count_them(test):
    assert pair([0.5] * 6).test(test).pvalue.tolist() == pytest.approx([2 / 2**6])
    assert pair([0.5] * 6).test("permutation", permutations="all").pvalue.tolist() == [2 / 2**6]


# Numbers that are none


@pytest.mark.parametrize("test", RESAMPLED)
@pytest.mark.parametrize("permutations", [0, -1, "some", 2.5, True, nan, 10**9])
def test_permutations_are_a_whole_number_or_all(some, test, permutations):
    with refused(f"permutations={permutations!r}", "whole number"):
        some.test(test, permutations=permutations)


@pytest.mark.parametrize("test", RESAMPLED)
@pytest.mark.parametrize("seed", [-1, 1.5, "one", True, 2**63])
def test_a_seed_is_a_whole_number(some, test, seed):
    with refused(f"seed={seed!r}", "whole number"):
        some.test(test, seed=seed)


@every_test
@pytest.mark.parametrize("alpha", [0, 1, -0.1, nan, inf, True, "0.05", None])
def test_alpha_is_a_number_between_0_and_1(some, test, alpha):
    with refused(f"alpha={alpha!r}", "above 0 and below 1"):
        some.test(test, alpha=alpha)


@pytest.mark.parametrize("alpha", [0.05, np.float64(0.05), 1e-9, 1 - 1e-9])
def test_any_alpha_between_0_and_1_is_taken(some, alpha):
    assert_numbers(some.test("t", alpha=alpha))
    assert_numbers(some.test("hsd", alpha=alpha, permutations=100))


def test_whole_numbers_of_numpy_are_taken(some):
    result = some.test("hsd", permutations=np.int64(50), seed=np.int32(3))
    assert result.pvalue.tolist() == some.test("hsd", permutations=50, seed=3).pvalue.tolist()
    assert "50 draws, seed 3" in result.description


# Names


@pytest.mark.parametrize(
    ("test", "suggestion"),
    [("wilcoxson", "wilcoxon"), ("permutations", "permutation"), ("tuckey", "tukey"), ("HSD1", "hsd")],
)
def test_an_unknown_test_is_refused_with_a_suggestion(some, test, suggestion):
    with refused(f'"{test}"', "Did you mean", suggestion, error=UnknownNameError):
        some.test(test)


def test_an_unknown_test_like_none_is_refused_with_all_names(some):
    with refused('"xyzzy"', "Known", "hsd", error=UnknownNameError):
        some.test("xyzzy")


@pytest.mark.parametrize("test", [5, None, ["t"], "", "t(", "t(x=1)", "hsd(permutations=0)", "hsd(seed=t)"])
def test_what_is_no_test_is_refused(some, test):
    with pytest.raises(InputError):
        some.test(test)


@pytest.mark.parametrize(
    ("correction", "suggestion"), [("bonferoni", "bonferroni"), ("holms", "holm"), ("Holm", "holm")]
)
def test_an_unknown_correction_is_refused_with_a_suggestion(some, correction, suggestion):
    with refused(f'"{correction}"', "Did you mean", suggestion, error=UnknownNameError):
        some.test("t", correction=correction)


@pytest.mark.parametrize("test", ["t", "hsd"])
def test_an_unknown_correction_is_refused_before_anything_is_tested(some, test):
    ticks = []
    with refused('"sidak"', "Known", "holm", error=UnknownNameError):
        some.test(test, correction="sidak", tick=lambda *call: ticks.append(call))
    assert ticks == []


def test_an_unknown_baseline_is_refused(some):
    with refused('"run9"', error=UnknownNameError):
        some.test("t", baseline="run9")


# Choices that do not go together


@pytest.mark.parametrize("test", ["hsd", "tukey"])
def test_tests_of_all_pairs_refuse_a_baseline(some, test):
    with refused("all pairs"):
        some.test(test, baseline="run0")
    with refused("all pairs"):
        tb.compare(positions_of(THREE), "AP", "run0").test(test)


# Where baselines leave no pair out, a test of all pairs may be refused or made, but not made wrongly.


@pytest.mark.parametrize("test", ["hsd", "tukey"])
@pytest.mark.parametrize("baseline", ["a", "b"])
def test_two_runs_against_a_baseline_are_tested_as_without_it_or_refused(test, baseline):
    actual = pair([1, 2, 4, 5])
    try:
        result = actual.test(test, baseline=baseline)
    except InputError:
        return
    assert result.pvalue.tolist() == actual.test(test).pvalue.tolist()


@pytest.mark.parametrize("test", ["hsd", "tukey"])
@pytest.mark.parametrize("measure", ["AP", "RPP", "LexiRecall"])
def test_baselines_that_leave_no_pair_out_are_tested_as_without_them_or_refused(test, measure):
    try:
        result = tb.compare(positions_of(THREE), measure, ["run0", "run1"]).test(test)
    except InputError:
        return
    every = tb.compare(positions_of(THREE), measure).test(test)
    for run, other in (("run0", "run1"), ("run0", "run2"), ("run1", "run2")):
        assert result.between(run, other).pvalue == pytest.approx(every.between(run, other).pvalue, rel=1e-9)


def test_letters_refuse_a_baseline(some):
    with refused("letters need all pairs", "without a baseline"):
        some.test("t", baseline="run0").letters()


@pytest.mark.parametrize("measure", ["RPP", "LexiRecall", "sign(AP)"])
def test_tukey_refuses_a_preference(measure):
    with refused("tukey needs metric values", "hsd"):
        compared([[[1, 3], [2, 3]], [[2, 5], [1, None]]], measure).test("tukey")


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "tukey", "auto"])
@pytest.mark.parametrize("how", [{"permutations": 100}, {"permutations": "all"}, {"seed": 1}])
def test_a_test_without_chance_refuses_draws_and_seeds(some, test, how):
    with refused(f"takes no {next(iter(how))}"):
        some.test(test, **how)


def test_a_bootstrap_cannot_go_through_all_samples(some):
    with refused('permutations="all"', "Give a number"):
        some.test("bootstrap", permutations="all")


def test_too_many_signs_are_refused():
    with refused('permutations="all"', "20 requests", "21", "Give a number"):
        pair(range(21)).test("permutation", permutations="all")
    assert pair([1] * 12).test("permutation", permutations="all").pvalue.tolist() == [2 / 2**12]


def test_too_many_shuffles_are_refused():
    with refused('permutations="all"', "4! to the power of 4", "200,000", "Give a number"):
        utilities([[0, 1, 2, 3]] * 4).test("hsd", permutations="all")


def test_one_run_cannot_be_tested():
    with refused("at least two runs; there is one"):
        tb.Utilities({"a": {"q": 1}}).test("t")
