"""Measures worked out from positions alone equal those of trec_eval 10 (``-q -c -l 2``), on all of TREC DL 2019."""

import gzip
from math import log2

import pytest

import tiebreak
from tiebreak.errors import EmptyRequestsWarning, GradesWarning
from tiebreak.projection import UNRETRIEVED

MIN_GRADE = 2
RUNS, TOPICS = 37, 43


@pytest.fixture(scope="module")
def printed(data):
    """``{(run, topic): {measure: value}}`` as trec_eval prints them."""
    values = {}
    with gzip.open(data / "dl19-passage" / "trec_eval.l2.tsv.gz", "rt") as lines:
        next(lines)
        for line in lines:
            run, topic, measure, value = line.split("\t")
            if topic != "all":
                values.setdefault((run, topic), {})[measure] = float(value)
    assert len(values) == RUNS * TOPICS
    return values


@pytest.fixture(scope="module")
def made(data):
    runs = sorted((data / "dl19-passage" / "runs").glob("*.run.gz"))
    return tiebreak.project(data / "dl19-passage" / "qrels.txt", runs, min_grade=MIN_GRADE, nonrelevant=True)


def average_precision(p):
    return sum(i / rank for i, rank in enumerate(p, start=1) if rank != UNRETRIEVED) / len(p)


MEASURES = {
    "map": average_precision,
    "recip_rank": lambda p: 0 if p[0] == UNRETRIEVED else 1 / p[0],
    "P_10": lambda p: sum(rank <= 10 for rank in p) / 10,
    "recall_1000": lambda p: sum(rank <= 1000 for rank in p) / len(p),
    "Rprec": lambda p: sum(rank <= len(p) for rank in p) / len(p),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_of_every_run_and_topic_equals_trec_eval(made, printed, measure):
    compared = 0
    for bucket in made.levels().buckets():
        for r, run in enumerate(made.runs):
            for place, request in enumerate(bucket.requests):
                value = MEASURES[measure](bucket.p[r, place].tolist())
                assert value == pytest.approx(printed[run, made.requests[request]][measure], rel=0, abs=1e-9)
                compared += 1
    assert compared == RUNS * TOPICS


def ranks_and_grades(positions, run):
    """For every request, the (rank, grade) of its items."""
    pairs = [[] for _ in positions.requests]
    rows = zip(positions.layout.request.tolist(), positions.ranks[run].tolist(), positions.grade.tolist(), strict=True)
    for request, rank, grade in rows:
        pairs[request].append((rank, grade))
    return pairs


def ndcg(pairs, cutoff):
    gain = sum(grade / log2(rank + 1) for rank, grade in pairs if rank <= cutoff)
    grades = sorted((grade for _, grade in pairs), reverse=True)[:cutoff]
    return gain / sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, start=1))


@pytest.mark.parametrize(("measure", "cutoff"), [("ndcg", 1000), ("ndcg_cut_10", 10)])
def test_graded_ndcg_of_every_run_and_topic_equals_trec_eval(made, printed, measure, cutoff):
    for r, run in enumerate(made.runs):
        for request, pairs in zip(made.requests, ranks_and_grades(made, r), strict=True):
            assert ndcg(pairs, cutoff) == pytest.approx(printed[run, request][measure], rel=0, abs=1e-9)


def bpref(relevant, others):
    """Buckley and Voorhees (2004): a retrieved relevant item loses by the other judged items above it, R at most."""
    bound = min(len(relevant), len(others))
    above = [sum(other < rank for other in others) for rank in relevant if rank != UNRETRIEVED]
    return sum(1 - min(number, len(relevant)) / bound if number else 1 for number in above) / len(relevant)


def test_bpref_of_every_run_and_topic_equals_trec_eval(made, printed):
    for r, run in enumerate(made.runs):
        graded, zero = ranks_and_grades(made, r), ranks_and_grades(made.nonrelevant, r)
        for request, some, others in zip(made.requests, graded, zero, strict=True):
            relevant = [rank for rank, grade in some if grade >= MIN_GRADE]
            others = [rank for rank, grade in some + others if grade < MIN_GRADE]
            value = bpref(relevant, others)
            assert value == pytest.approx(printed[run, request]["bpref"], rel=0, abs=1e-9)


def test_measures_of_the_catalogue_equal_trec_eval(data):
    """All measures of all runs and topics, through the public face."""
    folder = data / "dl19-passage"
    runs = sorted((folder / "runs").iterdir())
    with pytest.warns(GradesWarning):
        scores = tiebreak.Experiment(folder / "qrels.txt", runs, min_grade=2).evaluate(ALL_MEASURES)
    actual = {(row.run, row.request, row.measure): row.value for row in scores.rows()}
    with gzip.open(folder / "trec_eval.l2.tsv.gz", "rt") as lines:
        expected = {(run, qid, measure): value for run, qid, measure, value in map(str.split, lines) if qid != "all"}
    expected.pop(("run", "qid", "measure"), None)
    assert set(actual) == set(expected)
    assert max(abs(actual[key] - float(value)) for key, value in expected.items()) < 1e-9


ALL_MEASURES = ["map", "Rprec", "bpref", "recip_rank", "P_10", "recall_1000", "ndcg", "ndcg_cut_10"]


def test_ndcg_equals_trec_eval_whatever_min_grade_is(data):
    folder = data / "dl19-passage"
    runs = sorted((folder / "runs").iterdir())[:3]
    with gzip.open(folder / "trec_eval.l2.tsv.gz", "rt") as lines:
        rows = [line.split() for line in lines]
    printed = {(run, qid): float(value) for run, qid, measure, value in rows if measure == "ndcg_cut_10"}
    with pytest.warns((GradesWarning, EmptyRequestsWarning)):
        scores = tiebreak.Experiment(folder / "qrels.txt", runs, min_grade=3).evaluate("ndcg_cut_10")
    actual = {(row.run, row.request): row.value for row in scores.rows()}
    assert len(actual) == 3 * 43
    assert all(abs(value - printed[key]) < 1e-9 for key, value in actual.items())
