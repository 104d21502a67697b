"""What was read, counted: as a table, as data, and on the command line."""

import json
import subprocess
import sys

import pytest

import tiebreak as tb

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
    experiment = tb.Experiment(files[0], files[1:])
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        return experiment.audit()


def test_settings_say_how_files_were_read():
    audit = tb.Experiment({"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "b": 2.0}}, depth=1).audit()
    assert audit.settings["reading"]["depth"] == 1 and audit.settings["reading"]["ties"] == "item"


def test_every_run_is_counted(found):
    one, copy, tied = found.runs
    # q1 has 3 items and q2 one; q3 is missing. Of a, x, b and d three are judged. Relevant are a and d of a, c and d.
    assert (one.lines, one.requests, one.missing) == (5, 2, 1)
    assert (one.depth_min, one.depth_median, one.depth_max) == (1, 2, 3)
    assert one.judged_at_10 == one.judged_at_100 == 3 / 4
    assert one.relevant_found == 2
    assert one.tied == 2 / 4
    # The tie of x and b touches b, which is judged; z is not a judged request.
    assert (one.judged_ties, one.score_low, one.score_high, one.unjudged) == (1, 1, 3, 1)
    assert copy._replace(run="one", lines=5, unjudged=1) == one
    assert (tied.requests, tied.missing, tied.tied, tied.judged_at_10) == (1, 2, 1, 1)


def test_judgements_are_counted(found):
    judged = found.judgements
    assert (judged.requests, judged.without_relevant, judged.relevant) == (2, 1, 3)
    assert (judged.relevant_min, judged.relevant_median, judged.relevant_max) == (1, 1.5, 2)
    assert judged.grades == {"0": 2, "1": 2, "2": 1}
    assert (judged.subtopics_min, judged.subtopics_median, judged.subtopics_max) == (0, 0, 0)


def test_columns_of_table_5_are_printed(found):
    # 3 relevant items in 2 requests; one and copy list 3 and 1 items, tied 3: 11 in 5 rankings.
    assert found.data == (2, 3, 3 / 2, 11 / 5, "shallow")
    assert found.settings["data"]["documents_per_request"] == 11 / 5
    assert (
        "2 requests, 3 runs, 1.50 relevant items per request, 2.20 items per ranking: shallow (LR Table 5)."
        in found.notes
    )


def experiment_of(depth, relevant):
    qrels = {"q": {f"r{k}": 1 for k in range(relevant)}}
    return tb.Experiment(qrels, {"q": {f"x{k}": float(-k) for k in range(depth)}})


@pytest.mark.parametrize(
    ("items", "depth"),
    [(1, "shallow"), (100, "shallow"), (101, "standard"), (1000, "standard"), (1001, "deep")],
)
def test_depth_is_named_as_in_table_5(items, depth):
    assert experiment_of(items, 1).audit().data.depth_class == depth


@pytest.mark.parametrize(
    ("items", "relevant", "advice"),
    [
        (100, 20, ["shallow"]),
        (101, 20, []),
        (101, 19, ["R@1000 tie often"]),
        (100, 19, ["shallow", "avoid RP altogether"]),
    ],
)
def test_advice_for_shallow_rankings_and_sparse_labels(items, relevant, advice):
    notes = [note for note in experiment_of(items, relevant).audit().notes if "LR 7.1.2" in note]
    assert len(notes) == len(advice) and all(words in note for words, note in zip(advice, notes, strict=True))
    assert any("avoid RP" in note for note in notes) == ("avoid RP altogether" in advice)


def test_subtopics_are_counted(tmp_path):
    (tmp_path / "q").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 b 0\nq2 3 c 1\n")
    judged = tb.Experiment(tmp_path / "q", {"q1": {"a": 1.0}}).audit().judgements
    assert (judged.subtopics_min, judged.subtopics_median, judged.subtopics_max) == (1, 1.5, 2)


def test_what_may_mislead_is_said(found):
    message = " ".join(found.warnings)
    assert "item ids decide much of the ranking: tied" in message
    assert "Near-duplicate runs: one and copy." in message
    assert "Depths differ" not in message


def test_oddities_are_named_with_their_line(found):
    assert kinds(found, "one") == {"crlf": (1, 3), "unjudged_lines": (1, 5)}
    assert "copy" not in found.oddities
    assert "Lines that end with CR LF: one (1, first on line 3)." in found.table().to_text()


@pytest.mark.parametrize(
    ("text", "kind", "count", "line"),
    [
        ("q1\t0\ta\t1\t3\nq1 0 b 2 2\n", "tabs", 1, 1),
        ("q1 0 a 1 3\nq1 0  b 2 2\n", "blanks", 1, 2),
        ("q1 0 a 1 3\n q1 0 b 2 2 t \n", "blanks", 1, 2),
        ("q1 0 a 1 3\nq1 0 b 2 2", "no_final_newline", 1, 2),
        ("q1 0 a 1 3\nq1 0 b 2 2e-1\n", "scientific", 1, 2),
        ("q1 0 a 0 3\nq1 0 b 1 2\nq2 0 d 0 1\n", "rank_zero", 2, 1),
        ("q1 0 a - 3\nq1 0 b - 2\n", "no_rank", 2, 1),
        ("q2 0 d 1 1\nq1 0 a 1 2\nq1 0 b 2 3\n", "rank_disagrees", 1, 2),
        ("q2 0 d 1 1\nq1 0 a 1 2\nq1 0 b 2 3\n", "unsorted", 1, 2),
        # 0.1 and 0.1 + 2^-40 are two numbers in 64 bits, one in 32.
        ("q1 0 a 1 0.10000000000090949\nq1 0 b 2 0.1\n", "float32_ties", 2, 1),
        ("q1 0 a 1 0.10000000000090949\nq1 0 b 2 0.1\nq1 0 c 3 0.1\nq1 0 d 4 0.05\n", "float32_ties", 3, 1),
    ],
)
def test_oddity_is_counted(tmp_path, text, kind, count, line):
    (tmp_path / "a.run").write_bytes(text.encode())
    found = tb.Experiment({"q1": {"a": 1, "b": 0}, "q2": {"d": 1}}, tmp_path / "a.run").audit()
    assert kinds(found, "a")[kind] == (count, line)


def test_well_written_file_has_no_oddity(tmp_path):
    (tmp_path / "a.run").write_text("q1 0 a 1 3\nq1 0 b 2 2\nq2 0 d 1 9\n")
    assert tb.Experiment({"q1": {"a": 1}, "q2": {"d": 1}}, tmp_path / "a.run").audit().oddities == {}


def test_ranks_in_any_order_of_lines_agree_with_scores_or_not(tmp_path):
    # Sorted by rank: 9, 7, 5; then 9, 5, 7. Equal ranks say nothing.
    (tmp_path / "a.run").write_text("q1 0 a 3 5\nq1 0 b 1 9\nq1 0 c 2 7\nq2 0 d 0 1\nq2 0 e 0 2\n")
    (tmp_path / "b.run").write_text("q1 0 a 2 5\nq1 0 b 1 9\nq1 0 c 3 7\nq2 0 d 0 1\n")
    found = tb.Experiment({"q1": {"a": 1}, "q2": {"d": 1}}, [tmp_path / "a.run", tmp_path / "b.run"]).audit()
    assert "rank_disagrees" not in kinds(found, "a")
    assert kinds(found, "b")["rank_disagrees"] == (1, 1)
    assert any("disagrees with the order of scores" in message and "b (1)" in message for message in found.warnings)


def test_closer_look_is_taken_for_an_audit_only(tmp_path):
    (tmp_path / "a.run").write_text("q1\t0\ta\t0\t3\n")
    experiment = tb.Experiment({"q1": {"a": 1}}, tmp_path / "a.run", audit=False)
    assert experiment.positions.audits[0].oddities == ()
    assert kinds(experiment.audit(), "a") == {"tabs": (1, 1), "rank_zero": (1, 1)}


def test_second_column_of_judgements_may_be_q0(tmp_path):
    (tmp_path / "q").write_text("q1 Q0 a 1\nq1 0 b 1\n")
    found = tb.Experiment(tmp_path / "q", {"q1": {"a": 1.0}}).audit()
    assert kinds(found, "judgements") == {"q0": (1, 1)}
    assert found.judgements.subtopics_max == 0


def kinds(found, name):
    return {odd.kind: (odd.count, odd.first_line) for odd in found.oddities[name]}


def test_uneven_depths_are_said():
    experiment = tb.Experiment({"q": {"a": 1}}, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1.0}}])
    (message,) = experiment.audit().warnings[:1]
    assert message.startswith("Depths differ, from 1 to 2: lexirecall favours the deeper run.")


