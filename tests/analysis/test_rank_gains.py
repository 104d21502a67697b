"""What every rank gains by alpha-beta-nDCG, and what it leaves of interests."""

from math import log2, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb

ASPECTS = {"a": ["war"], "b": ["war", "love"], "c": ["love"], "d": []}


def experiment(ratings, ranking, **options):
    run = {item: -float(k) for k, item in enumerate(ranking)}
    return tb.Experiment({"u": ratings}, [tb.Run({"u": run}, name="one")], aspects=ASPECTS, **options)


def gains(ratings, ranking, measure="alpha_beta_nDCG(beta=1)@3"):
    return experiment(ratings, ranking).explain("one", request="u", measure=measure)


def test_worked_by_hand():
    """Interests: war (4 + 2) / 8 = 3/4, love 2/8; P of b is 2/4, of a 4/4."""
    shown = gains({"a": 4, "b": 2}, "ba")
    assert shown.interests == ("war", "love")
    rows = [row[:3] + row[5:] for row in shown.rows()]
    assert rows[0] == ("one", 0, None, None, None, 3 / 4, 1 / 4)
    # b serves half of both: 1 - (1 - 3/8) (1 - 1/8) = 29/64, leaving 3/8 and 1/8
    assert rows[1] == ("one", 1, "b", 29 / 64, 29 / 64, 3 / 8, 1 / 8)
    # a serves all that is left of war
    assert rows[2] == ("one", 2, "a", 3 / 8, 3 / 8 / log2(3), 0.0, 1 / 8)
    # ideal: a gains 3/4, then b half of 1/4
    assert rows[4] == ("ideal", 1, "a", 3 / 4, 3 / 4, 0.0, 1 / 4)
    assert rows[5] == ("ideal", 2, "b", 1 / 8, 1 / 8 / log2(3), 0.0, 1 / 8)
    assert shown.value == pytest.approx((29 / 64 + 3 / 8 / log2(3)) / (3 / 4 + 1 / 8 / log2(3)))
    assert f"is {shown.value:.4f}." in shown.notes[0]


def test_items_without_rating_or_aspects_are_shown():
    rows = gains({"a": 4}, ["unknown", "d", "c", "a"], "alpha_beta_nDCG@4").rows()
    assert [row[2:5] for row in rows[1:5]] == [
        ("unknown", None, "-"),
        ("d", None, "-"),
        ("c", None, "love"),
        ("a", 4.0, "war"),
    ]


def test_ideal_list_has_no_items_without_known_aspects():
    """A rated item of which the table of aspects knows nothing can serve no interest."""
    rows = gains({"a": 4, "nowhere": 5, "elsewhere": 1}, ["nowhere", "a"]).rows()
    assert [row[:4] for row in rows if row[1]] == [
        ("one", 1, "nowhere", 5.0),
        ("one", 2, "a", 4.0),
        ("ideal", 1, "a", 4.0),
    ]
    (before,) = gains({"nowhere": 5}, ["nowhere"]).rows()[2:]
    assert before[:2] == ("ideal", 0)


def test_run_that_is_called_ideal_is_told_from_the_ideal_list():
    runs = [tb.Run({"u": {"c": 2.0, "b": 1.0}}, name=name) for name in ("one", "ideal")]
    exp = tb.Experiment({"u": {"a": 4, "b": 2}}, runs, aspects=ASPECTS)
    for name, other in (("one", "ideal"), ("ideal", "ideal list")):
        rows = exp.explain(name, request="u", measure="alpha_beta_nDCG@2").rows()
        assert [row[:3:2] for row in rows if row[1]] == [(name, "c"), (name, "b"), (other, "a"), (other, "b")]


def slow(ratings, ranking, beta=1.0, alpha=0.005):
    """Gains of a list, from AB eqs 5 to 9 as they are printed."""
    largest = max(ratings.values())
    whole = sum(r * len(ASPECTS.get(i, ())) for i, r in ratings.items())
    gamma = {a: sum(r for i, r in ratings.items() if a in ASPECTS[i]) / whole for a in ("war", "love")}

    def p(item, aspect):
        if aspect not in ASPECTS[item]:
            return 0.0
        return beta * ratings[item] / largest if item in ratings else alpha

    out = []
    for k, item in enumerate(ranking):
        above = {a: prod(1 - p(other, a) for other in ranking[:k]) for a in gamma}
        out.append(1 - prod(1 - p(item, a) * gamma[a] * above[a] for a in gamma))
    return out


@given(st.permutations("abcd"), st.dictionaries(st.sampled_from("abc"), st.integers(1, 5), min_size=1))
def test_gains_are_those_of_the_equations(ranking, ratings):
    shown = gains(ratings, ranking, "alpha_beta_nDCG(beta=1)@4")
    of_run = [row[5] for row in shown.rows() if row[0] == "one" and row[1]]
    assert of_run == pytest.approx(slow(ratings, ranking))
    ideal = [row[2] for row in shown.rows() if row[0] == "ideal" and row[1]]
    assert {*ideal} == {*ratings}
    for k, item in enumerate(ideal):
        others = [slow(ratings, [*ideal[:k], other])[-1] for other in ratings if other not in ideal[:k]]
        assert slow(ratings, ideal[: k + 1])[-1] == pytest.approx(max(others)), item
    sums = [sum(row[6] for row in shown.rows() if row[0] == name and row[1]) for name in ("one", "ideal")]
    assert sums[0] / sums[1] == pytest.approx(shown.value)


def test_measure_without_an_ideal_has_one_list():
    assert {row[0] for row in gains({"a": 4}, "ab", "alpha_beta_DCG@2").rows()} == {"one"}


def test_other_measures_are_refused():
    with pytest.raises(tb.InputError, match=r"AP has no gains that interests leave. Give alpha_beta_nDCG"):
        gains({"a": 4}, "ab", "AP")
