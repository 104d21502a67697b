"""Reading begun early gives what reading gives, and only to whoever asks for the same."""

import warnings
from importlib import import_module

import numpy as np
import pytest

from engines.test_processes import LONG_RUN, Halt
from tiebreak import _kernels, project
from tiebreak._kernels.early import EarlyReading
from tiebreak._kernels.interface import Options
from tiebreak.errors import InputError

QRELS = "q2 0 a 0\nq1 0 a 2\nq2 0 b 1\nq1 0 c -1\nq2 0 d 3\n"
RUNS = {"x": "q1 Q0 c 1 2\nq1 Q0 a 2 1\nq2 Q0 d 1 3\n", "y": "q2 Q0 a 1 5\nq2 Q0 e 2 4\nq2 Q0 b 3 3\nq9 Q0 b 1 1\n"}


@pytest.fixture
def files(tmp_path, core, monkeypatch):
    monkeypatch.setenv("TIEBREAK_CORE", "rust")
    (tmp_path / "qrels").write_text(QRELS)
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in ("qrels", *RUNS)]


@pytest.fixture
def asked(files, monkeypatch):
    """The kernels that were asked because nothing, or something else, had been begun."""
    calls = []
    kernels = _kernels.kernels()

    class Counting:
        @staticmethod
        def read_judgements(*arguments):
            calls.append("read_judgements")
            return kernels.read_judgements(*arguments)

        @staticmethod
        def project(*arguments):
            calls.append("project")
            return kernels.project(*arguments)

    monkeypatch.setattr(_kernels, "kernels", lambda: Counting)
    return calls


def begin(qrels, runs, options):
    return EarlyReading.begin(import_module("tiebreak._core"), qrels, runs, options)


def projected(qrels, *runs, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return project(qrels, list(runs), jobs=1, **options)


def assert_same(one, other):
    assert one.ranks.tolist() == other.ranks.tolist()
    assert one.layout.starts.tolist() == other.layout.starts.tolist()
    assert [*one.requests] == [*other.requests]
    for part in ("listed", "retrieved", "tied", "grade", "item"):
        assert np.array_equal(getattr(one, part), getattr(other, part)), part
    assert one.audits == other.audits


@pytest.mark.parametrize("options", [{}, {"nonrelevant": True}, {"binary": True, "min_grade": 2}, {"depth": 1}])
def test_what_was_begun_is_what_would_have_been_read(files, asked, options):
    expected = projected(*files, **options)
    asked.clear()
    depth = options.get("depth")
    early = begin(files[0], files[1:], Options(depth=depth))
    assert_same(projected(*files, **options, early=early), expected)
    assert asked == []
    assert_same(projected(*files, **options, early=early), expected)  # what was taken is read again
    assert asked == ["read_judgements", "project"]


def test_other_options_are_not_served(files, asked):
    expected = projected(*files, depth=1)
    asked.clear()
    early = begin(files[0], files[1:], Options())
    assert_same(projected(*files, depth=1, early=early), expected)
    assert asked == ["project"]


def test_other_judgements_are_not_served(files, asked):
    expected = projected({"q2": {"d": 1}}, *files[1:])
    asked.clear()
    early = begin(files[0], files[1:], Options())
    assert_same(projected({"q2": {"d": 1}}, *files[1:], early=early), expected)
    assert asked == ["project"]


def test_other_runs_are_not_served(files, asked):
    expected = projected(files[0], files[2])
    asked.clear()
    early = begin(files[0], files[1:], Options())
    assert_same(projected(files[0], files[2], early=early), expected)
    assert asked == ["project"]


def test_exclusions_are_left_to_the_usual_way(files, asked):
    expected = projected(*files, exclude={"q2": {"d": 1}})
    asked.clear()
    early = begin(files[0], files[1:], Options())
    assert_same(projected(*files, exclude={"q2": {"d": 1}}, early=early), expected)
    assert asked == ["project"]


def test_subtopics_are_left_to_the_usual_way(files, asked, tmp_path):
    (tmp_path / "qrels").write_text("q1 1 a 1\nq1 2 a 1\nq1 2 c 1\n")
    expected = projected(*files[:2])
    asked.clear()
    early = begin(files[0], files[1:2], Options())
    assert_same(projected(*files[:2], early=early), expected)
    assert asked == ["project"]


@pytest.mark.parametrize(("place", "text"), [(0, "q1 0 a\n"), (2, "q1 Q0 a 1 x\n"), (1, "")])
def test_faults_are_those_of_reading(files, asked, place, text):
    with open(files[place], "w") as file:
        file.write(text)
    with pytest.raises(InputError) as usual:
        projected(*files)
    asked.clear()
    early = begin(files[0], files[1:], Options())
    with pytest.raises(InputError) as actual:
        projected(*files, early=early)
    assert (str(actual.value), asked) == (str(usual.value), [])


def test_what_is_no_file_is_not_begun(files, tmp_path):
    for missing in ("-", str(tmp_path), str(tmp_path / "nothing")):
        assert begin(files[0], [files[1], missing], Options()) is None


def test_waiting_reports_progress_and_can_be_ended(files, tmp_path):
    long = tmp_path / "long"
    long.write_bytes(LONG_RUN)
    early = begin(files[0], [str(long)], Options(duplicates="first"))
    seen = []

    def tick(done, total):
        seen.append((done, total))
        if done and total == len(LONG_RUN):
            raise Halt

    with pytest.raises(Halt):
        projected(files[0], long, duplicates="first", tick=tick, early=early)
    assert 0 < seen[-1][0] < len(LONG_RUN)


def test_the_command_line_begins_early(files, asked, monkeypatch, capsys):
    from tiebreak.cli import main

    monkeypatch.setattr("sys.argv", ["tiebreak", "evaluate", files[0], f"named={files[1]}", files[2], "-m", "AP"])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert "named" in capsys.readouterr().out
    assert asked == []


@pytest.mark.parametrize("choice", ["python", "nonsense"])
def test_nothing_is_begun_where_the_core_is_not_wanted(files, monkeypatch, choice):
    monkeypatch.setenv("TIEBREAK_CORE", choice)
    assert _kernels.read_early(files[0], files[1:], Options()) is None
