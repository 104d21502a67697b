"""From runs and judgements to positions: ranking rules, cuts, missing requests (SEMANTICS sections 1 and 2)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak import UNRETRIEVED, InputError, Run, project
from tiebreak.errors import EmptyRequestsWarning, RequestsLeftOutWarning
from tiebreak.inputs import Ids

ITEMS = [f"d{k}" for k in range(8)]


def ranks_by_item(positions, run=0, request="q"):
    """``{item: rank}`` of the relevant items of one request, None where unretrieved."""
    entries = np.flatnonzero(positions.layout.request == list(positions.requests).index(request))
    pairs = ((positions.items[positions.item[e]], int(positions.ranks[run, e])) for e in entries)
    return {item: None if rank == UNRETRIEVED else rank for item, rank in pairs}


def slow_ranking(scores):
    """Score descending, then item id descending by bytes."""
    return sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)


@given(
    st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1, 0, 1, 2]), min_size=1),
    st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([-1.0, 0.0, -0.0, 0.5, 2.0]), min_size=1),
    st.one_of(st.none(), st.integers(1, 5)),
    st.booleans(),
)
def test_ranks_equal_those_of_a_plain_sort(grades, scores, depth, judged_only):
    grades = grades | {"always": 1}
    positions = project(
        {"q": grades}, {"q": scores}, depth=depth, judged_only=judged_only, nonrelevant=True, top=3, pool=True
    )
    ranking = slow_ranking(scores)
    if judged_only:
        ranking = [item for item in ranking if item in grades]
    ranking = ranking[:depth]
    place = {item: rank for rank, item in enumerate(ranking, start=1)}
    assert ranks_by_item(positions) == {i: place.get(i) for i, grade in grades.items() if grade > 0}
    assert ranks_by_item(positions.nonrelevant) == {i: place.get(i) for i, grade in grades.items() if grade <= 0}
    assert positions.listed[0, 0] == len(scores)
    assert positions.retrieved[0, 0] == len(ranking)
    values = list(scores.values())
    assert positions.tied[0, 0] == sum(values.count(value) > 1 for value in values)
    assert positions.pool[0] == len(ranking)
    assert list(Ids(*positions.top[0].items)) == ranking[:3]


def test_ties_are_broken_by_item_id_descending():
    # Bytes, not alphabet: lower case sorts above upper case.
    positions = project({"q": dict.fromkeys("abBc", 1)}, {"q": dict.fromkeys("abBc", 0.5)})
    assert ranks_by_item(positions) == {"c": 1, "b": 2, "a": 3, "B": 4}


def test_ties_are_broken_by_the_rank_column_on_request(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 1.0 t\nq Q0 b 2 1.0 t\nq Q0 c 3 9.0 t\nq Q0 d 2 1.0 t\n")
    qrels = {"q": dict.fromkeys("abcd", 1)}
    assert ranks_by_item(project(qrels, path)) == {"c": 1, "d": 2, "b": 3, "a": 4}
    by_rank = project(qrels, path, ties="rank")
    assert ranks_by_item(by_rank) == {"c": 1, "a": 2, "d": 3, "b": 4}
    assert by_rank.ties == "rank"


def test_request_missing_from_a_run_retrieves_nothing():
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    positions = project(qrels, [{"q1": {"a": 1.0}}, {"q1": {"b": 1.0}, "q2": {"a": 1.0}}])
    assert ranks_by_item(positions, 0, "q2") == {"a": None}
    assert positions.listed.tolist() == [[1, 0], [1, 1]]


def test_common_requests_are_those_that_every_run_lists():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    runs = [{"q1": {"a": 1.0}, "q2": {"z": 1.0}}, {"q2": {"a": 1.0}, "q1": {"y": 1.0}, "q3": {"a": 1.0}}]
    with pytest.warns(RequestsLeftOutWarning, match="1 of 3 judged requests are not listed by every run"):
        positions = project(qrels, runs, requests="common")
    assert list(positions.requests) == ["q1", "q2"]
    assert ranks_by_item(positions, 0, "q2") == {"a": None}


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="no request is listed by every run"):
        project({"q1": {"a": 1}, "q2": {"a": 1}}, [{"q1": {"a": 1.0}}, {"q2": {"a": 1.0}}], requests="common")


def test_request_listed_without_judged_items_is_not_missing_when_only_judged_items_count():
    positions = project({"q": {"a": 1}}, [{"q": {"x": 1.0}}], judged_only=True, requests="common")
    assert positions.listed.tolist() == [[1]] and positions.retrieved.tolist() == [[0]]


def test_request_without_relevant_item_is_named_and_has_no_positions():
    with pytest.warns(EmptyRequestsWarning, match='1 of 2 requests has no relevant item and is left out: "q2"'):
        positions = project({"q1": {"a": 1}, "q2": {"a": 0}}, {"q1": {"a": 1.0}})
    values = positions.levels().each(lambda p: p[..., 0])
    assert values[0, 0] == 1 and np.isnan(values[0, 1])


def test_nothing_relevant_at_all_is_an_error():
    with pytest.raises(InputError, match="no request has a relevant item"):
        project({"q": {"a": 1}}, {"q": {"a": 1.0}}, min_grade=2)


def test_min_grade_and_binary():
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    run = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    graded, binary = project(qrels, run, min_grade=2), project(qrels, run, min_grade=2, binary=True)
    for positions in (graded, binary):
        (bucket,) = positions.levels().buckets()
        assert bucket.p.tolist() == [[[1, 3]]]
    assert sorted(graded.grade) == [1.0, 2.0, 3.0]
    assert sorted(binary.grade) == [1.0, 1.0]
    assert graded.relevance == binary.relevance == "a grade of at least 2"


@pytest.mark.parametrize(("policy", "rank_of_a"), [("first", 2), ("best", 1)])
def test_duplicates_are_resolved_as_asked_and_counted(tmp_path, policy, rank_of_a):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\nq Q0 a 3 3.0 t\nq Q0 b 4 0.5 t\n")
    positions = project({"q": {"a": 1}}, path, duplicates=policy)
    assert ranks_by_item(positions) == {"a": rank_of_a}
    oddity = positions.audits[0].oddities[0]
    assert (oddity.kind, oddity.count, oddity.first_line, oddity.example) == ("duplicate", 2, 3, '"a"')


def test_bad_scores_are_dropped_on_request_and_counted(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 nan t\nq Q0 b 2 2.0 t\n")
    positions = project({"q": {"a": 1, "b": 1}}, path, on_bad_score="drop")
    assert ranks_by_item(positions) == {"a": None, "b": 1}
    assert positions.audits[0].count("bad_score") == 1


def test_unjudged_requests_are_ignored_and_counted(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("x Q0 a 1 2.0 t\nq Q0 a 1 2.0 t\ny Q0 a 1 2.0 t\nx Q0 b 1 2.0 t\ny Q0 a 1 2.0 t\n")
    audit = project({"q": {"a": 1}}, path).audits[0]
    assert audit.count("unjudged_requests") == 2
    assert audit.count("unjudged_lines") == 4
    assert audit.lines == 5


def test_pool_counts_distinct_items_over_all_runs():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "c": 1.0}}]
    assert project({"q": {"a": 1}}, runs, pool=True).pool.tolist() == [3]
    assert project({"q": {"a": 1}}, runs, pool=True, depth=1).pool.tolist() == [2]


def test_top_items_know_their_judgement():
    positions = project({"p": {"z": 1}, "q": {"a": 0, "b": 1}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}, top=2)
    (top,) = positions.top
    assert top.starts.tolist() == [0, 0, 2]
    assert list(Ids(*top.items)) == ["x", "b"]
    assert top.judgement.tolist() == [-1, 2]


def test_requests_are_stored_by_number_of_relevant_items_and_equal_sizes_are_views():
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {"c": 1, "d": 2}, "q4": {"d": 1}}
    positions = project(qrels, [{"q1": {"a": 1.0}}, {"q3": {"d": 1.0}}])
    assert positions.request_order.tolist() == [1, 3, 0, 2]
    buckets = list(positions.buckets())
    assert [(b.m, b.requests.tolist()) for b in buckets] == [(1, [1, 3]), (2, [0, 2])]
    assert all(np.shares_memory(b.p, positions.ranks) for b in buckets)
    assert buckets[1].p[:, 0].tolist() == [[1, UNRETRIEVED], [UNRETRIEVED, UNRETRIEVED]]


def test_example_of_the_papers_figure_3():
    # LR 2.2: three of six relevant items in the top ten, at positions 2, 3 and 8.
    ranking = ["n1", "a", "b", "n2", "n3", "n4", "n5", "c", "n6", "n7"]
    scores = {item: float(-rank) for rank, item in enumerate(ranking)}
    levels = project({"q": dict.fromkeys("abcdef", 1)}, {"q": scores}).levels()
    assert [b.p.tolist() for b in levels.buckets()] == [[[[2, 3, 8, *[UNRETRIEVED] * 3]]]]
    assert [b.p.tolist() for b in levels.pessimistic(1000).buckets()] == [[[[2, 3, 8, 998, 999, 1000]]]]
    assert [b.p.tolist() for b in levels.optimistic().buckets()] == [[[[2, 3, 8, 11, 12, 13]]]]
    with pytest.raises(InputError, match="n=12 items in the corpus are too few"):
        levels.pessimistic(12)


def test_run_is_read_only_when_projected(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("not a run\n")
    run = Run(path)
    path.write_text("q Q0 a 1 2.0 t\n")
    assert ranks_by_item(project({"q": {"a": 1}}, run)) == {"a": 1}


@pytest.mark.parametrize(("grade", "but"), [(0, ""), (1, " by all measures but graded ones")])
def test_graded_measures_are_said_to_count_only_what_they_count(grade, but):
    qrels = {"q1": {"a": 2}, "q2": {"a": grade}}
    with pytest.warns(EmptyRequestsWarning, match=f'1 of 2 requests has no relevant item and is left out{but}: "q2"'):
        project(qrels, {"q1": {"a": 1.0}}, min_grade=2)
