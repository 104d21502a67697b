"""The ideal ordering, its perturbations and what measures make of them, against slow twins written from the paper."""

import math
import random
from fractions import Fraction
from functools import partial
from itertools import combinations, islice, product
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from tiebreak.errors import InputError
from tiebreak.metrics import metric
from tiebreak.orderings.correlation import tau_b
from tiebreak.projection.proportional import aspect_sums
from tiebreak.significance.classic import EXACT_UP_TO, wilcoxon_less
from tiebreak.studies._ideal import aspect_measures, rank_means, rises, score_all
from tiebreak.studies._ideal_rankings import PERTURBATIONS, Rater, swap_ends, whole_ratings
from tiebreak.studies._ideal_systems import Raters
from worked_examples import examples_of

ITEMS, ASPECTS = "abcdefgh", "wxyz"
FAMILIES = ("bottom to top", "redundant aspect", "swapped aspects")

ratings = st.dictionaries(st.sampled_from(ITEMS), st.sampled_from([0, 0.5, 1, 2, 3.5, 4, 5]), min_size=1)
tables = st.fixed_dictionaries({item: st.lists(st.sampled_from(ASPECTS), unique=True, min_size=1) for item in ITEMS})


def rater(ratings, aspects):
    """One user's items with an aspect, in the order of their ids, and the user; interests are those of the ratings."""
    items = sorted(item for item in ratings if aspects.get(item))
    labels = sorted({label for item in items for label in aspects[item]})
    of_items = [tuple(sorted(map(labels.index, aspects[item]))) for item in items]
    whole = whole_ratings(ratings.values())
    in_order = [whole[ratings[item]] for item in items]
    return items, Rater(in_order, of_items, aspect_sums(in_order, of_items, len(labels)))


def test_ratings_in_whole_numbers():
    assert whole_ratings([3.5, 4.0, 0.1]) == {3.5: 35, 4.0: 40, 0.1: 1}


def ideal_ordering(ratings, aspects, k=None):
    items, user = rater(ratings, aspects)
    return [items[i] for i in user.ideal[:k]]


def perturb(perturbation, ratings, aspects, k, s):
    """The ideal ranking of size k after s steps; None where the ratings are too few for so many."""
    items, user = rater(ratings, aspects)
    steps = [user.ideal[:k], *islice(PERTURBATIONS[perturbation](user, k), s)]
    return [items[i] for i in steps[s]] if s < len(steps) else None


# Slow twins


def weights(items, of, aspects):
    """Eq 9: the share of every aspect in the ratings of some items."""
    summed = {a: sum((Fraction(of[i]) for i in items if a in aspects[i]), Fraction(0)) for a in ASPECTS}
    whole = sum(summed.values())
    return {a: value / whole if whole else Fraction(0) for a, value in summed.items()}


def slow_picks(of, aspects, profile=None):
    """5.1, step by step: the items in their ideal order, each with the aspect it was popped for."""
    liked = weights(profile or of, profile or of, aspects)
    lists = {
        a: sorted((i for i in of if a in aspects[i]), key=lambda i: (-of[i], -len(aspects[i]), i)) for a in ASPECTS
    }
    order = []
    while any(lists.values()):
        so_far = weights([i for i, _ in order], of, aspects)
        most = max(liked[a] - so_far[a] for a in ASPECTS if lists[a])
        chosen = min(a for a in ASPECTS if lists[a] and liked[a] - so_far[a] == most)
        item = lists[chosen][0]
        lists = {a: [i for i in listed if i != item] for a, listed in lists.items()}
        order.append((item, chosen))
    return order


def exchanged(order, place, other):
    changed = list(order)
    changed[place], changed[other] = order[other], order[place]
    return changed


