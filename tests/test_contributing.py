"""The recipes of CONTRIBUTING.md hold: each example, entered in its catalogue as it says, can be used by its name."""

import ast
import doctest
import re
import sys
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

import tiebreak as tb
from cli.running import run
from cli.test_compare import three_runs
from tiebreak import cli
from tiebreak.studies import CATALOGUE as STUDIES
from tiebreak.studies._catalogue import Study

TEXT = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {
    title: recipe
    for title, recipe in re.findall(r"^### An? (.+?)\n(.*?)(?=^##)", TEXT, re.DOTALL | re.MULTILINE)
    if "```python" in recipe
}
BEGINNING = '"""A line."""\n\nfrom __future__ import annotations\n\n'
USES = {
    "metric": lambda files: tb.Experiment(*files).evaluate("MR").mean.tolist(),
    "preference": lambda files: tb.Experiment(*files).compare("First").values.tolist(),
    "population": lambda files: tb.Experiment(*files).order("midrange(AP)").ranking(),
    "ordering": lambda files: tb.Experiment(*files).order("RPP", "plurality").ranking(),
    "significance test": lambda files: tb.Experiment(*files).compare("AP").test("z").pvalue.tolist(),
    "study": lambda files: run_command("study", "decided", *files),
    "command": lambda files: run_command("leaders", *files, "-m", "AP", "-m", "RPP"),
}
"""What a user does with each example."""


def run_command(*words):
    ended = run(*words, "--format", "csv")
    assert ended.returncode == 0, ended.stderr
    header, *rows = ended.stdout.splitlines()
    assert header not in rows
    assert words[0] == "study" or "Preferences:" in run(words[0], "--help").stdout
    return rows


def install(recipe, monkeypatch):
    """Do what a recipe says: a module with its code, and a line in a catalogue."""
    path = re.search(r"^1\. A file such as `(\w+/\w+)\.py`", recipe, re.MULTILINE)[1]
    module = ModuleType("tiebreak." + path.replace("/", "."))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    code = BEGINNING + dedent(re.search(r"^ *```python\n(.*?)^ *```", recipe, re.DOTALL | re.MULTILINE)[1])
    exec(compile(code, path, "exec"), vars(module))
    catalogue, line = re.search(r"^2\. A line in `([\w.]+)`.*?: `(\".*?)`$", recipe, re.MULTILINE).groups()
    if catalogue == "COMMANDS":
        monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, ast.literal_eval(line)))
        return module
    ((name, entry),) = eval(f"{{{line}}}", {"Study": Study}).items()
    known = STUDIES if catalogue == "CATALOGUE" else import_module(f"tiebreak.{path.split('/')[0]}").CATALOGUE.homes
    assert catalogue in ("CATALOGUE", f"{path.split('/')[0]}.CATALOGUE")
    monkeypatch.setitem(known, name, entry)
    return module


def test_every_recipe_has_a_use():
    assert set(RECIPES) == set(USES)


@pytest.mark.parametrize("kind", USES)
def test_example_can_be_used_by_its_name(kind, tmp_path, monkeypatch):
    qrels, *runs = three_runs(tmp_path)
    files = (str(qrels), *map(str, runs)) if kind in ("study", "command") else (str(qrels), list(map(str, runs)))
    with pytest.raises((tb.errors.InputError, AssertionError)):
        USES[kind](files)
    module = install(RECIPES[kind], monkeypatch)
    assert doctest.testmod(module, extraglobs={"tb": tb}).failed == 0
    assert len(USES[kind](files)) >= 2
