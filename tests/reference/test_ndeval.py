"""NIST's ndeval on the runs of TREC's Web track 2012: 21 measures, 9 runs, 50 topics."""

import csv
import gzip
import io

import pytest

import tiebreak as tb
from nested import nested


@pytest.fixture(scope="module")
def table(data):
    """What ndeval prints with ``-traditional -c``, by run and topic."""
    with gzip.open(data / "web2012" / "ndeval.alpha0.5.csv.gz") as file:
        return [row for row in csv.DictReader(io.TextIOWrapper(file)) if row["topic"].isdecimal()]


@pytest.fixture(scope="module")
def ours(data, table):
    measures = [name for name in table[0] if name not in ("runid", "topic")]
    folder = data / "web2012"
    scores = tb.Experiment(folder / "qrels.diversity.txt.gz", folder / "runs").evaluate(measures)
    return nested(scores, "run", "request", "measure")


def test_every_value_of_ndeval_is_reproduced(table, ours):
    assert (len(table), len(ours["indri-ql-cata"]["151"])) == (9 * 50, 21)
    for row in table:
        values = ours[row["runid"]][row["topic"]]
        assert values == pytest.approx({name: float(row[name]) for name in values}, rel=0, abs=1e-9), row["topic"]


def test_values_of_pyndeval_are_reproduced_once_rankings_are_the_same(data, ours):
    """It puts tied items in ascending order of their ids; the shares are those in tests/conformance/reasons.toml."""
    pyndeval = pytest.importorskip("pyndeval")
    rows = read_rows(data / "web2012" / "qrels.diversity.txt.gz")
    theirs = pyndeval.RelevanceEvaluator([(q, subtopic, item, int(grade)) for q, subtopic, item, grade in rows])
    raw = {}
    for run, values in ours.items():
        scores = read_scores(data / "web2012" / "runs" / f"{run}.run.gz")
        raw[run] = differences(theirs.evaluate(triples(scores)), values)
        ranked = {q: sorted(items, key=lambda item: (items[item], item), reverse=True) for q, items in scores.items()}
        same = {q: {item: -k for k, item in enumerate(items)} for q, items in ranked.items()}
        assert not any(differences(theirs.evaluate(triples(same)), values).values())
    by_run = [sum(cells.values()) / len(cells) for cells in raw.values()]
    by_measure = [
        sum(cells[cell] for cells in raw.values() for cell in cells if cell[1] == name) / (9 * 50)
        for name in theirs.measures
    ]
    assert (min(by_run), max(by_run)) == pytest.approx((0.012, 0.031), abs=5e-4)
    assert (min(by_measure), max(by_measure)) == pytest.approx((0, 0.322), abs=5e-4)


def read_rows(path):
    with gzip.open(path, "rt") as lines:
        return [line.split() for line in lines]


def read_scores(path):
    scores = {}
    for q, _, item, _, score, *_ in read_rows(path):
        scores.setdefault(q, {})[item] = float(score)
    return scores


def triples(scores):
    return [(q, item, score) for q, items in scores.items() for item, score in items.items()]


def differences(theirs, ours):
    """Whether each value differs, by request and measure."""
    return {(q, name): abs(v - ours[q][name]) > 1e-9 for q, values in theirs.items() for name, v in values.items()}
