"""``tiebreak study axioms``: no files are read; every format, a picture, own functions, and what is refused."""

import csv
import io

import pytest

from cli.test_compare import FORMATS, done, objects, one_line_error

pytestmark = pytest.mark.slow  # searches and drawings of many cases

QUICK = ("study", "axioms", "-m", "S-RR", "--lists", "20")


@pytest.mark.parametrize("form", FORMATS)
def test_every_format(form):
    assert "S-RR" in done(*QUICK, "--format", form).stdout


def test_rows_are_cells_with_what_decides():
    rows = objects(done(*QUICK, "--format", "jsonl").stdout)
    assert len(rows) == 10
    assert rows[0] | {"tried": 0} == {
        "measure": "S-RR",
        "law": "Pri",
        "holds": False,
        "tried": 0,
        "better": "[1:a, 0:a]",
        "worse": "[0:a, 1:a]",
        "interests": "a 1/2, b 1/2",
        "value_better": 0.0,
        "order": "=",
        "value_worse": 0.0,
    }


def test_table_says_what_decides():
    message = done(*QUICK).stdout
    assert "it satisfies NonPriSatAsp on all cases tried." in message
    assert "[5:a, 1:b, 5:a] 0.5000 > [5:a, 5:a, 1:b] 0.3333" in message


def test_own_function_beside_a_metric(tmp_path, monkeypatch):
    (tmp_path / "own_axioms.py").write_text("def none(items, interest, r_max):\n    return 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    result = done(*QUICK, "-m", "own_axioms:none", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(result)))
    assert {row["measure"] for row in rows} == {"S-RR", "own_axioms:none"}
    assert not any(row["holds"].lower() == "true" for row in rows if row["measure"] == "own_axioms:none")


def test_written_to_a_file_and_drawn(tmp_path):
    pytest.importorskip("altair")
    done(*QUICK, "--format", "tsv", "--out", tmp_path / "cells.tsv", "--plot", tmp_path / "cells.svg")
    assert (tmp_path / "cells.tsv").read_text().startswith("measure\tlaw\tholds\ttried")
    assert "<svg" in (tmp_path / "cells.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-m", "AP"), 'unknown metric of aspects "AP"'),
        (("-m", "EU(r_max=10)"), "r_max cannot be given here"),
        (("-m", "no_such_module:f"), "no_such_module"),
    ],
)
def test_refused_before_any_search(arguments, message):
    assert message in one_line_error("study", "axioms", *arguments)


def test_parquet_needs_a_file():
    assert "--format parquet needs --out" in done(*QUICK, "--format", "parquet", code=2).stderr


def test_listed_among_the_studies():
    assert "axioms" in done("study", "--help").stdout