def slow_perturbed(family, of, aspects, k, s, profile=None):
    """5.2.1-5.2.3 for one s; None where the list is too short."""
    picks = slow_picks(of, aspects, profile)
    order = [item for item, _ in picks]
    size = min(k, len(order))
    best = sorted(of, key=lambda i: (-of[i], -len(aspects[i]), i))
    if family == "bottom to top":
        if 2 * s > size:
            return None
        for t in range(1, s + 1):
            order = exchanged(order, t - 1, size - t)
    elif family == "redundant aspect" and s:
        turns = [p for p in range(1, size) if picks[p][1] != picks[p - 1][1]]
        if not turns or turns[0] + s > size:
            return None
        current = picks[turns[0] - 1][1]
        for place in range(turns[0], turns[0] + s):
            left = [i for i in best if current in aspects[i] and i not in order[:place]]
            if not left:
                return None
            order = exchanged(order, place, order.index(left[0]))
    elif s:
        liked = weights(profile or of, profile or of, aspects)
        others = [a for a in ASPECTS if liked[a] > 0 and a not in aspects[order[0]]]
        others = [a for a in others if any(a in aspects[i] for i in of)]
        if s > len(others):
            return None
        chosen = sorted(others, key=lambda a: (-liked[a], a))[s - 1]
        order = exchanged(order, 0, order.index(next(i for i in best if chosen in aspects[i])))
    return order[:k]


def perturb_bottom_top(ideal, s):
    return [list(ideal), *swap_ends(ideal)][s] if s <= len(ideal) // 2 else None


# The ideal ordering and its perturbations


def test_ideal_ordering_by_hand():
    """Ratings a 4 (w), b 3 (w, x), c 3 (w), d 1 (y): of their 14 by aspect w has 10, x 3 and y 1.

    1. Nothing is listed, so w (10/14) is most behind: its best is a.
    2. The list is all w: w 10/14 - 1, x 3/14, y 1/14. x: its only item is b, rated as c and with more aspects.
    3. The list has w 7/10, x 3/10: w 10/14 - 7/10 = 1/70, y 1/14 = 5/70. y: d.
    4. x and y are empty, though y were not most behind: w 10/14 - 7/11 is all that is left: c.
    """
    of, aspects = {"a": 4, "b": 3, "c": 3, "d": 1}, {"a": ["w"], "b": ["w", "x"], "c": ["w"], "d": ["y"]}
    assert ideal_ordering(of, aspects) == ["a", "b", "d", "c"]
    assert ideal_ordering(of, aspects, 2) == ["a", "b"]


def test_equal_ratings_go_to_more_aspects_and_then_to_the_smaller_id():
    aspects = {"a": ["w"], "b": ["w", "x"], "c": ["w", "x"], "d": ["w"]}
    assert ideal_ordering(dict.fromkeys("abcd", 2), aspects) == ["b", "c", "a", "d"]


def test_equal_aspects_go_to_the_smaller_name():
    assert ideal_ordering({"a": 2, "b": 2}, {"a": ["x"], "b": ["w"]}) == ["b", "a"]


def test_equal_shares_are_equal_though_floats_differ():
    """Aspect x has 0.1 + 0.2, more than the 0.3 of w as floats: w, the smaller name, is first as they are equal."""
    of, aspects = {"a": 0.1, "b": 0.2, "c": 0.3}, {"a": ["x"], "b": ["x"], "c": ["w"]}
    assert 0.1 + 0.2 > 0.3
    assert ideal_ordering(of, aspects)[0] == "c"


def test_items_without_aspects_are_not_listed():
    assert ideal_ordering({"a": 2, "b": 5, "c": 5}, {"a": ["w"], "b": []}) == ["a"]


def test_redundant_items_by_hand():
    """The list of the test above: w, then x. After a come the best of w that are left: b, already there, then c."""
    of, aspects = {"a": 4, "b": 3, "c": 3, "d": 1}, {"a": ["w"], "b": ["w", "x"], "c": ["w"], "d": ["y"]}
    assert perturb("redundant aspect", of, aspects, 4, 1) == ["a", "b", "d", "c"]
    assert perturb("redundant aspect", of, aspects, 4, 2) == ["a", "b", "c", "d"]
    assert perturb("redundant aspect", of, aspects, 4, 3) is None
    assert perturb("redundant aspect", of, aspects, 3, 2) == ["a", "b", "c"]  # from below the third place
    assert perturb("redundant aspect", of, aspects, 2, 2) is None


def test_swapped_aspects_by_hand():
    """The first item shows w; x (3) is liked more than y (1)."""
    of, aspects = {"a": 4, "b": 3, "c": 3, "d": 1}, {"a": ["w"], "b": ["w", "x"], "c": ["w"], "d": ["y"]}
    assert perturb("swapped aspects", of, aspects, 4, 1) == ["b", "a", "d", "c"]
    assert perturb("swapped aspects", of, aspects, 4, 2) == ["d", "b", "a", "c"]
    assert perturb("swapped aspects", of, aspects, 2, 2) == ["d", "b"]
    assert perturb("swapped aspects", of, aspects, 4, 3) is None


