"""What stays of orders and preferences as labels or requests are removed."""

from fractions import Fraction
from hashlib import blake2b
from itertools import combinations
from math import floor, fsum, isnan, log1p
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from orderings import slow
from tiebreak.studies import missing
from tiebreak.studies._missing import FRACTIONS, MEASURES, agreement_share
from tiebreak.studies.base import sample_seeds


@pytest.mark.parametrize(("with_ties", "share"), [(True, 1 / 2), (False, 1 / 3)])
def test_ties_of_the_truth_count_or_not(with_ties, share):
    assert agreement_share(np.array([1, 0, -1, 0]), np.array([1, 0, 1, 1]), with_ties=with_ties) == share


# A slow twin, from files to the share: labels are removed from the judgements, and everything is worked out anew

WORD = 2**64


def scrambled(z):
    """SplitMix64."""
    z = (z + 0x9E3779B97F4A7C15) % WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def digest(text):
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def chance(seed, request, item=None):
    """A number in [0, 1) that depends on the seed and on names."""
    state = scrambled((digest(request) + digest(str(seed))) % WORD)
    return (scrambled((state + (0 if item is None else digest(item))) % WORD) >> 11) / 2**53


def number_kept(m, fraction):
    return max(floor((1 - fraction) * m + 1e-9), 1)


def kept_labels(qrels, runs, fraction, seed, by_pool):
    """The judgements that remain: those with the smallest numbers, which many runs make smaller."""

    def key(request, item):
        u = chance(seed, request, item)
        if not by_pool:
            return u
        runs_with = sum(item in run.get(request, {}) for run in runs)
        return (-log1p(-u) / runs_with if runs_with else float("inf"), u)

    return {
        request: sorted(items, key=lambda item: key(request, item))[: number_kept(len(items), fraction)]
        for request, items in qrels.items()
    }


def kept_requests(qrels, fraction, seed):
    named = sorted(qrels, key=lambda request: chance(seed, request))[: number_kept(len(qrels), fraction)]
    return {request: items for request, items in qrels.items() if request in named}


def matrices(qrels, runs, measure):
    """Preferences of all runs over all in every request, from the judgements."""
    table = []
    for request, items in qrels.items():
        ranked = [sorted(run.get(request, {}), key=run.get(request, {}).get, reverse=True) for run in runs]
        actual = [[order.index(item) + 1 if item in order else None for item in items] for order in ranked]
        table.append([sorted(p, key=lambda k: float("inf") if k is None else k) for p in actual])
    return slow.matrices(table, measure)


def signs(matrix):
    return [slow.sign(matrix[i][j]) for i, j in combinations(range(len(matrix)), 2)]


def agreement(of, part, complete, measure):
    """`part` and `complete` are ``{request: matrix}``."""
    a, b = list(part.values()), list(complete.values())
    if of == "order":
        method = slow.mean_preference if measure == "diff(AP)" else slow.mc4
        tolerance = Fraction(1, 10**12)
        return slow.tau_b(*(slow.ranks(method(actual), tolerance) for actual in (a, b)))
    if of == "systems":
        pairs = zip(signs(slow.mean_matrix(a)), signs(slow.mean_matrix(b)), strict=True)
        return fmean(x == y for x, y in pairs)
    alike = [zip(signs(part[q]), signs(complete[q]), strict=True) for q in part]
    return fmean(x == y for pairs in alike for x, y in pairs)


def slow_rows(qrels, runs, measure, remove, of, fractions, samples, seed):
    complete = dict(zip(qrels, matrices(qrels, runs, measure), strict=True))
    for fraction in fractions:
        values = []
        for drawn_by in sample_seeds(seed, samples):
            if remove == "requests":
                kept = kept_requests(qrels, fraction, drawn_by)
            else:
                kept = kept_labels(qrels, runs, fraction, drawn_by, by_pool=remove == "pool")
            part = dict(zip(kept, matrices(kept, runs, measure), strict=True))
            values.append(agreement(of, part, complete, measure))
        known = [value for value in values if not isnan(value)]
        spread = stdev(known) if len(known) > 1 else None
        yield (fmean(known), min(known), max(known), spread, len(known)) if known else (None,) * 4 + (0,)


