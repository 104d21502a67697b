"""Gates: runs that get worse fail, others pass."""

import math
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import gate_simulation
import tiebreak as tb
from cli.running import run
from test_score_table import slow_holm
from tiebreak.errors import InputError

SIMULATION = tb.simulate(30, seed=3)
DOCS = Path(__file__).parent.parent / "docs" / "gates.md"


@pytest.fixture(scope="module")
def exp():
    return tb.Experiment(SIMULATION.judgements, SIMULATION.runs)


def utilities(**values):
    return tb.Utilities({run: {f"q{k}": v for k, v in enumerate(several)} for run, several in values.items()})


def slow_gate(values, baseline, margin=None, allow=None, alpha=0.05):
    """By SciPy's two-sided t-test of differences plus the margin, and Holm by hand: which runs pass."""
    shift = margin or allow or 0.0
    d = {run: np.array(v) - np.array(values[baseline]) + shift for run, v in values.items() if run != baseline}
    p = slow_holm({run: stats.ttest_1samp(x, 0).pvalue for run, x in d.items()})
    if margin is None:
        return {run: not (p[run] < alpha and d[run].mean() < 0) for run in d}
    return {run: p[run] < alpha and d[run].mean() > 0 for run in d}


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "how", [{}, {"margin": 0.05}, {"allow": 0.05}, {"margin": 0.0}, {"allow": 0.0}, {"margin": 0.3}]
)
@pytest.mark.parametrize("seed", range(5))
def test_verdicts_are_those_of_a_slow_version(how, seed):
    rng = np.random.default_rng(seed)
    base = rng.random(20)
    values = {"base": base} | {f"r{k}": base + rng.normal(c, 0.1, 20) for k, c in enumerate((-0.2, -0.06, 0, 0.06))}
    result = tb.gate(utilities(**{run: v.tolist() for run, v in values.items()}), baseline="base", **how)
    assert {row.run: row.passed for row in result.values} == slow_gate(values, "base", **how)
    assert result.passes == all(row.passed for row in result.values)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", ["RPP", "AP", "LexiRecall", "sign(AP)"])
@pytest.mark.parametrize("test", ["auto", "t", "sign", "wilcoxon", "permutation"])
def test_p_values_are_those_of_the_test_command(exp, measure, test):
    """One rule: the gate fails what `test` shows to be worse."""
    rows = exp.compare(measure, "balanced").test(test).pair_tests()
    result = tb.gate(exp, measure, "balanced", test=test)
    assert [row.pvalue_corrected for row in result.values] == [row.pvalue_corrected for row in rows]
    assert [(row.value, row.low, row.high) for row in result.values] == [(row.value, row.low, row.high) for row in rows]
    if test in ("auto", "t", "permutation"):
        assert [row.passed for row in result.values] == [not (r.pvalue_corrected < 0.05 and r.value < 0) for r in rows]
    assert not result.passes and "balanced" not in {row.run for row in result.values}


def test_slight_gains_do_not_hide_large_losses():
    """22 requests slightly better and 11 much worse: the sign test passes it, the t-test does not."""
    old, new = [0.5] * 33, [0.55] * 22 + [0.2] * 11
    table = utilities(old=old, new=new)
    assert 2 * sum(math.comb(33, k) for k in range(12)) / 2**33 > 0.05  # 11 or fewer of 33
    assert tb.gate(table, test="sign").passes
    (row,) = tb.gate(table).values
    assert not row.passed and row.pvalue_corrected < 0.05
    assert row.pvalue_corrected == pytest.approx(stats.ttest_rel(new, old).pvalue)


def test_margin_by_hand():
    # Differences -0.1, 0, -0.1, 0: mean -0.05, standard error 0.05 / sqrt(3); t of 3 degrees of freedom is 3.182.
    table = utilities(old=[0.5] * 4, new=[0.4, 0.5, 0.4, 0.5])
    half = 3.182446305284263 * 0.05 / math.sqrt(3)
    (row,) = tb.gate(table, margin=0.15).values
    assert (row.low, row.high) == pytest.approx((-0.05 - half, -0.05 + half))
    for margin in (0.14, 0.145):
        assert tb.gate(table, margin=margin).passes == (margin > 0.05 + half)
    assert tb.gate(table).passes and not tb.gate(table, margin=0.01).passes


