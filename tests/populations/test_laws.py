"""Laws of populations on exact fractions, and the paper's examples of where a law ends."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from examples import examples
from populations import slow
from populations.tables import (
    exact_values,
    pairs,
    prefers,
    risk_gain,
    scores,
    signed_values,
    symmetric_gain,
    tables,
)

ORDERS = ["leximin", "leximax", "smoothed_leximin(lag=2)", "smoothed_leximin(lag=3)"]
every_order = pytest.mark.parametrize("spec", ORDERS)


def fractions(*decimals):
    return [Fraction(text) for text in decimals]


ranged = st.integers(3, 9).flatmap(lambda n: st.lists(signed_values, min_size=n, max_size=n))


@st.composite
def improved(draw):
    """A run, and the same with some of its requests better and none worse."""
    before = draw(ranged)
    gains = st.sampled_from(fractions("0", "1/1000", "1/6", "1"))
    gained = draw(st.lists(gains, min_size=len(before), max_size=len(before)).filter(any))
    return before, [u + gain for u, gain in zip(before, gained, strict=True)]


@every_order
@settings(max_examples=examples(40))
@given(improved())
def test_what_is_better_for_some_and_worse_for_none_is_better(spec, pair):
    before, after = pair
    assert prefers(spec, after, before) == 1


@pytest.mark.parametrize("spec", ["mean", "gain(alpha=2)"])
@settings(max_examples=examples(40))
@given(improved())
def test_the_mean_and_the_symmetric_gain_have_the_pareto_property(spec, pair):
    before, after = pair
    assert prefers(spec, after, before) == 1


@given(st.lists(exact_values.filter(bool), min_size=1, max_size=6), st.data())
def test_the_geometric_mean_has_the_pareto_property_above_its_floor(u, data):
    place = data.draw(st.integers(0, len(u) - 1))
    better = [*u[:place], u[place] + Fraction(1, 10), *u[place + 1 :]]
    assert prefers("gmean", better, u) == 1


def test_the_geometric_mean_has_no_pareto_property_below_its_floor():
    assert prefers("gmean", fractions("0.5", "0.000009"), fractions("0.5", "0")) == 0


@pytest.mark.parametrize(
    ("spec", "better", "worse"),
    [
        ("min", ["1", "0.9", "0.1"], ["1", "0.8", "0.1"]),
        ("max", ["1", "0.9", "0.1"], ["1", "0.8", "0.1"]),
        ("median", ["0.5", "0.5", "0.5"], ["0.5", "0.5", "0"]),
        ("lower_area", ["0.1", "0.2", "0.3", "0.9"], ["0.1", "0.2", "0.3", "0.4"]),
        ("positive", ["0.9"], ["0.1"]),
        ("cvar(share=0.5)", ["0.1", "0.9"], ["0.1", "0.2"]),
    ],
)
def test_populations_that_look_at_a_part_can_miss_that_a_run_is_better(spec, better, worse):
    assert prefers(spec, fractions(*better), fractions(*worse)) == 0


@given(tables(signed_values, runs=(2, 5)))
def test_smoothing_with_lag_one_is_leximin(rows):
    assert scores("smoothed_leximin(lag=1)", rows, exact=True) == scores("leximin", rows, exact=True)


@given(tables(runs=(2, 5)))
def test_smoothing_over_all_requests_is_the_order_of_the_mean(rows):
    n = len(rows[0])
    assert scores(f"smoothed_leximin(lag={n})", rows, exact=True) == slow.runs_below(rows, slow.by_mean)


@given(pairs(signed_values))
def test_leximin_never_contradicts_the_difference_principle(pair):
    x, y = pair
    if min(x) != min(y):
        assert prefers("leximin", x, y) == slow.sign(min(x) - min(y)) == prefers("min", x, y)


@given(pairs(signed_values))
def test_leximax_is_leximin_of_the_negated_runs_the_other_way_round(pair):
    x, y = pair
    assert prefers("leximax", x, y) == -prefers("leximin", [-u for u in x], [-u for u in y])


@given(pairs(signed_values), st.fractions(0, 5))
def test_the_symmetric_gain_is_a_multiple_of_the_mean_difference(pair, alpha):
    x, y = (np.array(u, dtype=object) for u in pair)
    assert symmetric_gain(x, y, alpha) == (2 + alpha) * (slow.mean(pair[0]) - slow.mean(pair[1]))
    assert symmetric_gain(y, x, alpha) == -symmetric_gain(x, y, alpha)


@given(pairs(signed_values))
def test_the_gain_without_aversion_is_the_mean_difference(pair):
    x, y = (np.array(u, dtype=object) for u in pair)
    assert risk_gain(x, y, 0) == slow.mean(pair[0]) - slow.mean(pair[1])


def test_the_gain_one_way_can_contradict_the_mean():
    # One gains 0.3, the other loses 0.2 twice over: 0.3 - 2 * 0.2 < 0, though the mean is larger.
    x, y = (np.array(fractions(*u), dtype=object) for u in (["0.5", "0.2"], ["0.2", "0.4"]))
    assert risk_gain(x, y, 1) == Fraction("-0.1") / 2
    assert prefers("mean", x.tolist(), y.tolist()) == 1


@given(st.data())
def test_leximin_of_two_values_is_the_order_of_the_mean(data):
    low, high = sorted(data.draw(st.lists(signed_values, min_size=2, max_size=2, unique=True)))
    rows = data.draw(tables(st.sampled_from([low, high]), runs=(2, 5)))
    by_mean = slow.runs_below(rows, slow.by_mean)
    for spec in ("leximin", "leximax", "smoothed_leximin(lag=1)"):
        assert scores(spec, rows, exact=True) == by_mean


@given(tables(st.sampled_from([Fraction(0), Fraction(1)]), runs=(2, 5)))
def test_success_is_leximin_and_the_mean_of_success(rows):
    met = scores("positive", rows, exact=True)
    assert met == scores("mean", rows, exact=True)
    assert scores("leximin", rows, exact=True) == [sum(a > b for b in met) for a in met]


@every_order
@settings(max_examples=examples(40))
@given(pairs(signed_values, requests=(3, 9)))
def test_orders_are_antisymmetric(spec, pair):
    x, y = pair
    assert prefers(spec, x, y) == -prefers(spec, y, x)
    assert prefers(spec, x, x) == 0


@every_order
@settings(max_examples=examples(40))
@given(tables(signed_values, runs=(3, 3), requests=(3, 5)))
def test_orders_are_transitive(spec, rows):
    for x, y, z in permutations(rows):
        if prefers(spec, x, y) >= 0 and prefers(spec, y, z) >= 0:
            assert prefers(spec, x, z) == max(prefers(spec, x, y), prefers(spec, y, z))


@every_order
@settings(max_examples=examples(40))
@given(tables(signed_values, runs=(2, 5), requests=(3, 9)))
def test_what_two_runs_do_does_not_depend_on_the_others(spec, rows):
    together = scores(spec, rows, exact=True)
    assert slow.sign(together[0] - together[1]) == prefers(spec, rows[0], rows[1])


@pytest.mark.parametrize("spec", ["leximin", "leximax"])
@settings(max_examples=examples(40))
@given(pairs(signed_values))
def test_orders_tie_exactly_where_the_same_utilities_are_shared_out_otherwise(spec, pair):
    x, y = pair
    assert (prefers(spec, x, y) == 0) == (sorted(x) == sorted(y))


@every_order
@settings(max_examples=examples(40))
@given(pairs(signed_values, requests=(3, 9)), st.fractions(Fraction(1, 10), 10), signed_values)
def test_orders_are_unmoved_by_the_scale_and_the_zero_of_utilities(spec, pair, scale, shift):
    moved = [[scale * u + shift for u in run] for run in pair]
    assert prefers(spec, *moved) == prefers(spec, *pair)


@given(tables(runs=(1, 1), requests=(1, 9)), st.fractions(Fraction(1, 10), 10))
def test_gini_has_no_unit_and_stays_below_one(rows, scale):
    assume(any(rows[0]))
    (actual,) = scores("gini", rows, exact=True)
    assert scores("gini", [[scale * u for u in rows[0]]], exact=True) == [actual]
    assert 0 <= -actual < 1


@given(tables(signed_values, runs=(1, 1), requests=(4, 12)))
def test_numbers_of_the_worst_requests_stand_between_the_minimum_and_the_mean(rows):
    (worst,), (middle,) = scores("min", rows, exact=True), scores("mean", rows, exact=True)
    for spec in ("cvar", "cvar(share=0.3)", "cvar(share=0.9)", "lower_area", "lower_area(share=0.6)"):
        (actual,) = scores(spec, rows, exact=True)
        assert worst <= actual <= middle
    assert scores("cvar(share=1)", rows, exact=True) == [middle]
    assert scores("quantile(share=0)", rows, exact=True) == [worst]


# The worked examples of PE: which of two runs is better; 1 the first, -1 the second

EXAMPLES = [
    ("3.4 Pareto", "1 0.9 0.1", "1 0.8 0.1", {"min": 0, "leximin": 1, "mean": 1}),
    ("3.4 utility against difference", "1 0.0 0.0", "0.3 0.3 0.3", {"mean": 1, "min": -1, "leximin": -1}),
    ("5 gmean against mean", "1 0.9 0.1", "0.5 0.5 0.5", {"gmean": -1, "mean": 1}),
    ("5 gmean against difference", "0.25 0.25 0.25", "1 0.9 0.1", {"gmean": -1, "min": 1, "leximin": 1}),
    (
        "5 auc4 against difference",
        "1 0.9 0.7 0.6 0.4 0.3 0.1 0.05",
        "1 0.9 0.7 0.6 0.4 0.3 0.3 0.0",
        {"auc4": -1, "min": 1, "leximin": 1},
    ),
    ("5 gini against Pareto", "0.6 0.5 0.5", "0.5 0.5 0.5", {"gini": -1, "mean": 1, "leximin": 1, "leximax": 1}),
    ("5 gini against difference", "0.8 0.6 0.5 0.3", "0.5 0.3 0.3 0.2", {"gini": -1, "min": 1, "leximin": 1}),
    (
        "7 smoothed against mean",
        "1 0.0 0.0",
        "0.2 0.2 0.2",
        {"smoothed_leximin(lag=1)": -1, "smoothed_leximin(lag=2)": -1, "smoothed_leximin(lag=3)": 1, "mean": 1},
    ),
    (
        "7 smoothed against difference",
        "0.1 0.1 0.1",
        "0.25 0.25 0.0",
        {"smoothed_leximin(lag=1)": 1, "smoothed_leximin(lag=2)": -1, "smoothed_leximin(lag=3)": -1, "leximin": 1},
    ),
]


@pytest.mark.parametrize(("x", "y", "expected"), [case[1:] for case in EXAMPLES], ids=[case[0] for case in EXAMPLES])
def test_examples_of_the_paper(x, y, expected):
    pair = fractions(*x.split()), fractions(*y.split())
    assert {spec: prefers(spec, *pair) for spec in expected} == expected
    as_floats = [[float(u) for u in run] for run in pair]
    for spec, preferred in expected.items():
        first, second = scores(spec, as_floats)
        assert slow.sign(first - second) == preferred
