"""Every measure of ir_measures is native, by its name and as an object, with the values of the real library."""

import random

import numpy as np
import pytest

import tiebreak as tb

ir_measures = pytest.importorskip("ir_measures")

USER_MODELS = (
    *("SDCG(max_rel=3)@10", "SDCG(dcg='log2', max_rel=3)@50", "BPM(max_rel=3)@10", "BPM(max_rel=3, T=0.5)@5"),
    *("BPM(max_rel=2, min_rel=1, T=2.5)@30", "INSQ(max_rel=3)", "INSQ(max_rel=3, T=2.5)", "INST(max_rel=3)"),
    *("INST(max_rel=2, T=3.0)", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10", "NERR9(max_rel=2, min_rel=1)@20"),
    *("NERR10(max_rel=3)", "NERR10(max_rel=3, p=0.5)", "NERR11(max_rel=3)", "NERR11(max_rel=3, T=2.0)"),
)
OTHERS = (
    *("Compat", "Compat(p=0.8)", "Compat(p=0.8, normalize=False)", "Judged"),
    *("Judged@10", "AP(judged_only=True)", "AP(rel=2, judged_only=True)@20", "nDCG(judged_only=True)@10"),
    *("P(judged_only=True)@5", "R(judged_only=True)@10", "RR(judged_only=True)", "Rprec(judged_only=True)"),
    *("Success(judged_only=True)@1", "nDCG(gains={0: 0, 1: 1, 2: 5, 3: 20})@10", "nDCG(gains={2: 7})"),
    *("AP(cutoff=10)", "Precision(cutoff=10, rel=2)", "nDCG(dcg='log2', cutoff=5)"),
)


def random_experiment(seed):
    """Judgements with negative grades and a run without ties that misses a request."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for q in range(1, 13):
        judged = rng.sample(range(80), rng.choice([3, 20, 60]))
        qrels[str(q)] = {f"d{k}": rng.choice([-1, 0, 0, 1, 1, 2, 3]) for k in judged} | {"d0": 1}
        depth = rng.choice([1, 5, 60, 250])
        scores = rng.sample(range(1, 1001), depth)
        run[str(q)] = {
            f"d{k}": s / 8 for k, s in zip(rng.sample(range(90 if depth < 90 else 300), depth), scores, strict=True)
        }
    del run["7"]
    return qrels, run


def values(spec, qrels, run):
    """Values by request, ours and theirs."""
    measure = ir_measures.parse_measure(spec)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    scores = tb.Experiment(qrels, run).evaluate(measure)
    return dict(zip(scores.requests, scores.values[0, :, 0].tolist(), strict=True)), theirs


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", USER_MODELS)
def test_user_models_equal_cwl_eval(spec, seed):
    pytest.importorskip("cwl")
    ours, theirs = values(spec, *random_experiment(seed))
    assert ours == pytest.approx(theirs, rel=0, abs=1e-9)
    assert sum(value > 0 for value in ours.values()) > 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", OTHERS)
def test_other_measures_equal_those_of_the_library(spec, seed):
    qrels, run = random_experiment(seed)
    if "judged_only" in spec:  # trec_eval takes negative grades for unjudged
        qrels = {q: {item: max(grade, 0) for item, grade in of.items()} for q, of in qrels.items()}
    ours, theirs = values(spec, qrels, run)
    assert ours == pytest.approx(theirs, rel=0, abs=1e-9)
    assert sum(value > 0 for value in ours.values()) > 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", ["Accuracy", "Accuracy(rel=2)@10"])
def test_accuracy_equals_that_of_the_library_where_it_has_one(spec, seed):
    qrels, run = random_experiment(seed)
    scores = tb.Experiment(qrels, run).evaluate(spec)
    ours = dict(zip(scores.requests, scores.values[0, :, 0].tolist(), strict=True))
    measure, n_equal = ir_measures.parse_measure(spec), 0
    for q in run:
        try:
            theirs = [m.value for m in ir_measures.iter_calc([measure], {q: qrels[q]}, {q: run[q]})]
        except ZeroDivisionError:  # all that is retrieved is relevant
            theirs = [1.0]
        # It says nothing where no relevant item is retrieved: here it is 0.
        assert [ours[q]] == pytest.approx(theirs or [0.0], abs=1e-9)
        n_equal += len(theirs)
    assert n_equal > 2


DIVERSITY = (
    *("\N{GREEK SMALL LETTER ALPHA}_DCG@10", "\N{GREEK SMALL LETTER ALPHA}_nDCG(alpha=0.3)@10", "alpha_nDCG(rel=2)@10"),
    *(
        "ERR_IA@20",
        "nERR_IA(rel=2)@20",
        "NRBP(alpha=0.2, beta=0.7)",
    ),
    *("nNRBP", "AP_IA", "MAP_IA", "AP_IA(rel=2)", "P_IA@5", "StRecall(rel=2)@10"),
)


@pytest.mark.parametrize("spec", DIVERSITY)
def test_measures_of_subtopics_equal_ndeval(spec):
    pytest.importorskip("pyndeval")
    qrels, run = random_experiment(4)
    rng = random.Random(4)
    judged = {
        q: {item: {str(t): max(g, 0) for t in range(1, 4) if rng.random() < 0.5} for item, g in of.items()}
        for q, of in qrels.items()
    }
    rows = [
        ir_measures.Qrel(q, item, grade, subtopic)
        for q, of in judged.items()
        for item, named in of.items()
        for subtopic, grade in named.items()
    ]
    measure = ir_measures.parse_measure(spec)
    scored = [ir_measures.ScoredDoc(q, item, score) for q, of in run.items() for item, score in of.items()]
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([measure], rows, scored)}
    scores = tb.Experiment(
        {q: {i: named for i, named in of.items() if named} for q, of in judged.items()}, run
    ).evaluate(spec)
    ours = dict(zip(scores.requests, scores.values[0, :, 0].tolist(), strict=True))
    assert ours == pytest.approx({q: theirs[q] for q in ours}, rel=0, abs=1e-9)
    assert sum(value > 0 for value in ours.values()) > 2


NAMES = sorted(  # without those that tiebreak.ir_measures adds
    name for name, one in ir_measures.measures.registry.items() if type(one).__module__.startswith("ir_measures")
)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_library_is_a_measure_here(name):
    measure = ir_measures.measures.registry[name]
    needed = {"max_rel": "max_rel=3", "recall": "recall=0.5"}
    arguments = ", ".join(text for key, text in needed.items() if key in measure.SUPPORTED_PARAMS)
    cutoff = "@10" if "cutoff" in measure.SUPPORTED_PARAMS else ""
    spec = f"{name}({arguments}){cutoff}" if arguments else f"{name}{cutoff}"
    ours = tb.metric(spec)
    if name != "NumRelRet":  # whose object is NumRet(rel=1)
        assert ours == tb.metric(ir_measures.parse_measure(spec)), "as an object"
    assert ours == tb.metric(str(ours)), "by the name that it prints"


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("names", [("P", "Precision"), ("R", "Recall"), ("RP", "RPrec", "Rprec"), ("bpref", "BPref")])
def test_other_names_mean_the_same_measure_at_the_same_level(names, level):
    qrels, run = random_experiment(0)
    at = "@10" if names[0] in "PR" else ""
    columns = [
        tb.Experiment(qrels, run, min_grade=level).evaluate(f"{name}{at}").values[0, :, 0].tolist() for name in names
    ]
    np.testing.assert_array_equal(columns, [columns[0]] * len(names))


def test_objects_are_measures_beside_names():
    scores = tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}).evaluate(["AP", ir_measures.nDCG @ 10, ir_measures.RR])
    assert scores.measures == ("AP", "nDCG@10", "RR") and scores.values.ravel().tolist() == [1.0, 1.0, 1.0]


# Known disagreements, each with its reason in docs/conformance.md.


def both(spec, qrels, run):
    """The value of the one request, ours and theirs."""
    measure = ir_measures.parse_measure(spec)
    (theirs,) = ir_measures.iter_calc([measure], qrels, run)
    return tb.Experiment(qrels, run).evaluate(spec).values.item(), theirs.value


def test_trec_eval_removes_negative_grades_from_condensed_lists():
    assert both("RR(judged_only=True)", {"q": {"a": 1, "n": -1}}, {"q": {"n": 2.0, "a": 1.0}}) == (0.5, 1.0)
    assert both("RR(judged_only=True)", {"q": {"a": 1, "n": 0}}, {"q": {"n": 2.0, "a": 1.0}}) == (0.5, 0.5)


def test_compat_of_ir_measures_takes_negative_scores_for_low_ranks():
    """Of a and b, both relevant, only a is retrieved: with a negative score it stands second in the ideal ranking."""
    grades = {"q": {"a": 1, "b": 1}}
    ours, theirs = both("Compat", grades, {"q": {"a": 1.0}})
    assert theirs == pytest.approx(ours)
    negative, lower = both("Compat", grades, {"q": {"a": -1.0}})
    assert lower < theirs and negative == ours


def test_compat_of_ir_measures_orders_ties_by_id_ascending():
    ours, theirs = both("Compat", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}})
    assert theirs == 1.0 and ours == both("Compat", {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 2.0}})[1] < 1
