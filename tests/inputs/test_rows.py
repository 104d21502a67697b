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
    with pytest.raises(InputError, match=r"no column for request.*There are 0, 1, 2\."):
        tb.project(QRELS, text)
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
    with pytest.raises(InputError, match="does not yield named tuples or dictionaries of cells"):
        tb.read_judgements(iter([1, 2]))
