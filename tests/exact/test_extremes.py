"""Numbers at the ends of what floats hold: tiny ones, whole ones beyond 2^53, decimals just below a power of ten."""

from fractions import Fraction

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import InputError
from tiebreak.exact.decimals import decimal_number, remainders


def weighted_signs(weights, signs):
    return sum(w * s for w, s in zip(weights, signs, strict=True)) / sum(weights)


def test_given_weights_of_many_digits_add_up_exactly():
    # 1.23456789 = 0.61728394 + 0.61728395: the first user is outvoted by the next two.
    p = tb.positions([[1, 12, 22, 30], [2, 11, 21, 30]])
    compared = tb.compare(p, "RPP(weights='1.23456789,0.61728394,0.61728395,1e-20')")
    assert compared.values.tolist() == [[0.0]]
    assert compared.win_tie_loss.tolist() == [[0, 1, 0]]
    p = tb.positions([[1, 12, 22, 30], [2, 11, 21, 31]])
    weights = [Fraction(w) for w in ("1.234567890123457", "1.234567890123456", "1e-15", "1e-25")]
    compared = tb.compare(p, "RPP(weights='1.234567890123457,1.234567890123456,1e-15,1e-25')")
    assert compared.values.tolist() == [[float(weighted_signs(weights, [1, -1, -1, 1]))]]


def test_populations_that_cancel_are_a_tie():
    # Of grade 9: 1 * 1. Of 6 and above, 4 and 24 against 10 and 20: 2 * (2 - 1) / 3. Of all, weights 2, 1, 1, 1, 1:
    # 5 * (2 - 4) / 6. Together 1 + 2/3 - 5/3.
    grades = {"a": 9, "b": 6, "c": 3, "d": 3, "e": 3}
    places = [{"a": 4, "b": 24, "c": 63, "d": 124}, {"a": 10, "c": 18, "b": 20, "d": 26, "e": 36}]
    runs = []
    for of_run in places:
        item_at = {place: item for item, place in of_run.items()}
        runs.append({"q": {item_at.get(place, f"x{place}"): -float(place) for place in range(1, 125)}})
    compared = tb.Experiment({"q": grades}, runs).compare("RPP(weights='2,1')")
    assert compared.values.tolist() == [[0.0]]


def test_given_weights_give_the_nearest_float():
    rng = np.random.default_rng(1)
    for _ in range(100):
        weights = [repr(float(f"{w:.15g}")) for w in 10.0 ** rng.uniform(-6, 6, 3)]
        p = tb.positions([[2, 5, 9], [3, 5, 9]])
        value = tb.compare(p, f"RPP(weights='{','.join(weights)}')").values[0, 0]
        assert value == float(weighted_signs([Fraction(w) for w in weights], [1, 0, 0])), weights


@pytest.mark.parametrize("position", [1000, 17000])
def test_a_value_too_small_for_slices_is_the_nearest_float(position):
    value = tb.metric("RBP(p=0.96)").evaluate(tb.positions([[position]]))[0, 0]
    assert value == float(Fraction(4, 100) * Fraction(96, 100) ** (position - 1)) > 0


def test_resampled_sums_of_values_too_small_for_slices_are_ordered_exactly():
    places = [(308, 309, 310, 311), (309, 308, 311, 310), (310, 310, 310, 310)]
    qrels = {f"q{k}": {"d": 1} for k in range(4)}
    runs = [
        {q: {f"x{j}": float(999 - j) for j in range(p - 1)} | {"d": 0.0} for q, p in zip(qrels, row, strict=True)}
        for row in places
    ]
    drawn = tb.Experiment(qrels, runs).compare("diff(RBP(p=0.1))").bootstrap("win_rate", resamples=20, seed=1)
    for sample, ranks in enumerate(drawn.ranks):
        chosen = np.random.default_rng([1, sample]).integers(4, size=4)
        sums = [sum(Fraction(1, 10) ** row[q] for q in chosen) for row in places]
        assert ranks.tolist() == [1 + sum(other > one for other in sums) for one in sums]


@pytest.mark.parametrize(
    "value", [99999.9999999999, 9.99999999999999e-06, 9999999.99999999, 999999999.999999, 1e5, 0.1, 999999.999999999]
)
def test_a_decimal_just_below_a_power_of_ten_means_itself(value):
    near = Fraction(value) + Fraction(float(remainders(np.array([value]))[0]))
    assert abs(near - decimal_number(value)) < Fraction(value) / 2**100


def test_equal_sums_tie_where_a_summand_is_just_below_a_power_of_ten():
    utilities = tb.Utilities({"a": {"x": 99999.9999999999, "y": 1e-10}, "b": {"x": 100000, "y": 0}})
    for by in ("mean", "smoothed_leximin(lag=2)"):
        assert utilities.order(by).ranks.tolist() == [1, 1], by


def test_differences_of_inverse_deep_positions_are_the_nearest_floats():
    rng = np.random.default_rng(2)
    for x, y in rng.integers(10**8, 2 * 10**8, size=(200, 2)).tolist():
        value = tb.compare(tb.positions([[x], [y]]), "rrLP").values[0, 0]
        assert value == float(Fraction(1, x) - Fraction(1, y))


def test_contributions_of_levels_are_the_nearest_floats():
    rng = np.random.default_rng(3)
    for _ in range(50):
        x, y = (sorted(rng.choice(np.arange(1, 40), 3, replace=False).tolist()) for _ in range(2))
        rows = tb.disaggregate(tb.positions([x, y]), "AP", "run1", "run2").rows()
        assert [row.difference for row in rows] == [
            float(Fraction(i, 3 * a) - Fraction(i, 3 * b)) for i, (a, b) in enumerate(zip(x, y, strict=True), 1)
        ]


@pytest.mark.parametrize("spec", ["RBP(p=0.80000000000000000001)", "RPP(weights='0.10000000000000000001,0.1')"])
def test_a_parameter_of_more_digits_than_a_float_holds_is_refused(spec):
    with pytest.raises(InputError, match="digits"):
        (tb.preference if spec.startswith("RPP") else tb.metric)(spec)
