"""Recall-level metrics of one's own: those of the paper written by a user are the built-in ones."""

from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError
from tiebreak.metrics import metric

AP = tb.recall_level(lambda k: Fraction(1, k), lambda i, m: Fraction(i, m))
RBP = tb.recall_level(lambda k: Fraction(1, 5) * Fraction(4, 5) ** (k - 1))
FLOAT_AP = tb.recall_level(lambda k: 1 / k, lambda i, m: i / m)
FLOAT_RBP = tb.recall_level(lambda k: 0.2 * 0.8 ** (k - 1))
NDCG = tb.recall_level(lambda k: 1 / log2(k + 1), lambda i, m: 1 / sum(1 / log2(k + 1) for k in range(1, m + 1)))
EXACT = {"AP": AP, "RBP(p=0.8)": RBP}
FLOATS = {"AP": FLOAT_AP, "RBP(p=0.8)": FLOAT_RBP, "binary_nDCG": NDCG}

vectors = st.integers(1, 6).flatmap(
    lambda m: st.lists(st.permutations([*range(1, 40), *[None] * 9]).map(lambda p: p[:m]), min_size=1, max_size=4)
)


@given(vectors)
def test_metrics_of_the_paper_written_with_fractions_are_the_built_in_ones_bit_by_bit(rows):
    positions = tb.positions(rows)
    for spec, own in EXACT.items():
        theirs, ours = own.values(positions), metric(spec).values(positions)
        assert theirs.nearest.tobytes() == ours.nearest.tobytes()
        assert (theirs.codes() == ours.codes()).all()


@given(vectors)
def test_metrics_of_the_paper_written_with_floats_are_the_built_in_ones_nearly(rows):
    positions = tb.positions(rows)
    for spec, own in FLOATS.items():
        np.testing.assert_allclose(own.evaluate(positions), metric(spec).evaluate(positions), rtol=0, atol=1e-12)


@given(vectors)
def test_worst_case_is_that_of_the_built_in_metric(rows):
    positions = tb.positions(rows)
    for own, spec in [(AP, "AP"), (RBP, "RBP(p=0.8)"), (FLOAT_AP, "AP"), (FLOAT_RBP, "RBP(p=0.8)")]:
        theirs, ours = tb.worst_case(positions, own), tb.worst_case(positions, spec)
        assert theirs.method == ours.method == "theorem"
        assert [row.items for row in theirs.rows()] == [row.items for row in ours.rows()]
        np.testing.assert_allclose(theirs.utility, ours.utility, rtol=0, atol=0 if own in (AP, RBP) else 1e-12)


@pytest.mark.parametrize(("own", "spec"), [(AP, "AP"), (RBP, "RBP(p=0.8)")])
@pytest.mark.parametrize("m", [1, 2, 7])
def test_orientation_is_that_of_the_built_in_metric(own, spec, m):
    for orientation in (tb.theory.precision_orientation, tb.theory.recall_orientation):
        assert orientation(own, 50, m) == orientation(spec, 50, m)


@given(vectors)
def test_total_search_efficiency_has_the_exposure(rows):
    from tiebreak.metrics.rank_based import TotalSearchEfficiency

    positions = tb.positions(rows)
    theirs, ours = TotalSearchEfficiency(RBP).evaluate(positions), metric("TSE(RBP(p=0.8))").evaluate(positions)
    assert theirs.tobytes() == ours.tobytes()


def test_worst_case_of_an_optimal_ranker_and_top_heaviness_follow():
    assert tb.theory.worst_case_of_optimal_ranker(AP, 4) == tb.theory.worst_case_of_optimal_ranker("AP", 4) == 1 / 4
    assert tb.is_top_heavy(AP, 8, 4)
    # z(., 2) = (0, 1/2) and z(., 1) = 1: 1/2 * 1/p_2 < 1/p_2
    shared = tb.recall_level(lambda k: Fraction(1, k), lambda i, m: Fraction(int(i == m), m))
    assert tb.is_top_heavy(shared, 4, 2).counterexample == ((1, 2), 1)
    assert tb.worst_case(tb.positions([[1, 2]]), shared).method == "enumeration"


