"""trec_eval's other measures on one ranking, worked out by hand; and what their totals over requests are."""

import math
from math import log2

import pytest

import tiebreak as tb
from nested import nested
from tiebreak.errors import InputError
from tiebreak.metrics import metric

# a, b, c relevant; x judged not relevant; n, o unjudged; c is not retrieved.
QRELS = {"q": {"a": 2, "b": 1, "c": 1, "x": 0}}
RANKING = "naxbo"


def value(spec, ranking=RANKING, qrels=QRELS, **options):
    run = {"q": {item: float(-k) for k, item in enumerate(ranking)}}
    return tb.Experiment(qrels, run, **options).evaluate(spec).values.item()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("num_q", 1),
        ("num_ret", 5),
        ("num_rel", 3),
        ("num_rel_ret", 2),
        ("num_nonrel_judged_ret", 1),
        ("set_P", 2 / 5),
        ("set_recall", 2 / 3),
        ("set_relative_P", 2 / 3),
        ("set_F", 2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3)),
        ("set_F.0.5", 1.5 * (2 / 5) * (2 / 3) / (0.5 * 2 / 5 + 2 / 3)),
        ("set_map", (2 / 5) * (2 / 3)),
        ("utility", 2 - 3),
        ("utility.1.0,-0.5,-2,0.01", None),
        ("utility(1, -0.5, -2)", 2 - 0.5 * 3 - 2 * 1),
        ("utility(1, 0, 0, 0.5, n=10)", 2 + 0.5 * (10 - 5 - 1)),
        ("relative_P_2", 1 / 2),
        ("relative_P_5", 2 / 3),
        ("Rprec_mult_1.00", 1 / 3),
        ("Rprec_mult_0.40", 1 / 2),  # 0.4 * 3 + 0.9 = 2.1: a among the first two
        ("Rprec_mult_2.00", 2 / 6),
        ("iprec_at_recall_0.00", max(1 / 2, 2 / 4)),
        ("iprec_at_recall_0.70", 2 / 4),  # 0.7 * 3 = 2.1: two of them
        ("iprec_at_recall_0.80", 2 / 4),  # 0.8 * 3 = 2.4
        ("iprec_at_recall_0.90", 0),  # 0.9 * 3 = 2.7: all three, of which one is missing
        ("11pt_avg", (9 * 1 / 2) / 11),
        ("11pt_avg.0.2,1.0", (1 / 2 + 0) / 2),
        # a at 2: nothing of the pool above it. b at 4: a and x above it, one of two relevant.
        ("infAP", (1 / 2 + (1 + 2 * (1 + 1e-5) / (2 + 2e-5)) / 4) / 3),
        ("gm_map", (1 / 2 + 2 / 4) / 3),
        ("gm_bpref", (1 + 0) / 3),
        ("unj_3", 1 / 3),
        ("unj_20", 2 / 20),
        ("rbp.p=0.5", 0.5 * (1 * 0.5 + 0.5 * 0.125)),
        ("rbp_resid.p=0.5", 0.5**5 + 0.5 * (1 + 0.5**4)),
        ("binG", (1 / log2(2 + 1) + 1 / log2(2 + 2)) / 3),
        # Ideal gains 2, 1, 1, then each position costs 1.
        ("G", (2 / log2(2 + 3 - 2) + 1 / log2(2 + 5 - 3)) / 4),
    ],
)
def test_value_by_hand(spec, expected):
    if expected is None:
        with pytest.raises(InputError, match="needs the number of items in the corpus"):
            metric(spec)
    else:
        assert value(spec) == pytest.approx(expected, rel=1e-12)


def test_recall_levels_are_rounded_as_in_both_versions_of_trec_eval():
    halves = tb.positions([[1, 4, 9]])  # 0.5 * 3 = 1.5: two of them
    assert metric("IPrec@0.5").evaluate(halves).item() == 2 / 4
    many = tb.positions([[*range(1, 32), *range(932, 946)]])  # 0.7 * 45, as a float, is below 31.5: the first 31
    assert metric("IPrec@0.7").evaluate(many).item() == 1
    assert metric("IPrec(recall=0.7, rounding='trec_eval-9')").evaluate(many).item() == 45 / 945


