"""Pairs of runs and the array operations of preferences, by hand."""

import numpy as np

from tiebreak.preferences.interleaving import number_up_to
from tiebreak.preferences.pairs import Pairs
from tiebreak.preferences.rpp import dense_places


def test_pairs_are_every_run_against_later_ones_or_against_baselines():
    everyone, one = Pairs.all(3), Pairs.against([1], 3)
    assert (everyone.x.tolist(), everyone.y.tolist()) == ([0, 0, 1], [1, 2, 2])
    assert (one.x.tolist(), one.y.tolist()) == ([0, 2], [1, 1])


def test_items_are_counted_up_to_each_position():
    assert number_up_to(np.array([[1, 3, 3]]), np.array([[9, 3, 2]])).tolist() == [[0, 2, 2]]


def test_keys_are_ranked_within_their_request():
    assert dense_places(np.array([5, 5, 7, 5]), np.array([2.0, 1.0, 9.0, 2.0])).tolist() == [1, 0, 0, 1]