def test_table_shows_all_of_it(found):
    text = found.table().to_text()
    for words in ("1-2-3", "75%", "2 (67%)", "Grades: 0 (2), 1 (2), 2 (1).", "Warning: More than half"):
        assert words in text


def test_json_on_the_command_line_is_the_same(files, found):
    command = [sys.executable, "-m", "tiebreak", "check", *files, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [json.loads(json.dumps(found.to_dict()))]


def test_grades_that_look_alike_are_told_apart():
    grades = {"a": 1000001, "b": 1000002, "c": 0.12345671, "d": 0.12345672}
    found = tb.Experiment({"q": grades}, {"q": {"a": 1.0}}).audit()
    assert found.judgements.grades == {"0.12345671": 1, "0.12345672": 1, "1000001.0": 1, "1000002.0": 1}


def test_oddity_of_a_table_is_on_the_line_of_its_file(tmp_path):
    (tmp_path / "r.csv").write_text("qid,docno,score\nq,a,1\nz,a,1\n")
    found = tb.Experiment({"q": {"a": 1}}, tmp_path / "r.csv").audit()
    assert kinds(found, "r") == {"unjudged_lines": (1, 3)}


def test_missing_requests_are_warned_of():
    found = tb.Experiment({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}).audit()
    assert "Judged requests that a run does not list count as retrieving nothing: run1 (1)." in found.warnings


def test_audit_is_a_result_as_others_are(found):
    assert "tied scores" in repr(found) and r"\toprule" in found.to_latex() and "<table" in found._repr_html_()
    pytest.importorskip("polars")
    assert found.to_frame()["run"].to_list() == ["one", "copy", "tied"]


def test_run_that_retrieves_nothing_has_no_scores():
    found = tb.Experiment({"q": {"a": 1}}, [{}, {"q": {"a": 1.0}}]).audit()
    assert [(run.lines, run.score_low, run.score_high) for run in found.runs] == [(0, None, None), (1, 1.0, 1.0)]
    json.dumps(found.to_dict(), allow_nan=False)
