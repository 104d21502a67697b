"""What is equal as real numbers ties, and what is reported is the nearest float: against fractions and 90 digits."""

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from exact_logarithms import log2
from examples import examples
from populations import slow
from populations.tables import scores, table_of, values_by_run
from tiebreak.exact import Doubles, ExactValues
from tiebreak.exact.decimals import decimal_number
from tiebreak.exact.roots import LOGARITHM_ERROR, Root, natural_logarithms
from tiebreak.inputs import Ids
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations import population
from tiebreak.populations.rounding import round_utilities

DECIMALS = st.integers(0, 1000).map(lambda k: Decimal(k) / 1000)


def utilities(rows, **more):
    """Runs a, b, ... and requests q0, q1, ...; numbers as people write them."""
    named = {"abcdefgh"[r]: {f"q{k}": float(u) for k, u in enumerate(row)} for r, row in enumerate(rows)}
    return tb.Utilities(named, **more)


def experiment(grades, *runs):
    """Judgements ``{request: {item: grade}}``, and for every run ``{request: {item: rank}}``."""
    result = [
        tb.Run(
            {q: {d: float(-k) for d, k in ranks.items()} | fillers(ranks) for q, ranks in run.items()}, name=f"run{r}"
        )
        for r, run in enumerate(runs, start=1)
    ]
    return tb.Experiment(grades, result)


def fillers(ranks):
    """Other items at all the other ranks down to the last."""
    return {f"x{k}": float(-k) for k in range(1, max(ranks.values(), default=0)) if k not in ranks.values()}


# Curves of lags

SQUARES = experiment({"q": {"X": 2, "Y": 1}}, {"q": {"X": 8}}, {"q": {"Y": 2}})
"""2 / log2(9) and 1 / log2(3), which are equal."""


def test_a_curve_of_lags_ties_logarithmic_values_that_are_equal():
    assert SQUARES.order("leximin(nDCG)").n_tied == 2
    (row,) = SQUARES.utilities("nDCG").by_lag("run1", "run2", resamples=10).rows()
    assert row == (1, 0, 0, 1, 0)


@settings(max_examples=examples(20))
@given(st.lists(st.tuples(st.sampled_from("XY"), st.integers(1, 30)), min_size=6, max_size=6))
def test_signs_of_a_curve_of_lags_are_those_of_values_to_60_digits(placed):
    grades = {f"q{k}": {"X": 2, "Y": 1} for k in range(3)}
    ranks = [{f"q{k}": {d: rank} for k, (d, rank) in enumerate(some)} for some in (placed[:3], placed[3:])]
    gains = [[Fraction({"X": 2, "Y": 1}[d]) / log2(rank + 1) for d, rank in some] for some in (placed[:3], placed[3:])]
    ideal = 2 + 1 / log2(3)
    rounded = [[round(gain / ideal * 10**60) for gain in row] for row in gains]
    curve = experiment(grades, *ranks).utilities("nDCG").by_lag("run1", "run2", resamples=2)
    assert [row.observed for row in curve.rows()] == [slow.smoothed_leximin(*rounded, row.lag) for row in curve.rows()]


# Win shares


def test_weights_of_win_shares_mean_the_decimals_that_were_given():
    result = utilities([[1, 1, 0], [0, 0, 1]], weights={"q0": 0.1, "q1": 0.2, "q2": 0.3})
    assert result.win_shares("a", "b") == (0.5, 0, 0.5)


@given(st.lists(st.tuples(DECIMALS, st.sampled_from([-1, 0, 1])), min_size=1, max_size=30))
def test_win_shares_are_the_nearest_floats(requests):
    weights = [Fraction(weight) for weight, _ in requests]
    if not any(weights):
        return
    rows = [[max(0, sign) for _, sign in requests], [max(0, -sign) for _, sign in requests]]
    result = utilities(rows, weights={f"q{k}": float(weight) for k, weight in enumerate(weights)})
    exact = [
        sum(w for w, (_, sign) in zip(weights, requests, strict=True) if sign == which) / sum(weights)
        for which in (1, 0, -1)
    ]
    assert result.win_shares("a", "b") == tuple(float(share) for share in exact)


