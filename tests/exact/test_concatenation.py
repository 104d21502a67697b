"""Tables of exact values side by side compare as one table does."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tiebreak.exact import ExactValues


def test_quotients_of_two_tables_may_share_a_float_although_those_of_each_do_not():
    low, high = 2**29 + 1, 2**22
    x = ExactValues.quotients(np.array([[low, 1]]), np.array([[2**22, 1]]))  # 2^29 x 2^22 < 2^52
    y = ExactValues.quotients(np.array([[1, 3]]), np.array([[2**31, 2**31 - 1]]))
    assert x.is_injective and y.is_injective
    both = ExactValues.concatenate([x, y])
    assert not both.is_injective  # (2^29 + 1) x 2^31 >= 2^52
    exact = [Fraction(low, high), Fraction(1), Fraction(1, 2**31), Fraction(3, 2**31 - 1)]
    assert both.exactly(0, np.arange(4)) == exact
    assert both.exactly(0, np.array([3, 0])) == [exact[3], exact[0]]
    assert np.argsort(both.codes()[0]).tolist() == [2, 3, 1, 0]


def test_equal_values_of_two_tables_tie():
    x, y = ExactValues.quotients(np.array([[1, 2]]), 3), ExactValues.quotients(np.array([[2, 4, 0]]), 6)
    both = ExactValues.concatenate([x, y])
    assert both.is_injective
    codes = both.codes()[0].tolist()
    assert codes[:2] == codes[2:4] and codes[4] < codes[0] < codes[1]


def test_labels_of_two_tables_are_not_the_same():
    values = ExactValues.from_floats(np.array([[0.5, np.nan]]))
    part = replace(values, labels=lambda: np.array([[0, -1]]))
    labels = ExactValues.concatenate([part, values, part]).labels()
    assert len(np.unique(labels)) == 6


def test_quotients_are_known_by_their_floats():
    numerator = np.array([[1, -2, 10**6, 0]])
    values = ExactValues.quotients(numerator, np.array([[3, 7, 10**6 + 1, 9]]))
    apart = values.detach().attach(lambda: pytest.fail("nothing has to be computed again"))
    assert apart.exactly(0, np.arange(4)) == values.exactly(0, np.arange(4))


def test_exact_values_of_labels_are_computed_once():
    calls = []

    def exactly(row, columns):
        calls.extend(columns.tolist())
        return [Fraction(1, 3)] * len(columns)

    nearest = np.array([[1 / 3, np.nan, 1 / 3], [1 / 3, 1 / 3, 1 / 3]])
    rest = np.full_like(nearest, float(Fraction(1, 3) - Fraction(1 / 3)))
    values = ExactValues(nearest, rest, exactly, labels=lambda: np.array([[4, 4, 4], [4, 7, 7]]))
    loads = []
    held = values.detach().attach(lambda: loads.append(values) or values)
    assert held.codes().tolist() == values.codes().tolist() == [[1, -1, 1], [1, 1, 1]]
    calls.clear()
    for row in (0, 1):
        assert held.exactly(row, np.array([0, 2])) == [Fraction(1, 3)] * 2
    assert not calls and len(loads) == 1
