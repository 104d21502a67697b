"""The command line, as a user types it: output, exit codes, and never a traceback."""

import gzip
import os
import signal
import subprocess
import sys
from importlib import import_module

import pytest

from cli.running import run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d9 2 1.0 a\nq2 Q0 d3 1 1.0 a\n")
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(b"# made by hand\r\nq1 Q0 d9 1 2.0 b\nz Q0 d9 1 2.0 b\n"))
    return tmp_path


def refused(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 4
    return done.stderr


def test_help_names_every_command():
    text = run("--help").stdout
    for command in ("demo", "check", "doctor"):
        assert f"\n  {command} " in text
        assert "Usage: tiebreak" in run(command, "--help").stdout


def test_signals_are_handled_as_before_once_a_command_is_done():
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    run("--version")
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == handlers


@pytest.mark.parametrize("command", ["evaluate", "compare", "order", "test"])
def test_help_lists_catalogues_and_says_what_the_papers_are(command):
    text = " ".join(run(command, "--help").stdout.split())
    assert text.endswith("AB on alpha-beta-nDCG.")
    packages = import_module(f"tiebreak.cli.{command}").command.catalogues.values()
    for catalogue in (import_module(f"tiebreak.{package}").CATALOGUE for package in packages):
        for name, entry in catalogue.items():
            assert f"{name} {entry.__doc__.split()[0]}" in text


def test_version():
    assert run("--version").stdout == "tiebreak 0.1.0\n"


def test_demo_tells_the_story_of_ties_preferences_orders_and_one_request():
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert "RR: no difference shown" in done.stdout and "40 of 50 requests tie" in done.stdout
    for measure in ("LexiPrecision", "RPP", "LexiRecall"):
        assert f"{measure}: balanced is better" in done.stdout
        assert f"{measure} prefers balanced" in done.stdout  # in the request that is explained
    assert done.stdout.count("p = 0.045 by a two-sided paired t-test") == 1  # of RPP, as compare of these two runs
    assert done.stdout.count("by an exact two-sided sign test") == 2
    ranks = {cells[0]: cells[1:] for cells in map(str.split, done.stdout.splitlines()) if cells[1:] and len(cells) == 5}
    assert ranks["top-heavy"] == ["1", "3", "4", "4"] and ranks["deep"] == ["5", "4", "3", "1"]


@pytest.mark.parametrize("options", [("--requests", 2, "--seed", 0), ("--requests", 20, "--seed", 5)])
def test_demo_has_a_story_for_any_experiment(options):
    done = run("demo", *options)
    assert done.returncode == 0, done.stderr
    assert "prefers" in done.stdout or "ties" in done.stdout


def test_demo_keeps_its_files_where_told(tmp_path):
    folder = tmp_path / "kept"
    done = run("demo", "--out", folder, "--requests", 3, "--seed", 7)
    assert done.returncode == 0, done.stderr
    runs = sorted((folder / "runs").iterdir())
    assert len(runs) == 7
    again = run("check", folder / "qrels.txt", *runs)
    assert "3 requests with" in again.stdout


def test_check_has_no_values_to_write_as_trec_eval_does(files):
    assert "'trec' is not one of" in refused("check", files / "qrels.txt", files / "a.run", "--format", "trec")


def test_check_says_what_was_read_and_what_was_odd(files):
    done = run("check", files / "qrels.txt", files / "a.run", files / "b.run.gz")
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.split()}
    assert rows["a"][1:5] == ["3", "2", "0", "0"]
    assert rows["b"][1:5] == ["2", "1", "1", "1"]  # of two judged requests it misses one, and lists one more
    assert "2 (100%)" in done.stdout and "0 (0%)" in done.stdout
    assert 'Lines of requests without judgements, ignored: b (1, first on line 3: "z").' in done.stdout
    assert "Comment lines: b (1, first on line 1" in done.stdout
    assert "Ranked by score, ties by item id, descending." in done.stdout
    assert "Depths differ, from 1 to 2: lexirecall favours the deeper run" in done.stdout


