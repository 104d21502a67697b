"""What every test and every correction of the catalogues must do, and impostors that must fail.

A new test joins by its line in the catalogue and a slow twin in `TWINS`; a new correction likewise.
"""

from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from typing import ClassVar

import numpy as np
import pytest
import scipy.stats

from contracts import breaks, slow_twin
from significance import slow
from significance.cases import noise, pair, utilities
from tiebreak.significance import CATALOGUE, CORRECTIONS, statistical_test
from tiebreak.significance.base import Outcome, RandomisationTest, Test
from tiebreak.significance.classic import TTest
from tiebreak.significance.corrections import FUNCTIONS


def student(differences):
    return scipy.stats.ttest_1samp(np.array(differences, dtype=float), 0).pvalue


TWINS = {
    "t": student,
    "sign": slow.sign_test,
    "wilcoxon": slow.wilcoxon,
    "permutation": slow.sign_flip,
    "bootstrap": slow.bootstrap,
    "hsd": lambda differences: slow.hsd_of_values([[d, 0] for d in differences])[0],
    "tukey": student,  # of two runs the studentised range is t
}
"""Of two runs: differences -> p-value."""


def few(test, draws=199):
    """The same test with few draws, if it draws."""
    return replace(test, permutations=draws) if isinstance(test, RandomisationTest) else test


def fixed(seed=5, requests=12, runs=3):
    """Values [request, run] in sixteenths, so that sums, shifts and scales are exact; the first run is better."""
    table = np.round(noise(np.random.default_rng(seed), runs, requests, topics=1.0) * 16) / 16
    return table + np.array([1.0, *[0.0] * (runs - 1)])


@cache
def fixed_result(test):
    """Of few draws of the fixed table."""
    return utilities(fixed()).test(few(test))


@cache
def null_tables(tables=150, requests=40):
    """Utilities of two runs of which neither is better."""
    rng = np.random.default_rng(7)
    return [utilities(noise(rng, 2, requests)) for _ in range(tables)]


@cache
def null_pvalues(test):
    """Of the tables without a difference, each with draws of its own."""
    seeds = [{"seed": seed} if isinstance(test, RandomisationTest) else {} for seed in range(len(null_tables()))]
    return np.array(
        [table.test(replace(few(test), **seed)).pvalue[0] for table, seed in zip(null_tables(), seeds, strict=True)]
    )


# Contracts of a test


def does_not_find_what_is_not_there(test):
    p = null_pvalues(test)
    for alpha in (0.05, 0.2, 0.5):
        assert (p < alpha).mean() <= alpha + 4 * sqrt(alpha * (1 - alpha) / len(p)), alpha


def spreads_its_pvalues_where_nothing_is_there(test):
    p = null_pvalues(test)
    assert (p < 0.5).mean() > 0.3 and (p > 0.5).mean() > 0.3
    assert len(set(p.tolist())) > 5


def finds_a_clear_difference(test):
    table = noise(np.random.default_rng(3), 3, 40) + np.array([3.0, 0.0, 0.0])
    result = utilities(table).test(few(test, 1999))
    clear, also_clear, none = result.pvalue.tolist()
    assert max(clear, also_clear) < 0.005 and none > 0.05


def finds_a_larger_difference_no_harder(test):
    table = noise(np.random.default_rng(4), 2, 20)
    p = [utilities(table + np.array([shift, 0.0])).test(few(test)).pvalue[0] for shift in (0.5, 1.0, 2.0, 4.0)]
    assert p == sorted(p, reverse=True) and p[0] > p[-1]


def is_symmetric_in_the_pair(test):
    table = fixed()
    there = fixed_result(test).between("run0", "run1")
    back = utilities(table[:, ::-1], ["run2", "run1", "run0"]).test(few(test)).between("run1", "run0")
    assert (back.pvalue, back.pvalue_corrected) == (there.pvalue, there.pvalue_corrected)
    assert back.statistic == pytest.approx(-there.statistic if test.is_signed else there.statistic, rel=1e-12)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), rel=1e-9)


def does_not_depend_on_the_order_of_runs_and_requests(test):
    table = fixed()
    rng = np.random.default_rng(1)
    columns, rows = rng.permutation(table.shape[1]), rng.permutation(len(table))
    moved = {f"run{r}": {f"q{q}": float(table[q, r]) for q in rows} for r in columns}
    before, after = fixed_result(test), type(utilities(table))(moved).test(few(test))
    for x, y in (("run0", "run1"), ("run0", "run2"), ("run1", "run2")):
        assert before.between(x, y).pvalue == after.between(x, y).pvalue


