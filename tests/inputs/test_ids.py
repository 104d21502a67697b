"""Ids and ranges of entries."""

import numpy as np

from tiebreak.inputs.ids import Ids, ranges


def test_ids_are_a_sequence_of_text():
    ids = Ids.from_names(["q1", "q22", 3])
    assert (len(ids), ids[1], list(ids)) == (3, "q22", ["q1", "q22", "3"])


def test_ranges_follow_one_another():
    assert ranges(np.array([7, 2]), np.array([2, 3])).tolist() == [7, 8, 2, 3, 4]
