"""What every population of the catalogue must do, and impostors that must fail.

A new one joins by its line in the catalogue and a slow twin in `TWINS`.
"""

import random
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest

import tiebreak as tb
from contracts import breaks, slow_twin
from examples import examples
from populations import slow
from populations.tables import ranks_by_run, table_of
from tiebreak.populations import CATALOGUE, population
from tiebreak.populations.aggregations import Mean
from tiebreak.populations.base import Aggregation, Population

TWINS = {
    "mean": slow.mean,
    "median": slow.median,
    "gmean": slow.gmean,
    "min": min,
    "max": max,
    "quantile": lambda u: slow.quantile(u, Fraction(1, 2)),
    "lower_area": slow.lower_area,
    "positive": slow.positive,
    "cvar": lambda u: slow.cvar(u, Fraction(1, 10)),
    "gini": lambda u: -slow.gini(u),
    "gain": lambda u: 3 * slow.mean(u),
    "owa": lambda u: slow.owa(u, [Fraction(1, i) for i in range(1, len(u) + 1)]),
    "gini_welfare": lambda u: slow.expected_worst(u, 2),
    "atkinson_welfare": lambda u: slow.atkinson(u, 0.5),
}
"""Utilities of a run -> its score."""
PAIR_TWINS = {
    "leximin": slow.leximin,
    "leximax": slow.leximax,
    "smoothed_leximin": lambda x, y: slow.smoothed_leximin(x, y, 5),
}
"""Utilities of two runs -> 1 where the first is better."""
TABLE_TWINS = {
    "urisk": lambda rows: [slow.urisk(row, rows[0], 1) for row in rows],
    "trisk": lambda rows: [slow.trisk(row, rows[0], 1) for row in rows],
    "georisk": lambda rows: slow.georisk(rows, 1),
}
"""Utilities of all runs -> their scores."""

MAY_PREFER_LESS = {"gini", "trisk", "georisk"}
"""Populations by which a run that is nowhere worse may be below: equality and errors matter, too."""


def random_rows(rng, runs=4, requests=9):
    """Utilities in eighths, above 0, of which many are equal."""
    return [[Fraction(rng.randint(1, 8), 8) for _ in range(requests)] for _ in range(runs)]


RNG = random.Random(2)
TABLES = [random_rows(RNG) for _ in range(examples(12, here=5))]


def utilities(rows, names=None, requests=None, **more):
    names = names or [f"run{r}" for r in range(len(rows))]
    requests = requests or range(len(rows[0]))
    table = {
        name: {f"q{q}": float(u) for q, u in zip(requests, row, strict=True)}
        for name, row in zip(names, rows, strict=True)
    }
    return tb.Utilities(table, **more)


@cache
def orders(by):
    """Of every table by a population."""
    return [utilities(rows).order(by) for rows in TABLES]


def make(kind):
    """A population with the parameters that it needs."""
    return kind(baseline="run0") if "baseline" in {parameter.name for parameter in fields(kind)} else kind()


def depends_on_the_utilities(by):
    # Another level, another spread.
    rows = [
        [Fraction(1, 2)] * 8,
        [Fraction(0)] * 8,
        [Fraction(1), Fraction(0)] * 4,
        [Fraction(1, 4)] * 7 + [Fraction(1)],
    ]
    assert len(utilities(rows).order(by).groups) > 1
    with_zeros = [[[u - Fraction(1, 8) for u in row] for row in rows] for rows in TABLES]
    assert any(len(utilities(rows).order(by).groups) > 2 for rows in with_zeros)


def depends_on_all_requests_and_not_on_their_order(by):
    rng = random.Random(3)
    for rows, before in zip(TABLES, orders(by), strict=True):
        order = rng.sample(range(9), 9)
        moved = utilities([[row[q] for q in order] for row in rows], requests=order)
        turned = utilities([[row[q] for q in order] for row in rows])
        assert moved.order(by).scores.tolist() == turned.order(by).scores.tolist() == before.scores.tolist()


def does_not_depend_on_the_order_of_runs(by):
    rng = random.Random(4)
    for rows, before in zip(TABLES, orders(by), strict=True):
        names = rng.sample(["run0", "run1", "run2", "run3"], 4)
        moved = utilities([rows[int(name[-1])] for name in names], names)
        assert ranks_by_run(moved.order(by)) == ranks_by_run(before)


def does_not_depend_on_the_names_of_runs(by):
    names = ["z", "c", "x", "a"]
    renamed = replace(by, baseline="z") if hasattr(by, "baseline") else by
    for rows, before in zip(TABLES, orders(by), strict=True):
        assert utilities(rows, names).order(renamed).ranks.tolist() == before.ranks.tolist()


def ties_identical_runs(by):
    for rows in TABLES:
        ordering = utilities([*rows, rows[1]]).order(by)
        assert ordering.ranks[1] == ordering.ranks[-1] and ordering.scores[1] == ordering.scores[-1]


def never_puts_a_run_that_is_nowhere_worse_below(by):
    for rows in TABLES:
        better = [u + Fraction(q % 2, 8) for q, u in enumerate(rows[1])]
        ranks = ranks_by_run(utilities([*rows, better]).order(by))
        assert ranks["run4"] <= ranks["run1"]


