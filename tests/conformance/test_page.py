"""docs/conformance.md is what `make conformance` writes: every difference has a reason, every reason a difference."""

import ast
import os
import re
from functools import cache
from pathlib import Path

import pytest

from conformance import outcomes, page
from conformance.inputs import inputs
from conformance.tools import TOOLS

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = (page.DOCS / page.PAGE).read_text("utf-8")
REASONS = [pytest.param(one, id=f"{one.tool}: {one.name}") for one in outcomes.reasons()]
BY_NAME = {tool.name: tool for tool in TOOLS}
SLOW = ("ranx", "LensKit")
"""They compile what they need, or import torch."""
IS_INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
"""Whether ranx is plain Python, as numba takes minutes to compile it. Its numbers are the same but for one cell."""


def parameter(tool):
    is_slow = tool.is_installed() and tool.name in SLOW
    return pytest.param(tool, id=tool.name, marks=[pytest.mark.slow] if is_slow else [])


ALL = [*map(parameter, TOOLS)]
INSTALLED = [parameter(tool) for tool in TOOLS if tool.is_installed()]
"""In continuous integration that is every tool."""


def without_versions(text):
    """A newer version of a tool may do the same."""
    return re.sub(r"\d+(\.\d+)+[\w.+]*", "*", text)


@cache
def rows(name):
    """The rows of a tool as they are, or where it is not installed as they stand on the page."""
    tool = BY_NAME[name]
    if tool.is_installed():
        return outcomes.compute(tool)
    return page.read_rows(page.committed_section(name, COMMITTED))


@pytest.mark.parametrize("tool", ALL)
def test_section_is_what_the_command_writes(tool):
    """Of a tool that is not installed, the outcomes on the page with the reasons of the list."""
    committed = page.committed_section(tool.name, COMMITTED)
    if tool.name == "ranx" and IS_INTERPRETED:  # plain Python goes on after a division by zero
        committed = committed.replace("| interrupted |", "| = |")
    assert without_versions(page.section(tool, COMMITTED)) == without_versions(committed), "run make conformance"


def test_the_rest_of_the_page_follows_from_its_sections():
    sections = {name: page.read_rows(page.committed_section(name, COMMITTED)) for name in BY_NAME}
    for part in (page.HEAD, page.input_table(), page.summary(sections)):
        assert part in COMMITTED, "run make conformance"


@pytest.mark.parametrize("tool", INSTALLED)
def test_every_difference_and_every_absence_has_a_reason(tool):
    unexplained = [
        (row.name, data) for row in rows(tool.name) for data, cell in row.cells.items() if outcomes.UNEXPLAINED in cell
    ]
    assert not unexplained
    missing = [row.name for row in rows(tool.name) if row.spec is None]
    assert missing == [*outcomes.absent().get(tool.name, {})]


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_a_difference(reason):
    """For each pattern of measures and each input."""
    table = page.read_rows(page.committed_section(reason.tool, COMMITTED))
    differing = [
        (row.name, data) for row in table for data, cell in row.cells.items() if reason.name in cell.split("; ")
    ]
    assert {data for _, data in differing} >= {*(reason.inputs or ["plain"])}
    for pattern in reason.measures:
        alone = outcomes.Reason(**{**vars(reason), "measures": [pattern]})
        assert any(alone.covers(reason.tool, name, data) for name, data in differing), pattern


@pytest.mark.parametrize("tool", INSTALLED)
def test_what_reasons_say_gives_the_values_of_the_tool(tool):
    wrong = []
    for data in inputs().values():
        names = [row.name for row in rows(tool.name) if is_difference(row.cells[data.name])]
        theirs = outcomes.their_values(tool, names, data) if names else {}
        for name in names:
            ours = outcomes.computed_as_they_do(tool, name, data)
            if ours is not None and not outcomes.agree(theirs[name], ours, tool.tolerance(name)):
                wrong.append((name, data.name))
    assert not wrong


def is_difference(cell):
    return cell not in (outcomes.EQUAL, outcomes.NOT_COMPUTED, outcomes.FAILS)


def test_notes_name_a_test_that_is_there():
    for several in outcomes.notes().values():
        for note in several:
            if "test" not in note:
                continue
            path, test = note["test"].split("::")
            tree = ast.parse((ROOT / path).read_text("utf-8"))
            assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


def test_a_difference_without_a_reason_is_found(monkeypatch):
    monkeypatch.setattr(outcomes, "reasons", list)
    assert outcomes.explain(TOOLS[0], "map", "close") == outcomes.UNEXPLAINED


def test_values_agree_only_where_the_same_requests_have_them():
    assert outcomes.agree({"a": 0.5, "b": float("nan")}, {"a": 0.5 + 1e-12}, 1e-9)
    assert not outcomes.agree({"a": 0.5, "b": 0.0}, {"a": 0.5}, 1e-9)
    assert not outcomes.agree({"a": 0.5}, {"a": 0.5 + 1e-6}, 1e-9)