def test_aspect_of_nothing_but_ratings_of_0_is_not_liked():
    assert perturb("swapped aspects", {"a": 4, "b": 0}, {"a": ["w"], "b": ["x"]}, 2, 1) is None


def test_worked_examples():
    for args, expected in examples_of("ideal_ordering"):
        assert ideal_ordering(**args) == expected
    for name, function in (
        ("redundant", partial(perturb, "redundant aspect")),
        ("aspect", partial(perturb, "swapped aspects")),
        ("bottom_top", perturb_bottom_top),
    ):
        for args, expected in examples_of(f"perturb_{name}"):
            assert function(**args) == expected, args
    for args, expected in examples_of("wilcoxon_less"):
        assert wilcoxon_less(args["d"]) == float(Fraction(expected))


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(ratings, tables)
def test_ideal_ordering_equals_its_slow_twin(of, aspects):
    assert ideal_ordering(of, aspects) == [item for item, _ in slow_picks(of, aspects)]


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(ratings, tables, st.sampled_from(FAMILIES), st.integers(1, 9), st.integers(0, 5))
def test_perturbations_equal_their_slow_twin(of, aspects, family, k, s):
    assert perturb(family, of, aspects, k, s) == slow_perturbed(family, of, aspects, k, s)


@given(ratings, tables, st.sampled_from(FAMILIES), st.integers(0, 5))
def test_whole_perturbed_rankings_hold_the_same_items(of, aspects, family, s):
    actual = perturb(family, of, aspects, len(of), s)
    assert actual is None or sorted(actual) == sorted(of)
    if s == 0:
        assert actual == ideal_ordering(of, aspects)


@given(ratings, tables, st.integers(0, 4))
def test_swapping_bottom_to_top_twice_is_nothing(of, aspects, s):
    order = ideal_ordering(of, aspects)
    once = perturb_bottom_top(order, s)
    assert (once is None) == (2 * s > len(order))
    assert once is None or perturb_bottom_top(once, s) == order


@given(ratings, tables, st.sampled_from([2, 10, 0.5]))
def test_unit_of_ratings_makes_no_difference(of, aspects, factor):
    assert ideal_ordering({i: r * factor for i, r in of.items()}, aspects) == ideal_ordering(of, aspects)


# Wilcoxon against one side


def slow_wilcoxon(d):
    """Every choice of signs of the shared ranks of what is not 0."""
    sizes = sorted(abs(x) for x in d if x)
    rank = {x: Fraction(sum(2 * k for k, y in enumerate(sizes, 1) if y == x), 2 * sizes.count(x)) for x in sizes}
    seen = sum((rank[x] for x in d if x > 0), Fraction(0))
    sums = [
        sum(r for r, up in zip((rank[x] for x in sizes), ups, strict=True) if up)
        for ups in product((0, 1), repeat=len(sizes))
    ]
    return Fraction(sum(total <= seen for total in sums), len(sums))


@given(st.lists(st.integers(-5, 5), max_size=9))
def test_wilcoxon_equals_the_count_of_all_signs(d):
    assert wilcoxon_less(d) == slow_wilcoxon(d)


