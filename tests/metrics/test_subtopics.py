"""Measures of subtopics against slow twins, written from the definitions of NIST's ndeval."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.metrics import CATALOGUE, metric
from tiebreak.metrics.diversity.intent_aware import SubtopicMetric

ITEMS = "abcdefg"
SUBTOPICS = "123"


def relevant(grades, rel=None):
    """The subtopics that every item is relevant to."""
    found = {item: {t for t, g in of.items() if (g > 0 if rel is None else g >= rel)} for item, of in grades.items()}
    return {item: subtopics for item, subtopics in found.items() if subtopics}


def gains(ranking, of_item, alpha):
    seen = dict.fromkeys(SUBTOPICS, 0)
    for item in ranking:
        yield sum((1 - alpha) ** seen[t] for t in of_item.get(item, ()))
        for t in of_item.get(item, ()):
            seen[t] += 1


def ideal(of_item, alpha):
    """Each next item gains most; of equal ones that with the largest id."""
    order, left = [], sorted(of_item, reverse=True)
    while left:
        best = max(left, key=lambda item: list(gains([*order, item], of_item, alpha))[-1])
        order.append(best)
        left.remove(best)
    return order


def discounted(ranking, of_item, alpha, discount, cutoff=None):
    return sum(g * discount(k) for k, g in enumerate(gains(ranking, of_item, alpha), start=1) if k <= (cutoff or 10**9))


def log2(k):
    return 1 / math.log2(k + 1)


def reciprocal(k):
    return Fraction(1, k)


def over_all_subtopics(discount, cutoff, alpha=Fraction(1, 2)):
    def twin(ranking, of_item):
        m = len(set().union(*of_item.values()))
        best = sum(m * (1 - alpha) ** (k - 1) * discount(k) for k in range(1, cutoff + 1))
        return discounted(ranking, of_item, alpha, discount, cutoff) / best

    return twin


def over_ideal(discount, cutoff, alpha=Fraction(1, 2)):
    def twin(ranking, of_item):
        best = discounted(ideal(of_item, alpha), of_item, alpha, discount, cutoff)
        return discounted(ranking, of_item, alpha, discount, cutoff) / best

    return twin


def halves(k):
    return Fraction(1, 2) ** (k - 1)


def nrbp(ranking, of_item, cutoff=None):
    m = len(set().union(*of_item.values()))
    return discounted(ranking, of_item, Fraction(1, 2), halves, cutoff) * Fraction(3, 4) / m


def ap_ia(ranking, of_item):
    subtopics = set().union(*of_item.values())
    total = Fraction(0)
    for t in subtopics:
        places = [k for k, item in enumerate(ranking, start=1) if t in of_item.get(item, ())]
        m = sum(t in of for of in of_item.values())
        total += sum(Fraction(i, k) for i, k in enumerate(places, start=1)) / m
    return total / len(subtopics)


def p_ia(cutoff):
    def twin(ranking, of_item):
        m = len(set().union(*of_item.values()))
        return Fraction(sum(len(of_item.get(item, ())) for item in ranking[:cutoff]), cutoff * m)

    return twin


def strec(cutoff):
    def twin(ranking, of_item):
        seen = set().union(*(of_item.get(item, set()) for item in ranking[:cutoff]))
        return Fraction(len(seen), len(set().union(*of_item.values())))

    return twin


TWINS = {
    "alpha_DCG@3": over_all_subtopics(log2, 3),
    "alpha_nDCG@3": over_ideal(log2, 3),
    "alpha_nDCG(alpha=0.25)@5": over_ideal(log2, 5, Fraction(1, 4)),
    "ERR_IA@3": over_all_subtopics(reciprocal, 3),
    "nERR_IA@4": over_ideal(reciprocal, 4),
    "NRBP": nrbp,
    "NRBP@2": lambda ranking, of_item: nrbp(ranking, of_item, 2),
    "nNRBP": over_ideal(halves, None),
    "nNRBP@2": over_ideal(halves, 2),
    "AP_IA": ap_ia,
    "AP_IA@3": lambda ranking, of_item: ap_ia(ranking[:3], of_item),
    "P_IA@2": p_ia(2),
    "STREC@2": strec(2),
}


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
        found = metric(spec).evaluate(positions)
        for r, run in enumerate(runs):
            for q, (request, of) in enumerate(qrels.items()):
                of_item = relevant(of)
                if not of_item:
                    assert math.isnan(found[r, q]), spec
                else:
                    assert found[r, q] == pytest.approx(float(twin(run[request], of_item)), rel=1e-12, abs=1e-15), spec


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
    ("spec", "said"),
    [
        ("alpha_nDCG", "needs a cutoff"),
        ("alpha_nDCG(alpha=2)@5", "at least 0 and at most 1"),
        ("NRBP(beta=1)", "below 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(spec, said):
    with pytest.raises(tb.InputError, match=said):
        metric(spec)


def test_judgements_without_subtopics_are_refused():
    with pytest.raises(tb.InputError, match="have no subtopics"):
        tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}).evaluate("alpha_nDCG@5")


@pytest.mark.parametrize("spec", [*TWINS, "NRBP(beta=0.8)"])
def test_measure_prints_and_parses_back(spec):
    assert str(metric(spec)) == spec and metric(str(metric(spec))) == metric(spec)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"q": {"a": {"1": float("nan")}}}, "finite"),
        ({"q": {"a": {"1": "x"}}}, 'the value of subtopic "1" of item "a"'),
        ({"q": {"a": {"1": 1}, "b": 1}}, 'item "b" holds int'),
        ({7: {"a": {"1": 1}}, "7": {"b": {"1": 1}}}, 'request "7" is there as text and as integer'),
        ({1.5: {"a": {"1": 1}}}, "1.5 is used as an id"),
    ],
)
def test_bad_grades_of_subtopics_are_refused(given_, said):
    with pytest.raises(tb.InputError, match=said):
        tb.read_judgements(given_)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
@settings(max_examples=25)
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
            made = metric(f"{name}{rel}" + ("@3" if entry.traits.cutoff == "must" else ""))
            np.testing.assert_allclose(made.score_rankings(rankings), made.evaluate(exp.positions), rtol=1e-12)


@pytest.mark.parametrize("measure", ["alpha_DCG", "ERR_IA"])
def test_cutoffs_that_no_ideal_can_be_made_for_are_refused(measure):
    exp = tb.Experiment({"q": {"a": {"1": 1, "2": 1}}}, {"q": {"a": 1.0}})
    with pytest.raises(tb.InputError, match="at most 1,000,000"):
        exp.evaluate(f"{measure}@1000001")
    assert exp.evaluate(f"{measure}@1000").values.item() > 0
