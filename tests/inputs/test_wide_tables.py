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


def test_an_index_without_a_name_is_asked_for_one():
    pandas = pytest.importorskip("pandas")
    columns = {run: pandas.Series(values) for run, values in LONG.items()}
    with pytest.raises(
        tb.InputError, match=r"The index of the frame has no name, .*\.rename_axis\('request'\) names it"
    ):
        tb.Utilities(pandas.DataFrame(columns))
    assert_same(tb.Utilities(pandas.DataFrame(columns).rename_axis("request")))
    assert_same(tb.Utilities(columns))  # of a series it can only hold requests


@pytest.mark.parametrize("library", ["csv", "pandas"])
def test_columns_without_a_name_are_called_as_by_pandas(tmp_path, library):
    def held(text):
        (tmp_path / "wide.csv").write_text(text)
        return (
            tmp_path / "wide.csv" if library == "csv" else pytest.importorskip("pandas").read_csv(tmp_path / "wide.csv")
        )

    numbered = held(",qid,bm25,dense\n0,q1,0.25,0.5\n1,q2,1,0\n")
    with pytest.raises(tb.InputError, match=r'column "Unnamed: 0" may be no run.*--columns \'other=Unnamed: 0\';'):
        tb.Utilities(numbered)
    assert_same(tb.Utilities(numbered, columns={"other": "Unnamed: 0"}))
    requests = held(WIDE.replace("query_id", ""))
    with pytest.raises(tb.InputError, match=r"such as columns=\{'request': 'Unnamed: 0'\}"):
        tb.Utilities(requests)
    assert_same(tb.Utilities(requests, columns={"request": "Unnamed: 0"}))


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
    with pytest.raises(tb.InputError, match=r'scores.csv:2: column "prompt" holds .why'):
        tb.Utilities(tmp_path / "scores.csv")
    polars = pytest.importorskip("polars")
    with pytest.raises(tb.InputError, match=r'column "prompt" holds no numbers.*leave the others out'):
        tb.Utilities(polars.DataFrame({"qid": ["q1"], "a": [1.0], "prompt": ["why?"]}))


def test_a_table_with_neither_runs_nor_requests_says_what_is_known(tmp_path):
    (tmp_path / "scores.csv").write_text("case,a,b\np1,1,0\n")
    with pytest.raises(tb.InputError, match=r"no column for request.*Known names: request, qid.*--columns request="):
        tb.Utilities(tmp_path / "scores.csv")


@pytest.mark.parametrize("library", ["rows", "pandas", "polars"])
@pytest.mark.parametrize("name", ["trial", "seed", "round"])
def test_a_column_of_trials_is_no_run(library, name):
    rows = [("q", 1, 1.0, 0.5), ("q", 2, 0.0, 0.25)]
    table = [dict(zip(("qid", name, "gpt", "llama"), row, strict=True)) for row in rows]
    if library != "rows":
        table = pytest.importorskip(library).DataFrame(table)
    columns = {"trial": "round"} if name == "round" else None
    with pytest.raises(tb.InputError, match='run "gpt", request "q" appears twice'):
        tb.Utilities(table, columns=columns)
    mean = tb.Utilities(table, columns=columns, trials="mean")
    assert (mean.runs, mean.values.tolist()) == (("gpt", "llama"), [[0.5], [0.375]])  # (1 + 0) / 2, (1/2 + 1/4) / 2
    kept = tb.Utilities(table, columns=columns, trials="keep")
    assert list(kept.requests) == ["q, trial 1", "q, trial 2"]
    assert kept.values.tolist() == [[1, 0], [0.5, 0.25]]