@pytest.mark.parametrize(
    ("n", "method"), [(EXACT_UP_TO, "exact"), (EXACT_UP_TO + 1, "asymptotic"), (300, "asymptotic")]
)
def test_wilcoxon_equals_scipy(n, method):
    stats = pytest.importorskip("scipy.stats")
    d = np.random.default_rng(n).permutation(np.arange(1, n + 1)) * np.where(np.arange(n) % 3, -1, 1)
    d = d.astype(float)
    if method == "asymptotic":
        d = np.sign(d) * (np.abs(d) // 2 + 1)  # with ties
    how = {"alternative": "less", "correction": False}
    try:
        expected = stats.wilcoxon(d, **how, method=method).pvalue
    except ValueError:  # as older versions call it
        expected = stats.wilcoxon(d, **how, method="approx").pvalue
    assert wilcoxon_less(d) == pytest.approx(expected, rel=1e-9)


def test_differences_that_only_rounding_tells_apart_are_equal():
    assert wilcoxon_less([0.1 + 0.2, -0.3, -0.3]) == slow_wilcoxon([3, -3, -3])


# The experiments


def many_users(n=14, seed=4):
    """Users with 1 to 8 ratings of half stars, the first item of the scale's 5."""
    rng = random.Random(seed)
    aspects = {item: rng.sample(ASPECTS, rng.choice([1, 1, 2, 3])) for item in ITEMS}
    levels = [0, 0.5, 1, 2.5, 3, 4, 4.5, 5]
    judged = {f"u{u:02}": {i: rng.choice(levels) for i in rng.sample(ITEMS, 1 + u % 8)} for u in range(n)}
    judged["u00"] = {"a": 5}
    profile = {u: {i: rng.choice(levels) for i in rng.sample(ITEMS, 4)} for u in judged}
    return judged, aspects, profile


SPECS = ("alpha_beta_nDCG@6", "NRBP(alpha=0.25, beta=0.9, r_max=5)", "EU@6", "RBU@6", "S-Recall@6", "S-RR@6")


def slow_values(judged, aspects, profile, family, spec, steps, k):
    """Values by user after every number of perturbations: runs are made of the rankings and evaluated as any others."""
    lists = {
        u: [slow_perturbed(family, of, aspects, k, s, profile and profile[u]) for s in range(steps + 1)]
        for u, of in judged.items()
    }
    for s in range(steps + 1):
        there = {u: of[s] for u, of in lists.items() if of[s] is not None}
        if not there:
            return
        run = {u: {item: float(-rank) for rank, item in enumerate(order)} for u, order in there.items()}
        exp = tb.Experiment(judged, {**run}, aspects=aspects, train=profile)
        values = {row.request: row.value for row in exp.evaluate(spec).rows()}
        yield {u: values[u] for u in there if not isnan(values[u])}


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
@pytest.mark.parametrize("with_profile", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_means_correlations_and_p_values_equal_those_of_runs(spec, with_profile):
    judged, aspects, profile = many_users()
    judged = {u: of for u, of in judged.items() if max(of.values()) > 0}
    profile = profile if with_profile else None
    how = {"train": profile, "measures": [spec], "cutoff": 6, "steps": 4, "users": "reached"}
    means = {
        (row["perturbation"], row["perturbed"]): row
        for row in tb.studies.ideal(judged, aspects, view="values", **how).to_dict()["rows"]
    }
    ps = {
        (row["perturbation"], row["perturbed"]): row
        for row in tb.studies.ideal(judged, aspects, view="significance", **how).to_dict()["rows"]
    }
    taus = {row["perturbation"]: row for row in tb.studies.ideal(judged, aspects, **how).to_dict()["rows"]}
    for family in FAMILIES:
        actual = list(slow_values(judged, aspects, profile, family, spec, 4, 6))
        averages = [sum(of.values()) / len(of) for of in actual]
        assert taus[family]["systems"] == len(actual) == sum(key[0] == family for key in means)
        for s, of in enumerate(actual):
            assert means[family, s]["users"] == len(of)
            assert means[family, s]["mean"] == pytest.approx(averages[s], abs=1e-12)
            if s:
                expected = slow_wilcoxon([round(of[u] - actual[0][u], 12) for u in of])
                assert (ps[family, s]["pvalue"], ps[family, s]["users"]) == (float(expected), len(of))
        right = [(a > b) - (a < b) for a, b in combinations([round(mean, 11) for mean in averages], 2)]
        untied = sum(map(abs, right))
        expected = sum(right) / (untied * len(right)) ** 0.5 if untied else None
        assert taus[family]["tau"] == pytest.approx(expected)
        assert (taus[family]["users of the ideal"], taus[family]["users of the last"]) == (
            len(actual[0]),
            len(actual[-1]),
        )


def test_users_with_too_few_ratings_are_left_out_and_counted():
    """Six items allow 3 swaps and two allow 1."""
    judged = {"u": dict.fromkeys("abcdef", 3), "v": {"a": 5, "b": 1}}
    aspects = {item: ["w", "x"] if item in "ace" else ["w"] for item in ITEMS}
    actual = tb.studies.ideal(judged, aspects, view="values", measures="EU@9", cutoff=9, users="reached")
    users = [row["users"] for row in actual.to_dict()["rows"] if row["perturbation"] == "bottom to top"]
    assert users == [2, 2, 1, 1]
    common = tb.studies.ideal(judged, aspects, view="values", measures="EU@9", cutoff=9)
    assert [row["users"] for row in common.to_dict()["rows"] if row["perturbation"] == "bottom to top"] == [1, 1, 1, 1]
    assert any("points differ in their users" in note for note in actual.notes)
    assert any("the same users" in note for note in common.notes)


def test_length_of_ideal_rankings_bounds_the_swaps():
    judged = {"u": dict.fromkeys("abcdefgh", 3)}
    aspects = {item: ["w"] for item in ITEMS}
    for length, systems in ((None, 2), (6, 4), (8, 5)):
        actual = tb.studies.ideal(judged, aspects, measures="EU@3", cutoff=3, length=length).to_dict()["rows"]
        assert actual[0]["systems"] == systems


def test_at_most_ten_aspects_are_swapped():
    """Each of 14 items has an aspect of its own: 13 could take the place of the first."""
    judged = {"u": {f"i{k:02}": 5 for k in range(14)}}
    actual = tb.studies.ideal(judged, {item: [item] for item in judged["u"]}, measures="EU@14").to_dict()["rows"]
    assert {row["perturbation"]: row["systems"] for row in actual}["swapped aspects"] == 1 + 10
    few = tb.studies.ideal(judged, {item: [item] for item in judged["u"]}, measures="EU@14", steps=4).to_dict()["rows"]
    assert {row["perturbation"]: row["systems"] for row in few}["swapped aspects"] == 1 + 4


def test_measure_that_sees_no_difference_has_no_correlation():
    judged = {"u": {"a": 5, "b": 1}}
    actual = tb.studies.ideal(judged, {"a": ["w"], "b": ["w"]}, measures="S-Recall@2", cutoff=2)
    assert actual.to_dict()["rows"][0]["tau"] is None
    assert "-" in actual.table().to_text()


def test_order_of_a_falling_measure_is_right():
    """5 and then 1 gain 5/5 + 0.99 x 0.75 x 1/5, swapped 1/5 + 0.99 x 0.75 x 5/5: less, so the order is right."""
    actual = tb.studies.ideal({"u": {"a": 5, "b": 1}}, {"a": ["w"], "b": ["w"]}, measures="EU(e=0)@2", cutoff=2)
    assert actual.to_dict()["rows"][0]["tau"] == 1
    assert "bottom to top: correctly ordered by EU(e=0)@2" in actual.conclusion
    values = tb.studies.ideal({"u": {"a": 5, "b": 1}}, {"a": ["w"], "b": ["w"]}, None, "values", "EU(e=0)@2", cutoff=2)
    assert [row["mean"] for row in values.to_dict()["rows"]] == pytest.approx(
        [1 + 0.99 * 0.75 / 5, 1 / 5 + 0.99 * 0.75, 1 + 0.99 * 0.75 / 5, 1 + 0.99 * 0.75 / 5]
    )


def test_rises_are_counted_beyond_rounding():
    assert rises([3.0, 2.0, 2.0 + 1e-14, 1.0]) == 0
    assert rises([3.0, 2.0, 2.5, 2.6]) == 2


# Fewer ratings


def slow_removal(drawn, aspects):
    """Items one by one: of the aspect whose share of what was removed lacks most, the one drawn first."""
    occurs = weights(drawn, dict.fromkeys(drawn, 1), aspects)
    left, gone = sorted(drawn, key=drawn.get), []
    while left:
        removed = weights(gone, dict.fromkeys(gone, 1), aspects)
        open_ = [a for a in ASPECTS if any(a in aspects[i] for i in left)]
        most = max(occurs[a] - removed[a] for a in open_)
        chosen = min(a for a in open_ if occurs[a] - removed[a] == most)
        gone.append(next(i for i in left if chosen in aspects[i]))
        left.remove(gone[-1])
    return gone


@pytest.fixture
def raters():
    judged, aspects, _ = many_users()
    return Raters.from_judgements(tb.read_judgements(judged), aspects, None)


def named(raters, values):
    """Values of entries by user and item."""
    items = list(raters.table.items)
    return {
        user: {items[raters.rated.item[e]]: values[e] for e in range(*raters.rated.starts[u : u + 2])}
        for u, user in enumerate(raters.requests)
    }


def test_removal_equals_its_slow_twin(raters):
    _, aspects, _ = many_users()
    for seed in ("0 removal 0", "0 removal 1"):
        actual, drawn = named(raters, raters.removal(seed)), named(raters, raters.random(seed))
        for user, places in actual.items():
            assert sorted(places, key=places.get) == slow_removal(drawn[user], aspects)


def test_removal_does_not_depend_on_how_many_users_it_is_worked_out_for_at_once(raters, monkeypatch):
    at_once = raters.removal("0 removal 0")
    monkeypatch.setattr("tiebreak.projection.proportional.CELLS_AT_ONCE", 1)
    assert (raters.removal("0 removal 0") == at_once).all()


@pytest.mark.parametrize("pool", ["rated", "runs", "all"])
def test_measures_at_several_cutoffs_are_those_of_each(raters, pool):
    entry = raters.shuffle(5, 6, seed=0, is_shared=True)
    rankings = raters.keep_ratings(raters.rankings(entry), entry, raters.keep(raters.removal("0 removal 0"), 0.5))
    specs = [
        f"{name}@{k}" for k in (2, 5, 9) for name in (f"alpha_beta_nDCG(alpha=0.9, pool='{pool}')", "EU", "S-Recall")
    ]
    measures = aspect_measures([*specs, "NRBP"])
    values = score_all(measures, rankings)
    assert list(values) == [*specs, "NRBP"]
    for name, one in measures.items():
        assert values[name].tobytes() == one.score_rankings(rankings).tobytes()


@pytest.mark.parametrize("spec", ["alpha_beta_nDCG@5", "EU@5", "RBU@5"])
def test_values_do_not_depend_on_how_many_rankings_are_walked_at_once(raters, monkeypatch, spec):
    rankings = raters.rankings(raters.shuffle(5, 6, seed=0, is_shared=False))
    at_once = metric(spec).score_rankings(rankings)
    monkeypatch.setattr("tiebreak.metrics.diversity.remaining_interest.RANKINGS_AT_ONCE", 2)
    assert metric(spec).score_rankings(rankings).tobytes() == at_once.tobytes()


def test_removals_of_growing_shares_contain_each_other_and_leave_one(raters):
    removal = raters.removal("0 removal 0")
    sizes, request = np.diff(raters.rated.starts), raters.rated.request
    before = np.ones(len(request), dtype=bool)
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        kept = raters.keep(removal, share)
        assert not (kept & ~before).any()
        # max(floor((1 - share) m + 1e-9), 1)
        expected = [max(int((1 - share) * m + 1e-9), 1) for m in sizes.tolist()]
        assert np.bincount(request[kept], minlength=len(sizes)).tolist() == expected
        before = kept


@pytest.mark.parametrize("is_shared", [False, True])
def test_shuffles_hold_the_items_of_the_ideal_ranking(raters, is_shared):
    ideal = raters.perturb("bottom to top", 0, 5)[0]
    shuffled = raters.shuffle(30, 5, seed=0, is_shared=is_shared)
    assert (np.sort(shuffled, axis=2) == np.sort(ideal, axis=1)).all()
    assert ((shuffled == -1) == (ideal == -1)).all()
    longest = int(np.argmax((ideal >= 0).sum(axis=1)))
    assert len({tuple(order) for order in shuffled[:, longest].tolist()}) > 20  # of 5! = 120
    assert not (raters.shuffle(30, 5, seed=1, is_shared=is_shared) == shuffled).all()


def test_shared_shuffle_is_one_permutation_of_ranks_for_all_users(raters):
    """Users with shorter rankings have the ranks that they have in the same order."""
    ideal = raters.perturb("bottom to top", 0, 6)[0]
    shuffled = raters.shuffle(40, 6, seed=0, is_shared=True)
    sizes = (ideal >= 0).sum(axis=1).tolist()
    longest = sizes.index(6)
    for system in shuffled.tolist():
        permutation = [ideal[longest].tolist().index(entry) for entry in system[longest]]
        for of, order, size in zip(ideal.tolist(), system, sizes, strict=True):
            assert order[:size] == [of[rank] for rank in permutation if rank < size]
    assert len({tuple(order) for order in shuffled[:, longest].tolist()}) > 30  # of 6! = 720
    # As far as they go, shorter rankings are shuffled alike.
    shorter = raters.shuffle(40, 3, seed=0, is_shared=True)
    first = np.isin(shuffled[:, longest], ideal[longest, :3])
    assert shuffled[:, longest][first].reshape(40, 3).tolist() == shorter[:, longest].tolist()


def test_both_ways_to_shuffle_are_named(raters):
    judged, aspects, _ = many_users()
    how = {"view": "robustness", "measures": "EU@4", "systems": 5, "removals": 2}
    shared, own = (tb.studies.ideal(judged, aspects, **how, shuffle=name) for name in ("shared", "own"))
    assert shared.rows() != own.rows()
    assert tb.studies.ideal(judged, aspects, **how).rows() == shared.rows()
    assert any("a permutation of ranks shared by all users" in note for note in shared.notes)
    assert any("for every user on its own" in note for note in own.notes)
    with pytest.raises(InputError, match='Did you mean "shared"'):
        tb.studies.ideal(judged, aspects, **how, shuffle="share")


@pytest.mark.one_in(2)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")
@pytest.mark.parametrize("shuffle", ["shared", "own"])
@pytest.mark.parametrize("with_profile", [False, True])
def test_robustness_equals_that_of_runs(with_profile, shuffle):
    """Removed ratings are taken out of the judgements, and the shuffles are evaluated as any runs."""
    judged, aspects, profile = many_users()
    profile = profile if with_profile else None
    raters = Raters.from_judgements(tb.read_judgements(judged), aspects, profile and tb.read_judgements(profile))
    spec, shares, removals = "alpha_beta_nDCG(beta=0.7, r_max=5)@4", (0.25, 0.6), 3
    entry = raters.shuffle(7, 6, seed=3, is_shared=shuffle == "shared")
    items = [list(raters.table.items)[code] for code in raters.rated.item]
    runs = [
        tb.Run(
            {
                u: {items[e]: -float(k) for k, e in enumerate(order) if e >= 0}
                for u, order in zip(raters.requests, system, strict=True)
            },
            name=f"s{s}",
        )
        for s, system in enumerate(entry.tolist())
    ]

    def ranks(some):
        summary = tb.Experiment(some, runs, aspects=aspects, train=profile).evaluate(spec).summary()
        means = {row.run: row.value for row in summary.rows()}
        return rank_means([means[f"s{s}"] for s in range(7)])

    truth = ranks({u: judged[u] for u in raters.requests})
    how = {"length": 6, "systems": 7, "shuffle": shuffle, "removals": removals, "shares": shares, "seed": 3}
    actual = tb.studies.ideal(judged, aspects, profile, "robustness", spec, **how)
    for row, share in zip(actual.to_dict()["rows"], shares, strict=True):
        taus, users = [], []
        for draw in range(removals):
            left = named(raters, raters.keep(raters.removal(f"3 removal {draw}"), share))
            some = {u: {i: judged[u][i] for i, kept in of.items() if kept} for u, of in left.items()}
            taus.append(tau_b(truth, ranks(some)))
            users.append(sum(max(of.values()) > 0 for of in some.values()))
        assert row["removed"] == share
        assert row["tau"] == pytest.approx(sum(taus) / removals)
        if not with_profile:
            assert row["users"] == min(users)


def test_robustness_by_default_is_that_of_the_paper():
    judged, aspects, _ = many_users()
    actual = tb.studies.ideal(judged, aspects, view="robustness", systems=3, removals=1, shares=[0.5])
    assert [row[0] for row in actual.rows()] == [
        f"alpha_beta_nDCG(beta={b})@{k}" for k in (10, 100) for b in (0.1, 0.5, 0.9)
    ]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("view", ["values", "correlation", "significance", "robustness"])
def test_results_do_not_depend_on_threads_or_on_the_order_of_ratings(view):
    judged, aspects, _ = many_users()
    how = {"view": view, "cutoff": 6, "steps": 3, "systems": 5, "removals": 3}
    actual = tb.studies.ideal(judged, aspects, **how)
    for jobs in (2, 8):
        assert tb.studies.ideal(judged, aspects, **how, jobs=jobs).rows() == actual.rows()
    turned = {u: dict(reversed(of.items())) for u, of in judged.items()}
    assert tb.studies.ideal(turned, dict(reversed(aspects.items())), **how).rows() == actual.rows()


def test_seed_decides_what_is_drawn():
    judged, aspects, _ = many_users()
    how = {"view": "robustness", "systems": 6, "removals": 2, "measures": "EU@4"}
    assert tb.studies.ideal(judged, aspects, **how).rows() != tb.studies.ideal(judged, aspects, **how, seed=1).rows()


# Notes and refusals


def test_what_is_left_out_is_said():
    judged = {"u": {"a": 5, "n": 3}, "v": {"a": 0}, "w": {"n": 5}}
    actual = tb.studies.ideal(judged, {"a": ["w"]}, measures="EU@2")
    assert "1 user, 1 rating, 1 aspect; interests by what they rated." in " ".join(actual.details)
    assert "Left out: 2 users with no rating above 0 of an item that has an aspect, and 2 ratings" in " ".join(
        actual.details
    )


def test_ratings_are_gains_of_nrbp():
    actual = tb.studies.ideal({"u": {"a": 10, "b": 3}}, {"a": ["w"], "b": ["x"]})
    assert actual.rows()[1][1] == "NRBP(alpha=0.25, beta=0.9, r_max=10)"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"view": "ties"}, 'view "ties"'),
        ({"users": "all"}, 'users "all"'),
        ({"steps": 0}, "steps=0. Give a whole number from 1"),
        ({"cutoff": True}, "cutoff=True"),
        ({"length": 0}, "length=0"),
        ({"systems": 1}, "systems=1. Give a whole number from 2"),
        ({"removals": 2.5}, "removals=2.5"),
        ({"shares": [0.5, 1]}, "shares=1. Give a number above 0 and below 1"),
        ({"shares": []}, "no shares was given"),
        ({"measures": "AP"}, "AP sees no aspects"),
        ({"measures": []}, "no measure was given"),
    ],
)
def test_bad_arguments_are_refused(how, message):
    with pytest.raises(InputError) as refused:
        tb.studies.ideal({"u": {"a": 5}}, {"a": ["w"]}, **how)
    assert message in str(refused.value)


