"""Users who go on from one position to the next, by hand."""

from fractions import Fraction

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import InputError


def value(spec, grades, ranking):
    run = {"q": {item: -float(k) for k, item in enumerate(ranking)}}
    return tb.Experiment({"q": grades}, run).evaluate(spec).values.item()


def test_player_stops_when_enough_is_gained():
    # Thirds: after position 3 the gain is 1/3 + 1/3 + 1/3 = 1, exactly enough.
    grades = dict.fromkeys("abcd", 1)
    assert value("BPM(max_rel=3)@10", grades, "abcd") == 1 / 3
    assert value("BPM(max_rel=3, T=1.1)@10", grades, "abcd") == 1 / 3  # 4/3 after 4 positions
    assert value("BPM(max_rel=3, T=1.4)@10", grades, "abcd") == float(Fraction(4, 30))  # never enough: 10 positions
    assert value("BPM(max_rel=3)@10", grades, "xyabcd") == 0.2  # 1 after 5 positions


@pytest.mark.slow
def test_users_without_a_cutoff_look_at_a_thousand_positions():
    # V = 4 / (i + 1)^2.
    looked = sum(Fraction(4, (i + 1) ** 2) for i in range(1, 1001))
    assert value("INSQ(max_rel=1)", {"a": 1}, "a") == float(1 / looked)
    assert value("INSQ(max_rel=1)@1000", {"a": 1}, "a") == float(1 / looked)
    deep = ["x" * (k + 1) for k in range(1000)] + ["a"]
    assert value("INSQ(max_rel=1)", {"a": 1}, deep) == 0
    with pytest.raises(InputError, match="cutoffs of at most 1,000"):
        tb.metric("INSQ(max_rel=1)@1001")


def test_gains_are_places_on_the_scale():
    grades = {"a": 9, "b": 2, "c": 1}
    # a counts as 3: gain 1; b has (2 - 1) / (3 - 1); c has none.
    assert value("SDCG(max_rel=3, min_rel=1)@1", grades, "abc") == 1
    assert value("SDCG(max_rel=3, min_rel=1)@1", grades, "bac") == 0.5
    assert value("SDCG(max_rel=3, min_rel=1)@1", grades, "cab") == 0
    assert value("SDCG(max_rel=3, min_rel=1)@1", {"c": 1}, "c") == 0


def test_a_user_with_a_goal_stops_sooner_the_more_is_gained():
    grades = dict.fromkeys("abc", 1)
    # T = 1: C(1) = ((1 + 1 + 0 - 1) / (1 + 1 + 0))^2 = 1/4 and C(2) = ((2 + 1 - 1 - 1) / (2 + 1 - 1))^2 = 1/4.
    assert value("INST(max_rel=1)@3", {"a": 1}, "abc") == float(1 / (1 + Fraction(1, 4) * (1 + Fraction(4, 9))))
    assert value("INST(max_rel=1)@3", grades, "abx") == float(Fraction(5, 4) / (Fraction(5, 4) + Fraction(1, 16)))


@pytest.mark.parametrize("name", ["SDCG", "BPM", "NERR8", "NERR9"])
def test_scale_and_cutoff_are_asked_for(name):
    with pytest.raises(InputError, match=rf"{name} needs a cutoff"):
        tb.metric(f"{name}(max_rel=3)")
    with pytest.raises(InputError, match=rf"largest grade of the scale, such as {name}\(max_rel=3\)@10"):
        tb.metric(f"{name}@10")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("INST", r"such as INST\(max_rel=3\)\."),
        ("INST(max_rel=1, min_rel=1)", "max_rel=1 is not above min_rel=1"),
        ("INST(max_rel=1, T=0)", "T=0. Give a number of at least 1e-06"),
        ("INST(max_rel=1, T=0.2)", "INST: T=0.2. Give a number of at least 0.25"),
        ("INST(max_rel=1, T=1e300)", r"at most 1e\+06"),
        ("INSQ(max_rel='three')", "Give a number"),
        ("NERR10(max_rel=3, p=1e-9)", "of at least 1e-06"),
        ("Compat(p=1e-300)", "of at least 1e-06"),
        ("BPM(max_rel=3, min_rel=-1)@5", "at least 0"),
        ("NERR10(max_rel=3, p=1)", "NERR10: p=1"),
        ("SDCG(max_rel=3, dcg='exp-log2')@5", "there is no parameter 'dcg'"),
        ("Compat(p=1)", "Compat: p=1"),
        ("Compat(normalize=2)", "Give true or false"),
        ("Compat@5", "Compat takes no cutoff"),
        ("nDCG(gains={1: 2}, gain='exp')", "Give one"),
        ("nDCG(gains={1: -2})", "of at least 0"),
        ("nDCG(gains={0: 2})", "Give it a gain of 0"),
        ("nDCG(gains={1: 2, 1: 3})", "such as {1: 1, 2: 5}"),
        ("nDCG(gains={one: 2})", "such as {1: 1, 2: 5}"),
        ("nDCG(gains={1: nan})", "such as {1: 1, 2: 5}"),
        ("nDCG(gains={1})", "such as {1: 1, 2: 5}"),
        ("nDCG(gains=3)", "such as {1: 1, 2: 5}"),
        ("nDCG(gains={1: 1.00000000000000000001})", "such as {1: 1, 2: 5}"),
        ("AP(judged_only=3)", "judged_only=3. Give true or false"),
        ("AP(judged_only=true, judged_only=true)", "given twice"),
        ("S-Recall(judged_only=true)@3", "Leave out judged_only"),
        ("AP(cutoff=10)@5", "'cutoff' is given twice"),
        ("AP(cutoff=0)", "whole number from 1 on"),
    ],
)
def test_bad_parameters_are_refused_with_advice(spec, message):
    with pytest.raises(InputError, match=message):
        tb.metric(spec)


