"""Experiment and Scores: the chain from files to tables, and every form a result can take."""

import json
import math
import sys
import warnings

import numpy as np
import pytest

import tiebreak as tb
from nested import nested
from tiebreak.errors import EmptyRequestsWarning, GradesWarning, InputError, MissingExtraError
from tiebreak.results import formats
from tiebreak.results.tables import Table
from tiebreak.results.trec import trec_rows

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 2}, "q3": {"d": 1, "z": 0}}
FIRST = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"c": 1.0}, "q3": {"y": 2.0, "d": 1.0}}
SECOND = {"q1": {"x": 3.0, "a": 2.0}, "q2": {"c": 1.0}}


@pytest.fixture
def scores():
    return tb.Experiment(QRELS, [FIRST, SECOND]).evaluate(["AP", "RR"])


def test_values_are_by_run_request_and_measure(scores):
    # AP of q1: (1 + 2/3) / 2 = 5/6 in the first run, (1/2 + 0) / 2 in the second; q3 is missing from the second.
    assert scores["AP"].tolist() == [[5 / 6, 1.0, 0.5], [(1 / 2) / 2, 1.0, 0.0]]
    assert scores["RR"].tolist() == [[1.0, 1.0, 0.5], [0.5, 1.0, 0.0]]


def test_means_are_exactly_rounded_and_have_intervals(scores):
    rows = {(row.run, row.measure): row for row in scores.intervals().rows()}
    row = rows["run2", "RR"]
    assert row.value == scores.mean[1, 1] == 0.5 and row.n_requests == 3
    # Values 1/2, 1, 0: standard deviation 1/2; Student's t with 2 degrees of freedom at 97.5% is 4.302653.
    assert row.high - row.value == pytest.approx(4.302653 * 0.5 / math.sqrt(3), rel=1e-6)
    assert row.value - row.low == pytest.approx(row.high - row.value)


def test_one_request_has_a_mean_and_no_interval():
    (row,) = tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}).evaluate("RR").intervals().rows()
    assert row.value == 1.0 and math.isnan(row.low) and math.isnan(row.high)


def test_mean_does_not_depend_on_the_order_of_requests():
    simulation = tb.simulate(60, systems=["deep", "weak"], seed=2)
    there = tb.Experiment(simulation.judgements, list(simulation.runs.values())).evaluate(["AP", "nDCG"])
    back = tb.Experiment(dict(reversed(simulation.judgements.items())), list(simulation.runs.values())).evaluate(
        ["AP", "nDCG"]
    )
    assert there.to_flat_dict() == back.to_flat_dict()


def test_measures_are_called_as_they_were_asked_for():
    scores = tb.Experiment(QRELS, FIRST).evaluate(["map", "AP@2", tb.metric("RR")])
    assert scores.measures == ("map", "AP@2", "RR")


def test_dictionaries(scores):
    assert nested(scores, "run", "request", "measure")["run1"]["q3"] == {"AP": 0.5, "RR": 0.5}
    assert scores.to_flat_dict()["run2/RR"] == 0.5
    assert nested(scores.summary(), "run", "measure")["run2"]["RR"] == 0.5
    assert len(scores.to_dict()["rows"]) == 2 * 3 * 2
    assert scores.to_dict()["rows"][0] == {"run": "run1", "request": "q1", "measure": "AP", "value": 5 / 6}


def test_frame_of_whatever_is_installed(scores, monkeypatch):
    result = {}

    class Library:
        @staticmethod
        def DataFrame(columns):  # noqa: N802
            result.update(columns)
            return columns

    monkeypatch.setattr(formats, "import_module", lambda name: Library)
    scores.to_frame()
    assert result["run"][:2] == ["run1", "run1"] and result["measure"][:2] == ["AP", "RR"]
    assert scores.summary().to_frame()["n_requests"] == [3, 3, 3, 3]


