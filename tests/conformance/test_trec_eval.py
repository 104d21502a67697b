"""Every measure of pytrec_eval-terrier, on random runs with ties, missing topics and negative grades."""

import random
from math import exp

import pytest

import tiebreak as tb
from nested import nested
from tiebreak._base.nicknames import NICKNAMES
from tiebreak.errors import EmptyRequestsWarning, GradesWarning

pytrec_eval = pytest.importorskip("pytrec_eval")

ASKED = set(pytrec_eval.supported_nicknames["all_trec"]) - {"runid", "relstring"}
OF_JUDGED_ITEMS = ("bpref", "gm_bpref", "num_nonrel_judged_ret")
"""For these trec_eval takes items with negative grades for unjudged ones, which here are judged not relevant."""
NEWER = ("rbp_p=0.9", "rbp_resid", "unj_5", "unj_10", "unj_20")
"""Only in trec_eval 10; pytrec_eval has 9."""


def collection(seed, level):
    """Judgements with a relevant item in every request, and a run with many ties that misses some requests."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for q in range(30):
        items = [f"d{k}" for k in range(rng.randint(1, 60))]
        judged = rng.sample(items, rng.randint(1, len(items)))
        qrels[f"q{q}"] = {item: rng.choice([-2, -1, 0, 0, 1, 1, 2, 3]) for item in judged}
        qrels[f"q{q}"][rng.choice(items)] = rng.randint(level, 3)
        if rng.random() < 0.9:
            run[f"q{q}"] = {item: float(rng.randint(-3, 9)) for item in rng.sample(items, rng.randint(1, len(items)))}
    return qrels, run


def as_in_version_9(measure):
    """A measure with the rounding of recall levels of trec_eval 9."""
    if measure.startswith("iprec_at_recall"):
        return f"IPrec(recall={measure.rpartition('_')[2]}, rounding='trec_eval-9')"
    return "IAP(rounding='trec_eval-9')" if measure == "11pt_avg" else measure


def without_negative(qrels):
    return {q: {item: grade for item, grade in grades.items() if grade >= 0} for q, grades in qrels.items()}


def values(qrels, run, level, measures):
    """``{request: {measure: value}}`` by tiebreak."""
    specs = {as_in_version_9(measure): measure for measure in measures}
    scores = tb.Experiment(qrels, run, min_grade=level).evaluate(list(specs))
    return {
        request: {specs[spec]: value for spec, value in of_request.items()}
        for request, of_request in nested(scores, "request", "measure").items()
    }


@pytest.mark.filterwarnings("ignore::tiebreak.errors.GradesWarning")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("level", [1, 2])
def test_every_measure_on_random_runs(seed, level):
    qrels, run = collection(seed, level)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level).evaluate(run)
    measures = [name for name in NICKNAMES["all_trec"] if name not in NEWER]
    assert set(measures) == set(next(iter(theirs.values())))
    ours = values(qrels, run, level, [name for name in measures if name not in OF_JUDGED_ITEMS])
    of_judged = values(without_negative(qrels), run, level, OF_JUDGED_ITEMS)
    assert set(theirs) == set(run) <= set(ours)
    for request, expected in theirs.items():
        for name in ("gm_map", "gm_bpref"):  # logarithms, of 0.00001 at least
            expected[name] = exp(expected[name])
        actual = ours[request] | of_judged[request]
        actual |= {name: max(actual[name], 1e-5) for name in ("gm_map", "gm_bpref")}
        assert actual == pytest.approx(expected, rel=0, abs=1e-9), request


@pytest.mark.parametrize("name", ["ndcg", "G", "ndcg_rel", "Rndcg"])
def test_gains_of_grades_stand_for_other_grades(name):
    """pytrec_eval takes no gains, but grades that are."""
    qrels, run = collection(7, 1)
    gains = {1: 4, 2: 9, 3: 1}
    others = {q: {item: gains.get(grade, grade) for item, grade in graded.items()} for q, graded in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(others, {name}).evaluate(run)
    ours = values(qrels, run, None, [f"{name}.1=4,2=9,3=1"])
    for request, expected in theirs.items():
        assert ours[request] == {f"{name}.1=4,2=9,3=1": pytest.approx(expected[name], rel=0, abs=1e-9)}


@pytest.mark.filterwarnings("ignore::tiebreak.errors.GradesWarning")
def test_missing_topics_count_as_empty_rankings():
    qrels, run = collection(0, 1)
    missing = sorted(set(qrels) - set(run))
    assert missing
    ours = values(qrels, run, 1, NICKNAMES["all_trec"])
    for request in missing:
        relevant = sum(grade > 0 for grade in qrels[request].values())
        assert {name: value for name, value in ours[request].items() if value} == {"num_q": 1, "num_rel": relevant}


def test_rndcg_of_trec_eval_is_0_for_a_topic_without_an_item_of_the_level():
    qrels, run = {"q": {"a": 1}, "r": {"a": 2}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"Rndcg", "ndcg"}, relevance_level=2).evaluate(run)
    assert theirs["q"] == {"Rndcg": 0, "ndcg": 1}
    with pytest.warns((EmptyRequestsWarning, GradesWarning)):
        assert tb.Experiment(qrels, run, min_grade=2).evaluate("Rndcg").values.tolist() == [[[1.0], [1.0]]]


def test_negative_grades_say_that_an_item_of_the_pool_was_not_sampled_for_judging():
    """Only for infAP, of which that is the definition; it is equal to trec_eval's with them."""
    qrels, run = {"q": {"a": 1, "b": 1, "u": -1, "x": 0}}, {"q": {"a": 4.0, "u": 3.0, "x": 2.0, "b": 1.0}}
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"}).evaluate(run)["q"]["infAP"]
    assert tb.Experiment(qrels, run).evaluate("infAP").values.item() == pytest.approx(expected, abs=1e-12)
    other = tb.Experiment({"q": {**qrels["q"], "u": 0}}, run).evaluate("infAP").values.item()
    assert abs(other - expected) > 0.01


def test_interpolated_precision_rounds_as_trec_eval_10_does():
    """Recall 0.1 of 13 relevant items is 1.3 of them: here one, the first; by version 9 two, also that at 3."""
    qrels = {"q": {f"d{k:02}": 1 for k in range(13)}}
    run = {"q": {"d00": 3.0, "x": 2.0, "d01": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall"}).evaluate(run)["q"]["iprec_at_recall_0.10"]
    assert tb.Experiment(qrels, run).evaluate("IPrec@0.1").values.item() == 1
    nine = tb.Experiment(qrels, run).evaluate("IPrec(recall=0.1, rounding='trec_eval-9')").values.item()
    assert nine == 2 / 3 == pytest.approx(theirs, abs=1e-9)