def test_differences_that_are_just_the_margin_tie():
    """0.3 - 0.4 + 0.1 is not 0 in floats, but these are decimals."""
    table = utilities(old=[0.4, 0.7, 0.3] * 4, new=[0.3, 0.6, 0.2] * 4)
    (row,) = tb.gate(table, allow=0.1).values
    assert row.passed and row.pvalue_corrected == 1
    assert tb.gate(table, allow=0.1, test="sign").values[0].pvalue_corrected == 1
    assert not tb.gate(table, allow=0.0999).passes


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=15), st.integers(0, 10))
def test_a_better_run_never_fails_and_margins_are_monotone(pairs, margin):
    old, new = ([x / 20 for x in values] for values in zip(*pairs, strict=True))
    table = utilities(old=old, new=new)
    if all(x <= y for x, y in pairs):
        assert tb.gate(table).passes
    allowed = [tb.gate(table, allow=m / 20).passes for m in (0, margin, margin + 5)]
    assert allowed == sorted(allowed)  # what passes goes on passing
    shown = [tb.gate(table, margin=m / 20).passes for m in (margin, margin + 5)]
    assert shown == sorted(shown)
    if tb.gate(table, margin=0).passes:
        assert tb.gate(table).passes  # shown to be better


def test_groups_are_tested_and_corrected_together(exp):
    groups = {request: "ab"[k % 2] for k, request in enumerate(exp.positions.requests)}
    result = tb.gate(exp, "AP", "balanced", groups=groups)
    segments = exp.compare("AP", "balanced").by_group(groups).test()
    expected = [p for part in segments.parts.values() for p in part.pvalue_corrected.tolist()]
    assert [row.pvalue_corrected for row in result.values] == expected
    assert [row.group for row in result.values] == ["a"] * 6 + ["b"] * 6 + ["all"] * 6
    with pytest.raises(InputError, match=r'group "one": .* needs at least 2 requests.* Join it to another group'):
        tb.gate(exp, "AP", groups=groups | {exp.positions.requests[0]: "one"})


