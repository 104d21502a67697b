"""Laws of the papers, in exact arithmetic, and the counterexamples where a law ends."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from preferences import slow
from tiebreak.preferences import rpp

N, MOST = 12, 5
INF = slow.INFINITE


def vectors(m):
    """Increasing positions of m relevant items, of which some are not retrieved."""
    actual = st.sets(st.integers(1, N), max_size=m).map(sorted)
    return actual.map(lambda p: p + [INF] * (m - len(p)))


pairs = st.integers(1, MOST).flatmap(lambda m: st.tuples(vectors(m), vectors(m)))


def preferred(spec, *vectors):
    """The value of a preference between position vectors, and its numerator."""
    comparison = tb.compare(tb.positions([[None if k == INF else k for k in p] for p in vectors]), spec)
    return comparison.values[0, 0], comparison.numerator[0, 0]


@given(pairs)
def test_lexicographic_preferences_tie_exactly_where_positions_are_equal(pair):
    for spec in ("LexiRecall", "LexiPrecision", "rrLP"):
        assert (preferred(spec, *pair)[1] == 0) == (pair[0] == pair[1])


@given(pairs)
def test_lexirecall_agrees_with_total_search_efficiency_wherever_that_differs(pair):
    x, y = (slow.reciprocal(p[-1]) for p in pair)
    if x != y:
        assert preferred("LexiRecall", *pair)[0] == slow.sign(x - y)


@given(pairs)
def test_lexiprecision_agrees_with_reciprocal_rank_wherever_that_differs(pair):
    x, y = (slow.reciprocal(p[0]) for p in pair)
    if x != y:
        assert preferred("LexiPrecision", *pair)[0] == slow.sign(x - y)
        assert preferred("rrLP", *pair)[0] == float(x - y)


def rbp(p, persistence):
    return sum((1 - persistence) * persistence ** (k - 1) for k in p if k != INF)


@given(pairs, st.fractions(Fraction(1, 1000), Fraction(1, 2)))
def test_lexiprecision_has_the_sign_of_rbp_for_impatient_users(pair, persistence):
    x, y = (rbp(p, persistence) for p in pair)
    assert preferred("LexiPrecision", *pair)[0] == slow.sign(x - y)


def test_lexiprecision_and_rbp_part_for_patient_users():
    # At 0.6, positions 2, 3 and 4 together outweigh position 1: 0.6 + 0.36 + 0.216 > 1.
    x, y = [1, INF, INF], [2, 3, 4]
    assert rbp(x, Fraction(3, 5)) < rbp(y, Fraction(3, 5))
    assert preferred("LexiPrecision", x, y)[0] == 1


@given(pairs)
def test_lexirecall_is_leximin_over_all_users(pair):
    """A user wants some of the relevant items, any some: the effort is the position of the last of them."""
    x, y = ([max(user) for user in slow.subsets(p)] for p in pair)
    assert preferred("LexiRecall", *pair)[0] == slow.leximin(x, y)


@given(pairs)
def test_lexirecall_is_leximin_over_all_providers(pair):
    """A provider has one relevant item, and wants it seen: the effort is its position."""
    assert preferred("LexiRecall", *pair)[0] == slow.leximin(*pair)


@given(pairs)
def test_unretrieved_items_stand_below_everything_as_if_at_the_end_of_a_large_corpus(pair):
    deepest = max([k for p in pair for k in p if k != INF], default=0)
    for n in (deepest + len(pair[0]), deepest + len(pair[0]) + 100):
        imputed = []
        for p in pair:
            missing = p.count(INF)
            imputed.append([k for k in p if k != INF] + list(range(n - missing + 1, n + 1)))
        for spec in ("RPP", "RPP(weights='dcg')", "LexiRecall", "LexiPrecision"):
            assert preferred(spec, *imputed) == preferred(spec, *pair)


@given(pairs)
def test_graded_rpp_with_one_grade_is_binary_rpp(pair):
    assert preferred("RPP", *pair)[0] == float(slow.rpp(*pair))


@pytest.mark.parametrize(("x", "x2", "y"), [([3, 200], [2, 200], [2, 3])])
def test_moving_an_item_up_can_make_rrlp_smaller(x, x2, y):
    # 1/3 - 1/2 = -1/6, decided by the first level; then the second decides: 1/200 - 1/3.
    assert preferred("rrLP", x, y)[0] == pytest.approx(-1 / 6)
    assert preferred("rrLP", x2, y)[0] == pytest.approx(1 / 200 - 1 / 3)


def test_moving_an_item_up_can_make_interleaving_smaller():
    """Items a and b stand at 3 and 4 in x, at 1 and 5 in y; then b moves up to 2, where users stop and compare."""
    # Stops at 1 and 4: 0 against 1 and 2 against 1, so -1 + 1; then at 1 and 2: 0 against 1 and 1 against 1.
    assert preferred("OI", [3, 4], [1, 5])[0] == 0
    assert preferred("OI", [3, 2], [1, 5])[0] == -0.5


@given(st.integers(2, 400).flatmap(lambda m: st.tuples(st.just(m), st.randoms(use_true_random=False))))
def test_long_vectors_are_summed_without_overflow(case):
    """Signs are summed in bytes, some at a time; all of one sign is the largest sum."""
    m, chance = case
    first = sorted(chance.sample(range(1, 2 * m + 1), m))
    later = [k + 2 * m for k in first]
    assert preferred("RPP", first, later) == (1.0, m)
    assert preferred("RPP", later, first) == (-1.0, -m)


def test_a_tie_over_grades_is_exactly_zero():
    """Averaging one float per grade would leave 1/3 * 3/4 - 1 * 1/4 = 0 to chance; whole numbers do not."""
    grades = {"a": 1, "b": 1, "c": 3}
    x, y = {"a": 9.0, "b": 8.0, "c": 1.0, "z": 5.0}, {"c": 9.0, "a": 6.0, "b": 4.0, "z": 5.0}
    # At grade >= 1: x at 1, 2, 4 and y at 1, 2, 4 tie; at grade >= 3: c at 4 against 1. Sum of signs 0 + -1.
    comparison = tb.compare(tb.project({"q": grades}, [{"q": x}, {"q": y}]), "RPP")
    assert (comparison.numerator.tolist(), comparison.denominator.tolist()) == ([[-1]], [4])
    tie = tb.compare(tb.project({"q": grades}, [{"q": x}, {"q": x}]), "RPP")
    assert tie.numerator.tolist() == [[0]] and tie.win_tie_loss.tolist() == [[0, 1, 0]]


@given(st.data())
def test_uniform_preferences_are_whole_numbers_over_the_number_of_users(data):
    grades = data.draw(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 4), min_size=1))
    runs = [{"q": {i: float(-k) for k, i in enumerate(data.draw(st.permutations("abcdefgh")))}} for _ in range(2)]
    comparison = tb.compare(tb.project({"q": grades}, runs), "RPP")
    users = sum(sum(g >= level for g in grades.values()) for level in set(grades.values()))
    assert comparison.denominator.tolist() == [users] and np.issubdtype(comparison.numerator.dtype, np.integer)


def test_hand_worked_rpp():
    # x ahead at levels 1, 2 and 3, y at level 4: (3 - 1) / 4.
    assert preferred("RPP", [1, 2, 3, INF], [10, 20, 30, 40])[0] == 0.5
    # Inverse weights 1, 1/2, 1/3, 1/4 of 25/12: (12 + 6 + 4 - 3) / 25.
    assert preferred("RPP(weights='inverse')", [1, 2, 3, INF], [10, 20, 30, 40])[0] == pytest.approx(19 / 25)
    # Twice as many users want one item as want each other number: (2 - 1) / 3.
    assert preferred("RPP(weights='2,1')", [1, 9], [2, 3])[0] == pytest.approx(1 / 3)


def test_populations_are_nested_by_grade():
    request = np.array([0, 0, 0, 1, 1])
    grade = np.array([3.0, 1.0, 3.0, 2.0, 0.5])
    kept = np.array([True, True, True, True, False])
    masks = [mask.tolist() for mask in rpp.grade_populations(request, grade, kept)]
    assert masks == [[True, False, True, True, False], [True, True, True, False, False]]
