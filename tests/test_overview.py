"""What was read, counted: as a table, as data, and on the command line."""

import json
import subprocess
import sys

import pytest

import tiebreak as tb
from tiebreak.reports.overview import overview

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 d 1\nq3 0 e 0\n"
RUNS = {
    "one.run": "q1 0 a 1 3\nq1 0 x 2 2\nq1 0 b 3 2\r\nq2 0 d 1 1\nz 0 d 1 1\n",
    "copy.run": "q1 0 a 1 3\nq1 0 x 2 2\nq1 0 b 3 2\nq2 0 d 1 1\n",
    "tied.run": "q1 0 c 1 1\nq1 0 a 2 1\nq1 0 b 3 1\n",
}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / name).write_bytes(text.encode())
    return [tmp_path / "qrels", *(tmp_path / name for name in RUNS)]


@pytest.fixture
def found(files):
    made = tb.Experiment(files[0], files[1:])
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        made.read()
    return overview(made.positions, made.judgements)


def test_every_run_is_counted(found):
    one, copy, tied = found.runs
    # q1 has 3 items and q2 one; q3 is missing. Of a, x, b and d three are judged. Relevant are a and d of a, c and d.
    assert (one.lines, one.requests, one.missing) == (5, 2, 1)
    assert (one.depth_min, one.depth_median, one.depth_max) == (1, 2, 3)
    assert one.judged_at_10 == one.judged_at_100 == 3 / 4
    assert one.relevant_found == 2
    assert one.tied == 2 / 4
    assert copy[2:] == one[2:]
    assert (tied.requests, tied.missing, tied.tied, tied.judged_at_10) == (1, 2, 1, 1)


def test_judgements_are_counted(found):
    judged = found.judgements
    assert (judged.requests, judged.without_relevant, judged.relevant) == (2, 1, 3)
    assert (judged.relevant_min, judged.relevant_median, judged.relevant_max) == (1, 1.5, 2)
    assert judged.grades == {"0": 2, "1": 2, "2": 1}
    assert judged.subtopics_max == 0


def test_subtopics_are_counted(tmp_path):
    (tmp_path / "q").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 b 0\nq2 3 c 1\n")
    made = tb.Experiment(tmp_path / "q", {"q1": {"a": 1.0}})
    assert overview(made.positions, made.judgements).judgements.subtopics_max == 2


def test_what_may_mislead_is_said(found):
    said = " ".join(found.warnings)
    assert "item ids decide much of the ranking: tied" in said
    assert "Nearly the same rankings of judged items: one and copy." in said
    assert "Depths differ" not in said


def test_oddities_are_named_with_their_line(found):
    assert any("CR LF (first on line 3" in oddity for oddity in found.oddities["one"])
    assert any("requests without judgements" in oddity for oddity in found.oddities["one"])
    assert "copy" not in found.oddities


def test_uneven_depths_are_said():
    made = tb.Experiment({"q": {"a": 1}}, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0}}])
    (said,) = overview(made.positions, made.judgements).warnings[:1]
    assert said.startswith("Depths differ, from 1 to 2: lexirecall favours the deeper run.")


def test_table_shows_all_of_it(found):
    text = found.table().to_text()
    for words in ("1-2-3", "75%", "2 (67%)", "Grades: 0 2 times, 1 2 times, 2 1 times.", "Warning: More than half"):
        assert words in text


def test_json_on_the_command_line_is_the_same(files, found):
    command = [sys.executable, "-m", "tiebreak", "check", *files, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))