def test_by_hand():
    # e(k) = 3 - k down to position 2, z(i, m) = i: p = (1, 2, 3) has 2 * 1 + 1 * 2 + 0 * 3
    own = tb.recall_level(lambda k: max(3 - k, 0), lambda i, m: i)
    assert own.evaluate(tb.positions([[1, 2, 3], [2, 3, None]])).ravel().tolist() == [4, 1]
    assert tb.recall_level(lambda k: 1 / k, cutoff=2).evaluate(tb.positions([[2, 3]])).item() == 0.5
    positions = tb.project({"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}})
    assert tb.recall_level(lambda k: 1 / k, rel=2).evaluate(positions).item() == 0.5


def test_normalisation_with_denominators_beyond_floats():
    # The least common denominator of 1/1, ..., 1/1000 has 433 digits.
    own = tb.recall_level(lambda k: Fraction(1), lambda i, m: Fraction(1, i))
    harmonic = sum(Fraction(1, i) for i in range(1, 1001))
    assert own.evaluate(tb.positions([list(range(1, 1001))])).item() == float(harmonic)


def test_flat_exposure_is_enumerated_as_the_theorem_needs_a_strict_one():
    own, built_in = tb.recall_level(lambda k: int(k <= 2), lambda i, m: Fraction(1, m)), "R@2"
    positions = tb.positions([[1, 3, 4], [2, 1, None]])
    theirs, ours = tb.worst_case(positions, own), tb.worst_case(positions, built_in)
    assert theirs.method == "enumeration"
    assert [tuple(row) for row in theirs.rows()] == [tuple(row) for row in ours.rows()]


def test_exposure_is_strict_where_items_are_or_users_are_enumerated():
    # e is 5, 4, ..., 1 and 0 from position 6 on: at 8 and 9 two users are worst off, which the theorem would miss.
    own = tb.recall_level(lambda k: max(6 - k, 0))
    (row,) = tb.worst_case(tb.positions([[1, 8, 9]]), own).rows()
    assert (row.utility, row.items) == (0, ("d2", "d3"))
    assert tb.worst_case(tb.positions([[1, 4, 9]]), own).method == "theorem"


def test_exposure_may_end_with_the_rankings():
    """As linear exposure does: nothing is asked beyond the positions that occur."""
    own = tb.recall_level(lambda k: 1 - Fraction(k, 10), lambda i, m: Fraction(1, m))
    positions = tb.positions([[1, 10], [3, None]])
    assert own.evaluate(positions).tolist() == metric("linear(n=10)").evaluate(positions).tolist()


def test_functions_of_one_name_are_not_confused():
    double, triple = (tb.recall_level(lambda k, a=a: Fraction(a, k)) for a in (2, 3))
    assert double != triple
    assert [one.evaluate(tb.positions([[1]])).item() for one in (double, triple)] == [2, 3]


@pytest.mark.parametrize(
    ("exposure", "normalisation", "words"),
    [
        (lambda k: k, None, "rises, from 1 at position 1 to 2 at position 2. An exposure must not rise"),
        (lambda k: 1 - k, None, "is -1 for 2. Return 0 or more"),
        (lambda k: 1 / k, lambda i, m: -1, "is -1 for 1, 2. Return 0 or more"),
        (lambda k: float("nan"), None, "returned nan for 1. Return a finite number"),
        (lambda k: 10**400, None, "for 1. Return a finite number"),
        (lambda k: "much", None, "returned 'much' for 1"),
        (lambda k: 1 / (k - 2), None, "is -1.0 for 1"),
        (lambda k, m: 1, None, "failed on 1: TypeError"),
    ],
)
def test_functions_that_are_no_exposure_or_normalisation_are_told(exposure, normalisation, words):
    with pytest.raises(InputError, match=words.replace(".", r"\.")):
        tb.recall_level(exposure, normalisation).evaluate(tb.positions([[1, 2]]))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("recall_level", "recall_level needs an exposure"),
        ("recall_level(exposure=0.5)", "exposure is \"0.5\". Give a function, or 'module:function'"),
        ("recall_level(exposure=inverse)", 'exposure is "inverse". Give a function'),
        ("recall_level(exposure='no_such_module:f')", "No module named"),
        ("recall_level(exposure='math:exp', normalisation='math:pi')", "is not a function"),
        ("TSE(recall_level(exposure='math:exp', rel=2))", "says what is relevant"),
    ],
)
def test_spec_that_names_no_function_is_refused(spec, words):
    with pytest.raises(InputError) as caught:
        metric(spec)
    assert words in str(caught.value)


def test_short_floats_are_numbers_too():
    own = tb.recall_level(lambda k: np.float32(0.5) ** k)  # warnings are errors
    assert own.evaluate(tb.positions([[1, 2]])).item() == 0.75