DCG = [0, 2 / log2(3), 2 / log2(3), 2 / log2(3) + 1 / log2(5), 2 / log2(3) + 1 / log2(5)]
IDEAL = [2, 2 + 1 / log2(3), 2 + 1 / log2(3) + 1 / log2(4)]


def test_ndcg_at_relevant_items_by_hand():
    # a at 2, b at 4; c is not retrieved, for which the whole ranking counts.
    expected = (DCG[1] / IDEAL[1] + DCG[3] / IDEAL[2] + DCG[4] / IDEAL[2]) / 3
    assert value("ndcg_rel") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("ranking", "has_last"), [("naxbo", True), ("naxb", False), ("nax", False)])
def test_ndcg_at_numbers_of_grades_by_hand(ranking, has_last):
    # One item of grade 2, three of grade 1 and above; the whole ranking is a point if two items follow the third.
    points = [DCG[0] / IDEAL[0], DCG[2] / IDEAL[2], *([DCG[4] / IDEAL[2]] if has_last else [])]
    assert value("Rndcg", ranking) == pytest.approx(sum(points) / len(points), rel=1e-12)


def test_items_of_the_pool_that_are_not_judged_are_assumed_relevant_in_the_judged_proportion():
    qrels = {"q": {"a": 1, "b": 1, "u": -1}}
    # b at 3: a and u of the pool above it, all of the judged ones relevant.
    expected = (1 + (1 + 2 * (1 + 1e-5) / (1 + 2e-5)) / 3) / 2
    assert value("infAP", "aub", qrels) == pytest.approx(expected, rel=1e-12)
    assert value("infAP", "axb", {"q": {"a": 1, "b": 1, "x": 0}}) == pytest.approx(
        (1 + (1 + 2 * (1 + 1e-5) / (2 + 2e-5)) / 3) / 2, rel=1e-12
    )


def test_residual_is_0_where_everything_retrieved_is_judged_and_where_nothing_is_retrieved():
    assert value("rbp_resid", "ax") == value("rbp_resid", "", QRELS) == 0


def test_grades_of_a_binary_request_and_of_halves():
    halves = {"q": {"a": 0.5, "b": 0.25}}
    assert value("graded_RBP(p=0.5)", "ab", halves) == 0.5 * (0.5 + 0.25 * 0.5)
    # Ideal gains of less than 1 cost 1: 2 + 1 - 1/2 and 2 + 2 - 3/4.
    assert value("G", "ab", halves) == pytest.approx((0.5 / log2(2.5) + 0.25 / log2(3.25)) / 0.75)
    # In units of 10^-9 these are large numbers, of which logarithms are taken all the same.
    fine = value("G", "xa", {"q": {"a": 7.123456789}})
    assert fine == pytest.approx(1 / log2(2 + 7.123456789 + 1 - 7.123456789))
    assert value("graded_RBP(p=0.9)", "xab", {"q": {"a": 1, "b": 1}}) == value("RBP(p=0.9)", "xab")


# Totals over requests

TWO = {"q1": {"a": 1}, "q2": {"b": 1, "x": 0}, "q3": {"n": 0}}
RUNS = [
    tb.Run({"q1": {"a": 1.0}, "q2": {"x": 4.0, "y": 3.0, "z": 2.0, "b": 1.0}}, name="one"),
    tb.Run({"q1": {"a": 1.0, "x": 0.5}}, name="two"),
]


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_counts_are_summed_and_geometric_means_are_such():
    scores = tb.Experiment(TWO, RUNS).evaluate(["map", "gm_map", "num_q", "num_ret", "num_rel", "num_rel_ret"])
    totals = nested(scores.summary(), "run", "measure")
    expected = {"map": (1 + 1 / 4) / 2, "gm_map": math.sqrt(1 / 4), "num_q": 2, "num_ret": 5, "num_rel": 2}
    assert totals["one"] == expected | {"num_rel_ret": 2}
    # What the second run misses has an AP of 0, which counts as 0.00001.
    expected = {"map": 1 / 2, "gm_map": math.sqrt(1e-5), "num_q": 2, "num_ret": 2, "num_rel": 2, "num_rel_ret": 1}
    assert totals["two"] == pytest.approx(expected, rel=1e-15)
    assert "Sums over requests, not means: num_q, num_ret, num_rel, num_rel_ret." in scores.notes
    assert "Geometric means over requests, not means: gm_map." in scores.notes


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_counts_are_shown_as_whole_numbers_and_have_no_interval():
    scores = tb.Experiment(TWO, RUNS).evaluate(["num_ret", "gm_map", "map"])
    assert scores.summary().table().rows[0] == ("one", "5", "0.5000", "0.6250")
    assert scores.table().rows[1] == ("one", "q2", "4", "0.2500", "0.2500")
    assert [math.isnan(row.low) for row in scores.intervals().rows()] == [True, True, False] * 2
    assert scores.summary().best == {("one", "map"), ("one", "gm_map")}


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_comparisons_and_utilities_see_the_values_of_requests():
    exp = tb.Experiment(TWO, RUNS)
    assert exp.compare("gm_map").values.tolist() == exp.compare("map").values.tolist()
    assert exp.utilities("gm_map").values.tolist() == exp.utilities("map").values.tolist()
    assert exp.compare("num_rel_ret").values.tolist() == [[0.0, 1.0]]
    assert exp.utilities("num_ret").values.tolist() == [[1.0, 4.0], [2.0, 0.0]]


