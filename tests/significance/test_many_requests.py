"""Tests of many requests: nothing overflows, is rounded away or held at once, and nothing depends on blocks."""

import importlib
import json
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from significance import slow
from significance.cases import matrix, noise, outcome_of, pair, pair_values, utilities
from tiebreak._base import visits
from tiebreak._kernels import largest_differences
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs, PairValues, pair_totals
from tiebreak.preferences import pair_values as pair_values_module
from tiebreak.significance import CATALOGUE, base, bootstrap, permutation, significance
from tiebreak.significance import whole_numbers as whole_numbers_module
from tiebreak.significance.hsd import shuffle_rows
from tiebreak.significance.whole_numbers import FLOAT_SUMS, INTEGER_SUMS, bits_held, whole_numbers

LIKELY = 5  # standard errors


def of_two(values, denominator=None, **how):
    """What tests see of two runs with these values, which are whole numbers over the denominators if there are any."""
    two = pair_values(ExactValues.from_floats(values[None]), **how)
    if denominator is None:
        return two
    return replace(two, numerator=np.rint(two.values * denominator).astype(int), denominator=denominator, exact=None)


def of_fractions(fractions):
    """What tests see of two runs with these values, as whole numbers over their denominators."""
    return of_two(np.array([*map(float, fractions)]), np.array([value.denominator for value in fractions]))


def thirds_and_fifths(n, z):
    """Values over denominators whose mean is z standard errors from 0, and the denominators."""
    denominator = np.resize([3, 5, 5], n)
    numerator = np.random.default_rng(n).integers(-2, 3, n)
    values = numerator / denominator
    surplus = round((z * values.std() / np.sqrt(n) - values.mean()) * n * 3)
    places = np.flatnonzero((denominator == 3) & (np.abs(numerator + np.sign(surplus)) <= 3))[: abs(surplus)]
    numerator[places] += np.sign(surplus)
    return numerator / denominator, denominator


