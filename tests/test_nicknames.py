"""Names of trec_eval that stand for several measures."""

import pytest

import tiebreak as tb
from cli.running import run
from tiebreak._base.nicknames import FAMILIES, NICKNAMES, expand, expand_all
from tiebreak.errors import InputError
from tiebreak.metrics import metric

EXPERIMENT = tb.Experiment({"q": {"a": 1}}, {"q": {"a": 1.0}})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P.5,10", ("P_5", "P_10")),
        ("iprec_at_recall.0.1,.5", ("iprec_at_recall_0.1", "iprec_at_recall_.5")),
        ("success", ("success_1", "success_5", "success_10")),
        ("P", tuple(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000))),
        ("recall", ("recall",)),  # of all that is retrieved
        ("ndcg_cut.10", ("ndcg_cut.10",)),
        ("map", ("map",)),
    ],
)
def test_name_stands_for_several_measures(name, expected):
    assert expand(name) == expected


@pytest.mark.parametrize(("name", "number"), [("official", 29), ("set", 10), ("all_trec", 98)])
def test_nickname_is_a_list_of_different_measures(name, number):
    scores = EXPERIMENT.evaluate(name)
    assert scores.measures == NICKNAMES[name] and len(scores.metrics) == number


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_is_known(name):
    assert (
        len({str(metric(one)) for one in expand(f"{name}.1,0.5" if "." in FAMILIES[name][0] else f"{name}.1,2")}) == 2
    )


def test_measures_that_several_names_stand_for_are_there_once():
    assert expand_all(["map", "official", "P.5,7"]).count("map") == 1
    assert EXPERIMENT.evaluate(["P.5,10", "P_5", "AP"]).measures == ("P_5", "P_10", "AP")
    with pytest.raises(InputError, match="the measure AP was given twice"):
        EXPERIMENT.evaluate(["AP", "AP"])


def test_one_measure_is_asked_for_where_one_is_needed():
    with pytest.raises(InputError, match=r"official stands for several measures: num_q, .*Give one of them"):
        EXPERIMENT.compare("official")


def test_rbp_of_trec_eval_is_named_by_its_parameter():
    """Alone ``rbp`` is that of pref_eval, as before."""
    assert str(metric("rbp")) == "RBP(p=0.5)"
    assert any(note.startswith("rbp is RBP(p=0.5), as in pref_eval;") for note in EXPERIMENT.evaluate("rbp").notes)
    assert not any("rbp" in note for note in EXPERIMENT.evaluate(["RBP", "all_trec"]).notes)
    assert "rbp_p=0.9" in NICKNAMES["all_trec"] and str(metric("rbp_p=0.9")) == "graded_RBP(p=0.9)"


def test_evaluate_takes_nicknames(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 x 0\n")
    (tmp_path / "run").write_text("q 0 x 1 2 t\nq 0 a 2 1 t\n")
    done = run("evaluate", tmp_path / "qrels", tmp_path / "run", "-m", "official", "-m", "P.1,2", "--format", "trec")
    lines = dict(line.split("\tall\t") for line in done.stdout.splitlines())
    assert len(lines) == 31
    assert (lines["num_ret"], lines["map"], lines["gm_map"], lines["P_2"]) == ("2.0", "0.5", "0.5", "0.5")


def test_evaluate_reads_files_before_measures_are_imported(tmp_path):
    from tiebreak.cli.options import can_read_early

    assert can_read_early({"measures": ("all_trec",)})
