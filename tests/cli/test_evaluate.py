"""``tiebreak evaluate``, in every format."""

import csv
import io
import json
import os
import subprocess

import pytest

from cli import running


def run(*arguments):
    done = running.run("evaluate", *arguments)
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq1 Q0 b 3 1 t\nq2 Q0 c 1 1 t\n")
    (tmp_path / "two.run").write_text("q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\n")
    return tmp_path / "qrels.txt", tmp_path / "one.run", tmp_path / "two.run"


# AP: one has (1 + 2/3) / 2 and 1, two has (1/2) / 2 and 0.
ONE, TWO = ((1 + 2 / 3) / 2 + 1) / 2, (1 / 4 + 0) / 2


def test_table_has_runs_as_rows_and_measures_as_columns(files):
    text = run(*files, "-m", "map", "-m", "RR").stdout
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.split()}
    assert rows["run"] == ["run", "map", "RR"]
    assert rows["one"] == ["one", f"{ONE:.4f}", "1.0000"]
    assert rows["two"] == ["two", f"{TWO:.4f}", "0.2500"]
    assert "Means over 2 requests." in text and "Relevant is a grade above 0." in text
    assert "of the top 10 is unjudged." in text


def test_default_measures(files):
    assert run(*files).stdout.split()[:6] == ["run", "nDCG@10", "AP", "RR", "R@100", "TSE"]


def test_csv_tsv_and_jsonl_hold_every_digit(files):
    for form, read in (("csv", csv.DictReader), ("tsv", lambda f: csv.DictReader(f, delimiter="\t"))):
        rows = list(read(io.StringIO(run(*files, "-m", "AP", "--format", form).stdout)))
        assert [(row["run"], row["measure"], float(row["value"])) for row in rows] == [
            ("one", "AP", ONE),
            ("two", "AP", TWO),
        ]
    lines = run(*files, "-m", "AP", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"run": "one", "measure": "AP", "value": ONE, "n_requests": 2},
        {"run": "two", "measure": "AP", "value": TWO, "n_requests": 2},
    ]


def test_per_request(files):
    rows = list(csv.DictReader(io.StringIO(run(*files, "-q", "-m", "AP", "--format", "csv").stdout)))
    assert [(row["run"], row["request"], float(row["value"])) for row in rows][2:] == [
        ("two", "q1", 0.25),
        ("two", "q2", 0),
    ]
    assert "q2" in run(*files, "-q", "-m", "AP").stdout


def test_trec_format_is_that_of_trec_eval(files):
    qrels, one, _ = files
    lines = run(qrels, one, "-m", "map", "-q", "--format", "trec").stdout.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [["map", "q1"], ["map", "q2"], ["map", "all"]]
    assert float(lines[-1].split("\t")[2]) == ONE
    assert run(*files, "-m", "map", "--format", "trec").stdout.startswith("one\tmap\tall\t")


def test_latex(files):
    text = run(*files, "-m", "AP", "--format", "latex").stdout
    assert text.startswith(r"\begin{tabular}{lr}") and r"one & \textbf{0.9167} \\" in text


def test_output_file_is_written_whole(files, tmp_path):
    out = tmp_path / "scores.csv"
    done = run(*files, "-m", "AP", "--format", "csv", "-o", out)
    assert done.returncode == 0 and done.stdout == ""
    assert out.read_text().startswith("run,measure,value,n_requests\n")


def test_output_that_is_no_file_is_written_to_and_not_replaced(files, tmp_path):
    link, target = tmp_path / "link.csv", tmp_path / "target.csv"
    link.symlink_to(target)
    assert run(*files, "-m", "AP", "--format", "csv", "-o", link).returncode == 0
    assert link.is_symlink() and target.read_text().startswith("run,measure,value,n_requests\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
    assert run(*files, "-m", "AP", "--format", "csv", "-o", pipe).returncode == 0
    assert reader.communicate()[0].startswith("run,measure,value,n_requests\n") and pipe.is_fifo()


def test_parquet(files, tmp_path):
    polars = pytest.importorskip("polars")
    out = tmp_path / "scores.parquet"
    assert run(*files, "-m", "AP", "--format", "parquet", "-o", out).returncode == 0
    assert polars.read_parquet(out).rows() == [("one", "AP", ONE, 2), ("two", "AP", TWO, 2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ndgc"], 'Did you mean "nDCG"'),
        (["-m", "Hits@0"], "whole number from 1 on"),
        (["-m", "RBP(q=1)"], "there is no parameter 'q'"),
        (["-m", "AP("], "it ends too early"),
        (["-m", "AP", "-m", "AP"], "given twice"),
        (["-m", "ASL"], "such as ASL(n=1000000)"),
        (["--format", "parquet"], "needs --out FILE"),
        (["--format", "xml"], "is not one of"),
        (["-o", "no/such/folder/x.csv"], "cannot be written"),
    ],
)
def test_bad_call_is_one_clear_line_and_exit_code_2(files, arguments, message):
    done = run(*files, *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_measures_are_checked_before_anything_is_read(tmp_path):
    assert "unknown metric" in run(tmp_path / "none", tmp_path / "none", "-m", "zzzz").stderr


def test_help_lists_every_measure():
    from tiebreak.metrics import CATALOGUE

    text = run("--help").stdout
    for name in CATALOGUE:
        assert f"\n  {name} " in text


def test_trec_lines_of_a_run_end_with_its_means(files):
    lines = run(*files, "-m", "AP", "-m", "RR", "-q", "--format", "trec").stdout.splitlines()
    requests = [
        (name, measure, over) for name in ("one", "two") for over in ("q1", "q2", "all") for measure in ("AP", "RR")
    ]
    assert [tuple(line.split("\t")[:3]) for line in lines] == requests


def test_figures_of_a_whole_run_stand_beside_means_and_not_by_request(files):
    asked = ("-m", "AP", "-m", "Coverage(n=10)@2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run(*files, *asked).stdout)))
    # one shows a, x and c of 10 items, two x and a.
    figures = {row["run"]: row["value"] for row in rows if row["measure"] == "Coverage(n=10)@2"}
    assert figures == {"one": "0.3", "two": "0.2"}
    by_request = list(csv.DictReader(io.StringIO(run(*files, *asked, "-q").stdout)))
    assert {row["measure"] for row in by_request} == {"AP"}
    assert "Figures of a whole run, without values for requests: Coverage(n=10)@2." in run(*files, *asked[:4]).stdout


def test_measures_of_other_tools_with_tables_and_flags(files):
    done = run(*files, "-m", "nDCG(gains={1: 3})@10", "-m", "AP(judged_only=True)", "-m", "hits@2", "--format", "csv")
    values = {(row["run"], row["measure"]): float(row["value"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert values["one", "AP(judged_only=True)"] == 1  # a b and c
    assert values["one", "hits@2"] == 1 and values["two", "hits@2"] == 0.5
    assert values["one", "nDCG(gains={1: 3})@10"] == pytest.approx((1.5 / (1 + 0.6309297535714575) + 1) / 2)
