"""Weights of recall levels, by hand."""

from tiebreak.metrics.weights import recall_weights


def test_weights_are_normalised_and_the_last_one_is_repeated():
    assert recall_weights(2, "inverse").tolist() == [2 / 3, 1 / 3]
    assert recall_weights(3, (2, 1)).tolist() == [0.5, 0.25, 0.25]
