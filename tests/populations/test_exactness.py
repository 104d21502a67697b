"""What is equal as real numbers ties, and what is reported is the nearest float: against fractions and 90 digits."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from exact_logarithms import log2
from populations import slow
from populations.tables import scores, table_of
from tiebreak.exact.given import given_number
from tiebreak.populations import population

DECIMALS = st.integers(0, 1000).map(lambda k: Decimal(k) / 1000)


def utilities(rows, **more):
    """Runs a, b, ... and requests q0, q1, ...; numbers as people write them."""
    named = {"abcdefgh"[r]: {f"q{k}": float(u) for k, u in enumerate(row)} for r, row in enumerate(rows)}
    return tb.Utilities(named, **more)


def experiment(grades, *runs):
    """Judgements ``{request: {item: grade}}``, and for every run ``{request: {item: rank}}``."""
    made = [
        tb.Run(
            {q: {d: float(-k) for d, k in ranks.items()} | fillers(ranks) for q, ranks in run.items()}, name=f"run{r}"
        )
        for r, run in enumerate(runs, start=1)
    ]
    return tb.Experiment(grades, made)


def fillers(ranks):
    """Other items at all the other ranks down to the last."""
    return {f"x{k}": float(-k) for k in range(1, max(ranks.values(), default=0)) if k not in ranks.values()}


# Curves of lags

SQUARES = experiment({"q": {"X": 2, "Y": 1}}, {"q": {"X": 8}}, {"q": {"Y": 2}})
"""2 / log2(9) and 1 / log2(3), which are equal."""


def test_a_curve_of_lags_ties_logarithmic_values_that_are_equal():
    assert SQUARES.order("leximin(nDCG)").n_tied == 2
    (row,) = SQUARES.utilities("nDCG").by_lag("run1", "run2", resamples=10).rows
    assert row == (1, 0, 0, 1, 0)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.sampled_from("XY"), st.integers(1, 30)), min_size=6, max_size=6))
def test_signs_of_a_curve_of_lags_are_those_of_values_to_60_digits(placed):
    grades = {f"q{k}": {"X": 2, "Y": 1} for k in range(3)}
    ranks = [{f"q{k}": {d: rank} for k, (d, rank) in enumerate(some)} for some in (placed[:3], placed[3:])]
    gains = [[Fraction({"X": 2, "Y": 1}[d]) / log2(rank + 1) for d, rank in some] for some in (placed[:3], placed[3:])]
    ideal = 2 + 1 / log2(3)
    rounded = [[round(gain / ideal * 10**60) for gain in row] for row in gains]
    curve = experiment(grades, *ranks).utilities("nDCG").by_lag("run1", "run2", resamples=2)
    assert [row.observed for row in curve.rows] == [slow.smoothed_leximin(*rounded, row.lag) for row in curve.rows]


# Win shares


def test_weights_of_win_shares_mean_the_decimals_that_were_given():
    made = utilities([[1, 1, 0], [0, 0, 1]], weights={"q0": 0.1, "q1": 0.2, "q2": 0.3})
    assert made.win_shares("a", "b") == (0.5, 0, 0.5)


@given(st.lists(st.tuples(DECIMALS, st.sampled_from([-1, 0, 1])), min_size=1, max_size=30))
def test_win_shares_are_the_nearest_floats(requests):
    weights = [Fraction(weight) for weight, _ in requests]
    if not any(weights):
        return
    rows = [[max(0, sign) for _, sign in requests], [max(0, -sign) for _, sign in requests]]
    made = utilities(rows, weights={f"q{k}": float(weight) for k, weight in enumerate(weights)})
    exact = [
        sum(w for w, (_, sign) in zip(weights, requests, strict=True) if sign == which) / sum(weights)
        for which in (1, 0, -1)
    ]
    assert made.win_shares("a", "b") == tuple(float(share) for share in exact)


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
    made = experiment(grades, {"q": {f"d{k}": k for k in range(1, 24)}, "r": {"d1": 1}}, {"q": {}, "r": {}})
    computed = made.utilities("P@40")
    assert computed.values[0, 0] == 0.575
    digits = population("leximin(digits=2)").sorted(computed.table)
    assert np.array_equal(digits, population("leximin(digits=2)").sorted(table_of(computed.values)))


HALVES = st.tuples(st.integers(0, 10**6), st.integers(0, 15)).map(lambda k: float(Decimal(10 * k[0] + 5).scaleb(-k[1])))


@settings(max_examples=200)
@given(st.tuples(HALVES, st.one_of(HALVES, st.floats(-1e17, 1e17), st.floats(-1, 1))), st.integers(0, 15))
@example([1e300, -1e300], 15)
@example([0.575, 0.58], 2)
@example([0.285, 0.28], 2)
@example([1.0000000000000002, 1.0], 15)
def test_digits_round_what_given_floats_mean(pair, digits):
    exact = [round(given_number(u), digits) for u in pair]
    expected = slow.runs_below([[u] for u in exact], slow.leximin)
    assert scores(f"leximin(digits={digits})", [[u] for u in pair]) == expected
    assert scores(f"smoothed_leximin(lag=2, digits={digits})", [[u, u] for u in pair]) == expected


def test_logarithmic_values_that_are_a_half_are_rounded_to_the_even_digit():
    # 1 / log2(4) = 1/2 for every number of relevant items that are all missing but one.
    made = experiment({"q": {"X": 1}}, {"q": {"X": 3}}, {"q": {}})
    assert made.utilities("nDCG").order("leximin(digits=0)").n_tied == 2
