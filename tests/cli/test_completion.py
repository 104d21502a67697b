"""What a shell completes, by the protocol of click."""

import json
import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete

from cli.running import run, run_here
from tiebreak.cli import COMMANDS, tiebreak
from tiebreak.cli.completion import Names, Paths, add_completion


def complete(line):
    """What bash is told about the last word of a line."""
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    ended = run_here([], words | {"_TIEBREAK_COMPLETE": "bash_complete"})
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tiebreak eva", ["plain,evaluate"]),
        ("tiebreak study ag", ["plain,agreement"]),
        ("tiebreak evaluate qr", ["file,qr"]),
        ("tiebreak evaluate qrels ru", ["file,ru"]),
        ("tiebreak evaluate --groups g", ["file,g"]),
        ("tiebreak study ties --collections c", ["dir,c"]),
        ("tiebreak evaluate qrels run -m nD", ["plain,nDCG", "plain,nDCG_rel"]),
        ("tiebreak evaluate qrels run -m ndc", ["plain,nDCG", "plain,nDCG_rel"]),
        ("tiebreak evaluate qrels run -m recip", ["plain,recip_rank"]),
        ("tiebreak evaluate qrels run -m Lexi", []),
        ("tiebreak compare qrels run -m Lexi", ["plain,LexiRecall", "plain,LexiPrecision"]),
        ("tiebreak study ties qrels run -m Lexi", ["plain,LexiRecall", "plain,LexiPrecision"]),
        ("tiebreak order qrels run --by lexim", ["plain,leximin", "plain,leximax"]),
        ("tiebreak evaluate qrels run --population gi", ["plain,gini", "plain,gini_welfare"]),
        ("tiebreak test qrels run --test h", ["plain,hsd"]),
        ("tiebreak measures --kind pr", ["plain,preference"]),
    ],
)
def test_words_are_completed(line, expected):
    assert complete(line) == expected


def test_zsh_and_fish_are_told_what_names_mean():
    for shell, word in (("zsh", "5"), ("fish", "binary_n")):
        words = {"COMP_WORDS": "tiebreak evaluate q r -m binary_n", "COMP_CWORD": word}
        ended = run_here([], words | {"_TIEBREAK_COMPLETE": f"{shell}_complete"})
        assert ended.stdout.replace("\n", "\t").replace(",", "\t").rstrip() == (
            "plain\tbinary_nDCG\tNormalised discounted cumulative gain of binary relevance."
        )


def commands(group=tiebreak):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield from commands(command) if isinstance(command, click.Group) else [command]


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: command.name)
def test_every_parameter_for_specs_and_files_is_completed(command):
    add_completion(command)
    for parameter in command.params:
        metavar = str(parameter.metavar)
        if metavar in ("SPEC", "METHOD", "MEASURE"):
            assert isinstance(parameter.type, Names), parameter.name
            assert parameter.shell_complete(click.Context(command), "")
        elif metavar.strip("[].") in ("QRELS", "RUN", "RATINGS", "FOLDER") or "FILE" in metavar:
            assert isinstance(parameter.type, (Paths, click.Path)), parameter.name


def test_completion_imports_nothing_heavy():
    code = """
import json, sys
from tiebreak.cli import main
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted({"numpy", "scipy", "narwhals", "rich"} & set(sys.modules))))
"""
    words = {"COMP_WORDS": "tiebreak evaluate q r -m nD", "COMP_CWORD": "5", "_TIEBREAK_COMPLETE": "bash_complete"}
    ended = subprocess.run([sys.executable, "-c", code], env=os.environ | words, capture_output=True, check=True)
    assert json.loads(ended.stdout.splitlines()[-1]) == []


def test_commands_are_completed_in_order():
    shell = ShellComplete(tiebreak, {}, "tiebreak", "_TIEBREAK_COMPLETE")
    assert tuple(item.value for item in shell.get_completions([], "")) == COMMANDS


def test_help_says_how_to_set_it_up():
    text = run("--help").stdout
    assert all(f"_TIEBREAK_COMPLETE={shell}_source tiebreak" in text for shell in ("bash", "zsh", "fish"))
