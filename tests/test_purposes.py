"""A name in the wrong place: what it is for, and where it goes."""

import pytest

import tiebreak as tb
from cli.running import run
from tiebreak._base.purposes import PURPOSES, purpose
from tiebreak.errors import UnknownNameError

NAMES = {
    "metric": ("AP", "map", "recall", "TSE"),
    "preference": ("RPP", "rpp", "LexiRecall", "invRPP"),
    "population": ("leximin", "GMEAN", "auc4"),
    "ordering method": ("mc4", "Borda"),
    "test": ("hsd", "wilcoxon"),
    "study": ("ties", "Power"),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
def test_every_kind_of_name_is_shown_to_its_command(kind, name):
    assert purpose(name).partition(": ")[2] == PURPOSES[kind][1].format(known(name)).partition(": ")[2]
    assert purpose(name, *PURPOSES) is None


def known(name):
    return {"GMEAN": "gmean", "Borda": "borda", "Power": "power", "recall": "recall"}.get(name, name)


def test_unknown_names_have_no_purpose():
    assert purpose("zzz") is None


def test_a_preference_among_metrics_names_compare():
    experiment = tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}})
    with pytest.raises(
        UnknownNameError, match=r"RPP compares two runs: use compare, such as tiebreak compare .* -m RPP"
    ):
        experiment.evaluate("RPP")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tb.metric("leximin"), "leximin is over requests: use order"),
        (lambda: tb.metric("APP"), 'unknown metric "APP". Did you mean'),
        (lambda: tb.preference("hsd"), "hsd is a significance test: use test"),
        (lambda: tb.preference("mc4"), "mc4 orders runs: use order"),
        (lambda: tb.population("RPP"), "RPP compares two runs: use compare"),
    ],
)
def test_names_of_other_catalogues_say_what_they_are_for(call, message):
    with pytest.raises(UnknownNameError) as error:
        call()
    assert message in str(error.value)


@pytest.mark.parametrize("spec", ["Recall@10", "recall@10", "R@10", "recall_10"])
def test_recall_has_all_its_names(spec):
    assert tb.metric(spec) == tb.metric("R@10")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("comapre",), 'No such command "comapre". Did you mean "compare"?'),
        (("eval",), 'No such command "eval". Did you mean "evaluate"?'),
        (("power",), 'No such command "power". power is a study: use study'),
        (("RPP",), "RPP compares two runs: use compare"),
        (("tetss",), 'Did you mean "test"?'),
        (("zzz",), "There are demo, check, evaluate, compare,"),
        ((__file__,), "Name a command first, such as tiebreak evaluate"),
        (("-m", "AP"), "Options come after a command, such as tiebreak evaluate QRELS RUN -m AP."),
        (("compare", "x", "y", "-p", "AP"), "Metrics and preferences are given by -m, such as -m AP."),
        (("evaluate", "x", "y", "--metric", "AP"), "Metrics and preferences are given by -m, such as -m AP."),
        (("evaluate", "x", "y", "-m", "RPP"), "RPP compares two runs: use compare"),
        (("order", "x", "y", "--by", "AP"), "AP scores one run: give it by -m"),
        (("evaluate", "x", "y", "--forma", "csv"), "--format"),
    ],
)
def test_the_command_line_says_what_was_meant(arguments, message):
    ended = run(*arguments)
    assert ended.returncode == 2 and message in ended.stderr.splitlines()[-1]
