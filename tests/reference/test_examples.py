"""Worked examples from the file that ``TIEBREAK_EXAMPLES`` names."""

import pytest

import tiebreak
from tiebreak.inputs import Ids
from worked_examples import examples_of


def positions(ranking, relevant, n):
    """Increasing positions of the relevant items, None where unretrieved; within a corpus of n if that is given."""
    scores = {item: -float(rank) for rank, item in enumerate(ranking)}
    levels = tiebreak.project({"q": dict.fromkeys(relevant, 1)}, {"q": scores}).levels()
    if n is not None:
        levels = levels.pessimistic(n)
    (bucket,) = levels.buckets()
    return [None if p == tiebreak.UNRETRIEVED else p for p in bucket.p[0, 0].tolist()]


def trec_order(run):
    """All items of a run in order; the other request keeps a run that lists nothing from being refused as empty."""
    result = tiebreak.project({"q": {"?": 1}, "other": {"d": 1}}, {"q": run, "other": {"d": 1.0}}, top=1000)
    (top,) = result.top
    return Ids(*top.items)[: top.starts[1]]


@pytest.mark.parametrize("function", [positions, trec_order])
def test_worked_examples_hold(function):
    for arguments, expected in examples_of(function.__name__):
        if isinstance(expected, dict):
            assert expected == {"error": "ValueError"}
            with pytest.raises(ValueError, match=r"\."):
                function(**arguments)
        else:
            assert function(**arguments) == expected
