"""Every file is opened once for a command or an experiment, whatever is asked of it."""

import ctypes
import os
import struct
import sys
from collections import Counter

import click
import pytest

import tiebreak as tb
from cli.running import run
from tiebreak.cli import tiebreak as program
from tiebreak.cli.options import JUDGED_ITEMS_SUFFICE, SPECS
from tiebreak.preferences import CATALOGUE as PREFERENCES
from tiebreak.projection.needs import Needs
from tiebreak.reading_needs import measure_needs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="opens are counted by inotify")

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 3\nq1 Q0 x 2 2\nq1 Q0 a 3 1\nq2 Q0 a 1 1\n"
MEASURES = ["AP", "nDCG@10", "bpref", "ASL(n='union')", "EU@10", "EU@20", "S-Recall@5"]
ONCE = {"qrels": 1, "x": 1, "y": 1}
WATCHED = {*ONCE, "train", "pool"}
OPENED, CLOSED = 0x20, 0x10
EVENT = struct.Struct("iIII")


class Watch:
    """How often each file of a folder was opened since the last time it was asked, as the system counts it."""

    def __init__(self, folder):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.handle = self.libc.inotify_init1(os.O_NONBLOCK)
        # Closings too: equal events that follow each other would be told as one.
        assert self.libc.inotify_add_watch(self.handle, os.fsencode(folder), OPENED | CLOSED) >= 0

    def __call__(self):
        opened = Counter()
        try:
            told = os.read(self.handle, 1 << 20)
        except BlockingIOError:
            return {}
        while told:
            _, mask, _, length = EVENT.unpack_from(told)
            name = told[EVENT.size : EVENT.size + length].rstrip(b"\0").decode()
            told = told[EVENT.size + length :]
            opened[name] += bool(mask & OPENED) and name in WATCHED
        return {name: times for name, times in sorted(opened.items()) if times}


@pytest.fixture(params=["python", "rust"])
def opened(request, tmp_path, monkeypatch):
    if request.param == "rust":
        request.getfixturevalue("core")
    monkeypatch.setenv("TIEBREAK_CORE", request.param)
    (tmp_path / "qrels").write_text(QRELS)
    for name in ("x", "y"):
        (tmp_path / name).write_text(RUN)
    (tmp_path / "train").write_text("q1 0 x 1\n")
    (tmp_path / "pool").write_text(QRELS)
    (tmp_path / "aspects.csv").write_text("item,aspect\na,x\nb,y\nc,x\n")
    monkeypatch.chdir(tmp_path)
    watch = Watch(tmp_path)
    yield watch
    os.close(watch.handle)


def test_a_second_opening_is_seen(opened):
    for _ in range(2):
        tb.Experiment("qrels", ["x", "y"]).evaluate("AP")
    assert opened() == {"qrels": 2, "x": 2, "y": 2}


def test_measures_that_need_different_things_read_files_once(opened):
    exp = tb.Experiment("qrels", ["x", "y"], aspects="aspects.csv")
    exp.evaluate(MEASURES)
    exp.audit()
    assert opened() == ONCE
    for measure in MEASURES:
        exp.evaluate(measure)
        exp.compare(measure)
    exp.order("leximin(EU@10)")
    exp.explain("x", "y", measure="diff(EU@20)")
    assert opened() == {}


def test_reading_can_be_told_what_is_to_come(opened):
    exp = tb.Experiment("qrels", ["x", "y"], aspects="aspects.csv")
    exp.read(["EU@20", "RPP", "leximin(ASL(n='union'))"])
    exp.evaluate("AP")
    exp.order("leximin(ASL(n='union'))")
    exp.evaluate("EU@10")
    exp.audit()
    assert opened() == ONCE


def test_a_later_question_that_needs_more_reads_the_runs_once_more(opened):
    exp = tb.Experiment("qrels", ["x", "y"], aspects="aspects.csv")
    exp.evaluate("AP")
    exp.evaluate("EU@10")
    assert opened() == ONCE | {"x": 2, "y": 2}


def test_tables_of_items_are_read_once_whatever_they_are_for(opened):
    exp = tb.Experiment("qrels", ["x", "y"], aspects="aspects.csv", train="train", exclude="train", candidates="pool")
    exp.evaluate("AP")
    exp.evaluate("EU@10")
    assert opened() == {"qrels": 1, "x": 2, "y": 2, "train": 1, "pool": 1}


def test_command_reads_a_table_for_two_options_once(opened):
    ended = run("evaluate", "-m", "EU@10", *TRAINED, "qrels", "x", "y")
    assert ended.returncode == 0, ended.stderr
    assert opened() == ONCE | {"train": 1}


