"""What recall levels, grades and subtopics add to the difference of two runs: by hand, and other definitions."""

import pytest

import tiebreak as tb
from cli.running import run as run_command
from studies.placed import TABLE, experiment_at, simulated_experiment
from tiebreak.studies import disaggregation


@pytest.fixture
def small():
    return experiment_at(TABLE)


@pytest.fixture(scope="module")
def simulated():
    return simulated_experiment()


def test_level_by_hand(small):
    actual = disaggregation(small, measures=["AP", "RPP"], run="run1", other="run2", request="q1")
    # AP: 1/2 - 1/4 and (2/4 - 2/3) / 2; together 1/4 + 1/12 = 1/3 in size.
    # Precision: 1/1 and 2/4 of run1, 1/2 and 2/3 of run2.
    assert actual.rows() == (
        ("AP", 1, 0.25, pytest.approx(3 / 4), 1.0, 0.5, 1),
        ("AP", 2, pytest.approx(-1 / 12), pytest.approx(-1 / 4), 0.5, 2 / 3, 1),
        ("RPP", 1, 1.0, 0.5, 1.0, 0.5, 1),
        ("RPP", 2, -1.0, -0.5, 0.5, 2 / 3, 1),
    )
    assert [row[1:] for row in actual.picture()[2][4:]] == [
        ("run1", 1, 1.0),
        ("run1", 2, 0.5),
        ("run2", 1, 0.5),
        ("run2", 2, 2 / 3),
    ]
    assert "AP 75%; RPP 50%" in actual.conclusion


def test_level_of_a_search_length(small):
    # q2: run1 (3, 5), run2 (3, -). In a corpus of 9 items the unretrieved one is the last: (9 - 5) / 2.
    actual = disaggregation(small, measures="ASL(n=9)", run="run1", other="run2", request="q2")
    assert [row.difference for row in actual.rows()] == [0.0, 2.0]
    with pytest.raises(tb.InputError, match="needs positions of unretrieved items"):
        disaggregation(small, measures="ASL")
    # Without unretrieved items no size is needed: (2 - 1) / 1.
    assert disaggregation(experiment_at({"q": [[1], [2]]}), measures="ASL").rows()[0].difference == 1.0


def test_precision_of_a_level_that_is_not_reached_is_0(small):
    actual = disaggregation(small, measures="RR", run="run2", other="run1", request="q2")
    assert [(row.precision, row.other_precision) for row in actual.rows()] == [(1 / 3, 1 / 3), (0.0, 2 / 5)]


def test_runs_that_are_not_named_are_the_first_that_are_free(small):
    for run, other, message in (
        (None, None, "run1 minus run2"),
        ("run2", None, "run2 minus run1"),
        (None, "run1", "run2 minus run1"),
        (None, "run3", "run1 minus run3"),
    ):
        assert disaggregation(small, measures="AP", run=run, other=other).conclusion.startswith(message)


def test_level_is_the_mean_over_requests_that_have_it(simulated):
    x, y = simulated.positions.runs[:2]
    by_request = tb.disaggregate(simulated.positions, "AP", x, y).rows()
    for row in disaggregation(simulated, measures="AP").rows():
        values = [one.difference for one in by_request if one.level == row.level]
        assert (row.difference, row.requests) == (pytest.approx(sum(values) / len(values)), len(values))


JUDGED = {"q": {"a": {"s": 1}, "b": {"s": 2, "t": 2}}, "r": {"c": {"t": 1}}}
RUNS = [
    {"q": {"a": 3.0, "x": 2.0}, "r": {"c": 1.0}},
    {"q": {"x": 3.0, "b": 2.0, "a": 1.0}, "r": {"x": 2.0, "c": 1.0}},
]


def test_grades_and_subtopics_by_hand():
    exp = tb.Experiment(JUDGED, RUNS)
    # Grade 1 and better: q (1, -) against (2, 3), RR 1 - 1/2; r (1) against (2), 1 - 1/2. Grade 2: q (-) against (2).
    rows = disaggregation(exp, "grade", "RR").rows()
    assert [tuple(row) for row in rows] == [("RR", 1.0, 0.5, 1.0, 0.5, 2), ("RR", 2.0, -0.5, 0.0, 0.5, 1)]
    # s: q (1, -) against (2, 3), RPP 0. t: q (-) against (2), -1; r (1) against (2), +1.
    rows = disaggregation(exp, "subtopic", "RPP").rows()
    assert [tuple(row) for row in rows] == [("RPP", "s", 0.0, None, None, 1), ("RPP", "t", 0.0, None, None, 2)]
    (only,) = disaggregation(exp, "subtopic", "RPP", request="r").rows()
    assert tuple(only) == ("RPP", "t", 1.0, None, None, 1)


