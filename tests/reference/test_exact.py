"""Orders of real runs by populations: those of exact arithmetic, read and worked out apart from the package."""

import gzip
import os
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import tiebreak as tb
from exact import twins
from metrics import slow

FOLDER = Path(os.environ.get("TIEBREAK_DATA", "")) / "dl19-passage"

METRICS = {
    "AP": lambda ranking, grades: slow.average_precision(slow.positions(ranking, grades, None)),
    "P@10": lambda ranking, grades: slow.precision(slow.positions(ranking, grades, None), 10),
    "R@100": lambda ranking, grades: slow.recall(slow.positions(ranking, grades, None), 100),
    "nDCG@10": lambda ranking, grades: slow.ndcg(ranking, grades, None, cutoff=10),
}
POPULATIONS = ("leximin", "leximax", "max", "mean", "smoothed_leximin(lag=5)", "smoothed_leximin(lag=43)", "gini")


@cache
def judgements():
    grades = {}
    for line in (FOLDER / "qrels.txt").read_text().splitlines():
        request, _, item, grade = line.split()
        grades.setdefault(request, {})[item] = int(grade)
    return {request: graded for request, graded in grades.items() if max(graded.values()) > 0}


@cache
def rankings():
    """Every run's items by request: by score, then by id, both descending."""
    actual = {}
    for path in sorted((FOLDER / "runs").glob("*.run.gz")):
        scored = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            request, _, item, _, score = line.split()[:5]
            scored.setdefault(request, []).append((float(score), item.encode()))
        actual[path.name.removesuffix(".run.gz")] = {
            request: [item.decode() for _, item in sorted(pairs, reverse=True)] for request, pairs in scored.items()
        }
    return actual


@cache
def utilities(name):
    actual = [
        [Fraction(METRICS[name](ranking.get(request, []), graded)) for request, graded in judgements().items()]
        for ranking in rankings().values()
    ]
    return [[to_75_digits(value) for value in row] for row in actual] if name.startswith("nDCG") else actual


def to_75_digits(value):
    """Fewer digits than the logarithms have, so that sums of squares of them are quick."""
    return Fraction(round(value * 10**75), 10**75)


@cache
def experiment():
    return tb.Experiment(FOLDER / "qrels.txt", sorted((FOLDER / "runs").glob("*.run.gz")))


def expected_ranks(name, population):
    slack = twins.SIXTY if name.startswith("nDCG") else 0
    rows = utilities(name)
    if population in twins.NUMBERS:
        return twins.ranks([twins.NUMBERS[population](row) for row in rows], slack)
    vector = {"leximin": sorted, "leximax": twins.LEXICOGRAPHIC["leximax"]}.get(population)
    lag = int(population.partition("lag=")[2].strip(")") or 1)
    return twins.lexicographic_ranks([(vector or (lambda row: twins.windows(row, lag)))(row) for row in rows], slack)


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("name", METRICS)
def test_populations_order_all_runs_as_exact_arithmetic_does(name, population):
    order = experiment().utilities(name).order(population)
    assert list(order.runs) == list(rankings())
    assert order.ranks.tolist() == expected_ranks(name, population)


@pytest.mark.parametrize("name", METRICS)
def test_every_value_is_the_float_nearest_its_exact_value(name):
    scores = experiment().evaluate(name)
    place = {request: k for k, request in enumerate(scores.requests)}
    columns = [place[request] for request in judgements()]
    assert scores.values[:, columns, 0].tolist() == [[float(value) for value in row] for row in utilities(name)]
