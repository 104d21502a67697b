"""tiebreak's metrics as measures of ir_measures: the same numbers, through each of its doors."""

import json
import math
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tiebreak as tb
from tiebreak.errors import InputError
from tiebreak.metrics import CATALOGUE

ir_measures = pytest.importorskip("ir_measures")
provided = pytest.importorskip("tiebreak.ir_measures")

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 0}, "q3": {"x": 1}}
RUN = {"q1": {"b": 3.0, "z": 2.0, "a": 1.0}, "other": {"a": 1.0}}
EXAMPLES = {
    "linear": {"n": 10_000},
    "recall_level": {"exposure": "operator:invert"},  # any function; it is not called here
    **{name: {"n": 10_000} for name in ("ISL", "TSL", "ASL", "SL3", "RecallError", "LR", "LR_index", "LP_index")},
}


def by_request(measure, qrels=QRELS, run=RUN):
    return {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}


def test_total_search_efficiency_by_hand():
    # The last relevant item of q1 is at position 3; that of q3 is not retrieved.
    assert by_request(provided.TSE) == {"q1": 1 / 3, "q2": 0, "q3": 0}
    assert ir_measures.calc_aggregate([provided.TSE], QRELS, RUN) == {provided.TSE: (1 / 3 + 0 + 0) / 3}


def test_measures_of_both_side_by_side():
    own = ir_measures.nDCG @ 10
    results = ir_measures.calc_aggregate([own, provided.TSE], QRELS, RUN)
    assert results[own] == ir_measures.calc_aggregate([own], QRELS, RUN)[own]
    assert results[provided.TSE] == ir_measures.calc_aggregate([provided.TSE], QRELS, RUN)[provided.TSE]
    assert provided.TSE.calc_aggregate(QRELS, RUN) == results[provided.TSE]


@pytest.mark.parametrize("name", [name for name in provided.MEASURES if name != "recall_level"])
def test_every_measure_has_the_values_of_its_metric(name):
    simulation = tb.simulate(12, seed=3)
    measure = provided.MEASURES[name](**EXAMPLES.get(name, {}))
    if CATALOGUE[name].traits.cutoff == "must":
        measure = measure @ 10
    for run in ("balanced", "popular"):
        scores = tb.Experiment(simulation.judgements, simulation.runs[run]).evaluate(measure)
        expected = {row.request: row.value for row in scores.rows()}
        assert by_request(measure, simulation.judgements, simulation.runs[run]) == expected
        mean = ir_measures.calc_aggregate([measure], simulation.judgements, simulation.runs[run])[measure]
        assert mean == pytest.approx(scores.mean.item(), rel=1e-12)


def test_parameters_are_those_of_the_metric():
    assert by_request(provided.TSE(base="nDCG"))["q1"] == 1 / math.log2(3 + 1)
    assert by_request(provided.TSE(base=ir_measures.nDCG))["q1"] == 1 / math.log2(3 + 1)
    assert by_request(provided.TSE(rel=2))["q1"] == 1 / 3
    assert by_request(provided.TSE(judged_only=True))["q1"] == 1 / 2
    assert by_request(provided.binary_DCG @ 1)["q1"] == 1
    assert by_request(provided.DCG(gains={1: 3, 2: 9}) @ 1)["q1"] == 3
    assert str(ir_measures.parse_measure("TSE(base='nDCG')")) == "TSE(base='nDCG')"
    assert ir_measures.parse_measure("binary_nDCG(rel=2)@5") == provided.binary_nDCG(rel=2) @ 5


def test_two_spellings_of_one_metric_are_two_columns():
    measures = [provided.TSE(base="AP"), provided.TSE(base="map")]
    results = ir_measures.calc_aggregate(measures, QRELS, RUN)
    assert [results[measure] for measure in measures] == [1 / 9, 1 / 9]


def test_objects_are_measures_of_tiebreak_too():
    scores = tb.Experiment({"q1": QRELS["q1"]}, RUN).evaluate(
        [provided.TSE, provided.TSE(base="nDCG"), ir_measures.nDCG @ 10]
    )
    assert scores.measures == ("TSE", "TSE(base='nDCG')", "nDCG@10")
    assert tb.metric(provided.binary_nDCG(rel=2) @ 5) == tb.metric("binary_nDCG(rel=2)@5")


def test_objects_name_the_measure_of_a_table():
    pandas = pytest.importorskip("pandas")
    rows = [("a", "q", "TSE", 1), ("a", "q", "AP@5", 2), ("b", "q", "TSE", 3), ("b", "q", "AP@5", 4)]
    table = pandas.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    assert tb.Utilities(table, measure=provided.TSE).values.tolist() == [[1], [3]]
    assert tb.Utilities(table, measure=ir_measures.AP @ 5).values.tolist() == [[2], [4]]


