"""The axioms of AB 4.1: what each one orders, the metrics from their equations, and what the search finds."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from tiebreak._base.spec import parse
from tiebreak.errors import InputError
from tiebreak.metrics.diversity.alpha_beta_ndcg import AlphaBetaNDCG
from tiebreak.studies._axiom_forms import discount
from tiebreak.studies._axiom_laws import AXIOMS, satisfaction
from tiebreak.studies._axiom_rankings import (
    GRIDS,
    NOTHING,
    Item,
    Pair,
    Ranking,
    format_ranking,
    item,
    random_rankings,
    shares,
)
from tiebreak.studies._axioms import METRICS, axiom_measure, package_measure
from tiebreak.studies._counterexamples import Domain, search

pytestmark = pytest.mark.slow  # searches and drawings of many cases

EVEN = shares(1, 1)
D2, D3, D4 = (1 / math.log2(rank + 1) for rank in (2, 3, 4))
BY_NAME = {axiom.name: axiom for axiom in AXIOMS}


def made(text):
    """``"5a ?ab 0"`` as items: a rating, or ? for none, and the letters of the aspects."""
    return tuple(item(None if word[0] == "?" else int(word[0]), word[1:]) for word in text.split())


def ordered(axiom, text, interest=EVEN):
    """The pairs that an axiom orders of a ranking: better and worse."""
    return [(pair.better, pair.worse) for pair in BY_NAME[axiom].pairs(Ranking(made(text), interest))]


def pairs(*texts):
    return [(made(better), made(worse)) for better, worse in texts]


def value(spec, text, interest=EVEN):
    return float(axiom_measure(spec).exact(made(text), interest, 5))


@pytest.fixture(scope="module")
def found():
    return tb.studies.axioms(lists=500)


@pytest.fixture(scope="module")
def cells(found):
    return {(row["measure"].split("(")[0], row["law"]): row for row in found.to_dict()["rows"]}


# What each axiom orders.


def test_priority_orders_items_of_the_same_one_aspect_by_rating():
    assert ordered("Pri", "1a 5b 4a") == pairs(("4a 5b 1a", "1a 5b 4a"))
    assert ordered("Pri", "0a 1a") == pairs(("1a 0a", "0a 1a"))
    for already_or_incomparable in ("4a 1a", "4a 4a", "1a 4b", "1ab 4ab", "?a 4a", "1a ?a"):
        assert ordered("Pri", already_or_incomparable) == []


def test_priority_of_ratings_above_0_leaves_0_out():
    assert ordered("Pri > 0", "0a 1a") == []
    assert ordered("Pri > 0", "1a 2a") == pairs(("2a 1a", "1a 2a"))


def test_deepness_orders_the_same_swap_at_two_places():
    assert ordered("Deep", "1a 5a 1a 5a") == pairs(("5a 1a 1a 5a", "1a 5a 5a 1a"))
    assert ordered("Deep", "1a 5a 3b 1a 5a") == pairs(("5a 1a 3b 1a 5a", "1a 5a 3b 5a 1a"))
    for other in ("1a 5a 1a 4a", "1a 5a 2a 5a", "5a 1a 5a 1a", "1a 5a 1b 5b", "1ab 5ab 1ab 5ab", "?a 5a ?a 5a"):
        assert ordered("Deep", other) == []


def test_saturation_prefers_the_lower_rating_of_the_aspect_shown_less():
    assert ordered("NonPriSatAsp", "5a 4b 5a") == pairs(("5a 4b 5a", "5a 5a 4b"))
    assert ordered("NonPriSatAsp", "?a 4b 5a") == pairs(("?a 4b 5a", "?a 5a 4b"))  # s is alpha, not 0
    # What is liked more may be preferred for that.
    assert ordered("NonPriSatAsp", "5a 4b 5a", shares(2, 1)) == pairs(("5a 4b 5a", "5a 5a 4b"))
    assert ordered("NonPriSatAsp", "5a 4b 5a", shares(1, 2)) == []
    # Nothing above; no rating; an item that is not relevant satisfies nobody; ratings the other way; two aspects.
    for other in ("4b 5a", "3a 3b ?a 5b", "0a 4b 5a", "5a 5b 4a", "5a 4b 4a", "5a 4bc 5a"):
        assert ordered("NonPriSatAsp", other, shares(1, 1, 1)) == []


def test_satisfaction_is_that_of_independent_chances():
    # 1 - (1 - 1/2 x 4/5) (1 - 1/200) (1 - 0)
    assert satisfaction(made("4a ?ab 0a 5b"), "a") == 1 - Fraction(3, 5) * Fraction(199, 200)


def test_top_heaviness_compares_one_at_the_top_with_the_lower_half():
    assert ordered("TopHeav", "3a 0b 0a 0b") == pairs(("3a 0b 0a 0b", "0a 0b 3a 3b"))
    assert ordered("TopHeavComp", "3a 0b 0a 0b") == pairs(("0a 0b 3a 3b", "3a 0b 0a 0b"))
    for other in ("0a 0a", "3a 0a 0a", "3a 1a", "3a ?a", "?a 0a"):
        assert ordered("TopHeav", other) == ordered("TopHeavComp", other) == []


def test_aspect_relevance_orders_equals_by_the_interest_in_their_aspects():
    assert ordered("AspRel", "3a 3b", shares(2, 1)) == pairs(("3a 3b", "3b 3a"))
    assert ordered("AspRel", "1c 3a 1c 3b", shares(3, 2, 1)) == pairs(("1c 3a 1c 3b", "1c 3b 1c 3a"))
    for other in ("3b 3a", "3a 2b", "0a 0b", "3ac 3b", "1a 3a 3b", "3a 1b 3b", "3a 1a 3b", "?a ?b"):
        assert ordered("AspRel", other, shares(3, 2, 1)) == []
    assert ordered("AspRel", "3a 3b", EVEN) == []


def test_more_aspects_orders_neighbours_of_which_one_shows_more():
    assert ordered("MoreAsp", "1b 3a 3ab") == pairs(("1b 3ab 3a", "1b 3a 3ab"))
    for other in ("3ab 3a", "3a 2ab", "3a 3bc", "0a 0ab", "?a ?ab", "3a 1b 3ab", "3 3a"):
        assert ordered("MoreAsp", other, shares(1, 1, 1)) == []


def test_more_interest_orders_neighbours_by_what_is_left_of_it():
    assert ordered("MoreAsp any", "3b 3a", shares(2, 1)) == pairs(("3a 3b", "3b 3a"))
    # 2/3 x 1/2 of a is left, and all 1/3 of b: as much. A rating of 4 leaves 2/3 x 3/5, which is more.
    assert ordered("MoreAsp any", "5a 3b 3a", shares(2, 1)) == []
    assert ordered("MoreAsp any", "4a 3b 3a", shares(2, 1)) == pairs(("4a 3a 3b", "4a 3b 3a"))


def test_missing_over_non_relevant_orders_unrated_before_0():
    assert ordered("MissOverNon", "0a 5a ?b") == pairs(("?b 5a 0a", "0a 5a ?b"))
    for other in ("?a 0a", "1a ?a", "0a ?", "0a 0a", "?a ?a"):
        assert ordered("MissOverNon", other) == []


# Metrics from their equations.


def test_forms_by_hand():
    # 1 - (1 - 4/5 x 1/2 x 1/2) (1 - 4/5 x 1/2 x 1/2); then a/2 is left of 3/5, of an unrated item
    assert value("alpha_beta_nDCG", "4ab ?a") == pytest.approx(1 - 0.8 * 0.8 + 0.005 * 0.3 * D2, abs=1e-15)
    # The item of rating 0 is not seen; b is new at rank 4
    assert value("alpha_nDCG", "5a 0a 3a 4ab") == pytest.approx(
        1 + 3 / 5 * 0.5 * D3 + 4 / 5 * (0.25 + 1) * D4, abs=1e-15
    )
    # (1 - 3/4 x 9/10) / 2 of the sum
    assert value("NRBP(alpha=0.25, beta=0.9)", "5a 0a 5a") == pytest.approx((1 + 0.81 * 0.75) * 0.325 / 2, abs=1e-15)
    # The item of rating 0 makes a worth less, and looking costs 1/20
    assert value("EU", "0a 5a") == pytest.approx(-0.05 + 0.99 * (0.5 * 0.75 - 0.05), abs=1e-15)
    assert value("RBU", "5a 1ab") == pytest.approx(
        0.99 * (31 / 32 / 2 - 0.05) + 0.99**2 * ((1 / 2 / 32 + 1 / 2) / 32 - 0.05), abs=1e-15
    )
    assert value("S-Recall", "0a ?a") == 0.5
    assert value("S-RR", "0a ?a 0b 5b") == pytest.approx(1 / 3)
    assert value("S-RR", "0a ?a") == 0
    assert value("S-RR@2", "0a ?a 0b") == 0


def test_discount_is_known_to_60_digits():
    for rank, number in ((1, Fraction(1)), (3, Fraction(1, 2)), (7, Fraction(1, 3)), (8, discount(2, True) / 2)):
        assert abs(discount(rank, True) - number) < Fraction(1, 10**60)  # log2(9) is 2 log2(3)
    assert all(float(discount(rank, True)) == pytest.approx(discount(rank, False), rel=1e-15) for rank in range(1, 99))


RATED = st.tuples(st.sampled_from([None, 0, 1, 2, 3, 4, 5]), st.sampled_from(["a", "b", "ab", "abc", "c"]))


def evaluated(items, spec):
    """What the package makes of a ranking, and the interest in each aspect (eq 9)."""
    names = [f"i{place}" for place in range(len(items))]
    qrels = {"u": {name: rating for name, (rating, _) in zip(names, items, strict=True) if rating is not None}}
    run = {"u": {name: float(len(items) - place) for place, name in enumerate(names)}}
    aspects = {name: list(shown) for name, (_, shown) in zip(names, items, strict=True)}
    (found,) = tb.Experiment(qrels, run, aspects=aspects).evaluate(spec).to_flat_dict().values()
    weight = {a: sum(r or 0 for r, shown in items if a in shown) for a in "abc"}
    return found, {a: Fraction(weight[a], sum(weight.values())) for a in "abc"}


def with_all_aspects(items):
    """With a relevant item of every aspect: all are of interest."""
    return [*items, (5, "abc")]


def greedy(items, interest, gain):
    """The order in which each next rated item gains most, and its discounted gain."""
    rest, chosen = [made for made in items if made.rating is not None], ()
    while rest:
        best = max(rest, key=lambda one: gain((*chosen, one), interest, 5))
        rest.remove(best)
        chosen += (best,)
    return gain(chosen, interest, 5)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(RATED, max_size=6))
def test_forms_equal_the_metrics_of_the_package(drawn):
    drawn = with_all_aspects(drawn)
    items = tuple(item(*each) for each in drawn)
    for spec in ("EU(r_max=5)@9", "RBU(r_max=5)@9", "EU(r_max=5)@2"):
        expected, interest = evaluated(drawn, spec)
        mine = axiom_measure(spec.replace("(r_max=5)", ""))
        assert float(mine.exact(items, interest, 5)) == pytest.approx(expected, abs=1e-12)
        assert mine.quick(items, {a: float(w) for a, w in interest.items()}, 5) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(RATED, max_size=5))
def test_alpha_beta_form_over_the_greedy_one_equals_the_metric_of_the_package(drawn):
    drawn = with_all_aspects(drawn)
    items = tuple(item(*each) for each in drawn)
    expected, interest = evaluated(drawn, "alpha_beta_nDCG(r_max=5)@9")
    gain = axiom_measure("alpha_beta_nDCG").exact
    assert float(gain(items, interest, 5) / greedy(items, interest, gain)) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(RATED, max_size=5))
def test_graded_forms_equal_the_graded_metrics_of_the_package(drawn):
    drawn = with_all_aspects(drawn)
    items = tuple(item(*each) for each in drawn)
    expected, interest = evaluated(drawn, "NRBP(alpha=0.25, beta=0.9, r_max=5)")
    assert float(axiom_measure("NRBP(alpha=0.25, beta=0.9)").exact(items, interest, 5)) == pytest.approx(
        expected, abs=1e-12
    )
    expected, interest = evaluated(drawn, "alpha_nDCG(r_max=5)@9")
    gain = axiom_measure("alpha_nDCG").exact
    assert float(gain(items, interest, 5) / greedy(items, interest, gain)) == pytest.approx(expected, abs=1e-12)


# What is found.

EXPECTED = {
    # Pri Deep NonPriSatAsp TopHeav TopHeavComp AspRel MoreAsp MissOverNon, Pri > 0, MoreAsp any
    "alpha_nDCG": "nyyyynynyn",
    "S-Recall": "nnnnnnnnnn",
    "S-RR": "nnynnnnnnn",
    "NRBP": "nyyyynynyn",
    "EU": "yyyyyyynyn",
    "RBU": "yyyyyyynyn",
    "alpha_beta_nDCG": "yyyyyynnyn",
}


@pytest.mark.parametrize("metric", EXPECTED)
def test_every_cell(cells, metric):
    verdicts = {axiom: mark == "y" for axiom, mark in zip(BY_NAME, EXPECTED[metric], strict=True)}
    assert {axiom: cells[metric, axiom]["holds"] for axiom in BY_NAME} == verdicts


def test_what_decides_is_ordered_as_it_says(cells):
    for cell in cells.values():
        asks_for_one = BY_NAME[cell["law"]].asks_for_one
        assert (cell["better"] is None) == (cell["holds"] != asks_for_one)
        assert cell["order"] in ((None,) if cell["better"] is None else (">",) if asks_for_one else ("=", "<"))
        assert cell["tried"] > 0


def test_alpha_beta_breaks_more_aspects_by_its_noisy_or(cells):
    cell = cells["alpha_beta_nDCG", "MoreAsp"]
    assert (cell["better"], cell["worse"]) == ("[0:a, 5:a+b, 5:a]", "[0:a, 5:a, 5:a+b]")
    assert cell["interests"] == "a 9/10, b 1/10"
    # With P = 1/2: .9/2 and .1/2 at first, half of the former behind an item that shows a
    assert cell["value_better"] == pytest.approx((1 - 0.55 * 0.95) * D2 + 0.225 * D3, abs=1e-15)
    assert cell["value_worse"] == pytest.approx(0.45 * D2 + (1 - 0.775 * 0.95) * D3, abs=1e-15)
    assert cell["value_better"] < cell["value_worse"]


@pytest.mark.parametrize(("alpha", "rank"), [(0.005, 398), (0.5, 8)])
def test_alpha_beta_breaks_missing_over_non_relevant_from_some_rank_on(alpha, rank):
    spec = f"alpha_beta_nDCG(alpha={alpha})"
    (row,) = (row for row in tb.studies.axioms(spec, lists=0).to_dict()["rows"] if row["law"] == "MissOverNon")
    assert not row["holds"]
    assert row["better"].startswith(f"[{rank - 1} x 0:none, ?:a+b, 5:a, 5:")
    between = "5a 5b" if alpha < 0.1 else "5a 5a"
    pair = Pair(made(f"?ab {between} 0a"), made(f"0a {between} ?ab"), EVEN)
    assert row["worse"] == format_ranking(pair.below(rank - 1).worse)
    assert [axiom_measure(spec).sign(pair.below(above)) for above in (0, rank - 2, rank - 1, 1000)] == [1, 1, -1, -1]


@pytest.mark.parametrize("metric", ["alpha_nDCG", "NRBP"])
def test_counting_metrics_break_priority_where_the_lower_rating_is_0(cells, metric):
    cell = cells[metric, "Pri"]
    assert (cell["better"], cell["worse"]) == ("[1:a, 4:a, 0:a]", "[0:a, 4:a, 1:a]")
    if metric == "alpha_nDCG":
        assert cell["value_better"] == pytest.approx(1 / 5 + 4 / 5 * 0.5 * D2, abs=1e-15)
        assert cell["value_worse"] == pytest.approx(4 / 5 * D2 + 1 / 5 * 0.5 * D3, abs=1e-15)
    assert cells[metric, "Pri > 0"]["holds"]


def test_witnesses_of_top_heaviness_are_the_least_that_depth_allows(cells):
    # .1 (1 / log2(5) + .9 / log2(6) + .81 / log2(7)) > .1, and two such items are not enough
    cell = cells["alpha_beta_nDCG", "TopHeavComp"]
    assert cell["better"] == "[0:a, 0:a, 0:a, 1:a, 1:a, 1:a]"
    assert cell["value_better"] == pytest.approx(0.1 * (D4 + 0.9 / math.log2(6) + 0.81 / math.log2(7)), abs=1e-15)
    assert 0.1 * (D3 + 0.9 * D4) < cell["value_worse"] == pytest.approx(0.1, abs=1e-15)


def test_cutoff_inside_the_ranking_is_seen():
    whole, cut = (
        {row["law"]: row for row in tb.studies.axioms(spec, lists=0).to_dict()["rows"]}
        for spec in ("S-Recall", "S-Recall@2")
    )
    assert not whole["NonPriSatAsp"]["holds"]
    assert cut["NonPriSatAsp"]["holds"]
    assert cut["NonPriSatAsp"]["better"] == "[5:a, 1:b, 5:a]"


# Functions of users.


def utility(items, interest, r_max):
    """Without redundancy: each item by its rank, rating and interest; unrated ones are worth a little."""
    return sum(
        (0.01 if rating is None else rating) / rank * float(sum(interest[a] for a in aspects))
        for rank, (rating, aspects) in enumerate(items, start=1)
    )


def test_function_that_keeps_all_but_redundancy():
    found = {row["law"]: row["holds"] for row in tb.studies.axioms(utility, lists=300).to_dict()["rows"]}
    # Interest is never used up: redundant items stay as good, and interest left is not what counts.
    assert [axiom for axiom, holds in found.items() if not holds] == ["NonPriSatAsp", "MoreAsp any"]


def test_constant_breaks_everything_by_ties():
    rows = tb.studies.axioms(lambda items, interest, r_max: 1, lists=5).to_dict()["rows"]
    assert not any(row["holds"] for row in rows)
    assert {row["order"] for row in rows} == {"=", None}


def test_tiny_difference_counts_as_fraction_and_ties_as_float():
    exact = axiom_measure(lambda items, interest, r_max: Fraction(items[0].rating or 0, 10**30))
    rounded = axiom_measure(lambda items, interest, r_max: 1 + (items[0].rating or 0) * 1e-13)
    pair = Pair(made("5a 1a"), made("1a 5a"), EVEN)
    assert (exact.sign(pair), rounded.sign(pair)) == (1, 0)


def test_ties_of_the_metrics_are_decided_exactly():
    # Both orders of a and b are worth the same where both are new, rated alike and of the same interest.
    pair = Pair(made("0c 1a 1b 5ab"), made("0c 1b 1a 5ab"), shares(1, 1, 1))
    assert [axiom_measure(spec).sign(pair) for spec in METRICS] == [0] * len(METRICS)
    # 1e-12 apart: floats alone would not be trusted with it
    nearly = {"a": Fraction(1, 2) + Fraction(1, 10**12), "b": Fraction(1, 2) - Fraction(1, 10**12)}
    assert axiom_measure("EU").sign(Pair(made("1a 1b"), made("1b 1a"), nearly)) == 1


def test_random_violation_is_made_small():
    def hates_long_lists(items, interest, r_max):
        return utility(items, interest, r_max) if len(items) < 7 else 0

    drawn = [ranking for ranking in random_rankings(300, 0) if len(ranking.items) == 8]
    axiom = BY_NAME["Pri"]
    pairs_of_eight = axiom.pairs_in(drawn)
    found = search(axiom, axiom_measure(hates_long_lists), Domain([pairs_of_eight], Pair.size, axiom.smaller))
    assert found.tried == len(pairs_of_eight) > 50
    assert len(found.case.better) == 7


def test_function_by_its_path(tmp_path, monkeypatch):
    (tmp_path / "own_axiom_metric.py").write_text(
        "def first(items, interest, r_max):\n    return items[0].rating or 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rows = tb.studies.axioms("own_axiom_metric:first", lists=0).to_dict()["rows"]
    assert rows[0]["measure"] == "own_axiom_metric:first"
    # Of three items the last two do not count.
    assert (rows[0]["better"], rows[0]["order"], rows[0]["worse"]) == ("[0:a, 1:a, 0:a]", "=", "[0:a, 0:a, 1:a]")


# How it runs and reads.


def test_result_does_not_depend_on_threads_and_depends_on_the_seed_only():
    one, two = (tb.studies.axioms(["S-Recall", "S-RR"], lists=100, seed=3, jobs=jobs) for jobs in (1, 2))
    assert one.rows() == two.rows()
    assert list(random_rankings(20, 3)) == list(random_rankings(20, 3)) != list(random_rankings(20, 4))


def test_random_rankings_are_as_promised():
    for items, interest in random_rankings(300, 0):
        assert 2 <= len(items) <= 8
        assert sum(interest.values()) == 1
        assert all(interest[a] > 0 for one in items for a in one.aspects)
        assert all(one.aspects and (one.rating is None or 0 <= one.rating <= 5) for one in items)


def test_every_axiom_has_many_pairs_to_look_at(cells):
    assert all(cell["tried"] >= 200 for cell in cells.values() if cell["better"] is None)


def test_table_marks_what_holds_and_shows_what_decides(found):
    text = found.table().to_text()
    assert "[0:a, 5:a+b, 5:a] 0.414 < [0:a, 5:a, 5:a+b] 0.416; interest a 9/10, b 1/10." in text
    assert "TopHeav of S-Recall fails: none of " in text
    marks = {row[0]: row[1:8] for row in found.table().rows}
    assert marks["Pri"] == ("no", "no", "no", "no", "yes", "yes", "yes")
    assert marks["MissOverNon"] == ("no",) * 7
    assert found.table().header[1:] == (*METRICS, "tried")


def test_summary_of_a_function_says_what_it_keeps():
    assert tb.studies.axioms(utility, lists=0).conclusion.startswith(
        "utility violates NonPriSatAsp, MoreAsp any; it satisfies Pri, "
    )


def test_rankings_are_written_short():
    assert format_ranking((NOTHING,) * 4 + made("?ab 1b 1b")) == "[4 x 0:none, ?:a+b, 1:b, 1:b]"
    assert str(Item(None, frozenset())) == "?:none"


def test_grids_become_longer():
    assert [grid.length for grid in GRIDS] == sorted(grid.length for grid in GRIDS)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("AP", "unknown metric of aspects"),
        ("alpha_beta_nDCG(r_max=3)", "r_max cannot be given here"),
        ("alpha_nDCG(rel=3)", "rel cannot be given here"),
        ("alpha_beta_nDCG(alpha=2)", "alpha=2"),
        ("alpha_beta_nDCG(alpha='math:sqrt')", "alpha is a function"),
        (AlphaBetaNDCG(lambda user, item: 0.1, cutoff=3), "alpha and beta are numbers here"),
        ("no_such_module:f", "no_such_module"),
        ([], "no metric was given"),
        (["EU", " EU"], "the metric EU was given twice"),
        ([lambda *_: 0, lambda *_: 1], "the metric <lambda> was given twice"),
        (3, "3 is not a measure"),
        (lambda items, interest, r_max: math.nan, "Return a finite number"),
        (lambda items, interest, r_max: "high", "Return a finite number"),
        (lambda items: 0, "TypeError"),
    ],
)
def test_bad_metric_is_refused(metric, message):
    with pytest.raises(InputError, match=re.escape(message)):
        tb.studies.axioms(metric, lists=0)


@pytest.mark.parametrize("option", [{"lists": -1}, {"seed": -1}, {"lists": 1.5}, {"jobs": 0}])
def test_bad_numbers_are_refused(option):
    with pytest.raises(InputError, match=f"{next(iter(option))}="):
        tb.studies.axioms("S-RR", **option)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(RATED, max_size=5))
def test_any_metric_of_the_package_is_evaluated_as_it_is(drawn):
    drawn = with_all_aspects(drawn)
    items = tuple(item(*each) for each in drawn)
    for spec in ("S-Recall@9", "S-RR@9", "S-RR@2", "EU(r_max=5)@9", "vargas_nDCG@9", "ERR_IA@9", "nNRBP", "AP_IA"):
        expected, interest = evaluated(drawn, spec)
        assert package_measure(parse(spec)).exact(items, interest, 5) == pytest.approx(expected, abs=1e-12), spec


def test_metric_that_the_paper_does_not_look_at():
    found = {row["law"]: row for row in tb.studies.axioms("vargas_nDCG", lists=20).to_dict()["rows"]}
    # It sees neither ratings nor what is not rated.
    assert not found["Pri"]["holds"] and not found["MissOverNon"]["holds"] and found["AspRel"]["holds"]
