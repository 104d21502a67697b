"""Tables and preferences as tests see them, for the tests of this folder."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import tiebreak as tb
from significance import slow
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs, PairValues
from tiebreak.significance import CATALOGUE, significance
from tiebreak.significance.base import RandomisationTest

# Sums of these are exact as floats, and often equal.
eighths = st.integers(-8, 8).map(lambda k: Fraction(k, 8))
thirds = st.integers(-3, 3).map(lambda k: Fraction(k, 3))
signs = st.integers(-1, 1).map(Fraction)


def rows(values, size, least=1, most=4):
    """Lists of so many values, one per request."""
    return st.lists(st.lists(values, min_size=size, max_size=size), min_size=least, max_size=most)


def tables(values=eighths, sizes=((2, 6), (3, 3), (4, 2))):
    """Values of runs, by request: few enough for all shuffles."""
    return st.sampled_from(sizes).flatmap(lambda size: rows(values, size[0], most=size[1]))


def matrix(upper, runs):
    """Preferences of all runs over all from those of pairs."""
    square = [[Fraction(0)] * runs for _ in range(runs)]
    for value, (x, y) in zip(upper, slow.pairs(runs), strict=True):
        square[x][y], square[y][x] = value, -value
    return square


def all_matrices(values=eighths, sizes=((2, 6), (3, 3), (4, 2))):
    """Preferences of all pairs, by request; they may go round in circles."""

    def of_size(size):
        runs, most = size
        upper = rows(values, runs * (runs - 1) // 2, most=most)
        return upper.map(lambda requests: [matrix(row, runs) for row in requests])

    return st.sampled_from(sizes).flatmap(of_size)


def utilities(table, names=None):
    """Utilities of ``table[request][run]``."""
    names = names or [f"run{r}" for r in range(len(table[0]))]
    return tb.Utilities({name: {f"q{q}": float(row[r]) for q, row in enumerate(table)} for r, name in enumerate(names)})


def paired(matrices, **how):
    """All pairs of ``matrices[request][i][j]``."""
    runs = len(matrices[0])
    exact = [[m[x][y] for m in matrices] for x, y in slow.pairs(runs)]
    return pair_values(ExactValues.from_exact(np.array(exact, dtype=object)), runs, **how)


def pair_values(exact, runs=2, **how):
    """Exact values of all pairs of so many runs."""
    names, ones = tuple(f"run{r}" for r in range(runs)), np.ones(exact.nearest.shape[1], dtype=np.int64)
    requests = Ids.from_names(f"q{q}" for q in range(len(ones)))
    return PairValues(names, requests, Pairs.all(runs), exact.nearest, ones, exact, **how)


def few_draws(test, number=199):
    """Options that make a test quick where the number of its draws does not matter."""
    return {"permutations": number} if issubclass(CATALOGUE[test], RandomisationTest) else {}


def outcome_of(matrices, test, is_sign=False, **how):
    return significance("preference", paired(matrices, is_sign=is_sign), test, **how)


def pair(differences):
    """Two runs with these differences."""
    return tb.Utilities(
        {
            "a": {f"q{q}": float(d) for q, d in enumerate(differences)},
            "b": {f"q{q}": 0.0 for q in range(len(differences))},
        }
    )


def noise(rng, runs=4, requests=8, spread=1.0, topics=3.0):
    """Values [request, run] of runs that are equally good on requests that are not equally hard."""
    return rng.normal(0, topics, (requests, 1)) + rng.normal(0, spread, (requests, runs))
