"""Ties by measure, by level, of fewer labels, of cut and of random rankings."""

from fractions import Fraction
from itertools import combinations
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from tiebreak.studies import CATALOGUE
from tiebreak.studies._ties import count_equal_runs, round_depths, truncate
from tiebreak.studies.base import sample_seeds

VIEWS = CATALOGUE["ties"].views
ties = tb.studies.ties


def scores(*ranking):
    return {item: float(-rank) for rank, item in enumerate(ranking)}


def by_name(runs):
    return [tb.Run(run, name=name) for name, run in runs.items()]


QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
RUNS = {
    "one": {"q1": scores("a", "x", "b"), "q2": scores("c")},
    "two": {"q1": scores("x", "a"), "q2": scores("x", "y", "z")},
    "three": {"q1": scores("a", "b"), "q2": scores("x", "c")},
    "four": {"q1": scores("y", "a")},
}
"""Positions: one (1, 3) and (1), two (2, -) and (-), three (1, 2) and (2), four as two. 6 pairs, 12 comparisons."""


@pytest.fixture
def four():
    return tb.Experiment(QRELS, by_name(RUNS))


@pytest.fixture(scope="module")
def simulated():
    result = tb.simulate(requests=12, items=300, relevant=5, depth=25, seed=5)
    return tb.Experiment(result.judgements, by_name(result.runs))


# By hand


def test_relevant_items_that_rankings_retrieve(four):
    # q1 and q2: one 2 and 1, two 1 and 0, three 2 and 1, four 1 and 0. Each deviates by 1/2 from its mean, twice.
    study = ties(four, view="retrieved")
    sd = sqrt(2 * 0.5**2 / 1)
    assert study.columns == ("run", "rankings", "mean", "sd", "least", "most")
    assert study.rows()[:4] == (
        ("one", 2, 1.5, sd, 1, 2),
        ("two", 2, 0.5, sd, 0, 1),
        ("three", 2, 1.5, sd, 1, 2),
        ("four", 2, 0.5, sd, 0, 1),
    )
    # All: two 2s, four 1s, two 0s; the mean is 1, and 4 deviate by 1.
    assert study.rows()[4] == ("all runs", 8, 1.0, pytest.approx(sqrt(4 / 7)), 0, 2)
    assert study.conclusion.startswith("Relevant items retrieved per ranking: 1.00 \N{PLUS-MINUS SIGN} 0.76, mean and")


def test_single_ranking_retrieves_without_a_deviation():
    study = ties(tb.Experiment({"q": {"a": 1}}, {"q": scores("x", "a")}), view="retrieved")
    assert study.rows() == (("run1", 1, 1.0, None, 1, 1), ("all runs", 1, 1.0, None, 1, 1))


def test_retrieved_items_take_no_measures(four):
    with pytest.raises(tb.InputError, match='view="retrieved" uses positions only'):
        ties(four, "AP", view="retrieved")


def test_ties_by_measure(four):
    # RR ties one and three in q1, two and four in q1 and q2; recall also one and three in q2; the others two and four.
    actual = ties(four, ["RR", "R@10", "LexiPrecision", "LexiRecall", "AP", "RPP"])
    assert actual.columns == ("measure", "compared", "tied", "share")
    assert actual.rows() == (
        ("RR", 12, 3, 3 / 12),
        ("R@10", 12, 4, 4 / 12),
        ("LexiPrecision", 12, 2, 2 / 12),
        ("LexiRecall", 12, 2, 2 / 12),
        ("AP", 12, 2, 2 / 12),
        ("RPP", 12, 2, 2 / 12),
    )
    assert "R@10 33.3%, RR 25.0%, " in actual.conclusion


