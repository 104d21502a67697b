"""Text and code from strangers: names that would control a terminal, formulas, and modules of the working directory."""

import csv
import io
import json
import os
import pty
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from cli.running import exit_code
from cli.test_compare import CONTENT, done, three_runs

EVIL = "evil\x1b[2J\x9b31m\x07\u202e"
"""Escape sequences of one and of two bytes, a bell, and text that runs to the left."""


def on_terminal(*arguments, columns=100):
    """What a command shows in a terminal of so many columns, both streams, and its exit code."""
    main, terminal = pty.openpty()
    environment = CONTENT | {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(read_to_end, main)
        with open(terminal, "w", encoding="utf-8") as out, open(os.dup(terminal), "w", encoding="utf-8") as err:
            code = exit_code([*map(str, arguments)], environment, out, err)
        return code, shown.result().decode().replace("\r\n", "\n")


def read_to_end(main):
    shown = b""
    try:
        while part := os.read(main, 1 << 16):
            shown += part
    except OSError:  # how a terminal says that nobody is left to write to it
        pass
    os.close(main)
    return shown


def is_tame(shown):
    return not any(c in shown for c in EVIL if not c.isprintable())


@pytest.fixture
def files(tmp_path):
    """Judgements and a run of a request whose id is hostile."""
    (tmp_path / "qrels.jsonl").write_text(json.dumps({"request": f"q{EVIL}", "item": "a", "grade": 1}))
    (tmp_path / "one.jsonl").write_text(json.dumps({"request": f"q{EVIL}", "item": "a", "score": 1}))
    return tmp_path / "qrels.jsonl", tmp_path / "one.jsonl"


def after_progress(shown):
    """Without the progress bar and without bold, which control the terminal on purpose."""
    return re.sub("\x1b\\[[0-9]*m", "", shown.rpartition("\x1b[2K")[2])


# Terminals.


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "QRELS", f"none{EVIL}.run"),
        ("check", f"none{EVIL}", "none"),
        ("evaluate", "QRELS", "QRELS", "-m", f"none{EVIL}"),
        ("evaluate", "QRELS", "QRELS", "-o", f"none{EVIL}/x"),
        ("evaluate", "QRELS", "QRELS", f"--none{EVIL}"),
        ("study", "power", "QRELS", "QRELS", "--plot", f"none{EVIL}.gif"),
        (f"none{EVIL}",),
    ],
    ids=lambda arguments: " ".join(arguments[:3]).encode("ascii", "ignore").decode(),
)
def test_names_in_errors_do_not_control_the_terminal(files, arguments):
    code, shown = on_terminal(*(str(files[0]) if word == "QRELS" else word for word in arguments))
    assert code == 2 and "Error: " in shown
    assert is_tame(after_progress(shown)) and "\\x1b[2J" in shown


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "jsonl", "trec", "latex"])
def test_ids_do_not_control_the_terminal(files, form):
    code, shown = on_terminal("evaluate", *files, "-q", "-m", "AP", "--format", form)
    assert code == 0 and is_tame(after_progress(shown)) and "evil" in shown


def test_checks_in_json_do_not_control_the_terminal(files):
    strange = files[1].rename(files[1].with_name(f"{EVIL}.jsonl"))
    code, shown = on_terminal("check", files[0], strange, "--format", "json")
    assert code == 0 and is_tame(after_progress(shown))


def test_files_and_pipes_keep_every_byte(files, tmp_path):
    asked = ("evaluate", *files, "-q", "-m", "AP")
    done(*asked, "-o", tmp_path / "out.csv")
    printed = done(*asked, "--format", "csv").stdout
    for text in ((tmp_path / "out.csv").read_text(encoding="utf-8"), printed):
        assert [row["request"] for row in csv.DictReader(io.StringIO(text))] == [f"q{EVIL}"]


def test_errors_of_the_library_do_not_control_the_terminal(files):
    import tiebreak as tb

    with pytest.raises(tb.InputError) as caught:
        tb.Experiment(files[0], f"none{EVIL}.run").read()
    assert is_tame(str(caught.value)) and caught.value.file == f"none{EVIL}.run"


# Spreadsheets.


def test_text_that_a_spreadsheet_would_run_is_neutralised_where_asked_for(tmp_path):
    qrels, *_ = three_runs(tmp_path)
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "plain"]
    runs = [f"{name}={tmp_path / 'two.run'}" for name in names[1:]]
    (tmp_path / "=1+1.run").write_text((tmp_path / "one.run").read_text())
    asked = ("-m", "AP", "--format", "csv", "--", qrels, tmp_path / "=1+1.run", *runs)
    result = (done("evaluate", *more, *asked).stdout for more in ((), ("--safe-csv",)))
    raw, safe = (list(csv.reader(io.StringIO(text))) for text in result)
    assert [row[0] for row in raw[1:]] == names
    assert [row[0] for row in safe[1:]] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "plain"]
    assert [row[1:] for row in raw] == [row[1:] for row in safe]


def test_negative_numbers_stay_numbers(tmp_path):
    qrels, one, two, _ = three_runs(tmp_path)
    asked = ("compare", qrels, two, one, "-m", "RPP", "-o", tmp_path / "out.csv", "--safe-csv")
    done(*asked)
    (row,) = csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text()))
    assert float(row["value"]) == -1


def test_safe_csv_of_another_format_is_refused(tmp_path):
    assert "--safe-csv is for csv" in done("evaluate", *three_runs(tmp_path), "--safe-csv", code=2).stderr


# Code.

TRACE = "open('ran', 'w')\ndef last(p):\n    return 1 / p[-1]\n"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", ["mine:last", "mine:none", "diff(mine:last)"])
def test_no_code_of_the_working_directory_is_imported_by_itself(tmp_path, monkeypatch, measure):
    files = three_runs(tmp_path)
    (tmp_path / "mine.py").write_text(TRACE)
    monkeypatch.chdir(tmp_path)
    done("evaluate", *files, "-m", measure, code=2, apart=True)
    assert not (tmp_path / "ran").exists()


def test_error_says_how_a_module_of_the_working_directory_is_found(tmp_path, monkeypatch):
    files = three_runs(tmp_path)
    monkeypatch.chdir(tmp_path)
    message = done("evaluate", *files, "-m", "mine:last", code=2, apart=True).stderr
    assert "No module named 'mine'" in message and "PYTHONPATH" in message


def test_modules_are_found_where_pythonpath_says(tmp_path, monkeypatch):
    files = three_runs(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text("def last(p):\n    return 1 / p[-1]\n")
    monkeypatch.chdir(tmp_path)
    for folder in ("own", str(tmp_path / "own")):
        path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        assert "mine:last" in done("evaluate", *files, "-m", "mine:last", PYTHONPATH=path).stdout


def test_working_directory_is_searched_where_pythonpath_names_it(tmp_path, monkeypatch):
    files = three_runs(tmp_path)
    (tmp_path / "mine.py").write_text(TRACE)
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([".", os.environ.get("PYTHONPATH", "")])
    assert "mine:last" in done("evaluate", *files, "-m", "mine:last", PYTHONPATH=path).stdout
    assert (tmp_path / "ran").exists()


def test_help_says_that_a_module_is_run():
    for words in (("evaluate",), ("compare",), ("order",), ("test",), ("explain",), ("study", "axioms")):
        text = " ".join(done(*words, "--help").stdout.split())
        assert "module:function" in text and "PYTHONPATH" in text, words
