"""Sentences for people: numbers and their nouns agree, and help has no markup."""

import re
import warnings

import click
import pytest

import tiebreak as tb
from cli.test_files import commands
from tiebreak.cli import tiebreak

ONE_REQUEST = {"q": {"a": 1, "b": 2}}
RUNS = [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"x": 2.0, "b": 1.0}}]


RESULTS = {
    "experiment": lambda experiment: experiment,
    "positions": lambda experiment: experiment.positions,
    "comparison": lambda experiment: experiment.compare("RPP"),
    "ordering": lambda experiment: experiment.order("RPP"),
    "bootstrap": lambda experiment: experiment.compare("RPP").bootstrap(resamples=1),
    "worst case": lambda experiment: tb.worst_case(experiment.positions, "AP"),
}


@pytest.mark.parametrize("result", RESULTS)
def test_one_is_singular(result):
    first = repr(RESULTS[result](tb.Experiment(ONE_REQUEST, RUNS))).split("\n")[0]
    assert not re.search(r"(?<![\d,.])1 [a-z ]*?(pair|run|request|sample|item|level)s\b", first), first


def test_verb_agrees_with_the_number_of_measures():
    experiment = tb.Experiment(ONE_REQUEST, RUNS, min_grade=2)
    for measures, message in ((["nDCG@10"], "nDCG@10 counts every"), (["nDCG@10", "ERR"], "nDCG@10, ERR count every")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            experiment.evaluate(measures)
        assert str(caught[0].message).startswith(message)


@pytest.mark.parametrize(("words", "command"), [pytest.param(*c, id=" ".join(c[0])) for c in commands(tiebreak)])
def test_help_has_no_markup(words, command):
    text = command.get_help(click.Context(command, info_name=" ".join(words)))
    assert not re.search(r":\w+:`|`|\\\\", text)


def test_letters_show_themselves_as_a_table():
    shown = tb.Experiment({"q": {"a": 1}, "r": {"a": 1}}, RUNS).compare("RPP").test("sign").letter_table()
    assert repr(shown).splitlines()[0].split() == ["run", "letters"] and "<table>" in shown._repr_html_()