def does_not_depend_on_the_unit_or_the_level_of_a_request(test):
    table = fixed()
    level = np.arange(len(table))[:, None] / 4
    before, after = fixed_result(test), utilities(4 * table + level).test(few(test))
    assert after.pvalue.tolist() == pytest.approx(before.pvalue.tolist(), rel=1e-9)
    low, high = (4 * end for end in before.outcome[2:])
    assert after.outcome.low.tolist() == pytest.approx(low.tolist(), rel=1e-9)
    assert after.outcome.high.tolist() == pytest.approx(high.tolist(), rel=1e-9)


def finds_identical_runs_alike(test):
    table = fixed()
    result = utilities(np.column_stack([table, table[:, 0]])).test(few(test)).between("run0", "run3")
    assert (result.pvalue, result.statistic, result.value) == (1, 0, 0)


def has_an_interval_around_the_mean_that_narrows_with_alpha(test):
    wide, narrow = (utilities(fixed(requests=20)).test(few(test, 999), alpha=alpha) for alpha in (0.02, 0.2))
    for row, inner in zip(wide.pair_tests(), narrow.pair_tests(), strict=True):
        assert row.low < inner.low < row.value < inner.high < row.high


def prints_as_the_spec_that_makes_it(test):
    specs = [test, replace(test, permutations=77, seed=5)] if isinstance(test, RandomisationTest) else [test]
    assert [statistical_test(str(spec)) for spec in specs] == specs


def says_what_it_is(test):
    assert test.words and (type(test).__doc__ or "").strip()
    result = fixed_result(test)
    assert test.words in result.description and result.settings["test"] == test.name


def agrees_with_its_slow_twin(test):
    twin = slow_twin(TWINS, test.name, "TWINS of tests/significance/test_contracts.py")
    for seed in (1, 2, 3):
        differences = [float(d) for d in np.round(np.random.default_rng(seed).normal(0.6, 1, 5), 3)]
        p = float(pair(differences).test(test).pvalue[0])
        # Draws of a randomisation test are off by so much; it counts what was observed as one more.
        allowed = 5 * sqrt(0.25 / 10_000) if isinstance(test, RandomisationTest) else 1e-9
        assert p == pytest.approx(float(twin(differences)), abs=allowed)


CONTRACTS = [
    does_not_find_what_is_not_there,
    spreads_its_pvalues_where_nothing_is_there,
    finds_a_clear_difference,
    finds_a_larger_difference_no_harder,
    is_symmetric_in_the_pair,
    does_not_depend_on_the_order_of_runs_and_requests,
    does_not_depend_on_the_unit_or_the_level_of_a_request,
    finds_identical_runs_alike,
    has_an_interval_around_the_mean_that_narrows_with_alpha,
    prints_as_the_spec_that_makes_it,
    says_what_it_is,
    agrees_with_its_slow_twin,
]


# Of many tables: SciPy integrates a studentised range for each, and a bootstrap has draws of its own.
SLOW = {
    (name, contract)
    for name in ("tukey", "bootstrap")
    for contract in (does_not_find_what_is_not_there, spreads_its_pvalues_where_nothing_is_there)
}


