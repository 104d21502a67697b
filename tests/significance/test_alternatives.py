"""One-sided tests: against slow twins, against SciPy, and what follows from their definition."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

import tiebreak as tb
from significance import slow
from significance.cases import eighths, few_draws, pair
from tiebreak.significance import CATALOGUE, statistical_test

DIRECTED = [name for name in CATALOGUE if CATALOGUE[name].is_directed]
ALL = {"permutation": {"permutations": "all"}}
some = st.lists(eighths, min_size=2, max_size=7)


def pvalue(differences, test, alternative, **how):
    (p,) = pair(differences).test(test, alternative=alternative, correction="none", **how).pvalue.tolist()
    return p


# Slow twins: the chance of being as far to one side as what was observed


def slow_sign(differences, alternative):
    wins, losses = slow.wins_and_losses(differences)
    n, least = wins + losses, wins if alternative == "greater" else losses
    return Fraction(sum(comb(n, k) for k in range(least, n + 1)), 2**n)


def slow_permutation(differences, alternative):
    side = 1 if alternative == "greater" else -1
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(side * total >= side * sum(differences) for total in sums), len(sums))


def slow_wilcoxon(differences, alternative):
    """All signs of the ranks of what is not 0; equal sizes share their mean rank."""
    side = 1 if alternative == "greater" else -1
    sizes = sorted(abs(d) for d in differences if d)
    rank = {x: Fraction(sum(k for k, y in enumerate(sizes, 1) if y == x), sizes.count(x)) for x in sizes}
    seen = sum((rank[abs(d)] for d in differences if side * d > 0), Fraction(0))
    sums = [sum(rank[x] for x, up in zip(sizes, ups, strict=True) if up) for ups in product((0, 1), repeat=len(sizes))]
    return Fraction(sum(total >= seen for total in sums), len(sums))


TWINS = {"sign": slow_sign, "permutation": slow_permutation, "wilcoxon": slow_wilcoxon}


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("name", TWINS)
@given(differences=some)
@example(differences=[Fraction(0), Fraction(0)])
@example(differences=[Fraction(1, 8)] * 5)
def test_one_sided_test_equals_its_slow_twin(name, alternative, differences):
    expected = float(TWINS[name](differences, alternative))
    assert pvalue(differences, name, alternative, **ALL.get(name, {})) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_bootstrap_counts_the_samples_on_the_other_side(alternative):
    differences = [Fraction(k, 8) for k in (3, -1, 2, 5, -2)]
    sums = [sum(sample) for sample in product(differences, repeat=5)]
    beyond = sum(total <= 0 if alternative == "greater" else total >= 0 for total in sums)
    assert pvalue(differences, "bootstrap", alternative) == pytest.approx(beyond / len(sums), abs=0.02)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@given(differences=some.filter(lambda d: len(set(d)) > 1))
def test_one_sided_t_is_scipys(alternative, differences):
    x = [float(d) for d in differences]
    expected = scipy.stats.ttest_1samp(x, 0, alternative=alternative).pvalue
    assert pvalue(differences, "t", alternative) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("n", [20, 60])
def test_one_sided_wilcoxon_of_many_requests_is_scipys(alternative, n):
    x = [(k + 1) / 8 * (-1 if k % 3 == 0 else 1) for k in range(n)]
    expected = scipy.stats.wilcoxon(x, alternative=alternative).pvalue
    assert pvalue(x, "wilcoxon", alternative) == pytest.approx(expected, rel=1e-9)


# By hand


@pytest.mark.parametrize("name", ["sign", "permutation", "wilcoxon"])
def test_eight_wins_of_eight(name):
    how = ALL.get(name, {})
    assert pvalue([1] * 8, name, "greater", **how) == 1 / 2**8
    assert pvalue([1] * 8, name, "less", **how) == 1
    assert pvalue([1] * 8, name, "two-sided", **how) == 2 / 2**8


@pytest.mark.parametrize("name", DIRECTED)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_nothing_that_differs_is_shown_by_no_side(name, alternative):
    assert pvalue([0] * 8, name, alternative, **few_draws(name)) == 1


# Laws


@pytest.mark.parametrize("name", DIRECTED)
@given(differences=some)
def test_less_is_greater_of_the_swapped_runs(name, differences):
    how = few_draws(name)
    swapped = [-d for d in differences]
    assert pvalue(differences, name, "less", **how) == pytest.approx(pvalue(swapped, name, "greater", **how), rel=1e-12)


@pytest.mark.parametrize("name", ["t", "sign", "wilcoxon", "bootstrap"])
@given(differences=some.filter(any))
def test_two_sided_is_twice_the_smaller_side(name, differences):
    how = few_draws(name)
    sides = [pvalue(differences, name, alternative, **how) for alternative in ("greater", "less")]
    assert pvalue(differences, name, "two-sided", **how) == pytest.approx(min(2 * min(sides), 1), rel=1e-12)


# What is told


def test_alternative_is_part_of_the_spec_and_of_what_is_told():
    test = statistical_test("t", alternative="greater")
    assert str(test) == "t(alternative='greater')" and statistical_test(str(test)) == test
    result = pair([1, 2, 4]).test("t", alternative="greater")
    assert "by a one-sided paired t-test, the alternative being that the first run is better" in result.description
    assert result.settings["alternative"] == "greater"
    assert next(iter(result.records()))["alternative"] == "greater"
    assert "alternative" not in next(iter(pair([1, 2, 4]).test("t").records()))


def test_pair_is_not_turned_round():
    result = pair([1, 2, 4]).test("t", alternative="greater")
    assert result.between("a", "b").pvalue == result.pvalue[0]
    with pytest.raises(tb.InputError, match=r'"a" was tested one-sided against "b". Use between\("a", "b"\)'):
        result.between("b", "a")
    with pytest.raises(tb.InputError, match="letters need two-sided tests"):
        result.letters()
    assert result.matrix()[0, 1] == result.pvalue_corrected[0] and result.matrix()[1, 0] != result.matrix()[1, 0]


@pytest.mark.parametrize("name", ["hsd", "tukey"])
def test_tests_of_all_pairs_have_no_sides(name):
    with pytest.raises(tb.InputError, match=f"{name} has no one-sided form. Leave out alternative, or choose another"):
        pair([1, 2, 4]).test(name, alternative="less")


def test_unknown_alternative_is_refused():
    with pytest.raises(tb.InputError, match='Did you mean "greater"'):
        pair([1, 2, 4]).test("t", alternative="greatr")
