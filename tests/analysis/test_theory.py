"""Formulas against enumeration, the papers' printed tables, and what Figure 5 of LR claims."""

import time
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import comb, log2, prod

import numpy as np
import pytest

from tiebreak import InputError
from tiebreak.analysis.theory import (
    first_position_tie_probability,
    growth_of_values,
    number_of_values,
    precision_orientation,
    recall_orientation,
    tie_probability,
    worst_case_is_tse,
    worst_case_of_optimal_ranker,
)
from tiebreak.analysis.top_heaviness import is_top_heavy
from tiebreak.exact import Doubles
from tiebreak.exact.arithmetic import decimals, whole_numbers
from tiebreak.metrics import RecallLevelMetric, metric
from tiebreak.metrics.rank_based import NormalisedCumulativePrecision
from worked_examples import examples_of

SIZES = [(n, m) for n in range(1, 10) for m in range(1, n + 1)]


def vectors(n, m):
    return list(combinations(range(1, n + 1), m))


def share_of_tied_pairs(value, n, m):
    """Over all pairs of position vectors, each with each."""
    values = [value(p) for p in vectors(n, m)]
    return Fraction(sum(x == y for x in values for y in values), len(values) ** 2)


def average_precision(p):
    return sum(Fraction(i, k) for i, k in enumerate(p, start=1)) / len(p)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("lexirecall", lambda p: p[::-1]),
        ("lexiprecision", lambda p: p),
        ("TSE", lambda p: Fraction(1, p[-1])),
        ("RR", lambda p: Fraction(1, p[0])),
        ("RP", lambda p: Fraction(sum(k <= len(p) for k in p), len(p))),
        ("R@1", lambda p: sum(k <= 1 for k in p)),
        ("R@4", lambda p: sum(k <= 4 for k in p)),
        ("R@20", len),
    ],
)
def test_tie_probability_is_the_share_of_tied_pairs(measure, value):
    for n, m in SIZES:
        assert tie_probability(measure, n, m) == share_of_tied_pairs(value, n, m)


def test_tie_probability_by_hand():
    # n = 3, m = 2: p is (1, 2), (1, 3) or (2, 3). p_m is 2, 3, 3: 1 + 4 of 9 pairs tie.
    assert tie_probability("TSE", 3, 2) == Fraction(1 + 4, 9)
    # Up to position 1 stand 1, 1, 0 of them.
    assert tie_probability("R@1", 3, 2) == Fraction(4 + 1, 9)
    assert tie_probability("lexirecall", 3, 2) == Fraction(3, 9)


def test_sum_over_all_positions_has_a_closed_form():
    for n, m in [(200, 1), (200, 7), (200, 100), (200, 193), (200, 200)]:
        literal = sum(comb(i - 1, m - 1) ** 2 for i in range(m, n + 1))
        assert tie_probability("TSE", n, m) == Fraction(literal, comb(n, m) ** 2)


def test_average_precision_ties_more_often_than_lexirecall():
    # (1/2 + 2/6) / 2 = 5/12 = (1/3 + 2/4) / 2
    assert average_precision((2, 6)) == average_precision((3, 4)) == Fraction(5, 12)
    assert share_of_tied_pairs(average_precision, 5, 2) == tie_probability("lexirecall", 5, 2)
    assert share_of_tied_pairs(average_precision, 6, 2) == Fraction(15 + 2, 15**2) > tie_probability("lexirecall", 6, 2)


MEASURES = ("TSE", "R@1000", "RP", "lexirecall")
TABLES = {
    # LR Table 3
    (10**3, 10): ("0.005", "1.000", "0.825", "0.000"),
    (10**4, 10): ("0.001", "0.313", "0.980", "0.000"),
    (10**5, 10): ("0.000", "0.826", "0.998", "0.000"),
    (10**6, 10): ("0.000", "0.980", "1.000", "0.000"),
    # LR Table 4; its row of m = 10 prints 0.981 where Table 3 prints 0.980
    (10**6, 1): ("0.000", "0.998", "1.000", "0.000"),
    (10**6, 5): ("0.000", "0.990", "1.000", "0.000"),
    (10**6, 25): ("0.000", "0.952", "0.999", "0.000"),
    (10**6, 50): ("0.000", "0.907", "0.995", "0.000"),
}
PRINTED_WRONGLY = {(10**3, 10, "RP"): 0.82566}


