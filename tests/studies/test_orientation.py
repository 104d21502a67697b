"""Measures by themselves: the papers' tables cell by cell, slow twins, and what is refused."""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb, hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak import InputError
from tiebreak.preferences import preference
from tiebreak.studies import orientation
from tiebreak.studies.on_paper import VIEWS
from tiebreak.studies.on_paper.asked import draw, prefer
from tiebreak.studies.on_paper.laws import LAWS, Subject
from tiebreak.studies.on_paper.printed import errors_apart, status
from worked_examples import examples_of

FAST = {"agreement": {"pairs": 200, "items": 100, "relevant": range(2, 6)}, "properties": {"items": 6, "relevant": 2}}


def found(by, column, *keys, **options):
    """A column by the other columns named."""
    return {tuple(row[key] for key in keys): row[column] for row in orientation(by=by, **options).to_dict()["rows"]}


def first_half(p):
    """A user's own measure: the share of relevant items among the first five positions."""
    return sum(place <= 5 for place in p) / len(p)


# --- every view ---


@pytest.mark.parametrize("by", VIEWS)
def test_every_view_says_what_it_found_and_is_drawn(by):
    pytest.importorskip("altair")
    made = orientation(by=by, **FAST.get(by, {}))
    assert made.rows() and made.conclusion.endswith(".") and all(note.endswith(".") for note in made.notes)
    assert set(made.drawn_as.columns) <= set(made.columns)
    made.plot()


@pytest.mark.parametrize("by", [by for by in VIEWS if by != "stochastic"])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_smallest_corpora_are_no_special_case(by, n, m):
    assert orientation(by=by, items=n, relevant=m, pairs=10).rows()


def test_function_that_fails_is_not_taken_to_be_bounded():
    def fails_for_eight(p):
        return 1 / (8 - len(p))

    with pytest.raises(InputError, match=r"fails_for_eight failed on positions .* ZeroDivisionError"):
        orientation(fails_for_eight, by="properties", items=6, relevant=2)


@pytest.mark.parametrize("by", ["orientation", "agreement", "ties", "stochastic", "properties", "diagram"])
def test_users_own_function_is_a_measure(by):
    sizes = {"relevant": 3} if by == "stochastic" else {"items": 8, "relevant": 3}
    made = orientation(["AP", first_half], by=by, pairs=50, **sizes)
    assert {"AP", "first_half"} <= {row["measure"] for row in made.to_dict()["rows"]}


@pytest.mark.parametrize("by", ["orientation", "agreement", "ties", "stochastic", "properties"])
def test_threads_change_nothing(by):
    heard = []
    options = {"by": by, "pairs": 300} | ({"items": 6, "relevant": 2} if by == "properties" else {})
    if by == "agreement":
        options |= {"items": [50, 60, 70], "relevant": range(2, 9)}
    made = orientation(**options, jobs=1)
    assert made.rows() == orientation(**options, jobs=4, tick=lambda done, total: heard.append((done, total))).rows()
    assert heard[-1][0] == heard[-1][1] == len(heard) > 1


# --- orientation (LR 3.1, Fig 5) ---


def test_orientation_by_hand():
    loss = found("orientation", "loss", "measure", "relevant", "orientation", measures=["AP", "TSE"], items=10)
    # AP of (1, 9, 10) less that of (8, 9, 10), and of (1, 2, 3) less that of (1, 2, 10)
    assert loss["AP", 3, "precision"] == pytest.approx((1 - 1 / 8) / 3, abs=1e-15)
    assert loss["AP", 3, "recall"] == pytest.approx((3 / 3 - 3 / 10) / 3, abs=1e-15)
    assert loss["TSE", 3, "recall"] == 1 and loss["TSE", 3, "precision"] == 0
    assert loss["TSE", 10, "recall"] == 0  # all items are relevant: nothing can move, and there is no range


