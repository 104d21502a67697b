"""Populations: by hand, against slow exact twins, and what must not move them."""

from fractions import Fraction
from math import exp, inf, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from populations import slow
from populations.tables import (
    binary_values,
    float_values,
    pairs,
    ranks_by_run,
    risk_gain,
    scores,
    signed_values,
    symmetric_gain,
    tables,
    values_by_run,
)
from tiebreak.errors import InputError
from tiebreak.populations import ALIASES, CATALOGUE, lexicographic, population


def of_each(function, *arguments):
    return lambda rows: [function(row, *arguments) for row in rows]


def against_the_first(function, *arguments):
    return lambda rows: [function(row, rows[0], *arguments) for row in rows]


def minus(function):
    return lambda rows: [-function(row) for row in rows]


TENTH, THREE_TENTHS, HALF = Fraction(1, 10), Fraction(3, 10), Fraction(1, 2)

# Populations whose numbers are fractions of fractions.
EXACT = {
    "mean": of_each(slow.mean),
    "median": of_each(slow.median),
    "quantile": of_each(slow.quantile, HALF),
    "quantile(share=0)": of_each(slow.quantile, Fraction(0)),
    "quantile(share=0.1)": of_each(slow.quantile, TENTH),
    "quantile(share=0.3)": of_each(slow.quantile, THREE_TENTHS),
    "quantile(share=1)": of_each(slow.quantile, Fraction(1)),
    "min": of_each(min),
    "max": of_each(max),
    "positive": of_each(slow.positive),
    "cvar": of_each(slow.cvar, TENTH),
    "cvar(share=0.3)": of_each(slow.cvar, THREE_TENTHS),
    "cvar(share=1)": of_each(slow.cvar, Fraction(1)),
    "gini": minus(slow.gini),
    "gain(alpha=2)": lambda rows: [(2 + 2) * slow.mean(row) for row in rows],
    "urisk(baseline='run0', alpha=0)": against_the_first(slow.urisk, 0),
    "urisk(baseline='run0', alpha=2)": against_the_first(slow.urisk, 2),
}
AREAS = {
    "lower_area": of_each(slow.lower_area),
    "lower_area(share=0.3)": of_each(slow.lower_area, THREE_TENTHS),
    "lower_area(share=1)": of_each(slow.lower_area, Fraction(1)),
}
ROOTS = {
    "gmean": of_each(slow.gmean),
    "gmean(floor=0.25)": of_each(slow.gmean, Fraction(1, 4)),
    "georisk": lambda rows: slow.georisk(rows, 1),
    "georisk(alpha=0.5)": lambda rows: slow.georisk(rows, 0.5),
    "urisk(baseline='run0', alpha=0.5)": against_the_first(slow.urisk, HALF),
    "gain": lambda rows: [(2 + 1) * slow.mean(row) for row in rows],
}
ORDERS = {"leximin": slow.leximin, "leximax": slow.leximax}
EVERY = [*EXACT, *AREAS, *ROOTS, *ORDERS, "smoothed_leximin(lag=2)", "trisk(baseline='run0')"]
TAKE_WEIGHTS = ["mean", "gmean", "gain", "urisk", "trisk", "georisk"]


def close(numbers):
    return pytest.approx([float(number) for number in numbers], rel=1e-12, abs=1e-12)


def made_of(name):
    """A population with what it cannot do without."""
    return population(f"{name}(baseline='run0')" if name in ("urisk", "trisk") else name)


def utilities(*rows, **more):
    return tb.Utilities({f"run{r}": {f"q{q}": u for q, u in enumerate(row)} for r, row in enumerate(rows)}, **more)


# Against slow twins


@pytest.mark.parametrize("spec", EXACT)
@settings(max_examples=examples(40))
@given(rows=tables())
def test_fractions_give_exactly_what_the_slow_twin_gives(spec, rows):
    assert scores(spec, rows, exact=True) == EXACT[spec](rows)


