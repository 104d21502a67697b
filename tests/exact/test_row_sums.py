"""Sums and counts of exact values, against fractions added up one by one."""

from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.exact import ExactValues
from tiebreak.exact.row_sums import RowSums, sum_squares
from tiebreak.exact.value_counts import ValueCounts

FRACTIONS = st.fractions(-3, 3, max_denominator=9)
TABLES = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(FRACTIONS, min_size=n, max_size=n), min_size=2, max_size=2)
)


def as_values(table):
    return ExactValues.from_exact(np.array(table, dtype=object))


@given(st.lists(TABLES, min_size=1, max_size=3))
def test_sums_add_up_over_blocks(tables):
    joined = RowSums.join([RowSums.from_values(as_values(table)) for table in tables])
    for row in range(2):
        numbers = [number for table in tables for number in table[row]]
        assert joined.sample(row).mean().exact == sum(numbers) / len(numbers)
        assert float(joined.sample(row).total()) == float(sum(numbers)) and len(joined.sample(row)) == len(numbers)
        floats = [Fraction(float(number)) for number in numbers]
        middle, n = sum(floats) / len(floats), len(floats)
        squares = sum((x - middle) ** 2 for x in floats)
        assert joined.deviation(row) == (sqrt(squares / (n - 1)) if n > 1 else 0)
        assert joined.squares_around(row, Fraction(1, 2)) == sum((x - Fraction(1, 2)) ** 2 for x in floats)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6))
def test_squares_of_any_floats(numbers):
    assert sum_squares(np.array(numbers)) == sum(Fraction(number) ** 2 for number in numbers)


@given(st.lists(TABLES, min_size=1, max_size=3))
def test_counts_add_up_over_blocks(tables):
    counts = ValueCounts.join([ValueCounts.from_values(as_values(table)) for table in tables]).in_order()
    assert counts.numbers == sorted(set(counts.numbers))
    for row in range(2):
        numbers = sorted(number for table in tables for number in table[row])
        expected = Counter(numbers)
        assert {x: n for x, n in zip(counts.numbers, counts.counts[:, row].tolist(), strict=True) if n} == expected
        sample = counts.sample(row)
        assert len(sample) == len(numbers) == counts.size
        assert [sample.item(place).exact for place in range(len(numbers))] == numbers
        assert [sample.lowest(k).exact for k in range(len(numbers) + 1)] == [
            sum(numbers[:k], Fraction(0)) for k in range(len(numbers) + 1)
        ]
        assert sample.mean().exact == sum(numbers) / len(numbers)
        assert sample.spread().exact == numbers


def test_numbers_equal_to_sixty_digits_are_one():
    third, close = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**70)
    counts = ValueCounts([close, Fraction(1), third], np.array([[1], [2], [4]]), is_rational=False)
    assert counts.in_order().counts.tolist() == [[5], [2]]
    assert len(ValueCounts(counts.numbers, counts.counts).in_order().numbers) == 3


@pytest.mark.parametrize("empty", [np.zeros((2, 0)), np.full((2, 3), np.nan)])
def test_rows_without_values(empty):
    sums = RowSums.from_values(ExactValues.from_floats(empty))
    assert len(sums.sample(0)) == 0 and sums.deviation(1) == 0
