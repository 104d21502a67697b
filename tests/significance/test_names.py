"""Draws belong to the names of requests and runs: where these stand in files changes no result."""

from functools import cache
from random import Random

import numpy as np
import pytest

import tiebreak as tb
from orderings import slow as slow_orderings
from tiebreak.significance import CATALOGUE

NAMES = ["bm25", "dense", "a", "Z", "ä"]
REQUESTS = ["q10", "q9", "q1", "q2", "10", "9", "ü", "q", "Q1", "q11", "x", "y"]
# Of values, ranks and matrices of preferences, whole and with weights that are not.
MEASURES = ("AP", "LexiRecall", "RPP", "RPP(weights='dcg')", "sign(AP)")
every_measure = pytest.mark.parametrize("measure", MEASURES)
every_test = pytest.mark.parametrize("test", sorted(CATALOGUE))
every_order = pytest.mark.parametrize("order", [1, 2])


def rankings(rng):
    """Judgements and runs: a few relevant items of ten, in every order."""
    qrels = {request: {f"d{k}": int(rng.integers(0, 3)) for k in range(10)} | {"d0": 1} for request in REQUESTS}
    runs = {
        name: {request: {f"d{k}": float(rng.permutation(10)[k]) for k in range(8)} for request in REQUESTS}
        for name in NAMES
    }
    return qrels, runs


QRELS, RUNS = rankings(np.random.default_rng(4))


def shuffled(things, random):
    return random.sample(things, len(things))


def reordered(table, random):
    """The same requests in another order, each with its items in another."""
    return {request: dict(shuffled(list(table[request].items()), random)) for request in shuffled(REQUESTS, random)}


@cache
def experiment(order=0):
    """The same in every order."""
    random = Random(order)
    runs = [tb.Run(reordered(RUNS[name], random), name=name) for name in shuffled(NAMES, random)]
    return tb.Experiment(reordered(QRELS, random), runs)


def utilities(values, order=0):
    random = Random(order)
    return tb.Utilities(
        {
            name: {q: float(values[NAMES.index(name), REQUESTS.index(q)]) for q in shuffled(REQUESTS, random)}
            for name in shuffled(NAMES, random)
        }
    )


def p_values(significance):
    return {(x, y): significance.between(x, y).pvalue for x in NAMES for y in NAMES if x < y}


def intervals(significance):
    return [bound for x in NAMES for y in NAMES if x < y for bound in significance.between(x, y)[4:8]]


@pytest.mark.slow
@every_test
@every_measure
@every_order
def test_p_values_do_not_depend_on_the_order_of_runs_requests_and_lines(test, measure, order):
    if test == "tukey" and measure != "AP":
        pytest.skip("for metrics")
    how = {"permutations": 200, "seed": 3} if test in ("permutation", "bootstrap", "hsd") else {}
    one, other = (result.compare(measure).test(test, **how) for result in (experiment(), experiment(order)))
    assert p_values(one) == p_values(other)
    assert intervals(one) == pytest.approx(intervals(other), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@every_order
def test_p_values_against_a_baseline_do_not_depend_on_order(test, order):
    one, other = (
        result.compare("RPP", baseline="bm25").test(test, permutations=200)
        for result in (experiment(), experiment(order))
    )
    for name in NAMES[1:]:
        assert one.between(name, "bm25").pvalue == other.between(name, "bm25").pvalue


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "hsd"])
def test_p_values_do_not_depend_on_the_order_of_lines_in_files(test, tmp_path):
    rng = np.random.default_rng(1)
    qrels = [f"{q} 0 {item} {grade}\n" for q, items in QRELS.items() for item, grade in items.items()]
    runs = {n: [f"{q} Q0 {i} 0 {s} t\n" for q in RUNS[n] for i, s in RUNS[n][q].items()] for n in NAMES}
    actual = []
    for k in range(3):
        (tmp_path / str(k)).mkdir()
        for name, lines in {"qrels": qrels, **runs}.items():
            some = rng.permutation(len(lines)) if k else range(len(lines))
            (tmp_path / str(k) / name).write_text("".join(lines[place] for place in some), encoding="utf-8")
        files = [tmp_path / str(k) / NAMES[r] for r in rng.permutation(len(NAMES))]
        one_experiment = tb.Experiment(tmp_path / str(k) / "qrels", files)
        actual.append(p_values(one_experiment.compare("RPP").test(test, permutations=300)))
    assert actual[0] == actual[1] == actual[2]


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "hsd"])
@every_order
def test_tests_of_utilities_do_not_depend_on_order(test, order):
    values = np.random.default_rng(2).normal(size=(len(NAMES), len(REQUESTS))).round(2)
    one, other = (p_values(utilities(values, k).test(test, permutations=200)) for k in (0, order))
    assert one == other


@pytest.mark.one_in(4)
@pytest.mark.parametrize("by", sorted(slow_orderings.METHODS))
@every_measure
@every_order
def test_resampled_orderings_do_not_depend_on_order(by, measure, order):
    one, other = (result.compare(measure).bootstrap(by, resamples=60) for result in (experiment(), experiment(order)))
    places = [other.runs.index(name) for name in one.runs]
    assert one.ranks.tolist() == other.ranks[:, places].tolist()
    assert one.wins.tolist() == other.wins[np.ix_(places, places)].tolist()


@every_order
def test_resampled_lags_do_not_depend_on_order(order):
    values = np.random.default_rng(2).integers(0, 5, (len(NAMES), len(REQUESTS)))
    one, other = (utilities(values, k).by_lag("a", "Z", resamples=100).to_dict() for k in (0, order))
    assert one == other


@pytest.mark.parametrize("test", ["permutation", "bootstrap", "hsd"])
def test_other_names_are_other_draws(test):
    values = np.random.default_rng(2).normal(size=(2, 40))
    p = [
        tb.Utilities({"a": dict(zip(names, values[0], strict=True)), "b": dict(zip(names, values[1], strict=True))})
        .test(test, permutations=999)
        .pvalue[0]
        for names in ([f"q{k:02}" for k in range(40)], [f"q{40 - k:02}" for k in range(40)])
    ]
    assert p[0] != p[1]