def test_missing_frame_library_names_the_extra(scores, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(formats, "import_module", missing)
    with pytest.raises(MissingExtraError, match=r'pip install "tiebreak\[frames\]"'):
        scores.to_frame()


def test_table_marks_the_best_and_says_what_was_left_out():
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        scores = tb.Experiment(QRELS | {"q4": {"e": 0}}, [FIRST, SECOND]).evaluate(["AP", "ASL(n=50)"])
    table = scores.summary().table()
    assert table.header == ("run", "AP", "ASL(n=50)")
    # The first run is better by both; search lengths are better when lower.
    assert table.best == {(0, 1), (0, 2)}
    assert table.notes[0] == "Means over 3 requests."
    assert "Left out: 1 request without a relevant item." in table.notes[1]
    assert table.notes[2] == "Missing rankings, evaluated as empty: 1."
    # Unjudged of what is there: x of a, x, b; none of c; y of y, d: 2 of 6. Second run: 1 of 2 and none of 1.
    assert table.notes[3] == "33% of the top 10 is unjudged."


def test_ties_for_the_best_are_all_marked():
    scores = tb.Experiment(QRELS, [FIRST, tb.Run(FIRST, name="same")]).evaluate("AP")
    assert scores.summary().table().best == {(0, 1), (1, 1)}


def test_latex_and_html_escape_names():
    scores = tb.Experiment(QRELS, [tb.Run(FIRST, name=r"<b>50%_&\x$"), SECOND]).evaluate("AP")
    assert r"\textless{}b\textgreater{}50\%\_\&\textbackslash{}x\$" in scores.to_latex()
    assert "&lt;b&gt;50%_&amp;" in scores._repr_html_()
    assert "<b>50" not in scores._repr_html_()


def test_latex_is_a_tabular_with_the_best_in_bold(scores):
    lines = scores.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}" and lines[-2] != ""
    assert r"run1 & \textbf{0.7778} & \textbf{0.8333} \\" in lines


def test_text_in_a_session_shows_the_table(scores):
    text = repr(scores)
    assert "Means over 3 requests." in text and "0.7778" in text


def test_table_text_has_no_control_characters():
    assert "\x1b" not in Table(("a",), (("\x1b[31mred",),)).to_text()


def test_graded_measure_beside_a_minimum_grade_is_warned_of():
    qrels = {"q": {"a": 1, "b": 2}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    with pytest.warns(GradesWarning, match="nDCG counts every grade above 0, also those below min_grade=2"):
        tb.Experiment(qrels, run, min_grade=2).evaluate(["nDCG", "AP"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tb.Experiment(qrels, run, min_grade=2).evaluate(["nDCG(rel=2)", "AP"])
        tb.Experiment(qrels, run, min_grade=2, binary=True).evaluate(["nDCG", "AP"])


def test_union_of_all_runs_is_counted_where_a_measure_asks_for_it():
    # q1: a, x, b; q2: c; q3: y, d. In the second run b stands at 3 of 3, d at 2 of 2, after what is not there.
    scores = tb.Experiment(QRELS, [FIRST, SECOND]).evaluate(["AP", "TSL(n='union')"])
    assert scores["TSL(n='union')"].tolist() == [[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]]


def test_no_measure_and_the_same_twice_are_refused():
    experiment = tb.Experiment(QRELS, FIRST)
    with pytest.raises(InputError, match="no measure was given"):
        experiment.evaluate([])
    with pytest.raises(InputError, match="given twice"):
        experiment.evaluate(["AP", "AP"])


def test_ndcg_of_binary_judgements_is_the_recall_level_form():
    simulation = tb.simulate(30, systems=["deep", "weak"], seed=4)
    experiment = tb.Experiment(simulation.judgements, list(simulation.runs.values()), binary=True)
    scores = experiment.evaluate(["nDCG", "binary_nDCG", "nDCG@10", "binary_nDCG@10"])
    assert scores["nDCG"].tobytes() == scores["binary_nDCG"].tobytes()
    assert scores["nDCG@10"].tobytes() == scores["binary_nDCG@10"].tobytes()


def test_disaggregated_differences_add_up_to_the_difference():
    simulation = tb.simulate(10, systems=["deep", "top-heavy"], seed=4)
    experiment = tb.Experiment(simulation.judgements, list(simulation.runs.values()))
    for spec in ("AP", "RR", "RBP", "R@10", "TSE"):
        split = {}
        for row in tb.disaggregate(experiment.positions, tb.metric(spec), "run1", "run2").rows():
            split.setdefault(row.request, []).append(row.difference)
        values = experiment.evaluate(spec)[spec]
        for q, request in enumerate(experiment.positions.requests):
            assert sum(split[request]) == pytest.approx(values[0, q] - values[1, q], abs=1e-12)


def test_disaggregating_graded_ndcg_is_refused():
    positions = tb.Experiment({"q": {"a": 3, "b": 1}}, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0}}]).positions
    with pytest.raises(InputError, match="nDCG is not a sum over recall levels on these judgements"):
        tb.disaggregate(positions, "nDCG", "run1", "run2")


