"""NIST's ndeval on the runs of TREC's Web track 2012: 21 measures, 9 runs, 50 topics."""

import csv
import gzip
import io

import pytest

import tiebreak as tb
from nested import nested


def test_every_value_of_ndeval_is_reproduced(data):
    folder = data / "web2012"
    with gzip.open(folder / "ndeval.alpha0.5.csv.gz") as file:
        rows = [row for row in csv.DictReader(io.TextIOWrapper(file)) if row["topic"].isdecimal()]
    measures = [name for name in rows[0] if name not in ("runid", "topic")]
    assert (len(rows), len(measures)) == (9 * 50, 21)
    scores = tb.Experiment(folder / "qrels.diversity.txt.gz", folder / "runs").evaluate(measures)
    values_by_run = nested(scores, "run", "request", "measure")
    for row in rows:
        values = values_by_run[row["runid"]][row["topic"]]
        assert values == pytest.approx({name: float(row[name]) for name in measures}, rel=0, abs=1e-9), row["topic"]