def test_every_view_is_drawn_and_tells_the_largest_difference():
    pytest.importorskip("altair")
    exp = tb.Experiment(JUDGED, RUNS)
    for view in ("level", "grade", "subtopic"):
        assert disaggregation(exp, view, ["RR", "RPP", "ASL(n=9)"]).plot()
    findings = disaggregation(exp, "subtopic", ["RR", "TSE"])
    assert disaggregation(exp, "grade", "RR").conclusion.endswith(
        "the grade with the largest difference is RR 1 (+0.5000)."
    )
    assert findings.columns[:2] == ("measure", "subtopic")
    assert findings.conclusion == (
        "run1 minus run2: the subtopic with the largest difference is RR s (+0.5000); TSE s (-0.3333)."
    )


def test_union_of_all_runs_is_counted_for_a_search_length(simulated):
    rows = disaggregation(simulated, measures="ASL(n='union')").rows()
    x, y = simulated.positions.runs[:2]
    mean = simulated.compare("ASL(n='union')").between(x, y).mean()
    assert sum(row.difference * row.requests for row in rows) / rows[0].requests == pytest.approx(mean)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": "LexiRecall"}, "LexiRecall is not a sum over recall levels"),
        ({"measures": "RPP(grades='1,7')"}, "recall levels are of all relevant items alike"),
        ({"measures": "RPP(grades='1,7')", "view": "grade"}, "no item has the grade 7, the largest is 1"),
        ({"measures": "bpref"}, "bpref is not a sum over recall levels"),
        ({"measures": "bpref", "view": "grade"}, "bpref looks at more than positions"),
        ({"measures": "OI", "view": "grade"}, "OI looks at more than positions"),
        ({"view": "subtopic"}, "have no subtopics"),
        ({"view": "topic"}, 'unknown value for view "topic"'),
        ({"run": "nobody"}, "nobody"),
        ({"run": "run1", "other": "run1"}, "cannot be compared with itself"),
        ({"request": "q9"}, "q9"),
    ],
)
def test_what_makes_no_sense_is_refused(small, options, words):
    with pytest.raises(tb.InputError, match=words):
        disaggregation(small, **options)


def test_command_line_shows_every_view(tmp_path):
    (tmp_path / "qrels").write_text("q s a 1\nq s b 2\nq t b 2\nr t c 1\n")
    (tmp_path / "new").write_text("q 0 a 1 3 new\nq 0 x 2 2 new\nr 0 c 1 1 new\n")
    (tmp_path / "old").write_text("q 0 x 1 3 old\nq 0 b 2 2 old\nq 0 a 3 1 old\nr 0 x 1 2 old\nr 0 c 2 1 old\n")
    files = [tmp_path / name for name in ("qrels", "new", "old")]
    for view in ("level", "grade", "subtopic"):
        text = run_command("study", "disaggregation", *files, "--view", view, "--format", "csv").stdout
        assert text.splitlines()[0].startswith(f"measure,{view},difference")
        assert "ASL(n='union')" in text
    ended = run_command("study", "disaggregation", *files, "-m", "DCG", "--request", "q")
    assert ended.returncode == 2
    assert "DCG is not a sum over recall levels on these judgements" in ended.stderr
    assert "use binary_DCG, or ignore grades by binary=True, --binary" in ended.stderr
    # q: (1, -) against (2, 3), the harmonic number of 2 is 3/2: 1 / (3/2) and -1/2 / (3/2).
    text = run_command("study", "disaggregation", *files, "-m", "invRPP", "--request", "q", "--format", "csv").stdout
    assert [float(line.split(",")[2]) for line in text.splitlines()[1:]] == pytest.approx([2 / 3, -1 / 3])


def test_one_request_may_lack_a_grade():
    exp = tb.Experiment(JUDGED, RUNS)
    (only,) = disaggregation(exp, "grade", "RPP(grades='1,2')", request="r").rows()
    assert tuple(only) == ("RPP(grades='1,2')", 1.0, 1.0, None, None, 1)


def test_what_the_numbers_add_up_to_is_told():
    exp = tb.Experiment(JUDGED, RUNS)
    assert any("add up to m times RPP" in note for note in disaggregation(exp, measures="RPP").notes)
    assert any("E[mu | grade]" in note for note in disaggregation(exp, "grade", "RPP").notes)
    assert "m times RPP" in " ".join(run_command("study", "disaggregation", "--help").stdout.split())
