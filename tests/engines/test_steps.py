"""`plan()` says what an engine will do, and does none of it."""

import pytest

import tiebreak as tb

JUDGED = {"q1": {"a": 1, "b": 1}, "q2": {"c": 2}, "q3": {"a": 1}}
RUNS = {"new": {"q1": {"a": 2.0, "x": 1.0}}, "old": {"q1": {"b": 1.0}}}


def steps(exp):
    return [tuple(row) for row in exp.plan().rows()]


def test_whole_input_is_read_and_held():
    lines = steps(tb.Experiment(JUDGED, RUNS))
    assert lines[:3] == [
        ("read", "here", 4, "judgements of 3 requests, held whole"),
        ("read", "here", 2, 'run "new", as a table in memory'),
        ("read", "here", 1, 'run "old", as a table in memory'),
    ]
    assert lines[3] == ("hold", "here", None, "positions of all judged items: 4 bytes for each in each of 2 runs")


def test_blocks_are_counted():
    lines = steps(tb.Experiment(JUDGED, RUNS, block_requests=2))
    assert lines[3] == ("compute", "here", None, "2 blocks of up to 2 requests, one after another")


def test_files_are_not_opened(tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("no run at all\n")
    lines = steps(tb.Experiment(JUDGED, path))
    assert lines[1] == ("read", "here", None, f"{path}, as a file in TREC's format")


def test_options_that_hold_are_told():
    (note,) = tb.Experiment(JUDGED, RUNS, depth=3, requests="common").plan().notes
    assert "depth=3" in note and "requests='common'" in note and "binary" not in note


def test_runs_in_large_tables_are_divided_beside_held_judgements(tmp_path):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    rows = {"request": ["q1", "q2"] * 30, "item": [f"d{k}" for k in range(60)], "score": [1.0] * 60}
    polars.DataFrame(rows).write_parquet(tmp_path / "new.parquet")
    lines = steps(tb.Experiment(JUDGED, {"new": tmp_path / "new.parquet", "old": RUNS["old"]}, memory=5000))
    assert lines[1][3] == f"{tmp_path / 'new.parquet'}, in batches, written to a temporary file by block"
    assert lines[3][3] == "blocks of up to about a million rows, one after another"
    exp = tb.Experiment(JUDGED, {"new": tmp_path / "new.parquet", "old": RUNS["old"]}, block_requests=2)
    assert steps(exp)[3][3] == "blocks of about 2 requests, one after another"


def test_files_beside_large_tables_are_divided_by_block(tmp_path):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    rows = [(request, item, grade) for request, listed in JUDGED.items() for item, grade in listed.items()]
    names = ["request", "item", "grade"]
    polars.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "qrels.parquet")
    (tmp_path / "old.run").write_text("q1 0 a 1 1 old\n")
    named = {"new": tmp_path / "qrels.parquet", "old": tmp_path / "old.run", "held": RUNS["new"]}
    exp = tb.Experiment(tmp_path / "qrels.parquet", named, block_requests=2, columns={"score": "grade"})
    lines = [line[3] for line in steps(exp)]
    assert f"{tmp_path / 'old.run'}, as a file in TREC's format" in lines
    assert any(line.startswith("lines of files by block; compressed ones are unpacked") for line in lines)
