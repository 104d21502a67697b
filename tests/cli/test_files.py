"""What is written where: no input is overwritten, no draft is left behind, and errors name the file."""

import os
import resource
import signal
import stat
import subprocess
import sys
import time

import click
import pytest

import tiebreak as tb
from cli.running import run
from cli.test_compare import CONTENT, done, ranking, three_runs
from tiebreak.cli import tiebreak
from tiebreak.cli.options import WRITTEN, files_read
from tiebreak.cli.output import Output


@pytest.fixture
def folder(tmp_path):
    """Judgements, and a folder of runs."""
    three_runs(tmp_path)
    (tmp_path / "runs").mkdir()
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.run").rename(tmp_path / "runs" / f"{name}.run")
    return tmp_path


def slow(*values):
    """Cases that only CI runs: each starts processes of its own."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def commands(group, *path):
    """Every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield (*path, name), command


def refused(path, *arguments):
    before = path.read_bytes()
    assert "is also an input file" in done(*arguments, code=2).stderr
    assert path.read_bytes() == before


# Inputs.


@pytest.mark.parametrize("given", ["runs", "runs/", "runs/*.run", "runs/o*", "name=runs/one.run"])
def test_no_run_is_overwritten_whatever_way_it_was_named(folder, given, monkeypatch):
    monkeypatch.chdir(folder)
    refused(folder / "runs" / "one.run", "evaluate", "qrels.txt", given, "-o", "runs/../runs/one.run")


@pytest.mark.parametrize("command", [("compare",), ("order",), ("test",), ("explain",), ("study", "power")])
def test_no_command_overwrites_a_run(folder, command):
    path = folder / "runs" / "one.run"
    refused(path, *command, folder / "qrels.txt", folder / "runs", "-o", path)


def test_no_run_of_a_folder_is_overwritten_by_a_picture(folder):
    pytest.importorskip("altair")
    path = folder / "runs" / "one.svg"
    (folder / "runs" / "one.run").rename(path)
    refused(path, "study", "power", folder / "qrels.txt", folder / "runs", "--plot", path)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_links_to_an_input_are_no_way_round(folder, link):
    path, other = folder / "runs" / "one.run", folder / "other.csv"
    link(path, other)
    refused(path, "evaluate", folder / "qrels.txt", folder / "runs", "-o", other)


def test_file_that_is_read_as_standard_input_is_not_overwritten(folder):
    qrels, command = folder / "qrels.txt", [sys.executable, "-m", "tiebreak", "evaluate", "-", folder / "runs"]
    with qrels.open() as stdin:
        ended = subprocess.run(
            [*command, "-o", qrels], stdin=stdin, capture_output=True, text=True, check=False, env=os.environ | CONTENT
        )
    assert ended.returncode == 2 and "is also an input file" in ended.stderr
    assert qrels.read_text().startswith("q1 0 a 1")


@pytest.mark.parametrize(
    ("words", "command"), [pytest.param(*actual, id=" ".join(actual[0])) for actual in commands(tiebreak)]
)
def test_every_file_that_a_command_reads_is_known_to_be_one(words, command):
    names = {parameter.name: parameter.metavar for parameter in command.params}
    read = {name for name, metavar in names.items() if metavar == "FILE"} - {*WRITTEN}
    with click.Context(command) as context:
        context.params = {name: name for name in read}
        assert set(files_read()) == read
        context.params = {"qrels": "x", "runs": ("y", "name=z")}
        assert names.get("qrels") is None or files_read() == ["x", "y", "z"]


# Outputs.


def test_file_that_is_replaced_keeps_its_permissions(folder):
    out = folder / "out.csv"
    out.write_text("old")
    out.chmod(0o640)
    done("evaluate", folder / "qrels.txt", folder / "runs", "-o", out)
    assert "old" not in out.read_text() and stat.S_IMODE(out.stat().st_mode) == 0o640


def test_new_file_has_the_permissions_of_new_files(folder):
    out = folder / "out.csv"
    done("evaluate", folder / "qrels.txt", folder / "runs", "-o", out)
    (folder / "new").touch()
    assert out.stat().st_mode == (folder / "new").stat().st_mode


FIRST_LINES = {
    "csv": "run,measure,value,n_requests\n",
    "tsv": "run\tmeasure\tvalue\tn_requests\n",
    "jsonl": '{"run": "one", "measure": "AP", ',
    "ndjson": '{"run": "one", "measure": "AP", ',
    "json": '[\n  {\n    "settings": {',
    "tex": "\\begin{tabular}",
    "CSV": "run,measure,value,n_requests\n",
    "txt": " run ",
    "md": "| run | AP |\n",
}


@pytest.mark.parametrize("ending", FIRST_LINES)
def test_format_follows_the_ending_of_the_file(folder, ending):
    out = folder / f"out.{ending}"
    done("evaluate", folder / "qrels.txt", folder / "runs", "-m", "AP", "-o", out)
    assert out.read_text().startswith(FIRST_LINES[ending])


