"""Optimistic imputation: what a run misses is right after its last item."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import InputError

QRELS = {"q1": {"a": 1, "b": 2, "c": 1, "n": 0}, "q2": {"a": 1}}
RUNS = [{"q1": {"x": 3.0, "b": 2.0, "y": 1.0}, "q2": {"x": 1.0}}, {"q1": {"a": 2.0, "n": 1.0}}]


def vectors(positions, min_grade=None):
    return {
        (run, request): p.tolist()
        for bucket in positions.levels(min_grade).buckets()
        for run, rows in zip(positions.runs, bucket.p, strict=True)
        for request, p in zip([positions.requests[k] for k in bucket.requests.tolist()], rows, strict=True)
    }


def test_missing_items_follow_the_last_one_of_the_ranking():
    exp = tb.Experiment(QRELS, RUNS, imputation="optimistic")
    assert vectors(exp.positions) == {
        ("run1", "q1"): [2, 4, 5],
        ("run1", "q2"): [2],
        ("run2", "q1"): [1, 3, 4],
        ("run2", "q2"): [1],
    }
    # Of run2 the item of grade 2 comes first: right after its two items.
    assert vectors(exp.positions, 2)["run2", "q1"] == [3]


def test_it_is_the_imputation_of_levels():
    plain, exp = tb.Experiment(QRELS, RUNS), tb.Experiment(QRELS, RUNS, imputation="optimistic")
    for theirs, ours in zip(
        plain.positions.levels().optimistic().buckets(), exp.positions.levels().buckets(), strict=True
    ):
        assert theirs.p.tolist() == ours.p.tolist()


@given(st.lists(st.permutations("abcdxyz").map(lambda r: r[:4]), min_size=2, max_size=3), st.sampled_from([None, 2]))
def test_positions_equal_the_slow_twin(rankings, min_grade):
    grades = {"a": 1, "b": 2, "c": 3, "d": 1, "x": 0}
    runs = [{"q": {item: float(-k) for k, item in enumerate(ranking)}} for ranking in rankings]
    actual = vectors(tb.Experiment({"q": grades}, runs, min_grade=min_grade, imputation="optimistic").positions)
    relevant = [item for item, grade in grades.items() if grade >= (min_grade or 1)]
    for name, ranking in zip(("run1", "run2", "run3"), rankings, strict=False):
        seen = [k for k, item in enumerate(ranking, start=1) if item in relevant]
        assert actual[name, "q"] == [*seen, *range(5, 5 + len(relevant) - len(seen))]


def test_short_rankings_gain():
    # (1, -, -) and (1, 3, 4): pessimistic AP 1/3; optimistic (1 + 2/3 + 3/4) / 3
    scores = [
        tb.Experiment(QRELS, RUNS, imputation=how).evaluate("AP").values[1, 0, 0]
        for how in ("pessimistic", "optimistic")
    ]
    assert scores == pytest.approx([1 / 3, (1 + 2 / 3 + 3 / 4) / 3], abs=1e-15)


def test_what_was_read_is_counted_as_before():
    plain, exp = (tb.Experiment(QRELS, RUNS, imputation=how).audit() for how in ("pessimistic", "optimistic"))
    assert plain.runs == exp.runs
    assert any(note.startswith("Optimistic imputation") for note in exp.notes)
    assert exp.settings["reading"]["imputation"] == "optimistic"


def test_unknown_imputation_is_refused():
    with pytest.raises(InputError, match='imputation "hopeful"'):
        tb.Experiment(QRELS, RUNS, imputation="hopeful")