def test_groups_of_utilities_are_tested():
    values = {
        "old": {f"q{k}": 0.5 for k in range(12)},
        "new": {f"q{k}": 0.9 if k < 6 else 0.3 + k / 100 for k in range(12)},
    }
    groups = {f"q{k}": "ab"[k // 6] for k in range(12)}
    assert tb.gate(tb.Utilities(values)).passes
    result = tb.gate(tb.Utilities(values, groups=groups))
    assert [(row.group, row.passed) for row in result.values] == [("a", True), ("b", False), ("all", True)]


def test_groups_do_not_hide_a_loss_over_all_requests():
    """A loss that no small group shows."""
    rng = np.random.default_rng(1)
    old = rng.random(40)
    table = utilities(old=old.tolist(), new=(old - 0.06 + rng.normal(0, 0.1, 40)).tolist())
    groups = {f"q{k}": f"g{k % 10}" for k in range(40)}
    assert {row.group for row in tb.gate(table, groups=groups).values if not row.passed} == {"all"}


def test_kept_trials_count_once():
    """Trials of a request are not independent: tests are over requests, by their means."""
    values = {"old": 0.5, "new": 0.45}
    rows = [
        {"run": name, "request": q, "trial": t, "value": v + q / 20 * (name == "new")}
        for name, v in values.items()
        for q in range(4)
        for t in range(20)
    ]
    kept, means = (tb.Utilities(rows, trials=trials) for trials in ("keep", "mean"))
    assert [row[3:] for row in tb.gate(kept).rows()] == [row[3:] for row in tb.gate(means).rows()]
    assert tb.gate(kept).values[0].n_requests == 4
    with pytest.raises(InputError, match=r'takes no kept trials. Average them: trials="mean"'):
        tb.gate(kept, "leximin")
    groups = {q: "ab"[q % 2] for q in range(4)}
    kept, means = (tb.gate(tb.Utilities(rows, trials=trials, groups=groups)) for trials in ("keep", "mean"))
    assert kept.rows() == means.rows() and [row.n_requests for row in kept.values] == [2, 2, 4]


def test_detectable_difference_is_that_of_a_power_calculation(exp):
    (row, *_) = tb.gate(exp, "AP", "balanced").values
    d = exp.compare("AP", "balanced").deviation[0]
    n, level = 30, 0.05 / 6  # six runs

    def power(difference):
        noncentral = stats.nct(n - 1, difference / d * math.sqrt(n))
        critical = stats.t.ppf(1 - level / 2, n - 1)
        return noncentral.sf(critical) + noncentral.cdf(-critical)

    assert power(row.detectable) == pytest.approx(0.8, abs=1e-6)
    assert math.isnan(tb.gate(exp, "min(AP)", "balanced", permutations=9).values[0].detectable)


def test_several_baselines_are_not_tested_against_each_other(exp):
    result = tb.gate(exp, "AP", ["balanced", "deep"])
    assert {(row.run, row.other) for row in result.values} == {
        (run, other) for run in SIMULATION.runs for other in ("balanced", "deep") if run not in ("balanced", "deep")
    }


def test_several_measures_each_have_their_own_correction(exp):
    result = tb.gate(exp, "AP leximin(AP)", "balanced", permutations=None)
    assert [row.measure for row in result.values] == ["AP"] * 6 + ["leximin(AP)"] * 6
    assert tb.gate(exp, ["AP", tb.metric("RR")], "weak").values[-1].measure == "RR"
    assert [row.measure for row in tb.gate(exp).values] == ["RPP"] * 6
    mean = tb.gate(exp, "mean(AP)", "balanced")
    assert [row[4:] for row in mean.values] == [row[4:] for row in result.values[:6]]


def test_equal_runs_have_no_detectable_difference_to_tell():
    """All differences are 0: so is their deviation, and that says nothing about other requests."""
    scores = {"old": {"q": 0.5, "r": 0.25}, "new": {"q": 0.5, "r": 0.25}}
    (sentence,) = tb.gate(tb.Utilities(scores), baseline="old").sentences()
    assert sentence.endswith("0.0000, 95% interval 0.0000 to 0.0000, p = 1.000.")


def test_reports_say_why():
    result = tb.gate(
        utilities(old=[0.5, 0.6, 0.7, 0.6] * 3, new=[0.4, 0.4, 0.6, 0.3] * 3, good=[0.6, 0.5, 0.7, 0.6] * 3)
    )
    fail, ok = result.sentences()
    assert fail.startswith('FAIL "new" is worse than "old" by mean: -0.1750, 95% interval -0.2') and "p < 0.001" in fail
    assert (
        ok.startswith('pass "good" was not shown to be worse than "old" by mean: 0.0000') and "12 requests show a" in ok
    )
    assert [*result.sentences(failures_only=True)] == [fail]
    suite = ElementTree.fromstring(result.to_junit().encode())[0]
    assert [len(case.findall("failure")) for case in suite] == [1, 0]
    assert result.to_summary().startswith('### Gate failed: "new"\n\n| run |') and "**FAIL**" in result.to_summary()
    assert result.to_frame().shape[0] == 2 and "margin" not in result.columns


def test_hostile_names_do_no_harm_in_reports():
    name = '<x a="b">&\x00\x1b]]>\n# title'
    result = tb.gate(utilities(old=[0.5] * 6, **{name: [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]}))
    case = ElementTree.fromstring(result.to_junit().encode())[0][0]
    assert case.get("name").startswith('<x a="b">&') and "\x1b" not in result.to_junit()
    assert "\n# title" not in result.to_summary() and "<x" not in result.to_summary().replace("\\<x", "")


def test_assertion_shows_what_failed(exp):
    assert tb.assert_not_worse(exp, "AP", "random").passes
    with pytest.raises(AssertionError, match='FAIL "weak" is worse than "balanced" by AP'):
        tb.assert_not_worse(exp, "AP", "balanced")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"margin": 0.1, "allow": 0.1}, "Give one of them"),
        ({"margin": -0.1}, "margin=-0.1"),
        ({"allow": math.nan}, "allow=nan"),
        ({"alpha": 1}, "alpha=1"),
        ({"test": "hsd"}, "a gate takes no hsd"),
        ({"test": "tt"}, 'unknown test "tt"'),
        ({"correction": "none at all"}, "unknown value for correction"),
        ({"baseline": "x"}, 'unknown run "x"'),
        ({"baseline": ["old", "new"]}, "nothing to test"),
        ({"measures": []}, "no measure was given"),
        ({"measures": ["mean", "mean"]}, "twice"),
        ({"measures": "AP"}, 'unknown population "AP"'),
        ({"measures": "min", "margin": 0.1}, "without a margin"),
        ({"measures": "min", "permutations": "all"}, "permutations='all'"),
        ({"measures": "leximin(digits=2)"}, "has no test of two runs"),
        ({"permutations": 10}, "t takes no permutations"),
    ],
)
def test_bad_input_is_named(how, message):
    with pytest.raises(InputError, match=message):
        tb.gate(utilities(old=[0.5, 0.6], new=[0.4, 0.2]), **how)