def test_parquet_by_its_ending(folder):
    polars = pytest.importorskip("polars")
    out = folder / "out.parquet"
    done("evaluate", folder / "qrels.txt", folder / "runs", "-m", "AP", "-o", out)
    assert polars.read_parquet(out).columns == ["run", "measure", "value", "n_requests"]


def test_format_that_is_asked_for_wins_over_the_ending(folder):
    out = folder / "out.csv"
    done("evaluate", folder / "qrels.txt", folder / "runs", "-m", "AP", "-o", out, "--format", "tsv")
    assert out.read_text().startswith("run\tmeasure\tvalue\t")


# Work that fails or is stopped.

MANY = 60_000


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """So many requests that writing them takes a while."""
    root = tmp_path_factory.mktemp("large")
    (root / "qrels.txt").write_text("".join(f"q{k} 0 a 1\n" for k in range(MANY)))
    for name, item in (("one", "a"), ("two", "x")):
        (root / f"{name}.run").write_text("".join(ranking(f"q{k}", item) for k in range(MANY)))
    return root


def stopped(arguments, folder, number, wait=0.0):
    """Start a command, and send it a signal a little after its draft appears."""
    command = [sys.executable, "-m", "tiebreak", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | CONTENT) as process:
        while process.poll() is None and not any(path.name.startswith(".") for path in folder.iterdir()):
            time.sleep(0.001)
        time.sleep(wait)
        process.send_signal(number)
        process.communicate()
        return process.returncode


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *slow(signal.SIGINT, signal.SIGHUP)],
    ids=lambda number: number.name,
)
@pytest.mark.parametrize("name", ["out.csv", *slow("out.parquet")])
def test_stopped_command_leaves_no_draft(large, tmp_path, name, number):
    if name.endswith("parquet"):
        pytest.importorskip("polars")
    files = (large / "qrels.txt", large / "one.run", large / "two.run")
    for wait in (0.0, 0.005, 0.01, 0.02):
        code = stopped(["compare", *files, "-q", "-o", tmp_path / name], tmp_path, number, wait)
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
        assert code in (128 + number, -number, 0), "stopped, or done before"


@pytest.mark.slow
def test_stopped_command_leaves_no_copy_of_standard_input(large, tmp_path):
    command = [sys.executable, "-m", "tiebreak", "compare", large / "qrels.txt", "-", large / "two.run", "-q"]
    environment = os.environ | CONTENT | {"TMPDIR": str(tmp_path)}
    with (
        (large / "one.run").open() as stdin,
        subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, env=environment) as process,
    ):
        while process.poll() is None and not list(tmp_path.iterdir()):
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        process.wait()
    assert list(tmp_path.iterdir()) == []


