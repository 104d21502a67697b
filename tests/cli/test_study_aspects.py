"""Studies of runs by measures of diversity: --aspects, --train and --intents reach each of them."""

import pytest

import tiebreak as tb
from cli.test_compare import done, objects, one_line_error, ranking
from tiebreak import studies

USERS = [f"u{k}" for k in range(8)]
MEASURE = "alpha_beta_nDCG@2"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{u} 0 a 4\n{u} 0 b {2 + k % 3}\n" for k, u in enumerate(USERS)))
    orders = {"one": ["ba", "ab"], "two": ["cb", "ca"], "three": ["ac", "cb"]}
    for name, by_user in orders.items():
        (tmp_path / name).write_text("".join(ranking(u, *by_user[k % 2]) for k, u in enumerate(USERS)))
    (tmp_path / "genres.tsv").write_text("item\tgenre\na\twar\nb\twar\nb\tlove\nc\tlove\n")
    (tmp_path / "train.csv").write_text("user,item,rating\n" + "".join(f"{u},c,{1 + k}\n" for k, u in enumerate(USERS)))
    (tmp_path / "intents").write_text(
        "".join(f"{u} 0 war {k / 8}\n{u} 0 love {1 - k / 8}\n" for k, u in enumerate(USERS))
    )
    return tmp_path


def paths(folder):
    return [folder / name for name in ("qrels", "one", "two", "three")]


def rows(study, folder, *words):
    return objects(done("study", study, *paths(folder), *words, "--format", "jsonl").stdout)


STUDIES = {
    "ties": (lambda exp: studies.ties(exp, [MEASURE]), ()),
    "agreement": (lambda exp: studies.agreement(exp, measures=[MEASURE, "AP"]), ("-m", "AP")),
    "power": (lambda exp: studies.power(exp, [MEASURE]), ()),
    "missing": (
        lambda exp: studies.missing(exp, [MEASURE], "requests", samples=2, fractions=[0.5]),
        ("--remove", "requests", "--samples", "2", "--fraction", "0.5"),
    ),
    "validity": (lambda exp: studies.validity(exp.utilities(MEASURE), "movement"), ("--view", "movement")),
}


@pytest.mark.parametrize("study", STUDIES)
def test_aspects_and_profiles_reach_the_study(study, folder):
    library, words = STUDIES[study]
    qrels, *runs = paths(folder)
    tables = {"aspects": folder / "genres.tsv", "train": folder / "train.csv"}
    options = ("--aspects", tables["aspects"], "--train", tables["train"])
    expected = library(tb.Experiment(qrels, runs, **tables)).to_dict()["rows"]
    assert rows(study, folder, "-m", MEASURE, *words, *options) == expected


@pytest.mark.parametrize("study", STUDIES)
def test_aspects_are_asked_for_by_the_name_of_an_option_that_there_is(study, folder):
    words = ("-m", MEASURE, *STUDIES[study][1])
    assert "--aspects FILE" in one_line_error("study", study, *paths(folder), *words)
    assert "--aspects FILE" in done("study", study, "--help").stdout


def test_intents_reach_a_study(folder):
    qrels, *runs = paths(folder)
    tables = {"aspects": folder / "genres.tsv", "intents": folder / "intents"}
    words = ("-m", "P_IA@1", "-m", "AP", "--view", "sign", "--aspects", tables["aspects"])
    exp = tb.Experiment(qrels, runs, **tables)
    expected = studies.agreement(exp, "sign", ["P_IA@1", "AP"]).to_dict()["rows"]
    assert rows("agreement", folder, *words, "--intents", tables["intents"]) == expected
    assert rows("agreement", folder, *words) != expected


def test_tables_of_utilities_have_no_aspects(folder):
    (folder / "utilities.csv").write_text("run,request,value\na,q,1\nb,q,0\n")
    words = ("--utilities", folder / "utilities.csv", "--aspects", folder / "genres.tsv")
    assert "are for QRELS RUN" in done("study", "validity", *words, code=2).stderr
