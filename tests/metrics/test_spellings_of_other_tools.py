"""Measures by the names of ranx and LensKit."""

from fractions import Fraction

import pytest

import tiebreak as tb
from tiebreak.analysis.theory import is_strict


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("hits", "Hits"),
        ("hits@10-l2", "Hits(rel=2)@10"),
        ("f1@10", "F1@10"),
        ("f1@10-l3", "F1(rel=3)@10"),
        ("precision@10-l2", "P(rel=2)@10"),
        ("recall", "R"),
        ("recall-l2", "R(rel=2)"),
        ("hit_rate", "Success"),
        ("hit_rate-l2", "Success(rel=2)"),
        ("hit_rate@5-l2", "Success(rel=2)@5"),
        ("r-precision-l2", "RP(rel=2)"),
        ("mrr-l2", "RR(rel=2)"),
        ("map@5-l2", "AP(rel=2)@5"),
        ("bpref-l2", "bpref(rel=2)"),
        ("dcg", "DCG"),
        ("dcg@5-l2", "DCG(rel=2)@5"),
        ("dcg_burges@5", "DCG(gain='exp')@5"),
        ("dcg_burges-l2", "DCG(gain='exp', rel=2)"),
        ("ndcg_burges@5-l2", "nDCG(gain='exp', rel=2)@5"),
        ("rbp.95-l2", "RBP(p=0.95, rel=2)"),
        ("RecipRank@10", "RR@10"),
        ("Hit@10", "Success@10"),
        ("AveragePrecision@10", "AP@10"),
        ("NDCG@10", "nDCG@10"),
    ],
)
def test_other_names_mean_the_measure_here(name, ours):
    assert tb.metric(name) == tb.metric(ours)


@pytest.mark.parametrize(
    ("name", "ours"), [("precision", "SetP"), ("precision-l2", "SetP(rel=2)"), ("f1", "SetF"), ("f1-l2", "SetF(rel=2)")]
)
def test_without_a_cutoff_ranx_counts_all_that_is_retrieved(name, ours):
    assert tb.metric(name) == tb.metric(ours)


def test_average_precision_over_the_best_possible_by_hand():
    # a at 1 and b at 3 of four relevant items: (1/1 + 2/3) / min(3, 4), and of two: / min(3, 2).
    assert tb.metric("AP(relative=true)@3").evaluate(tb.positions([[1, 3, 5, None]])).item() == float(Fraction(5, 9))
    assert tb.metric("AP(relative=true)@3").evaluate(tb.positions([[1, 3]])).item() == float(Fraction(5, 6))
    assert tb.metric("AP(relative=true)").evaluate(tb.positions([[1, None]])).item() == 0.5


def test_clipped_discount_counts_the_first_two_positions_in_full():
    positions = tb.positions([[1, 2], [1, 4], [2, 4]])
    assert tb.metric("binary_DCG(discount='clipped')").evaluate(positions).ravel().tolist() == [2, 1.5, 1.5]
    assert tb.metric("nDCG(discount='clipped')").evaluate(positions).ravel().tolist() == [1, 0.75, 0.75]
    form = tb.metric("binary_DCG(discount='clipped')")
    assert not is_strict(form) and not is_strict(form, [1, 2, 5]) and is_strict(form, [2, 5])


def test_f1_is_the_harmonic_mean_by_hand():
    # 2 of the first 4 positions, of 3 relevant items: P = 1/2, R = 2/3, F1 = 2 (1/3) / (7/6).
    assert tb.metric("F1@4").evaluate(tb.positions([[1, 3, 9]])).item() == 4 / 7
    assert tb.metric("F1@4").evaluate(tb.positions([[5, 6, 9]])).item() == 0
