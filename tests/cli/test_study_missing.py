"""``tiebreak study missing``: options, formats, what is refused, and what an interrupt leaves behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

import tiebreak as tb
from cli.test_compare import CONTENT, FORMATS, done, objects, one_line_error, three_runs
from tiebreak.studies import missing


@pytest.fixture
def files(tmp_path):
    return three_runs(tmp_path)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format(files, form):
    assert "LexiRecall" in done("study", "missing", *files, "-m", "LexiRecall", "--format", form).stdout


def test_numbers_are_those_of_the_library(files):
    options = ("--remove", "pool", "--of", "systems", "--truth", "RR", "--fraction", "0.5", "--fraction", "0.25")
    options += ("--samples", "3", "--seed", "4", "-m", "RPP", "-m", "AP", "--format", "jsonl", "--jobs", "2")
    said = done("study", "missing", *files, *options).stdout
    exp = tb.Experiment(files[0], list(files[1:]))
    how = {"truth": "RR", "fractions": [0.25, 0.5], "samples": 3, "seed": 4}
    assert objects(said) == missing(exp, ["RPP", "AP"], "pool", "systems", **how).to_dict()


def test_way_of_ordering_is_passed_on(files):
    said = done("study", "missing", *files, "-m", "RPP", "--by", "borda", "--format", "jsonl").stdout
    exp = tb.Experiment(files[0], list(files[1:]))
    assert objects(said) == missing(exp, "RPP", by="borda").to_dict()


def test_it_is_listed():
    assert "missing" in done("study", "--help").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-m", "APP"), 'unknown preference "APP"'),
        (("--truth", "APP"), 'unknown preference "APP"'),
        (("--fraction", "2"), "fraction 2.0. Give numbers from 0 to 1."),
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
MEASURE = """
from pathlib import Path

def measure(p):
    Path("begun").touch()
    return 1 / p[0]
"""


@pytest.mark.parametrize("jobs", [1, 2])
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
        _, said = child.communicate(timeout=30)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, said.strip()) == (130, "Error: interrupted.")
    assert list(folder.iterdir()) == []


def test_study_that_ends_leaves_both_files(files, tmp_path):
    pytest.importorskip("altair")
    folder = tmp_path / "results"
    folder.mkdir()
    outputs = ("-o", folder / "found.csv", "--format", "csv", "--plot", folder / "drawn.svg")
    done("study", "missing", *files, "-m", "RPP", "--samples", "2", *outputs)
    assert sorted(path.name for path in folder.iterdir()) == ["drawn.svg", "found.csv"]
    assert "share of labels removed" in (folder / "drawn.svg").read_text()
