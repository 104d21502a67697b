"""Measures by the names of ir_measures: relevance as the experiment has it, rankings as rankings, objects as names."""

import pytest

import tiebreak as tb
from nested import nested

ir_measures = pytest.importorskip("ir_measures")

QRELS = {"q1": {"a": 3, "b": 1, "c": 2, "n": 0}, "q2": {"a": 2, "d": 1}, "q3": {"e": 2, "f": 2}}
RUN = {"q1": {"b": 4.0, "a": 3.0, "n": 2.0, "c": 1.0}, "q2": {"d": 2.0, "x": 1.5, "a": 1.0}}
WHOLE = {**RUN, "q3": {"f": 2.0, "y": 1.0}}


def means(measures, run=WHOLE, **options):
    scores = tb.Experiment(QRELS, tb.Run(run, name="run"), **options).evaluate(measures)
    by_measure = nested(scores.summary(), "run", "measure")["run"]
    return by_measure if isinstance(measures, list) else by_measure[measures]


@pytest.mark.parametrize(
    ("alias", "native"),
    [
        ("Precision@2", "P@2"),
        ("Precision(rel=2)@2", "P(rel=2)@2"),
        ("Recall@2", "R@2"),
        ("RPrec", "RP"),
        ("Rprec", "RP"),
        ("BPref", "bpref"),
        ("Bpref(rel=2)", "bpref(rel=2)"),
        ("MRR@10", "RR@10"),
        ("NDCG@10", "nDCG@10"),
        ("MAP_IA", "AP_IA"),
        ("StRecall@5", "STREC@5"),
        ("SetR(rel=2)", "R(rel=2)"),
        ("SetRelP", "SetP(relative=true)"),
        ("SetRelP(rel=2)", "SetP(relative=True, rel=2)"),
        ("SetP(relative=True)", "set_relative_P"),
        ("IPrec(rel=2)@0.5", "IPrec(recall=0.5, rel=2)"),
    ],
)
def test_other_names_of_ir_measures_mean_the_native_metric(alias, native):
    assert tb.metric(alias) == tb.metric(native)


@pytest.mark.parametrize("spec", ["SetP", "SetR", "SetF", "SetAP", "SetRelP", "infAP", "Accuracy"])
def test_measures_take_min_grade_for_their_relevance_level(spec):
    measure = ir_measures.parse_measure(spec)
    expected = ir_measures.calc_aggregate([measure(rel=2)], QRELS, WHOLE)[measure(rel=2)]
    assert means(spec, min_grade=2) == pytest.approx(expected, abs=1e-12)
    assert means(spec, min_grade=2, binary=True) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("spec", ["SetP(rel=1)", "SetF(beta=2.0, rel=1)", "Accuracy(rel=1)"])
def test_measures_keep_a_relevance_level_of_their_own(spec):
    measure = ir_measures.parse_measure(spec)
    expected = ir_measures.calc_aggregate([measure], QRELS, WHOLE)[measure]
    assert means(spec, min_grade=2) == pytest.approx(expected, abs=1e-12)


def test_min_grade_need_not_be_whole():
    assert means("Accuracy", min_grade=1.5) == means("Accuracy", min_grade=2)


def test_numbers_of_items_and_requests_are_sums():
    asked = ["NumQ", "NumRel", "NumRet", "NumRelRet", "NumRel(rel=3)"]
    assert means(asked) == {"NumQ": 3, "NumRel": 7, "NumRet": 9, "NumRelRet": 6, "NumRel(rel=3)": 1}
    assert means(asked[:4], min_grade=2) == {"NumQ": 3, "NumRel": 5, "NumRet": 9, "NumRelRet": 4}
    scores = tb.Experiment(QRELS, tb.Run(WHOLE, name="run")).evaluate(["AP", "NumRel"])
    assert "Sums over requests, not means: NumRel." in scores.notes


def test_relevant_items_are_counted_for_requests_that_a_run_misses():
    assert means(["NumQ", "NumRel", "NumRet"], RUN) == {"NumQ": 3, "NumRel": 7, "NumRet": 7}


def test_compat_is_that_of_the_ranking_whatever_its_scores_are():
    measure = ir_measures.parse_measure("Compat")
    expected = ir_measures.calc_aggregate([measure], QRELS, WHOLE)[measure]
    negative = {request: {item: score - 100 for item, score in items.items()} for request, items in WHOLE.items()}
    assert means("Compat") == means("Compat", negative) == pytest.approx(expected, abs=1e-12)


def test_objects_of_ir_measures_are_measures():
    scores = tb.Experiment(QRELS, tb.Run(WHOLE, name="run")).evaluate([ir_measures.nDCG @ 10, ir_measures.SetP])
    assert scores.measures == ("nDCG@10", "SetP")
    assert tb.metric(ir_measures.AP(rel=2) @ 5) == tb.metric("AP(rel=2)@5")
    alone = tb.Experiment(QRELS, tb.Run(WHOLE, name="run")).evaluate(ir_measures.AP)
    assert alone.measures == ("AP",)


def test_objects_keep_a_relevance_level_that_ir_measures_does_not_print():
    # Grades 1, 3 and 2 at positions 1, 2 and 4: (1/1 + 2/2 + 3/4) / 3 from grade 1 on, (1/2 + 2/4) / 2 from grade 2 on.
    qrels, run = {"q1": QRELS["q1"]}, {"q1": RUN["q1"]}
    measures = [ir_measures.AP, ir_measures.AP(rel=1), ir_measures.AP(rel=1) @ 5]
    scores = tb.Experiment(qrels, tb.Run(run, name="run"), min_grade=2).evaluate(measures)
    assert scores.measures == ("AP", "AP(rel=1)", "AP(rel=1)@5")
    assert scores.values.ravel().tolist() == [(1 / 2 + 2 / 4) / 2, (1 + 1 + 3 / 4) / 3, (1 + 1 + 3 / 4) / 3]


def test_objects_are_called_the_same_by_every_method():
    experiment = tb.Experiment(QRELS, {"a": WHOLE, "b": RUN}, min_grade=2)
    measure = ir_measures.AP(rel=1)
    assert experiment.compare(measure).measure == "AP(rel=1)" != str(measure)
    assert experiment.compare(measure).values.tolist() == experiment.compare("AP(rel=1)").values.tolist()
    by_object, by_name = (experiment.explain("a", "b", measure=one) for one in (measure, "AP(rel=1)"))
    assert by_object.rows() == by_name.rows()
    assert experiment.utilities(measure).measure == "AP(rel=1)"


@pytest.mark.parametrize("name", sorted({str(one) for one in ir_measures.measures.registry.values()}))
def test_objects_with_their_defaults_written_out_are_the_same_measures(name):
    measure = ir_measures.measures.registry.get(name)
    if measure is None or not type(measure).__module__.startswith("ir_measures"):
        return
    needed = {"max_rel": 3, "recall": 0.5}
    measure = measure(**{key: value for key, value in needed.items() if key in measure.SUPPORTED_PARAMS})
    if "cutoff" in measure.SUPPORTED_PARAMS:
        measure = measure @ 10
    defaults = {key: one.default for key, one in measure.SUPPORTED_PARAMS.items() if key not in ("rel", *needed)}
    written = {key: value for key, value in defaults.items() if isinstance(value, (int, float, str, bool))}
    assert tb.metric(measure(**written)) == tb.metric(measure)
