"""Runs: names, dictionaries, standard input, and every way a file can be wrong."""

import gzip
import io
import os
import sys
import threading

import pytest

import tiebreak.inputs.sources
from tiebreak import InputError, Run, project, read_judgements
from tiebreak.errors import quote
from tiebreak.inputs.runs import run_name

QRELS = {"q1": {"d1": 1, "d2": 0}}
GOOD = b"q1 Q0 d1 1 2.0 tag\n"


def refused(content, tmp_path, **options):
    path = tmp_path / "bad.run"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        project(QRELS, path, **options)
    error = caught.value
    assert str(error).startswith(str(path))
    assert error.file == str(path)
    return error


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runs/bm25.run.gz", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25", "bm25"),
        ("bm25.v2.run.zst", "bm25.v2"),
        ("1", "1"),
        (".run", ".run"),
        ("x.RUN.GZ", "x"),
    ],
)
def test_run_is_called_after_its_file(path, name):
    assert run_name(path) == name


def test_dictionaries_are_called_after_their_place(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(GOOD)
    assert project(QRELS, [path, {"q1": {"d1": 1.0}}, Run({"q1": {"d1": 1.0}}, name="mine")]).runs == (
        "a",
        "run2",
        "mine",
    )


def test_two_runs_with_one_name_are_an_error(tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_bytes(GOOD)
    with pytest.raises(InputError, match='two runs are called "x"') as caught:
        project(QRELS, [tmp_path / "a/x.run", tmp_path / "b/x.run"])
    assert "a/x.run" in str(caught.value) and "b/x.run" in str(caught.value)


def test_the_same_run_twice_is_an_error():
    run = Run({"q1": {"d1": 1.0}}, name="x")
    with pytest.raises(InputError, match='two runs are called "x"'):
        project(QRELS, [run, run])


def test_request_as_text_and_as_integer_is_refused():
    with pytest.raises(InputError, match='request "7" appears both as text and as an integer'):
        project({"7": {"a": 1}}, {7: {"a": 1.0}, "7": {"a": 2.0}})


def test_number_beyond_float64_is_refused():
    with pytest.raises(InputError, match="too large for a float64"):
        project(QRELS, {"q1": {"d1": 10**400}})


def test_name_must_be_text():
    with pytest.raises(InputError, match="Give a run's name as text"):
        Run({"q1": {"d1": 1.0}}, name=5)


@pytest.mark.parametrize(
    ("content", "line", "kind", "message"),
    [
        (b"", None, "empty", "nothing in it"),
        (b"\n# only this\n", None, "empty", "nothing in it"),
        (gzip.compress(GOOD, mtime=0)[:-9], None, "compression", "the gzip data ends early or is damaged"),
        (gzip.compress(GOOD, mtime=0) + b"garbage", None, "compression", "the gzip data ends early or is damaged"),
        (GOOD + b"\x00\x01\x02", 2, "control", "looks like a binary file"),
        (b"q1 Q0 d1 1 2.0 a\rq1 Q0 d2 2 1.0 a\r", 1, "control", "a carriage return inside the line"),
        (GOOD + b"q1 d2 1.0\n", 2, "columns", "3 columns found"),
        (b"q1 Q0 d1 too 1 2.0 a\n", 1, "columns", "7 columns found; a run has 5 or 6 columns: "),
        (b"q1 0 d1 1\n", 1, "columns", "This looks like a qrels file"),
        (b"q1 Q0 d\xff 1 2.0 tag\n", 1, "encoding", r"d\xff"),
        (b"q1 Q0 d1 1 1,5 tag\n", 1, "score", 'the score "1,5" of item "d1" of request "q1"'),
        (b"q1 Q0 d1 1 nan tag\n", 1, "score", 'the score "nan"'),
        (b"other Q0 d1 1 inf tag\n", 1, "score", 'the score "inf"'),
        (GOOD + b"q1 Q0 " + b"x" * 10_000_000 + b" 1 1.0 tag\n", 2, "long_line", "longer than 65,536 bytes"),
        (GOOD + GOOD, 2, "duplicate", 'item "d1" is listed twice for request "q1". Keep one, or read with duplicates='),
    ],
)
def test_bad_file_is_refused_with_file_line_and_advice(content, line, kind, message, tmp_path):
    error = refused(content, tmp_path)
    assert (error.line, error.kind) == (line, kind)
    assert message in str(error)
    assert len(str(error)) < 500 + len(str(tmp_path))


def test_columns_after_the_tag_are_ignored_as_by_trec_eval(tmp_path):
    path = tmp_path / "long.run"
    path.write_bytes(b"q1 Q0 d2 1 2.0 tag and more\nq1 Q0 d1 2 1.0 tag\t#1\n")
    assert project(QRELS, path, nonrelevant=True).ranks.tolist() == [[2]]
    path = tmp_path / "long.qrels"
    path.write_bytes(b"q1 0 d1 1 more\n")  # trec_eval calls this malformed
    with pytest.raises(InputError, match="5 columns found; judgements have 4 columns"):
        read_judgements(path)


def test_rank_column_must_be_an_integer_where_it_counts(tmp_path):
    assert refused(b"q1 Q0 d1 first 2.0 tag\n", tmp_path, ties="rank").kind == "rank"
    assert project(QRELS, tmp_path / "bad.run").ranks.tolist() == [[1]]


def test_too_little_memory_is_an_error_that_says_what_to_do(tmp_path):
    error = refused(GOOD * 1 + b"q1 Q0 d2 2 1.0 tag\n", tmp_path, memory=40)
    assert error.kind == "memory"
    assert "Sort the file by request" in str(error)


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file") as caught:
        Run(tmp_path / "missing.run")
    assert caught.value.file == str(tmp_path / "missing.run")
    with pytest.raises(InputError, match="there is no file in this folder"):
        Run(tmp_path)
    with pytest.raises(InputError, match="null"):
        Run("a\0b")


def test_run_of_other_requests_is_refused(tmp_path):
    error = refused(b"z9 Q0 d1 1 2.0 tag\n", tmp_path)
    assert error.kind == "disjoint"
    assert '"z9"' in str(error) and '"q1"' in str(error)


def test_something_else_is_refused():
    with pytest.raises(InputError, match="cannot be read from int"):
        project(QRELS, [3])
    with pytest.raises(InputError, match="no run was given"):
        project(QRELS, [])


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_bad_score_in_a_dictionary_names_its_entry(score):
    with pytest.raises(InputError, match=r'run "run1", entry 2: the score "(nan|inf)" of item "d2"'):
        project(QRELS, {"q1": {"d1": 1.0, "d2": score}})


def test_dictionary_with_the_same_id_as_text_and_integer_is_refused():
    with pytest.raises(InputError, match='item "1" is listed twice'):
        project({"q": {"1": 1}}, {"q": {1: 1.0, "1": 2.0}})


@pytest.mark.parametrize("run", [{}, {"q1": {}}], ids=["no request", "no item"])
def test_run_that_retrieves_nothing_is_comparable_and_noted(run, engine):
    positions = project(QRELS, [run, {"q1": {"d1": 1.0}}])
    assert positions.ranks.tolist() == [[2**31 - 1], [1]]
    assert positions.notes == ('run "run1" retrieves nothing: every relevant item is unretrieved.',)


def test_request_with_an_empty_ranking_retrieves_nothing(engine):
    positions = project({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {}, "q2": {"d1": 1.0}})
    assert positions.levels().each(lambda p: p[..., 0]).tolist() == [[2**31 - 1, 1.0]]
    assert positions.notes == ()


def test_frame_without_rows_is_a_run_that_retrieves_nothing(engine):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(schema={"qid": polars.String, "docno": polars.String, "score": polars.Float64})
    assert project(QRELS, frame).ranks.tolist() == [[2**31 - 1]]
    with pytest.raises(InputError, match="the judgements: there is no row in it"):
        read_judgements(frame.rename({"score": "grade"}))


def test_rank_column_is_refused_for_dictionaries():
    with pytest.raises(InputError, match="is a table: ties="):
        project(QRELS, {"q1": {"d1": 1.0}}, ties="rank")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "score"}, 'unknown value for ties "score". Known: item, rank.'),
        ({"duplicates": "last"}, 'unknown value for duplicates "last"'),
        ({"requests": "all"}, 'unknown value for requests "all"'),
        ({"depth": 0}, "depth=0. Give a whole number from 1 on"),
        ({"jobs": -1}, "jobs=-1"),
        ({"top": 2.5}, "top=2.5"),
        ({"min_grade": 0}, "min_grade=0"),
        ({"min_grade": "2"}, "min_grade='2'"),
        ({"depth": True}, "depth=True"),
    ],
)
def test_bad_option_is_refused_before_anything_is_read(options, message):
    with pytest.raises(InputError) as caught:
        project("no such file", "no such run", **options)
    assert message in str(caught.value)


