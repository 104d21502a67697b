"""The table for a paper in every group of requests."""

import csv
import io
import math

import pytest
from scipy import stats

import tiebreak as tb
from cli.running import run
from test_score_table import slow_holm

SIMULATION = tb.simulate(25, seed=11)
REQUESTS = list(SIMULATION.judgements)
GROUPS = {request: "de" if k % 3 else "fr" for k, request in enumerate(REQUESTS)}


@pytest.fixture(scope="module")
def scores():
    return tb.Experiment(SIMULATION.judgements, SIMULATION.runs).evaluate("AP nDCG@10")


def part(group):
    judged = {request: SIMULATION.judgements[request] for request in REQUESTS if GROUPS[request] == group}
    return tb.Experiment(judged, SIMULATION.runs).evaluate("AP nDCG@10")


def test_rows_of_a_group_are_those_of_its_requests_corrected_over_all_groups(scores):
    table = scores.by_group(GROUPS).against("balanced")
    assert list(table.parts) == ["fr", "de", "all"] and table.sizes == {"fr": 9, "de": 16, "all": 25}
    alone = {group: part(group) for group in ("fr", "de")}
    for measure in scores.measures:
        p = {}
        for group, one in alone.items():
            values = dict(zip(one.runs, one[measure], strict=True))
            p |= {(group, x): stats.ttest_rel(values[x], values["balanced"]).pvalue for x in values if x != "balanced"}
        corrected = slow_holm(p)
        assert len(corrected) == 12
        for group, one in alone.items():
            rows = [row for row in table[group].rows() if row.measure == measure]
            expected = [row for row in one.against("balanced").rows() if row.measure == measure]
            assert [row[:6] for row in rows] == [row[:6] for row in expected]
            assert [row.change for row in rows] == pytest.approx([row.change for row in expected], nan_ok=True)
            for row in rows:
                pvalue = corrected.get((group, row.run), math.nan)
                assert row.pvalue_corrected == pytest.approx(pvalue, nan_ok=True, rel=1e-9)
                assert row.marks == ("*" if pvalue < 0.05 else "")


def test_last_rows_are_over_all_requests(scores):
    for baselines in (None, "weak", ["weak", "deep"]):
        table, whole = scores.by_group(GROUPS).against(baselines), scores.against(baselines)
        assert repr(table["all"].rows()) == repr(whole.rows())  # as text: NaN is not equal to itself
    assert any("12 comparisons" in note for note in scores.by_group(GROUPS).against("weak").notes)


def test_marks_are_those_of_tests_of_groups(scores):
    exp = tb.Experiment(SIMULATION.judgements, SIMULATION.runs)
    tested = exp.compare("AP", "balanced").by_group(GROUPS).test()
    table = scores.by_group(GROUPS).against("balanced")
    for group, test in tested.parts.items():
        assert table[group].tests["AP"].pvalue_corrected.tolist() == test.pvalue_corrected.tolist()


def test_numbers_are_in_line_whatever_the_marks_of_other_groups():
    values = {"a": [0.9, 0.8, 0.9, 0.85, 0.1, 0.5], "b": [0.1, 0.05, 0.1, 0.1, 0.4, 0.3]}
    utilities = tb.Utilities({run: {str(k): v for k, v in enumerate(some)} for run, some in values.items()})
    text = repr(utilities.scores().by_group({str(k): "last" if k > 3 else "first" for k in range(6)}).against("b"))
    assert "0.8625*" in text and len({line.index("±") for line in text.splitlines() if "±" in line}) == 1


def test_a_group_of_one_request_has_means_without_marks():
    values = {"a": {"q": 1, "r": 1, "s": 0.5}, "b": {"q": 0, "r": 0, "s": 0.25}}
    table = tb.Utilities(values).scores().by_group({"q": "x", "r": "x", "s": "y"}).against("b")
    assert [(row.value, row.marks) for row in table["y"].rows()] == [(0.5, ""), (0.25, "")]
    assert any(note.startswith("y: Not tested: utility") for note in table.notes)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_requests_that_do_not_count_need_no_group():
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "nothing": {"a": 0}}
    runs = {"x": {q: {"a": 1.0} for q in qrels}, "y": {q: {"b": 2.0, "a": 1.0} for q in qrels}}
    scores = tb.Experiment(qrels, runs).evaluate("AP")
    assert scores.by_group({"q": "de", "r": "de"}).against("x").sizes == {"de": 2, "all": 2}
    assert scores.by_group({"q": "de", "r": "de"}).summary().rows()[0] == ("de", 2, "x", "AP", 1.0, 2)
    with pytest.raises(tb.InputError, match=r"1 of 2 requests have no group: .r.\. Give them one"):
        scores.by_group({"q": "de"})


def test_figures_of_whole_runs_have_no_groups():
    scores = tb.Experiment(SIMULATION.judgements, SIMULATION.runs).evaluate(["AP", "Coverage(n=1000)@10"])
    with pytest.raises(
        tb.InputError, match=r"Coverage.*a figure of whole runs, not of groups of requests. Leave it out"
    ):
        scores.by_group(GROUPS)


@pytest.mark.parametrize("options", [("--baseline", "balanced"), ("--letters",)])
def test_command_line_writes_the_table_of_groups(tmp_path, scores, options):
    paths = SIMULATION.write(tmp_path)
    groups = tmp_path / "groups.csv"
    groups.write_text("request,group\n" + "".join(f"{request},{group}\n" for request, group in GROUPS.items()))
    files = (str(paths.qrels), *map(str, paths.runs), "-m", "AP nDCG@10", "--groups", str(groups))
    rows = list(csv.reader(io.StringIO(run("evaluate", *files, *options, "--format", "csv").stdout)))
    table = scores.by_group(GROUPS).against("balanced" if len(options) > 1 else None)
    assert tuple(rows[0]) == table.columns
    assert [(*row[:4], row[-1]) for row in rows[1:]] == [
        (group, str(n), name, measure, more[-1]) for group, n, name, measure, *more in table.rows()
    ]
    assert r"\toprule" in run("evaluate", *files, *options, "--format", "latex").stdout
    ended = run("evaluate", *files, *options, "--plot", str(tmp_path / "x.html"))
    assert ended.returncode == 0 and (tmp_path / "x.html").exists()


def test_pictures_are_of_every_measure_and_over_the_baseline(scores):
    """As without groups: positive where a run is better than the baseline."""
    table = scores.by_group(GROUPS).against("balanced")
    drawings = table.drawings("forest")
    assert [drawing.picture.title.partition(",")[0] for drawing in drawings] == [
        "AP: mean preference over balanced",
        "nDCG@10: mean preference over balanced",
    ]
    for drawing, measure in zip(drawings, scores.measures, strict=True):
        (whole,) = [
            one for one in scores.against("balanced").drawings("forest") if one.picture.title.startswith(measure)
        ]
        of_all = {row[1:3] for row in drawing.rows if row[0] == "all (25 requests)"}
        assert of_all == {row[:2] for row in whole.rows} and len(of_all) == 6
