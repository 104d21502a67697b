"""A user's own function as a metric, in Python and by its path."""

import math

import pytest

import tiebreak as tb
from tiebreak.errors import InputError

QRELS = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}
RUNS = [{"q": {"a": 3.0, "x": 2.0, "b": 1.0}, "r": {"x": 1.0}}, {"q": {"x": 2.0, "b": 1.0}, "r": {"a": 1.0}}]


def reciprocal(p):
    return 1 / p[0]


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_measures.py").write_text(
        "import math\n"
        "def reciprocal(p):\n    return 1 / p[0]\n"
        "def found(p):\n    return sum(place < math.inf for place in p)\n"
        "def broken(p):\n    return p[7]\n"
        "def nothing(p):\n    return float('nan')\n"
        "word = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "own_measures"


def test_function_sees_increasing_positions_and_infinity_for_what_is_not_retrieved():
    seen = set()
    tb.Experiment(QRELS, RUNS).evaluate(tb.metric(lambda p: seen.add(p) or 0.0))
    assert seen == {(1, 3), (2, math.inf), (math.inf,), (1,)}


def test_function_is_a_metric_everywhere(own):
    experiment = tb.Experiment(QRELS, RUNS)
    theirs, ours = experiment.evaluate(f"{own}:reciprocal"), experiment.evaluate("RR")
    assert list(theirs.to_flat_dict().values()) == list(ours.to_flat_dict().values())
    assert experiment.compare(reciprocal).mean.tolist() == experiment.compare("RR").mean.tolist()
    assert experiment.order(f"{own}:found").ranks.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("own_measures:missing", "no attribute 'missing'"),
        ("no_such_module:f", "No module named"),
        ("own_measures:word", "is not a function"),
        ("own_measures:broken", r"failed on positions \(1,\): IndexError"),
        ("own_measures:nothing", "returned nan for positions"),
    ],
)
def test_what_cannot_be_used_is_told(own, path, message):
    with pytest.raises(InputError, match=message):
        tb.Experiment(QRELS, RUNS).evaluate(path)
