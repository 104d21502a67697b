"""What every ordering method in the catalogue must do, and impostors that must fail.

A new one joins by its line in the catalogue and a slow twin in `slow.METHODS`.
"""

import random
from dataclasses import fields
from fractions import Fraction
from functools import cache
from itertools import product
from typing import ClassVar

import numpy as np
import pytest

from contracts import breaks, slow_twin
from examples import examples
from orderings import slow
from orderings.experiments import compared, ranks_by_run
from tiebreak.orderings import CATALOGUE, Method, method
from tiebreak.orderings.voting import Borda

MEASURES = ("RPP", "LexiRecall", "AP")


def random_tables(count, runs=4, requests=5):
    """By request and run the positions of one to three relevant items."""
    rng = random.Random(3)

    def request():
        m = rng.randint(1, 3)
        return [sorted(rng.sample(range(1, 8), m)) for _ in range(runs)]

    return [[request() for _ in range(requests)] for _ in range(count)]


TABLES = random_tables(examples(15, here=8))


@cache
def comparison(k, measure):
    return compared(TABLES[k], measure)


@cache
def orders(by):
    """Every table by every measure, and its order."""
    return [(table, m, comparison(k, m).order(by)) for k, table in enumerate(TABLES) for m in MEASURES]


def some_orders(by):
    return orders(by)[: 5 * len(MEASURES)]


def puts_a_run_that_wins_every_request_first_and_none_below_one_that_loses(by):
    # Between them others that win some requests each.
    table = [[[1], [9], [q % 3 + 2], [4 - q % 3 + 1]] for q in range(6)]
    for measure in MEASURES:
        ordering = compared(table, measure).order(by)
        assert ordering.groups[0] == ("run0",) and "run1" in ordering.groups[-1]


def does_not_tie_all(by):
    assert any(len(ordering.groups) > 2 for _, _, ordering in orders(by))


def ties_identical_runs(by):
    for table in TABLES[:5]:
        for measure in MEASURES:
            ordering = compared([[*request, request[0]] for request in table], measure).order(by)
            assert ordering.ranks[0] == ordering.ranks[-1]


def does_not_depend_on_the_order_of_runs_and_requests(by):
    rng = random.Random(4)
    for table, measure, before in some_orders(by):
        moved = {"runs": rng.sample(range(4), 4), "requests": rng.sample(range(5), 5)}
        assert ranks_by_run(compared(table, measure, **moved).order(by)) == ranks_by_run(before)


def does_not_depend_on_the_names_of_runs(by):
    rng = random.Random(5)
    for table, measure, before in some_orders(by):
        name = rng.sample(range(4), 4)  # run r becomes run name[r]
        renamed = [[request[name.index(r)] for r in range(4)] for request in table]
        after = ranks_by_run(compared(renamed, measure).order(by))
        assert [after[f"run{name[r]}"] for r in range(4)] == before.ranks.tolist()


def counts_all_requests_alike(by):
    for table, measure, before in some_orders(by):
        assert ranks_by_run(compared(table + table, measure).order(by)) == ranks_by_run(before)


def ranks_by_its_scores(by):
    for _, _, ordering in orders(by):
        places = list(zip(ordering.scores.tolist(), ordering.ranks.tolist(), strict=True))
        for (score, rank), (other_score, other_rank) in product(places, repeat=2):
            assert rank < other_rank or score <= other_score
            assert rank != other_rank or score == other_score


def ranks_samples_as_it_ranks_requests(by):
    rng = np.random.default_rng(6)
    for k in range(8):
        for measure in MEASURES:
            ballots = comparison(k, measure).ballots
            weights = rng.multinomial(5, np.full(5, 1 / 5), size=6).astype(np.float64)
            assert by.ranks(ballots, weights).tolist() == Method.ranks(by, ballots, weights).tolist()


def prints_as_the_spec_that_makes_it(by):
    assert method(str(by)) == by and method(by) is by
    assert all(parameter.name in (type(by).__doc__ or "") for parameter in fields(by))


def says_what_it_is(by):
    assert (type(by).__doc__ or "").strip()
    _, _, ordering = orders(by)[0]
    assert ordering.by == str(by) and f"by {by}: rank 1 is best" in ordering.notes[0]


def agrees_with_its_slow_twin(by):
    twin = slow_twin(slow.METHODS, by.name, "METHODS of tests/orderings/slow.py")
    for table, measure, ordering in orders(by):
        exact = twin(slow.matrices(table, "diff(AP)" if measure == "AP" else measure))
        assert ordering.ranks.tolist() == slow.ranks(exact)
        assert ordering.scores.tolist() == pytest.approx([float(score) for score in exact], abs=1e-12)


CONTRACTS = [
    puts_a_run_that_wins_every_request_first_and_none_below_one_that_loses,
    does_not_tie_all,
    ties_identical_runs,
    does_not_depend_on_the_order_of_runs_and_requests,
    does_not_depend_on_the_names_of_runs,
    counts_all_requests_alike,
    ranks_by_its_scores,
    ranks_samples_as_it_ranks_requests,
    prints_as_the_spec_that_makes_it,
    says_what_it_is,
    agrees_with_its_slow_twin,
]


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_every_method_keeps_the_contract(contract, name):
    assert CATALOGUE[name].name == name
    contract(CATALOGUE[name]())


# Impostors


class TiesAll(Method):
    """All runs are equal."""

    name: ClassVar[str] = "borda"

    def scores(self, ballots):
        return [Fraction(0)] * len(ballots.runs)


class ByPlace(Method):
    """The first of the input is the best."""

    name: ClassVar[str] = "borda"

    def scores(self, ballots):
        return [-r for r in range(len(ballots.runs))]


class ByName(Method):
    """In alphabetical order."""

    name: ClassVar[str] = "borda"

    def scores(self, ballots):
        return [-sorted(ballots.runs).index(run) for run in ballots.runs]


class FirstRequest(Borda):
    """Looks at one request."""

    def scores(self, ballots):
        return super().scores(ballots.take(np.array([0])))


class UpsideDown(Borda):
    """The worst is the best."""

    def scores(self, ballots):
        return [-score for score in super().scores(ballots)]


class WrongSamples(Borda):
    """Ignores which requests were drawn."""

    def ranks(self, ballots, weights):
        return super().ranks(ballots, np.ones_like(weights))


@pytest.mark.parametrize(
    ("impostor", "promise"),
    [
        (TiesAll, does_not_tie_all),
        (ByPlace, does_not_depend_on_the_order_of_runs_and_requests),
        (ByName, does_not_depend_on_the_names_of_runs),
        (FirstRequest, does_not_depend_on_the_order_of_runs_and_requests),
        (UpsideDown, puts_a_run_that_wins_every_request_first_and_none_below_one_that_loses),
        (WrongSamples, ranks_samples_as_it_ranks_requests),
    ],
)
def test_an_impostor_breaks_the_contract(impostor, promise):
    assert promise in CONTRACTS and breaks(promise, impostor())