@pytest.mark.parametrize(
    ("name", "contract"),
    [
        pytest.param(name, contract, marks=[pytest.mark.slow] if (name, contract) in SLOW else [])
        for name in CATALOGUE
        for contract in CONTRACTS
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_test_keeps_the_contract(name, contract):
    assert CATALOGUE[name].name == name
    contract(CATALOGUE[name]())


# Impostors


@dataclass(frozen=True)
class AlwaysOne(TTest):
    """Nothing is ever significant."""

    constant: ClassVar[float] = 1.0

    def run(self, paired, alpha, jobs, tick):
        return super().run(paired, alpha, jobs, tick)._replace(pvalue=np.full(len(paired.pairs), self.constant))


@dataclass(frozen=True)
class AlwaysZero(AlwaysOne):
    """Everything is significant."""

    constant: ClassVar[float] = 0.0


@dataclass(frozen=True)
class Uniform(Test):
    """A p-value out of thin air."""

    name: ClassVar[str] = "t"
    words: ClassVar[str] = "a die"

    def run(self, paired, alpha, jobs, tick):
        p = np.random.default_rng(abs(hash(paired.values.tobytes()))).random(len(paired.pairs))
        return Outcome(paired.mean.copy(), p, *paired.student_interval(alpha))


@dataclass(frozen=True)
class OneSided(TTest):
    """Finds only what the first run is better in."""

    def run(self, paired, alpha, jobs, tick):
        outcome = super().run(paired, alpha, jobs, tick)
        return outcome._replace(pvalue=np.where(outcome.statistic > 0, outcome.pvalue / 2, 1 - outcome.pvalue / 2))


@dataclass(frozen=True)
class Unpaired(TTest):
    """Student's t of half the deviation: too sure of itself."""

    def run(self, paired, alpha, jobs, tick):
        outcome = super().run(paired, alpha, jobs, tick)
        return outcome._replace(pvalue=2 * scipy.stats.t.sf(2 * abs(outcome.statistic), paired.n_requests - 1))


@dataclass(frozen=True)
class OneRequest(TTest):
    """Looks at the first half of the requests."""

    def run(self, paired, alpha, jobs, tick):
        half = paired.values[:, : paired.n_requests // 2]
        p = scipy.stats.ttest_1samp(half, 0, axis=1).pvalue
        return super().run(paired, alpha, jobs, tick)._replace(pvalue=np.nan_to_num(p, nan=1.0))


@pytest.mark.parametrize(
    ("impostor", "promise"),
    [
        (AlwaysOne, finds_a_clear_difference),
        (AlwaysZero, does_not_find_what_is_not_there),
        (Uniform, finds_a_clear_difference),
        (OneSided, is_symmetric_in_the_pair),
        (Unpaired, does_not_find_what_is_not_there),
        (OneRequest, agrees_with_its_slow_twin),
    ],
)
def test_an_impostor_breaks_the_contract(impostor, promise):
    assert promise in CONTRACTS and breaks(promise, impostor())


# Contracts of a correction

FAMILY = np.array([0.2, 0.001, 0.04, 0.9, 0.001, 0.5])


def is_never_below_the_pvalue_nor_above_one(correct):
    corrected = correct(FAMILY)
    assert (corrected >= FAMILY).all() and (corrected <= 1).all()


def keeps_the_order_of_pvalues_and_their_ties(correct):
    corrected = correct(FAMILY)
    assert (np.diff(corrected[np.argsort(FAMILY, kind="stable")]) >= 0).all()
    assert corrected[1] == corrected[4]


def belongs_to_the_pvalue_not_to_its_place(correct):
    order = np.random.default_rng(2).permutation(len(FAMILY))
    assert correct(FAMILY[order]).tolist() == correct(FAMILY)[order].tolist()


def leaves_a_single_pvalue_alone(correct):
    assert correct(np.array([0.03])).tolist() == [0.03]


def still_finds_a_clear_difference(correct):
    assert correct(np.array([1e-6, *np.linspace(0.1, 1, 30)]))[0] < 0.05


def finds_hardly_anything_where_nothing_is_there(correct):
    families = np.random.default_rng(3).random((1000, 15))
    actual = np.mean([(correct(family) < 0.1).any() for family in families])
    assert actual <= 0.1 + 4 * sqrt(0.09 / 1000)


CORRECTION_CONTRACTS = [
    is_never_below_the_pvalue_nor_above_one,
    keeps_the_order_of_pvalues_and_their_ties,
    belongs_to_the_pvalue_not_to_its_place,
    leaves_a_single_pvalue_alone,
    still_finds_a_clear_difference,
    finds_hardly_anything_where_nothing_is_there,
]


def capped(name):
    return lambda p: np.minimum(FUNCTIONS[name](p), 1.0)


def test_every_correction_has_a_name_in_a_sentence_and_a_function():
    assert list(FUNCTIONS) == list(CORRECTIONS)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_every_correction_keeps_the_contract(name):
    contracts = [
        c for c in CORRECTION_CONTRACTS if name != "none" or c is not finds_hardly_anything_where_nothing_is_there
    ]
    for contract in contracts:
        contract(capped(name))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_every_correction_agrees_with_its_slow_twin_and_is_named(name):
    twin = slow_twin(slow.CORRECTIONS, name, "CORRECTIONS of tests/significance/slow.py")
    expected = [float(p) for p in twin(FAMILY.tolist())]
    assert np.minimum(FUNCTIONS[name](FAMILY), 1).tolist() == pytest.approx(expected, rel=1e-12)
    assert CORRECTIONS[name] in utilities(fixed()).test("t", correction=name).description or name == "none"


@pytest.mark.parametrize(
    ("impostor", "promise"),
    [
        (lambda p: p, finds_hardly_anything_where_nothing_is_there),
        (np.ones_like, still_finds_a_clear_difference),
        (np.zeros_like, is_never_below_the_pvalue_nor_above_one),
        (lambda p: np.minimum(p * np.arange(1, len(p) + 1), 1), belongs_to_the_pvalue_not_to_its_place),
    ],
)
def test_an_impostor_of_a_correction_breaks_the_contract(impostor, promise):
    assert promise in CORRECTION_CONTRACTS and breaks(promise, impostor)
