"""Figures of theory, by hand and by counting all rankings."""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from theory_figures import FIXED, RANDOM, agreement, diagram, first_positions, region, stochastic

pytestmark = pytest.mark.slow  # searches and drawings of many cases


@pytest.mark.parametrize(("n", "m"), [(7, 2), (8, 4)])
def test_region_counts_all_rankings(n, m):
    ends = [(p[0], p[-1]) for p in combinations(range(1, n + 1), m)]
    rows = {row[:2]: row[2:] for row in region(n, m).rows()}
    assert rows == {pair: (ends.count(pair), pytest.approx(100 * ends.count(pair) / comb(n, m))) for pair in ends}


def test_region_says_how_the_ends_are_related():
    ends = np.array([(p[0], p[-1]) for p in combinations(range(1, 13), 4)])
    assert f"{np.corrcoef(ends.T)[0, 1]:.3f}" == "0.250"  # 1/m, whatever n is
    assert "45 of 144 pairs" in region().conclusion and "correlation is 0.250." in region().conclusion


def test_ties_by_the_first_position():
    rows = {row[:2]: row[2] for row in first_positions(10, (3,)).rows()}
    # Of C(10, 3) = 120 rankings C(9, 2) = 36 begin with a relevant item, and one begins at 8.
    assert rows[3, 1] == 36 / 120 and rows[3, 8] == 1 / 120 and sum(rows.values()) == pytest.approx(1)
    at_top = {row[0]: row[2:] for row in first_positions().rows() if row[1] == 1}
    assert at_top[1] == (1 / 50_000, pytest.approx(20)) and at_top[100][0] == 100 / 50_000


@pytest.mark.parametrize("m", [1, 2, 4, 5])
def test_worst_cases_equal_enumeration(m):
    """Over all users, in one order and on average over all orders."""
    users = [u for size in range(1, m + 1) for u in combinations(range(m), size)]
    orders = list(permutations(range(1, m + 1)))

    def average_precision(p):
        return sum(i / k for i, k in enumerate(sorted(p), start=1)) / len(p)

    by_user = [[average_precision([order[i] for i in user]) for order in orders] for user in users]
    worst = {row[2]: row[3] for row in stochastic(range(m, m + 1), ("AP",)).rows()}
    assert worst[FIXED] == pytest.approx(min(of[0] for of in by_user))
    assert worst[RANDOM] == pytest.approx(min(sum(of) / len(of) for of in by_user))


def test_drawing_the_order_never_gives_the_worst_off_user_less():
    assert "It never gives less than a fixed one." in stochastic().conclusion


def test_diagram_of_reciprocal_rank_and_lexiprecision():
    rows = {row[:2]: row[2:] for row in diagram(5, 2).rows()}
    in_order = [",".join(map(str, p)) for p in combinations(range(1, 6), 2)]
    # Best first: the lexicographic order is the order of combinations.
    assert [rows["LexiPrecision", p][0] for p in in_order] == list(range(10))[::-1]
    assert [rows["RR", p][0] for p in in_order] == [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    assert rows["RR", "1,4"][2] == 4 and rows["RR", "4,5"][2] == 1 and rows["LexiPrecision", "1,4"][2] == 1


def test_tied_rankings_stand_side_by_side_in_a_diagram():
    places = [(measure, height, aside) for measure, _, height, aside, _ in diagram().rows()]
    assert len(set(places)) == len(places)
    assert [aside for measure, height, aside in places if measure == "RR" and height == 1] == [-1, 0, 1]
    assert diagram(7, 5).conclusion == "Of 21 rankings RR tells 3 apart, LexiPrecision tells 21 apart."


def test_agreement_is_the_share_over_all_pairs_of_rankings():
    """A slow twin: all pairs of rankings of 8 items, 5 of them relevant, strictly different in the last position."""

    def average_precision(p):
        return sum(Fraction(i, k) for i, k in enumerate(p, start=1)) / len(p)

    every = list(combinations(range(1, 9), 5))
    differ = [(x, y) for x in every for y in every if x[-1] < y[-1]]
    expected = {
        "AP": Fraction(sum(average_precision(x) > average_precision(y) for x, y in differ), len(differ)),
        "RP": Fraction(sum(sum(k <= 5 for k in x) > sum(k <= 5 for k in y) for x, y in differ), len(differ)),
        "R@1000": 0,
        "TSE": 1,
        "random": Fraction(1, 2),
        "tied": 1 - Fraction(2 * len(differ), len(every) ** 2),
    }
    rows = {row[0]: row[2:] for row in agreement(30_000, items=(8,), most=5).rows()}
    for name, value in expected.items():
        assert rows[name][0] == pytest.approx(float(value), rel=0, abs=4 * rows[name][1] + 1e-12)
    assert 0 < rows["AP"][1] < 0.004


def test_agreement_is_drawn_by_its_seed():
    first, again, other = (agreement(300, seed=seed, items=(60,)).rows() for seed in (3, 3, 4))
    assert first == again != other


def test_labels_of_a_diagram_are_in_place_of_points_and_have_room():
    drawn = diagram(7, 5).vega_lite()["spec"]
    (layer,) = drawn["layer"]
    assert layer["mark"]["type"] == "text" and layer["encoding"]["text"]["field"] == "positions"
    # RR ties 15 of the 21 rankings, lexiprecision none.
    assert drawn["width"] >= 15 * 6 * len("1,2,3,4,5") and drawn["height"] >= 21 * 12