def test_what_describes_the_input_is_not_compared():
    with pytest.raises(InputError, match="NumRet describes the input: no value of it is better"):
        tb.compare(tb.positions([[1, 2], [2, 3]]), "num_ret")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("IPrec", "IPrec needs a recall level, such as IPrec@0.1"),
        ("IPrec@1.5", "IPrec: recall=1.5. Give a number of at least 0 and at most 1"),
        ("IPrec@x", "cannot be read"),
        ("IAP(recalls='0.2,x')", "IAP: recalls='x'. Give a number"),
        ("IAP(recalls='2')", "IAP: recalls=2.0. Give a number of at least 0 and at most 1"),
        ("IPrec(recall=0.1, rounding='down')", 'unknown value for rounding "down"'),
        ("P(relative=2)@3", "P: relative=2. Give true or false"),
        ("SetP@3", "SetP takes no cutoff"),
        ("SetF(beta=0)", "SetF: beta=0. Give a number of at least 1e-09"),
        ("RP(multiple=0)", "RP: multiple=0. Give a number above 0"),
        ("utility(hit=1e300)", "utility: hit=1e+300. Give a number"),
        ("utility(hit=1e-300)", "too many decimals"),
        ("unj", "stands for several measures: unj_5, unj_10, unj_20"),
        ("Unjudged(rel=2)@5", "leave out rel"),
        ("RBP_resid(rel=2)", "leave out rel"),
        ("G.2=x", "cannot be read"),
        ("G(gains='2')", "G: gains='2'. Give the gain of each grade"),
        ("gm(TSL)", "TSL is not one"),
        ("gm(utility)", "utility is not one"),
        ("gm(num_ret)", "NumRet is not one"),
        ("gm(AP, rel=2)", "Write gm(AP(rel=2))"),
        ("graded_RBP(p=1)", "Give a number above 0 and below 1"),
    ],
)
def test_bad_spec_is_refused_with_advice(spec, message):
    with pytest.raises(InputError) as caught:
        metric(spec)
    assert message in str(caught.value)


def test_data_that_a_measure_cannot_take_are_refused_with_advice():
    with pytest.raises(InputError, match=r"there are grades up to 2\. Give max_grade=2"):
        value("graded_RBP(max_grade=1)")
    with pytest.raises(InputError, match="more than 4 items"):
        value("utility(1, 0, 0, 1, n=4)")
    with pytest.raises(InputError, match="grades are too large"):
        value("G", "a", {"q": {"a": 1e300}})
    with pytest.raises(InputError, match="too many digits"):
        value("G", "a", {"q": {"a": 1e-300}})
    with pytest.raises(InputError, match="grades differ by too much"):
        value("ndcg_rel", "ab", {"q": {"a": 1e300, "b": 1e-300}})
    assert value("ndcg_rel", "ab", {"q": {"a": 1e300, "b": 1e300}}) == 1
    with pytest.raises(InputError, match="needs the items judged not relevant"):
        metric("infAP").evaluate(tb.positions([[1, 2]]))
