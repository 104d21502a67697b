"""What the first items are, relevant or not: novelty, intra-list diversity, coverage and Gini of exposure."""

import math
import random
from fractions import Fraction

import pytest

import tiebreak as tb
from exact_logarithms import log2
from metrics.test_diversity import intra_list_diversity
from tiebreak.errors import InputError

ASPECTS = {"a": ["war"], "b": ["war", "love"], "c": ["love"], "d": ["war", "love", "crime"], "e": []}


def run_of(**rankings):
    return {user: {item: -float(k) for k, item in enumerate(ranking)} for user, ranking in rankings.items()}


def random_case(seed):
    """Training data, rankings by run and user, and aspects."""
    rng = random.Random(seed)
    items = [f"i{k}" for k in range(12)]
    train = {f"t{k}": {item: rng.choice([0, 1, 5]) for item in rng.sample(items, 6)} for k in range(rng.randint(1, 9))}
    runs = [{f"u{k}": rng.sample(items, rng.randint(1, 12)) for k in range(5)} for _ in range(3)]
    aspects = {item: rng.sample("vwxyz", rng.randint(0, 3)) for item in items}
    return train, runs, aspects


def experiment(train, runs, aspects):
    judgements = {f"u{k}": {"i0": 1} for k in range(5)}
    named = [tb.Run(run_of(**run), name=f"run{k}") for k, run in enumerate(runs)]
    return tb.Experiment(judgements, named, train=train, aspects=aspects)


# Slow versions, from the equations


def novelty(ranking, train, cutoff):
    def known(item):
        return max(sum(of_user.get(item, 0) > 0 for of_user in train.values()), 1)

    shown = ranking[:cutoff]
    return sum(log2(Fraction(len(train), known(item))) for item in shown) / len(shown)


def coverage(rankings, cutoff, n):
    return Fraction(len({item for ranking in rankings for item in ranking[:cutoff]}), n)


def exposure_gini(rankings, cutoff, n, exposure=lambda k: Fraction(1)):
    total = {}
    for ranking in rankings:
        for k, item in enumerate(ranking[:cutoff], start=1):
            total[item] = total.get(item, 0) + exposure(k)
    x = [*total.values(), *[Fraction(0)] * (n - len(total))]
    mean_difference = sum(abs(a - b) for a in x for b in x) / Fraction(n * n)
    return mean_difference / (2 * sum(x) / Fraction(n))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(30))
def test_every_measure_equals_its_slow_version(seed):
    train, runs, aspects = random_case(seed)
    k = random.Random(seed).choice([1, 2, 5, 20])
    specs = [f"Novelty@{k}", f"ILD@{k}", f"Coverage(n=14)@{k}", f"ExposureGini(n=14)@{k}"]
    specs += [f"ExposureGini(RBP(p=0.85), n=14)@{k}", f"ExposureGini(nDCG, n=14)@{k}"]
    scores = experiment(train, runs, aspects).evaluate(specs)
    for r, rankings in enumerate(runs):
        for q, ranking in enumerate(rankings.values()):
            expected = float(novelty(ranking, train, k)), float(intra_list_diversity(ranking, aspects, k))
            assert tuple(scores.values[r, q, :2].tolist()) == expected
        lists = list(rankings.values())
        geometric = exposure_gini(lists, k, 14, lambda rank: Fraction(17, 20) ** (rank - 1))
        logarithmic = exposure_gini(lists, k, 14, lambda rank: 1 / log2(rank + 1))
        figures = coverage(lists, k, 14), exposure_gini(lists, k, 14), geometric, logarithmic
        assert scores.mean[r, 2:].tolist() == [float(figure) for figure in figures]


def test_novelty_by_hand():
    # Of 8 users 4 know a, 1 knows b, nobody knows c.
    train = {f"t{k}": {"a": int(k < 4), "b": 3 if k == 0 else 0} for k in range(8)}
    exp = tb.Experiment({"u": {"a": 1}}, run_of(u="abc"), train=train)
    values = exp.evaluate(["Novelty@1", "Novelty@2", "Novelty@3", "Novelty@9"]).values.ravel().tolist()
    assert values == [1, (1 + 3) / 2, (1 + 3 + 3) / 3, (1 + 3 + 3) / 3]


def test_novelty_without_training_data_is_by_the_judgements():
    exp = tb.Experiment({"u": {"a": 1}, "v": {"a": 1, "b": 1}}, run_of(u="ab", v="ba"))
    assert exp.evaluate("Novelty@2").values.ravel().tolist() == [0.5, 0.5]


def test_lists_of_items_nobody_chose_between_tie_exactly():
    # log2(4/2) + log2(4/2) = log2(4/1) + log2(4/4)
    train = {"t1": {"a": 1, "b": 1, "d": 1, "c": 1}, "t2": {"a": 1, "b": 1, "d": 1}, "t3": {"d": 1}, "t4": {"d": 1}}
    runs = [run_of(u="ab"), run_of(u="cd")]
    comparison = tb.Experiment({"u": {"a": 1}}, runs, train=train).compare("Novelty@2")
    assert comparison.values.tolist() == [[0.0]]


