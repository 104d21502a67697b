"""Measures of subtopics against slow twins, written from the definitions of NIST's ndeval."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from metrics.slow_subtopics import TWINS
from tiebreak.metrics import CATALOGUE, metric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric

ITEMS = "abcdefg"
SUBTOPICS = "123"


def relevant(grades, rel=None):
    """The subtopics that every item is relevant to."""
    actual = {item: {t for t, g in of.items() if (g > 0 if rel is None else g >= rel)} for item, of in grades.items()}
    return {item: subtopics for item, subtopics in actual.items() if subtopics}


def test_every_measure_of_subtopics_has_a_twin():
    known = {name for name, entry in CATALOGUE.items() if issubclass(entry, SubtopicMetric)}
    assert {metric(spec).name for spec in TWINS} == known


judged = st.dictionaries(
    st.sampled_from(ITEMS), st.dictionaries(st.sampled_from(SUBTOPICS), st.integers(-1, 2), min_size=1), min_size=1
)
rankings = st.permutations(ITEMS + "xyz").flatmap(lambda order: st.integers(1, 9).map(lambda k: list(order[:k])))


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
@given(st.lists(judged, min_size=1, max_size=3), st.data())
def test_every_measure_of_subtopics_equals_its_slow_twin(grades, data):
    by_request = {f"q{k}": of for k, of in enumerate(grades)}
    # Two subtopics in one more request: with a single one in all there would be no subtopics.
    qrels = by_request | {"z": {"a": {"1": 1, "2": 1}}}
    runs = [{q: data.draw(rankings) for q in by_request} | {"z": ["a"]} for _ in range(2)]
    positions = tb.project(qrels, [{q: scored(r) for q, r in run.items()} for run in runs])
    for spec, twin in TWINS.items():
        scores = metric(spec).evaluate(positions)
        for r, run in enumerate(runs):
            for q, (request, of) in enumerate(qrels.items()):
                of_item = relevant(of)
                if not of_item:
                    assert math.isnan(scores[r, q]), spec
                else:
                    assert scores[r, q] == pytest.approx(float(twin(run[request], of_item)), rel=1e-12, abs=1e-15), spec


def test_relevance_level_is_that_of_the_subtopic():
    qrels = {"q": {"a": {"1": 1, "2": 2}, "b": {"1": 2}}}
    exp = tb.Experiment(qrels, {"q": {"a": 2.0, "b": 1.0}})
    # From grade 2 on a shows subtopic 2 only, b subtopic 1.
    assert exp.evaluate(["STREC(rel=2)@1", "STREC@1"]).to_flat_dict() == {"run1/STREC(rel=2)@1": 0.5, "run1/STREC@1": 1}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("ERR-IA@10", "ERR_IA@10"),
        ("nERR-IA@10", "nERR_IA@10"),
        ("P-IA@5", "P_IA@5"),
        ("MAP-IA", "AP_IA"),
        ("MAP-IA@10", "AP_IA@10"),
        ("strec@5", "STREC@5"),
    ],
)
def test_names_of_ndeval_are_known(typed, meant):
    assert str(metric(typed)) == meant


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("alpha_nDCG", "needs a cutoff"),
        ("alpha_nDCG(alpha=2)@5", "at least 0 and at most 1"),
        ("NRBP(beta=1)", "below 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(spec, message):
    with pytest.raises(tb.InputError, match=message):
        metric(spec)


def test_judgements_without_subtopics_are_refused():
    with pytest.raises(tb.InputError, match="have no subtopics"):
        tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}).evaluate("alpha_nDCG@5")


@pytest.mark.parametrize("spec", [*TWINS, "NRBP(beta=0.8)"])
def test_measure_prints_and_parses_back(spec):
    assert str(metric(spec)) == spec and metric(str(metric(spec))) == metric(spec)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"q": {"a": {"1": float("nan")}}}, "finite"),
        ({"q": {"a": {"1": "x"}}}, 'the value of subtopic "1" of item "a"'),
        ({"q": {"a": {"1": 1}, "b": 1}}, 'item "b" holds int'),
        ({7: {"a": {"1": 1}}, "7": {"b": {"1": 1}}}, 'request "7" appears both as text and as an integer'),
        ({1.5: {"a": {"1": 1}}}, "1.5 is used as an id"),
    ],
)
def test_bad_grades_of_subtopics_are_refused(given_, message):
    with pytest.raises(tb.InputError, match=message):
        tb.read_judgements(given_)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
@settings(max_examples=examples(10))
@given(
    st.lists(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 5), min_size=1), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(ITEMS), st.lists(st.sampled_from(SUBTOPICS), unique=True), min_size=1),
    st.lists(st.permutations(ITEMS), min_size=2, max_size=3),
    st.sampled_from(["", "(rel=3)"]),
)
def test_rankings_of_rated_items_have_the_values_of_their_positions(rated, aspects, orders, rel):
    """Aspects are the subtopics of what a user rated: seen at every rank, or from positions of relevant items."""
    judged = {f"u{k}": of for k, of in enumerate(rated)} | {"z": {"a": 4}}
    aspects = aspects | {"a": ["1"]}
    runs = [{u: {i: -float(k) for k, i in enumerate(order[: 3 + n])} for n, u in enumerate(judged)} for order in orders]
    exp = tb.Experiment(judged, runs, aspects=aspects)
    exp.read("S-Recall@7")
    rankings = exp.positions.aspect_rankings
    for name, entry in CATALOGUE.items():
        if issubclass(entry, SubtopicMetric):
            result = metric(f"{name}{rel}" + ("@3" if entry.traits.cutoff == "must" else ""))
            np.testing.assert_allclose(result.score_rankings(rankings), result.evaluate(exp.positions), rtol=1e-12)


@pytest.mark.parametrize("measure", ["alpha_DCG", "ERR_IA"])
def test_cutoffs_that_no_ideal_can_be_made_for_are_refused(measure):
    exp = tb.Experiment({"q": {"a": {"1": 1, "2": 1}}}, {"q": {"a": 1.0}})
    with pytest.raises(tb.InputError, match="at most 1,000,000"):
        exp.evaluate(f"{measure}@1000001")
    assert exp.evaluate(f"{measure}@1000").values.item() > 0