# Requests without relevant items, and rankings that are not there


def test_requests_without_relevant_items_get_0_where_0_is_the_worst():
    for measure in (provided.TSE, provided.binary_nDCG, ir_measures.nDCG, ir_measures.AP):
        assert by_request(measure)["q2"] == 0, measure


def test_requests_without_relevant_items_are_left_out_where_0_is_not_the_worst():
    measure = provided.TSL(n=100)
    values = by_request(measure)
    assert values["q1"] == 3 and values["q3"] == 100 and math.isnan(values["q2"])
    assert ir_measures.calc_aggregate([measure], QRELS, RUN)[measure] == (3 + 100) / 2
    beside = ir_measures.calc_aggregate([measure, ir_measures.AP], QRELS, RUN)
    assert beside[measure] == (3 + 100) / 2


def test_the_page_lists_the_measures_for_which_0_is_not_the_worst():
    page = (Path(__file__).parents[2] / "docs" / "other_libraries.md").read_text(encoding="utf-8")
    names = re.search(r"0 is not the worst value\s+\((.*?)\) they get NaN", page, re.DOTALL)[1]
    assert {*re.findall(r"\w+", names)} == {n for n, one in provided.MEASURES.items() if math.isnan(one.DEFAULT)}


@pytest.mark.parametrize("run", [{}, [], {"other": {"a": 1.0}}])
def test_a_run_without_judged_requests_gets_the_worst_values(run):
    assert by_request(provided.TSE, QRELS, run) == {"q1": 0, "q2": 0, "q3": 0}


@pytest.mark.parametrize("qrels", [{}, []])
def test_without_judgements_there_are_no_values(qrels):
    assert by_request(provided.TSE, qrels, RUN) == {}


def test_where_nothing_is_relevant_every_request_gets_0():
    assert by_request(provided.TSE, {"q1": {"a": 0}, "q2": {"b": -1}}, RUN) == {"q1": 0, "q2": 0}


# Every kind of input that ir_measures takes


def named_tuples():
    qrels = [ir_measures.Qrel(q, item, grade) for q, items in QRELS.items() for item, grade in items.items()]
    run = [ir_measures.ScoredDoc(q, item, score) for q, items in RUN.items() for item, score in items.items()]
    return qrels, run


def test_named_tuples_and_generators():
    qrels, run = named_tuples()
    assert by_request(provided.TSE, qrels, run) == by_request(provided.TSE)
    assert by_request(provided.TSE, iter(qrels), iter(run)) == by_request(provided.TSE)
    both = [ir_measures.nDCG @ 10, provided.TSE]
    assert ir_measures.calc_aggregate(both, iter(qrels), iter(run)) == ir_measures.calc_aggregate(both, QRELS, RUN)


def test_frames_with_columns_of_other_uses():
    pandas = pytest.importorskip("pandas")
    qrels, run = map(pandas.DataFrame, named_tuples())
    assert by_request(provided.TSE, qrels, run.assign(run="x", rank=1, item="?")) == by_request(provided.TSE)


def test_ids_come_back_as_they_were():
    assert by_request(provided.TSE, {1: {"a": 1}}, {1: {"a": 1.0}}) == {1: 1}


def test_one_evaluator_for_several_runs():
    evaluator = ir_measures.evaluator([provided.TSE], named_tuples()[0])
    assert [evaluator.calc_aggregate(run)[provided.TSE] for run in (RUN, {}, RUN)] == [1 / 9, 0, 1 / 9]


def test_an_item_is_as_relevant_as_it_is_for_its_best_subtopic():
    qrels = [ir_measures.Qrel("q", "a", 1, "1"), ir_measures.Qrel("q", "b", 1, "1"), ir_measures.Qrel("q", "b", 0, "2")]
    assert by_request(provided.TSE, qrels, {"q": {"a": 2.0, "b": 1.0}}) == {"q": 1 / 2}


# What is registered, and what is left alone


def test_what_ir_measures_has_is_left_alone():
    code = """
import ir_measures
before, providers = dict(ir_measures.measures.registry), list(ir_measures.DefaultPipeline.providers)
import tiebreak.ir_measures
after = ir_measures.measures.registry
assert all(after[name] is measure for name, measure in before.items())
assert set(after) - set(before) == set(tiebreak.ir_measures.MEASURES)
assert ir_measures.DefaultPipeline.providers[:-1] == providers
assert [ir_measures.DefaultPipeline.providers[-1]] == [ir_measures.providers.registry["tiebreak"]]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_registered_before_the_module_is_imported():
    code = "import ir_measures, tiebreak; assert 'TSE' not in ir_measures.measures.registry"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_measure_is_there_under_two_names():
    assert {"TSE", "LR", "LP", "TSL", "binary_nDCG"} <= {*provided.MEASURES}
    assert {*provided.MEASURES}.isdisjoint({"AP", "nDCG", "RP", "bpref", "STREC", "Judged"})
    assert "S-Recall" not in provided.MEASURES and "EU" not in provided.MEASURES  # these need aspects


def test_objects_can_be_pickled():
    for measure in (provided.TSE, provided.binary_nDCG(rel=2) @ 5):
        copy = pickle.loads(pickle.dumps(measure))
        assert copy == measure and type(copy) is type(measure)
    code = f"import pickle; print(pickle.loads({pickle.dumps(provided.TSE(base='nDCG'))!r}))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "TSE(base='nDCG')\n"


def test_measures_are_listed():
    assert {*provided.MEASURES} <= {*dir(provided)}


def test_reloading_leaves_everything_as_it_is():
    code = """