@pytest.mark.parametrize("spec", AREAS)
@settings(max_examples=examples(40))
@given(rows=tables(requests=(4, 12)))
def test_lower_areas_of_fractions_are_exactly_the_double_sum(spec, rows):
    assert scores(spec, rows, exact=True) == AREAS[spec](rows)


@pytest.mark.parametrize("spec", [*EXACT, *ROOTS])
@settings(max_examples=examples(25))
@given(rows=tables(float_values))
@example(rows=[[Fraction(0)] * 3] * 2)
@example(rows=[[Fraction(0)] * 2, [Fraction(0), Fraction(1)]])
def test_floats_give_what_the_slow_twin_gives(spec, rows):
    assert scores(spec, rows) == close((EXACT | ROOTS)[spec](rows))


@pytest.mark.parametrize("spec", AREAS)
@settings(max_examples=examples(40))
@given(rows=tables(float_values, requests=(4, 12)))
def test_lower_areas_of_floats_are_the_double_sum(spec, rows):
    assert scores(spec, rows) == close(AREAS[spec](rows))


@pytest.mark.parametrize("spec", [spec for spec in EXACT if spec != "gini"])
@settings(max_examples=examples(25))
@given(rows=tables(signed_values))
def test_utilities_below_zero_are_as_good_as_others(spec, rows):
    assert scores(spec, rows, exact=True) == EXACT[spec](rows)


@given(rows=tables(binary_values, requests=(2, 9)), alpha=st.sampled_from([0, 0.5, 1, 4]))
def test_trisk_is_that_of_the_slow_twin(rows, alpha):
    assert scores(f"trisk(baseline='run0', alpha={alpha})", rows) == close(
        against_the_first(slow.trisk, Fraction(alpha))(rows)
    )


@given(
    difference=st.floats(-1, 1).filter(lambda d: d == 0 or abs(d) > 1e-9),
    n=st.integers(2, 12),
    alpha=st.sampled_from([0, 1]),
)
def test_trisk_is_infinite_where_every_request_differs_by_the_same(difference, n, alpha):
    actual = scores(f"trisk(baseline='run0', alpha={alpha})", [[0.0] * n, [difference] * n])
    assert actual == [0, inf * slow.sign(difference) if difference else 0]


weighted = tables(float_values).flatmap(
    lambda rows: st.tuples(
        st.just(rows),
        st.lists(st.integers(0, 9).map(Fraction), min_size=len(rows[0]), max_size=len(rows[0])).filter(any),
    )
)
WEIGHTED = {
    "mean": lambda row, base, weights: slow.weighted_mean(row, weights),
    "gmean": lambda row, base, weights: slow.weighted_gmean(row, weights),
    "gain(alpha=3)": lambda row, base, weights: 5 * slow.weighted_mean(row, weights),
    "urisk(baseline='run0', alpha=3)": lambda row, base, weights: slow.weighted_urisk(row, base, 3, weights),
}


@pytest.mark.parametrize("spec", WEIGHTED)
@settings(max_examples=examples(40))
@given(case=weighted)
def test_weighted_requests_count_as_in_the_slow_twin(spec, case):
    rows, weights = case
    expected = [WEIGHTED[spec](row, rows[0], weights) for row in rows]
    assert scores(spec, rows, weights) == close(expected)


@given(pair=pairs(signed_values), alpha=st.fractions(0, 5))
def test_gain_between_two_runs_is_that_of_the_slow_twin(pair, alpha):
    x, y = map(exact_array, pair)
    assert risk_gain(x, y, alpha) == slow.risk_gain(*pair, alpha)
    assert symmetric_gain(x, y, alpha) == slow.symmetric_gain(*pair, alpha)


def exact_array(u):
    return np.array(u, dtype=object)


@pytest.mark.parametrize("spec", ORDERS)
@pytest.mark.parametrize("exact", [True, False], ids=["fractions", "floats"])
@settings(max_examples=examples(40))
@given(rows=tables(runs=(1, 6)))
def test_lexicographic_orders_are_those_of_the_slow_twin(spec, exact, rows):
    assert scores(spec, rows, exact=exact) == slow.runs_below(rows, ORDERS[spec])


