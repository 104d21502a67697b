"""Warnings point at the line that called the package, and those about the input are said once."""

import warnings

import pytest

import tiebreak as tb
from tiebreak.errors import EmptyRequestsWarning, GradesWarning, LargeTablesWarning, RequestsLeftOutWarning

JUDGED = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
RUNS = {"x": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "y": {"q1": {"a": 2.0, "b": 3.0}}}
SIZES = pytest.mark.parametrize("block_requests", [None, 1])


def save(rows, path):
    polars = pytest.importorskip("polars")
    polars.DataFrame(rows, schema=["user_id", "item_id", "score"], orient="row").write_parquet(path)
    return path


def caught_here(call):
    """The classes of the warnings of a function of one line, at which all of them point."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {(one.filename, one.lineno) for one in caught} <= {(__file__, call.__code__.co_firstlineno)}
    return [one.category for one in caught]


@SIZES
def test_warnings_point_at_the_caller(block_requests):
    exp = tb.Experiment(JUDGED, RUNS, requests="common", min_grade=2, block_requests=block_requests)
    assert caught_here(lambda: exp.evaluate("nDCG")) == [RequestsLeftOutWarning, GradesWarning]
    assert caught_here(lambda: tb.Experiment(JUDGED, RUNS).order("leximin(AP)")) == [EmptyRequestsWarning]
    assert caught_here(lambda: tb.project(JUDGED, RUNS)) == [EmptyRequestsWarning]


def test_warnings_of_large_tables_point_at_the_caller(tmp_path):
    judged = save([(f"q{k}", "a", 1.0) for k in range(9)], tmp_path / "judged.parquet")
    exp = tb.Experiment(judged, save([("q1", "a", 1.0)], tmp_path / "run.parquet"), memory=1000)
    assert caught_here(lambda: exp.evaluate("AP")) == [LargeTablesWarning]


@SIZES
def test_warnings_about_the_input_are_said_once(block_requests):
    exp = tb.Experiment(JUDGED, RUNS, block_requests=block_requests)
    calls = [
        lambda: exp.evaluate("AP"),
        lambda: exp.compare(["RPP", "LexiRecall"]),
        lambda: exp.order("leximin(AP)"),
        lambda: exp.evaluate("Coverage(n=9)@5"),  # which looks at more
    ]
    assert [caught_here(call) for call in calls] == [[EmptyRequestsWarning], [], [], []]


@SIZES
def test_warnings_as_errors_are_raised_again(block_requests):
    exp = tb.Experiment(JUDGED, RUNS, block_requests=block_requests)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(EmptyRequestsWarning):
                exp.evaluate("AP")
