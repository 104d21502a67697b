"""``tiebreak study missing``: options, formats, what is refused, and what an interrupt leaves behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

import tiebreak as tb
from cli.test_compare import CONTENT, done, objects, one_line_error, three_runs
from tiebreak.studies import missing


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Enough requests for every option to make a difference."""
    folder = tmp_path_factory.mktemp("simulated")
    result = tb.simulate(12, systems=["deep", "top-heavy", "balanced", "weak"], relevant=6, seed=5)
    (folder / "qrels.txt").write_text(
        "".join(f"{q} 0 {item} {grade}\n" for q, grades in result.judgements.items() for item, grade in grades.items())
    )
    for name, run in result.runs.items():
        lines = (f"{q} Q0 {item} 1 {score} t\n" for q, scores in run.items() for item, score in scores.items())
        (folder / name).write_text("".join(lines))
    return folder / "qrels.txt", *(folder / name for name in result.runs)


QUICK = {"fractions": [0.3, 0.8], "samples": 4}


@pytest.fixture(scope="module")
def without_options(simulated):
    qrels, *runs = simulated
    return missing(tb.Experiment(qrels, runs), ["RPP", "AP"], **QUICK).to_dict()["rows"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("options", "how"),
    [
        (("--samples", "3"), {"samples": 3}),
        (("--remove", "pool", "--seed", "4"), {"remove": "pool", "seed": 4}),
        (("--remove", "requests", "--of", "systems"), {"remove": "requests", "of": "systems"}),
        (("--of", "preferences", "--truth", "RR"), {"of": "preferences", "truth": "RR"}),
        (("--by", "borda"), {"by": "borda"}),
        (("--fraction", "0.5"), {"fractions": [0.3, 0.5, 0.8]}),
        (("--min-grade", "2", "--jobs", "2"), {}),
    ],
)
def test_numbers_are_those_of_the_library(simulated, without_options, options, how):
    qrels, *runs = simulated
    measures = ("-m", "RPP", "-m", "AP", "--fraction", "0.8", "--fraction", "0.3", "--format", "jsonl")
    message = objects(done("study", "missing", *simulated, "--samples", "4", *measures, *options).stdout)
    reading = {"min_grade": 2} if "--min-grade" in options else {}
    expected = missing(tb.Experiment(qrels, runs, **reading), ["RPP", "AP"], **QUICK | how)
    assert message == expected.to_dict()["rows"] != without_options


def test_it_is_listed():
    assert "missing" in done("study", "--help").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "APP"), 'unknown preference "APP"'),
        (("--truth", "APP"), 'unknown preference "APP"'),
        (("--fraction", "2"), "fraction=2.0. Give a number"),
        (("--by", "mc5"), "mc5"),
        (("--remove", "requests", "--of", "preferences"), "does not change where others are removed"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_read(tmp_path, options, words):
    assert words in one_line_error("study", "missing", tmp_path / "nowhere", tmp_path / "no-run", *options)


# Ctrl-C

CHILD = """
import signal
from tiebreak.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
BROKEN = """
from threading import Lock
from unittest import mock
from tiebreak import cli

def interrupted(*_, **__):
    try:
        raise KeyboardInterrupt
    finally:
        Lock().release()

with mock.patch.object(cli, "tiebreak", interrupted):
    cli.main()
"""
MEASURE = """
from pathlib import Path

def measure(p):
    Path("begun").touch()
    return 1 / p[0]
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_interrupt_ends_a_long_study_and_leaves_no_file(files, tmp_path, jobs):
    pytest.importorskip("altair")
    folder = tmp_path / "results"
    folder.mkdir()
    (tmp_path / "own.py").write_text(MEASURE)
    outputs = ("-o", folder / "found.csv", "--format", "csv", "--plot", folder / "drawn.png")
    options = ("-m", "own:measure", "-m", "RPP", "--samples", "20000", "--jobs", jobs, *outputs)
    command = [sys.executable, "-c", CHILD, "study", "missing", *files, *options]
    child = subprocess.Popen(
        [*map(str, command)], cwd=tmp_path, env=os.environ | CONTENT, stderr=subprocess.PIPE, text=True
    )
    try:
        waited = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and child.poll() is None and time.monotonic() < waited:
            time.sleep(0.05)
        time.sleep(0.5)
        assert child.poll() is None, "the study is still at work"
        child.send_signal(signal.SIGINT)
        _, message = child.communicate(timeout=30)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, message.strip()) == (130, "Error: interrupted.")
    assert list(folder.iterdir()) == []


def test_error_that_an_interrupt_caused_is_an_interrupt():
    """Ctrl-C may find a lock of the threads half taken; releasing it is an error of its own."""
    child = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True, check=False, timeout=60)
    assert (child.returncode, child.stderr.strip()) == (130, "Error: interrupted.")


def test_study_that_ends_leaves_both_files(files, tmp_path):
    pytest.importorskip("altair")
    folder = tmp_path / "results"
    folder.mkdir()
    outputs = ("-o", folder / "found.csv", "--format", "csv", "--plot", folder / "drawn.svg")
    done("study", "missing", *files, "-m", "RPP", "--samples", "2", *outputs)
    assert sorted(path.name for path in folder.iterdir()) == ["drawn.svg", "found.csv"]
    assert "share of labels removed" in (folder / "drawn.svg").read_text()
