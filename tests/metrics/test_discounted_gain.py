"""Discounted cumulative gain that is not normalised, by hand."""

import numpy as np
import pytest

import tiebreak as tb
from exact_logarithms import log2


def values(spec, grades, ranking, **how):
    positions = tb.project({"q": grades}, {"q": {item: -float(k) for k, item in enumerate(ranking)}}, **how)
    return tb.metric(spec).values(positions)


def test_gains_by_hand():
    grades = {"a": 3, "b": 1, "c": 2}
    # a at 1, b at 3: 3 / log2(2) + 1 / log2(4); c is not retrieved.
    assert values("DCG", grades, "axb").nearest.tolist() == [[3 + 1 / 2]]
    assert values("DCG(gain='exp')", grades, "axb").nearest.tolist() == [[7 + 1 / 2]]
    assert values("DCG@2", grades, "axb").nearest.tolist() == [[3.0]]
    assert values("DCG(rel=2)", grades, "axb").nearest.tolist() == [[3.0]]
    assert values("binary_DCG", grades, "axb").nearest.tolist() == [[1 + 1 / 2]]
    assert values("DCG", grades, "axb", binary=True).nearest.tolist() == [[1 + 1 / 2]]


@pytest.mark.parametrize(("spec", "gains"), [("DCG", (0.5, 2)), ("DCG(gain='exp')", (2**0.5 - 1, 3))])
def test_exact_value_has_sixty_digits(spec, gains):
    (exact,) = values(spec, {"a": 0.5, "b": 2}, "xab").exactly(0, np.array([0]))
    if spec == "DCG":
        assert abs(exact - (1 / log2(3) / 2 + 2 / log2(4))) < 10**-60
    assert float(exact) == pytest.approx(gains[0] / np.log2(3) + gains[1] / 2)


def test_gains_too_large_for_whole_numbers():
    grades = {"a": 1e15, "b": 1}
    (both,) = values("DCG", grades, "axb").nearest.tolist()
    assert both == [1e15 + 1 / 2]
    assert values("DCG(gain='exp')", {"a": 200, "b": 1}, "axb").nearest.tolist() == [[2.0**200]]


def test_the_difference_has_no_bound_and_more_relevant_items_gain_more():
    many = dict.fromkeys("abcdef", 1)
    assert values("DCG", many, "abcdef").nearest.item() > values("DCG", {"a": 1}, "a").nearest.item() == 1
