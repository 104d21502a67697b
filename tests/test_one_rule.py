"""One rule for significance marks: a pair is marked in tables, tests, gates and pictures alike, or in none."""

import csv
import io

import pytest

import tiebreak as tb
from cli.running import run

SIMULATION = tb.simulate(40, seed=4)
BASELINE = "balanced"
HOW = [{}, {"correction": "none"}, {"test": "wilcoxon", "alpha": 0.01}, {"test": "sign", "correction": "bonferroni"}]


@pytest.fixture(scope="module")
def exp():
    return tb.Experiment(SIMULATION.judgements, SIMULATION.runs)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    paths = SIMULATION.write(tmp_path_factory.mktemp("demo"))
    return (str(paths.qrels), *map(str, paths.runs))


def options(how):
    return [word for name, value in how.items() for word in (f"--{name}", str(value))]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("measure", ["AP", "RPP", "LexiRecall"])
def test_a_pair_has_the_same_mark_everywhere(exp, files, measure, how):
    compared = exp.compare(measure, BASELINE)
    tested = compared.test(**how)
    pvalues = {row.run: row.pvalue_corrected for row in tested.pair_tests()}
    marked = {row.run for row in tested.pair_tests() if row.pvalue_corrected < tested.alpha}
    assert marked and {*pvalues} - marked, "some pairs differ, some do not"

    summary = compared.summary(**how)
    assert {row["run"] for row in summary.records() if summary.is_marked(row)} == marked
    assert {row.run: row.pvalue_corrected for row in summary.rows()} == pvalues

    checks = tb.gate(exp, measure, BASELINE, **how).values
    assert {row.run: row.pvalue_corrected for row in checks} == pvalues
    worse = {row.run for row in tested.pair_tests() if row.value < 0}
    assert {row.run for row in checks if not row.passed} == marked & worse

    for command in ("compare", "test"):
        text = run(command, *files, "-m", measure, "--baseline", BASELINE, "--format", "csv", *options(how)).stdout
        rows = csv.DictReader(io.StringIO(text))
        assert {row["run"]: float(row["pvalue_corrected"]) for row in rows} == pvalues, command

    if measure == "AP":
        table = exp.evaluate(measure).against(BASELINE, **how)
        assert {row.run for row in table.rows() if row.marks} == marked
        assert {row.run: row.pvalue_corrected for row in table.rows() if row.run != BASELINE} == pvalues


@pytest.mark.parametrize("how", HOW, ids=str)
def test_pictures_mark_the_same_pairs_as_tables(exp, how):
    tested = exp.compare("AP", BASELINE).test(**how)
    marked = {row.run for row in tested.pair_tests() if row.pvalue_corrected < tested.alpha}
    summary, table = exp.compare("AP", BASELINE).summary(**how), exp.evaluate("AP").against(BASELINE, **how)
    for result in (tested, summary, table):
        (forest,) = result.drawings("forest")
        records = [dict(zip(forest.names, row, strict=True)) for row in forest.rows]
        assert {row["pair"] for row in records if row["test"] == "difference shown"} == marked
        assert f"Shown: {tested.criterion}." in forest.picture.notes
    (board,) = table.drawings("leaderboard")
    assert {row[0] for row in board.rows if row[-1]} == marked


def test_intervals_say_how_sure_they_are_and_that_they_are_not_corrected(exp):
    """An interval of one mean may exclude 0 where the corrected test marks nothing."""
    note = "Intervals are not corrected."
    compared = exp.compare("RPP")
    titles = {
        0.05: ("value", "low 95%", "high 95%"),
        0.001: ("value", "low 99.9%", "high 99.9%"),
    }
    for alpha, expected in titles.items():
        tested = compared.test(alpha=alpha)
        assert tested.table().header[2:5] == expected and note in tested.notes
        gate = tb.gate(exp, "AP", BASELINE, alpha=alpha)
        assert gate.table().header[4:7] == expected and note in gate.notes
        assert f" {expected[1][4:]} interval " in next(gate.sentences())
        summary = compared.summary(alpha=alpha)
        assert summary.table().header[2:5] == titles[0.05] and note in summary.notes  # of the mean, whatever the test
        assert note in summary.picture("forest").picture.notes
    assert note not in compared.test(correction="none").notes
    assert note not in exp.compare("RPP").test("hsd", permutations=100).notes  # for all pairs at once
    assert note in compared.summary("hsd", permutations=100).notes
    assert note not in tb.gate(exp, "leximin(AP)", BASELINE, permutations=100).notes  # which has no intervals
    assert (
        note
        not in tb.Experiment(SIMULATION.judgements, {name: SIMULATION.runs[name] for name in ("deep", "weak")})
        .compare("RPP")
        .summary()
        .notes
    )