def test_ties_by_recall_level(four):
    # Level 1 is that of RR; level 2 exists in q1 only, where two and four lack it.
    actual = ties(four, view="level")
    assert actual.columns == ("level", "ties", "requests", "compared", "tied", "share")
    assert actual.rows() == (
        (1, "all", 2, 12, 3, 3 / 12),
        (2, "all", 1, 6, 1, 1 / 6),
        (1, "both unretrieved", 2, 12, 1, 1 / 12),
        (2, "both unretrieved", 1, 6, 1, 1 / 6),
    )
    assert [row[0] for row in ties(four, view="level", levels=1).rows()] == [1, 1]


def test_ties_of_cut_rankings(four):
    # After 1 item q1 has (1, -), (-, -), (1, -), (-, -): 2 ties; q2 has (1), (-), (-), (-): 3 ties.
    # After 2 items q1 has (1, -), (2, -), (1, 2), (2, -) and q2 (1), (-), (2), (-): RR ties 2 and 1,
    # lexirecall 1 and 1.
    actual = ties(four, ["RR", "LexiRecall"], view="depth", depths=[2, 1])
    assert actual.columns == ("depth", "measure", "share")
    assert actual.rows() == ((2, "RR", 3 / 12), (2, "LexiRecall", 2 / 12), (1, "RR", 5 / 12), (1, "LexiRecall", 5 / 12))
    assert "with 2 items and with 1 item: RR 25.0% and 41.7%, LexiRecall 16.7% and 41.7%." in actual.conclusion
    assert [row[0] for row in ties(four, "RR", view="depth").rows()] == [1, 2, 3]
    assert [row[0] for row in ties(four, "RR", view="depth", depths=[2, 2]).rows()] == [2]


def test_ties_of_fewer_labels(four):
    # Half of 2 labels is one, of 1 label one. With only a in q1: (1), (2), (1), (2), two ties; with only b: (3), (-),
    # (2), (-), one. In q2 one tie as before. So RR ties 3 or 2 of 12, as the draw decides; AP the same.
    actual = ties(four, ["RR", "AP"], view="labels", fractions=[1, 0.5], samples=40)
    assert actual.columns == ("kept", "measure", "share", "sd", "low", "high")
    whole_rr, whole_ap, half_rr, half_ap = actual.rows()
    assert whole_rr == (1.0, "RR", 3 / 12, 0.0, 3 / 12, 3 / 12)
    assert whole_ap[:3] == (1.0, "AP", pytest.approx(2 / 12))
    drawn = [len(tb.sample_labels(four.positions, 0.5, seed=s).item) for s in sample_seeds(0, 40)]
    assert drawn == [2] * 40
    first = sum(kept_item(four, s) == "a" for s in sample_seeds(0, 40))
    assert 8 < first < 32
    share = (3 * first + 2 * (40 - first)) / 40 / 12
    deviation = sqrt(first * (40 - first) / (40 * 39)) / 12
    assert half_rr[2:] == pytest.approx((share, deviation, share - deviation, share + deviation))
    assert half_ap[2:] == pytest.approx(half_rr[2:])


def test_ties_of_labels_that_many_runs_retrieve():
    # No run retrieves z: of the two labels a is always kept. Uniformly, z is kept in some samples, and both runs tie.
    exp = tb.Experiment({"q": {"a": 1, "z": 1}}, [{"q": scores("a")}, {"q": scores("x", "a")}])
    pooled = ties(exp, "RR", view="labels", remove="pool", fractions=0.5, samples=20)
    assert pooled.rows() == ((0.5, "RR", 0.0, 0.0, 0.0, 0.0),)
    assert "in proportion to the number of runs that retrieve an item" in pooled.notes[1]
    ((_, _, share, *_),) = ties(exp, "RR", view="labels", fractions=0.5, samples=20).rows()
    assert 0 < share < 1


def kept_item(experiment, seed):
    thinned = tb.sample_labels(experiment.positions, 0.5, seed=seed)
    return thinned.items[thinned.item[thinned.layout.request == 0][0]]


