"""Positions by hand: levels, imputation, keep, take_requests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak import UNRETRIEVED, InputError, project
from tiebreak.errors import EmptyRequestsWarning
from tiebreak.inputs import Ids

GRADED = {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"a": 2}, "q3": {"b": 1, "c": 1}}
RUN = {"q1": {"c": 3.0, "x": 2.0, "a": 1.0}, "q2": {"y": 2.0, "a": 1.0}, "q3": {"b": 1.0}}


def by_request(levels):
    """``{request: [positions of each run]}``, None for unretrieved."""
    found = {}
    for bucket in levels.buckets():
        for k, request in enumerate(bucket.requests):
            vectors = bucket.p[:, k].tolist()
            found[levels.requests[request]] = [[None if p == UNRETRIEVED else p for p in v] for v in vectors]
    return found


def test_positions_by_hand_are_one_request_with_a_vector_per_run():
    positions = tb.positions([[5, 2], [4, None]])
    assert by_request(positions.levels()) == {"q1": [[2, 5], [4, None]]}
    assert positions.runs == ("run1", "run2")


@pytest.mark.parametrize(
    "vectors", [[], [[]], [[1], [1, 2]], [[0]], [[-1]], [[2, 2]], [2, 5], [[2.5]], [[True]], [[2**31]]]
)
def test_what_is_no_position_vector_is_refused(vectors):
    with pytest.raises(InputError):
        tb.positions(vectors)


@pytest.mark.parametrize(
    ("min_grade", "expected"),
    [
        (None, {"q1": [[1, 3, None]], "q2": [[2]], "q3": [[1, None]]}),
        (2, {"q1": [[1, None]], "q2": [[2]]}),
        (2.5, {"q1": [[1]]}),
    ],
)
def test_levels_hold_the_items_of_at_least_the_grade(min_grade, expected):
    assert by_request(project(GRADED, RUN).levels(min_grade)) == expected


def test_levels_use_the_experiments_grade_unless_told_otherwise():
    with pytest.warns(EmptyRequestsWarning):
        positions = project(GRADED, RUN, min_grade=2)
    assert by_request(positions.levels()) == {"q1": [[1, None]], "q2": [[2]]}
    assert by_request(positions.levels(3)) == {"q1": [[1]]}


def test_levels_of_a_subtopic(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q 1 a 1\nq 2 a 1\nq 2 b 2\nq 3 c 0\nr 2 c 1\n")
    positions = project(path, {"q": {"b": 2.0, "a": 1.0}, "r": {"z": 2.0, "c": 1.0}})
    assert by_request(positions.levels(subtopic="1")) == {"q": [[2]]}
    assert by_request(positions.levels(subtopic="2")) == {"q": [[1, 2]], "r": [[2]]}
    assert by_request(positions.levels(2, subtopic="2")) == {"q": [[1]]}
    assert by_request(positions.levels(subtopic="3")) == {}
    assert by_request(positions.take_requests([1, 0, 1]).levels(subtopic="2")) == {"q": [[1, 2]], "r": [[2]]}
    with pytest.raises(InputError, match='unknown subtopic "4"'):
        positions.levels(subtopic="4")
    with pytest.raises(InputError, match="no subtopics"):
        project(GRADED, RUN).levels(subtopic="1")


def test_each_restores_the_order_of_requests():
    values = project(GRADED, RUN).levels().each(lambda p: p[..., 0])
    assert values.tolist() == [[1.0, 2.0, 1.0]]


def test_keep_forgets_labels_and_stores_by_the_new_sizes():
    positions = project(GRADED, RUN)
    kept = positions.keep(positions.grade >= 2)
    assert by_request(kept.levels()) == {"q1": [[1, None]], "q2": [[2]]}
    assert kept.request_order.tolist() == [2, 1, 0]
    with pytest.raises(InputError, match="there are 6 entries"):
        positions.keep(np.ones(3, dtype=bool))


def test_mask_of_levels_is_keep():
    positions = project(GRADED, RUN)
    mask = positions.grade == 1
    assert by_request(positions.levels(mask=mask)) == by_request(positions.keep(mask).levels())


def test_take_requests_repeats_and_reorders_everything():
    positions = project(GRADED, RUN, nonrelevant=True, top=1, pool=True)
    taken = positions.take_requests([2, 0, 2])
    assert list(taken.requests) == ["q3", "q1", "q3"]
    assert taken.listed.tolist() == [[1, 3, 1]]
    assert taken.pool.tolist() == [1, 3, 1]
    assert taken.top[0].starts.tolist() == [0, 1, 2, 3]
    assert list(Ids(*taken.top[0].items)) == ["b", "c", "b"]
    values = taken.levels().each(lambda p: p.shape[-1] * np.ones(p.shape[:2]))
    assert values.tolist() == [[2.0, 3.0, 2.0]]
    assert len(taken.nonrelevant.requests) == 3
    assert positions.take_requests([]).levels().each(lambda p: p[..., 0]).shape == (1, 0)


@given(st.lists(st.integers(0, 2), max_size=6))
def test_taking_requests_takes_their_positions(places):
    positions = project(GRADED, RUN)
    whole = positions.levels().each(lambda p: p[..., 0])
    assert positions.take_requests(places).levels().each(lambda p: p[..., 0]).tolist() == whole[:, places].tolist()


vectors = st.integers(1, 6).flatmap(
    lambda m: st.lists(
        st.lists(st.integers(1, 30), min_size=m, max_size=m, unique=True).flatmap(
            lambda p: st.integers(0, len(p)).map(lambda found: sorted(p[:found]) + [None] * (len(p) - found))
        ),
        min_size=1,
        max_size=4,
    )
)


@given(vectors, st.integers(0, 40))
def test_pessimistic_imputation_fills_the_bottom_of_the_corpus(given_vectors, extra):
    n = 30 + 6 + extra
    levels = tb.positions(given_vectors).levels().pessimistic(n)
    for vector, imputed in zip(given_vectors, by_request(levels)["q1"], strict=True):
        u = vector.count(None)
        assert imputed == [p for p in vector if p is not None] + list(range(n - u + 1, n + 1))


@given(vectors)
def test_optimistic_imputation_follows_the_last_retrieved_item(given_vectors):
    levels = tb.positions(given_vectors).levels().optimistic()
    for vector, imputed in zip(given_vectors, by_request(levels)["q1"], strict=True):
        found = [p for p in vector if p is not None]
        last = max(found, default=0)
        assert imputed == found + list(range(last + 1, last + 1 + vector.count(None)))


@pytest.mark.parametrize("n", [UNRETRIEVED, 5_000_000_000])
def test_corpus_beyond_32_bits_is_refused(n):
    with pytest.raises(InputError, match="are too many: at most 2,147,483,646"):
        tb.positions([[2, None]]).levels().pessimistic(n)
    assert by_request(tb.positions([[2, None]]).levels().pessimistic(UNRETRIEVED - 1)) == {"q1": [[2, UNRETRIEVED - 1]]}


def test_corpus_size_may_differ_by_request():
    positions = project({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"x": 1.0}})
    assert by_request(positions.levels().pessimistic([5, 9])) == {"q1": [[5]], "q2": [[9]]}


def test_arguments_are_never_modified():
    positions = project(GRADED, RUN)
    before = positions.ranks.copy()
    positions.levels().pessimistic(100)
    positions.keep(positions.grade > 1).take_requests([0]).levels()
    np.testing.assert_array_equal(positions.ranks, before)


@pytest.mark.parametrize(
    "vectors",
    [[[[1, 2]], [[2, 3]]], [[{}]], [[1, [2]]], np.ones((2, 1, 2), dtype=int), 5, None, [["1"]], [[1.5]], "ab"],
)
def test_what_are_no_positions_is_refused(vectors):
    with pytest.raises(InputError, match="position"):
        tb.positions(vectors)


def test_every_column_of_positions_is_taken_along_its_axes():
    """A column that is added is declared with its axes, or as one that is the same for all runs and requests."""
    from dataclasses import fields

    from tiebreak.projection.position_table import AXES

    by_themselves = {"requests", "layout", "subtopics", "nonrelevant"}
    the_same = {
        "items",
        "judgements",
        "aspect_source",
        "is_sampled",
        "min_grade",
        "relevant_from",
        "ties",
        "notes",
        "library",
        "whole_scale",
    }
    assert {f.name for f in fields(tb.Positions)} == {*AXES} | by_themselves | the_same
    qrels = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 1}, "q3": {"c": 3, "b": 0}}
    runs = [{"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"y": 1.0}}, {"q3": {"c": 1.0, "b": 1.0}}, {"q1": {"c": 1.0}}]
    p = tb.project(qrels, runs, nonrelevant=True, pool=True, top=2, audit=True)
    some = p.take_runs([2, 0]).take_requests([2, 0])
    both = tb.project({q: qrels[q] for q in ("q3", "q1")}, [runs[2], runs[0]], nonrelevant=True, top=2, audit=True)
    assert [*some.requests] == [*both.requests]
    assert some.runs == (p.runs[2], p.runs[0])
    assert [audit.lines for audit in some.audits] == [1, 4]
    assert some.pool.tolist() == p.pool[[2, 0]].tolist()
    for name in ("ranks", "grade", "listed", "retrieved", "tied"):
        assert getattr(some, name).tolist() == getattr(both, name).tolist(), name
    assert some.nonrelevant.ranks.tolist() == both.nonrelevant.ranks.tolist()
    assert [top.starts.tolist() for top in some.top] == [top.starts.tolist() for top in both.top]
