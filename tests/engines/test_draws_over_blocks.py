"""Tests by random draws where values are not kept: the same p-values as of values that are, for any blocks."""

import pickle

import numpy as np
import pytest

import tiebreak as tb
from engines.parity import PAIRWISE, experiment, outcome
from tiebreak._base import visits
from tiebreak.inputs import Ids
from tiebreak.significance import block_flips, block_shuffles, surveys, whole_numbers
from tiebreak.significance.surveys import Numbering

EXPERIMENTS = {size: experiment(size) for size in (None, 17, 9, 3, 1)}
WHOLE = EXPERIMENTS[None]
SIZES = pytest.mark.parametrize("size", [None, 17, 9, 1], ids=["whole", "one block", "two blocks", "of one request"])
CLOSE = {"rtol": 1e-12, "atol": 1e-12}
EVERY = [*PAIRWISE, "diff(P@5)", "diff(RR)"]
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")


def both(size, measure, baseline=None):
    """A comparison that keeps no values, and one that does; None where a measure does not apply."""
    kept, _ = outcome(WHOLE.compare, measure, baseline)
    if isinstance(kept, tuple):
        return None
    return EXPERIMENTS[size].compare(measure, baseline, per_request=False), kept


def check_same(result, expected):
    assert result.pvalue.tolist() == expected.pvalue.tolist()
    assert result.notes == expected.notes
    np.testing.assert_allclose(result.statistic, expected.statistic, **CLOSE)
    np.testing.assert_allclose(result.outcome.low, expected.outcome.low, **CLOSE)
    np.testing.assert_allclose(result.outcome.high, expected.outcome.high, **CLOSE)


@pytest.mark.one_in(3)
@SIZES
@pytest.mark.parametrize("measure", EVERY)
def test_permutation_test_of_blocks(size, measure):
    if (compared := both(size, measure)) is None:
        return
    for alternative in ("two-sided", "greater", "less"):
        how = {"permutations": 300, "seed": 4, "alternative": alternative}
        check_same(*(one.test("permutation", **how) for one in compared))


@pytest.mark.one_in(3)
@SIZES
@pytest.mark.parametrize("measure", EVERY)
def test_randomised_hsd_of_blocks(size, measure):
    if (compared := both(size, measure)) is not None:
        check_same(*(one.test("hsd", permutations=300, seed=4) for one in compared))


@SIZES
def test_permutation_test_against_a_baseline(size):
    for measure in ("RPP", "diff(nDCG@3)"):
        check_same(*(one.test("permutation", permutations=100) for one in both(size, measure, "old")))


@SIZES
def test_all_signs_of_few_requests(size):
    check_same(*(one.test("permutation", permutations="all") for one in both(size, "diff(nDCG@3)")))


def test_draws_in_several_visits(monkeypatch):
    """Few sums are held at once, and few of those that are computed exactly."""
    for module in (block_flips, block_shuffles):
        monkeypatch.setattr(module, "CELLS_AT_ONCE", 7)
    monkeypatch.setattr(block_flips, "BITS_AT_ONCE", 20)
    monkeypatch.setattr(visits, "MOST_SUMS", 100)
    for measure in ("RPP", "diff(nDCG@3)", "LexiRecall", "RPP(weights='dcg')"):
        counts, kept = both(3, measure)
        for test in ("permutation", "hsd"):
            ticks = []
            result = counts.test(test, permutations=90, tick=lambda *done: ticks.append(done))  # noqa: B023
            check_same(result, kept.test(test, permutations=90))
            assert ticks == [(0, 90), (33, 90), (66, 90)]


def test_many_draws_are_undecided_by_floats():
    """Runs that differ in one request: every draw is as far from 0 as what was observed."""
    judged = {f"q{k}": {"a": 1, "b": 2, "c": 1} for k in range(30)}
    good, bad = {"a": 3.0, "x": 2.0, "b": 1.0}, {"x": 3.0, "y": 2.0, "b": 1.0}
    runs = {"x": dict.fromkeys(judged, good), "y": dict.fromkeys(judged, good) | {"q7": bad}}
    runs["z"] = dict.fromkeys(judged, bad)
    kept, counts = (tb.Experiment(judged, runs, block_requests=size) for size in (None, 4))
    for measure in ("diff(nDCG)", "diff(AP)", "RPP(weights='dcg')"):
        for test in ("permutation", "hsd"):
            result = counts.compare(measure, per_request=False).test(test, permutations=200)
            expected = kept.compare(measure).test(test, permutations=200)
            check_same(result, expected)
        assert expected.paired.win_tie_loss[0].tolist() == [1, 29, 0]


@pytest.mark.parametrize("measure", ["diff(nDCG@3)", "RPP(weights='dcg')", "diff(AP)"])
@pytest.mark.parametrize("test", ["permutation", "hsd"])
def test_draws_that_coarse_numbers_leave_undecided_are_summed_exactly(monkeypatch, measure, test):
    counts, kept = both(3, measure)
    expected = kept.test(test, permutations=150)
    monkeypatch.setattr(whole_numbers, "MOST_BITS", 3)
    monkeypatch.setattr(whole_numbers, "MOST_DISTINCT", 1)
    assert counts.test(test, permutations=150).pvalue.tolist() == expected.pvalue.tolist()


def test_too_many_requests_are_refused(monkeypatch):
    monkeypatch.setattr(surveys, "MOST_NUMBERED", 12)
    compared = EXPERIMENTS[3].compare("RPP", per_request=False)
    for test in ("permutation", "hsd"):
        with pytest.raises(tb.InputError, match="at most 12, and there are 13"):
            compared.test(test)


def test_copies_do_not_find_values_again():
    compared = EXPERIMENTS[3].compare("RPP", per_request=False)
    copy = pickle.loads(pickle.dumps(compared))
    assert copy.mean.tolist() == compared.mean.tolist()
    for test in ("permutation", "hsd"):
        with pytest.raises(tb.InputError, match="Compute it again here"):
            copy.test(test)


def test_enumerated_shuffles_need_values():
    with pytest.raises(tb.InputError, match="per_request=True"):
        EXPERIMENTS[3].compare("RPP", per_request=False).test("hsd", permutations="all")


def test_requests_are_numbered_by_name():
    blocks = [Ids.from_names(["a", "é"]), Ids.from_names(["b"]), Ids.from_names(["aa", "c", "日"])]
    numbering = pickle.loads(pickle.dumps(Numbering.from_blocks(blocks)))
    assert [numbering(block).tolist() for block in blocks] == [[0, 4], [2], [1, 3, 5]]
