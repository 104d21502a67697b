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


@pytest.mark.parametrize("find", [tb.metric, tb.preference])
def test_names_that_are_like_no_other_are_referred_to_the_list(find):
    with pytest.raises(UnknownNameError, match=r"Known: .* more\. tiebreak measures \(tb\.measures\(\)\) lists all\."):
        find("zzzzz")
    with pytest.raises(
        UnknownNameError, match=r"Known: mean, .*, GeoRisk, CVaR\.$|Known: mean, .*, atkinson_welfare\.$"
    ):
        tb.population("zzzzz")


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
        (lambda: tb.metric("RBPP"), 'unknown metric "RBPP". Did you mean "RBP"?'),  # RPP is as near, and no metric
        (lambda: tb.metric("leximn"), 'Did you mean "leximin"? leximin is over requests: use order'),
        (lambda: tb.metric("Rppp"), 'Did you mean "RPP"? RPP compares two runs: use compare'),
        (lambda: tb.preference("copelnd"), 'Did you mean "copeland"? copeland orders runs: use order'),
        (lambda: tb.population("wilcoxn"), 'Did you mean "wilcoxon"? wilcoxon is a significance test'),
        (lambda: tb.preference("hsd"), "hsd is a significance test: use test"),
        (lambda: tb.preference("mc4"), "mc4 orders runs: use order"),
        (lambda: tb.population("RPP"), "RPP compares two runs: use compare"),
    ],
)
def test_names_of_other_catalogues_say_what_they_are_for(call, message):
    with pytest.raises(UnknownNameError) as error:
        call()
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("precison@10", "precision"),
        ("Prec@5", "P"),
        ("R-prec", "RPrec"),
        ("HR@10", "Success"),
        ("hitrate@10", "hit_rate"),
        ("map10", "map@10"),
        ("ndcg_5", "nDCG@5"),
        ("bpref_10", "bpref"),  # which takes no cutoff
        ("ALL_TREC", "all_trec"),
        ("Official", "official"),
        ("IntraListDiversity@10", "ILD"),
        ("MeanInvUserFreq@10", "Novelty"),
        ("CatalogCoverage@10", "Coverage"),
        ("Gini@10", "ExposureGini"),
        ("NOVELTY@10", "Novelty"),
        ("averageprecision", "AveragePrecision"),
    ],
)
def test_metrics_are_suggested_by_all_their_names(spec, expected):
    for find in (tb.metric, tb.preference):
        with pytest.raises(UnknownNameError) as error:
            find(spec)
        assert f'Did you mean "{expected}"?' in str(error.value)


def test_a_word_of_two_meanings_has_both():
    with pytest.raises(UnknownNameError, match=r'Did you mean "ExposureGini"\? gini is over requests: use order'):
        tb.metric("gini@10")


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
        (("metrics",), 'Did you mean "measures"?'),
        (("study", "tie"), 'No such command "tie". Did you mean "ties"?'),
        (("study", "AP"), "AP scores one run: give it by -m"),
        (("study", __file__), "Name a command first, such as tiebreak study ties"),
        (("test", "x", "y", "--test", "tteest"), 'unknown test "tteest". Did you mean "ttest"?'),
        (("zzz",), "There are demo, check, evaluate, compare,"),
        ((__file__,), "Name a command first, such as tiebreak evaluate"),
        (("-m", "AP"), "Options come after a command, such as tiebreak evaluate QRELS RUN -m AP."),
        (("compare", "x", "y", "-p", "AP"), "Metrics and preferences are given by -m, such as -m AP."),
        (("evaluate", "x", "y", "--metric", "AP"), "Metrics and preferences are given by -m, such as -m AP."),
        (("evaluate", "x", "y", "-m", "RPP"), "RPP compares two runs: use compare"),
        (("order", "x", "y", "--by", "AP"), "AP scores one run: give it by -m"),
        (("order", "x", "y", "--by", "map"), 'unknown ordering method "map". map scores one run: give it by -m'),
        (("evaluate", "x", "y", "-m", "AP,nDCG@10"), "with spaces between them, -m 'AP nDCG@10'."),
        (("evaluate", "x", "y", "-l", "2"), "--min-grade 2 for trec_eval's -l 2."),
        (("evaluate", "x", "y", "-c"), "Leave it out: judged requests that a run misses count, as by trec_eval's -c;"),
        (("evaluate", "x", "y", "-M", "100"), "--depth 100 for trec_eval's -M 100."),
        (("compare", "x", "y", "-J"), "removed by --judged-only, as by trec_eval's -J."),
        (("evaluate", "x", "y", "--forma", "csv"), "--format"),
    ],
)
def test_the_command_line_says_what_was_meant(arguments, message):
    ended = run(*arguments)
    assert ended.returncode == 2 and message in ended.stderr.splitlines()[-1]