def test_printed_tables_of_tie_probabilities():
    wrong = {}
    start = time.process_time()
    for (n, m), printed in TABLES.items():
        for measure, digits in zip(MEASURES, printed, strict=True):
            exact = float(tie_probability(measure, n, m))
            if f"{exact:.3f}" != digits:
                wrong[n, m, measure] = round(exact, 5)
    assert wrong == PRINTED_WRONGLY
    assert time.process_time() - start < 2


def test_two_printed_tables_disagree_about_one_number():
    assert round(float(tie_probability("R@1000", 10**6, 10)), 5) == 0.98029


@pytest.mark.parametrize("measure", ["R", "TSE@5", "RP@5", "TSE(nDCG)", "RR(level=2)"])
def test_measures_with_the_wrong_cutoff_or_parameters_are_refused(measure):
    with pytest.raises(InputError, match="give R a cutoff"):
        tie_probability(measure, 10, 3)


def test_measures_without_a_closed_form_are_refused():
    with pytest.raises(InputError, match='unknown measure with a known probability of ties "AP"'):
        tie_probability("AP", 10, 3)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (5, 0), (5, 6), (5, 2.0), (5, True), ("5", 2)])
def test_sizes_are_checked_everywhere(n, m):
    for function in (
        lambda: tie_probability("TSE", n, m),
        lambda: first_position_tie_probability(n, m, 1),
        lambda: number_of_values("RR", n, m),
        lambda: growth_of_values(n, m, 0),
        lambda: precision_orientation("AP", n, m),
        lambda: recall_orientation("AP", n, m),
    ):
        with pytest.raises(InputError, match="Give a whole number from 1"):
            function()


def test_sizes_may_be_numpy_integers():
    assert tie_probability("RP", np.int64(1000), np.int32(10)) == tie_probability("RP", 1000, 10)


def test_first_position_tie_probability_is_the_share_of_vectors_that_begin_there():
    for n, m in SIZES:
        first = Counter(p[0] for p in vectors(n, m))
        for p1 in range(1, n + 1):
            assert first_position_tie_probability(n, m, p1) == Fraction(first[p1], comb(n, m))


def test_ties_by_the_first_position_grow_with_m_and_towards_the_top():
    at_top = [first_position_tie_probability(50_000, m, 1) for m in (1, 10, 100)]
    assert at_top == [Fraction(m, 50_000) for m in (1, 10, 100)]
    assert first_position_tie_probability(50_000, 100, 1) > first_position_tie_probability(50_000, 100, 2)


@pytest.mark.parametrize("p1", [0, 11, 1.5])
def test_first_position_lies_in_the_corpus(p1):
    with pytest.raises(InputError, match="p1="):
        first_position_tie_probability(10, 3, p1)


@pytest.mark.parametrize(
    ("method", "value"),
    [("RR", lambda p: p[0]), ("TSE", lambda p: p[-1]), ("lexiprecision", tuple), ("lexirecall", lambda p: p[::-1])],
)
def test_number_of_values_is_that_of_all_rankings(method, value):
    for n, m in SIZES:
        assert number_of_values(method, n, m) == len({value(p) for p in vectors(n, m)})


def test_unknown_method_is_an_error_with_a_suggestion():
    with pytest.raises(InputError, match='Did you mean "lexirecall"'):
        number_of_values("lexi-recall", 10, 3)


def test_growth_of_values_is_the_product_of_the_paper():
    for n, m in SIZES:
        for k in range(n - m + 1):
            assert growth_of_values(n, m, k) == prod(
                (Fraction(n + 1 - i, i) for i in range(m + 1, m + k + 1)), start=Fraction(1)
            )
    with pytest.raises(InputError, match="added=8"):
        growth_of_values(10, 3, 8)