@pytest.mark.parametrize("n", [1000, pytest.param(200_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_whole", [True, False])
def test_hsd_of_two_preferences_agrees_with_t_and_sign_flips(n, is_whole):
    values, denominator = thirds_and_fifths(n, 2.5)
    two = of_two(values, denominator=denominator if is_whole else None)
    assert shuffle_rows(two).kind == "preferences"
    draws = 400
    expected = significance("x", two, "t").pvalue[0]
    error = LIKELY * np.sqrt(expected * (1 - expected) / draws) + 1 / draws
    for test in ("hsd", "permutation"):
        assert significance("x", two, test, permutations=draws).pvalue[0] == pytest.approx(
            expected, rel=0, abs=error
        ), test


def test_whole_preferences_are_shuffled_exactly():
    values, denominator = thirds_and_fifths(1000, 1)
    rows = shuffle_rows(of_two(values, denominator=denominator))
    assert rows.unit == Fraction(1, 15) and rows.numbers.dtype == np.int32
    assert rows.observed.tolist() == [abs(round(sum(Fraction(v).limit_denominator(5) for v in values) * 15))]


# 1/a and 1/b apart: x - y is 1 / (a b), less than what rounding leaves of sums.
A, B = 1_000_003, 999_983
NEARLY = [Fraction(pow(B, -1, A), A), -Fraction((pow(B, -1, A) * B - 1) // A, B), Fraction(1)]


@pytest.mark.parametrize(("test", "exact"), [("permutation", slow.sign_flip), ("hsd", None)])
def test_sums_of_whole_preferences_that_nearly_agree_are_told_apart(test, exact):
    assert NEARLY[0] + NEARLY[1] == Fraction(1, A * B)
    matrices = [matrix([value], 2) for value in NEARLY]
    expected = exact(NEARLY) if exact else slow.hsd_of_preferences(matrices)[0]
    assert significance("x", of_fractions(NEARLY), test, permutations="all").pvalue[0] == float(expected)
    assert outcome_of(matrices, test, permutations="all").pvalue[0] == float(expected)


@pytest.mark.parametrize("below", [FLOAT_SUMS, INTEGER_SUMS])
@pytest.mark.parametrize("n", [1, 2, 3, 1023, 1024, 10**6, 2**22, 2**23, 10**9])
def test_sums_of_rounded_numbers_stay_exact_however_many(n, below):
    assert 2 ** bits_held(n, below) * n < below


@pytest.mark.parametrize("below", [FLOAT_SUMS, INTEGER_SUMS])
@pytest.mark.parametrize("denominator", [None, 1, 2**40, 2**51, 2**52])
def test_sums_of_whole_numbers_stay_exact(denominator, below):
    values = np.full((1, 3000), 1.0)
    actual = whole_numbers(values, None if denominator is None else np.full(3000, denominator), below)
    exact = sum(map(int, actual.numbers[0].tolist()))
    assert actual.numbers.sum() == exact < below
    assert exact * actual.unit[0, 0] == 3000
    assert (actual.slack[0] == 0) == (denominator is not None and denominator * 3000 < below and denominator < 2**52)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_blocks_of_draws_and_requests_change_nothing(test, monkeypatch):
    result = utilities(noise(np.random.default_rng(3), runs=4, requests=50))
    whole = [part.tolist() for part in result.test(test, permutations=300).outcome]
    monkeypatch.setattr(permutation, "DRAWS_AT_ONCE", 7)
    monkeypatch.setattr(permutation, "REQUESTS_AT_ONCE", 3)
    monkeypatch.setattr(bootstrap, "DRAWS_AT_ONCE", 7)
    monkeypatch.setattr(bootstrap, "COUNTS_AT_ONCE", 60)
    monkeypatch.setattr(bootstrap, "SUMS_AT_ONCE", 600)
    monkeypatch.setattr(pair_values_module, "NUMBERS_AT_ONCE", 60)
    assert [part.tolist() for part in result.test(test, permutations=300).outcome] == whole


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
@pytest.mark.parametrize("alternative", ["two-sided", "less"])
@pytest.mark.parametrize("unit", [2, 3, 10**15], ids=["halves", "thirds", "many digits"])
def test_blocks_of_pairs_change_nothing(test, alternative, unit, monkeypatch):
    result = utilities(np.random.default_rng(3).integers(0, 2 * unit, size=(9, 5)) / unit)
    how = {"permutations": 300, "alternative": alternative}
    whole, ticks = [part.tolist() for part in result.test(test, **how).outcome], []
    monkeypatch.setattr(base, "VALUES_AT_ONCE", 1)
    monkeypatch.setattr(base, "FEWEST_PAIRS", 3)
    blocks = result.test(test, **how, tick=lambda done, total: ticks.append(done / total))
    assert [part.tolist() for part in blocks.outcome] == whole
    assert ticks == sorted(ticks)
    assert len(set(ticks)) > 3


def preferences_of(runs, requests, **how):
    """What tests see of so many runs whose values are thirds, or signs, with ties and circles."""
    rng, pairs = np.random.default_rng(5), Pairs.all(runs)
    numerator = rng.integers(-1, 2, size=(len(pairs), requests)).astype(np.int8)
    denominator = np.where(rng.random(requests) < 0.5, 3, 1) if not how else np.ones(requests, dtype=np.int64)
    names = Ids.from_names(f"q{q}" for q in rng.permutation(requests).tolist())
    return PairValues(tuple(f"run{r}" for r in range(runs))[::-1], names, pairs, numerator, denominator, **how)


def ranked_runs(runs, requests):
    values = np.random.default_rng(6).integers(0, 4, size=(runs, requests))
    pairs = Pairs.all(runs)
    signs = np.sign(values[pairs.x] - values[pairs.y])
    return replace(preferences_of(runs, requests, is_sign=True), numerator=signs)


def differences_of(runs, requests, unit):
    values = np.random.default_rng(7).integers(0, 3 * unit, size=(runs, requests)) / unit
    return PairValues.differences(preferences_of(runs, requests), Pairs.all(runs), ExactValues.from_floats(values))


SHUFFLED = {
    "preferences": lambda *size: preferences_of(*size),
    "circles of signs": lambda *size: preferences_of(*size, is_sign=True),
    "ranks": ranked_runs,
    "values": lambda *size: differences_of(*size, 8),
    "rounded values": lambda *size: differences_of(*size, 10**15),
}


@pytest.mark.parametrize("kind", SHUFFLED)
def test_hsd_of_blocks_is_that_of_all_requests_at_once(kind, monkeypatch):
    values, ticks = SHUFFLED[kind](5, 40), []
    rows = shuffle_rows(values.by_name())
    largest = largest_differences(rows.kind, rows.numbers.ravel(), 5, (4, 0, 150), 2)
    whole = significance("x", values, "hsd", permutations=150, seed=4)
    if not rows.slack:
        reached = (largest[:, None] >= np.abs(rows.observed)).sum(axis=0)
        assert whole.pvalue.tolist() == ((1 + reached) / 151).tolist()
    monkeypatch.setattr(pair_totals, "CELLS_AT_ONCE", 30)
    monkeypatch.setattr(visits, "MOST_SUMS", 1000)
    blocks = significance("x", values, "hsd", permutations=150, seed=4, tick=lambda *done: ticks.append(done))
    assert [part.tolist() for part in blocks.outcome] == [part.tolist() for part in whole.outcome]
    if "values" not in kind and kind != "ranks":
        assert ticks == sorted(ticks) and {total for _, total in ticks} == {150} and len(set(ticks)) > 30


@pytest.mark.parametrize("kind", ["preferences", "values", "rounded values"])
def test_hsd_decides_exactly_what_coarse_numbers_leave_undecided(kind, monkeypatch):
    values = SHUFFLED[kind](4, 9)
    expected = significance("x", values, "hsd", permutations=60).pvalue.tolist()
    monkeypatch.setattr(whole_numbers_module, "MOST_BITS", 3)
    monkeypatch.setattr(whole_numbers_module, "MOST_DISTINCT", 1)
    assert significance("x", values, "hsd", permutations=60).pvalue.tolist() == expected


@pytest.mark.parametrize("kind", SHUFFLED)
def test_hsd_holds_no_other_table_of_all_pairs(kind, core, monkeypatch):
    values = SHUFFLED[kind](60, 600)
    for known in ("mean", "deviation", "win_tie_loss"):
        getattr(values, known)
    monkeypatch.setattr(pair_totals, "CELLS_AT_ONCE", 1 << 14)
    tracemalloc.start()
    significance("x", values, "hsd", permutations=2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.6 * 8 * values.numerator.size


# Not by getrusage: that of a child begins with what its parent holds.
MEASURED = r"""
import json, re, sys
import numpy as np
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs, PairValues
from tiebreak.significance import significance

test, n, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pairs = Pairs.all(runs)
exact = ExactValues.from_floats(np.random.default_rng(1).normal(size=(len(pairs), n)))
names, ones = tuple(f"run{r}" for r in range(runs)), np.ones(n, dtype=np.int64)
made = PairValues(names, Ids.from_names(range(n)), pairs, exact.nearest, ones, exact)
significance("x", made, test, permutations=300)
print(json.dumps(1024 * int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1])))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other units")
@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_million_requests_take_less_than_a_gigabyte(test):
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, test, "1000000", "4"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) < 10**9


# Ranks


def test_wilcoxon_counts_what_differs_by_little():
    differences = [3.0, 2.0, -1.0, 5.0, 1e-10, -1e-14, 4.0, 2.5]
    assert pair(differences).test("wilcoxon").pvalue[0] == scipy.stats.wilcoxon(differences).pvalue


def test_wilcoxon_ranks_whole_preferences_as_they_are():
    nearly = [value for value in NEARLY for _ in range(4)]
    actual = significance("x", of_fractions(nearly), "wilcoxon")
    ranks = scipy.stats.rankdata(
        [{abs(value): place for place, value in enumerate(sorted(map(abs, nearly)))}[abs(v)] for v in nearly]
    )
    # Four of each, 1 to 4, 5 to 8 and 9 to 12 shared: the smaller of the sums of both signs.
    won = sum(rank for rank, value in zip(ranks, nearly, strict=True) if value > 0)
    assert actual.outcome.statistic[0] == min(won, ranks.sum() - won)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
@pytest.mark.parametrize("n", [100, 100_000])
def test_classic_tests_of_many_requests_are_those_of_scipy(test, n):
    # Few distinct sizes: groups of tied ranks whose cubes need 50 bits.
    values = np.random.default_rng(n).integers(-2, 4, n) / 4 - 0.125 * (np.arange(n) % 2)
    values = values - np.round(values.mean() * 0.99 * 64) / 64
    won, lost = (values > 0).sum(), (values < 0).sum()
    expected = {
        "t": lambda: scipy.stats.ttest_1samp(values, 0).pvalue,
        "wilcoxon": lambda: scipy.stats.wilcoxon(values[values != 0]).pvalue,
        "sign": lambda: scipy.stats.binomtest(int(won), int(won + lost)).pvalue,
    }[test]()
    assert significance("x", of_two(values, is_difference=True), test).pvalue[0] == pytest.approx(expected, rel=1e-9)


def test_sign_test_of_many_requests_has_twelve_digits():
    # 4,900 wins of 10,000: the rarer side's ways are C(n, 4900) + C(n, 4899) + ..., of 2^n.
    wins, losses = 4900, 5100
    ways = [comb(wins + losses, wins)]
    for k in range(wins, wins - 1000, -1):
        ways.append(ways[-1] * k // (losses + wins - k + 1))
    expected = float(Fraction(2 * sum(ways), 2 ** (wins + losses)))
    actual = significance("x", of_two(np.repeat([1.0, -1.0], [wins, losses]), is_sign=True), "sign")
    assert actual.pvalue[0] == pytest.approx(expected, rel=1e-12, abs=0)


# Beside SciPy and plain NumPy

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "p_values.py"


@pytest.fixture(scope="module")
def p_values():
    """The script that writes the table for up to a million requests."""
    if not SCRIPT.exists():
        pytest.skip("there is no folder of benchmarks")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        return importlib.import_module(SCRIPT.stem)


@pytest.mark.parametrize("n", [100, 1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_p_values_agree_with_other_versions(p_values, n):
    rows = list(p_values.rows(n, draws=200))
    assert {"t", "sign", "wilcoxon", "permutation", "hsd"} <= {row.test.split()[0] for row in rows} <= {*CATALOGUE}
    assert [row for row in rows if not row.agrees] == []
