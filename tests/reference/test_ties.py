"""Ties on TREC 2019 Deep Learning, passage ranking: 37 runs, 43 requests; what is printed, and what must agree."""

import pytest
from level_ties import deciding_levels, ties_by_first_position

import tiebreak as tb
from tiebreak.studies._ties import MEASURES, truncate

COMPARED = 43 * 37 * 36 // 2


@pytest.fixture(scope="module")
def experiment(data):
    folder = data / "dl19-passage"
    return tb.Experiment(folder / "qrels.txt", folder / "runs", min_grade=2, binary=True)


def test_shares_are_the_printed_ones(experiment):
    # LP Table 2, deep-pass (2019): 2.63 for rrLP and sgnLP, 56.89 for RR.
    actual = tb.studies.ties(experiment, ["rrLP", "sgnLP", "RR"])
    assert [row[1] for row in actual.rows()] == [COMPARED] * 3
    assert [round(100 * row[3], 2) for row in actual.rows()] == [2.63, 2.63, 56.89]


def test_views_agree_with_the_printed_shares(experiment):
    first = ties_by_first_position(experiment).rows()
    assert sum(row[2] for row in first) == 2 * COMPARED
    assert round(100 * sum(row[3] for row in first) / (2 * COMPARED), 2) == 56.89
    level = tb.studies.ties(experiment, view="level").rows()[0]
    assert (level[3], round(100 * level[5], 2)) == (COMPARED, 56.89)
    decided = deciding_levels(experiment).rows()
    for name in ("LexiPrecision", "LexiRecall"):
        differ = sum(row[2] for row in decided if row[1] == name)
        assert round(100 * (COMPARED - differ) / COMPARED, 2) == 2.63


def test_trends_are_those_of_the_papers(experiment):
    actual = tb.studies.ties(experiment, view="labels", fractions=[1.0, 0.5, 0.2], samples=3, jobs=2)
    share = {row[:2]: row[2] for row in actual.rows()}
    # LR 6.2.2 and Fig 14: recall and R-precision tie more often than lexirecall, AP and nDCG, and ever more as labels
    # are removed.
    for kept in (1.0, 0.5, 0.2):
        assert min(share[kept, "R@1000"], share[kept, "RP"]) > 2 * share[kept, "LexiRecall"]
        assert abs(share[kept, "AP"] - share[kept, "LexiRecall"]) < 0.005
    for name in ("R@1000", "RP"):
        assert share[1.0, name] < share[0.5, name] < share[0.2, name]
    # LP 5.2 and Fig 9: ties by RR grow with the number of relevant items.
    assert share[0.2, "RR"] < share[0.5, "RR"] < share[1.0, "RR"]


def test_cut_positions_tie_as_rankings_read_with_a_depth(experiment):
    rows = tb.studies.ties(experiment, view="depth", depths=[10, 100]).rows()
    for depth in (10, 100):
        read = tb.Experiment(experiment.judgements, experiment.runs, min_grade=2, binary=True, depth=depth)
        expected = [row[3] for row in tb.studies.ties(read, MEASURES).rows()]
        assert [share for at, _, share in rows if at == depth] == expected
        assert (truncate(experiment.positions, depth).ranks == read.positions.ranks).all()