def test_orientations_by_hand():
    # AP of (1, 9, 10) less that of (8, 9, 10): (1/1 - 1/8) / 3
    assert precision_orientation("AP", 10, 3) == pytest.approx((1 - 1 / 8) / 3, rel=0, abs=1e-15)
    # AP of (1, 2, 3) less that of (1, 2, 10): (3/3 - 3/10) / 3
    assert recall_orientation("AP", 10, 3) == pytest.approx((1 - 3 / 10) / 3, rel=0, abs=1e-15)
    # Only the first of two: 1/log2(2) - 1/log2(10), over 1/log2(2) + 1/log2(3)
    expected = (1 - 1 / log2(10)) / (1 + 1 / log2(3))
    assert precision_orientation("nDCG", 10, 2) == pytest.approx(expected, rel=0, abs=1e-15)


def test_orientation_of_total_search_efficiency_is_scaled_by_its_bounds():
    # e(2) - e(10) of 1/k, of the whole range e(2) - e(10); unscaled it is 1/2 - 1/10.
    assert recall_orientation("TSE", 10, 2, scaled=True) == 1
    assert recall_orientation("TSE", 10, 2) == pytest.approx(1 / 2 - 1 / 10, rel=0, abs=1e-15)
    assert precision_orientation("TSE", 10, 2, scaled=True) == 0


def test_orientation_where_nothing_can_move():
    assert precision_orientation("AP", 4, 4) == recall_orientation("AP", 4, 4) == 0
    with pytest.raises(InputError, match="one value for all rankings"):
        recall_orientation("AP", 4, 4, scaled=True)


def test_orientation_needs_a_metric_of_positions():
    with pytest.raises(InputError, match="bpref is not a sum over recall levels"):
        precision_orientation("bpref", 10, 3)


METRICS = ("RR", "nDCG", "AP", "R@1000", "RP", "RBP(p=0.5)")
N = 10**5


@pytest.fixture(scope="module", params=range(1, 16), ids=lambda m: f"m={m}")
def figure_5(request):
    """m, and both orientations of every metric."""
    m = request.param
    precision, recall = ({s: f(s, N, m) for s in METRICS} for f in (precision_orientation, recall_orientation))
    return m, precision, recall


def test_figure_5_reciprocal_rank_is_the_most_precision_oriented(figure_5):
    m, precision, _ = figure_5
    others = {s: value for s, value in precision.items() if s not in ("RR", "AP", "R@1000", "RP")}
    assert all(precision["RR"] > value for value in others.values())
    if m == 1:
        # The figure's exception: at m = 1 recall is 1 to 0, RR only 1 to 1/n, and AP is RR.
        assert precision["R@1000"] == precision["RP"] == 1 > precision["RR"] == precision["AP"] == 1 - 1 / N
    else:
        assert precision["RR"] > max(precision[s] for s in ("AP", "R@1000", "RP"))


def test_figure_5_ndcg_dominates_the_recall_metrics_in_precision(figure_5):
    m, precision, _ = figure_5
    dominates = precision["nDCG"] > max(precision[s] for s in ("AP", "R@1000", "RP"))
    assert dominates == (m > 1)


def test_figure_5_recall_metrics_are_equally_precision_oriented_but_for_a_trace(figure_5):
    m, precision, _ = figure_5
    assert precision["R@1000"] == precision["RP"] == 1 / m
    # AP loses (1 - 1/(n - m + 1)) / m, so "the same" in the paper is up to 1/n.
    assert 0 < 1 / m - precision["AP"] < 1.01 / N


def test_figure_5_rank_biased_precision_does_not_see_m_in_precision(figure_5):
    m, precision, _ = figure_5
    assert precision["RBP(p=0.5)"] == pytest.approx(0.5, rel=0, abs=1e-15)
    assert (precision["RBP(p=0.5)"] > precision["nDCG"]) == (m >= 3)


