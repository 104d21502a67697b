"""Worked examples from outside; see `worked_examples`."""

from fractions import Fraction

import numpy as np
import pytest

from populations import slow
from populations.tables import risk_gain, scores, symmetric_gain, table_of
from tiebreak.errors import InputError
from tiebreak.orderings import Ordering
from tiebreak.populations import population
from worked_examples import examples_of


def numbers(u):
    return [Fraction(value) for value in u]


def array(u):
    return np.array(numbers(u), dtype=object)


def better(spec, x, y):
    first, second = scores(spec, [numbers(x), numbers(y)], exact=True)
    return slow.sign(first - second)


def of_run(spec, x):
    (actual,) = scores(spec, [numbers(x)], exact=True)
    return actual


def tied_systems(utilities, method):
    result, table = population(method), table_of([numbers(u) for u in utilities.values()], exact=True)
    result.check(table)
    return Ordering.from_scores("utility", method, table.runs, result.scores(table)).n_tied


FUNCTIONS = {
    "leximin": lambda x, y: better("leximin", x, y),
    "leximax": lambda x, y: better("leximax", x, y),
    "smoothed_leximin": lambda x, y, k: better(f"smoothed_leximin(lag={k})", x, y),
    "auc4": lambda x: of_run("auc4", x),
    "gini": lambda x: -of_run("gini", x),
    "gmean": lambda x: of_run("gmean", x),
    "risk_gain": lambda x, y, alpha: risk_gain(array(x), array(y), Fraction(alpha)),
    "risk_gain_symmetric": lambda x, y, alpha: symmetric_gain(array(x), array(y), Fraction(alpha)),
    "tied_systems": tied_systems,
}
SLOW = {
    "leximin": slow.leximin,
    "leximax": slow.leximax,
    "smoothed_leximin": slow.smoothed_leximin,
    "auc4": slow.lower_area,
    "gini": slow.gini,
    "gmean": slow.gmean,
    "risk_gain": slow.risk_gain,
    "risk_gain_symmetric": slow.symmetric_gain,
}


def matches(actual, expected):
    """Exactly where the example is exact; else to 12 decimals."""
    if isinstance(expected, float):
        return actual == pytest.approx(expected, rel=0, abs=1e-12)
    return actual == Fraction(expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_worked_examples_hold(name):
    for arguments, expected in examples_of(name):
        if isinstance(expected, dict):
            with pytest.raises(InputError):
                FUNCTIONS[name](**arguments)
        else:
            assert matches(FUNCTIONS[name](**arguments), expected), arguments


@pytest.mark.parametrize("name", SLOW)
def test_the_slow_twins_hold_the_worked_examples(name):
    for arguments, expected in examples_of(name):
        if not isinstance(expected, dict):
            runs = [numbers(arguments[key]) for key in ("x", "y") if key in arguments]
            more = [Fraction(arguments[key]) for key in ("alpha",) if key in arguments]
            lag = [arguments[key] for key in ("k",) if key in arguments]
            assert matches(SLOW[name](*runs, *more, *lag), expected), arguments