ROOMLESS = os.environ | CONTENT | {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would leave half a module in its cache


def no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", *slow("out.txt", "out.parquet", "out.svg")])
def test_full_disk_is_an_error_that_names_the_file(large, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("polars")
    files = (large / "qrels.txt", large / "one.run", large / "two.run")
    asked = ["compare", *files, "-q", "-o", tmp_path / name]
    if name.endswith("svg"):
        pytest.importorskip("altair")
        asked = ["study", "orientation", "--plot", tmp_path / name]
    command = [sys.executable, "-m", "tiebreak", *map(str, asked)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=no_room, env=ROOMLESS)
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    assert ended.stderr.startswith(f"Error: {tmp_path / name}: cannot be written: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("unbuffered", ["", *slow("1")])
@pytest.mark.parametrize("arguments", [("-m", "AP"), ("-m", "AP", "--format", "csv")])
def test_full_disk_behind_standard_output_is_one_clear_line(folder, arguments, unbuffered):
    command = [sys.executable, "-m", "tiebreak", "evaluate", folder / "qrels.txt", folder / "runs", *arguments]
    environment = os.environ | CONTENT | {"PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    assert (ended.returncode, ended.stderr) == (2, "Error: standard output: No space left on device.\n")


@pytest.mark.slow
def test_full_disk_for_a_copy_of_standard_input_is_an_error_that_names_it(folder, tmp_path):
    command = [sys.executable, "-m", "tiebreak", "evaluate", folder / "qrels.txt", "-"]
    inputs = ranking("q1", *map(str, range(100)))
    ended = subprocess.run(
        command, input=inputs, capture_output=True, text=True, check=False, preexec_fn=no_room, env=ROOMLESS
    )
    assert ended.returncode == 2 and "File too large" in ended.stderr
    assert "standard input: it cannot be copied to " in ended.stderr


def test_full_device_is_an_error_that_names_it(folder):
    ended = done("evaluate", folder / "qrels.txt", folder / "runs", "-o", "/dev/full", code=2)
    assert ended.stderr == "Error: /dev/full: cannot be written: No space left on device.\n"


@pytest.mark.slow
def test_full_disk_names_the_file_of_the_demo(tmp_path):
    command = [sys.executable, "-m", "tiebreak", "demo", "--out", tmp_path / "kept"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=no_room, env=ROOMLESS)
    assert ended.returncode == 2 and ended.stderr.startswith(f"Error: {tmp_path / 'kept' / 'qrels.txt'}: ")
    assert list((tmp_path / "kept").iterdir()) == []


# Streams that nobody reads.

CALLS = {
    "help": ("--help",),
    "command help": ("evaluate", "--help"),
    "doctor": ("doctor",),
    "demo": ("demo", "--requests", "5"),
    "check": ("check", "QRELS", "RUNS"),
    "check json": ("check", "QRELS", "RUNS", "--format", "json"),
    "evaluate": ("evaluate", "QRELS", "RUNS"),
    "csv": ("evaluate", "QRELS", "RUNS", "--format", "csv"),
    "compare": ("compare", "QRELS", "RUNS"),
    "study": ("study", "power", "QRELS", "RUNS"),
}


def in_shell(folder, arguments, redirected):
    places = {"QRELS": folder / "qrels.txt", "RUNS": folder / "runs"}
    words = " ".join(f"'{places.get(word, word)}'" for word in arguments)
    command = f"{sys.executable} -m tiebreak {words} {redirected}"
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=os.environ | CONTENT
    )


QUICK = ("help", "doctor", "evaluate", "csv")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", [*QUICK, *slow(*(call for call in CALLS if call not in QUICK))])
@pytest.mark.parametrize(
    "redirected", [*slow(">&-", "| head -n 1; exit ${PIPESTATUS[0]}"), "| true; exit ${PIPESTATUS[0]}"]
)
def test_closed_standard_output_ends_quietly(folder, call, redirected):
    ended = in_shell(folder, CALLS[call], redirected)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("redirected", [*slow("2>&-", "2>/dev/full", ">&- 2>&-"), "<&- >&- 2>&-"])
def test_closed_standard_error_changes_no_exit_code(folder, redirected):
    assert in_shell(folder, ("evaluate", "QRELS", "RUNS"), redirected).returncode == 0
    assert in_shell(folder, ("evaluate", "QRELS", "none"), redirected).returncode == 2
    assert in_shell(folder, ("evaluate", "--no-such-option"), redirected).returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize("redirected", ["2>&-", *slow("2>/dev/full", "2>&1 | true; exit ${PIPESTATUS[0]}")])
def test_gate_fails_whoever_listens(tmp_path, redirected):
    (tmp_path / "qrels.txt").write_text("".join(f"q{k} 0 a 1\n" for k in range(10)))
    (tmp_path / "runs").mkdir()
    for name, items in (("1", "ax"), ("2", "xa")):
        (tmp_path / "runs" / name).write_text("".join(ranking(f"q{k}", *items) for k in range(10)))
    call = ("compare", "QRELS", "RUNS", "--fail-if-worse", "RPP")
    assert in_shell(tmp_path, call, redirected).returncode == 1


@pytest.mark.parametrize("words", [(), *slow(("study",), *(words for words, _ in commands(tiebreak)))], ids=" ".join)
def test_help_without_docstrings(words):
    ended = run(*words, "--help", PYTHONOPTIMIZE="2")
    assert ended.returncode == 0 and "Traceback" not in ended.stderr and "Usage: tiebreak" in ended.stdout


def test_demo_overwrites_no_file(tmp_path):
    (tmp_path / "runs").mkdir()
    mine = tmp_path / "runs" / "deep.run"
    mine.write_text("mine")
    result = done("demo", "--out", tmp_path, "--requests", "5", code=2)
    assert f"{mine}" in result.stderr
    assert mine.read_text() == "mine"
    assert not (tmp_path / "qrels.txt").exists()


def test_no_module_of_a_measure_is_overwritten(folder, monkeypatch):
    module = folder / "own_measure.py"
    module.write_text("def first(p):\n    return 1 / p[0]\n")
    monkeypatch.syspath_prepend(folder)
    refused(module, "evaluate", folder / "qrels.txt", folder / "runs", "-m", "own_measure:first", "-o", module)


@pytest.mark.parametrize("name", ["x.csv.gz", "x.xml", "x.xlsx"])
def test_ending_of_no_known_format_is_refused(folder, name):
    result = done("evaluate", folder / "qrels.txt", folder / "runs", "-o", folder / name, code=2)
    assert "--format" in result.stderr
    assert not (folder / name).exists()


@pytest.mark.slow
def test_device_that_stands_for_an_open_file_is_written_to(folder):
    command = [sys.executable, "-m", "tiebreak", "evaluate", "qrels.txt", "runs", "-m", "AP", "--format", "csv"]
    with open(folder / "log", "w") as log:
        print("head", file=log, flush=True)
        subprocess.run([*command, "-o", "/dev/stdout"], cwd=folder, stdout=log, check=True)
        print("tail", file=log, flush=True)
    lines = (folder / "log").read_text().splitlines()
    assert lines[0] == "head"
    assert any(line.startswith("one,") for line in lines)


def test_output_is_written_once(tmp_path):
    output = Output("csv", 4, str(tmp_path / "out.csv"))
    scores = tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}}).evaluate("AP")
    output.write([scores])
    text = (tmp_path / "out.csv").read_text()
    with pytest.raises(RuntimeError, match="write all results at once"):
        output.write([scores])
    with pytest.raises(RuntimeError, match="write all results at once"):
        output.write_jsonl((), ())
    assert (tmp_path / "out.csv").read_text() == text
