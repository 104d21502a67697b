"""Equal sums tie and different ones do not, however little they differ: tests by chance against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from examples import examples
from orderings.experiments import compared
from orderings.experiments import tables as position_tables
from significance import slow
from significance.cases import all_matrices, matrix, outcome_of, pair, utilities
from tiebreak.exact import ExactValues
from tiebreak.exact.decimals import decimal_number
from tiebreak.orderings.bootstrap import draw_counts
from tiebreak.significance.whole_numbers import FLOAT_SUMS, over_one_denominator

DRAWS = 70  # beyond the 64 of one word

tiny = st.sampled_from([1e-13, -1e-13, 3e-13, 1e-25, -1e-25, 1e-300, 5e-324])
tenths = st.integers(-10, 10).map(lambda k: k / 10)
some_thirds = st.integers(-6, 6).map(lambda k: k / 3)
numbers = st.one_of(tiny, tenths, tenths, some_thirds, st.sampled_from([0.1 + 1e-15, 0.25, 1e15, 0.30000000000000004]))
some_numbers = st.lists(numbers, min_size=1, max_size=6)
small_tables = st.sampled_from([(2, 5), (3, 3), (4, 2)]).flatmap(
    lambda size: st.lists(st.lists(numbers, min_size=size[0], max_size=size[0]), min_size=1, max_size=size[1])
)


def meant(values):
    """What floats mean: the decimal that was written, if it has at most 15 digits."""
    return [decimal_number(float(value)) for value in values]


def p_of(differences, test, **how):
    return pair(differences).test(test, **how).pvalue[0]


# Signs


@settings(max_examples=examples(50))
@given(differences=some_numbers)
@example(differences=[1.0, 1e-13])
@example(differences=[0.5, 0.25, 0.1, 1e-12])
@example(differences=[1.0, 1e-300])
@example(differences=[1e-300, 5e-324])
@example(differences=[0.1, 0.2, -0.3, 1 / 3])
def test_all_sign_flips_of_any_decimals_are_the_enumeration(differences):
    assert p_of(differences, "permutation", permutations="all") == float(slow.sign_flip(meant(differences)))


def slow_draws_that_reach(differences, seed):
    """One, and how many draws of signs reach what was seen."""
    seen = abs(sum(differences))
    words = [next(slow.words(seed, k // 64, q)) for k in range(DRAWS) for q in range(len(differences))]
    by_draw = [words[k * len(differences) :][: len(differences)] for k in range(DRAWS)]
    sums = [
        sum(-d if word >> k % 64 & 1 else d for d, word in zip(differences, row, strict=True))
        for k, row in enumerate(by_draw)
    ]
    return Fraction(1 + sum(abs(total) >= seen for total in sums), DRAWS + 1)


@settings(max_examples=examples(25))
@given(differences=some_numbers, seed=st.integers(0, 9))
@example(differences=[1.0, 1e-13], seed=0)
@example(differences=[1.0, 1e-25, 1e-25], seed=0)
def test_drawn_sign_flips_reach_what_was_seen_as_fractions_do(differences, seed):
    actual = p_of(differences, "permutation", permutations=DRAWS, seed=seed)
    assert actual == float(slow_draws_that_reach(meant(differences), seed))


@settings(max_examples=examples(25))
@given(differences=st.lists(numbers, min_size=2, max_size=6), seed=st.integers(0, 9))
@example(differences=[1.0, -1.0, 1e-14], seed=0)
@example(differences=[1.0, -1.0, 1e-25], seed=0)
@example(differences=[0.1, 0.2, -0.3], seed=0)
def test_bootstrap_means_are_on_a_side_of_0_as_fractions_are(differences, seed):
    weights = np.concatenate([some for _, some in draw_counts(len(differences), DRAWS, seed, DRAWS)])
    sums = [sum(int(w) * d for w, d in zip(row, meant(differences), strict=True)) for row in weights.tolist()]
    beyond = min(sum(total <= 0 for total in sums), sum(total >= 0 for total in sums))
    actual = p_of(differences, "bootstrap", permutations=DRAWS, seed=seed)
    assert actual == float(min(Fraction(2 * (1 + beyond), DRAWS + 1), Fraction(1)))


# Shuffles


@settings(max_examples=examples(25))
@given(table=small_tables)
@example(table=[[1.0, 0.0], [1e-13, 0.0]])
@example(table=[[1.0, 0.0, 1e-25], [1e-25, 0.0, 1.0]])
def test_all_shuffles_of_any_decimals_are_the_enumeration(table):
    result = utilities(table).test("hsd", permutations="all")
    assert result.pvalue.tolist() == [float(p) for p in slow.hsd_of_values([meant(row) for row in table])]


def slow_shuffles(kind, rows, seen, seed=0):
    largest = [slow.largest_difference(kind, rows, seed, k) for k in range(DRAWS)]
    return [float(Fraction(1 + sum(actual >= abs(total) for actual in largest), DRAWS + 1)) for total in seen]


@settings(max_examples=examples(25))
@given(table=small_tables)
@example(table=[[1.0, 0.0], [1e-25, 0.0]])
@example(table=[[1.0, 0.5, 1e-25], [1e-25, 0.5, 1.0], [0.5, 0.5, 0.5]])
def test_drawn_shuffles_of_any_decimals_reach_what_was_seen_as_fractions_do(table):
    exact = [meant(row) for row in table]
    result = utilities(table).test("hsd", permutations=DRAWS)
    assert result.pvalue.tolist() == slow_shuffles("values", exact, map(sum, slow.differences(exact)))


@settings(max_examples=examples(25))
@given(matrices=all_matrices(numbers.map(decimal_number), sizes=((2, 5), (3, 3))))
@example(matrices=[matrix([Fraction(1)], 2), matrix([Fraction(1, 10**13)], 2)])
@example(matrices=[matrix([Fraction(1), 0, Fraction(1, 10**25)], 3), matrix([Fraction(1, 10**25), 0, 1], 3)])
def test_shuffles_of_any_preferences_are_told_apart_as_fractions_are(matrices):
    runs = len(matrices[0])
    exact = outcome_of(matrices, "hsd", permutations="all").pvalue.tolist()
    assert exact == [float(p) for p in slow.hsd_of_preferences(matrices)]
    seen = [sum(m[x][y] for m in matrices) for x, y in slow.pairs(runs)]
    assert outcome_of(matrices, "hsd", permutations=DRAWS).pvalue.tolist() == slow_shuffles(
        "preferences", matrices, seen
    )


# Metrics


def average_precision(p):
    """Of increasing positions, None for what was not retrieved."""
    return sum((Fraction(i, k) for i, k in enumerate(p, start=1) if k), Fraction(0)) / len(p)


@settings(max_examples=examples(25))
@given(table=position_tables(most_runs=3, most_requests=3))
def test_all_sign_flips_and_shuffles_of_average_precision_are_the_enumeration(table):
    exact = [[average_precision(p) for p in request] for request in table]
    actual = compared(table, "AP")
    expected = [float(slow.sign_flip(row)) for row in slow.differences(exact)]
    assert actual.test("permutation", permutations="all").pvalue.tolist() == expected
    assert actual.test("hsd", permutations="all").pvalue.tolist() == [float(p) for p in slow.hsd_of_values(exact)]


@pytest.mark.parametrize("test", ["permutation", "hsd"])
def test_gains_with_logarithms_that_are_equal_tie(test):
    # d, d and -d: of 8 signs 2 give 3 d, and all give at least d.
    far, near = [[1, 3], [2, 5]], [[2, 5], [1, 3]]
    assert compared([far, far, near], "nDCG").test(test, permutations="all").pvalue[0] == 1
    assert compared([far, far, far], "nDCG").test(test, permutations="all").pvalue[0] == 2 / 8


# Ranks


@settings(max_examples=examples(50))
@given(differences=st.lists(numbers, min_size=1, max_size=6, unique_by=lambda d: abs(decimal_number(d))))
@example(differences=[1e-300, 1e-25, -0.1])
def test_wilcoxon_of_any_decimals_goes_through_all_signs_of_ranks(differences):
    if any(differences):
        assert p_of(differences, "wilcoxon") == pytest.approx(float(slow.wilcoxon(meant(differences))), rel=1e-9)


def test_wilcoxon_does_not_tie_differences_that_share_a_float():
    # 0.1, 0.1 - 1e-20, -0.6, 0.5 and 0.7 have ranks 2, 1, -4, 3 and 5: the smaller sum is 4, of 32 signs 7 twice.
    table = [[0.1, 0.0], [0.1, 1e-20], [0.3, 0.9], [0.5, 0.0], [0.7, 0.0]]
    result = utilities(table).test("wilcoxon")
    assert (result.outcome.statistic[0], result.pvalue[0]) == (4, 14 / 32)


def test_wilcoxon_ties_differences_that_are_equal_with_any_sign():
    # 0.3 - 0.2 and 0.1 - 0.2 share ranks 1 and 2, as do 1 - 1e-20 and 1e-20 - 1 ranks 3 and 4.
    table = [[0.3, 0.2], [0.1, 0.2], [1.0, 1e-20], [1e-20, 1.0], [1.0, 0.0]]
    assert utilities(table).test("wilcoxon").outcome.statistic[0] == 1.5 + 3.5


# Denominators


def test_values_over_one_denominator_by_hand():
    numbers, denominator = over_one_denominator(ExactValues.from_floats(np.array([[0.5, 0.2]])), FLOAT_SUMS)
    assert (numbers.tolist(), denominator) == ([[5, 2]], 10)
