"""The table for a paper: means, intervals, changes and marks."""

import csv
import io
import math
import re

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from cli.running import run
from tiebreak._base.spec import split_specs

SIMULATION = tb.simulate(25, seed=11)
RUNS = tuple(SIMULATION.runs)


@pytest.fixture(scope="module")
def exp():
    return tb.Experiment(SIMULATION.judgements, SIMULATION.runs)


@pytest.fixture(scope="module")
def scores(exp):
    return exp.evaluate(["AP", "nDCG@10"])


@pytest.fixture
def files(tmp_path):
    paths = SIMULATION.write(tmp_path)
    return (str(paths.qrels), *map(str, paths.runs))


def slow_holm(p):
    """Each p-value is multiplied by how many are at least as large, and is no smaller than any before it."""
    corrected = {}
    largest = 0.0
    for step, key in enumerate(sorted(p, key=p.get)):
        largest = max(largest, p[key] * (len(p) - step))
        corrected[key] = min(1.0, largest)
    return corrected


def slow_table(scores, measure, baselines):
    """Means, intervals, changes, p-values and marks by SciPy, from the values of every request."""
    values = dict(zip(scores.runs, scores[measure], strict=True))
    pairs = {(run, b) for b in baselines for run in values if run != b}
    pairs -= {(a, b) for a, b in pairs if (b, a) in pairs and baselines.index(a) < baselines.index(b)}
    p = slow_holm({(x, y): stats.ttest_rel(values[x], values[y]).pvalue for x, y in pairs})
    p |= {(y, x): value for (x, y), value in p.items()}
    first = values[baselines[0]].mean()
    for name, v in values.items():
        half = stats.t.ppf(0.975, len(v) - 1) * v.std(ddof=1) / math.sqrt(len(v))
        signs = ["*"] if len(baselines) == 1 else "abcdef"
        marks = "".join(sign for sign, b in zip(signs, baselines, strict=False) if name != b and p[name, b] < 0.05)
        is_first = name == baselines[0]
        change = math.nan if is_first else (v.mean() - first) / first
        yield name, v.mean(), v.mean() - half, v.mean() + half, change, p.get((name, baselines[0]), math.nan), marks


@pytest.mark.parametrize("baselines", [("balanced",), ("balanced", "weak"), ("weak", "deep", "balanced")])
def test_rows_are_those_of_a_slow_version(scores, baselines):
    table = scores.against(baselines)
    for measure in scores.measures:
        expected = {row[0]: row[1:] for row in slow_table(scores, measure, baselines)}
        rows = [row for row in table.rows() if row.measure == measure]
        assert {row.run for row in rows} == set(expected)
        for row in rows:
            numbers = (row.value, row.low, row.high, row.change, row.pvalue_corrected)
            assert numbers == pytest.approx(expected[row.run][:-1], nan_ok=True, rel=1e-9, abs=1e-12)
            assert row.marks == expected[row.run][-1] and row.n_requests == 25


def test_tests_are_those_of_comparisons(exp, scores):
    """One rule: the same p-values as compare and test."""
    table = scores.against("balanced")
    for measure in scores.measures:
        tested = exp.compare(measure, "balanced").test()
        assert table.tests[measure].rows() == tested.rows()
        for row in tested.pair_tests():
            (own,) = (one for one in table.rows() if (one.run, one.measure) == (row.run, measure))
            assert (own.pvalue_corrected, own.marks == "*") == (row.pvalue_corrected, row.pvalue_corrected < 0.05)


def test_without_baselines_letters_are_of_all_pairs(exp, scores):
    table = scores.against()
    assert table.columns == ("run", "measure", "value", "low", "high", "n_requests", "letters")
    letters = exp.compare("AP").test().letters()
    assert {row[0]: row[-1] for row in table.rows() if row[1] == "AP"} == letters
    assert "Runs without a common letter differ: p < 0.05" in table.notes[0] and "21 comparisons" in table.notes[0]