def standard_input(content, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    monkeypatch.setattr(tiebreak.inputs.sources, "_standard_input_is_taken", False)


def test_standard_input_is_read_also_when_requests_return(monkeypatch):
    standard_input(b"q1 Q0 d2 1 2.0 t\nz Q0 d2 1 2.0 t\nq1 Q0 d1 2 1.0 t\n", monkeypatch)
    positions = project(QRELS, "-")
    assert positions.runs == ("stdin",)
    assert positions.ranks.tolist() == [[2]]


def test_standard_input_given_twice_is_refused(monkeypatch):
    standard_input(b"q1 0 d1 1\n", monkeypatch)
    with pytest.raises(InputError, match="given twice"):
        project("-", "-")


def test_error_in_standard_input_says_so(monkeypatch):
    standard_input(b"q1\n", monkeypatch)
    with pytest.raises(InputError, match="standard input:1: 1 column found"):
        project(QRELS, "-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipe_is_read_also_when_requests_return(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = b"q1 Q0 d2 1 2.0 t\nq2 Q0 d2 1 2.0 t\nq1 Q0 d1 2 1.0 t\n"
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    positions = project({"q1": {"d1": 1}, "q2": {"d1": 1}}, path)
    writer.join()
    assert positions.levels().each(lambda p: p[..., 0]).tolist() == [[2.0, 2**31 - 1]]
    assert positions.audits[0].count("returning") == 1


def test_untrusted_text_is_shown_on_one_line_of_bounded_length():
    assert quote("a\x1b[31m\nb") == r'"a\x1b[31m\nb"'
    assert quote(b"\xff\xfe") == r'"\xff\xfe"'
    assert len(quote("x" * 10_000)) == 62
    assert quote("\u202eevil") == r'"\u202eevil"'


def test_decimals_in_a_dictionary_are_scores():
    from decimal import Decimal

    p = project({"q": {"a": 1}}, {"q": {"a": Decimal("0.1"), "b": Decimal("0.2")}})
    assert p.ranks.tolist() == [[2]]
