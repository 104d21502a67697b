"""A tie is a tie everywhere: what is reported, ordered, ranked and counted equals exact arithmetic.

Over every metric, preference, population and ordering, on random worlds that are built to collide: three measures of
each world, with their populations and orders. `make exact` tries 100,000 measures, the slow tests a thousand.
"""

import os
import random
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest

import tiebreak as tb
from exact import twins
from exact.worlds import shuffled, world
from tiebreak.exact.number import Number
from tiebreak.metrics import CATALOGUE as METRICS
from tiebreak.metrics.diversity.base import AspectMetric
from tiebreak.orderings import CATALOGUE as METHODS
from tiebreak.populations import CATALOGUE as POPULATIONS
from tiebreak.preferences import CATALOGUE as PREFERENCES

INSTANCES = int(os.environ.get("TIEBREAK_EXACT", "1000"))
PARTS = 100
ORDERING = {spec: twin for spec, twin in twins.METRICS.items() if not tb.metric(spec).traits.is_for_display}


def seeds(part):
    """The worlds of a part, of each of which three measures are tried."""
    return range(part, INSTANCES // 3 + 1, PARTS)


def utilities(result, twin):
    """The exact value [run][request] of a metric."""
    return [
        [twin(of_run[request], graded, result.subtopics) for request, graded in result.grades.items()]
        for of_run in result.rankings.values()
    ]


def check_metric(exp, result, spec, twin, slack, rng):
    exact = utilities(result, twin)
    scores = exp.evaluate(spec)
    assert scores.values[:, :, 0].tolist() == [[float(value) for value in row] for row in exact], spec
    assert [row.value for row in scores.summary().rows()] == [total(spec, row) for row in exact], spec
    if not tb.metric(spec).traits.has_direction:
        return
    compared = exp.compare(f"diff({spec})")
    check_pairs(compared, exact, slack, spec)
    assert (np.sign(compared.values) == exp.compare(f"sign({spec})").values).all(), spec
    check_populations(exp, spec, exact, slack, rng)
    better = [[-value for value in row] for row in exact] if tb.metric(spec).traits.lower_is_better else exact
    matrices = [[[a - b for b in column] for a in column] for column in zip(*better, strict=True)]
    check_orders(exp, f"diff({spec})", twins.settled(matrices, slack), slack, rng)


def total(spec, values):
    """The float nearest the mean, or what is reported in its place."""
    kind = tb.metric(spec).total
    if kind == "geometric mean":
        return pytest.approx(twins.populations.gmean(values), rel=1e-12)
    return float(sum(values) / (1 if kind == "sum" else len(values)))


def check_pairs(compared, exact, slack, spec):
    lower = tb.metric(spec).traits.lower_is_better
    for (x, y), values in zip(combinations(exact, 2), compared.values, strict=True):
        differences = [(b - a) if lower else (a - b) for a, b in zip(x, y, strict=True)]
        expected = [float(d) if twins.sign(d, slack) else 0.0 for d in differences]
        assert values.tolist() == expected, spec


def check_populations(exp, spec, exact, slack, rng):
    better = [[-value for value in row] for row in exact] if tb.metric(spec).traits.lower_is_better else exact
    n = len(better[0])
    for name in rng.sample(sorted(twins.NUMBERS), 3):
        if (min(map(min, better)) < 0 and name in ("gini", "gmean")) or (n < 2 and name.startswith("lower_area")):
            continue
        expected = twins.ranks([twins.NUMBERS[name](row) for row in better], slack)
        assert exp.utilities(spec).order(name).ranks.tolist() == expected, (spec, name)
    for name in rng.sample(sorted(twins.LEXICOGRAPHIC), 2):
        if name.endswith("lag=2)") and n < 2:
            continue
        vectors = [twins.LEXICOGRAPHIC[name](row) for row in better]
        order = exp.utilities(spec).order(name.replace("lag=n", f"lag={n}"))
        assert order.ranks.tolist() == twins.lexicographic_ranks(vectors, slack), (spec, name)
    name = f"urisk(baseline='{rng.choice(exp.positions.runs)}', alpha=0.7)"
    base = better[exp.positions.runs.index(name.split("'")[1])]
    risks = [twins.populations.urisk(row, base, twins.Fraction(7, 10)) for row in better]
    assert exp.utilities(spec).order(name).ranks.tolist() == twins.ranks(risks, slack), (spec, name)


def check_orders(exp, spec, matrices, slack, rng):
    for name in rng.sample(sorted(twins.METHODS), 2):
        expected = twins.ranks(twins.scores(name, matrices, slack), slack if name in ("mean", "win_rate") else 0)
        assert exp.order(spec, by=name).ranks.tolist() == expected, (spec, name)


def check_preference(exp, result, spec, twin, slack, rng):
    names, requests = list(result.rankings), list(result.grades)
    matrices = [
        [
            [twin(result.rankings[x][q], result.rankings[y][q], result.grades[q], result.subtopics) for y in names]
            for x in names
        ]
        for q in requests
    ]
    matrices = twins.settled([[[twins.Fraction(v) for v in row] for row in one] for one in matrices], slack)
    compared = exp.compare(spec)
    for (x, y), values in zip(combinations(range(len(names)), 2), compared.values, strict=True):
        assert values.tolist() == [float(one[x][y]) for one in matrices], spec
    means = [sum(one[x][y] for one in matrices) / len(matrices) for x, y in combinations(range(len(names)), 2)]
    assert compared.mean.tolist() == [float(mean) if twins.sign(mean, slack) else 0.0 for mean in means], spec
    check_orders(exp, spec, matrices, slack, rng)


def check_world(seed):
    rng = random.Random(seed)
    with_subtopics = rng.random() < 0.3
    result = world(seed, with_subtopics)
    exp = tb.Experiment(result.judgements, result.runs)
    metrics, preferences = ORDERING, twins.PREFERENCES
    if with_subtopics:
        metrics, preferences = metrics | twins.SUBTOPIC_METRICS, preferences | twins.SUBTOPIC_PREFERENCES
    for spec in rng.sample(sorted(metrics), 2):
        check_metric(exp, result, spec, metrics[spec], slack(exp.evaluate(spec).exact[0]), rng)
    for spec in rng.sample(sorted(preferences), 1):
        check_preference(exp, result, spec, preferences[spec], slack(exp.compare(spec).exact), rng)


def slack(exact):
    """How far equal values may be apart: by nothing, or in the 60th digit where logarithms enter."""
    return 0 if exact is None or exact.is_rational else twins.SIXTY


@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.slow if part else ()) for part in range(PARTS)])
def test_ties_and_orders_are_those_of_exact_arithmetic(part):
    for seed in seeds(part):
        try:
            check_world(seed)
        except AssertionError as error:
            raise AssertionError(f"world {seed}: {error}") from error


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_order_of_files_lines_and_requests_changes_no_bit(part):
    for seed in range(part, max(INSTANCES // 20, 50), 5):
        rng = random.Random(seed)
        result = world(seed, with_subtopics=True)
        mixed = shuffled(result, seed)
        first, second = (tb.Experiment(one.judgements, dict_of_runs(one)) for one in (result, mixed))
        for spec in rng.sample(sorted(ORDERING | twins.SUBTOPIC_METRICS), 3):
            assert values(first.evaluate(spec)) == values(second.evaluate(spec)), (seed, spec)
        for spec in ("RPP", "RPP(weights='dcg')", "rrLP", "diff(nDCG)"):
            for by in ("mc4", "borda", "mean"):
                x, y = (exp.order(spec, by=by) for exp in (first, second))
                assert places(x) == places(y), (seed, spec, by)
        for spec in ("gmean(AP)", "gini(nDCG)", "trisk(AP, baseline='run1')", "georisk(AP)", "lower_area(AP, share=1)"):
            if "trisk" in spec and len(result.grades) < 2:
                continue
            x, y = (exp.order(spec) for exp in (first, second))
            assert places(x) == places(y), (seed, spec)


SHOWN = ("Novelty@10", "Coverage(n=500)@10", "ExposureGini(RBP, n=500)@10")
OF_ASPECTS = (*(f"{name}@10" for name, entry in METRICS.items() if issubclass(entry, AspectMetric)), *SHOWN)
"""Floats, the same bits whatever the order of the input."""


@pytest.mark.slow
@pytest.mark.parametrize("spec", OF_ASPECTS)
def test_order_of_ratings_and_aspects_changes_no_bit(spec):
    for seed in range(40):
        result = world(seed, with_subtopics=True)
        ratings = {q: {item: 0.1 * (grade + 1) for item, grade in of.items()} for q, of in result.grades.items()}
        mixed = shuffled(replace(result, grades=ratings), seed)
        first = tb.Experiment(ratings, dict_of_runs(result), aspects=result.subtopics).evaluate(spec)
        second = tb.Experiment(mixed.grades, dict_of_runs(mixed), aspects=mixed.subtopics).evaluate(spec)
        assert values(first) == values(second), seed
        assert first.to_flat_dict() == second.to_flat_dict(), seed


def names(specs):
    return {spec.partition("(")[0].partition("@")[0] for spec in specs}


def test_nothing_in_a_catalogue_is_left_out():
    assert names(chain(twins.METRICS, twins.SUBTOPIC_METRICS, OF_ASPECTS)) == set(METRICS)
    assert names(chain(twins.PREFERENCES, twins.SUBTOPIC_PREFERENCES)) == set(PREFERENCES)
    assert names(chain(twins.NUMBERS, twins.LEXICOGRAPHIC)) | {"urisk", "trisk", "georisk"} <= set(POPULATIONS)
    assert set(twins.METHODS) == set(METHODS)


def dict_of_runs(result):
    return [tb.Run(run, name=name) for name, run in zip(result.rankings, result.runs, strict=True)]


def values(scores):
    return {(row.run, row.request, row.measure): row.value for row in scores.rows()}


def places(order):
    return {
        run: (int(rank), float(score)) for run, rank, score in zip(order.runs, order.ranks, order.scores, strict=True)
    }


def test_a_number_is_compared_exactly_where_estimates_do_not_decide():
    close = twins.Fraction(1, 10**30)
    third = Number(twins.Fraction(1, 3), twins.Fraction(1, 10**20), lambda: twins.Fraction(1, 3))
    more = Number(twins.Fraction(1, 3), twins.Fraction(1, 10**20), lambda: twins.Fraction(1, 3) + close)
    assert third < more and third == twins.Fraction(1, 3) and more > third and third != more
    assert np.isclose(float(more), 1 / 3)