@pytest.mark.parametrize("measures", [["AP", "RR"], ["RR", "AP"], ["TSL(n=5000)", "AP"]])
def test_runs_are_sorted_by_the_first_measure_best_first(exp, measures):
    scores = exp.evaluate(measures)
    sign = -1 if measures[0].startswith("TSL") else 1  # a cost: the shortest search length is best
    for table in (scores.against("weak"), scores.summary(None)):
        values = [sign * row.value for row in table.rows() if row.measure == measures[0]]
        assert values == sorted(values, reverse=True)
    by_other = [row.value for row in scores.against("weak", sort=measures[1]).rows() if row.measure == measures[1]]
    assert by_other == sorted(by_other, reverse=True)
    assert tuple(dict.fromkeys(row.run for row in scores.against("weak", sort="none").rows())) == RUNS
    with pytest.raises(tb.InputError, match='unknown measure "APP"'):
        scores.against("weak", sort="APP")


def test_lower_is_better_marks_and_bold(exp):
    table = exp.evaluate("TSL(n=5000)").against("weak")
    values = {row.run: row.value for row in table.rows()}
    assert table.best == {(min(values, key=values.get), "TSL(n=5000)")}


def test_what_cannot_be_tested_is_said(exp):
    table = exp.evaluate(["AP", "NumRet", "gm(AP)"]).against("weak")
    assert {*table.tests} == {"AP"}
    assert any(note.startswith("Not tested: NumRet, gm(AP)") for note in table.notes)
    assert all(math.isnan(row.pvalue_corrected) and not row.marks for row in table.rows() if row.measure != "AP")
    one = tb.Experiment({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}).evaluate("AP").against("y")
    assert any(note.startswith("Not tested: AP") for note in one.notes)
    assert math.isnan(one.rows()[0].change)  # relative to 0


def test_bad_input_is_named(scores):
    with pytest.raises(tb.InputError, match='unknown run "balance"'):
        scores.against("balance")
    with pytest.raises(tb.InputError, match="hsd tests all pairs jointly"):
        scores.against("balanced", test="hsd")
    with pytest.raises(tb.InputError, match="two runs"):
        tb.Experiment({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}).evaluate("AP").against()


def test_all_pairs_take_tests_of_all_pairs(exp):
    table = exp.evaluate("AP").against(test="tukey")
    assert table.tests["AP"].rows() == exp.compare("AP").test("tukey").rows()
    assert "Tukey's HSD test" in table.notes[0]


def test_every_format_has_values_marks_and_bold(scores):
    table = scores.against(["balanced", "weak"])
    best = max((row for row in table.rows() if row.measure == "AP"), key=lambda row: row.value)
    text, latex, markdown, html = repr(table), table.to_latex(3), table.to_markdown(3), table.to_html(3)
    assert "ᵃᵇ" in text and r"\textsuperscript{ab}" in latex and "ᵃᵇ" in markdown and "ᵃᵇ" in html
    assert rf"{best.run} & \textbf{{{best.value:.3f}" in latex and "toprule" in latex and r"$\pm0." in latex
    assert f"**{best.value:.3f}" in markdown and f"<b>{best.value:.3f}" in html
    lines = text.splitlines()[2:]
    ends = {line.index("±") for line in lines if "±" in line}
    assert len(ends) == 1, "numbers with marks are aligned"
    change = next(row.change for row in table.rows() if row[:2] == ("weak", "AP"))
    assert f"{100 * change:+.1f}%" in text


def test_command_line_writes_the_table(files, scores):
    ended = run("evaluate", *files, "-m", "AP nDCG@10", "--baseline", "balanced", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    expected = scores.against("balanced").rows()
    assert [(row["run"], row["measure"], row["marks"]) for row in rows] == [
        (r.run, r.measure, r.marks) for r in expected
    ]
    assert np.allclose([float(row["value"]) for row in rows], [r.value for r in expected])
    several = run("evaluate", *files, "-m", "AP", "--baseline", "balanced", "--baseline", "weak").stdout
    assert "differs from balanced (a), weak (b)" in several
    assert "Runs without a common letter differ" in run("evaluate", *files, "-m", "AP", "--letters").stdout
    latex = run("evaluate", *files, "-m", "AP", "--baseline", "weak", "--format", "latex", "--test", "wilcoxon").stdout
    assert "Wilcoxon" in latex and r"\bottomrule" in latex
    html = run("evaluate", *files, "-m", "AP", "--baseline", "weak", "--format", "html").stdout
    assert html.count("<b>") == 1 and html.count("<table>") == 1
    assert html.startswith('<!doctype html>\n<meta charset="utf-8">\n')  # else ± is for the browser to guess


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--baseline", "balance"), 'unknown run "balance"'),
        (("--baseline", "weak", "-q"), "--baseline and --letters go with means only"),
        (("--baseline", "weak", "--letters"), "--letters are for all pairs"),
        (("--letters", "--population", "min"), "--baseline and --letters go with means only"),
        (("--letters", "--test", "tt"), 'unknown test "tt"'),
        (("--sort", "APP"), 'unknown measure "APP"'),
        (("--sort", "AP", "-q"), "--sort goes without -q"),
        (("--sort", "AP", "--population", "min"), 'unknown measure "AP"'),
        (("--alpha", "0.01"), "are for --baseline and --letters"),
        (("--test", "sign"), "are for --baseline and --letters"),
        (("--correction", "none"), "are for --baseline and --letters"),
    ],
)
def test_bad_options_are_named(files, options, message):
    ended = run("evaluate", *files, "-m", "AP", *options)
    assert ended.returncode == 2 and message in ended.stderr


