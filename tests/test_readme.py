"""The examples of the README run as they stand, one after the other."""

import glob
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from cli.running import run
from tiebreak.cli.output import FORMATS
from tiebreak.simulation import simulate

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)
CODE = [text for kind, text in BLOCKS if kind == "python"]
LINES = [line for kind, text in BLOCKS if not kind for line in text.splitlines() if not line.startswith("pip ")]
(SAMPLE,) = [text for kind, text in BLOCKS if kind == "text"]


def in_words(line):
    """The words of a command, without the comment after it, and files in place of patterns."""
    return [path for word in shlex.split(line, comments=True) for path in sorted(glob.glob(word)) or [word]]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_python_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    simulate(seed=123).write("example")
    names = {}
    for block in CODE:
        exec(block, names)
    assert Path("report.html").stat().st_size > 900_000


def test_a_first_look_takes_five_lines():
    first = CODE[0].strip().splitlines()
    assert len([line for line in first if line]) == 5


@pytest.mark.slow
def test_commands_run(tmp_path, monkeypatch):
    pytest.importorskip("altair")
    monkeypatch.chdir(tmp_path)
    assert len(LINES) > 20 and not list(tmp_path.iterdir())
    for line in LINES:
        if line.startswith("tiebreak "):
            ended = run(*in_words(line)[1:])
            assert ended.returncode == 0, (line, ended.stderr)
            assert "demo" not in line or SAMPLE in ended.stdout
        else:
            subprocess.run(line, shell=True, check=True)


def test_pictures_and_pages_that_it_names_are_there():
    targets = re.findall(r"\]\(([\w./-]+)\)", README)
    assert "docs/figures/report-light.png" in targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_six_questions_are_answered():
    rows = re.search(r"\| question \|.*?\n\|[-|]+\n(.*?)\n\n", README, re.DOTALL)[1].splitlines()
    assert len(rows) == 6


def test_endings_of_files_are_listed():
    (endings,) = re.findall(r"ending of `-o FILE` chooses the format \((.*?);", README)
    assert endings.split(", ") == [f".{names[0]}" for names in FORMATS.values() if names and names[0]]