import importlib, ir_measures, tiebreak.ir_measures
from tiebreak.ir_measures import TSE
providers, registry = list(ir_measures.DefaultPipeline.providers), dict(ir_measures.measures.registry)
importlib.reload(tiebreak.ir_measures)
assert tiebreak.ir_measures.TSE is TSE
assert ir_measures.DefaultPipeline.providers == providers and ir_measures.measures.registry == registry
assert ir_measures.calc_aggregate([TSE], {"q": {"a": 1}}, {"q": {"a": 1.0}}) == {TSE: 1}
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = provided.nothing


# Bad input


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (lambda: provided.LR, "LR needs the number of items in the corpus"),
        (lambda: provided.TSE(base="RPP"), "RPP compares two runs"),
        (lambda: provided.ASL(n="union"), "one run at a time"),
        (lambda: provided.TSL, "TSL needs positions of unretrieved items"),
    ],
)
def test_bad_parameters_are_one_clear_sentence(measure, message):
    with pytest.raises(InputError, match=message):
        by_request(measure())


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"q": {"a": "high"}}, {"q": {"a": 1.0}}, "high"),
        ({"q": {"a": 1}}, {"q": {"a": "1_0"}}, "1_0"),
        ({"q": {"a": 1}}, {"q": {"a": math.nan}}, "nan"),
    ],
)
def test_values_that_are_no_numbers_are_refused(qrels, run, message):
    with pytest.raises(InputError, match=f"(?i){message}"):
        by_request(provided.TSE, qrels, run)


def test_parameters_that_a_metric_does_not_take_are_refused():
    with pytest.raises(InputError, match="TSE takes no cutoff"):
        by_request(provided.TSE @ 10)
    with pytest.raises(InputError, match=r"there is no parameter 'foo'\. TSE has rel, base"):
        by_request(provided.TSE(foo=1))
    assert repr(provided.TSE(foo=1)) == "TSE(foo=1)"


# The command line


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, items in QRELS.items() for d, g in items.items()))
    (tmp_path / "run").write_text(
        "".join(f"{q} Q0 {d} 1 {s} t\n" for q, items in RUN.items() for d, s in items.items())
    )
    return tmp_path


def command(*arguments, cwd):
    words = [sys.executable, "-m", "tiebreak.ir_measures", *arguments]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)


def test_the_command_line_prints_both(files):
    ended = command("qrels", "run", "nDCG@10", "TSE TSE(base='nDCG')", cwd=files)
    ndcg = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], QRELS, RUN)[ir_measures.nDCG @ 10]
    assert ended.stdout.splitlines() == [f"nDCG@10\t{ndcg:.4f}", f"TSE\t{1 / 9:.4f}", f"TSE(base='nDCG')\t{1 / 6:.4f}"]
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_command_line_has_the_options_of_ir_measures(files):
    ended = command("qrels", "run", "TSE", "-q", "-o", "jsonl", "--provider", "tiebreak", cwd=files)
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {row["query_id"]: row["value"] for row in rows} == {"q1": 1 / 3, "q2": 0, "q3": 0, "all": 1 / 9}


def test_the_usage_names_the_command(files):
    assert command("--help", cwd=files).stdout.startswith("usage: python -m tiebreak.ir_measures ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "nothing", "TSE"), "Error: nothing: No such file or directory."),
        (("qrels", "run", "LR"), "Error: LR needs the number of items in the corpus, such as LR(n=1000000)."),
        (("qrels", "run", "TSE@5"), "Error: TSE takes no cutoff. Write TSE without @5."),
        (
            ("qrels", "run", "TSE(foo=1)"),
            "Error: TSE(foo=1): there is no parameter 'foo'. TSE has rel, base, judged_only.",
        ),
        (("qrels", "qrels", "TSE"), "Error: not enough values to unpack (expected 6, got 4)"),
    ],
)
def test_the_command_line_says_what_is_wrong(files, arguments, message):
    ended = command(*arguments, cwd=files)
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (2, "", message)
