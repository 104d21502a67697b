"""`plan()` says what an engine will do, and does none of it."""

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
