"""The list of measures is what the catalogues hold."""

import json
from importlib import import_module

import pytest

import tiebreak as tb
from cli.running import run
from tiebreak._base.purposes import PURPOSES
from tiebreak.measure_list import KINDS

LISTED = [(line.kind, line.name) for line in tb.measures().rows()]


def test_every_entry_of_every_catalogue_is_listed_once():
    catalogues = {kind: import_module(f"tiebreak.{package}").CATALOGUE for kind, package in KINDS.items()}
    assert [(kind, name) for kind, catalogue in catalogues.items() for name in catalogue] == LISTED
    others = {package for package, _ in PURPOSES.values()} - {*KINDS.values()}
    assert others == {"studies._catalogue"}  # which tiebreak study --help lists


def test_every_line_is_a_sentence():
    for line in tb.measures().rows():
        assert line.description.endswith(".") and "`" not in line.description, line


@pytest.mark.parametrize(
    ("name", "kind", "better"),
    [
        ("AP", "metric", "higher"),
        ("ASL", "metric", "lower"),
        ("NumRel", "metric", None),
        ("RPP", "preference", "positive"),
        ("leximin", "population", "higher"),
        ("gini", "population", "lower"),
        ("mean", "ordering", "higher"),
        ("sign", "preference", "positive"),
        ("sign", "test", None),
    ],
)
def test_better_values_are_known(name, kind, better):
    (line,) = (line for line in tb.measures(kind).rows() if line.name == name)
    assert line.better == better


def test_kinds_are_filtered():
    assert {line.kind for line in tb.measures(["test", "metric"]).rows()} == {"metric", "test"}
    assert tb.measures("test").table().header == ("name", "better", "description")
    with pytest.raises(tb.InputError, match=r'unknown value for kind "metrics"\. Did you mean "metric"'):
        tb.measures("metrics")


def test_command_lists_the_same():
    ended = run("measures", "--format", "jsonl")
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(row["kind"], row["name"]) for row in rows] == LISTED
    assert "better: whether higher or lower values are better" in run("measures").stdout
    table = run("measures", "--kind", "test", "--kind", "ordering").stdout
    assert "Student's" in table and "mc4" in table and "LexiRecall" not in table