def test_band_stays_within_shares():
    # One of two labels is kept. Runs that both begin with a tie by RR with a alone and differ with b alone; for runs
    # that both have b second it is the other way round. So the shares add up to 1; one band would go below 0, one
    # above 1.
    qrels = {"q": {"a": 1, "b": 1}}
    first = {"q": scores("a", "b")}
    alike_in_a, alike_in_b = [first, {"q": scores("a", "x")}], [first, {"q": scores("x", "b")}]
    rows = [
        ties(tb.Experiment(qrels, runs), "RR", view="labels", fractions=0.5, samples=9).rows()[0]
        for runs in (alike_in_a, alike_in_b)
    ]
    (_, _, less, sd, *low), (_, _, more, same, *high) = sorted(rows, key=lambda row: row[2])
    assert less + more == pytest.approx(1) and sd == pytest.approx(same)
    assert less - sd < 0 and more + sd > 1
    assert low == [0.0, less + sd] and high == [more - same, 1.0]


def test_one_sample_has_no_spread(four):
    actual = ties(four, "RR", view="labels", fractions=0.5, samples=1)
    ((_, _, share, sd, low, high),) = actual.rows()
    assert (sd, low, high) == (None, share, share)
    assert "One sample has no spread." in actual.notes


def test_measures_that_tie_the_same_are_named(four):
    actual = ties(four, ["LexiRecall", "RR", "LexiPrecision"], view="depth")
    assert "The same throughout: LexiRecall, LexiPrecision." in actual.notes
    assert not any("throughout" in note for note in ties(four, ["RR", "LexiRecall"], view="depth").notes)


def test_curves_are_shown_a_column_each(four):
    table = ties(four, ["RR", "LexiRecall"], view="depth", depths=[2, 1]).table(2)
    assert table.header == ("depth", "RR", "LexiRecall")
    assert table.rows == (("2", "0.25", "0.17"), ("1", "0.42", "0.42"))
    assert ties(four, "RR", view="labels", fractions=[1, 0.25]).table(2).rows[0] == ("1.00", "0.25")


def test_some_depths_end_with_the_deepest():
    assert round_depths(1) == [1] and round_depths(0) == [1]
    assert round_depths(25) == [1, 2, 5, 10, 20, 25]
    assert round_depths(100) == [1, 2, 5, 10, 20, 50, 100]


# A slow twin, written from the definitions


def vectors(positions):
    """For every request, p of every run: exact, infinite where unretrieved."""
    actual = {}
    for bucket in positions.levels().buckets():
        for k, request in enumerate(bucket.requests.tolist()):
            actual[request] = [tuple(inf if i == tb.UNRETRIEVED else i for i in run[k]) for run in bucket.p.tolist()]
    return list(actual.values())


def fraction(i, place):
    return Fraction(i, place) if place < inf else Fraction(0)


SLOW = {
    "RR": lambda p: fraction(1, p[0]),
    "AP": lambda p: sum(fraction(i, place) for i, place in enumerate(p, start=1)) / len(p),
    "R@5": lambda p: sum(place <= 5 for place in p),
    "RP": lambda p: sum(place <= len(p) for place in p),
    "TSE": lambda p: p[-1],
    "LexiRecall": lambda p: p,
}


def slow_share(positions, measure):
    pairs = [(x, y) for runs in vectors(positions) for x, y in combinations(runs, 2)]
    if measure == "RPP":
        return sum(sum((a < b) - (a > b) for a, b in zip(x, y, strict=True)) == 0 for x, y in pairs) / len(pairs)
    return sum(SLOW[measure](x) == SLOW[measure](y) for x, y in pairs) / len(pairs)


@pytest.fixture(scope="module")
def binary():
    result = tb.simulate(requests=12, items=300, relevant=5, depth=25, seed=5)
    return tb.Experiment(result.judgements, by_name(result.runs), binary=True)


def test_shares_are_those_of_the_twin(binary):
    names = [*SLOW, "RPP"]
    positions = binary.positions
    assert [row[3] for row in ties(binary, names).rows()] == [slow_share(positions, name) for name in names]
    for depth, name, share in ties(binary, names, view="depth").rows():
        assert share == slow_share(tb.project(binary.judgements, binary.runs, binary=True, depth=depth), name)