def test_misspelt_option_is_refused_at_once():
    with pytest.raises(TypeError, match="min_garde"):
        tb.Experiment(QRELS, FIRST, min_garde=2)


def test_unknown_measure_of_a_result_is_an_error_with_a_suggestion(scores):
    with pytest.raises(InputError, match='unknown measure "ap"'):
        scores["ap"]


@pytest.mark.parametrize("measures", [None, [None], [3]])
def test_what_is_no_measure_is_refused(measures):
    with pytest.raises(InputError):
        tb.Experiment(QRELS, FIRST).evaluate(measures)


def test_measure_with_its_own_relevance_says_over_how_many_requests():
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        scores = tb.Experiment({"q1": {"a": 2}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}, min_grade=2).evaluate(
            ["AP", "AP(rel=1)"]
        )
    assert scores.notes[-1] == "AP(rel=1): means over 2 requests."


def test_means_show_their_intervals(scores):
    assert "95% intervals" in repr(scores.intervals()) and "low" in scores.intervals()._repr_html_()


@pytest.mark.parametrize("grade", [2000.0, 1e308])
def test_grades_too_large_for_an_exponential_gain_are_refused(grade):
    with pytest.raises(InputError, match="too large for an exponential gain"):
        tb.Experiment({"q": {"a": grade, "b": 1}}, {"q": {"a": 1.0}}).evaluate("nDCG(gain='exp')")


def test_ndcg_of_huge_and_tiny_grades_is_finite():
    huge = tb.Experiment({"q": {"a": 1e308, "b": 1e308, "c": 5e307}}, {"q": {"a": 2.0, "b": 1.0}}).evaluate("nDCG")
    # (1 + 1/log2(3)) / (1 + 1/log2(3) + 0.5/2), whatever the scale of the grades
    best = 1 + 1 / math.log2(3)
    assert huge.values.item() == pytest.approx(best / (best + 0.25))
    tiny = tb.Experiment({"q": {"a": 1e-17, "b": 2e-17}}, {"q": {"a": 1.0}}).evaluate("nDCG(gain='exp')")
    assert tiny.values.item() == pytest.approx(1 / (2 + 1 / math.log2(3)))


def test_json_has_no_nan(tmp_path, capsys):
    from tiebreak.results.formats import write_jsonl

    write_jsonl(("a", "b"), [(1.5, float("nan"))], sys.stdout)
    assert json.loads(capsys.readouterr().out) == {"a": 1.5, "b": None}


def test_unfinished_file_is_not_left_behind(tmp_path):
    from tiebreak.results.files import text_output

    path = tmp_path / "out.txt"
    path.write_text("before")

    def interrupted():
        with text_output(str(path)) as out:
            out.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_blocks_of_requests_do_not_change_a_bit(monkeypatch):
    simulation = tb.simulate(25, seed=6)
    measures = ["AP", "nDCG", "nDCG(gain='exp')@5", "RR", "RBP", "ERR", "bpref", "TSE", "R@10"]
    whole = tb.Experiment(simulation.judgements, list(simulation.runs.values())).evaluate(measures)
    monkeypatch.setattr("tiebreak.projection.levels.ENTRIES_AT_ONCE", 1)
    one_by_one = tb.Experiment(simulation.judgements, list(simulation.runs.values())).evaluate(measures)
    assert np.array_equal(whole.values, one_by_one.values)


