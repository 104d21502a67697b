"""docs/papers.md: every numbered thing of the papers is on the list, and what the list names is there."""

import ast
import shlex
from importlib import import_module
from itertools import chain
from pathlib import Path

import click
import papers
import pytest

import tiebreak as tb
from tiebreak.cli import tiebreak

ROOT = Path(papers.__file__).parent.parent
LIST = papers.read_papers()
ENTRIES = [(paper, number, entry) for paper, entries in LIST.items() for number, entry in entries.items()]


def numbers(kind, last, *others):
    return [f"{kind} {number}" for number in (*range(1, last + 1), *others)]


def lettered(kind, letter, last):
    return [f"{kind} {letter}.{number}" for number in range(1, last + 1)]


NUMBERED = {
    "LR": [
        *lettered("Definition", 2, 2),
        *numbers("Equation", 13),
        *lettered("Theorem", "B", 10),
        *(f"{'Lemma' if k == 3 else 'Theorem'} C.{k}" for k in range(1, 7)),
        *lettered("Theorem", "D", 1),
        *lettered("Theorem", "E", 4),
        *numbers("Table", 8),
        *numbers("Figure", 19),
    ],
    "LP": [*numbers("Equation", 3), *numbers("Table", 2, "3a", "3b"), *numbers("Figure", 9)],
    "PE": [*numbers("Equation", 10), *numbers("Table", 4), *numbers("Figure", 2, "3a", "3b")],
    "RPP": [
        *numbers("Equation", 7),
        *numbers("Table", 1, "2a", "2b", "3a", "3b", "4a", "4b"),
        *numbers("Figure", 7),
    ],
    "AB": [*numbers("Equation", 24), *numbers("Axiom", 8), *numbers("Table", 1), *numbers("Figure", 4)],
}
"""What the papers number; counted in their text."""


def of_kind(kind):
    """Every place of a kind once, with the number it is first named by."""
    named = {place.strip(): f"{paper} {number}" for paper, number, entry in ENTRIES for place in entry.get(kind, ())}
    return [pytest.param(place, id=f"{number}: {place}") for place, number in named.items()]


def test_page_is_written_from_the_list():
    written = (papers.DOCS / "papers.md").read_text("utf-8")
    assert written == papers.page(LIST), "run make papers"


@pytest.mark.parametrize("paper", NUMBERED)
def test_everything_that_a_paper_numbers_is_on_the_list(paper):
    assert list(LIST[paper]) == NUMBERED[paper]


def test_papers_are_those_with_a_title():
    assert list(LIST) == list(papers.TITLES) == list(NUMBERED)


@pytest.mark.parametrize(("paper", "number", "entry"), ENTRIES)
def test_every_entry_has_a_place_or_a_reason(paper, number, entry):
    assert set(entry) <= {"what", *papers.PLACES, "why_not", "note"} and entry["what"]
    assert papers.has_place(entry) != bool(entry.get("why_not")), "a place, or a reason, not both"


@pytest.mark.parametrize("place", of_kind("python"))
def test_python_name_is_there(place):
    check_python(place)


@pytest.mark.parametrize("line", of_kind("command"))
def test_command_is_there(line):
    check_command(line)


@pytest.mark.parametrize("place", of_kind("script"))
def test_script_is_there(place):
    check_function(place, ":")


@pytest.mark.parametrize("place", of_kind("test"))
def test_test_is_there(place):
    check_function(place, "::")


@pytest.mark.parametrize(
    ("check", "place"),
    [
        ("python", "tb.no_such_name"),
        ("python", "tiebreak.no_such_module.name"),
        ("python", 'tb.metric("no_such_metric")'),
        ("command", "tiebreak no-such-command"),
        ("command", "tiebreak study no-such-study"),
        ("command", "tiebreak study ties --no-such-option"),
        ("command", "tiebreak study ties --view no-such-view"),
        ("command", "tiebreak compare -m no_such_measure"),
        ("script", "reproduce/no_such_script.py:table_1"),
        ("script", "reproduce/lexirecall.py:no_such_function"),
    ],
)
def test_what_is_gone_is_found(check, place):
    checks = {"python": check_python, "command": check_command, "script": lambda place: check_function(place, ":")}
    with pytest.raises((AssertionError, AttributeError, ImportError, tb.TiebreakError, FileNotFoundError)):
        checks[check](place)


def check_python(place):
    """A dotted name, or an expression of tb."""
    if "(" in place:
        assert eval(place, {"tb": tb}) is not None
        return
    first, *rest = place.split(".")
    if first == "tiebreak":
        parents = [".".join(("tiebreak", *rest[:k])) for k in range(len(rest) + 1)]
        name = next(name for name in reversed(parents) if is_module(name))
        one, rest = import_module(name), rest[name.count(".") :]
    else:
        assert first == "tb", place
        one = tb
    for part in rest:
        one = getattr(one, part)


def is_module(name):
    try:
        return bool(import_module(name))
    except ModuleNotFoundError:
        return False


def check_command(line):
    """All words: commands, options, their choices, and specs of measures."""
    program, *words = shlex.split(line)
    assert program == "tiebreak"
    command, context = tiebreak, click.Context(tiebreak)
    while isinstance(command, click.Group):
        word = words.pop(0)
        command = command.get_command(context, word)
        assert command is not None, word
    options = {flag: one for one in command.params for flag in chain(one.opts, one.secondary_opts)}
    while words:
        flag = words.pop(0)
        assert flag in options, flag
        option = options[flag]
        if not option.is_flag:
            check_value(option, words.pop(0))


def check_value(option, value):
    if isinstance(option.type, click.Choice):
        assert value in option.type.choices, value
    if option.name in ("measures", "measure", "by", "populations", "truth"):
        assert is_spec(value) or is_spec(f"{value}@10"), value  # axioms take measures without a cutoff


def is_spec(text):
    from tiebreak.orderings import method

    for read in (tb.metric, tb.preference, tb.population, method):
        try:
            return bool(read(text))
        except tb.TiebreakError:
            continue
    return False


def check_function(place, between):
    path, function = place.split(between)
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
