"""Random rankings, and how often measures tie them."""

from fractions import Fraction
from functools import partial
from math import comb, sqrt

import numpy as np
import pytest

import tiebreak as tb
from tiebreak import InputError
from tiebreak.studies._random_rankings import RANKINGS, Corpus, random_positions
from worked_examples import examples_of

random_ties = partial(tb.studies.orientation, view="depth")


def test_random_rankings_are_placed_anywhere():
    drawn = random_positions(Corpus(40, 60, (2, 3, 4, 5)), seed=1)
    sizes = drawn.relevant()
    assert (sizes.min(), sizes.max()) == (2, 5) and drawn.ranks.shape == (RANKINGS, sizes.sum())
    for bucket in drawn.buckets():
        assert all(len(set(p)) == bucket.m for p in bucket.p.reshape(-1, bucket.m).tolist())
    counts = np.bincount(drawn.ranks.ravel(), minlength=41)[1:]
    expected = drawn.ranks.size / 40
    assert len(counts) == 40 and (abs(counts - expected) < 5 * sqrt(expected)).all()


def close(row, expected):
    """Within five standard errors of the mean over samples."""
    share, sd = row[2], row[3]
    return abs(share - float(expected)) <= 5 * sd / sqrt(20) + 1e-12


@pytest.fixture(scope="module")
def drawn():
    measures = ["LexiRecall", "TSE", "R@5", "RP", "RR"]
    findings = random_ties(measures, items=30, requests=30, relevant=3, depths=[30, 8], samples=20)
    return {row[:2]: row for row in findings.rows()}


@pytest.mark.slow
def test_whole_random_rankings_tie_as_often_as_on_paper(drawn):
    for measure, name in [("LexiRecall", "lexirecall"), ("TSE", "TSE"), ("R@5", "R@5"), ("RP", "RP"), ("RR", "RR")]:
        assert close(drawn[30, measure], tb.theory.tie_probability(name, 30, 3)), measure


def test_cut_random_rankings_tie_as_often_as_on_paper(drawn):
    # j of 3 relevant items stand in the first 8: the same j places, C(8, j) of them, and the others anywhere below.
    alike = sum(Fraction(comb(8, j) * comb(22, 3 - j) ** 2, comb(30, 3) ** 2) for j in range(4))
    assert close(drawn[8, "LexiRecall"], alike)
    # The last stands at the same place i up to 8, C(i - 1, 2) ways each, or for both below.
    last = sum(comb(i - 1, 2) ** 2 for i in range(3, 9)) + (comb(30, 3) - comb(8, 3)) ** 2
    assert close(drawn[8, "TSE"], Fraction(last, comb(30, 3) ** 2))
    # What is counted above 3 or 5 does not see the cut.
    assert drawn[8, "RP"][1:] == drawn[30, "RP"][1:] and drawn[8, "R@5"][1:] == drawn[30, "R@5"][1:]


@pytest.mark.parametrize("name", ["tie_prob_lr", "tie_prob_tse", "tie_prob_rk", "tie_prob_rp"])
def test_worked_examples_are_found_by_drawing(name):
    for arguments, expected in examples_of(name):
        n, m = arguments["n"], arguments["m"]
        k = arguments.get("k")
        measure = {"tie_prob_lr": "LexiRecall", "tie_prob_tse": "TSE", "tie_prob_rp": "RP"}.get(name, f"R@{k}")
        (row,) = random_ties(measure, items=n, relevant=m, depths=[n], samples=20).rows()
        assert close(row, Fraction(expected)), (name, arguments)


@pytest.mark.slow
def test_random_rankings_as_in_the_paper():
    actual = random_ties(samples=3, depths=[250_000, 1000])
    share = {row[:2]: row[2] for row in actual.rows()}
    assert actual.rows() == random_ties(samples=3, depths=[250_000, 1000], jobs=3).rows()
    # "R@1000 and RP both have a large number of ties across all retrieval depths", TSE where rankings are cut, and
    # "AP exhibits high sensitivity".
    assert all(share[depth, name] > 0.7 for depth in (1000, 250_000) for name in ("R@1000", "RP"))
    assert share[1000, "TSE"] == 1.0 and share[250_000, "TSE"] < 0.01
    assert all(share[250_000, name] < 0.001 for name in ("AP", "nDCG", "LexiRecall"))
    assert "250,000 items" in actual.conclusion and "5 to 50 relevant items" in actual.notes[1]
    assert actual.rows() != random_ties(samples=3, depths=[250_000, 1000], seed=1).rows()


def test_sizes_are_those_asked_for():
    drawn = random_positions(Corpus(40, 60, (2, 7)), seed=1)
    assert set(drawn.relevant().tolist()) == {2, 7}
    notes = random_ties("RR", items=30, requests=3, relevant=2, depths=5, samples=2).notes
    assert "20 rankings of 30 items for each of 3 requests with 2 relevant items, all at random" in notes[1]


def test_measure_of_whole_rankings_is_refused():
    with pytest.raises(InputError, match="Random rankings take measures such as AP"):
        random_ties("EU@10", items=30, relevant=2)
