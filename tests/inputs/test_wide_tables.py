"""Wide tables of utilities, a column for every run or for every request, are those of run, request and value."""

import json

import numpy as np
import pytest

import tiebreak as tb

WIDE = "query_id,bm25,dense\nq1,0.25,0.5\nq2,1,0\n"
LONG = {"bm25": {"q1": 0.25, "q2": 1.0}, "dense": {"q1": 0.5, "q2": 0.0}}


def assert_same(actual, table=LONG):
    expected = tb.Utilities(table)
    assert (actual.runs, list(actual.requests)) == (expected.runs, list(expected.requests))
    assert np.array_equal(actual.values, expected.values)


def test_columns_beside_requests_are_runs(tmp_path):
    (tmp_path / "scores.csv").write_text(WIDE)
    (tmp_path / "scores.tsv").write_text(WIDE.replace(",", "\t"))
    rows = [dict(zip(("query_id", "bm25", "dense"), row, strict=True)) for row in (("q1", 0.25, 0.5), ("q2", 1, 0))]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "scores.json").write_text(json.dumps(rows))
    for name in ("scores.csv", "scores.tsv", "scores.jsonl", "scores.json"):
        assert_same(tb.Utilities(tmp_path / name))
    assert_same(tb.Utilities(rows))


def test_columns_beside_runs_are_requests(tmp_path):
    """As leaderboards have it: a row for every model, a column for every task."""
    (tmp_path / "board.csv").write_text("model,q1,q2\nbm25,0.25,1\ndense,0.5,0\n")
    assert_same(tb.Utilities(tmp_path / "board.csv"))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_frames(library):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query_id": ["q1", "q2"], "bm25": [0.25, 1], "dense": [0.5, 0]})
    if library == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    elif library == "pyarrow":
        frame = pytest.importorskip("pyarrow").table(frame)
    elif library == "duckdb":
        frame = pytest.importorskip("duckdb").sql("SELECT * FROM frame")
    assert_same(tb.Utilities(frame))


def test_pivoted_pandas_frame_with_requests_in_its_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"bm25": [0.25, 1.0], "dense": [0.5, 0.0]}, index=pandas.Index(["q1", "q2"], name="qid"))
    assert_same(tb.Utilities(frame))


def test_parquet(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"query_id": ["q1", "q2"], "bm25": [0.25, 1.0], "dense": [0.5, 0.0]})
    frame.write_parquet(tmp_path / "scores.parquet")
    assert_same(tb.Utilities(tmp_path / "scores.parquet"))


@pytest.mark.parametrize("nothing", ["", "NA", "nan", "null"])
def test_cells_without_a_value_are_missing(tmp_path, nothing):
    (tmp_path / "scores.csv").write_text(f"qid,a,b\nq1,1,{nothing}\nq2,0.5,1\n")
    with pytest.raises(tb.InputError, match=r'1 of 4 cells are missing: run "b", request "q1"'):
        tb.Utilities(tmp_path / "scores.csv")
    assert tb.Utilities(tmp_path / "scores.csv", missing=0).values.tolist() == [[1, 0.5], [0, 1]]
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"qid": ["q1", "q2"], "a": [1.0, 0.5], "b": [None, 1.0]})
    assert tb.Utilities(frame, missing=0).values.tolist() == [[1, 0.5], [0, 1]]


def test_other_names_of_the_key_can_be_said(tmp_path):
    (tmp_path / "scores.csv").write_text("prompt_id,a,b\np1,1,0\n")
    assert_same(
        tb.Utilities(tmp_path / "scores.csv", columns={"request": "prompt_id"}), {"a": {"p1": 1}, "b": {"p1": 0}}
    )


def test_columns_of_text_are_refused(tmp_path):
    (tmp_path / "scores.csv").write_text("qid,a,prompt\nq1,1,why?\n")
    with pytest.raises(tb.InputError, match=r'scores.csv:2: column "value" holds .why'):
        tb.Utilities(tmp_path / "scores.csv")
    polars = pytest.importorskip("polars")
    with pytest.raises(tb.InputError, match=r'column "prompt" holds no numbers.*leave the others out'):
        tb.Utilities(polars.DataFrame({"qid": ["q1"], "a": [1.0], "prompt": ["why?"]}))


def test_a_table_with_neither_runs_nor_requests_says_what_is_known(tmp_path):
    (tmp_path / "scores.csv").write_text("prompt,a,b\np1,1,0\n")
    with pytest.raises(tb.InputError, match=r"no column for request.*Known names: request, qid.*--columns request="):
        tb.Utilities(tmp_path / "scores.csv")
