"""Measures by the names of ranx, LensKit, MTEB and BEIR."""

from fractions import Fraction

import pytest

import tiebreak as tb
from tiebreak.analysis.theory import is_strict
from tiebreak.errors import InputError


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
        ("nDCG@10-l2", "nDCG(rel=2)@10"),
        ("Recall-l2", "R(rel=2)"),
        ("RecipRank@10", "RR@10"),
        ("Hit@10", "Success@10"),
        ("AveragePrecision@10", "AP@10"),
        ("NDCG@10", "nDCG@10"),
        ("HitRate@10", "Success@10"),
        ("novelty@10", "Novelty@10"),
        ("ild@10", "ILD@10"),
        ("coverage(n=9)@10", "Coverage(n=9)@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("map_at_100", "AP@100"),
        ("mrr_at_10", "RR@10"),
        ("recall_at_5", "R@5"),
        ("precision_at_1", "P@1"),
        ("P_at_1", "P@1"),
        ("hit_rate_at_3", "Success@3"),
        ("nDCG_at_10", "nDCG@10"),
        ("recall_cap_at_10", "P(relative=true)@10"),
        ("Recall_CapAt_10", "P(relative=true)@10"),
        ("R_cap@10", "P(relative=true)@10"),
        ("relative_P@5", "P(relative=true)@5"),
        ("ndcg_cut.5.1=3,2=9", "nDCG(gains='1=3,2=9')@5"),
    ],
)
def test_other_names_mean_the_measure_here(name, ours):
    assert tb.metric(name) == tb.metric(ours)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("gm(map@10-l2)", "gm(AP(rel=2)@10)"),
        ("gm(P.5)", "gm(P@5)"),
        ("gm( IPrec@0.1 )", "gm(IPrec(recall=0.1))"),
        ("TSE(base=ndcg_cut.10)", "TSE(nDCG@10)"),
    ],
)
def test_other_names_are_known_inside_of_others(name, ours):
    assert tb.metric(name) == tb.metric(ours)


def test_what_is_in_quotes_is_no_other_name():
    with pytest.raises(InputError, match=r"recalls='P\.5'"):
        tb.metric("IAP(recalls='0.5,P.5,1')")


def test_populations_and_preferences_take_the_names_of_other_tools():
    exp = tb.Experiment({"q": {"a": 1, "b": 2}}, {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}})
    # Only b has grade 2: reciprocal ranks 1/2 and 1.
    assert [row.score for row in exp.order("mean(mrr@10-l2)").rows()] == [1, 0.5]
    assert exp.compare("diff(map@10-l2)").mean.tolist() == [-0.5]


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


def test_recall_of_beir_is_capped_by_the_cutoff_by_hand():
    # Of four relevant items two are among the first three, which could be three: 2 / min(3, 4).
    assert tb.metric("R_cap@3").evaluate(tb.positions([[1, 3, 5, None]])).item() == 2 / 3


@pytest.mark.parametrize(
    ("name", "cutoff"),
    [
        ("RecipRank(10)", "RR@10"),
        ("RR(10)", "RR@10"),
        ("Hit(10)", "Success@10"),
        ("NDCG(10)", "nDCG@10"),
        ("NDCG(10, gain='rating')", "nDCG@10"),
        ("DCG(5)", "DCG@5"),
        ("Precision(10)", "P@10"),
        ("Recall(10)", "R@10"),
        ("AveragePrecision(10)", "AP@10"),
        ("RBP(10)", "RBP@10"),
        ("Coverage(10)", "Coverage@10"),
        ("TSE(RecipRank(10))", "RR@10"),
    ],
)
def test_a_number_that_may_be_a_cutoff_is_not_taken_for_another_parameter(name, cutoff):
    """RR(10) would be the tenth relevant item, and nearly always 0."""
    with pytest.raises(InputError, match=f"a cutoff is written {cutoff}, and a parameter with its name"):
        tb.metric(name)


def test_parameters_without_names_stay_where_nothing_is_ambiguous():
    assert tb.metric("RBP(0.9)") == tb.metric("RBP(p=0.9)")
    assert tb.metric("Coverage(14)@4") == tb.metric("Coverage(n=14)@4")
    assert tb.metric("utility(1, -1, 0, 0)") == tb.metric("utility")


@pytest.mark.parametrize("name", ["rbp.0.9", "rbp@95", "rbp_0.9"])
def test_a_persistence_without_its_name_is_asked_for(name):
    """In ranx rbp@95 is p = 0.95; RBP@95 would be a cutoff."""
    with pytest.raises(InputError, match=r"Write RBP\(p=0.9\), or rbp.p=0.9 for trec_eval's"):
        tb.metric(name)