def shows_what_it_ranks_by(by):
    for ordering in orders(by):
        scores = [-place.score if by.lower_is_better else place.score for place in ordering.places()]
        assert scores == sorted(scores, reverse=True)
        assert all(
            (a == b) == (r == s) for (a, r), (b, s) in pairwise(zip(scores, sorted(ordering.ranks), strict=True))
        )
        if not by.is_number:
            assert scores == [sum(rank < other for other in ordering.ranks) for rank in sorted(ordering.ranks)]


def takes_weights_or_refuses_them(by):
    rows = TABLES[0]
    weighted = utilities(rows, weights={f"q{q}": 1 + 5 * (q == 3) for q in range(9)})
    if by.takes_weights:
        before = orders(by)[0].scores.tolist()
        assert weighted.order(by).scores.tolist() != before
        equal = utilities(rows, weights={f"q{q}": 3 for q in range(9)})
        assert equal.order(by).scores.tolist() == pytest.approx(before, rel=1e-12)
    else:
        with pytest.raises(tb.InputError, match="takes no weights"):
            weighted.order(by)


def takes_negative_utilities_or_refuses_them(by):
    rows = [[u - Fraction(1, 2) for u in row] for row in TABLES[0]]
    if by.takes_negative:
        assert np.isfinite(utilities(rows).order(by).scores).all()
    else:
        with pytest.raises(tb.InputError, match="not defined for utilities below 0"):
            utilities(rows).order(by)


def prints_as_the_spec_that_makes_it(by):
    of_metric = replace(by, metric="AP")
    assert population(str(by)) == by and population(str(of_metric)) == of_metric
    assert str(of_metric).startswith(f"{by.name}(AP")


def says_what_it_is(by):
    assert (type(by).__doc__ or "").strip()
    ordering = utilities(TABLES[0], measure="accuracy").order(by)
    assert ordering.notes[0].startswith(f"accuracy by {by}: rank 1 is best")


def agrees_with_its_slow_twin(by):
    for rows in TABLES:
        scores = [float(score) for score in by.scores(table_of(rows))]
        if by.name in TWINS:
            twin = [TWINS[by.name](row) for row in rows]
        elif by.name in TABLE_TWINS:
            twin = TABLE_TWINS[by.name](rows)
        else:
            twin = slow.runs_below(rows, slow_twin(PAIR_TWINS, by.name, "TWINS of tests/populations/test_contracts.py"))
        assert scores == pytest.approx([float(score) for score in twin], rel=1e-9, abs=1e-12)


CONTRACTS = [
    depends_on_the_utilities,
    depends_on_all_requests_and_not_on_their_order,
    does_not_depend_on_the_order_of_runs,
    does_not_depend_on_the_names_of_runs,
    ties_identical_runs,
    never_puts_a_run_that_is_nowhere_worse_below,
    shows_what_it_ranks_by,
    takes_weights_or_refuses_them,
    takes_negative_utilities_or_refuses_them,
    prints_as_the_spec_that_makes_it,
    says_what_it_is,
    agrees_with_its_slow_twin,
]


@pytest.mark.parametrize(
    ("name", "contract"),
    [
        (name, contract)
        for name in CATALOGUE
        for contract in CONTRACTS
        if contract is not never_puts_a_run_that_is_nowhere_worse_below or name not in MAY_PREFER_LESS
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_population_keeps_the_contract(name, contract):
    assert CATALOGUE[name].name == name
    contract(make(CATALOGUE[name]))


# Impostors


class Constant(Aggregation):
    """Ignores its input."""

    name: ClassVar[str] = "mean"

    def value(self, u, weights=None):
        return 0.5


class ByPlace(Population):
    """The first run of the table is the best."""

    name: ClassVar[str] = "mean"

    def scores(self, table):
        return [-r for r in range(len(table.runs))]


class ByName(Population):
    """In alphabetical order."""

    name: ClassVar[str] = "mean"

    def scores(self, table):
        return [-sorted(table.runs).index(run) for run in table.runs]


class FirstRequest(Population):
    """Looks at one request."""

    name: ClassVar[str] = "mean"

    def scores(self, table):
        return table.values[:, 0].tolist()


class IgnoresWeights(Mean):
    """Says that it takes weights, and does not."""

    def value(self, u, weights=None):
        return u.mean()


class UpsideDown(Mean):
    """The worst is the best."""

    def value(self, u, weights=None):
        return -u.mean(weights)


@pytest.mark.parametrize(
    ("impostor", "promise"),
    [
        (Constant, depends_on_the_utilities),
        (ByPlace, does_not_depend_on_the_order_of_runs),
        (ByName, does_not_depend_on_the_names_of_runs),
        (FirstRequest, depends_on_all_requests_and_not_on_their_order),
        (IgnoresWeights, takes_weights_or_refuses_them),
        (UpsideDown, never_puts_a_run_that_is_nowhere_worse_below),
    ],
)
def test_an_impostor_breaks_the_contract(impostor, promise):
    assert promise in CONTRACTS and breaks(promise, impostor())