@pytest.mark.parametrize(("old", "new", "change"), [(-2, -1, 0.5), (-1, -2, -1), (4, 5, 0.25), (0, 1, math.nan)])
def test_change_is_positive_where_the_mean_is_larger(old, new, change):
    """(new - old) / |old|: from -2 to -1 is half of 2 more."""
    scores = tb.Utilities({"old": {"q": old, "r": old}, "new": {"q": new, "r": new}}).scores()
    assert {row.run: row.change for row in scores.against("old").rows()}["new"] == pytest.approx(change, nan_ok=True)


def test_digits_are_in_line_and_minus_signs_are_no_hyphens_in_latex():
    values = {"-1": (2, 2, 2.5), "a": (1, 1, 1.5), "b": (2, 2.5, 2.125)}
    table = tb.Utilities({run: dict(zip("qrs", some, strict=True)) for run, some in values.items()}).scores()
    rows = [line.split(" & ") for line in table.against("-1").to_latex(2).splitlines() if " & " in line]
    cells = {row[0]: (row[1], row[3]) for row in rows}  # 3.5/3 - 6.5/3 = -1 in every request; (3.5 - 6.5) / 6.5
    assert (
        cells["a"] == (r"1.17\textsuperscript{*}", r"$-46.2$\% \\")
        and cells["-1"][0] == r"2.17\phantom{\textsuperscript{*}}"
    )  # a name has a hyphen
    assert "2.17&nbsp;</td>" in table.against("-1").to_html(2) and "1.17*</td>" in table.against("-1").to_html(2)
    letters = table.against().to_latex(2)
    assert r"b & \textbf{2.21\textsuperscript{ab}} &" in letters
    assert r"a & 1.17\textsuperscript{b}\phantom{\textsuperscript{a}} &" in letters


def test_evaluate_sorts_its_means(files, scores):
    def order(*options):
        return re.findall(r"^ ([a-z-]+) +[0-9]", run("evaluate", *files, "-m", "AP nDCG@10", *options).stdout, re.M)

    by_measure = [[row.run for row in scores.summary(m).rows() if row.measure == m] for m in scores.measures]
    assert (order(), order("--sort", "nDCG@10")) == (by_measure[0], by_measure[1])
    assert order("--sort", "none") == [path.rsplit("/", 1)[1].removesuffix(".run") for path in files[1:]]


@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("AP nDCG@10", ["AP", "nDCG@10"]),
        ("  AP\t\nRR ", ["AP", "RR"]),
        ("RBP(p=0.9, rel=2)@10 AP", ["RBP(p=0.9, rel=2)@10", "AP"]),
        ("P.5, 10 AP", ["P.5, 10", "AP"]),
        ("AP (rel=2) nDCG @10 x = y", ["AP (rel=2)", "nDCG @10", "x = y"]),
        ("recall_level(exposure='a  b)') RR", ["recall_level(exposure='a  b)')", "RR"]),
        ("AP(", ["AP("]),
        ("", [""]),
    ],
)
def test_specs_are_separated_by_spaces(text, specs):
    assert split_specs(text) == specs


def test_python_takes_several_measures_in_one_text(exp):
    assert exp.evaluate("AP nDCG@10").measures == ("AP", "nDCG@10")