# Rounding


@pytest.mark.parametrize("spec", ["leximin", "leximax", "smoothed_leximin(lag=1)", "smoothed_leximin(lag=2)"])
@pytest.mark.parametrize(
    ("given", "digits", "expected"), [("0.575", 2, "0.58"), ("0.585", 2, "0.58"), ("2.675", 2, "2.68"), ("0.5", 0, "0")]
)
def test_a_half_is_rounded_to_the_even_digit_of_the_decimal_that_was_given(spec, given, digits, expected):
    asked = spec[:-1] + f", digits={digits})" if ")" in spec else f"{spec}(digits={digits})"
    assert scores(asked, [[float(given)] * 2, [float(expected)] * 2]) == [0, 0]
    assert scores(asked, [[Fraction(given)] * 2, [Fraction(expected)] * 2], exact=True) == [0, 0]


def test_a_given_utility_is_rounded_as_one_that_was_computed():
    # P@40 of 23 relevant items is 0.575.
    grades = {"q": {f"d{k}": 1 for k in range(1, 24)}, "r": {"d1": 1}}
    one_experiment = experiment(grades, {"q": {f"d{k}": k for k in range(1, 24)}, "r": {"d1": 1}}, {"q": {}, "r": {}})
    computed = one_experiment.utilities("P@40")
    assert computed.values[0, 0] == 0.575
    digits = round_utilities(computed.table, 2)
    assert np.array_equal(digits, round_utilities(table_of(computed.values), 2))


HALVES = st.tuples(st.integers(0, 10**6), st.integers(0, 15)).map(lambda k: float(Decimal(10 * k[0] + 5).scaleb(-k[1])))


@settings(max_examples=examples(200))
@given(st.tuples(HALVES, st.one_of(HALVES, st.floats(-1e17, 1e17), st.floats(-1, 1))), st.integers(0, 15))
@example([1e300, -1e300], 15)
@example([0.575, 0.58], 2)
@example([0.285, 0.28], 2)
@example([1.0000000000000002, 1.0], 15)
def test_digits_round_what_given_floats_mean(pair, digits):
    exact = [round(decimal_number(u), digits) for u in pair]
    expected = slow.runs_below([[u] for u in exact], slow.leximin)
    assert scores(f"leximin(digits={digits})", [[u] for u in pair]) == expected
    assert scores(f"smoothed_leximin(lag=2, digits={digits})", [[u, u] for u in pair]) == expected


def test_logarithmic_values_that_are_a_half_are_rounded_to_the_even_digit():
    # 1 / log2(4) = 1/2 for every number of relevant items that are all missing but one.
    one_experiment = experiment({"q": {"X": 1}}, {"q": {"X": 3}}, {"q": {}})
    assert one_experiment.utilities("nDCG").order("leximin(digits=0)").n_tied == 2


# Geometric means


def root(row, weights=None, least="0.00001", shift=None):
    """The geometric mean to 90 digits."""
    weights = [Fraction(1)] * len(row) if weights is None else [Fraction(w) for w in weights]
    raised = [max(Fraction(least), u) if shift is None else u + Fraction(shift) for u in map(Fraction, row)]
    with localcontext(prec=100):
        logarithms = [Decimal(u.numerator).ln() - Decimal(u.denominator).ln() for u in raised]
        weighted = (Decimal(w.numerator) / w.denominator * x for w, x in zip(weights, logarithms, strict=True))
        whole = sum(weights)
        actual = (sum(weighted, Decimal(0)) / (Decimal(whole.numerator) / whole.denominator)).exp()
    with localcontext(prec=90):
        return +actual


EQUAL_PRODUCTS = [("0.74 0.02 0.21 0.16", "0.74 0.02 0.07 0.48"), ("0.75 0.09", "0.375 0.18"), ("0.1 0.4", "0.2 0.2")]