TRAINED = ("--aspects", "aspects.csv", "--train", "train", "--exclude", "train")
MIXED = ("-m", "RPP", "-m", "AP", "-m", "ASL(n='union')", "-m", "LexiRecall")
DIVERSE = ("-m", "EU@10", "-m", "EU@20", "--aspects", "aspects.csv")
COMMANDS = {
    "check": ("check",),
    "evaluate": ("evaluate", *(word for measure in MEASURES[:4] for word in ("-m", measure))),
    "evaluate per request": ("evaluate", "-q", "-m", "AP", *DIVERSE),
    "populations": ("evaluate", "-m", "AP", "--population", "gmean", "--population", "s@10"),
    "compare": ("compare", *MIXED, *DIVERSE),
    "compare by default": ("compare",),
    "gate": ("compare", *MIXED, "--fail-if-worse", "ASL(n='union')", "--fail-if-worse", "RR"),
    "order": ("order", *MIXED, "--bootstrap", "9"),
    "order by populations": ("order", "-m", "leximin(AP)", "-m", "mean(ASL(n='union'))"),
    "order by another metric": ("order", *DIVERSE, "--by", "mean"),
    "order by a population of a metric": ("order", "--by", "mean(ASL(n='union'))"),
    "population of another metric": ("evaluate", "-m", "AP", "--population", "mean(ASL(n='union'))"),
    "population of aspects": ("evaluate", "--aspects", "aspects.csv", "--population", "mean(EU@10)"),
    "missing by another truth": ("study", "missing", "-m", "AP", "--truth", "ASL(n='union')", "--samples", "2"),
    "order for pref_eval": ("order", *MIXED, "--format", "pref_eval"),
    "test": ("test", *MIXED, "--letters"),
    "explain": ("explain", "-m", "ASL(n='union')"),
    "explain one request": ("explain", "--request", "q1"),
    "worst": ("worst", "-m", "nDCG"),
    "ties": ("study", "ties", "-m", "AP", "-m", "ASL(n='union')"),
    "power": ("study", "power", "-m", "AP", "-m", "ASL(n='union')"),
    "agreement by default": ("study", "agreement", "--view", "sign"),
    "agreement of orders": ("study", "agreement", "--view", "order"),
    "ties by default": ("study", "ties"),
    "missing by default": ("study", "missing", "--samples", "1"),
    "validity": ("study", "validity", "--view", "discriminant"),
    "agreement": ("study", "agreement", "-m", "AP", "-m", "RR"),
}


def all_options(command):
    """Every option of every command below one."""
    if not isinstance(command, click.Group):
        return command.params
    context = click.Context(command)
    names = command.list_commands(context)
    return [option for name in names for option in all_options(command.get_command(context, name))]


def test_every_option_that_holds_specs_is_looked_at_before_reading():
    specs = {option.name for option in all_options(program) if option.metavar in ("SPEC", "HOW", "METHOD")}
    assert specs - {"test", "test_"} == {*SPECS}


def test_parquet_is_not_read_early(monkeypatch, tmp_path):
    polars = pytest.importorskip("polars")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q 0 a 1 1\n")
    polars.DataFrame({"request": ["q"], "item": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run.parquet")
    calls = []
    monkeypatch.setattr("tiebreak.cli.options.read_early", lambda *files: calls.append(files))
    for name, n_calls in {"run.parquet": 0, "run": 1}.items():
        done = run("evaluate", tmp_path / "qrels", tmp_path / name, "-m", "AP", "--format", "tsv")
        assert done.stdout.split()[-2:] == ["1.0", "1"] and len(calls) == n_calls


def test_preferences_that_need_more_are_not_read_early():
    for name in JUDGED_ITEMS_SUFFICE & {*PREFERENCES}:
        assert measure_needs(f"{name}(AP)" if name in ("diff", "sign") else name) == Needs(), name


OUTSIDE = {
    "order": ("order", "--by", "leximin(Compat)"),
    "sets": ("evaluate", "-m", "SetRelP"),
}


@pytest.mark.parametrize("command", OUTSIDE)
def test_measures_of_other_tools_open_every_file_once(opened, command):
    ended = run(*OUTSIDE[command], "qrels", "x", "y")
    assert ended.returncode == 0, ended.stderr
    assert opened() == ONCE


@pytest.mark.one_in(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_command_opens_every_file_once(opened, command):
    ended = run(*COMMANDS[command], "qrels", "x", "y")
    assert ended.returncode == 0, ended.stderr
    assert opened() == ONCE