def test_numbers_are_never_broken_in_a_narrow_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "20")
    Table(("run", "AP"), (("a-run-with-a-long-name", "0.123456789"), ("b", "1")), ("a note",)).print()
    out = capsys.readouterr().out
    assert "0.123456789" in out and "          1" in out  # whole, and to the right
    text = Table(("run", "a", "b"), (("x", "0.5", "0.25"), ("y", "10.5", "1"))).to_text().splitlines()
    assert [line.split()[1:] for line in text[2:]] == [["0.5", "0.25"], ["10.5", "1"]]
    assert text[2].endswith("0.25") and text[3].endswith("   1")


@pytest.mark.parametrize("name", ["[a]", "*b"])
def test_latex_rows_keep_what_they_begin_with(name):
    assert "{}" + name in Table(("run", "AP"), ((name, "1"),)).to_latex()


def test_requests_left_out_are_in_no_row_and_in_no_count(tmp_path):
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    exp = tb.Experiment(qrels, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, min_grade=2)
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        scores = exp.evaluate(["AP", "RR"])
    assert {row.request for row in scores.rows()} == {"q1"}
    assert [row[1] for row in scores.table().rows] == ["q1"]
    assert {row[1] for row in trec_rows([scores, scores.summary()])} == {"q1", "all"}
    assert "1 relevant item>" in repr(exp.positions)
    pytest.importorskip("polars")
    assert len(scores.to_frame()) == 2


def test_values_left_out_of_one_measure_are_no_rows():
    qrels = {"q1": {"a": 3}, "q2": {"a": 1}}
    scores = tb.Experiment(qrels, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}).evaluate(["AP", "ISL(rel=3)"])
    assert [(row.request, row.measure) for row in scores.rows()] == [
        ("q1", "AP"),
        ("q1", "ISL(rel=3)"),
        ("q2", "AP"),
    ]


def test_requests_left_out_are_in_no_dictionary():
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"b": 1}}
    with pytest.warns(EmptyRequestsWarning):
        rows = tb.Experiment(qrels, [{"q1": {"a": 1.0}}, {"q3": {"b": 1.0}}]).evaluate("AP").to_dict()
    assert [row["request"] for row in rows["rows"]] == ["q1", "q3"] * 2


@pytest.mark.parametrize("how", [{}, {"block_requests": 1}])
@pytest.mark.parametrize("name", ["jobs", "block_requests", "memory", "depth"])
def test_counts_are_checked_in_one_block_and_in_several(name, how):
    with pytest.raises(tb.InputError, match=rf"^{name}=0\. Give a whole number from 1 on\.$"):
        tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}, **{**how, name: 0}).evaluate("AP")


@pytest.mark.parametrize("how", [{}, {"block_requests": 1}])
@pytest.mark.parametrize("measure", ["RPP", ["RPP", "AP"]])
@pytest.mark.parametrize(
    ("runs", "baseline", "words"),
    [("x", None, "a comparison needs at least two runs"), ("xy", "z", 'unknown run "z"')],
)
def test_runs_to_be_compared_are_checked_before_they_are_read(runs, baseline, words, measure, how):
    damaged = {"q": {"a": float("nan")}}
    exp = tb.Experiment({"q": {"a": 1}}, dict.fromkeys(runs, damaged), **how)
    with pytest.raises(tb.InputError, match=words):
        exp.compare(measure, baseline)


def test_baselines_of_any_kind_are_those_of_every_measure():
    exp = tb.Experiment({"q": {"a": 1}}, {name: {"q": {"a": 1.0}} for name in "xyz"})
    compared = exp.compare(["RPP", "AP"], iter("x"))
    assert [part.baselines for part in compared.parts.values()] == [("x",), ("x",)]


def test_memory_is_a_number_of_bytes():
    with pytest.raises(tb.InputError, match="memory=None"):
        tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}, memory=None)