@pytest.mark.parametrize(("remove", "by"), [("labels", "uniform"), ("pool", "runs")])
def test_shares_of_fewer_labels_are_those_of_the_twin(binary, remove, by):
    names = [*SLOW, "RPP"]
    actual = ties(binary, names, view="labels", remove=remove, fractions=[0.3, 0.7], samples=3, seed=4)
    for kept, name, share, sd, _, _ in actual.rows():
        samples = [tb.sample_labels(binary.positions, kept, seed=seed, by=by) for seed in sample_seeds(4, 3)]
        drawn = [slow_share(sample, name) for sample in samples]
        assert (share, sd) == pytest.approx((np.mean(drawn), np.std(drawn, ddof=1)))


def test_levels_are_those_of_the_twin(binary):
    rankings = vectors(binary.positions)
    for level, kind, requests, compared, tied, _ in ties(binary, view="level").rows():
        pairs = [
            (x[level - 1], y[level - 1]) for runs in rankings if len(runs[0]) >= level for x, y in combinations(runs, 2)
        ]
        assert requests == sum(len(runs[0]) >= level for runs in rankings) and compared == len(pairs)
        assert tied == sum(x == y and (kind == "all" or x == inf) for x, y in pairs)


# Laws


@st.composite
def experiments(draw):
    """A few runs of a few short rankings, some of them alike."""
    items = "abcdef"
    qrels = {q: {item: draw(st.integers(0, 2)) for item in items[:4]} | {"e": 1} for q in ("q1", "q2")}
    some, any_ = (
        st.lists(st.sampled_from(items), unique=True, min_size=least).map(lambda actual: scores(*actual))
        for least in (1, 0)
    )
    runs = draw(st.lists(st.fixed_dictionaries({"q1": some, "q2": any_}), min_size=2, max_size=4))
    return tb.Experiment(qrels, by_name({f"run{k}": run for k, run in enumerate(runs)}))


@settings(max_examples=examples(60), deadline=None)
@given(experiments())
def test_views_agree_with_each_other(experiment):
    tied = {row[0]: row[1:] for row in ties(experiment, ["RR", "LexiPrecision", "LexiRecall", "AP", "R@3"]).rows()}
    assert ties(experiment, view="level").rows()[0][3:] == tied["RR"]
    # Rankings that tie lexicographically place their relevant items alike: every metric ties them.
    assert tied["LexiPrecision"] == tied["LexiRecall"]
    assert all(tied["LexiRecall"][1] <= tied[name][1] for name in ("RR", "AP", "R@3"))


@settings(max_examples=examples(60), deadline=None)
@given(experiments(), st.integers(1, 6))
def test_cutting_positions_is_reading_with_a_depth(experiment, depth):
    read = tb.Experiment(experiment.judgements, experiment.runs, depth=depth).positions
    result = truncate(experiment.positions, depth)
    for a, b in ((result, read), (result.nonrelevant, read.nonrelevant)):
        assert a.ranks.dtype == b.ranks.dtype and (a.ranks == b.ranks).all()
        assert (a.retrieved == b.retrieved).all()


@settings(max_examples=examples(60), deadline=None)
@given(experiments())
def test_shallower_rankings_tie_more_lexicographically(experiment):
    shares = [row[2] for row in ties(experiment, "LexiRecall", view="depth", depths=[6, 5, 4, 3, 2, 1]).rows()]
    assert shares == sorted(shares)


def test_others_alike_along_any_axes():
    values = np.array([[[1, 5]], [[1, 6]], [[2, 5]], [[1, 5]]])
    assert count_equal_runs(values).tolist() == [[[2, 2]], [[2, 0]], [[0, 2]], [[2, 2]]]


# Labels are dropped as everywhere else, and results depend on the seed alone


