"""Repeated trials: exact means, whatever their order, and trials as requests of their own."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.inputs.ids import Ids
from tiebreak.inputs.trials import average_trials, keep_trials

DECIMALS = st.integers(-2000, 2000).map(lambda k: k / 1000)


def slow_means(cells):
    """The mean of every cell's values, as decimals."""
    return [[sum(Fraction(repr(value)) for value in trials) / len(trials) for trials in row] for row in cells]


def average(cells, order=None):
    rows = [(r * len(cells[0]) + q, v) for r, row in enumerate(cells) for q, trials in enumerate(row) for v in trials]
    rows = [rows[k] for k in order] if order is not None else rows
    place, value = (np.array(part) for part in zip(*rows, strict=True))
    return average_trials(place, value, (len(cells), len(cells[0])))


def test_mean_of_three_trials_is_a_third_of_their_sum():
    means = average([[[0.1, 0.2, 0.3], [1.0]], [[0.2], [0.0, 0.0, 1.0]]])
    assert means.nearest.tolist() == [[0.2, 1.0], [0.2, 1 / 3]]
    # (0.1 + 0.2 + 0.3) / 3 is 0.2 as a decimal, so that the two runs tie there.
    assert means.differences(np.array([0]), np.array([1])).nearest.tolist() == [[0.0, 2 / 3]]


def test_trials_that_cancel_have_the_mean_0():
    assert average([[[0.1, 0.2, -0.3], [0.0, 0.0], [1e-9, -1e-9]]]).nearest.tolist() == [[0.0, 0.0, 0.0]]


@settings(deadline=None)
@given(
    st.lists(st.lists(st.lists(DECIMALS, min_size=1, max_size=5), min_size=3, max_size=3), min_size=1, max_size=3),
    st.randoms(),
)
def test_means_are_those_of_decimals_in_any_order(cells, random):
    order = list(range(sum(len(trials) for row in cells for trials in row)))
    random.shuffle(order)
    expected = slow_means(cells)
    for means in (average(cells), average(cells, order)):
        assert [means.exactly(r, np.arange(3)) for r in range(len(cells))] == expected
        assert means.nearest.tolist() == [[float(value) for value in row] for row in expected]


def test_every_trial_is_a_request_that_remembers_its_own():
    requests, code, origins = keep_trials(
        Ids.from_names(["q", "r"]),
        np.array([0, 1, 0], np.int32),
        Ids.from_names(["7", "8"]),
        np.array([1, 0, 0], np.int32),
    )
    assert list(requests) == ["q, trial 7", "q, trial 8", "r, trial 7"]
    assert list(origins) == ["q", "q", "r"] and code.tolist() == [1, 2, 0]