SIMULATION = tb.simulate(12, systems=["deep", "top-heavy", "balanced", "weak"], relevant=6, seed=5)
QRELS = {
    request: [item for item, grade in grades.items() if grade > 0] for request, grades in SIMULATION.judgements.items()
}
QRELS = {request: items for request, items in QRELS.items() if items}


def simulated(**options):
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    return tb.Experiment(SIMULATION.judgements, runs, **options)


@pytest.fixture(scope="module")
def binary():
    return simulated(binary=True)


WAYS = [(remove, of) for remove in ("labels", "pool", "requests") for of in ("order", "preferences", "systems")]
WAYS.remove(("requests", "preferences"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("measure", list(slow.PREFERENCES))
@pytest.mark.parametrize(("remove", "of"), WAYS)
def test_study_equals_its_slow_twin(binary, measure, remove, of):
    how = {"fractions": [0.2, 0.5, 0.8], "samples": 3, "seed": 7}
    actual = missing(binary, measure, remove, of, **how)
    expected = slow_rows(QRELS, list(SIMULATION.runs.values()), measure, remove, of, **how)
    for row, (mean, low, high, sd, samples) in zip(actual.rows(), expected, strict=True):
        assert row.samples == samples
        assert row[2:6] == pytest.approx((mean, low, high, sd), abs=1e-12)


def test_what_the_twin_is_held_against_is_not_trivial(binary):
    for remove, of in WAYS:
        (row,) = missing(binary, "RPP", remove, of, fractions=[0.8], samples=3, seed=7).rows()
        assert row.low < row.high and row.mean < 1, (remove, of)


# Worked by hand


def hand(qrels, *runs, **options):
    """Runs as lists of items per request."""
    scored = [{q: {item: float(-k) for k, item in enumerate(items)} for q, items in run.items()} for run in runs]
    return tb.Experiment(qrels, scored, **options)


def test_ties_must_stay_ties():
    # Complete: all find a relevant item first, RR = 1, so all three pairs tie. Only a: RR is 1, 1, 0, and one pair of
    # three still ties. Only b: 1/2, 0, 1, and none does.
    exp = hand({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, {"q": ["a"]}, {"q": ["b"]})
    (row,) = missing(exp, "RR", of="preferences", fractions=[0.5], samples=40).rows()
    only_a = sum(chance(seed, "q", "a") < chance(seed, "q", "b") for seed in sample_seeds(0, 40))
    assert 0 < only_a < 40
    assert (row.low, row.high, row.samples) == (0.0, 1 / 3, 40)
    assert row.mean == pytest.approx(only_a / 40 / 3, abs=1e-15)


def test_order_that_is_one_tie_has_no_correlation():
    exp = hand({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, {"q": ["b", "a"]})
    actual = missing(exp, "RR", fractions=[0.5], samples=3)
    assert actual.rows() == (("RR", 0.5, None, None, None, None, 0),)
    assert "RR: 3 of 3 samples without a value (all runs tied, or no labels left)." in actual.notes
    assert actual.conclusion.endswith("tau_b of the order of runs: not known.")
    assert actual.table().rows == (("RR", "0.5000", "-", "-", "-", "-", "0"),)


def test_removed_requests_by_hand():
    # RR of x: 1, 1, 0; of y: 1/4, 1/4, 1. All: 2/3 > 1/2, x is better. Two of three requests: (1, 1) or (1/2, 5/8);
    # one: 1 > 1/4 or 0 < 1. So the order stays where the third is removed, and else turns round.
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    first, fourth = ["a"], ["u", "v", "w", "a"]
    exp = hand(qrels, {"q1": first, "q2": first}, {"q1": fourth, "q2": fourth, "q3": first})
    for of, stays, turns in (("order", 1.0, -1.0), ("systems", 1.0, 0.0)):
        actual = missing(exp, "RR", "requests", of, fractions=[1 / 3, 2 / 3, 1], samples=30)
        for row, kept in zip(actual.rows(), (2, 1, 1), strict=True):
            expected = []
            for seed in sample_seeds(0, 30):
                order = sorted(qrels, key=lambda q, seed=seed: chance(seed, q))
                expected.append(turns if "q3" in order[:kept] else stays)
            assert (row.low, row.high) == (turns, stays)
            assert row.mean == pytest.approx(fmean(expected), abs=1e-15)
            assert row.sd == pytest.approx(stdev(expected), abs=1e-15)


def test_requests_without_a_relevant_item_are_not_sampled():
    # Two of twelve requests count, and one of these stays; a sample of all would hold none of them more often than not.
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}} | {f"r{k}": {"a": 0} for k in range(10)}
    exp = hand(qrels, {"q1": ["a"], "q2": ["a"]}, {"q1": ["u", "a"], "q2": ["a"]})
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        (row,) = missing(exp, "RR", "requests", "systems", fractions=[0.5], samples=20).rows()
    assert (row.samples, row.low, row.high) == (20, 0.0, 1.0)  # q1 tells the runs apart, q2 ties them


def test_what_another_truth_ties_is_left_out():
    # RR: 1, 1, 1/2. Lexiprecision also prefers y to x, b being at 2 and at 3; of that RR says nothing. Held against
    # itself it agrees with itself as well.
    exp = hand({"q": {"a": 1, "b": 1}}, {"q": ["a", "u", "b"]}, {"q": ["a", "b"]}, {"q": ["u", "a", "b"]})
    for truth, only in (("RR", 1.0), ("sign(RR)", 1.0), (None, 1.0)):
        actual = missing(exp, "LexiPrecision", of="preferences", truth=truth, fractions=[0], samples=1)
        assert [row.mean for row in actual.rows()] == [only]
    # Without a: x has b at 3, y at 2, z at 3: signs -, 0, +; RR on complete data says nothing, +, +: one of two.
    # Without b: RR itself, both agree.
    (row,) = missing(exp, "LexiPrecision", of="preferences", truth="RR", fractions=[0.5], samples=30).rows()
    assert (row.low, row.high) == (0.5, 1.0)


def test_truth_that_ties_everything_leaves_nothing():
    exp = hand({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, {"q": ["a"]})
    (row,) = missing(exp, "LexiRecall", of="preferences", truth="RR", fractions=[0], samples=1).rows()
    assert row.mean is None and row.samples == 0


def test_means_that_differ_by_rounding_alone_tie():
    # RR: 1/10 + 1/15 = 1/6, which floats miss by 1e-17. So the truth ties the only pair, and nothing is left.
    at = {k: [*(f"u{i}" for i in range(k - 1)), "a"] for k in (10, 15, 6)}
    assert 0 < abs(fsum([1 / 10, 1 / 15, -1 / 6])) < 1e-16
    exp = hand({q: {"a": 1} for q in ("q1", "q2", "q3")}, {"q1": at[10], "q2": at[15]}, {"q3": at[6]})
    (row,) = missing(exp, "RR", of="systems", truth="RR", fractions=[0], samples=1).rows()
    assert row.samples == 0


def test_requests_that_lose_what_counts_are_left_out_and_counted():
    # AP(rel=2) counts a and c. q1 keeps a or b, q2 keeps its only label.
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 2}}
    exp = hand(qrels, {"q1": ["a", "b"], "q2": ["c"]}, {"q1": ["b", "a"], "q2": ["c"]})
    actual = missing(exp, ["AP(rel=2)", "RPP"], of="preferences", fractions=[0.5], samples=20)
    lost = sum(chance(seed, "q1", "b") < chance(seed, "q1", "a") for seed in sample_seeds(0, 20))
    assert 0 < lost < 20
    message = [note for note in actual.notes if "had no relevant item left" in note]
    assert message == [f"AP(rel=2): over all samples, {lost} of 40 requests had no relevant item left."]
    assert actual.rows()[0].mean == 1.0  # in what remains, nothing changes


def test_sample_in_which_nothing_counts_has_no_value():
    exp = hand({"q": {"a": 2, "b": 1}}, {"q": ["a", "b"]}, {"q": ["b", "a"]})
    actual = missing(exp, "AP(rel=2)", of="preferences", fractions=[0.5], samples=20)
    lost = sum(chance(seed, "q", "b") < chance(seed, "q", "a") for seed in sample_seeds(0, 20))
    assert actual.rows()[0].samples == 20 - lost
    assert f"AP(rel=2): {lost} of 20 samples without a value (all runs tied, or no labels left)." in actual.notes


def test_labels_that_few_runs_retrieve_go_first():
    # a is retrieved by two runs, b by one, c by none: c never stays where one label does; a does in 2 of 3 draws.
    exp = hand({"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "u", "b"]}, {"q": ["u", "a"]})
    # Only a: x is better, as on complete data. Only b: so as well. Only c: a tie, which is what uniform removal finds.
    (by_pool,) = missing(exp, "RR", "pool", "preferences", fractions=[0.6], samples=60).rows()
    (uniform,) = missing(exp, "RR", "labels", "preferences", fractions=[0.6], samples=60).rows()
    assert (by_pool.low, uniform.low) == (1.0, 0.0)


# Laws


@pytest.fixture(scope="module")
def graded():
    """Some requests have no item of grade 2, so that measures count different ones."""
    judgements = {
        request: {item: min(grade, 1) if k < 3 else grade for item, grade in grades.items()}
        for k, (request, grades) in enumerate(SIMULATION.judgements.items())
    }
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    experiment = tb.Experiment(judgements, runs, min_grade=2)
    with pytest.warns(tb.errors.EmptyRequestsWarning):
        assert (experiment.positions.relevant() == 0).sum() >= 3
    return experiment


MANY = (*MEASURES, "RPP(rel=1)", "AP(rel=1)", "bpref", "rrLP", "sign(nDCG@5)")


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning", "ignore::tiebreak.errors.GradesWarning")
@pytest.mark.parametrize(("remove", "of"), WAYS)
def test_nothing_changes_where_nothing_is_removed(graded, remove, of):
    for row in missing(graded, MANY, remove, of, fractions=[0], samples=2).rows():
        assert (row.mean, row.low, row.high, row.sd, row.samples) == (1.0, 1.0, 1.0, 0.0, 2)


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning", "ignore::tiebreak.errors.GradesWarning")
def test_sample_is_the_experiment_on_the_judgements_that_remain(graded):
    """Also for graded measures, and for those with their own notion of relevance."""
    (seed,) = sample_seeds(3, 1)
    kept = tb.sample_labels(graded.positions, 0.5, seed=seed)
    places = zip(kept.layout.request.tolist(), kept.item.tolist(), strict=True)
    labels = {(kept.requests[q], kept.items[i]) for q, i in places}
    remaining = {
        request: {item: grade for item, grade in grades.items() if grade <= 0 or (request, item) in labels}
        for request, grades in graded.judgements.to_dict().items()
    }
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    other = tb.Experiment(remaining, runs, min_grade=2)
    for row in missing(graded, MANY, fractions=[0.5], samples=1, seed=3).rows():
        expected = other.order(row.measure).correlation(graded.order(row.measure))
        assert row.mean == pytest.approx(expected, abs=1e-12), row.measure


@settings(max_examples=examples(15))
@given(st.integers(0, 2**63 - 1), st.sampled_from(WAYS), st.floats(0, 1))
def test_spread_surrounds_the_mean(seed, way, fraction):
    for row in missing(simulated(), ["RPP", "AP"], *way, fractions=[fraction], samples=3, seed=seed).rows():
        assert (-1 if way[1] == "order" else 0) <= row.low <= row.mean <= row.high <= 1


def test_results_do_not_depend_on_threads_or_on_the_order_of_the_input():
    heard = []
    how = {"measures": ["RPP", "LexiRecall", "nDCG", "R@100"], "fractions": [0.3, 0.7], "samples": 3, "seed": 1}
    expected = missing(simulated(), **how).rows()
    assert len({row.mean for row in expected}) > 3
    for jobs in (2, 8):
        actual = missing(simulated(), **how, jobs=jobs, tick=lambda done, total: heard.append((done, total)))
        assert actual.rows() == expected
    assert heard == 2 * [(k + 1, 6) for k in range(6)]
    turned = {request: dict(reversed(grades.items())) for request, grades in reversed(SIMULATION.judgements.items())}
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    for remove in ("labels", "pool", "requests"):
        here = missing(simulated(), remove=remove, **how)
        there = missing(tb.Experiment(turned, runs), remove=remove, **how)
        for row, other in zip(here.rows(), there.rows(), strict=True):
            assert row[2:6] == pytest.approx(other[2:6], abs=1e-12)


def test_more_samples_begin_with_the_same_and_seeds_differ():
    assert sample_seeds(4, 10)[:3] == sample_seeds(4, 3)
    assert len({*sample_seeds(4, 10), *sample_seeds(5, 10)}) == 20
    means = {missing(simulated(), "RPP", fractions=[0.8], samples=2, seed=seed).rows()[0].mean for seed in range(5)}
    assert len(means) > 1


def test_labels_are_never_read_again(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    for name, items in (("x", "ab"), ("y", "ua")):
        (tmp_path / name).write_text("".join(f"q Q0 {item} 1 {9 - k} t\n" for k, item in enumerate(items)))
    exp = tb.Experiment(tmp_path / "qrels", [tmp_path / "x", tmp_path / "y"])
    exp.read()
    for path in tmp_path.iterdir():
        path.unlink()
    assert missing(exp, samples=2).rows()


# What is told


def test_rows_are_of_every_measure_and_fraction(binary):
    actual = missing(binary, samples=2)
    assert actual.columns == ("measure", "removed", "mean", "low", "high", "sd", "samples")
    assert [row[:2] for row in actual.rows()] == [(measure, fraction) for measure in MEASURES for fraction in FRACTIONS]
    last = {row.measure: row.mean for row in actual.rows() if row.removed == FRACTIONS[-1]}
    named = ", ".join(f"{name} {mean:.2f}" for name, mean in sorted(last.items(), key=lambda pair: -pair[1]))
    assert actual.conclusion == f"With 90% of the labels removed, mean tau_b of the order of runs: {named}."
    assert any("2 samples for every fraction, seed 0" in note for note in actual.notes)


def test_own_functions_are_measures_and_truths(binary):
    def first_three(p):
        return sum(place <= 3 for place in p)

    actual = missing(binary, [first_three, "AP"], truth=first_three, of="systems", fractions=[0], samples=1)
    name = first_three.__qualname__
    assert [row.measure for row in actual.rows()] == [name, "AP"]
    assert actual.rows()[0].mean == 1.0
    assert any(f"by {name}; what that ties is left out." in note for note in actual.notes)
    assert missing(binary, first_three, fractions=[0.5], samples=1).rows()[0].measure == name
    assert missing(binary, tb.metric("AP"), fractions=[0.5], samples=1).rows()[0].measure == "AP"


def test_way_of_ordering_can_be_chosen(binary):
    by = {by: missing(binary, "RPP", by=by, fractions=[0.9], samples=3).rows() for by in (None, "mc4", "mean", "borda")}
    assert by[None] == by["mc4"]
    assert len(set(by.values())) > 1


def test_picture_is_lines_with_bands(binary):
    pytest.importorskip("altair")
    drawn = missing(binary, ["RPP", "AP"], "requests", fractions=[0.5, 0.9], samples=2).plot().to_dict()
    band, line = drawn["layer"]
    assert line["encoding"]["x"]["title"] == "share of requests removed"
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "high")


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"measures": []}, "no measure was given"),
        ({"measures": ["AP", "AP "]}, "the measure AP was given twice"),
        ({"measures": ["APP"]}, 'unknown preference "APP"'),
        ({"remove": "label"}, 'unknown value for remove "label". Did you mean "labels"?'),
        ({"of": "orders"}, 'unknown value for of "orders". Did you mean "order"?'),
        ({"truth": "APP"}, 'unknown preference "APP"'),
        ({"by": "mc5"}, "mc5"),
        ({"by": "mc4", "of": "systems"}, "nothing is ordered for of='systems'"),
        ({"remove": "requests", "of": "preferences"}, "does not change where others are removed"),
        ({"fractions": []}, "no fraction was given"),
        ({"fractions": [1.1]}, "fraction=1.1. Give a number of at least 0 and at most 1."),
        ({"fractions": [float("nan")]}, "fraction=nan"),
        ({"fractions": ["half"]}, "fraction='half'"),
        ({"fractions": [True]}, "fraction=True"),
        ({"samples": 0}, "samples=0. Give a whole number from 1 on."),
        ({"samples": 2.5}, "samples=2.5"),
        ({"seed": -1}, "seed=-1"),
        ({"jobs": 0}, "jobs=0"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_read(tmp_path, given_, words):
    path = tmp_path / "gone.run"
    path.touch()
    exp = tb.Experiment({"q": {"a": 1}}, [path])
    path.unlink()
    with pytest.raises(tb.InputError) as refusal:
        missing(exp, **given_)
    assert words in str(refusal.value)


def test_measures_of_whole_rankings_are_studied_by_requests():
    aspects = {item: ["x" if k % 2 else "y"] for k, item in enumerate("abcd")}
    runs = {f"q{k}": ["a", "b", "c"] for k in range(4)}, {f"q{k}": ["a", "c", "b"] for k in range(4)}
    exp = hand({f"q{k}": {"a": 1} for k in range(4)}, *runs, aspects=aspects)
    (row,) = missing(exp, "S-Recall@2", "requests", "systems", fractions=[0.5], samples=2).rows()
    assert row.mean == 1.0


def test_one_run_is_no_order():
    with pytest.raises(tb.InputError, match="at least two runs"):
        missing(hand({"q": {"a": 1}}, {"q": ["a"]}), "RPP")


# Measures of aspects

GENRES = {
    item: [name for k, name in enumerate("wxyz") if digest(item) >> k & 1]
    for grades in SIMULATION.judgements.values()
    for item in grades
}
"""Some items have none."""
OF_ASPECTS = (
    "alpha_beta_nDCG(alpha=0.1, r_max=3)@10",
    "EU(r_max=3)@5",
    "S-Recall@5",
    "vargas_nDCG@10",
    "alpha_nDCG@10",
)


def kept_by_aspect(qrels, aspects, fraction, seed):
    """Removed one by one: of the aspect whose share of what was removed lacks most, the item with the least number."""

    def shown(item):
        return aspects.get(item) or ["~"]  # an aspect of their own, after all others

    def share(aspect, items):
        total = sum(len(shown(item)) for item in items)
        return Fraction(sum(aspect in shown(item) for item in items), total) if total else Fraction(0)

    kept = {}
    for request, items in qrels.items():
        left, gone = sorted(items, key=lambda item: chance(seed, request, item)), []
        while len(left) > number_kept(len(items), fraction):
            open_ = sorted({aspect for item in left for aspect in shown(item)})
            lacks = {aspect: share(aspect, items) - share(aspect, gone) for aspect in open_}
            chosen = next(aspect for aspect in open_ if lacks[aspect] == max(lacks.values()))
            gone.append(next(item for item in left if chosen in shown(item)))
            left.remove(gone[-1])
        kept[request] = left
    return kept


def labels_left(positions):
    places = zip(positions.layout.request.tolist(), positions.item.tolist(), strict=True)
    return {(positions.requests[q], positions.items[i]) for q, i in places}


@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.9])
def test_labels_are_removed_from_aspects_in_proportion(fraction):
    exp = simulated(aspects=GENRES)
    for seed in (0, 7):
        expected = kept_by_aspect(QRELS, GENRES, fraction, seed)
        kept = tb.sample_labels(exp.positions, 1 - fraction, seed=seed, by="aspects")
        assert labels_left(kept) == {(request, item) for request, items in expected.items() for item in items}


