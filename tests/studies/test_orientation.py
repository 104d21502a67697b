"""Measures by themselves: the papers' tables cell by cell, slow twins, and what is refused."""

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak import InputError
from tiebreak.metrics import RecallLevelMetric
from tiebreak.preferences import preference
from tiebreak.studies import orientation
from tiebreak.studies._orientation import VIEWS
from tiebreak.studies._position_vectors import prefer, random_vectors
from tiebreak.studies._ranking_laws import LAWS, Subject, law_row, swap_up
from worked_examples import examples_of


def found(view, column, *keys, **options):
    """A column by the other columns named."""
    return {tuple(row[key] for key in keys): row[column] for row in orientation(view=view, **options).to_dict()["rows"]}


def first_half(p):
    """A user's own measure: the share of relevant items among the first five positions."""
    return sum(place <= 5 for place in p) / len(p)


# --- every view ---


OF_MEASURES = [view for view in VIEWS if view not in ("users", "providers")]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("view", OF_MEASURES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (2, 2), (3, 2)])
def test_smallest_corpora_are_no_special_case(view, n, m):
    assert orientation(view=view, items=n, relevant=m, pairs=10, samples=2).rows()


def test_function_that_fails_is_not_taken_to_be_bounded():
    def fails_for_eight(p):
        return 1 / (8 - len(p))

    with pytest.raises(InputError, match=r"fails_for_eight failed on positions .* ZeroDivisionError"):
        orientation(fails_for_eight, view="properties", items=6, relevant=2)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("view", OF_MEASURES)
def test_users_own_function_is_a_measure(view):
    result = orientation(["AP", first_half], view=view, pairs=50, items=8, relevant=3, samples=2)
    assert {"AP", "first_half"} <= {row["measure"] for row in result.to_dict()["rows"]}


# --- orientation (LR 3.1, Fig 5) ---


def test_orientation_by_hand():
    loss = found("orientation", "loss", "measure", "relevant", "orientation", measures=["AP", "TSE"], items=10)
    # AP of (1, 9, 10) less that of (8, 9, 10), and of (1, 2, 3) less that of (1, 2, 10)
    assert loss["AP", 3, "precision"] == pytest.approx((1 - 1 / 8) / 3, abs=1e-15)
    assert loss["AP", 3, "recall"] == pytest.approx((3 / 3 - 3 / 10) / 3, abs=1e-15)
    assert loss["TSE", 3, "recall"] == 1 and loss["TSE", 3, "precision"] == 0
    assert loss["TSE", 10, "recall"] == 0  # all items are relevant: nothing can move, and there is no range


def test_figure_5_exceptions_at_one_relevant_item_are_named():
    result = orientation()
    assert "Most precision-oriented: RR, except for m = 1, where R@1000, RP, TSE would lose more." in result.conclusion
    assert "Most recall-oriented: TSE." in result.conclusion
    assert any("TSE is scaled" in note for note in result.notes)
    assert not any("TSE is scaled" in note for note in orientation("AP", items=10).notes)
    assert "Precision, m = 1: R@1000 = RP = TSE > RR = AP > nDCG > RBP(p=0.5)." in result.notes
    assert "Precision, m = 3 to 15: RR > RBP(p=0.5) > nDCG > R@1000 = RP > AP > TSE." in result.notes
    assert "Recall, m = 1: R@1000 = RP = TSE > RR = AP > nDCG > RBP(p=0.5)." in result.notes
    assert "Recall, m = 2 to 15: TSE > R@1000 = RP > AP > nDCG > RBP(p=0.5) > RR." in result.notes


SPECS = {"ap": "AP", "rr": "RR", "ndcg": "binary_nDCG", "rp": "RP", "rk": "R@1000", "rbp": "RBP(p=0.5)"}


@pytest.mark.parametrize("way", ["precision", "recall"])
def test_worked_examples_of_orientation(way):
    for arguments, expected in examples_of(f"{way}_orientation"):
        result = orientation(SPECS[arguments["metric"]], items=arguments["n"], relevant=arguments["m"])
        (value,) = (row["loss"] for row in result.to_dict()["rows"] if row["orientation"] == way)
        assert value == pytest.approx(float(Fraction(expected)), rel=0, abs=1e-12)


def test_every_set_of_positions_is_drawn_alike():
    drawn = random_vectors(np.random.default_rng(1), 20_000, 6, 3)
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    # 20 sets, 1000 each expected: chi square of 19 degrees of freedom is above 43.8 once in 1000.
    assert len(counts) == comb(6, 3) and ((counts - 1000) ** 2 / 1000).sum() < 43.8


@given(st.integers(1, 40), st.data())
def test_drawn_positions_increase_within_the_corpus(n, data):
    m = data.draw(st.integers(1, n))
    p = random_vectors(np.random.default_rng(0), 20, n, m)
    assert (np.diff(p, axis=1) > 0).all() and p.min() >= 1 and p.max() <= n


# --- ties (LR Tables 3 and 4, LP Fig 2) ---


def test_ties_of_measures_without_a_formula_are_counted_over_all_pairs():
    # Of 15 position vectors AP ties (2, 6) and (3, 4), 5/12 both: 15 + 2 of 225 pairs.
    row = orientation("AP", view="ties", items=6, relevant=2).to_dict()["rows"][0]
    assert row["probability"] == pytest.approx((15 + 2) / 225) and row["method"] == "all pairs"


