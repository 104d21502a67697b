"""Ordered weighted averages and Atkinson's welfare: by hand, against slow twins, and their laws."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from populations import slow
from populations.tables import binary_values, exact_values, prefers, scores, signed_values, table_of, tables
from tiebreak.exact.decimals import decimal_number
from tiebreak.populations import population
from tiebreak.populations.atkinson import AtkinsonWelfare
from tiebreak.populations.ordered import OrderedWeightedAverage

one_run = st.lists(exact_values, min_size=1, max_size=7)
BETWEEN = [
    *("owa", "owa(weights='dcg')", "owa(weights='3,2,1')", "gini_welfare", "gini_welfare(delta=5)"),
    *(
        "atkinson_welfare",
        "atkinson_welfare(epsilon=0.25)",
        "atkinson_welfare(epsilon=1)",
        "atkinson_welfare(epsilon=3)",
    ),
]


def value(spec, u):
    (number,) = scores(spec, [u], exact=True)
    return number


# By hand


def test_ordered_weighted_averages_by_hand():
    u = [Fraction(9, 10), Fraction(1, 10), Fraction(4, 10)]
    # From the worst: 0.1, 0.4, 0.9. Inverse: (0.1 + 0.4 / 2 + 0.9 / 3) / (1 + 1/2 + 1/3) = 0.6 / (11/6)
    assert value("owa", u) == Fraction(6, 10) / Fraction(11, 6)
    # (3 x 0.1 + 1 x 0.4 + 1 x 0.9) / 5: the last weight is for all beyond.
    assert value("owa(weights='3,1')", u) == Fraction(16, 10) / 5
    # (3^2 - 2^2) 0.1 + (2^2 - 1) 0.4 + 0.9 of 9
    assert value("gini_welfare", u) == (Fraction(5, 10) + Fraction(12, 10) + Fraction(9, 10)) / 9


def test_atkinson_welfare_by_hand():
    u = [Fraction(1, 4), Fraction(1)]
    # ((1/2 + 1) / 2)^2, sqrt(1/4), 2 / (4 + 1), and ((4^2 + 1) / 2)^(-1/2)
    assert value("atkinson_welfare", u) == Fraction(9, 16)
    assert value("atkinson_welfare(epsilon=1)", u) == Fraction(1, 2)
    assert value("atkinson_welfare(epsilon=2)", u) == Fraction(2, 5)
    assert float(value("atkinson_welfare(epsilon=3)", u)) == (2 / 17) ** 0.5


def test_from_an_aversion_of_one_on_a_zero_makes_it_zero():
    for epsilon in (1, 1.5, 4):
        assert value(f"atkinson_welfare(epsilon={epsilon})", [Fraction(1), Fraction(0)]) == 0
    assert value("atkinson_welfare", [Fraction(1), Fraction(0)]) == Fraction(1, 4)
    assert value("atkinson_welfare", [Fraction(0), Fraction(0)]) == 0


# Against slow twins


@given(one_run, st.integers(1, 3))
def test_gini_welfare_is_the_expected_worst_of_requests_that_are_drawn(u, delta):
    assert value(f"gini_welfare(delta={delta})", u) == slow.expected_worst(u, delta)


@given(one_run)
def test_gini_welfare_of_two_is_the_mean_less_its_gini_share(u):
    assert value("gini_welfare", u) == slow.mean(u) * (1 - slow.gini(u))


@given(st.lists(st.tuples(signed_values, st.integers(0, 5)), min_size=1, max_size=7))
def test_ordered_weighted_average_with_a_weight_for_every_request(cells):
    u, weights = ([cell[k] for cell in cells] for k in (0, 1))
    assume(any(weights))
    one = OrderedWeightedAverage(weights=tuple(weights))
    (score,) = one.scores(table_of([u], exact=True))
    assert score == slow.weighted_mean(sorted(u), weights)


def power_mean(u, epsilon):
    """To 90 digits."""
    with localcontext(prec=110):
        power = 1 - Decimal(str(epsilon))
        numbers = [Decimal(x.numerator) / x.denominator for x in u]
        if power <= 0 and min(u) == 0:
            return Decimal(0)
        if power == 0:
            return (sum((x.ln() for x in numbers), Decimal(0)) / len(u)).exp()
        total = sum((x**power if x else Decimal(0) for x in numbers), Decimal(0))
        root = (total / len(u)) ** (1 / power) if total else total
    with localcontext(prec=90):
        return +root


decimals = st.one_of(st.integers(0, 100).map(lambda k: k / 100), st.floats(1e-20, 1))


@settings(max_examples=examples(200))
@given(
    st.lists(decimals, min_size=1, max_size=12),
    st.sampled_from([0, 0.01, 0.3, 0.5, 0.99, 0.999999, 1, 1.000001, 1.5, 2, 3, 40, 100]),
)
def test_atkinson_welfare_is_the_nearest_float(row, epsilon):
    expected = power_mean([decimal_number(x) for x in row], epsilon)
    assert scores(f"atkinson_welfare(epsilon={epsilon})", [row]) == [float(expected)]


# Laws


@pytest.mark.parametrize("spec", BETWEEN)
@settings(max_examples=examples(40))
@given(tables(runs=(1, 1), requests=(3, 9)))
def test_welfare_is_between_the_minimum_and_the_mean(spec, rows):
    (u,) = rows
    assert min(u) <= population(spec).scores(table_of([u], exact=True))[0] <= slow.mean(u)


@pytest.mark.parametrize("spec", BETWEEN)
@settings(max_examples=examples(25))
@given(exact_values, st.integers(3, 6))
def test_welfare_of_equal_utilities_is_that_utility(spec, x, n):
    assert population(spec).scores(table_of([[x] * n], exact=True))[0] == x


@pytest.mark.parametrize("spec", BETWEEN)
@settings(max_examples=examples(40))
@given(st.lists(binary_values.filter(bool), min_size=3, max_size=7), st.data())
def test_what_is_better_for_one_and_worse_for_none_is_better(spec, u, data):
    place = data.draw(st.integers(0, len(u) - 1))
    assert prefers(spec, [*u[:place], u[place] + Fraction(1, 1000), *u[place + 1 :]], u) == 1


@pytest.mark.parametrize("spec", BETWEEN)
@settings(max_examples=examples(40))
@given(st.integers(1, 6), st.lists(st.integers(1, 8), min_size=1, max_size=5), st.data())
def test_a_transfer_to_a_worse_off_request_is_not_worse(spec, poor, others, data):
    """Pigou and Dalton; strictly better but where neighbours in order have equal weights."""
    rich = data.draw(st.integers(poor + 2, 8))
    before, after = [poor, rich, *others], [poor + 1, rich - 1, *others]
    assert prefers(spec, *([Fraction(x, 8) for x in run] for run in (after, before))) >= (
        spec != "owa(weights='3,2,1')"
    )


@given(tables(runs=(2, 5)))
def test_ends_are_the_mean_and_the_minimum(rows):
    by_mean = scores("mean", rows, exact=True)
    for spec in ("owa(weights='uniform')", "owa(weights='7')", "gini_welfare(delta=1)", "atkinson_welfare(epsilon=0)"):
        assert scores(spec, rows, exact=True) == by_mean
    if len(rows[0]) > 1:
        assert scores("owa(weights='1,0')", rows, exact=True) == scores("min", rows, exact=True)


@given(one_run.filter(lambda u: len(set(u)) > 1 and 0 not in u))
def test_more_aversion_is_nearer_to_the_minimum(u):
    for name, option, grid in (
        ("gini_welfare", "delta", (1, 2, 3, 9)),
        ("atkinson_welfare", "epsilon", (0, 0.5, 1, 1.5, 9)),
    ):
        numbers = [population(f"{name}({option}={step})").scores(table_of([u], exact=True))[0] for step in grid]
        assert all(before > after > min(u) for before, after in pairwise(numbers))


def test_equal_power_means_tie_and_different_ones_do_not():
    # Roots: 0.9 + 0.1 = 0.5 + 0.5; the next differs in the 16th digit of a utility.
    result = tb.Utilities(
        {"a": {"p": 0.81, "q": 0.01}, "b": {"p": 0.25, "q": 0.25}, "c": {"p": 0.25, "q": 0.2500000000000001}}
    )
    assert result.order("atkinson_welfare").ranks.tolist() == [2, 2, 1]
    # Harmonic: 2 / (1/0.2 + 1/0.6) = 2 / (1/0.3 + 1/0.3) = 0.3
    result = tb.Utilities({"a": {"p": 0.2, "q": 0.6}, "b": {"p": 0.3, "q": 0.3}})
    assert result.order("atkinson_welfare(epsilon=2)").n_tied == 2


def test_utilities_of_any_size_have_a_welfare():
    rows = [[1e-300, 1e-290], [1e150, 3e150], [5e-324, 1.0]]
    for epsilon in (0.5, 0.99, 3, 100):
        expected = [float(power_mean([decimal_number(x) for x in row], epsilon)) for row in rows]
        assert [scores(f"atkinson_welfare(epsilon={epsilon})", [row])[0] for row in rows] == expected


def test_values_below_all_floats_are_not_taken_for_zeros():
    # RBP 4/5 of a relevant item at position 4,000 is 1/5 x 0.8^3999, some 1e-388.
    exp = tb.Experiment(
        {"q": {"a": 1}, "r": {"a": 1}}, [{"q": ranking(4000), "r": ranking(1)}, {"q": {}, "r": ranking(1)}]
    )
    result = exp.utilities("RBP")
    assert result.order("atkinson_welfare(epsilon=2)").ranks.tolist() == [1, 2]
    assert result.order("atkinson_welfare(epsilon=0.9)").n_tied == 0


def ranking(position):
    return {"a": 0.5, **{f"x{k}": float(k) for k in range(1, position)}}


def test_order_of_requests_changes_no_bit():
    row = np.random.default_rng(0).random(200)
    for spec in BETWEEN:
        assert scores(spec, [row]) == scores(spec, [row[::-1]])


# Bad input

NUMBERS = "Give finite numbers of 0 and above for the worst requests, such as '2,1', or one of uniform, dcg, inverse."


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("owa(weights='a')", 'unknown owa: weights "a"'),
        ("owa(weights='-1,2')", f"weights='-1,2'. {NUMBERS}"),
        ("owa(weights='nan,1')", f"weights='nan,1'. {NUMBERS}"),
        ("owa(weights='nan')", f"weights='nan'. {NUMBERS}"),
        ("owa(weights='')", f"weights=''. {NUMBERS}"),
        ("owa(weights='1_0,2')", f"weights='1_0,2'. {NUMBERS}"),
        ("owa(weights='0,0')", "Give at least one above 0."),
        ("gini_welfare(delta=0)", "delta=0. Give a whole number from 1 to 1,000."),
        ("gini_welfare(delta=1.5)", "delta=1.5. Give a whole number"),
        ("atkinson_welfare(epsilon=-1)", "epsilon=-1. Give a number of at least 0 and at most 100."),
    ],
)
def test_bad_parameters_are_refused(spec, message):
    with pytest.raises(tb.InputError) as caught:
        population(spec)
    assert message in str(caught.value)


def test_more_weights_than_requests_are_refused():
    result = tb.Utilities({"a": {"p": 1, "q": 0}})
    with pytest.raises(tb.InputError, match=r"3 weights for 2 requests\. Give at most one for each."):
        result.order("owa(weights='3,2,1')")


def test_utilities_below_zero_have_no_power_mean():
    with pytest.raises(tb.InputError, match="not defined for utilities below 0"):
        tb.Utilities({"a": {"p": -1}}).order(AtkinsonWelfare())