def meant(number):
    """A float with up to 15 digits means that decimal, any other is what it is."""
    short = f"{number:.15g}"
    return Fraction(short) if float(short) == number else Fraction(number)


@pytest.mark.parametrize("exact", [True, False], ids=["fractions", "floats"])
@settings(max_examples=examples(40))
@given(rows=tables(runs=(1, 6)), data=st.data())
def test_smoothed_orders_are_those_of_the_slow_twin(exact, rows, data):
    lag = data.draw(st.integers(1, len(rows[0])))
    held = rows if exact else [[meant(float(u)) for u in row] for row in rows]
    expected = slow.runs_below(held, lambda x, y: slow.smoothed_leximin(x, y, lag))
    assert scores(f"smoothed_leximin(lag={lag})", rows, exact=exact) == expected


@pytest.mark.parametrize("spec", [*ORDERS, "smoothed_leximin(lag=2)"])
@settings(max_examples=examples(40))
@given(rows=tables(binary_values, runs=(2, 5), requests=(2, 9)), size=st.integers(1, 3))
def test_orders_do_not_depend_on_how_many_requests_are_looked_at_at_once(spec, rows, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexicographic, "FIRST_BLOCK", size)
        in_blocks = scores(spec, rows, exact=True)
    assert in_blocks == scores(spec, rows, exact=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spec", [*ORDERS, "smoothed_leximin(lag=2)", "smoothed_leximin(lag=1000)"])
def test_the_last_of_many_requests_can_decide(spec):
    rows = [[HALF] * 1000, [*[HALF] * 999, 1], [*[HALF] * 999, 0], [HALF] * 1000]
    assert scores(spec, rows) == [1, 3, 0, 1]


# By hand


@pytest.mark.parametrize(
    ("spec", "row", "expected"),
    [
        ("mean", [1, 0.5, 0], (1 + 0.5 + 0) / 3),
        ("median", [0.9, 0.1, 0.4], 0.4),
        ("median", [0.75, 0, 0.25, 1], (0.25 + 0.75) / 2),
        # Place (5 - 1) * 0.3 = 1.2: a fifth of the way from the second smallest to the third.
        ("quantile(share=0.3)", [0.5, 0, 1, 0.25, 0.75], 0.25 + 0.2 * (0.5 - 0.25)),
        ("min", [0.3, 0.2, 0.9], 0.2),
        ("max", [0.3, 0.2, 0.9], 0.9),
        ("gmean", [0.5, 0.125], 0.25),  # 0.5 * 0.125 = 0.25 squared
        ("gmean", [0, 1], sqrt(1e-5)),
        ("gmean(floor=0.04)", [0.01, 1], 0.2),  # 0.04 * 1 = 0.2 squared
        # k = 2: of 0.05 and of 0.05 and 0.1 (PE 5).
        ("lower_area", [1, 0.9, 0.7, 0.6, 0.4, 0.3, 0.1, 0.05], (0.05 + (0.05 + 0.1) / 2) / 2),
        ("lower_area(share=0.5)", [4, 2, 8, 6], (2 + (2 + 4) / 2) / 2),
        ("lower_area", [5, 3, 4, 7, 6, 1, 2], 1),  # k = floor(7 / 4) = 1
        ("positive", [0, 0.1, 0, 1], 2 / 4),
        ("cvar(share=0.5)", [4, 1, 3, 2], (1 + 2) / 2),
        # 0.3 * 5 = 1.5: all of the worst and half of the next.
        ("cvar(share=0.3)", [5, 4, 3, 2, 1], (1 + 0.5 * 2) / 1.5),
        ("cvar(share=0.1)", [5, 4, 3], 3),  # less than one request is the worst of them
        # Pairs differ by 0, 1, 1 in one direction, the mean is 1/3: 2 * (1 + 1) / (2 * 9) / (1/3).
        ("gini", [1, 0, 0], -2 / 3),
        ("gini", [0.2, 0.2, 0.2], 0),
        ("gini", [0, 0], 0),
        ("gain", [0.5, 0.25], (2 + 1) * 0.375),
    ],
)
def test_numbers_by_hand(spec, row, expected):
    assert scores(spec, [row]) == close([expected])


def test_risk_by_hand():
    # Gains 0.5 and 0.25, a loss of 0.25 that counts twice: (0.5 + 0.25 - 0.5) / 3.
    base, row = [0.25, 0.5, 0.5], [0.75, 0.75, 0.25]
    assert scores("urisk(baseline='run0')", [base, row]) == close([0, 0.25 / 3])
    # The other way round two losses count twice: (-1 - 0.5 + 0.25) / 3.
    assert scores("urisk(baseline='run1')", [base, row]) == close([-1.25 / 3, 0])
    # 1 and -2 * 0.5: mean 0; 1 and 0: mean 0.5, deviations of 0.5 each, variance 0.25 + 0.25, over 2 requests.
    assert scores("trisk(baseline='run0')", [[0, 0.5], [1, 0], [1, 0.5]]) == close([0, 0, 0.5 / sqrt(0.5 / 2)])


def test_georisk_by_hand():
    # Sums of runs 1 and 1, of requests 1 and 1, of all 2: 1/2 is expected everywhere, and z = +-(1/2) / sqrt(1/2).
    z = 0.5 / sqrt(0.5)
    expected = sqrt(0.5 * slow.normal((z - 2 * z) / 2))
    assert scores("georisk", [[1, 0], [0, 1]]) == close([expected, expected])
    # Runs that share out every request alike meet the expectation: z = 0 and Phi = 1/2.
    assert scores("georisk", [[0.25, 0.5], [0.5, 1]]) == close([sqrt(0.375 / 2), sqrt(0.75 / 2)])
    assert scores("georisk", [[0, 0], [0, 0]]) == [0, 0]


def test_lexicographic_orders_by_hand():
    # Sorted: 0.1 0.2 0.9; 0.1 0.3 0.3; 0.1 0.2 0.9 once more; 0 1 1.
    rows = [[0.9, 0.1, 0.2], [0.3, 0.3, 0.1], [0.2, 0.9, 0.1], [1, 1, 0]]
    assert scores("leximin", rows) == [1, 3, 1, 0]
    assert scores("leximax", rows) == [1, 0, 1, 3]
    # Pairs of neighbours: 0.3 1.1; 0.4 0.6; 0.3 1.1; 1 2.
    assert scores("smoothed_leximin(lag=2)", rows) == [0, 2, 0, 3]


def test_runs_tie_by_leximin_where_their_utilities_are_the_same_in_another_order():
    result = utilities([0.1, 0.5, 0.9], [0.9, 0.1, 0.5], [0.1, 0.5, 0.8])
    assert result.order("leximin").groups == (("run0", "run1"), ("run2",))
    assert result.order("leximin").scores.tolist() == [1, 1, 0]


def test_windows_tie_where_their_sums_are_equal():
    # Pairs of neighbours: 0.125 + 0.625 = 0.375 + 0.375; then 0.625 + 0.75 against 0.375 + 0.5.
    rows = [[0.125, 0.625, 0.75], [0.375, 0.375, 0.5]]
    assert scores("smoothed_leximin(lag=2)", rows) == [1, 0]
    assert scores("smoothed_leximin(lag=2)", [row[:2] for row in rows]) == [0, 0]


def test_gini_is_shown_as_itself_and_the_smallest_is_first():
    order = utilities([1, 0], [0.25, 0.25]).order("gini")
    assert order.ranking() == ["run1", "run0"]
    assert order.scores.tolist() == [0.5, 0]
    assert values_by_run(utilities([1, 0]).evaluate("gini")) == {"run0": {"gini": 0.5}}


@pytest.mark.parametrize(
    ("alias", "spec"),
    [
        ("avg", "mean"),
        ("gavg", "gmean"),
        ("lmin", "leximin"),
        ("lmax", "leximax"),
        ("maximin", "min"),
        ("auc4", "lower_area"),
        ("s@10", "positive(P@10)"),
        ("T(baseline='a')", "urisk(baseline='a')"),
        ("URisk(baseline='a', alpha=3)", "urisk(baseline='a', alpha=3)"),
        ("TRisk(baseline='a')", "trisk(baseline='a')"),
        ("GeoRisk", "georisk"),
        ("CVaR(share=0.2)", "cvar(share=0.2)"),
    ],
)
def test_names_of_the_papers_are_known(alias, spec):
    assert population(alias) == population(spec)


def test_every_alias_stands_for_a_population():
    assert {target.partition("(")[0] for target in ALIASES.values()} <= set(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_population_prints_as_the_spec_that_makes_it(name):
    assert population(str(made_of(name))) == made_of(name)


# What must not move them


@pytest.mark.slow
@pytest.mark.parametrize("spec", [spec for spec in EVERY if not spec.startswith("lower_area")])
@settings(max_examples=examples(25))
@given(rows=tables(float_values, requests=(2, 9)), chance=st.randoms(use_true_random=False))
def test_the_order_of_requests_moves_no_bit(spec, rows, chance):
    places = list(range(len(rows[0])))
    chance.shuffle(places)
    assert scores(spec, [[row[place] for place in places] for row in rows]) == scores(spec, rows)


@pytest.mark.parametrize("spec", AREAS)
@settings(max_examples=examples(25))
@given(rows=tables(float_values, requests=(4, 12)), chance=st.randoms(use_true_random=False))
def test_the_order_of_requests_moves_no_bit_of_a_lower_area(spec, rows, chance):
    places = list(range(len(rows[0])))
    chance.shuffle(places)
    assert scores(spec, [[row[place] for place in places] for row in rows]) == scores(spec, rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKE_WEIGHTS)
@settings(max_examples=examples(25))
@given(case=weighted, chance=st.randoms(use_true_random=False))
def test_the_order_of_weighted_requests_moves_no_bit(name, case, chance):
    rows, weights = case
    assume(len(weights) >= CATALOGUE[name].min_requests)
    places = list(range(len(weights)))
    chance.shuffle(places)
    moved = [[row[place] for place in places] for row in rows]
    spec = str(made_of(name))
    assert scores(spec, moved, [weights[place] for place in places]) == scores(spec, rows, weights)


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
@settings(max_examples=examples(25))
@given(rows=tables(float_values, runs=(2, 4), requests=(5, 9)), chance=st.randoms(use_true_random=False))
def test_the_order_of_runs_moves_no_bit(name, rows, chance):
    result = utilities(*rows)
    names = list(result.runs)
    chance.shuffle(names)
    cells = {run: dict(zip(result.requests, result.values[result.runs.index(run)], strict=True)) for run in names}
    before, after = result.order(made_of(name)), tb.Utilities(cells).order(made_of(name))
    assert dict(zip(after.runs, after.scores, strict=True)) == dict(zip(before.runs, before.scores, strict=True))
    assert ranks_by_run(after) == ranks_by_run(before)


# Rounding


@pytest.mark.parametrize("spec", ["leximin", "leximax"])
def test_digits_make_utilities_tie_that_differ_by_less(spec):
    # To two decimals 0.124 and 0.12 are 0.12, and 0.5 stays.
    rows = [[0.124, 0.5], [0.12, 0.5]]
    assert scores(spec, rows) == [1, 0]
    assert scores(f"{spec}(digits=2)", rows) == [0, 0]
    assert scores(f"{spec}(digits=3)", rows) == [1, 0]


def test_digits_are_of_the_utilities_and_not_of_the_sums():
    # Each is 0.1 to one decimal, though their sums, 0.28 and 0.20, differ by more than that.
    rows = [[0.14, 0.14], [0.1, 0.1]]
    assert scores("smoothed_leximin(lag=2)", rows) == [1, 0]
    assert scores("smoothed_leximin(lag=2, digits=1)", rows) == [0, 0]


@pytest.mark.parametrize("spec", ORDERS)
@settings(max_examples=examples(40))
@given(rows=tables(st.integers(0, 20).map(lambda k: Fraction(k, 20)), runs=(2, 5)), data=st.data())
def test_less_than_half_a_digit_is_rounded_away(spec, rows, data):
    noise = st.sampled_from([Fraction(-4, 1000), Fraction(0), Fraction(4, 1000)])
    noisy = [[u + data.draw(noise) for u in row] for row in rows]
    assert scores(f"{spec}(digits=2)", noisy) == slow.runs_below(rows, ORDERS[spec])


# Weights


@pytest.mark.parametrize("name", CATALOGUE)
def test_weights_are_taken_by_means_and_gains_and_refused_by_all_others(name):
    result = utilities(*[[0.1, 0.2, 0.3, 0.4, 0.5]] * 2, weights={f"q{q}": q + 1 for q in range(5)})
    if name in TAKE_WEIGHTS:
        assert result.order(made_of(name)).n_tied == 2
    else:
        with pytest.raises(InputError, match=f"{name} takes no weights"):
            result.order(made_of(name))


def test_weighted_risks_by_hand():
    # Differences 1/4 and -1/4, the loss doubled: 1/4 and -1/2, weights 3 and 1. Mean 1/16; deviations 3/16 and -9/16
    # count by 3/4 and 1/4: 81/4096 each, summed and times 2.
    rows, weights = [[0.5, 0.5], [0.75, 0.25]], [3, 1]
    assert scores("trisk(baseline='run0')", rows, weights)[1:] == close([1 / 16 / sqrt(2 * (81 + 81) / 4096)])
    # Both runs sum to 1 of 2, so what is expected is half of each request's sum: 5/8 and 3/8. z of the first is -1/8
    # and 1/8 over the roots, the loss doubled.
    z = [-2 * 0.125 / sqrt(0.625), 0.125 / sqrt(0.375)]
    expected = sqrt(0.5 * NormalDist().cdf((3 * z[0] + z[1]) / 4))
    assert scores("georisk", rows, weights)[:1] == close([expected])


def test_risk_of_the_only_request_that_counts_is_certain():
    rows = [[0, 0, 0], [0, 0, 0.1], [0.5, 0.5, 0]]
    assert scores("trisk(baseline='run0')", rows, [0, 0, 1]) == [0, inf, 0]


def test_risk_of_tiny_numbers_is_that_of_others():
    rows = [[0, 0, 0], [0.5, -0.25, 0.125]]
    tiny = [[value * 2.0**-600 for value in row] for row in rows]
    assert scores("trisk(baseline='run0')", tiny) == close(scores("trisk(baseline='run0')", rows))


def test_weighted_risks_with_equal_weights_are_those_without():
    rows = [[0.5, 0.25, 0.125], [0.25, 1, 0.5]]
    for spec in ("trisk(baseline='run0')", "georisk"):
        assert scores(spec, rows, [3, 3, 3]) == close(scores(spec, rows))


def test_win_shares_go_by_weight():
    result = utilities([1, 0, 0.5, 0], [0, 0, 0.5, 1], weights={"q0": 1, "q1": 2, "q2": 3, "q3": 4})
    assert result.win_shares("run0", "run1") == (0.1, 0.5, 0.4)
    assert utilities([1, 0, 0.5, 0], [0, 0, 0.5, 1]).win_shares("run1", "run0") == (0.25, 0.5, 0.25)


def test_weighted_numbers_by_hand():
    rows, weights = [[0.5, 0.25], [0.25, 1]], [3, 1]
    assert scores("mean", rows, weights) == close([(3 * 0.5 + 0.25) / 4, (3 * 0.25 + 1) / 4])
    assert scores("gmean", rows, weights) == close([exp((3 * log(0.5) + log(0.25)) / 4), exp(3 * log(0.25) / 4)])
    # The second loses 0.25 three times, each counted twice, and gains 0.75 once.
    assert scores("urisk(baseline='run0')", rows, weights) == close([0, (3 * 2 * -0.25 + 0.75) / 4])


@pytest.mark.parametrize("name", ["mean", "gain", "urisk"])
@settings(max_examples=examples(40))
@given(rows=tables(binary_values, runs=(2, 5)), weight=st.sampled_from([1, 2, 3, 10]))
def test_weights_that_are_all_equal_give_the_order_without_them(name, rows, weight):
    without = utilities(*rows).order(made_of(name))
    equal = utilities(*rows, weights={f"q{q}": weight for q in range(len(rows[0]))}).order(made_of(name))
    assert ranks_by_run(equal) == ranks_by_run(without)
    assert equal.scores.tolist() == close(without.scores)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("mean", [[0.1, 0.3], [0.2, 0.2]]),
        ("gmean", [[0.25, 0.375], [0.125, 0.75]]),
        ("gmean", [[0.125, 0.25, 0.25], [0.125, 0.125, 0.5]]),
    ],
)
@pytest.mark.parametrize("weight", [1, 2, 3, 10])
def test_equal_weights_neither_make_nor_break_ties_by_rounding(name, rows, weight):
    without = utilities(*rows).order(name)
    equal = utilities(*rows, weights={f"q{q}": weight for q in range(len(rows[0]))}).order(name)
    assert equal.scores.tolist() == close(without.scores)
    assert ranks_by_run(equal) == ranks_by_run(without)


