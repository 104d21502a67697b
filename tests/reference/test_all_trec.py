"""All 98 measures of ``trec_eval -m all_trec -q -c``, version 10: six runs of TREC DL 2019, two relevance levels."""

import gzip
import warnings

import pytest

import tiebreak as tb
from tiebreak._base.nicknames import NICKNAMES
from tiebreak.errors import GradesWarning

RUNS, TOPICS, LEVELS = 6, 43, (1, 2)
ONLY_TOTALS = {"num_q", "gm_map", "gm_bpref"}
"""For these trec_eval prints nothing by topic."""


@pytest.fixture(scope="module")
def printed(data):
    """``{(level, run, topic or "all"): {measure: value}}``; ``rbp`` by the name it has here."""
    values = {}
    with gzip.open(data / "dl19-passage" / "trec_eval10.all_trec.tsv.gz", "rt") as lines:
        next(lines)
        for level, run, topic, measure, value in map(str.split, lines):
            of_topic = values.setdefault((int(level), run, topic), {})
            of_topic["rbp_p=0.9" if measure == "rbp" else measure] = value
    assert len(values) == len(LEVELS) * RUNS * (TOPICS + 1)
    return values


@pytest.fixture(scope="module", params=LEVELS)
def scores(request, data, printed):
    folder = data / "dl19-passage"
    runs = [folder / "runs" / f"{run}.run.gz" for run in sorted({run for _, run, _ in printed})]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GradesWarning)
        return request.param, tb.Experiment(folder / "qrels.txt", runs, min_grade=request.param).evaluate("all_trec")


def test_every_value_of_every_topic(scores, printed):
    level, result = scores
    compared = 0
    for row in result.rows():
        if row.measure not in ONLY_TOTALS:
            expected = float(printed[level, row.run, row.request][row.measure])
            assert row.value == pytest.approx(expected, rel=0, abs=1e-9), row
            compared += 1
    assert compared == RUNS * TOPICS * (98 - len(ONLY_TOTALS))


def test_every_total_to_the_printed_digits(scores, printed):
    level, result = scores
    relevant = {(row.run, row.request): row.value for row in result.rows() if row.measure == "num_rel"}
    for row in result.summary().rows():
        expected = printed[level, row.run, "all"][row.measure]
        if row.measure == "num_rel":
            # With -c trec_eval adds up the relevant items of all topics from grade 1 on, whatever the level is.
            assert expected == printed[1, row.run, "all"]["num_rel"]
            assert row.value == sum(value for (run, _), value in relevant.items() if run == row.run)
        else:
            tolerance = 0.5 * 10 ** -len(expected.partition(".")[2]) + 1e-12
            assert row.value == pytest.approx(float(expected), rel=0, abs=tolerance if "." in expected else 0), row
    assert {row.measure for row in result.summary().rows()} == set(NICKNAMES["all_trec"])
