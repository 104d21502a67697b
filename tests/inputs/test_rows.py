"""Rows in memory: named tuples, dictionaries, arrays, columns of a dictionary."""

from collections import namedtuple

import numpy as np
import pytest

import tiebreak as tb
from inputs.places import places
from tiebreak.errors import InputError

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
ROWS = [("q1", "b", 3.0), ("q1", "x", 2.0), ("q1", "a", 1.0), ("q2", "c", 1.0)]
NAMES = ("query_id", "doc_id", "score")
RANKS = [{("q1", "a"): 3, ("q1", "b"): 1, ("q2", "c"): 1}]
FIELDS = [("query_id", "U9"), ("doc_id", "U9"), ("score", "f8")]
HELD = {
    "named tuples": lambda: [namedtuple("Row", NAMES)(*row) for row in ROWS],
    "dictionaries": lambda: [dict(zip(NAMES, row, strict=True)) for row in ROWS],
    "generator": lambda: (dict(zip(NAMES, row, strict=True)) for row in ROWS),
    "columns": lambda: dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)),
    "columns of arrays": lambda: dict(zip(NAMES, map(np.array, zip(*ROWS, strict=True)), strict=True)),
    "array with fields": lambda: np.array(ROWS, dtype=FIELDS),
    "record array": lambda: np.rec.array(ROWS, dtype=FIELDS),
}


@pytest.mark.parametrize("kind", HELD)
def test_rows_are_runs(kind):
    assert places(tb.project(QRELS, HELD[kind]())) == RANKS
    assert tb.project(QRELS, [HELD[kind]()]).runs == ("run1",)
    assert tb.project(QRELS, {"bm25": HELD[kind]()}).runs == ("bm25",)


@pytest.mark.parametrize("kind", HELD)
def test_rows_are_judgements(kind):
    assert tb.read_judgements(HELD[kind]()).to_dict() == {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


def test_a_plain_array_needs_the_roles_of_its_columns():
    columns = {"request": 0, "item": 1, "score": 2}
    floats = np.array([[7, 10, 0.5], [7, 11, 0.25]])
    assert tb.project({7: {11: 1}}, floats, columns=columns).ranks.tolist() == [[2]]
    text = np.array(ROWS, dtype=str)
    assert places(tb.project(QRELS, tb.Run(text, columns="request=0,item=1,score=2"))) == RANKS
    with pytest.raises(InputError, match=r"no column for request and item and score\. There are 0, 1, 2\.") as refusal:
        tb.project(QRELS, text)
    assert "columns='request=0,item=1,score=2', on the command line --columns request=0" in str(refusal.value)
    with pytest.raises(InputError, match=r"an array of shape \(3,\) has no columns"):
        tb.read_judgements(np.arange(3))


def test_ids_that_are_no_whole_numbers_are_refused():
    with pytest.raises(InputError, match=r'row 1: column "0" holds 7\.5'):
        tb.project({7: {11: 1}}, np.array([[7.5, 10, 0.5]]), columns={"request": 0, "item": 1, "score": 2})


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"qid": "q1", "docno": "a", "score": "high"}], "row 1: column \"score\" holds 'high'"),
        ([{"qid": "q1", "docno": "a", "score": 1}, {"qid": "q1", "score": 1}], 'row 2: column "docno" has no value'),
        ([{"qid": "q1", "docno": "a", "score": 1}] * 2, 'row 2: item "a" is listed twice'),
        ({"qid": ["q1"], "docno": ["a", "b"], "score": [1.0]}, "columns of different lengths"),
        ([namedtuple("A", "qid docno score")("q1", "a", 1.0), namedtuple("B", "x")(1)], "row 2 has other names"),
        ([{"qid": "q1", "docno": "a", "score": float("nan")}], 'the score "nan"'),
    ],
)
def test_what_is_wrong_is_named_with_its_row(rows, words):
    with pytest.raises(InputError) as refusal:
        tb.project(QRELS, rows)
    assert words in str(refusal.value)


def test_numbers_of_numpy_are_numbers():
    rows = [{"user": np.int64(7), "item": np.int32(1), "score": np.float32(0.5)}]
    assert tb.project({7: {1: 1}}, rows).ranks.tolist() == [[1]]


def test_an_iterator_of_anything_else_is_refused():
    with pytest.raises(InputError, match=r"does not yield rows\. Give tuples or dictionaries of cells"):
        tb.read_judgements(iter([1, 2]))


def test_plain_tuples_are_rows_whose_columns_have_numbers():
    columns, grades = "request=0,item=1,score=2", "request=0,item=1,grade=2"
    for rows in ([*ROWS], [*map(list, ROWS)], iter(ROWS), tuple(ROWS)):
        assert places(tb.project(QRELS, rows, columns=columns)) == RANKS
    assert tb.project(QRELS, {"bm25": ROWS, "other": iter(ROWS)}, columns=columns).runs == ("bm25", "other")
    for rows in ([*ROWS], iter(ROWS)):
        assert tb.read_judgements(rows, columns=grades).to_dict()["q1"] == {"b": 3.0, "x": 2.0, "a": 1.0}
    for rows in ([*ROWS], iter(ROWS)):
        with pytest.raises(InputError, match="say which holds what, such as columns='request=0,item=1,score=2'"):
            tb.project(QRELS, rows)
        with pytest.raises(InputError, match="say which holds what, such as columns='request=0,item=1,grade=2'"):
            tb.read_judgements([*ROWS])
    with pytest.raises(InputError, match="row 2 has 2 cells, the first 3"):
        tb.project(QRELS, [ROWS[0], ROWS[1][:2]], columns=columns)


def test_items_with_scores_are_in_ranked_order():
    pairs = {"q1": [("b", 3.0), ("x", 2.0), ("a", 1.0)], "q2": [("c", 1.0)], "q3": []}
    assert places(tb.project(QRELS, pairs)) == RANKS
    assert tb.project(QRELS, {"bm25": pairs}).runs == ("bm25",)
    risen = tb.Experiment(QRELS, {"q1": [("b", 0.5), ("x", 2.0), ("a", 1.0)], "q2": [("c", 1.0)]}).evaluate("RR")
    assert risen.values.ravel().tolist() == [1.0, 1.0]
    assert [note for note in risen.notes if "scores would order 1 of 2 lists otherwise" in note]
    assert tb.read_judgements(pairs).to_dict()["q1"] == {"b": 3.0, "x": 2.0, "a": 1.0}
    with pytest.raises(InputError, match='request "q1" lists an item twice'):
        tb.read_judgements({"q1": [("a", 1), ("a", 2)]})
    with pytest.raises(InputError, match=r'request "q2" holds something else than pairs \(item, score\)'):
        tb.project(QRELS, {"q1": [("a", 1.0)], "q2": ["b"]})
    with pytest.raises(InputError, match='the value of item "a" of request "q1" is None'):
        tb.project(QRELS, {"q1": [("a", None)]})


def test_a_matrix_of_ranked_items_is_given_by_request():
    matrix = np.array([[7, 1], [1, 3]])
    with pytest.raises(InputError, match=r"Ranked lists are given by request: {request: \[item, \.\.\.\]}"):
        tb.project({0: {1: 1}}, matrix)
    assert tb.project({"u": {1: 1}, "v": {3: 1}}, dict(zip("uv", matrix, strict=True))).ranks.tolist() == [[2, 2]]
