"""The first relevant item, and the recall level that decides: by hand, and slow twins written from the paper."""

from itertools import combinations
from math import inf

import pytest
from hypothesis import given, settings
from level_ties import deciding_levels, ties_by_first_position

import tiebreak as tb
from examples import examples
from studies.test_ties import QRELS, RUNS, by_name, experiments, scores, vectors


@pytest.fixture
def four():
    return tb.Experiment(QRELS, by_name(RUNS))


@pytest.fixture(scope="module")
def binary():
    simulation = tb.simulate(requests=12, items=300, relevant=5, depth=25, seed=5)
    return tb.Experiment(simulation.judgements, by_name(simulation.runs), binary=True)


def test_ties_by_position_of_the_first_relevant_item(four):
    # At 1: one and three in q1, which tie with each other, and one in q2. At 2: two and four in q1, which tie, and
    # three in q2. Nowhere: two and four in q2. Each has 3 others.
    actual = ties_by_first_position(four)
    assert actual.columns == ("position", "rankings", "compared", "tied", "share")
    assert actual.rows() == ((1, 3, 9, 2, 2 / 9), (2, 3, 9, 2, 2 / 9), (None, 2, 6, 2, 2 / 6))
    assert "25.0% of comparisons; where it is at the top, in 22.2%" in actual.conclusion


def test_nothing_is_said_of_a_top_that_nobody_fills():
    actual = ties_by_first_position(tb.Experiment({"q": {"a": 1}}, [{"q": scores("x", "a")}, {"q": scores("y", "a")}]))
    assert actual.rows() == ((2, 2, 2, 2, 1.0),)
    assert "top" not in actual.conclusion


def test_levels_that_decide(four):
    # Of the 10 comparisons that differ, lexiprecision needs the second level for one and three in q1. From the last
    # level up the first one decides all.
    actual = deciding_levels(four)
    assert actual.columns == ("levels", "measure", "decided", "share")
    assert actual.rows() == ((1, "LexiPrecision", 9, 0.9), (2, "LexiPrecision", 1, 1.0), (1, "LexiRecall", 10, 1.0))
    assert "90% of the differences: LexiPrecision needs 1, LexiRecall needs 1." in actual.conclusion
    assert actual.table(2).rows == (("1", "0.90", "1.00"), ("2", "1.00", "-"))


def test_first_positions_are_those_of_the_twin(binary):
    rankings = vectors(binary.positions)
    for place, n, compared, tied, share in ties_by_first_position(binary).rows():
        wanted = inf if place is None else place
        others = [
            y[0] == wanted
            for runs in rankings
            for k, x in enumerate(runs)
            if x[0] == wanted
            for j, y in enumerate(runs)
            if j != k
        ]
        assert (compared, tied, share) == (len(others), sum(others), sum(others) / len(others))
        assert n == sum(x[0] == wanted for runs in rankings for x in runs)


def test_deciding_levels_are_those_of_the_twin(binary):
    rows = deciding_levels(binary).rows()
    for measure, step in (("LexiPrecision", 1), ("LexiRecall", -1)):
        needed = [
            next(k for k, (a, b) in enumerate(zip(x[::step], y[::step], strict=True), start=1) if a != b)
            for runs in vectors(binary.positions)
            for x, y in combinations(runs, 2)
            if x != y
        ]
        counts = {levels: (decided, share) for levels, name, decided, share in rows if name == measure}
        assert max(counts) == max(needed)
        for levels, (decided, share) in counts.items():
            assert decided == needed.count(levels)
            assert share == pytest.approx(sum(k <= levels for k in needed) / len(needed))


@settings(max_examples=examples(40), deadline=None)
@given(experiments())
def test_counts_are_those_of_the_measures(experiment):
    rows = tb.studies.ties(experiment, ["RR", "LexiPrecision", "LexiRecall"]).rows()
    tied, compared = {row[0]: row[2] for row in rows}, rows[0][1]
    first = ties_by_first_position(experiment).rows()
    assert (sum(row[2] for row in first), sum(row[3] for row in first)) == (2 * compared, 2 * tied["RR"])
    if tied["LexiRecall"] == compared:
        with pytest.raises(tb.InputError, match="no differences"):
            deciding_levels(experiment)
    else:
        decided = deciding_levels(experiment).rows()
        for name in ("LexiPrecision", "LexiRecall"):
            assert sum(row[2] for row in decided if row[1] == name) == compared - tied[name]


@pytest.mark.parametrize("figure", [ties_by_first_position, deciding_levels])
def test_every_figure_is_drawn(four, figure):
    pytest.importorskip("altair")
    assert figure(four).plot()