@pytest.mark.parametrize("pair", EQUAL_PRODUCTS)
def test_geometric_means_of_equal_products_are_reported_as_equal(pair):
    result = utilities([row.split() for row in pair])
    actual = values_by_run(result.evaluate("gmean"))
    assert result.order("gmean").n_tied == 2
    assert actual["a"]["gmean"] == actual["b"]["gmean"] == float(root(pair[0].split()))


def test_geometric_means_of_groups_tie_where_products_are_equal():
    groups = {"q0": "g", "q1": "g", "q2": "h"}
    result = utilities([[0.75, 0.09, 1], [0.375, 0.18, 1]], groups=groups)
    grouped = result.by_group("gmean")
    assert grouped.values[0].tolist() == grouped.values[1].tolist()
    for by in ("leximin", "leximax", "mean", "smoothed_leximin(lag=2)"):
        assert grouped.order(by).n_tied == 2


EVIL, ODIOUS = (0, 3, 5, 6, 9, 10, 12, 15), (1, 2, 4, 7, 8, 11, 13, 14)
"""Numbers with as many ones as binary digits, up to 15: powers up to the third have equal sums."""


def test_geometric_means_of_logarithmic_values_that_nearly_agree_do_not_tie():
    grades = {f"q{k}": {"X": 1} for k in range(21)}
    runs = [{f"q{k}": {"X": 4000 + rank} for k, rank in enumerate(ranks)} for ranks in (EVIL, ODIOUS)]
    one_experiment = experiment(grades, *({q: {} for q in grades} | run for run in runs))
    ordering = one_experiment.order("gmean(nDCG)")
    values = [[1 / log2(4001 + rank) for rank in ranks] + [0] * 13 for ranks in (EVIL, ODIOUS)]
    exact = [root(row) for row in values]
    assert ordering.n_tied == 0
    assert ordering.ranks.tolist() == ([1, 2] if exact[0] > exact[1] else [2, 1])
    assert ordering.scores.tolist() == [float(value) for value in exact]


def test_geometric_means_that_differ_after_more_than_60_digits_do_not_tie():
    # The products of 10^15 - x differ in the fourth power of x: by some 1e-59 of them, with a seventh root of that.
    rows = [[Fraction(10**15 - k, 10**15) for k in ranks] for ranks in (EVIL, ODIOUS)]
    assert 0 < abs(np.prod(rows[0]) - np.prod(rows[1])) < Fraction(1, 10**55)
    tiny = [[u * Fraction(1, 10**20) for u in row] for row in rows]
    better = 0 if np.prod(rows[0]) > np.prod(rows[1]) else 1
    for some in (rows, tiny):
        actual = population("gmean(floor=1e-30)").scores(table_of(some, exact=True))
        assert actual[better] > actual[1 - better]


def test_logarithmic_values_whose_product_is_equal_tie():
    # 2/log2(9) 1/log2(5) and 1/log2(3) 2/log2(25), over the same ideal rankings.
    grades = {"q": {"X": 2, "Y": 1}, "r": {"X": 2, "Y": 1}}
    one_experiment = experiment(grades, {"q": {"X": 8}, "r": {"Y": 4}}, {"q": {"Y": 2}, "r": {"X": 24}})
    assert one_experiment.order("gmean(nDCG)").n_tied == 2
    assert one_experiment.order("gmean(nDCG, shift=0.01)").n_tied == 2


def test_weighted_geometric_means_tie_where_weighted_products_are_equal():
    # 0.25^0.1 0.5^0.2 = 0.5^0.4 = 0.5^0.2 * 0.5^0.2 1^0.1 ...: exponents 1 and 2 of fifteenths.
    result = utilities([[0.25, 0.5, 1], [0.0625, 1, 1]], weights={"q0": 0.1, "q1": 0.2, "q2": 0.3})
    assert result.order("gmean").n_tied == 2
    values = values_by_run(result.evaluate("gmean"))
    assert values["a"] == values["b"]


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(st.one_of(DECIMALS, st.floats(0, 1)), DECIMALS), min_size=1, max_size=12), st.booleans())
def test_geometric_means_are_the_nearest_floats(requests, is_shifted):
    row, weights = zip(*requests, strict=True)
    means = [decimal_number(float(u)) for u in row]
    shift = {"shift": "0.01"} if is_shifted else {}
    spec = "gmean(shift=0.01)" if is_shifted else "gmean"
    assert scores(spec, [row]) == [float(root(means, **shift))]
    if any(weights):
        assert scores(spec, [row], weights) == [float(root(means, weights, **shift))]


