"""Leximin over all users: the theorem that makes it lexirecall, and where it is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError

vectors = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.permutations([*range(1, 12), None, None, None]).map(lambda p: p[:m]), min_size=2, max_size=3)
)


@given(vectors)
def test_top_heavy_metrics_with_a_strict_exposure_make_it_lexirecall(rows):
    """LR theorems C.4 and C.5."""
    positions = tb.positions(rows)
    lexirecall = tb.compare(positions, "LexiRecall").numerator
    for metric in ("AP", "binary_nDCG", "RBP(p=0.7)", "recall_level(exposure='metrics.slow:inverse')"):
        assert (tb.compare(positions, f"UserLeximin({metric})").numerator == lexirecall).all(), metric


def test_by_hand():
    # Users of (1, 6) by AP: {6} 1/6, {1, 6} (1 + 2/6) / 2, {1} 1; of (2, 3): 1/3, 1/2, (1/2 + 2/3) / 2
    assert tb.compare(tb.positions([[1, 6], [2, 3]]), "UserLeximin(AP)").values.item() == -1
    # By recall at 2 of (1, 3) and (2, 3): {3} 0, {1, 3} 1/2, {1} 1, and the same; lexirecall separates them.
    positions = tb.positions([[1, 3], [2, 3]])
    assert tb.compare(positions, "UserLeximin(R@2)").values.item() == 0
    assert tb.compare(positions, "LexiRecall").values.item() == 1


def test_grade_is_that_of_the_metric():
    positions = tb.project({"q": {"a": 1, "b": 2}}, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}])
    assert tb.compare(positions, "UserLeximin(AP)").values.item() == 0
    assert tb.compare(positions, "UserLeximin(AP(rel=2))").values.item() == -1


def test_too_many_users_are_refused_with_another_way():
    positions = tb.positions([list(range(1, 17)), list(range(2, 18))])
    with pytest.raises(InputError, match=r"has 16 relevant items; users are enumerated up to 15\. Use LexiRecall"):
        tb.compare(positions, "UserLeximin(AP)")