def test_all_labels_are_those_of_the_experiment(simulated):
    with pytest.warns(tb.errors.GradesWarning):
        graded = ties(tb.Experiment(simulated.judgements, simulated.runs, min_grade=2), ["nDCG", "AP"])
    with pytest.warns(tb.errors.GradesWarning):
        kept = ties(
            tb.Experiment(simulated.judgements, simulated.runs, min_grade=2),
            ["nDCG", "AP"], view="labels", fractions=1.0, samples=2,
        )  # fmt: skip
    assert [row[2] for row in kept.rows()] == [row[3] for row in graded.rows()]


def test_graded_measures_keep_requests_without_an_item_of_the_smallest_grade():
    # q2 has nothing of grade 2; nDCG counts every grade above 0, and ties there.
    qrels = {"q1": {"a": 2}, "q2": {"b": 1}}
    runs = [{"q1": scores("a"), "q2": scores("b")}, {"q1": scores("x", "a"), "q2": scores("b")}]
    with pytest.warns(tb.errors.EmptyRequestsWarning), pytest.warns(tb.errors.GradesWarning):
        actual = ties(tb.Experiment(qrels, runs, min_grade=2), "nDCG", view="depth", depths=2)
    assert actual.rows() == ((2, "nDCG", 0.5),)


def test_seeds_draw_other_labels_and_more_samples_begin_alike(simulated):
    drawn = [ties(simulated, "RR", view="labels", fractions=0.3, seed=seed).rows() for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sample_seeds(3, 9)[:4] == sample_seeds(3, 4) and len(set(sample_seeds(3, 9))) == 9


def test_files_are_read_once(four, monkeypatch):
    four.read()
    monkeypatch.setattr(tb.Experiment, "_read", lambda *_, **__: pytest.fail("read again"))
    for view in ("level", "labels", "depth"):
        ties(four, view=view, samples=2)


# What is drawn, and what is refused


def test_functions_and_metrics_are_measures(four):
    def first_two(p):
        return sum(place <= 2 for place in p)

    actual = ties(four, [first_two, tb.metric("RR"), tb.preference("LexiPrecision"), tb.preference("diff(AP)")])
    assert [row[0].rpartition(".")[2] for row in actual.rows()] == ["first_two", "RR", "LexiPrecision", "diff(AP)"]
    # 1, 1, 2, 1 and 1, 0, 1, 0 are among the first two: 3 ties and 2.
    assert actual.rows()[0][1:] == (12, 5, 5 / 12)
    assert ties(four, first_two, view="depth", depths=3).rows()[0][2] == 5 / 12


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"view": "labls"}, 'unknown value for view "labls". Did you mean "labels"?'),
        ({"measures": []}, "no measure was given"),
        ({"measures": ["AP", "AP"]}, "the measure AP was given twice"),
        ({"measures": "APP"}, "unknown preference"),
        ({"view": "level", "measures": "RR"}, 'view="level" uses positions only; it takes no measures'),
        ({"view": "depth", "measures": "ASL(n='union')"}, "needs more than the positions of judged items"),
        ({"view": "labels", "fractions": [0.5, 1.5]}, "fraction=1.5. Give a number of at least 0 and at most 1"),
        ({"view": "labels", "fractions": ["half"]}, "fraction='half'"),
        ({"view": "labels", "fractions": [True]}, "fraction=True"),
        ({"view": "labels", "fractions": []}, "no fraction was given"),
        ({"view": "depth", "depths": 0}, "depth=0. Give a whole number from 1 on"),
        ({"view": "labels", "samples": 0}, "samples=0"),
        ({"view": "labels", "seed": -1}, "seed=-1"),
        ({"view": "labels", "jobs": 0}, "jobs=0"),
        ({"view": "level", "levels": 0}, "levels=0"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_files_are_read(how, message):
    with pytest.raises(tb.InputError, match=message):
        ties(Unread(), **how)


class Unread:
    """An experiment of which nothing may be looked at."""


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "retrieved"])
def test_one_run_is_no_comparison(view):
    with pytest.raises(tb.InputError, match="at least two runs"):
        ties(tb.Experiment(QRELS, RUNS["one"]), view=view)