def test_removal_by_aspects_by_hand():
    """Four films of war and two of love: of three that go, two are of war and one of love, whatever the seed."""
    genres = {item: ["war" if item in "abcd" else "love"] for item in "abcdef"}
    exp = hand({"u": dict.fromkeys("abcdef", 1)}, {"u": ["a"]}, aspects=genres)
    for seed in range(5):
        left = "".join(item for _, item in labels_left(tb.sample_labels(exp.positions, 0.5, seed=seed, by="aspects")))
        assert sum(item in "abcd" for item in left) == 2 and sum(item in "ef" for item in left) == 1


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.GradesWarning")
@pytest.mark.parametrize("with_profile", [False, True])
@pytest.mark.parametrize("remove", ["labels", "aspects", "pool"])
def test_measures_of_aspects_see_the_judgements_that_remain(remove, with_profile):
    profile = {q: dict.fromkeys(list(of)[::2], 2) for q, of in SIMULATION.judgements.items()} if with_profile else None
    exp = simulated(aspects=GENRES, train=profile)
    (seed,) = sample_seeds(3, 1)
    by = {"labels": "uniform", "pool": "runs"}.get(remove, remove)
    left = labels_left(tb.sample_labels(exp.positions, 0.5, seed=seed, by=by))
    remaining = {
        request: {item: grade for item, grade in grades.items() if grade <= 0 or (request, item) in left}
        for request, grades in SIMULATION.judgements.items()
    }
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    other = tb.Experiment(remaining, runs, aspects=GENRES, train=profile)
    study = missing(exp, OF_ASPECTS, remove, "preferences", fractions=[0.5], samples=1, seed=3)
    for row in study.rows():
        x, y = (np.sign(one.compare(row.measure).values) for one in (other, exp))
        assert row.mean == (x == y).mean(), row.measure
    assert {row.mean for row in study.rows()} != {1.0}