def test_figure_5_recall_metrics_are_the_most_recall_oriented(figure_5):
    m, _, recall = figure_5
    assert recall["R@1000"] == pytest.approx(1 / m) and recall["RP"] == pytest.approx(1 / m)
    assert recall["AP"] == pytest.approx(1 / m - 1 / N, rel=0, abs=1e-15)
    least = min(recall[s] for s in ("AP", "R@1000", "RP"))
    assert all(least > recall[s] for s in ("nDCG", "RBP(p=0.5)"))
    # At m = 1 AP is RR.
    assert least == recall["RR"] if m == 1 else least > recall["RR"] == 0


def test_figure_5_ndcg_is_more_recall_oriented_than_rank_biased_precision(figure_5):
    _, _, recall = figure_5
    assert recall["nDCG"] > recall["RBP(p=0.5)"] > 0


@pytest.mark.parametrize("base", ["AP", "nDCG", "RBP(p=0.999)", f"linear(n={N})"])
def test_figure_5_total_search_efficiency_is_all_recall_whatever_its_exposure(base):
    for m in (1, 2, 15):
        assert recall_orientation(f"TSE({base})", N, m, scaled=True) == 1
        assert precision_orientation(f"TSE({base})", N, m, scaled=True) == (m == 1)


def users(m):
    return [u for size in range(1, m + 1) for u in combinations(range(m), size)]


def literal_worst_case(value, m):
    """Over users, of the mean over all orders of the m items."""
    value = cache(value)
    orders = list(permutations(range(1, m + 1)))
    return min(sum(value(tuple(sorted(o[i] for i in u))) for o in orders) / len(orders) for u in users(m))


def scored(spec):
    return lambda p: float(metric(spec).score(np.array([[p]], dtype=np.int32))[0, 0])


def test_stochastic_worst_case_by_hand():
    # One of two items is at 1 or 2: (1 + 1/2) / 2. Who wants both gets 1.
    assert worst_case_of_optimal_ranker("AP", 2, stochastic=True) == 0.75
    assert worst_case_of_optimal_ranker("AP", 3, stochastic=True) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_stochastic_worst_case_equals_enumeration_of_all_orders():
    for m in range(1, 6):
        exact = literal_worst_case(average_precision, m)
        assert worst_case_of_optimal_ranker("AP", m, stochastic=True) == pytest.approx(float(exact), abs=1e-14)


@pytest.mark.parametrize("spec", ["RR", "binary_nDCG", "RBP(p=0.5)", "linear(n=50)", "RP", "R@2", "TSE", "RR(level=2)"])
def test_stochastic_worst_case_of_other_metrics_equals_enumeration(spec):
    for m in range(1, 6):
        expected = literal_worst_case(scored(spec), m)
        assert worst_case_of_optimal_ranker(spec, m, stochastic=True) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("spec", ["AP", "RR", "nDCG", "RBP(p=0.8)", "linear(n=50)"])
def test_drawing_the_order_helps_the_worst_off_user(spec):
    """LR theorem D.1 and Figure 16."""
    for m in range(1, 26):
        fixed = worst_case_of_optimal_ranker(spec, m)
        drawn = worst_case_of_optimal_ranker(spec, m, stochastic=True)
        assert drawn == pytest.approx(fixed) if m == 1 else drawn > fixed


def test_deterministic_worst_case_is_the_exposure_of_the_last_item():
    assert worst_case_of_optimal_ranker("AP", 4) == 1 / 4
    assert worst_case_of_optimal_ranker("nDCG", 7) == 1 / 3


@pytest.mark.parametrize("spec", ["RP", "R@3", "AP@10", "RR(level=2)", "TSE(R@2)"])
def test_deterministic_worst_case_is_not_claimed_without_the_theorem(spec):
    with pytest.raises(InputError, match=r"theorem C\.1"):
        worst_case_of_optimal_ranker(spec, 4)