@pytest.mark.slow
@pytest.mark.parametrize(("n", "method"), [(12, "all pairs"), (30, "drawn")])
def test_counted_and_drawn_ties_agree_with_the_formula(n, method):
    options = {"view": "ties", "items": n, "relevant": 3, "pairs": 40_000}
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
    row = orientation(spec, view="ties", items=7, relevant=3).to_dict()["rows"][0]
    assert row["method"] == "all pairs"
    assert row["probability"] == pytest.approx(sum(x == y for x in values for y in values) / len(values) ** 2)


# --- properties (LR appendix B, Table 8) ---


def laws(measure, **sizes):
    return {row["law"]: row for row in orientation(measure, view="properties", **sizes).records()}


def test_concavity_as_defined_fails_for_average_precision_by_hand():
    # AP of (6, 8): the first moved up gains (1/5 - 1/6)/2 = 1/60, the second 2/2 (1/7 - 1/8) = 1/56, which is more.
    case = laws("AP")["concavity in contiguous swap depth, as defined"]["case"]
    assert case == f"(6,8) to (5,8): {1 / 60:+.3g}; (6,8) to (6,7): {1 / 56:+.3g}"


class ConcaveExposure(RecallLevelMetric):
    """A top-heavy metric whose exposure falls ever faster."""

    name: ClassVar[str] = "concave"

    def exposure(self, k, m):
        return 1 - (k / 12) ** 2

    def weight(self, i, m):
        return 0 * i + 1


def test_concavity_needs_a_convex_exposure():
    # 1 - (k/12)^2: from 2 to 1 it gains 3/144, from 3 to 2 it gains 5/144.
    law = next(law for law in LAWS if law.name == "concavity in contiguous swap depth")
    *_, case = law_row(law, Subject("concave", preference(ConcaveExposure()), 9, 1))
    assert case == f"(2) to (1): {3 / 144:+.3g}; (3) to (2): {5 / 144:+.3g}"


def test_counterexamples_are_what_they_claim():
    for spec, law, before, after in [
        ("RR", "strictly increasing in relevance", (1, 9), (1, 2)),
        ("TSE", "strictly increasing in swapping up", (2, 3), (1, 3)),
    ]:
        shown = [",".join(map(str, p)) for p in (before, after)]
        assert laws(spec)[law]["case"] == f"({shown[0]}) to ({shown[1]}): a tie"
        (gain,) = prefer(preference(spec), np.array([after], dtype=np.int32), np.array([before], dtype=np.int32))
        assert gain == 0


def held(measure, **sizes):
    return {law for law, row in laws(measure, **sizes).items() if row["holds"]}


@pytest.mark.slow
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
    result = laws("RPP", items=6)
    assert {name for name, row in result.items() if row["holds"] is None} == {
        law.name for law in LAWS if law.of_metrics
    }
    assert result["strictly increasing in swapping up"]["holds"]  # some level rises and none falls


def test_swapping_up_is_tried_on_every_ranking():
    """A slow twin from the definition: y_i < y_j, i < j, the items at i and j change places."""
    expected = set()
    for relevance in (bits for bits in np.ndindex(*(2,) * 6) if 1 <= sum(bits) <= 3):
        for i, j in combinations(range(6), 2):
            if relevance[i] < relevance[j]:
                after = list(relevance)
                after[i], after[j] = after[j], after[i]
                expected.add(tuple(tuple(k + 1 for k in range(6) if y[k]) for y in (relevance, after)))
    assert set(swap_up(Subject("AP", preference("AP"), 6, 3))) == expected


# --- what is refused ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": "orientaton"}, 'view "orientaton". Did you mean "orientation"?'),
        ({"measures": "APP"}, "APP"),
        ({"measures": []}, "no measure was given"),
        ({"measures": "RPP"}, "RPP is a preference. Give a metric, such as AP."),
        ({"items": 0}, "items=0. Give a whole number from 1"),
        ({"items": [10, 20]}, "view='orientation' takes one number for items; 2 were given."),
        ({"items": 10, "relevant": 11}, "relevant=11. Give a whole number from 1 to 10."),
        ({"items": "10"}, "items='10'"),
        ({"relevant": []}, "no relevant was given"),
        ({"view": "properties", "items": 13}, "up to 12 items"),
        ({"items": 10**7 + 1}, "items=10000001. Give a whole number from 1 to 10,000,000."),
        (
            {"view": "ties", "measures": "AP", "relevant": 1001, "items": 2000},
            "relevant=1001. Random rankings have at most 1,000.",
        ),
        ({"view": "ties", "pairs": 1}, "pairs=1"),
        ({"view": "ties", "seed": -1}, "seed=-1"),
        ({"view": "ties", "jobs": 0}, "jobs=0"),
        ({"view": "ties", "measures": "bpref", "items": 6, "relevant": 2}, "bpref"),
    ],
)
def test_what_cannot_be_studied_is_refused(options, message):
    with pytest.raises(InputError) as refused:
        orientation(**options)
    assert message in str(refused.value)


def test_ties_that_no_pair_showed_are_bounded():
    # 1 - 0.05^(1/2) of two pairs
    assert any("below 0.8 at 95%" in note for note in orientation("AP", view="ties", pairs=2).notes)