def test_options_reach_the_reader(files):
    done = run("check", files / "qrels.txt", files / "a.run", "--min-grade", 2, "--depth", 1, "--jobs", 1)
    assert "1 request with 1 relevant item, 1 each." in done.stdout and "a grade of at least 2" in done.stdout
    assert "Note: 1 of 2 requests has no relevant item" in done.stderr


def test_run_can_be_named(files):
    done = run("check", files / "qrels.txt", files / "a.run", f"other={files / 'a.run'}")
    assert done.returncode == 0, done.stderr
    assert "\n other " in done.stdout


def test_standard_input(files):
    done = run("check", files / "qrels.txt", "-", stdin=(files / "a.run").read_text())
    assert done.returncode == 0, done.stderr
    assert "\n stdin " in done.stdout


def test_python_twin_gives_the_same_output(files):
    arguments = ("check", files / "qrels.txt", files / "a.run", files / "b.run.gz")
    twin = run(*arguments, TIEBREAK_CORE="python").stdout
    assert run(*arguments).stdout.replace("the compiled core", "the Python twin of the core") == twin


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "qrels.txt", "missing.run"], "missing.run: no such file or directory"),
        (["check", "a.run", "qrels.txt"], "This looks like a run"),
        (["check", "qrels.txt", "qrels.txt"], "This looks like a qrels file"),
        (["check", ".", "a.run"], "this is a folder"),
        (["check", "qrels.txt", "a.run", "a.run"], "two runs are called"),
        (["worst", "qrels.txt"], "Missing argument"),
        (["check", "qrels.txt", "a.run", "--depth", "0"], "0 is not in the range"),
        (["check", "qrels.txt", "a.run", "--min-grade", "-1"], "Give a number above 0"),
        (["check", "qrels.txt", "a.run", "--memory", "10"], "takes more than memory=10 bytes"),
        (["chek"], "No such command"),
    ],
)
def test_bad_call_is_one_clear_line_and_exit_code_2(files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    assert message in refused(*arguments)


def test_names_from_files_cannot_steer_the_terminal(files):
    path = files / "[red]evil\x1b[2J.run"
    path.write_bytes((files / "a.run").read_bytes())
    done = run("check", files / "qrels.txt", path)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "[red]evil" in done.stdout


def test_doctor_says_which_core_is_used():
    assert run("doctor").stdout.splitlines()[1].startswith("core: ")
    assert "TIEBREAK_CORE=python" in run("doctor", TIEBREAK_CORE="python").stdout


def test_unexpected_error_is_no_traceback_unless_asked_for(files):
    arguments = ("check", files / "qrels.txt", files / "a.run")
    assert "TIEBREAK_CORE is 'nonsense'" in refused(*arguments, TIEBREAK_CORE="nonsense")


def test_closed_pipe_ends_quietly(files):
    command = f"{sys.executable} -m tiebreak check {files}/qrels.txt {files}/a.run | true; exit ${{PIPESTATUS[0]}}"
    environment = os.environ | {"TIEBREAK_CORE": "python"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_folder_that_cannot_be_made_is_one_clear_line():
    assert "Not a directory" in refused("demo", "--out", "/dev/null/x")


def test_odd_judgements_are_shown(files):
    (files / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d1 1\nq2 0 d3 1\n")
    shown = run("check", files / "qrels.txt", files / "a.run").stdout
    assert 'Lines repeated with the same grade: judgements (1, first on line 2: "d1").' in shown


@pytest.mark.parametrize("option", ["--depth", "--memory"])
def test_number_beyond_64_bits_is_refused(option, tmp_path):
    (tmp_path / "q").write_text("q 0 d 1\n")
    (tmp_path / "r").write_text("q 0 d 1 1\n")
    done = run("evaluate", tmp_path / "q", tmp_path / "r", option, "9" * 20)
    assert done.returncode == 2
    message = f"Error: {option[2:]}={'9' * 20}. Give a whole number from 1 on, at most 2^63 - 1.\n"
    assert done.stderr.endswith(message)  # behind a note where the core was not built


def test_tables_have_names_where_one_was_given():
    from tiebreak.cli.engine import named_tables

    assert named_tables(("runs", "a.parquet")) == ["runs", "a.parquet"]  # whose files are runs
    assert named_tables(("new=a.parquet", "b.parquet")) == {"new": "a.parquet", "b": "b.parquet"}
