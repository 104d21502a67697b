"""Missing labels and requests on real runs: threads change nothing, and what the papers saw elsewhere is seen here."""

import warnings

import pytest

import tiebreak as tb
from tiebreak.studies import missing

RPP_PAPER = ("RPP", "dcgRPP", "AP", "nDCG", "RR")
READING = {"dl19-passage": ("qrels.txt", {}), "ml-small": ("qrels.stars.txt", {"min_grade": 4, "binary": True})}


@pytest.fixture(scope="module", params=READING)
def experiment(request, data):
    file, options = READING[request.param]
    one_experiment = tb.Experiment(
        data / request.param / file, sorted((data / request.param / "runs").glob("*.gz")), **options
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tb.errors.EmptyRequestsWarning)
        one_experiment.read()
    return one_experiment


@pytest.mark.parametrize(("remove", "of"), [("labels", "order"), ("pool", "preferences"), ("requests", "systems")])
def test_threads_change_nothing(experiment, remove, of):
    measures, how = ("RPP", "dcgRPP", "LexiRecall", "AP", "nDCG"), {"fractions": [0.3, 0.8], "samples": 2}
    actual = [missing(experiment, measures, remove, of, **how, jobs=jobs).rows() for jobs in (1, 8)]
    assert actual[0] == actual[1]
    assert min(row.mean for row in actual[0]) < 1


@pytest.mark.parametrize("remove", ["labels", "requests"])
def test_order_by_reciprocal_rank_is_the_least_stable(experiment, remove):
    """RPP 6.2: of RPP, its relatives, AP, nDCG and RR, RR degrades the fastest."""
    rows = missing(experiment, RPP_PAPER, remove, fractions=[0.5], samples=10, jobs=2).rows()
    assert min(rows, key=lambda row: row.mean).measure == "RR"
    assert all(row.samples == 10 for row in rows)
