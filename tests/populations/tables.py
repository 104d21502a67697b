"""Tables of utilities for the tests of this folder: drawn, exact or as floats."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tiebreak.exact import Number
from tiebreak.inputs import Ids
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations import population
from tiebreak.populations.risk import Gain, URisk

# Few values, so that ties are common; some that no float can hold.
exact_values = st.sampled_from([Fraction(k) for k in ("0", "1/10", "1/5", "1/4", "3/10", "1/3", "1/2", "2/3", "1")])
binary_values = st.integers(0, 8).map(lambda k: Fraction(k, 8))
float_values = st.one_of(exact_values.map(float), st.floats(0, 1)).map(Fraction)
signed_values = st.sampled_from([Fraction(k, 6) for k in range(-6, 7)])


def tables(values=exact_values, runs=(1, 4), requests=(1, 9)):
    """Lists of utilities, one per run, all of the same length."""

    def of_length(n):
        return st.lists(st.lists(values, min_size=n, max_size=n), min_size=runs[0], max_size=runs[1])

    return st.integers(*requests).flatmap(of_length)


def pairs(values=exact_values, requests=(1, 9)):
    return tables(values, (2, 2), requests)


def table_of(rows, weights=None, exact=False):
    """Runs run0, run1, ... and requests q0, q1, ...; as objects where the arithmetic is to be exact."""
    values = np.array(rows, dtype=object)
    return UtilityTable(
        tuple(f"run{r}" for r in range(len(rows))),
        Ids.from_names(f"q{q}" for q in range(len(rows[0]))),
        values if exact else values.astype(np.float64),
        None if weights is None else np.array([float(w) for w in weights]),
    )


def scores(spec, rows, weights=None, exact=False):
    """What a population gives every run, after its own checks."""
    result, table = population(spec), table_of(rows, weights, exact)
    result.check(table)
    actual = result.scores(table)
    return [plain(score) if exact else float(score) for score in actual]


def ranks_by_run(ordering):
    return dict(zip(ordering.runs, ordering.ranks.tolist(), strict=True))


def values_by_run(scores):
    """What `Utilities.evaluate` gives: {run: {population: value}}, or {group: value} where there are groups."""
    values = {}
    for run, group, measure, value, _ in scores.values:
        if group is None:
            values.setdefault(run, {})[measure] = value
        else:
            values.setdefault(run, {}).setdefault(measure, {})[group] = value
    return values


def plain(score):
    """An exact score as a fraction."""
    return score.exact if isinstance(score, Number) else score


def risk_gain(x, y, alpha):
    """T(alpha): gains of x over y less (1 + alpha) times its losses (PE eq 9)."""
    return URisk(baseline="run1", alpha=alpha).scores(table_of([x, y], exact=True))[0]


def symmetric_gain(x, y, alpha):
    """T in one direction less T in the other (PE 5)."""
    first, second = Gain(alpha=alpha).scores(table_of([x, y], exact=True))
    return first - second


def prefers(spec, x, y):
    """1 where a population places x above y, on exact numbers; -1 below; 0 where they tie."""
    first, second = scores(spec, [x, y], exact=True)
    return (first > second) - (first < second)