def test_a_trial_without_a_value_is_not_left_out_of_the_mean(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,trial,a\nq,1,1\nq,2,\n")
    with pytest.raises(tb.InputError, match=r'1 of 1 cells are missing: run "a", request "q"'):
        tb.Utilities(tmp_path / "wide.csv", trials="mean")
    assert tb.Utilities(tmp_path / "wide.csv", trials="mean", missing=0).values.tolist() == [[0.5]]


def test_a_request_without_any_value_is_missing(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,a,b\nq,1,0\nr,,\n")
    with pytest.raises(tb.InputError, match="2 of 4 cells are missing"):
        tb.Utilities(tmp_path / "wide.csv")


def test_a_column_of_measures_is_no_run(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,metric,a,b\nq,acc,1,0\nq,f1,0.5,0.25\n")
    assert_same(tb.Utilities(tmp_path / "wide.csv", measure="f1"), {"a": {"q": 0.5}, "b": {"q": 0.25}})
    with pytest.raises(tb.InputError, match="several measures: acc, f1"):
        tb.Utilities(tmp_path / "wide.csv")


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "name",
    ["weight", "group", "count", "Average", "avg_score", "prediction", "Params_B", "rank", "sample", "iteration"],
)
@pytest.mark.parametrize("library", ["csv", "pandas"])
def test_columns_that_may_be_no_runs_are_asked_about(tmp_path, name, library):
    (tmp_path / "wide.csv").write_text(f"qid,a,b,{name}\nq1,1,0,7\nq2,0,1,8\n")
    table = tmp_path / "wide.csv"
    if library == "pandas":
        table = pytest.importorskip("pandas").read_csv(table)
    words = rf'column "{name}" may be no run\..*columns={{.other.: .{name}.}}.*--columns other={name}; or .*other=\.'
    with pytest.raises(tb.InputError, match=words):
        tb.Utilities(table)
    assert tb.Utilities(table, columns={"other": name}).runs == ("a", "b")
    assert tb.Utilities(table, columns={"other": None}).runs == ("a", "b", name)


def test_summaries_of_a_leaderboard_are_asked_about_all_at_once(tmp_path):
    (tmp_path / "board.csv").write_text("model,Average \u2b06,ARC,MMLU,#Params (B)\na,0.5,0,1,7\nb,0.5,1,0,70\n")
    words = r'columns "Average .", "#Params \(B\)" may be no request\..*leave these out'
    with pytest.raises(tb.InputError, match=words):
        tb.Utilities(tmp_path / "board.csv")
    table = tb.Utilities(tmp_path / "board.csv", columns={"other": ["Average \u2b06", "#Params (B)"]})
    assert list(table.requests) == ["ARC", "MMLU"]
    assert "Columns that count as requests: ARC, MMLU." in table.order("mean").notes
    with pytest.raises(tb.InputError, match='no table here has a column "Size" to leave out'):
        tb.Utilities(tmp_path / "board.csv", columns={"other": ["Average \u2b06", "Size"]})


def test_pivoted_frames_whose_columns_are_numbers():
    pandas = pytest.importorskip("pandas")
    rows = [("a", 7, 1.0), ("a", 8, 0.5), ("b", 7, 0.0), ("b", 8, 0.25)]
    frame = pandas.DataFrame(rows, columns=["model", "question_id", "score"])
    board = frame.pivot(index="model", columns="question_id", values="score")
    assert_same(tb.Utilities(board), {"a": {"7": 1, "8": 0.5}, "b": {"7": 0, "8": 0.25}})
    assert board.columns.tolist() == [7, 8]


def test_runs_may_be_called_after_a_mean(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,mean_pooling,max_pooling\nq,1,0\n")
    assert tb.Utilities(tmp_path / "wide.csv").runs == ("mean_pooling", "max_pooling")


def test_a_column_that_is_named_for_something_else_is_no_run(tmp_path):
    (tmp_path / "wide.csv").write_text("qid,a,b,visits\nq,1,0,3\nr,0,1,1\n")
    (tmp_path / "weights.csv").write_text("qid,visits\nq,3\nr,1\n")
    table = tb.Utilities(tmp_path / "wide.csv", weights=tmp_path / "weights.csv", columns={"weight": "visits"})
    assert table.runs == ("a", "b") and table.order("mean").scores.tolist() == [3 / 4, 1 / 4]