def test_figure_5_exceptions_at_one_relevant_item_are_named():
    made = orientation()
    assert "Most precision-oriented: RR, except for m = 1, where R@1000, RP, TSE would lose more." in made.conclusion
    assert "Most recall-oriented: TSE." in made.conclusion
    assert any("TSE is scaled" in note for note in made.notes)
    assert not any("TSE is scaled" in note for note in orientation("AP", items=10).notes)
    assert "Precision, m = 1: R@1000 = RP = TSE > RR = AP > nDCG > RBP(p=0.5)." in made.notes
    assert "Precision, m = 3 to 15: RR > RBP(p=0.5) > nDCG > R@1000 = RP > AP > TSE." in made.notes
    assert "Recall, m = 1: R@1000 = RP = TSE > RR = AP > nDCG > RBP(p=0.5)." in made.notes
    assert "Recall, m = 2 to 15: TSE > R@1000 = RP > AP > nDCG > RBP(p=0.5) > RR." in made.notes


SPECS = {"ap": "AP", "rr": "RR", "ndcg": "binary_nDCG", "rp": "RP", "rk": "R@1000", "rbp": "RBP(p=0.5)"}


@pytest.mark.parametrize("way", ["precision", "recall"])
def test_worked_examples_of_orientation(way):
    for arguments, expected in examples_of(f"{way}_orientation"):
        made = orientation(SPECS[arguments["metric"]], items=arguments["n"], relevant=arguments["m"])
        (value,) = (row["loss"] for row in made.to_dict()["rows"] if row["orientation"] == way)
        assert value == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


# --- region (LR Fig 7) ---


@pytest.mark.parametrize(("n", "m"), [(7, 1), (7, 2), (8, 4), (5, 5)])
def test_region_counts_all_rankings(n, m):
    ends = [(p[0], p[-1]) for p in combinations(range(1, n + 1), m)]
    made = found("region", "rankings", "first", "last", items=n, relevant=m)
    assert made == {pair: ends.count(pair) for pair in ends}
    percent = found("region", "percent", "first", "last", items=n, relevant=m)
    assert percent == {pair: pytest.approx(100 * ends.count(pair) / comb(n, m)) for pair in ends}


def test_region_says_how_the_ends_are_related():
    ends = np.array([(p[0], p[-1]) for p in combinations(range(1, 13), 4)])
    assert f"{np.corrcoef(ends.T)[0, 1]:.3f}" == "0.250"  # 1/m, whatever n is
    assert "45 of 144 pairs" in orientation(by="region").conclusion
    assert "correlation is 0.250." in orientation(by="region").conclusion
    assert "correlation" not in orientation(by="region", items=4, relevant=4).conclusion


# --- agreement (LR 4.3, Table 2) ---


@pytest.fixture(scope="module")
def table_2():
    return orientation(by="agreement").to_dict()["rows"]


def test_table_2_is_reproduced_within_sampling_error(table_2):
    assert len(table_2) == 4 * 7
    assert {row["status"] for row in table_2} <= {"exact", "within sampling error"}
    # Of 28 cells none is three standard errors away, counting the chance of the printed numbers as well.
    assert max(abs(row["apart"] or 0) for row in table_2) < 3


def test_table_2_where_nothing_is_left_to_chance(table_2):
    sure = {(row["measure"], row["items"]): (row["share"], row["status"]) for row in table_2}
    for n in (10**3, 10**4, 10**5, 10**6):
        assert sure["TSE", n] == (1.0, "exact")
    assert sure["R@1000", 1000] == (0.0, "exact")  # all 1000 items are within the cutoff: every pair ties


def test_table_2_other_recall_measures_do_worse_than_a_coin(table_2):
    share = {(row["measure"], row["items"]): row["share"] for row in table_2}
    for n in (10**3, 10**4, 10**5, 10**6):
        assert max(share["R@1000", n], share["RP", n]) < share["random", n] < min(share["AP", n], share["nDCG", n])


def test_average_precision_at_1000_items_is_printed_low():
    # 200,000 pairs leave an error of 0.001, so what remains is the chance of the printed number, sqrt(.541 .459 / 1e4).
    made = orientation("AP", by="agreement", items=1000, pairs=200_000, seed=5).to_dict()["rows"]
    (row,) = (row for row in made if row["measure"] == "AP")
    assert row["printed"] == "0.541" and row["error"] == pytest.approx(
        (row["share"] * (1 - row["share"]) / 197e3) ** 0.5, rel=0.01
    )
    assert row["apart"] == pytest.approx((row["share"] - 0.541) / hypot(row["error"], 0.00498), rel=0.01)
    assert 1.8 < row["apart"] < 2.6 and row["status"] == "within sampling error"