def test_weights_and_single_runs_are_refused():
    with pytest.raises(InputError, match="takes no weights"):
        tb.gate(tb.Utilities({"a": {"q": 1}, "b": {"q": 0}}, weights={"q": 2}))
    with pytest.raises(InputError, match="two runs"):
        tb.gate(utilities(old=[1, 2]))


def test_unchanged_releases_rarely_fail():
    """A quick look; all cases are in the slow test below."""
    failing, low, _ = gate_simulation.share("fail", 40, releases=200, seed=1)
    assert low < 0.025 and failing <= 0.06
    assert gate_simulation.share("fail", 40, -0.1, releases=50, seed=1)[0] > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no change", "0.03 worse, `--margin 0.03`"])
def test_calibration_is_as_documented(name):
    """2,000 releases each, of 50 requests; `make calibration` prints the whole table, in about ten minutes."""
    documented = {name: cell for name, _, cell, _ in simulated_rows()}
    value, low, high = gate_simulation.shares(name, 50)
    assert documented[name] == gate_simulation.cell(value, low, high)
    assert high < 0.05


def test_no_documented_rate_of_errors_is_beyond_its_nominal_rate():
    rows = {name: cells for name, _, *cells in simulated_rows()}
    errors = [name for name in gate_simulation.CASES if gate_simulation.is_error(name)]
    assert len(errors) == 7
    for name in errors:
        for cell in rows[name]:
            assert float(cell.split("%")[0]) <= 5, (name, cell)


def simulated_rows():
    """The cells of every row of the table of simulated releases."""
    table = DOCS.read_text(encoding="utf-8").partition("| release and gate |")[2]
    lines = (line.strip("|").split("|") for line in table.splitlines()[2:] if line.startswith("|"))
    return [[cell.strip() for cell in line] for line in lines]


def test_documented_commands_and_code_run(tmp_path, monkeypatch):
    text = DOCS.read_text(encoding="utf-8")
    requests = [f"q{k}" for k in range(12)]
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n" for q in requests))
    for name, items in (("old", "ax"), ("new", "ax")):
        lines = (f"{q} 0 {item} {k} {9 - k}\n" for q in requests for k, item in enumerate(items))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "languages.csv").write_text(
        "request,group\n" + "".join(f"{q},{'ab'[k % 2]}\n" for k, q in enumerate(requests))
    )
    values = "".join(f"{run},{q},{k}\n" for run in ("old", "new") for k, q in enumerate(requests))
    (tmp_path / "scores.csv").write_text("run,request,value\n" + values)
    for name in ("old", "new"):
        lines = (f'{{"request": "{q}", "seed": {seed}, "acc": {seed}}}\n' for q in requests for seed in (0, 1))
        (tmp_path / f"{name}.jsonl").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    calls = [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("tiebreak ")]
    # A run that never differs is shown to be no more than 0.01 worse: all differences plus 0.01 are equal.
    assert [run(*call).returncode for call in calls] == [0] * 7
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    names = {}
    exec(code, names)
    names["test_release"]()
