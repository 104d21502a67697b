"""Every test against its definition, against SciPy and statsmodels, and under a hypothesis that is true."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from examples import examples
from orderings import slow as slow_preferences
from orderings.experiments import compared
from orderings.experiments import tables as position_tables
from significance import slow
from significance.cases import (
    all_matrices,
    eighths,
    few_draws,
    matrix,
    noise,
    outcome_of,
    pair,
    paired,
    signs,
    tables,
    thirds,
    utilities,
)
from tiebreak.significance import CATALOGUE
from tiebreak.significance.corrections import correct_pvalues
from tiebreak.significance.hsd import shuffle_rows

RESAMPLED = ("permutation", "bootstrap", "hsd")
some_differences = st.lists(eighths, min_size=2, max_size=9)


def p_of(differences, test, **how):
    (p,) = pair(differences).test(test, correction="none", **how).pvalue.tolist()
    return p


# One pair at a time


@given(differences=some_differences)
@example(differences=[Fraction(1, 8)] * 3)
@example(differences=[Fraction(0)] * 3)
def test_t_is_the_mean_over_its_standard_error(differences):
    result = pair(differences).test("t")
    assert result.outcome.statistic[0] == pytest.approx(slow.t(differences), rel=1e-12)
    assert result.paired.mean[0] == float(slow.mean(differences))


@given(differences=some_differences)
def test_p_and_interval_of_t_are_those_of_scipy(differences):
    assume(len(set(differences)) > 1)
    x = [float(d) for d in differences]
    actual = pair(differences).test("t", alpha=0.1).between("a", "b")
    for outside in (scipy.stats.ttest_1samp(x, 0), scipy.stats.ttest_rel(x, [0.0] * len(x))):
        assert actual.statistic == pytest.approx(outside.statistic, rel=1e-9, abs=1e-12)
        assert actual.pvalue == pytest.approx(outside.pvalue, rel=1e-9)
        interval = outside.confidence_interval(0.9)
        assert (actual.low, actual.high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-12)


def test_t_of_metrics_is_that_of_their_differences():
    # AP of one relevant item at k is 1/k: 1/2 - 1, 1 - 1/3, 1/4 - 1/5, 1/2 - 1/2.
    result = compared([[[2], [1]], [[1], [3]], [[4], [5]], [[2], [2]]], "AP").test("t")
    by_hand = [Fraction(-1, 2), Fraction(2, 3), Fraction(1, 20), Fraction(0)]
    assert result.outcome.statistic[0] == pytest.approx(slow.t(by_hand), rel=1e-12)
    assert result.pvalue[0] == pytest.approx(scipy.stats.ttest_1samp([float(d) for d in by_hand], 0).pvalue, rel=1e-9)


@given(differences=st.lists(eighths, min_size=1, max_size=14))
@example(differences=[Fraction(0)])
def test_sign_test_counts_the_ways_that_coins_fall(differences):
    result = pair(differences).test("sign")
    wins, losses = slow.wins_and_losses(differences)
    assert result.pvalue[0] == pytest.approx(float(slow.sign_test(differences)), rel=1e-12)
    assert result.outcome.statistic[0] == wins - losses
    if wins + losses:
        assert result.pvalue[0] == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


def test_sign_test_by_hand():
    # One loss, five wins, a tie: 2 (1 + 6) / 2^6.
    assert p_of([1, 1, 0, 2, -3, 1, 1], "sign") == pytest.approx(14 / 64, rel=1e-12)


@given(table=position_tables(most_runs=3))
def test_sign_test_of_lexicographic_preferences_counts_their_signs(table):
    result = compared(table, "LexiRecall").test("sign")
    exact = slow_preferences.matrices(table, "LexiRecall")
    expected = [float(slow.sign_test([m[x][y] for m in exact])) for x, y in slow.pairs(len(exact[0]))]
    assert result.pvalue.tolist() == pytest.approx(expected, rel=1e-12)


@given(differences=st.lists(st.integers(-60, 60), min_size=1, max_size=9, unique_by=abs))
def test_wilcoxon_goes_through_all_signs_of_ranks(differences):
    assume(any(differences))
    assert p_of(differences, "wilcoxon") == pytest.approx(float(slow.wilcoxon(differences)), rel=1e-9)


@settings(max_examples=examples(25))
@given(differences=st.one_of(st.lists(eighths, min_size=2, max_size=7), st.lists(eighths, min_size=20, max_size=25)))
def test_wilcoxon_drops_ties_and_is_that_of_scipy(differences):
    assume(any(differences))
    untied = [float(d) for d in differences if d]
    outside = scipy.stats.wilcoxon(untied)
    result = pair(differences).test("wilcoxon")
    assert (result.outcome.statistic[0], result.pvalue[0]) == (outside.statistic, outside.pvalue)


@settings(max_examples=examples(25))
@given(differences=st.lists(eighths, min_size=1, max_size=8))
def test_all_sign_flips_are_the_enumeration(differences):
    assert p_of(differences, "permutation", permutations="all") == float(slow.sign_flip(differences))


@settings(max_examples=examples(25))
@given(differences=st.lists(thirds, min_size=1, max_size=7))
@example(differences=[Fraction(1, 3), Fraction(1, 3), Fraction(-1, 3), Fraction(-2, 3)])
def test_sums_of_thirds_that_are_equal_are_equal_when_signs_are_flipped(differences):
    actual = outcome_of([matrix([d], 2) for d in differences], "permutation", permutations="all")
    assert actual.pvalue[0] == float(slow.sign_flip(differences))


@pytest.mark.parametrize("size", [1e-6, 1e6, 1e12])
def test_sign_flips_of_a_pair_do_not_depend_on_the_size_of_other_runs(size):
    a, b = [1, 2, 3, 4, -1, 5], [0.0] * 6
    far = [size * k for k in (1, -1, 2, 1, -2, 1)]
    alone = utilities([*zip(a, b, strict=True)]).test("permutation", permutations="all").between("run0", "run1").pvalue
    assert alone == float(slow.sign_flip(a))
    result = utilities([*zip(a, b, far, strict=True)]).test("permutation", permutations="all")
    assert result.between("run0", "run1").pvalue == alone


@pytest.mark.parametrize("size", [1e-6, 1e6, 1e12])
def test_bootstrap_of_a_pair_does_not_depend_on_the_size_of_other_runs(size):
    a, b = [1, 2, 3, 4, -1, 5], [0.0] * 6
    far = [size * k for k in (1, -1, 2, 1, -2, 1)]
    alone = utilities([*zip(a, b, strict=True)]).test("bootstrap", permutations=400).between("run0", "run1")
    actual = utilities([*zip(a, b, far, strict=True)]).test("bootstrap", permutations=400).between("run0", "run1")
    assert actual.pvalue == alone.pvalue
    assert (actual.low, actual.high) == pytest.approx((alone.low, alone.high), rel=1e-9)


@pytest.mark.parametrize("differences", [[3, 1, 2, -1, 2, 1], [1, 1, 1, 1, -2, 5], [1, -1, 2, 0, 3, -2]])
def test_sampled_sign_flips_come_near_the_enumeration(differences):
    exact, draws = float(slow.sign_flip(differences)), 4000
    error = 4 * sqrt(exact * (1 - exact) / draws) + 1 / draws
    assert p_of(differences, "permutation", permutations=draws, seed=1) == pytest.approx(exact, rel=0, abs=error)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("differences", [[3, 1, 2, -1], [1, 1, -2, 5], [1, -1, 2, 0], [4, 3, 2, -1, -1]])
def test_bootstrap_comes_near_all_samples(differences):
    exact, draws = float(slow.bootstrap(differences)), 4000
    error = 2 * (4 * sqrt(exact / 2 * (1 - exact / 2) / draws) + 1 / draws)
    assert p_of(differences, "bootstrap", permutations=draws, seed=1) == pytest.approx(exact, rel=0, abs=error)


# All pairs at once


@settings(max_examples=examples(25))
@given(table=tables())
def test_all_shuffles_of_values_are_the_enumeration(table):
    result = utilities(table).test("hsd", permutations="all")
    assert shuffle_rows(result.paired).kind == "values"
    assert result.pvalue.tolist() == [float(p) for p in slow.hsd_of_values(table)]
    assert result.outcome.statistic.tolist() == pytest.approx(
        [abs(float(slow.mean(row))) for row in slow.differences(table)]
    )


@settings(max_examples=examples(25))
@given(matrices=all_matrices())
def test_all_shuffles_of_preferences_are_the_enumeration(matrices):
    actual = outcome_of(matrices, "hsd", permutations="all")
    assert shuffle_rows(actual.paired).kind == "preferences"
    assert actual.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(matrices)]


@settings(max_examples=examples(25))
@given(table=tables(st.integers(0, 3)))
def test_all_shuffles_of_ranks_are_the_enumeration_of_their_signs(table):
    runs = range(len(table[0]))
    matrices = [[[Fraction((r[i] > r[j]) - (r[i] < r[j])) for j in runs] for i in runs] for r in table]
    actual = outcome_of(matrices, "hsd", is_sign=True, permutations="all")
    assert shuffle_rows(actual.paired).kind == "ranks"
    assert actual.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(matrices)]


@settings(max_examples=examples(25))
@given(matrices=all_matrices(signs, sizes=((3, 3), (4, 2))))
@example(matrices=[matrix([1, -1, 1], 3)] * 2)
def test_signs_that_go_round_in_circles_are_shuffled_as_preferences(matrices):
    actual = outcome_of(matrices, "hsd", is_sign=True, permutations="all")
    assert actual.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(matrices)]


def test_a_circle_has_no_ranks():
    assert shuffle_rows(paired([matrix([1, -1, 1], 3)], is_sign=True)).kind == "preferences"


@settings(max_examples=examples(25))
@given(matrices=all_matrices(thirds))
@example(matrices=[matrix([Fraction(k, 3)], 2) for k in (1, -1, -1, 2)])
def test_sums_of_thirds_that_are_equal_are_equal_when_preferences_are_shuffled(matrices):
    actual = outcome_of(matrices, "hsd", permutations="all")
    assert actual.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(matrices)]


@settings(max_examples=examples(20))
@given(table=tables(st.integers(0, 10).map(lambda k: Fraction(k, 10))))
@example(table=[[Fraction(k, 10) for k in row] for row in ([0, 0, 1], [0, 2, 3])])
def test_sums_of_tenths_that_are_equal_are_equal_when_values_are_shuffled(table):
    result = utilities(table).test("hsd", permutations="all")
    assert result.pvalue.tolist() == [float(p) for p in slow.hsd_of_values(table)]


# Three relevant items each: preferences of run0 over run1 are 1/3, 1/3, -1/3 and -2/3.
THIRDS_OF_RPP = [
    [[1, 3, 6], [2, 3, 6]],
    [[1, 3, 6], [2, 3, 6]],
    [[2, 3, 6], [1, 3, 6]],
    [[2, 4, 6], [1, 3, 6]],
]


@settings(max_examples=examples(20))
@given(table=position_tables(most_runs=3, most_requests=3))
@example(table=THIRDS_OF_RPP)
def test_recall_paired_preferences_of_equal_sums_are_equal_when_signs_are_flipped(table):
    exact = slow_preferences.matrices(table, "RPP")
    result = compared(table, "RPP").test("permutation", permutations="all")
    expected = [slow.sign_flip([m[x][y] for m in exact]) for x, y in slow.pairs(len(exact[0]))]
    assert result.pvalue.tolist() == [float(p) for p in expected]


@settings(max_examples=examples(20))
@given(table=position_tables(most_runs=3, most_requests=3))
@example(table=THIRDS_OF_RPP)
@example(table=[*THIRDS_OF_RPP, [[1, 3, 6], [1, 3, 6]]])
def test_recall_paired_preferences_of_equal_sums_are_equal_when_systems_are_shuffled(table):
    exact = slow_preferences.matrices(table, "RPP")
    result = compared(table, "RPP").test("hsd", permutations="all")
    assert result.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(exact)]


@settings(max_examples=examples(25))
@given(table=position_tables(most_runs=3, most_requests=3))
def test_all_shuffles_of_lexicographic_preferences_are_the_enumeration(table):
    exact = slow_preferences.matrices(table, "LexiPrecision")
    result = compared(table, "LexiPrecision").test("hsd", permutations="all")
    assert shuffle_rows(result.paired).kind == "ranks"
    assert result.pvalue.tolist() == [float(p) for p in slow.hsd_of_preferences(exact)]


TABLE = [[0, 1, 2], [1, 4, 2], [0, 0, 3], [2, 1, 5]]
SAMPLED = {
    "values": (utilities(TABLE).test, slow.hsd_of_values(TABLE)),
    "preferences": (
        lambda test, **how: outcome_of(
            [matrix([1, 2, -1], 3), matrix([3, 1, 1], 3), matrix([0, 2, 2], 3)], test, **how
        ),
        slow.hsd_of_preferences([matrix([1, 2, -1], 3), matrix([3, 1, 1], 3), matrix([0, 2, 2], 3)]),
    ),
    "ranks": (
        lambda test, **how: outcome_of([matrix([1, 1, 1], 3)] * 3 + [matrix([1, 0, -1], 3)], test, is_sign=True, **how),
        slow.hsd_of_preferences([matrix([1, 1, 1], 3)] * 3 + [matrix([1, 0, -1], 3)]),
    ),
}


@pytest.mark.parametrize("kind", SAMPLED)
@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_sampled_shuffles_come_near_the_enumeration(kind, seed):
    test, exact = SAMPLED[kind]
    draws = 4000
    result = test("hsd", permutations=draws, seed=seed)
    assert shuffle_rows(result.paired).kind == kind
    for p, expected in zip(result.pvalue.tolist(), map(float, exact), strict=True):
        assert abs(p - expected) <= 4 * sqrt(expected * (1 - expected) / draws) + 1 / draws


@settings(max_examples=examples(25))
@given(
    table=tables(sizes=((2, 8), (3, 8))),
    permutations=st.sampled_from([19, 30, 99, 1000]),
    alpha=st.sampled_from([0.05, 0.1]),
)
def test_interval_of_hsd_leaves_0_out_exactly_where_p_is_below_alpha(table, permutations, alpha):
    table = (table * 8)[:8]  # a power of 2, so that means are exact
    result = utilities(table).test("hsd", permutations=permutations, alpha=alpha)
    for row in result.pair_tests():
        assert (row.low > 0 or row.high < 0) == (row.pvalue < alpha)


def by_blocks(table):
    """Of values [request, run]: the error of a mean, left over when runs and requests are fitted, and its freedom."""
    n, size = table.shape
    design = np.array([[*np.eye(size)[r], *np.eye(n)[q][1:]] for q in range(n) for r in range(size)])
    fitted = design @ np.linalg.lstsq(design, table.ravel())[0]
    freedom = n * size - np.linalg.matrix_rank(design)
    return sqrt(((table.ravel() - fitted) ** 2).sum() / freedom / n), int(freedom)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_tukey_is_the_studentised_range_of_what_runs_and_requests_leave_over(seed):
    table = noise(np.random.default_rng(seed), runs=3 + seed, requests=5 + seed, spread=0.3)
    error, freedom = by_blocks(table)
    result = utilities(table).test("tukey", alpha=0.1)
    assert freedom == (table.shape[1] - 1) * (table.shape[0] - 1)
    for row, (x, y) in zip(result.pair_tests(), slow.pairs(table.shape[1]), strict=True):
        difference = (table[:, x] - table[:, y]).mean()
        margin = scipy.stats.studentized_range.ppf(0.9, table.shape[1], freedom) * error
        assert row.statistic == pytest.approx(abs(difference) / error, rel=1e-9)
        assert row.pvalue == pytest.approx(
            scipy.stats.studentized_range.sf(row.statistic, table.shape[1], freedom), rel=1e-6
        )
        assert (row.low, row.high) == pytest.approx((difference - margin, difference + margin), rel=1e-6)


@settings(max_examples=examples(8))
@given(differences=st.lists(eighths, min_size=3, max_size=9))
def test_tukey_of_two_runs_is_the_t_test(differences):
    assume(len(set(differences)) > 1)
    assert p_of(differences, "tukey") == pytest.approx(p_of(differences, "t"), rel=1e-6, abs=1e-9)


@pytest.mark.slow  # importing statsmodels takes long
def test_tukey_has_the_error_that_statsmodels_fits():
    linear_model = pytest.importorskip("statsmodels.regression.linear_model")
    table = noise(np.random.default_rng(3), runs=4, requests=7, spread=0.5)
    n, size = table.shape
    design = np.array([[*np.eye(size)[r], *np.eye(n)[q][1:]] for q in range(n) for r in range(size)])
    fit = linear_model.OLS(table.ravel(), design).fit()
    result = utilities(table).test("tukey")
    q = [abs(table[:, x].mean() - table[:, y].mean()) / sqrt(fit.mse_resid / n) for x, y in slow.pairs(size)]
    assert fit.df_resid == (n - 1) * (size - 1)
    assert result.outcome.statistic.tolist() == pytest.approx(q, rel=1e-9)


def test_blocked_tests_find_a_difference_that_hard_requests_hide_from_an_unblocked_one():
    table = noise(np.random.default_rng(5), runs=3, requests=15, spread=0.1, topics=2.0) + np.array([0.0, 0.3, 0.6])
    unblocked = scipy.stats.tukey_hsd(*table.T).pvalue
    assert unblocked.min() > 0.5
    for test in ("tukey", "hsd"):
        assert utilities(table).test(test).between("run0", "run2").pvalue < 0.001


# Corrections

some_p = st.lists(st.fractions(0, 1, max_denominator=40), min_size=1, max_size=9)


@pytest.mark.parametrize("correction", sorted(slow.CORRECTIONS))
@given(p=some_p)
def test_corrections_are_as_defined(p, correction):
    actual = correct_pvalues(np.array([float(value) for value in p]), correction)
    assert actual.tolist() == pytest.approx([float(value) for value in slow.CORRECTIONS[correction](p)], rel=1e-12)


@pytest.mark.slow  # importing statsmodels takes long
@pytest.mark.parametrize(("correction", "theirs"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")])
@settings(max_examples=examples(20))  # it collects garbage in every call
@given(p=some_p)
def test_corrections_are_those_of_statsmodels(p, correction, theirs):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.array([float(value) for value in p])
    assert correct_pvalues(p, correction).tolist() == pytest.approx(
        multitest.multipletests(p, method=theirs)[1], rel=1e-12
    )


@given(table=tables(sizes=((3, 6), (4, 6))), correction=st.sampled_from(sorted(slow.CORRECTIONS)))
def test_a_test_corrects_for_the_number_of_its_pairs(table, correction):
    result = utilities(table).test("sign", correction=correction)
    exact = slow.CORRECTIONS[correction]([slow.sign_test(row) for row in slow.differences(table)])
    assert result.pvalue_corrected.tolist() == pytest.approx([float(p) for p in exact], rel=1e-12)


# Effects


@given(differences=some_differences, alpha=st.sampled_from([0.05, 0.2]))
@example(differences=[Fraction(0)] * 2, alpha=0.05)
@example(differences=[Fraction(-1, 4)] * 2, alpha=0.05)
def test_effects_are_as_defined(differences, alpha):
    row = pair(differences).test("t", alpha=alpha).between("a", "b")
    wins, losses = slow.wins_and_losses(differences)
    assert row.effect_size == pytest.approx(slow.cohens_d(differences), rel=1e-12)
    assert row.superiority == float(slow.superiority(differences))
    assert row.win_share == (wins / (wins + losses) if wins + losses else 0.5)
    assert (row.win_low, row.win_high) == pytest.approx(slow.clopper_pearson(wins, losses, alpha), abs=1e-9)
    assert (row.n_requests, row.n_tied) == (len(differences), len(differences) - wins - losses)


def test_interval_of_wins_is_that_of_scipy():
    row = pair([1, 1, 1, -1, 0, 1, -1]).test("sign").between("a", "b")
    outside = scipy.stats.binomtest(4, 6).proportion_ci(0.95, "exact")
    assert (row.win_low, row.win_high) == pytest.approx((outside.low, outside.high), rel=1e-9)


# Where no run is better


def smallest_p(test, samples, seed, correction, **how):
    """Of all pairs, in many tables without a difference; each table has shuffles of its own."""
    rng = np.random.default_rng(seed)
    actual = []
    for k in range(samples):
        more = {"seed": k} if test in RESAMPLED else {}
        result = utilities(noise(rng, **how)).test(
            test, correction=correction, **more, **({"permutations": 199} if more else {})
        )
        actual.append(result.pvalue_corrected.min())
    return np.array(actual)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "permutation"])
def test_p_is_uniform_where_there_is_no_difference(test):
    actual = smallest_p(test, 400, 11, "none", runs=2, requests=12)
    assert scipy.stats.kstest(actual, "uniform").pvalue > 0.001


@pytest.mark.slow
def test_smallest_p_of_hsd_is_uniform_where_there_is_no_difference():
    actual = smallest_p("hsd", 400, 12, "none", runs=4, requests=8)
    assert scipy.stats.kstest(actual, "uniform").pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(("test", "correction"), [("hsd", "none"), ("t", "holm")])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_a_false_finding_among_all_pairs_is_as_rare_as_alpha(test, correction, alpha):
    actual = smallest_p(test, 400, 13, correction, runs=4, requests=8)
    assert (actual < alpha).mean() <= alpha + 3 * sqrt(alpha * (1 - alpha) / len(actual))


@pytest.mark.slow
def test_uncorrected_t_finds_more_among_all_pairs_than_alpha():
    actual = smallest_p("t", 200, 13, "none", runs=5, requests=8)
    assert (actual < 0.05).mean() > 0.1


# Chance, threads, engines and names


@pytest.mark.parametrize("test", RESAMPLED)
@pytest.mark.parametrize("permutations", [1, 9, 300])
def test_p_of_a_test_by_chance_is_never_0(test, permutations):
    table = [[0, 10 + q, 30 + q % 2] for q in range(12)]
    result = utilities(table).test(test, permutations=permutations)
    assert result.pvalue.min() >= 1 / (permutations + 1)
    assert result.pvalue.max() <= 1


@pytest.mark.parametrize("test", ["permutation", "hsd"])
def test_p_of_a_test_by_chance_counts_what_was_seen_as_one_draw(test):
    # Of 2^40 sign vectors two reach what was seen: none of 99 draws does.
    assert p_of([1 + k / 64 for k in range(40)], test, permutations=99) == 1 / 100


@pytest.mark.parametrize("test", RESAMPLED)
def test_another_seed_gives_another_p_and_the_same_the_same(test):
    result = utilities(noise(np.random.default_rng(1)))
    first, again, other = (result.test(test, permutations=500, seed=seed).pvalue.tolist() for seed in (4, 4, 5))
    assert first == again != other


HSD = {
    "values": utilities(noise(np.random.default_rng(1), runs=5, requests=9)).test,
    "ranks": compared([[[q % 3 + 1], [4], [q % 4 + 2]] for q in range(6)], "LexiRecall").test,
    "preferences": compared([[[1, 4 + q], [2, 3], [q + 1, 9]] for q in range(5)], "RPP").test,
}


@pytest.mark.parametrize("kind", HSD)
def test_threads_and_engines_change_nothing(kind, core, monkeypatch):
    outcomes = []
    for engine in ("rust", "python"):
        monkeypatch.setenv("TIEBREAK_CORE", engine)
        for jobs in (1, 2, 8):
            actual = HSD[kind]("hsd", permutations=1100, seed=3, jobs=jobs)
            assert shuffle_rows(actual.paired).kind == kind
            outcomes.append([part.tolist() for part in actual.outcome])
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("test", sorted(CATALOGUE))
def test_jobs_change_nothing(test):
    result = utilities(noise(np.random.default_rng(2), requests=6))
    how = few_draws(test, 1100)
    outcomes = [[part.tolist() for part in result.test(test, jobs=jobs, **how).outcome] for jobs in (1, 2, 8)]
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon"])
@settings(max_examples=examples(25))
@given(table=tables(sizes=((3, 6), (4, 5))), data=st.data())
def test_names_and_order_of_runs_change_no_pair(test, table, data):
    size = len(table[0])
    assume(len(table) > 1)
    order = data.draw(st.permutations(range(size)))
    first = utilities(table).test(test, correction="bonferroni")
    renamed = utilities([[row[r] for r in order] for row in table], names=[f"other{r}" for r in order])
    second = renamed.test(test, correction="bonferroni")
    for x, y in slow.pairs(size):
        one, other = first.between(f"run{x}", f"run{y}"), second.between(f"other{x}", f"other{y}")
        assert (one.pvalue, one.pvalue_corrected) == pytest.approx((other.pvalue, other.pvalue_corrected), rel=1e-12)
        same = ("value", "low", "high", "effect_size", "superiority", "win_share", "win_low", "win_high", "n_tied")
        for name in same:
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12), name


def test_a_metric_is_tested_as_its_values_are():
    table = [[[q % 3 + 1, 5], [4, 6 - q % 2], [q % 4 + 1, 7]] for q in range(6)]
    result = compared(table, "AP").test("t")
    values = [[float(slow_preferences.average_precision(p)) for p in request] for request in table]
    assert result.pvalue.tolist() == pytest.approx(utilities(values).test("t").pvalue.tolist(), rel=1e-9)


def test_a_test_can_be_given_as_a_spec_with_its_parameters():
    result = utilities(TABLE)
    spec, given_apart = result.test("hsd(permutations=300, seed=5)"), result.test("hsd", permutations=300, seed=5)
    assert spec.pvalue.tolist() == given_apart.pvalue.tolist()
    assert spec.test == given_apart.test
    assert result.test("binomial").test.name == "sign" and result.test("ttest").test.name == "t"


def test_tick_is_told_of_the_work():
    calls = []
    for test in ("hsd", "permutation", "bootstrap", "wilcoxon", "tukey"):
        calls.clear()
        utilities(TABLE).test(test, tick=lambda *call: calls.append(call), **few_draws(test, 1100))
        assert all(0 <= done <= total for done, total in calls)
        assert calls or test in ("hsd", "tukey")  # which may be done before anybody asks


def test_wilcoxon_of_few_differences_of_equal_size_equals_scipy():
    from scipy.stats import wilcoxon

    from tiebreak.significance.classic import wilcoxon_exact

    rng = np.random.default_rng(3)
    for n in (*range(1, 9), 11):
        differences = rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0], n)
        expected = wilcoxon(differences)
        assert wilcoxon_exact(differences) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-12)
