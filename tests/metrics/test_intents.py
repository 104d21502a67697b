"""Subtopics that are not alike: graded items, and intents of given likelihood; against slow twins."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from nested import nested
from worked_examples import examples_of

ITEMS, SUBTOPICS = "abcdef", "123"


def scored(ranking):
    return {item: float(-k) for k, item in enumerate(ranking)}


def gains(ranking, grades, alpha, r_max, likely):
    """Each subtopic of an item: its likelihood times their number, its grade, less for every time it was shown."""
    seen = dict.fromkeys(SUBTOPICS + "abcd", 0)
    shown = {t for of in grades.values() for t in of}
    whole = sum(likely[t] for t in shown)
    for item in ranking:
        of = grades.get(item, {})
        yield sum(
            len(shown) * likely[t] / whole * (Fraction(g, r_max) if r_max else 1) * (1 - alpha) ** seen[t]
            for t, g in of.items()
        )
        for t in of:
            seen[t] += 1


def ideal(grades, alpha, r_max, likely):
    """Each next item gains most; of equal ones the largest id, with a scale the smallest."""
    order, left = [], sorted(grades, reverse=r_max is None)
    while left:
        best = max(left, key=lambda item: list(gains([*order, item], grades, alpha, r_max, likely))[-1])
        order.append(best)
        left.remove(best)
    return order


def dcg(ranking, grades, cutoff, *how):
    actual = gains(ranking, grades, *how)
    return sum(float(g) / math.log2(k + 1) for k, g in enumerate(actual, start=1) if k <= cutoff)


def alpha_ndcg(ranking, grades, cutoff, *how):
    return dcg(ranking, grades, cutoff, *how) / dcg(ideal(grades, *how), grades, cutoff, *how)


def nrbp(ranking, grades, alpha, beta, r_max, likely):
    summed = sum(beta**k * g for k, g in enumerate(gains(ranking, grades, alpha, r_max, likely)))
    return summed * (1 - (1 - alpha) * beta) / len({t for of in grades.values() for t in of})


EQUAL = dict.fromkeys(SUBTOPICS + "abcd", Fraction(1))
HALF = Fraction(1, 2)


def value(spec, ranking, grades, **how):
    # One more request with two subtopics: with a single one in all there would be none.
    judged = {"q": grades, "z": {"i0": {"a": 1, "b": 1}}}
    run = {"q": scored(ranking), "z": {"i0": 1.0}}
    scores = tb.Experiment(judged, run, **how).evaluate(spec)
    return nested(scores, "run", "request", "measure").get("run1", {}).get("q", {}).get(spec, math.nan)


def test_worked_examples_of_alpha_ndcg_hold():
    for arguments, expected in examples_of("alpha_ndcg"):
        r_max, k = arguments.get("r_max"), arguments["k"]
        spec = f"alpha_nDCG(r_max={r_max})@{k}" if r_max else f"alpha_nDCG@{k}"
        assert value(spec, arguments["ranking"], arguments["rel"]) == pytest.approx(expected, rel=1e-12)
        assert alpha_ndcg(arguments["ranking"], arguments["rel"], k, HALF, r_max, EQUAL) == pytest.approx(expected)


def test_worked_examples_of_nrbp_hold():
    for arguments, expected in examples_of("nrbp"):
        alpha, beta, r_max = Fraction(arguments["alpha"]), Fraction(arguments["beta"]), arguments["r_max"]
        spec = f"NRBP(alpha={float(alpha)}, beta={float(beta)}, r_max={r_max})"
        exact = nrbp(arguments["ranking"], arguments["rel"], alpha, beta, r_max, EQUAL)
        assert exact == Fraction(expected)
        assert value(spec, arguments["ranking"], arguments["rel"]) == pytest.approx(float(exact), rel=1e-12)


def test_likely_intents_count_more():
    grades = {"a": {"1": 1}, "b": {"2": 1}}
    # Subtopic 1 is three times as likely: a gains 2 x 3/4, b 2 x 1/4; the best order is a, b.
    result = {"intents": {"q": {"1": 0.75, "2": 0.25}, "z": {"a": 1, "b": 1}}}
    best = 1.5 + 0.5 / math.log2(3)
    assert value("alpha_nDCG@2", "ab", grades, **result) == 1
    assert value("alpha_nDCG@2", "ba", grades, **result) == pytest.approx((0.5 + 1.5 / math.log2(3)) / best)
    # Precision of each subtopic is 1/2 of the first two, and 1 or 0 of the first.
    assert value("P_IA@1", "ba", grades, **result) == 0.25
    assert value("AP_IA", "ba", grades, **result) == 0.75 / 2 + 0.25
    # The discounts 1 and 1/2; items that show both would gain 2 and 2 x 1/2.
    assert value("ERR_IA@2", "ba", grades, **result) == pytest.approx((0.5 + 1.5 / 2) / (2 + 2 / 4))


judged = st.dictionaries(
    st.sampled_from(ITEMS), st.dictionaries(st.sampled_from(SUBTOPICS), st.integers(1, 4), min_size=1), min_size=1
)
rankings = st.permutations(ITEMS + "xy").flatmap(lambda order: st.integers(1, 8).map(lambda k: list(order[:k])))
likelihoods = st.fixed_dictionaries(dict.fromkeys(SUBTOPICS, st.integers(1, 5).map(lambda k: Fraction(k, 8))))


@given(judged, rankings, likelihoods)
def test_graded_items_and_likely_intents_equal_their_slow_twins(grades, ranking, likely):
    intents = {"q": {t: float(share) for t, share in likely.items()}, "z": {"a": 1, "b": 1}}
    actual = value("alpha_nDCG(alpha=0.25, r_max=4)@4", ranking, grades, intents=intents)
    assert actual == pytest.approx(alpha_ndcg(ranking, grades, 4, Fraction(1, 4), 4, likely), rel=1e-12)
    actual = value("NRBP(alpha=0.25, beta=0.5, r_max=8)", ranking, grades, intents=intents)
    assert actual == pytest.approx(float(nrbp(ranking, grades, Fraction(1, 4), HALF, 8, likely)), rel=1e-12)


@given(judged, rankings)
def test_equal_likelihoods_change_nothing(grades, ranking):
    intents = {"q": dict.fromkeys(SUBTOPICS, 0.2), "z": {"a": 3, "b": 3}}
    for spec in ("alpha_nDCG@5", "ERR_IA@3", "AP_IA", "P_IA@4", "NRBP"):
        assert value(spec, ranking, grades, intents=intents) == pytest.approx(value(spec, ranking, grades), rel=1e-12)


@pytest.mark.parametrize(
    ("intents", "message"),
    [
        ({"q": {"1": 0.5}}, 'subtopic "2" of request "q" has no likelihood'),
        ({"q": {"1": 0.5, "2": -1}, "z": {"a": 1, "b": 1}}, 'subtopic "2" of request "q" has the likelihood -1'),
        ({"q": {"1": 0.5, "2": 0.5}}, 'subtopic "a" of request "z" has no likelihood'),
    ],
)
def test_bad_likelihoods_are_refused(intents, message):
    with pytest.raises(tb.InputError, match=message):
        value("alpha_nDCG@2", "ab", {"a": {"1": 1, "2": 1}}, intents=intents)


def test_likelihoods_need_subtopics():
    with pytest.raises(tb.InputError, match="intents are of subtopics"):
        tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}, intents={"q": {"1": 1}}).evaluate("AP")


def test_request_whose_likely_subtopics_have_no_relevant_item_is_left_out():
    actual = value(
        "alpha_nDCG@2", "ab", {"a": {"1": 1, "2": 0}}, intents={"q": {"1": 0, "2": 1}, "z": {"a": 1, "b": 1}}
    )
    assert math.isnan(actual)


def test_grade_above_the_scale_is_refused():
    with pytest.raises(tb.InputError, match="r_max=2 is below a rating"):
        value("alpha_nDCG(r_max=2)@2", "ab", {"a": {"1": 3}})


def test_intents_stay_with_their_subtopics_where_items_have_no_aspect():
    # ERR_IA@2 by hand: the first item serves subtopic s (0.9 of the requests mean it), the second t (0.1).
    aspects = {"a": ["s"], "b": ["t"]}
    intents = {"q": {"s": 0.9, "t": 0.1}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    with_bare = {"q": {"c": 1, "a": 1, "b": 1}}  # c is relevant and has no aspect
    without = {"q": {"a": 1, "b": 1}}
    values = [
        tb.Experiment(qrels, run, aspects=aspects, intents=intents, min_grade=grade)
        .evaluate("ERR_IA@2")
        .values.tolist()
        for qrels in (with_bare, without)
        for grade in (None, 1)
    ]
    assert values == [values[0]] * 4
    two = {"q": {"a": 1, "c": 2, "b": 2}}  # at min_grade=2 the first rows of subtopics go
    scores = tb.Experiment(two, run, aspects=aspects, intents=intents, min_grade=2).evaluate("ERR_IA@2")
    alone = tb.Experiment({"q": {"b": 1}}, run, aspects=aspects, intents={"q": {"t": 0.1}}).evaluate("ERR_IA@2")
    assert scores.values.tolist() == alone.values.tolist()