def test_intra_list_diversity_by_hand():
    exp = tb.Experiment({"u": {"a": 1}}, run_of(u="abde"), aspects=ASPECTS)
    values = exp.evaluate(["ILD@1", "ILD@2", "ILD@3", "ILD@4"]).values.ravel().tolist()
    # a and b share 1 of 2, a and d 1 of 3, b and d 2 of 3; e has no aspect and is different from all.
    three = (Fraction(1, 2) + Fraction(2, 3) + Fraction(1, 3)) / 3
    assert values == [0, 0.5, float(three), float((3 * three + 3) / 6)]


def test_many_aspects_of_odd_numbers_stay_exact():
    aspects = {f"i{k}": [f"a{j}" for j in range(k % 60 + 1)] for k in range(100)}
    ranking = [f"i{k}" for k in range(100)]
    exp = tb.Experiment({"u": {"i0": 1}}, run_of(u=ranking), aspects=aspects)
    assert exp.evaluate("ILD@100").values.item() == float(intra_list_diversity(ranking, aspects, 100))


def test_figures_of_a_run_are_means_in_tables_and_absent_by_request():
    exp = tb.Experiment({"u": {"a": 1}, "v": {"b": 1}}, [run_of(u="ab", v="ac"), run_of(u="ab", v="cd")])
    scores = exp.evaluate(["AP", "Coverage(n=8)@2", "ExposureGini(n=8)@2"])
    assert {row.measure for row in scores.rows()} == {"AP"}
    by_run = {(row.run, row.measure): (row.value, row.n_requests) for row in scores.summary().rows()}
    assert by_run["run1", "Coverage(n=8)@2"] == (3 / 8, 2) and by_run["run2", "Coverage(n=8)@2"] == (4 / 8, 2)
    assert {"Coverage(n=8)@2", "ExposureGini(n=8)@2"} <= {m for run, m in scores.summary().best if run == "run2"}
    assert "Figures of a whole run, without values for requests: Coverage(n=8)@2, ExposureGini(n=8)@2." in scores.notes
    assert not any("means over 0" in note for note in scores.notes)
    intervals = {(row.run, row.measure): row for row in scores.intervals().rows()}
    assert math.isnan(intervals["run1", "Coverage(n=8)@2"].low)


def test_exposure_that_is_equal_or_all_on_one_item():
    equal = tb.Experiment({"u": {"a": 1}, "v": {"b": 1}}, run_of(u="ab", v="cd"))
    assert equal.evaluate("ExposureGini(n=4)@2").mean.item() == 0
    one = tb.Experiment({"u": {"a": 1}, "v": {"b": 1}}, run_of(u="a", v="a"))
    assert one.evaluate("ExposureGini(n=4)@2").mean.item() == 0.75  # (4 - 1) / 4


@pytest.mark.parametrize("name", ["Coverage(n=8)@2", "ExposureGini(n=8)@2"])
def test_figures_of_a_run_cannot_be_compared_by_request(name):
    exp = tb.Experiment({"u": {"a": 1}}, [run_of(u="ab"), run_of(u="cd")])
    for act in (lambda: exp.compare(name), lambda: exp.utilities(name), lambda: exp.order(name, by="leximin")):
        with pytest.raises(InputError, match="figure of a whole run"):
            act()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("Coverage@10", r"Coverage needs the number of items in the corpus, such as Coverage\(n=1000000\)"),
        ("Coverage(n=5)", r"Coverage needs a cutoff, such as Coverage\(n=5\)@10\."),
        ("Coverage(n=1)@10", "shows 2 items, of a catalogue of 1"),
        ("ExposureGini(n=1)@10", "shows 2 items, of a catalogue of 1"),
        ("ExposureGini(bpref, n=5)@10", "not a sum over recall levels"),
        ("ExposureGini(RP, n=5)@10", "depends on what is relevant"),
        ("ExposureGini(AP(rel=2), n=5)@10", "depends on what is relevant"),
        ("Novelty(rel=2)@10", "Leave out rel=2"),
        ("Novelty", "Novelty needs a cutoff"),
        ("Novelty(judged_only=true)@5", "Leave out judged_only"),
        ("ILD@5", "needs the aspects of items"),
        ("ILD@5000", "cutoffs of at most 1,000"),
        ("ExposureGini(RBP, n=9)@5000", "cutoffs of at most 1,000"),
    ],
)
def test_bad_input_is_refused_with_advice(spec, message):
    with pytest.raises(InputError, match=message):
        tb.Experiment({"u": {"a": 1}}, run_of(u="ab")).evaluate(spec)


def test_first_items_need_an_experiment():
    with pytest.raises(InputError, match=r"Use Experiment\(\.\.\.\)"):
        tb.metric("Novelty@5").evaluate(tb.positions([[1, 2]]))