def test_all_gains_of_zero_are_worth_nothing():
    assert value("nDCG(gains={1: 0})", {"a": 1}, "a") == 0
    assert value("DCG(gains={1: 7})", {"a": 1}, "a") == 7  # not the binary form
    assert value("nDCG(gains={1: 7})", {"a": 1}, "a") == 1


def test_tables_of_numbers_in_specs_are_dictionaries():
    assert tb.metric("nDCG(gains={2: 5, 1: 1.5})@10") == tb.metric("nDCG(gains='1:1.5,2:5')@10")
    assert str(tb.metric("nDCG(gains={0: 0, 1: 1.50})")) == "nDCG(gains='1:1.5')"


def test_compatibility_of_the_ideal_ranking_is_1_and_of_none_is_0():
    grades = {"a": 3, "b": 2, "c": 2, "d": 1}
    assert value("Compat", grades, "acbd") == 1  # b and c have the same grade
    assert value("Compat", grades, "acbdx") == 1
    assert value("Compat", grades, "xyz") == 0
    # Without normalisation the ideal ends before the ranking does: (1 + 1/2 x 1/2) / (1 + 1/2).
    assert value("Compat(p=0.5, normalize=false)", {"a": 1}, "ax") == float(Fraction(5, 4) / Fraction(3, 2))


def test_accuracy_without_pairs():
    assert value("Accuracy", {"a": 1, "b": 1}, "ab") == 1  # nothing else is retrieved
    assert value("Accuracy", {"a": 1}, "xy") == 0  # nothing relevant is
    assert value("Accuracy", {"a": 1, "b": 1, "c": 1}, "axbyz") == float(Fraction(5, 6))
    assert value("Accuracy@2", {"a": 1, "b": 1, "c": 1}, "xabyz") == 0


def test_condensed_lists_leave_out_unjudged_items():
    grades = {"a": 2, "b": 1, "n": 0, "m": -1}
    # x a y n b: a n b
    assert value("AP(judged_only=true)", grades, "xaynb") == float(Fraction(5, 6))  # (1 + 2/3) / 2
    assert value("RR(judged_only=True)", grades, "xaynb") == 1
    assert value("P(judged_only=true)@2", grades, "xaynb") == 0.5
    assert value("AP(judged_only=false)", grades, "xaynb") == value("AP", grades, "xaynb")
    assert value("AP(judged_only=true)", grades, "xmaynb") == (1 / 2 + 2 / 4) / 2  # negative grades are judged
    exp = tb.Experiment({"q": grades}, {"q": {"x": 2.0, "a": 1.0}}, judged_only=True)
    assert exp.evaluate("AP").values.item() == value("AP(judged_only=true)", grades, "xa")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", ["Compat", "Accuracy", "AP(judged_only=true)", "INST(max_rel=2)", "Judged"])
def test_values_keep_within_bounds_where_unretrieved_items_are_placed_optimistically(spec):
    grades = {"a": 2, "b": 1, "c": 1, "n": 0}
    run = {"q": {"x": 3.0, "a": 2.0, "n": 1.0}}
    value = tb.Experiment({"q": grades}, run, imputation="optimistic").evaluate(spec).values.item()
    assert tb.Experiment({"q": grades}, run).evaluate(spec).values.item() <= value <= 1


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "spec",
    [
        *(
            "INST(max_rel=2, T=1000000)",
            "INST(max_rel=2, T=0.25)",
            "INSQ(max_rel=2, T=1000000)",
            "INSQ(max_rel=2, T=0.000001)",
        ),
        *(
            "BPM(max_rel=2, T=1000000)@5",
            "BPM(max_rel=1e300)@5",
            "BPM(max_rel=1e-300)@5",
            "NERR10(max_rel=2, p=0.000001)",
        ),
        *(
            "NERR11(max_rel=2, T=0.000001)",
            "Compat(p=0.000001)",
            "nDCG(gains={1: 1e100, 2: 0})",
            "DCG(gains={1: 1e-300})",
        ),
    ],
)
def test_extreme_parameters_have_the_value_of_exact_arithmetic(spec):
    grades = {"a": 2, "b": 1, "c": 1}
    run = {"q": {item: -float(k) for k, item in enumerate("xbayz")}}
    positions = tb.project({"q": grades}, run, nonrelevant=True)
    values = tb.metric(spec).values(positions)
    (exact,) = values.exactly(0, np.array([0]))
    assert values.nearest.item() == float(exact) and exact > 0