def test_agreement_is_the_share_over_all_pairs_of_rankings():
    """A slow twin: all pairs of rankings of 7 items, 3 of them relevant, strictly different in the last position."""

    def average_precision(p):
        return sum(Fraction(i, k) for i, k in enumerate(p, start=1)) / len(p)

    every = list(combinations(range(1, 8), 3))
    differ = [(x, y) for x in every for y in every if x[-1] < y[-1]]
    expected = {
        "AP": Fraction(sum(average_precision(x) > average_precision(y) for x, y in differ), len(differ)),
        "R@4": Fraction(sum(sum(k <= 4 for k in x) > sum(k <= 4 for k in y) for x, y in differ), len(differ)),
        "RR": Fraction(sum(x[0] < y[0] for x, y in differ), len(differ)),
        "LexiRecall": 1,
        "tied": 1 - Fraction(2 * len(differ), len(every) ** 2),
    }
    made = orientation(["AP", "R@4", "RR", "LexiRecall"], by="agreement", items=7, relevant=3, pairs=40_000).to_dict()[
        "rows"
    ]
    assert made[0]["printed"] is None and made[0]["status"] is None
    for row in made[:-1]:
        assert row["share"] == pytest.approx(float(expected[row["measure"]]), rel=0, abs=4 * row["error"] + 1e-12)
    assert made[1]["error"] < 0.003


def test_agreement_is_drawn_by_its_seed():
    options = {"by": "agreement", "items": 50, "relevant": 4, "pairs": 500}
    assert orientation("AP", **options, seed=3).rows() == orientation("AP", **options, seed=3).rows()
    assert orientation("AP", **options, seed=3).rows() != orientation("AP", **options, seed=4).rows()


def test_printed_numbers_stand_only_beside_sizes_of_the_paper():
    made = orientation("TSE", by="agreement", items=1000, relevant=3, pairs=10).to_dict()["rows"]
    assert {row["printed"] for row in made} == {None} == {row["status"] for row in made}


def test_agreement_where_all_worst_cases_tie():
    made = orientation("AP", by="agreement", items=4, relevant=4, pairs=10).to_dict()["rows"]
    assert made[0]["share"] == 1 and np.isnan(made[1]["share"])


@pytest.mark.parametrize(
    ("found_value", "error", "printed", "apart", "said"),
    [
        (0.5404, 0.005, "0.540", 0.0567, "exact"),
        (0.550, 0.005, "0.541", 1.2750, "within sampling error"),  # (.55 - .541) / hypot(.005, .00498)
        (0.580, 0.005, "0.541", 5.5249, "different"),
    ],
)
def test_status_beside_a_printed_number(found_value, error, printed, apart, said):
    value = errors_apart(found_value, error, printed)
    assert value == pytest.approx(apart, abs=2e-3) and status(found_value, printed, value) == said


def test_number_without_chance_is_exact_or_different():
    assert errors_apart(0.9, 0.0, "1.000") is None
    assert status(0.9, "1.000") == "different" and status(0.9996, "1.000") == "exact"


def test_every_set_of_positions_is_drawn_alike():
    drawn = draw(np.random.default_rng(1), 20_000, 6, 3)
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    # 20 sets, 1000 each expected: chi square of 19 degrees of freedom is above 43.8 once in 1000.
    assert len(counts) == comb(6, 3) and ((counts - 1000) ** 2 / 1000).sum() < 43.8


@given(st.integers(1, 40), st.data())
def test_drawn_positions_increase_within_the_corpus(n, data):
    m = data.draw(st.integers(1, n))
    p = draw(np.random.default_rng(0), 20, n, m)
    assert (np.diff(p, axis=1) > 0).all() and p.min() >= 1 and p.max() <= n


# --- ties (LR Tables 3 and 4, LP Fig 2) ---


