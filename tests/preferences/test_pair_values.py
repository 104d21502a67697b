"""The record of pair values that preferences return, and orderings and tests take."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from tiebreak.exact import ExactValues
from tiebreak.inputs.utilities import read_utilities
from tiebreak.preferences import Pairs, PairValues

TABLE = read_utilities({run: {"s": 1, "q": 1, "r": 1} for run in ("b", "a", "c")})
NUMERATOR = np.array([[1, 0, -2], [3, 0, 1], [2, 0, 3]], dtype=np.int8)  # of b and a, b and c, a and c
WHOLE = PairValues.from_counts(TABLE, Pairs.all(3), NUMERATOR, np.array([3, 0, 4]))
THIRDS = ExactValues.from_exact(np.array([[Fraction(k, 3) for k in row] for row in NUMERATOR.tolist()]))
EXACT = PairValues.from_exact(TABLE, Pairs.all(3), THIRDS, np.array([True, False, True]))
EVERYTHING = np.arange(2)


def test_requests_that_do_not_count_are_left_out():
    assert [*WHOLE.requests] == [*EXACT.requests] == ["s", "r"]
    assert WHOLE.numerator.dtype == np.int8 and WHOLE.values.tolist() == [[1 / 3, -0.5], [1, 0.25], [2 / 3, 0.75]]
    assert WHOLE.exact_values(0, EVERYTHING) == [Fraction(1, 3), Fraction(-1, 2)]
    assert EXACT.exact_values(0, EVERYTHING) == [Fraction(1, 3), Fraction(-2, 3)]


@pytest.mark.parametrize("values", [WHOLE, EXACT], ids=["whole", "exact"])
def test_means_wins_and_deviations_are_of_the_requests_that_count(values):
    assert values.mean.tolist() == [float(sum(values.exact_values(pair, EVERYTHING)) / 2) for pair in range(3)]
    assert values.win_tie_loss.tolist() == [[1, 0, 1], [2, 0, 0], [2, 0, 0]]
    assert values.deviation.tolist() == pytest.approx(values.values.std(axis=1, ddof=1).tolist(), rel=1e-15)


@pytest.mark.parametrize("values", [WHOLE, EXACT], ids=["whole", "exact"])
def test_sorted_by_name_every_pair_has_its_values(values):
    ordered = values.by_name()
    assert ordered.runs == ("a", "b", "c") and [*ordered.requests] == ["r", "s"]
    assert [*ordered.names()] == [*values.names()] == [("b", "a"), ("b", "c"), ("a", "c")]
    assert ordered.values.tolist() == values.values[:, ::-1].tolist()
    assert ordered.exact_values(1, EVERYTHING) == values.exact_values(1, EVERYTHING)[::-1]
    assert ordered.mean.tolist() == values.mean.tolist()


def test_square_has_the_other_sign_for_swapped_runs():
    square = WHOLE.square(np.array([[1, 0, -3]]))
    assert square.tolist() == [[[0, 1, 0], [-1, 0, -3], [0, 3, 0]]]
    assert not np.signbit(WHOLE.square(np.zeros(3))).any()
    one = PairValues(TABLE.runs, TABLE.requests, Pairs.one(0, 2), NUMERATOR[:1], np.ones(3, dtype=np.int64))
    assert np.isnan(one.square(np.array([0.5]), others=np.nan)[1]).tolist() == [True, False, True]


def test_repeated_requests_count_repeatedly():
    assert WHOLE.take_requests(np.array([1, 1, 0])).values[0].tolist() == [-0.5, -0.5, 1 / 3]


@pytest.mark.parametrize("values", [WHOLE, EXACT], ids=["whole", "exact"])
def test_a_pickle_keeps_exact_values(values):
    copy = pickle.loads(pickle.dumps(values))
    assert copy.exact_values(2, EVERYTHING) == values.exact_values(2, EVERYTHING)
    assert copy.mean.tolist() == values.mean.tolist()