def test_ratings_below_min_grade_are_drawn_by_hand():
    """Of two films rated 5 and four rated 2, half of all six go; else only one of the two that are relevant."""
    genres = {item: ["war" if item in "abcd" else "love"] for item in "abcdef"}
    exp = hand({"u": {item: 5 if item in "ae" else 2 for item in "abcdef"}}, {"u": ["a"]}, aspects=genres, min_grade=4)
    for seed in range(5):
        left = {
            of: {item for _, item in labels_left(tb.sample_labels(exp.positions, 0.5, seed=seed, by="aspects", of=of))}
            for of in ("rated", "relevant")
        }
        assert len(left["rated"] & {*"abcd"}) == 2 and len(left["rated"] & {*"ef"}) == 1
        assert left["relevant"] >= {*"bcdf"} and len(left["relevant"]) == 5


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore::tiebreak.errors.GradesWarning", "ignore::tiebreak.errors.EmptyRequestsWarning")
@pytest.mark.parametrize("remove", ["labels", "aspects", "pool"])
def test_measures_of_aspects_lose_all_ratings_alike_and_others_relevant_ones(remove):
    exp = simulated(aspects=GENRES, min_grade=2)
    (seed,) = sample_seeds(3, 1)
    by = {"labels": "uniform", "pool": "runs"}.get(remove, remove)
    measures = ("AP", "alpha_beta_nDCG(alpha=0.1, r_max=3)@10", "EU(r_max=3)@5", "vargas_nDCG@10")
    study = missing(exp, measures, remove, "preferences", fractions=[0.5], samples=1, seed=3)
    runs = [tb.Run(run, name=name) for name, run in SIMULATION.runs.items()]
    for row in study.rows():
        of = "relevant" if row.measure == "AP" else "rated"
        left = labels_left(tb.sample_labels(exp.positions, 0.5, seed=seed, by=by, of=of))
        remaining = {
            request: {item: grade for item, grade in grades.items() if grade <= 0 or (request, item) in left}
            for request, grades in SIMULATION.judgements.items()
        }
        x, y = (one.compare(row.measure) for one in (tb.Experiment(remaining, runs, aspects=GENRES, min_grade=2), exp))
        both = [(x.requests.place(q, "request"), y.requests.place(q, "request")) for q in x.requests if q in y.requests]
        mine, theirs = np.array(both).T
        assert row.mean == (np.sign(x.values[:, mine]) == np.sign(y.values[:, theirs])).mean(), row.measure
    (note,) = [note for note in study.notes if "All ratings count" in note]
    assert note == f"All ratings count for {', '.join(measures[1:])}: those below 2 are removed too."