def test_tables_3_and_4_to_their_printed_digits():
    made = orientation(by="ties").to_dict()["rows"]
    assert len(made) == 9 * 5
    wrong = {
        (row["table"], row["items"], row["relevant"], row["measure"]): (row["printed"], round(row["probability"], 5))
        for row in made
        if row["status"] != "exact"
    }
    # Cut, not rounded; and Table 3 prints the second one rightly, as 0.980.
    assert wrong == {
        ("Table 3", 10**3, 10, "RP"): ("0.825", 0.82566),
        ("Table 4", 10**6, 10, "R@1000"): ("0.981", 0.98029),
    }
    assert {row["method"] for row in made if row["measure"] != "AP"} == {"formula"}
    assert "43 of 45 printed numbers" in orientation(by="ties").conclusion


def test_ties_of_measures_without_a_formula_are_counted_over_all_pairs():
    # Of 15 position vectors AP ties (2, 6) and (3, 4), 5/12 both: 15 + 2 of 225 pairs.
    row = orientation("AP", by="ties", items=6, relevant=2).to_dict()["rows"][0]
    assert (
        row["probability"] == pytest.approx((15 + 2) / 225) and row["method"] == "all pairs" and row["printed"] is None
    )


@pytest.mark.parametrize(("n", "method"), [(12, "all pairs"), (30, "drawn")])
def test_counted_and_drawn_ties_agree_with_the_formula(n, method):
    options = {"by": "ties", "items": n, "relevant": 3, "pairs": 40_000}
    same = {
        "R@5": first_half,
        "RR": lambda p: 1 / p[0],
        "TSE": lambda p: -p[-1],
        "LexiRecall": lambda p: p[0] + 99 * (p[1] + 99 * p[2]),
    }
    for spec, function in same.items():
        exact, other = (orientation(measure, **options).to_dict()["rows"][0] for measure in (spec, function))
        assert (exact["method"], exact["error"], other["method"]) == ("formula", 0, method)
        assert other["probability"] == pytest.approx(exact["probability"], rel=0, abs=4 * other["error"] + 1e-12)
        assert other["error"] < 0.003 and (other["error"] > 0) == (method == "drawn")


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("RR(level=2)", lambda p: p[1]),
        ("RR@3", lambda p: min(p[0], 4)),
        ("R", len),
        ("TSE(R@3)", lambda p: p[2] <= 3),
        ("SL3", lambda p: p[2]),
    ],
)
def test_relatives_of_measures_with_a_formula_are_counted(spec, value):
    values = [value(p) for p in combinations(range(1, 8), 3)]
    row = orientation(spec, by="ties", items=7, relevant=3).to_dict()["rows"][0]
    assert row["method"] == "all pairs"
    assert row["probability"] == pytest.approx(sum(x == y for x in values for y in values) / len(values) ** 2)


def test_ties_by_the_first_position():
    made = found("first", "probability", "relevant", "first", items=10, relevant=3)
    # Of C(10, 3) = 120 rankings C(9, 2) = 36 begin with a relevant item, and one begins at 8.
    assert made[3, 1] == 36 / 120 and made[3, 8] == 1 / 120 and sum(made.values()) == pytest.approx(1)
    at_top = found("first", "probability", "relevant", "first")
    assert [at_top[m, 1] for m in (1, 10, 100)] == [m / 50_000 for m in (1, 10, 100)]
    assert found("first", "in_a_million", "relevant", "first")[1, 1] == pytest.approx(20)


# --- stochastic rankers (LR 7.2.4, Fig 16) ---


def test_worked_examples_of_stochastic_rankers():
    for arguments, expected in examples_of("wc_optimal_stochastic"):
        made = found("stochastic", "worst_case", "order", measures=SPECS[arguments["metric"]], relevant=arguments["m"])
        assert made[("drawn order",)] == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


def literal_worst_cases(value, m):
    """Over all users, in one order and on average over all orders."""
    users = [u for size in range(1, m + 1) for u in combinations(range(m), size)]
    orders = list(permutations(range(1, m + 1)))
    by_user = [[value(tuple(sorted(order[i] for i in user))) for order in orders] for user in users]
    return min(of[0] for of in by_user), min(sum(of) / len(of) for of in by_user)