STRICT = ["AP", "RR", "nDCG", "RBP(p=0.8)", "linear(n=100)", "TSE", "TSE(nDCG)", "NCP", "NCP(weights='dcg')"]


@pytest.mark.parametrize("spec", STRICT)
def test_theorem_holds_for_the_papers_metrics(spec):
    assert worst_case_is_tse(spec, 200)


@pytest.mark.parametrize("spec", ["R@3", "RP", "P@5", "Success@5", "AP@100", "nDCG@10", "RR(level=2)", "TSE(R@3)"])
def test_theorem_is_not_claimed_for_other_metrics(spec):
    assert not worst_case_is_tse(spec, 1)


def test_theorem_needs_top_heaviness():
    falling = NormalisedCumulativePrecision((1, 0, 5))
    assert worst_case_is_tse(falling, 2) and not worst_case_is_tse(falling, 3)
    assert is_top_heavy(falling, 20, 2) and not is_top_heavy(falling, 20, 3)


class Weighed(RecallLevelMetric):
    """Exposures that fall, and normalisations, drawn at random."""

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, rng):
        z = {m: rng.integers(0, 4, m) for m in range(2, 4)}
        object.__setattr__(self, "z", z | {1: np.ones(1, dtype=int)})
        object.__setattr__(self, "cutoff", None)
        object.__setattr__(self, "falling", rng.random(12).cumsum()[::-1])

    def exposure(self, k, m):
        places = (k.high if isinstance(k, Doubles) else k).astype(int) - 1
        return decimals(self.falling[places], k)

    def weight(self, i, m):
        return whole_numbers(self.z[m], i)


@pytest.mark.slow
def test_condition_on_normalisations_implies_top_heaviness_for_any_decreasing_exposure():
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(100):
        drawn = Weighed(rng)
        if worst_case_is_tse(drawn, 3):
            held += 1
            assert is_top_heavy(drawn, 12, 3)
    assert 5 < held < 95


def spec_of(name, n=None, gamma=0.5, k=1000, **_):
    """The examples' names of metrics."""
    persistence = float(Fraction(gamma))
    return {
        "ap": "AP",
        "rr": "RR",
        "ndcg": "binary_nDCG",
        "rbp": f"RBP(p={persistence})",
        "rk": f"R@{k}",
        "rp": "RP",
        "tse": "TSE",
        "lin": f"linear(n={n})",
        "linear": f"linear(n={n})",
    }[name]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("tie_prob_lr", lambda n, m: tie_probability("lexirecall", n, m)),
        ("tie_prob_tse", lambda n, m: tie_probability("TSE", n, m)),
        ("tie_prob_rk", lambda n, m, k: tie_probability(f"R@{k}", n, m)),
        ("tie_prob_rp", lambda n, m: tie_probability("RP", n, m)),
        ("rr_tie_prob", first_position_tie_probability),
        ("number_of_values", lambda n, m, method: number_of_values({"rr": "RR", "lp": "lexiprecision"}[method], n, m)),
    ],
)
def test_worked_examples_hold_exactly(name, function):
    for arguments, expected in examples_of(name):
        assert function(**arguments) == Fraction(expected)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("precision_orientation", lambda n, m, metric, **rest: precision_orientation(spec_of(metric, n, **rest), n, m)),
        ("recall_orientation", lambda n, m, metric, **rest: recall_orientation(spec_of(metric, n, **rest), n, m)),
        (
            "wc_optimal_stochastic",
            lambda m, metric, **rest: worst_case_of_optimal_ranker(spec_of(metric, **rest), m, stochastic=True),
        ),
    ],
)
def test_worked_examples_hold_to_rounding(name, function):
    for arguments, expected in examples_of(name):
        assert function(**arguments) == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


@pytest.mark.parametrize("name", ["LexiRecall", "lexirecall", "sgnLR", "LexiPrecision", "sgnLP"])
def test_lexicographic_preferences_go_by_all_their_names(name):
    assert tie_probability(name, 6, 3) == Fraction(1, 20)
    assert number_of_values(name, 6, 3) == 20