@pytest.mark.filterwarnings("ignore::tiebreak.errors.EmptyRequestsWarning")
def test_ratings_that_binary_judgements_do_not_hold_stay_and_this_is_noted():
    exp = simulated(aspects=GENRES, min_grade=2, binary=True)
    study = missing(exp, "EU(r_max=3)@5", "aspects", fractions=[0.5], samples=1)
    assert "All ratings count for EU(r_max=3)@5, but those below 2 stay: judgements are binary." in study.notes


def test_subtopics_of_removed_labels_are_not_known():
    """Only b is left: of the request's subtopics that leaves 2, which y shows first and x second."""
    judged = {"q": {"a": {"1": 1, "2": 0}, "b": {"2": 1}, "c": {"1": 0, "2": 0}}}
    exp = tb.Experiment(judged, [{"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 2.0, "c": 1.0}}])
    exp.read("S-RR@2")
    kept = next(
        kept
        for kept in (tb.sample_labels(exp.positions, 0.5, seed=seed, by="aspects") for seed in range(50))
        if labels_left(kept) == {("q", "b")}
    )
    assert tb.metric("S-RR@2").evaluate(kept).tolist() == [[1 / 2], [1.0]]
    assert exp.evaluate("S-RR@2").values[:, 0, 0].tolist() == [1 / 2, 0.0]


def test_aspects_are_needed_to_remove_labels_by_aspect():
    with pytest.raises(tb.InputError, match="labels are removed by aspect, and there are none"):
        missing(simulated(), "AP", "aspects", samples=1)


# Numbers of requests, and the items of all runs


def test_a_number_of_requests_is_kept_as_the_same_share_is(binary):
    n = len(binary.compare("AP").requests)
    sizes = [2, n // 2, n]
    by_size = missing(binary, ["AP", "RPP"], "requests", keep=sizes, samples=4).rows()
    by_share = missing(binary, ["AP", "RPP"], "requests", fractions=[1 - k / n for k in sizes], samples=4).rows()
    assert [row.requests for row in by_size] == [*sizes, *sizes]
    assert {(row.measure, row.requests): row[2:] for row in by_size} == {
        (row.measure, round((1 - row.removed) * n)): row[2:] for row in by_share
    }


def test_numbers_of_requests_are_drawn_by_number(binary):
    findings = missing(binary, ["AP"], "requests", keep=[3, 2], samples=2)
    assert findings.columns[1] == "requests" and findings.drawn_as.x == "requests"
    assert [row.requests for row in findings.rows()] == [2, 3]
    assert findings.conclusion.startswith("With 2 requests, mean tau_b")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": 5}, "Use remove='requests'"),
        ({"keep": 5, "remove": "requests", "fractions": [0.5]}, "Give one of them"),
        ({"keep": 0, "remove": "requests"}, "keep=0. Give a whole number from 1"),
        ({"keep": 10**6, "remove": "requests"}, "keep=1000000. Give a whole number from 1"),
    ],
)
def test_numbers_of_requests_that_make_no_sense_are_refused(binary, options, words):
    with pytest.raises(tb.InputError, match=words):
        missing(binary, ["AP"], **options)


def test_union_of_all_runs_stays_as_labels_are_removed(binary):
    # Labels change which items are relevant, not which are retrieved: without removal the order is the same.
    rows = missing(binary, "ASL(n='union')", fractions=[0, 0.5], samples=2).rows()
    assert (rows[0].low, rows[0].high) == (1.0, 1.0)
    assert tb.studies.ties(binary, ["ASL(n='union')"], view="labels", fractions=[0.5], samples=2).rows()