@pytest.mark.parametrize(("judged", "aspects"), [({"u": {"a": 5}}, {"b": ["w"]}), ({"u": {"a": 0}}, {"a": ["w"]})])
def test_ratings_without_aspects_are_refused(judged, aspects):
    with pytest.raises(InputError, match="no item that was rated above 0 has an aspect"):
        tb.studies.ideal(judged, aspects)


def test_robustness_without_users_has_no_number():
    actual = tb.studies.ideal(
        {"u": {"a": 5, "b": 1}}, {"a": ["w"], "b": ["x"]}, None, "robustness", "NRBP(rel=6)", systems=3, removals=2
    )
    assert {(row["tau"], row["users"], row["removals"]) for row in actual.to_dict()["rows"]} == {(None, 0, 0)}


def test_measure_without_users_keeps_its_row():
    actual = tb.studies.ideal({"u": {"a": 5, "b": 1}}, {"a": ["w"], "b": ["x"]}, measures=["NRBP(rel=6)", "EU@2"])
    rows = {row["measure"]: row for row in actual.to_dict()["rows"] if row["perturbation"] == "bottom to top"}
    assert (rows["NRBP(rel=6)"]["tau"], rows["NRBP(rel=6)"]["users of the ideal"]) == (None, 0)
    assert rows["EU@2"]["users of the ideal"] == 1


def test_lists_are_no_longer_than_what_was_rated():
    actual = tb.studies.ideal({"u": {"a": 5, "b": 1}}, {"a": ["w"], "b": ["x"]}, cutoff=10**8, steps=10**8)
    assert actual.to_dict()["rows"][0]["systems"] == 2


def test_scale_that_is_not_round():
    actual = tb.studies.ideal({"u": {"a": 3.3333333, "b": 1}}, {"a": ["w"], "b": ["x"]})
    assert actual.rows()[1][1] == "NRBP(alpha=0.25, beta=0.9, r_max=3.3333333)"


def test_differences_of_very_different_size():
    # The positive one has rank 4; of 16 subsets of the ranks these have a sum of at most 4: {}, 1, 2, 3, 4, 1 2, 1 3.
    assert wilcoxon_less([1.0, -1e-10, -2e-10, -3e-10]) == 7 / 16
    for bad in (math.nan, math.inf):
        with pytest.raises(tb.InputError, match="not a finite number"):
            wilcoxon_less([bad, 1.0])