def test_a_request_of_weight_zero_does_not_count():
    result = utilities([0.5, 0], [0.25, 1], weights={"q0": 1, "q1": 0})
    assert values_by_run(result.evaluate("mean")) == {"run0": {"mean": 0.5}, "run1": {"mean": 0.25}}


# Large numbers


def test_numbers_whose_squares_are_too_large_are_refused():
    with pytest.raises(
        tb.InputError, match=r'run "run0", request "q1" is 1.5e\+308. Give a finite number, not beyond 1e'
    ):
        utilities([1, 1.5e308])


def test_the_largest_numbers_are_summed():
    assert values_by_run(utilities([1e100, -1e100, 1]).evaluate(["mean", "median"])) == {
        "run0": {"mean": 1 / 3, "median": 1}
    }
    assert ranks_by_run(utilities([9e99], [1e100]).order("leximin(digits=2)")) == {"run1": 1, "run0": 2}


def test_geometric_mean_with_a_shift_has_no_floor():
    result = tb.Utilities({"x": {"q": 0.0, "r": 0.5}, "y": {"q": 0.1, "r": 0.2}})
    actual = values_by_run(result.evaluate(["gmean(shift=0.25)"]))
    assert actual["x"]["gmean(shift=0.25)"] == pytest.approx((0.25 * 0.75) ** 0.5, abs=1e-15)
    assert actual["y"]["gmean(shift=0.25)"] == pytest.approx((0.35 * 0.45) ** 0.5, abs=1e-15)
    assert values_by_run(result.evaluate("gmean"))["x"]["gmean"] == pytest.approx((1e-5 * 0.5) ** 0.5)
    with pytest.raises(tb.InputError, match="a floor or a shift"):
        result.order("gmean(floor=0.1, shift=0.1)")
    with pytest.raises(tb.InputError, match="above 0"):
        result.order("gmean(shift=0)")


def test_geometric_means_with_a_shift_tie_where_products_are_equal():
    # (0.1 + 0.1)(0.5 + 0.1) = (0.2 + 0.1)(0.3 + 0.1), which floats do not see.
    result = tb.Utilities({"x": {"q": 0.1, "r": 0.5}, "y": {"q": 0.2, "r": 0.3}})
    assert result.order("gmean(shift=0.1)").n_tied == 2
    assert result.order("gmean").n_tied == 0