FACTORS = st.lists(
    st.sampled_from([Decimal(k) / 100 for k in (2, 3, 4, 6, 8, 9, 12, 18, 24, 36, 72)]), min_size=4, max_size=4
)


@settings(max_examples=examples(150))
@given(st.lists(FACTORS, min_size=2, max_size=4), st.lists(st.integers(1, 3), min_size=4, max_size=4))
def test_geometric_means_are_ordered_as_exact_products(rows, weights):
    def powers(row, times):
        return [prod(Fraction(u) ** w for u, w in zip(row, times, strict=True))]

    assert utilities(rows).order("gmean").ranks.tolist() == slow.ranks(
        [powers(row, [1] * 4) for row in rows], slow.by_mean
    )
    weighted = utilities(rows, weights={f"q{k}": w / 10 for k, w in enumerate(weights)})
    assert weighted.order("gmean").ranks.tolist() == slow.ranks([powers(row, weights) for row in rows], slow.by_mean)


@pytest.mark.parametrize("n", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_runs_that_share_out_many_utilities_otherwise_tie_by_the_geometric_mean(n):
    values = np.random.default_rng(0).random(n)
    actual = population("gmean").scores(table_of_floats([values, values[::-1], np.append(values[1:], values[0] / 2)]))
    assert actual[0] == actual[1] > actual[2]
    times = np.random.default_rng(1).integers(1, 1000, len(values)) / 10
    table = table_of_floats([values, values, np.append(values[1:], values[0])])
    actual = population("gmean").scores(replace(table, weights=times))
    assert actual[0] == actual[1] != actual[2]


def table_of_floats(rows):
    return UtilityTable(tuple("abc"), Ids.from_names(map(str, range(len(rows[0])))), np.array(rows))


@settings(max_examples=examples(100))
@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=40))
@example([2.9514404834421293e20])  # just below a power of two
def test_double_double_logarithms_are_right_to_more_than_26_digits(numbers):
    actual = natural_logarithms(Doubles(np.array(numbers)))
    for number, high, low in zip(numbers, actual.high.tolist(), actual.low.tolist(), strict=True):
        with localcontext(prec=60):
            exact = Fraction(Decimal(number).ln())
        assert abs(Fraction(high) + Fraction(low) - exact) < LOGARITHM_ERROR / 2


@pytest.mark.parametrize(
    "number", [Fraction(2, 3), Fraction(3, 5), Fraction(1, 100_000), Fraction(4, 5), Fraction(1, 7)]
)
def test_double_double_logarithms_take_both_parts_of_a_number(number):
    high = float(number)
    actual = natural_logarithms(Doubles(np.array([high]), np.array([float(number - Fraction(high))])))
    with localcontext(prec=60):
        exact = Fraction((Decimal(number.numerator) / number.denominator).ln())
    assert abs(Fraction(float(actual.high[0])) + Fraction(float(actual.low[0])) - exact) < LOGARITHM_ERROR / 2


def test_geometric_means_of_equal_products_of_thirds_and_fifths_tie():
    # 1/2 * 1 * 4/5 = 1 * 2/3 * 3/5 = 2/5
    exact = np.array([[Fraction(1, 2), Fraction(1), Fraction(4, 5)], [Fraction(1), Fraction(2, 3), Fraction(3, 5)]])
    values = ExactValues.from_exact(exact)
    x, y = (Root(values.sample(run)) for run in range(2))
    assert x == y
