"""Shares of pairs that differ, as printed for TREC 2019 Deep Learning, passage ranking: 37 runs, 43 requests."""

import pytest
import scipy.stats

import tiebreak as tb

DRAWS = 20_000


@pytest.fixture(scope="module")
def folder(data):
    return data / "dl19-passage"


@pytest.fixture(scope="module")
def graded(folder):
    return tb.Experiment(folder / "qrels.txt", folder / "runs")


@pytest.mark.parametrize(("measure", "printed"), [("RPP", 43.99), ("dcgRPP", 45.05), ("invRPP", 42.34)])
def test_t_tests_of_recall_paired_preferences_find_the_printed_share(graded, measure, printed):
    result = graded.compare(measure).test("t", correction="bonferroni")
    assert len(result.pvalue) == 37 * 36 / 2
    assert round(100 * result.share, 2) == printed


def test_sign_tests_of_lexiprecision_find_the_printed_share(folder):
    binary = tb.Experiment(folder / "qrels.txt", folder / "runs", min_grade=2, binary=True)
    result = binary.compare("sgnLP").test("sign", correction="bonferroni")
    assert round(100 * result.share, 2) == 17.42
    assert binary.compare("sgnLP").test(correction="bonferroni").share == result.share


@pytest.mark.parametrize(("measure", "printed"), [("nDCG", 26.73), ("RR", 6.76)])
def test_randomised_hsd_finds_the_printed_share_within_its_chance(graded, measure, printed):
    result = graded.compare(measure).test("hsd", permutations=DRAWS, seed=1)
    reached = (result.pvalue * (DRAWS + 1)).round().astype(int) - 1
    bounds = [scipy.stats.binomtest(k, DRAWS).proportion_ci(0.95, "exact") for k in reached.tolist()]
    surely = 100 * sum(bound.high < 0.05 for bound in bounds) / len(bounds)
    perhaps = 100 * sum(bound.low < 0.05 for bound in bounds) / len(bounds)
    assert surely - 0.005 <= printed <= perhaps + 0.005
    assert perhaps - surely < 2


def test_randomised_hsd_of_average_precision_is_near_the_printed_share(graded):
    # Printed is 30.03, 200 of 666 pairs. Found are 197; the next three have p-values of 0.052 to 0.055 however many
    # shuffles are drawn. With a thousand shuffles, 30.03 lies within chance.
    result = graded.compare("AP").test("hsd", permutations=DRAWS, seed=1)
    assert 197 <= result.differs.sum() <= 199
    few = graded.compare("AP").test("hsd", permutations=1000, seed=1)
    reached = (few.pvalue * 1001).round().astype(int) - 1
    perhaps = sum(scipy.stats.binomtest(k, 1000).proportion_ci(0.95, "exact").low < 0.05 for k in reached.tolist())
    assert few.differs.sum() - 1 <= 200 <= perhaps