@pytest.mark.parametrize("m", [1, 2, 4, 5])
def test_worst_cases_without_the_theorem_equal_enumeration(m):
    def odd(p):
        return sum(1 / place if place % 2 else 0.1 for place in p) / len(p)

    made = found("stochastic", "worst_case", "measure", "order", measures=[odd, "RP", "AP"], relevant=m)
    name = next(name for name, _ in made)
    assert (made[name, "fixed order"], made[name, "drawn order"]) == pytest.approx(literal_worst_cases(odd, m))
    precision = literal_worst_cases(lambda p: sum(k <= len(p) for k in p) / len(p), m)
    assert (made["RP", "fixed order"], made["RP", "drawn order"]) == pytest.approx(precision)
    average = literal_worst_cases(lambda p: sum(i / k for i, k in enumerate(p, start=1)) / len(p), m)
    assert (made["AP", "fixed order"], made["AP", "drawn order"]) == pytest.approx(average)


def test_drawing_the_order_never_gives_the_worst_off_user_less():
    assert "It never gives less than a fixed one." in orientation(by="stochastic").conclusion


# --- diagram (LP Fig 1) ---


def test_diagram_of_reciprocal_rank_and_lexiprecision():
    height = found("diagram", "height", "measure", "positions", items=5, relevant=2)
    in_order = [",".join(map(str, p)) for p in combinations(range(1, 6), 2)]
    # Best first: the lexicographic order is the order of combinations.
    assert [height["LexiPrecision", p] for p in in_order] == list(range(10))[::-1]
    assert [height["RR", p] for p in in_order] == [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    tied = found("diagram", "tied", "measure", "positions", items=5, relevant=2)
    assert tied["RR", "1,4"] == 4 and tied["RR", "4,5"] == 1 and tied["LexiPrecision", "1,4"] == 1


def test_diagram_of_five_relevant_items_as_in_the_paper():
    made = orientation(by="diagram", items=7, relevant=5)
    assert made.conclusion == "Of 21 rankings RR tells 3 apart, LexiPrecision tells 21 apart."  # n - 4, and C(7, 5)


def test_tied_rankings_stand_side_by_side_in_a_diagram():
    places = [(row["measure"], row["height"], row["aside"]) for row in orientation(by="diagram").to_dict()["rows"]]
    assert len(set(places)) == len(places)
    assert [aside for measure, height, aside in places if measure == "RR" and height == 1] == [-1, 0, 1]


def test_diagram_needs_an_order():
    with pytest.raises(InputError, match="RPP does not order rankings"):
        orientation("RPP", by="diagram")


# --- properties (LR appendix B, Table 8) ---

YES, NO, NA = "holds", "violated", "NA"
TABLE_8 = {
    "increasing in retrieval size": (YES, YES, YES, YES),
    "decreasing in nonrelevance": (YES, YES, YES, YES),
    "strictly decreasing in nonrelevance": (NO, NO, NO, NO),
    "increasing in relevance": (YES, YES, YES, YES),
    "strictly increasing in relevance": (NO, YES, NO, YES),
    "increasing in swapping up": (YES, YES, YES, YES),
    # The last is blank in print, though the proof of LR theorem B.10 finds a strict preference in every case.
    "strictly increasing in swapping up": (NO, YES, NO, YES),
    "concavity in contiguous swap depth": (YES, YES, YES, NA),
    # As defined, two swaps in one ranking: ticked in print.
    "concavity in contiguous swap depth, as defined": (NO, NO, NO, NA),
    "strict concavity in contiguous swap depth": (NO, YES, NO, NA),
    "strict concavity in contiguous swap depth, as defined": (NO, NO, NO, NA),
    "suffix invariance": (NO, NO, NO, NO),
    "prefix invariance": (NO, NO, NO, NO),
    # The third is blank in print: e(p_m) lies between 0 and e(1).
    "boundedness": (NO, NO, YES, NA),
    "localization": (NO, NO, NO, NA),
    "completeness": (NO, NO, NO, NA),
    "realizability": (NO, NO, NO, NA),
}
DIFFERENT = {
    ("strictly increasing in swapping up", "LR"),
    ("concavity in contiguous swap depth, as defined", "THRL"),
    ("concavity in contiguous swap depth, as defined", "THRL z(i, m) > 0"),
    ("concavity in contiguous swap depth, as defined", "TSE"),
    ("strict concavity in contiguous swap depth, as defined", "THRL z(i, m) > 0"),
    ("boundedness", "TSE"),
}


@pytest.fixture(scope="module")
def table_8():
    return orientation(by="properties")


def test_table_8_cell_by_cell(table_8):
    made = {}
    for row in table_8.to_dict()["rows"]:
        made.setdefault(row["property"], []).append(row["found"])
    assert {name: tuple(cells) for name, cells in made.items()} == TABLE_8


def test_table_8_where_it_differs_from_print(table_8):
    rows = table_8.to_dict()["rows"]
    assert {(row["property"], row["measure"]) for row in rows if row["status"] == "different"} == DIFFERENT
    assert {row["property"] for row in rows if row["status"] == "a convention"} <= {"completeness"}
    assert all((row["case"] is not None) == (row["found"] == NO) for row in rows)
    assert "59 of 68 cells are as printed" in table_8.conclusion


def test_concavity_as_defined_fails_for_average_precision_by_hand(table_8):
    case = {(row["property"], row["measure"]): row["case"] for row in table_8.to_dict()["rows"]}
    # AP of (6, 8): the first moved up gains (1/5 - 1/6)/2 = 1/60, the second 2/2 (1/7 - 1/8) = 1/56, which is more.
    said = case["concavity in contiguous swap depth, as defined", "THRL"]
    assert said == f"AP (6,8) to (5,8): {1 / 60:+.3g}; (6,8) to (6,7): {1 / 56:+.3g}"


def test_concavity_needs_a_convex_exposure(table_8):
    # 1 - (k/12)^2: from 2 to 1 it gains 3/144, from 3 to 2 it gains 5/144.
    (note,) = (note for note in table_8.notes if "Theorem B.5 takes a convex exposure" in note)
    assert f"(2) to (1): {3 / 144:+.3g}; (3) to (2): {5 / 144:+.3g}" in note


def test_counterexamples_are_what_they_claim():
    for spec, law, before, after in [
        ("RR", "strictly increasing in relevance", (1, 9), (1, 2)),
        ("TSE", "strictly increasing in swapping up", (2, 3), (1, 3)),
    ]:
        made = {row["property"]: row["case"] for row in orientation(spec, by="properties").to_dict()["rows"]}
        shown = [",".join(map(str, p)) for p in (before, after)]
        assert made[law] == f"({shown[0]}) to ({shown[1]}): a tie"
        (gain,) = prefer(preference(spec), np.array([after], dtype=np.int32), np.array([before], dtype=np.int32))
        assert gain == 0


def held(measure, **sizes):
    return {
        row["property"]
        for row in orientation(measure, by="properties", **sizes).to_dict()["rows"]
        if row["found"] == YES
    }


def test_properties_of_set_based_measures():
    # P@3 does not depend on what stands below 3, nor on how many items are relevant.
    assert {"suffix invariance", "localization", "boundedness"} <= held("P@3")
    assert "realizability" not in held("P@3") and "realizability" in held("AP")  # one relevant item: at most 1/3
    assert "suffix invariance" in held("R@3") and "localization" not in held("R@3")
    # n = 9, so a part has up to four positions: those up to 4, or those from 6 on.
    assert "suffix invariance" in held("P@4") and "suffix invariance" not in held("P@5")
    assert "prefix invariance" in held("P@5") and "prefix invariance" not in held("P@4")
    assert "boundedness" in held("R@3") and "boundedness" in held("AP") and "boundedness" not in held("SL3")


def test_measure_that_rewards_depth_breaks_every_monotonicity():
    def deeper(p):
        return float(sum(p))

    assert not {name for name in held(deeper, items=6, relevant=2) if "increasing" in name}


def test_preferences_are_not_asked_what_only_metrics_can_have():
    made = {row["property"]: row["found"] for row in orientation("RPP", by="properties", items=6).to_dict()["rows"]}
    assert {name for name, verdict in made.items() if verdict == NA} == {law.name for law in LAWS if law.of_metrics}
    assert made["strictly increasing in swapping up"] == YES  # some level rises and none falls


def test_swapping_up_is_tried_on_every_ranking():
    """A slow twin from the definition: y_i < y_j, i < j, the items at i and j change places."""
    from tiebreak.studies.on_paper.laws import swapped_up

    expected = set()
    for relevance in (bits for bits in np.ndindex(*(2,) * 6) if 1 <= sum(bits) <= 3):
        for i, j in combinations(range(6), 2):
            if relevance[i] < relevance[j]:
                after = list(relevance)
                after[i], after[j] = after[j], after[i]
                expected.add(tuple(tuple(k + 1 for k in range(6) if y[k]) for y in (relevance, after)))
    assert set(swapped_up(Subject("AP", preference("AP"), 6, 3))) == expected


def test_normalised_gain_is_convex_and_linear_exposure_is_not():
    for spec, is_convex in (("AP", True), ("nDCG", True), ("RBP(p=0.8)", True), ("linear(n=12)", False)):
        assert Subject(spec, preference(spec), 9, 3).is_convex == is_convex


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": "orientaton"}, 'unknown view "orientaton". Did you mean "orientation"?'),
        ({"measures": "APP"}, "APP"),
        ({"measures": []}, "no measure was given"),
        ({"measures": "RPP"}, "RPP is a preference. Give a metric, such as AP."),
        ({"measures": preference("LexiRecall"), "by": "stochastic"}, "LexiRecall is a preference."),
        ({"items": 0}, "items=0. Give a whole number from 1"),
        ({"items": [10, 20]}, "by='orientation' takes one number for items; 2 were given."),
        ({"items": 10, "relevant": 11}, "relevant=11. Give a whole number from 1 to 10."),
        ({"items": "10"}, "items='10'"),
        ({"relevant": []}, "no number of relevant was given"),
        ({"by": "region", "measures": "AP"}, "by='region' depends on no measure"),
        ({"by": "region", "items": 41}, "up to 40 items"),
        ({"by": "stochastic", "items": 10}, "by='stochastic' depends on no number of items"),
        ({"by": "stochastic", "measures": "RP"}, "up to 15 relevant items; 25 were asked for"),
        ({"by": "diagram", "items": 20, "relevant": 5}, "15,504 rankings"),
        ({"by": "properties", "items": 13}, "up to 12 items"),
        ({"items": 10**7 + 1}, "items=10000001. Give a whole number from 1 to 10000000."),
        ({"by": "agreement", "relevant": 1001, "items": 2000}, "relevant=1001. Rankings are drawn with up to 1,000."),
        ({"by": "agreement", "pairs": 1}, "pairs=1"),
        ({"by": "agreement", "seed": -1}, "seed=-1"),
        ({"by": "agreement", "jobs": 0}, "jobs=0"),
        ({"by": "ties", "measures": "bpref", "items": 6, "relevant": 2}, "bpref"),
    ],
)
def test_what_cannot_be_studied_is_refused(options, said):
    with pytest.raises(InputError) as refused:
        orientation(**options)
    assert said in str(refused.value)


def test_few_draws_settle_no_printed_digits():
    rows = orientation("AP", by="ties", pairs=2).to_dict()["rows"]
    assert {row["status"] for row in rows} == {"within sampling error"}
    settled = orientation("AP", by="ties", pairs=10_000).to_dict()["rows"]
    assert {row["status"] for row in settled} == {"exact"}
    # 1 - 0.05^(1/2) of two draws
    assert any("below 0.8 at 95%" in note for note in orientation("AP", by="ties", pairs=2).notes)


def test_nothing_printed_is_named_for_other_sizes():
    assert not any("Printed" in note for note in orientation("AP", by="ties", items=20, relevant=5).notes)
    assert not any("Printed" in note for note in orientation("AP", by="agreement", items=20, relevant=5).notes)
