"""What recall levels tell of each other and add to differences: by hand, and slow twins written from the papers."""

from fractions import Fraction
from functools import partial
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_levels import difference, locality, suffix, suffix_agreement, surface

import tiebreak as tb
from examples import examples
from studies.placed import TABLE, experiment_at, positions_by_request, simulated_experiment, tables
from worked_examples import examples_of

pytestmark = pytest.mark.slow  # searches and drawings of many cases


@pytest.fixture
def small():
    return experiment_at(TABLE)


@pytest.fixture(scope="module")
def simulated():
    return simulated_experiment()


def counts_of(pairs):
    """The counts over pairs of rankings, each a request of its own."""
    each = [suffix_agreement(tb.positions([list(x), list(y)]).levels()) for x, y in pairs]
    return tuple(sum(counts) for counts in zip(*each, strict=True))


def test_suffix_in_worked_examples():
    for arguments, expected in examples_of("masked_suffix_agreement"):
        differ, *agreed = counts_of(arguments["pairs"])
        if expected is None:
            assert differ == 0
        else:
            assert [Fraction(count, differ) for count in agreed] == [Fraction(text) for text in expected]


def test_suffix_by_hand(small):
    # RR differs in q1 for (1, 2) and (1, 3), where the second levels say - and tie; in q2 for (1, 3), where run3 is
    # better by RR and run1 by the second level, and for (2, 3), where run3 is better by both.
    actual = suffix(small)
    assert actual.rows() == (("sgnLP", 4, 1, 1 / 4), ("RR_2", 4, 1, 1 / 4))


def test_suffix_looks_beyond_the_second_level_and_at_one_item_not_at_all():
    actual = suffix(experiment_at({"q1": [[1, 3, 4], [2, 3, 5]], "q2": [[1], [2]], "q3": [[2], [2]]}))
    # q1: the second levels tie, the third agrees; q2 has no second level and counts as no agreement.
    assert actual.rows() == (("sgnLP", 2, 1, 1 / 2), ("RR_2", 2, 0, 0.0))
    assert suffix(experiment_at({"q": [[1, 2], [1, 3]]})).rows() == (("sgnLP", 0, 0, None), ("RR_2", 0, 0, None))


def slow_suffix(experiment):
    differ = lexiprecision = second = 0
    for rankings in positions_by_request(experiment).values():
        for x, y in combinations(rankings, 2):
            if x[0] == y[0]:
                continue
            differ += 1
            first = x[0] < y[0]
            later = [(a < b) for a, b in zip(x[1:], y[1:], strict=True) if a != b]
            lexiprecision += bool(later) and later[0] == first
            second += len(x) > 1 and x[1] != y[1] and (x[1] < y[1]) == first
    return differ, lexiprecision, second


@given(tables)
@settings(max_examples=examples(30), deadline=None)
def test_suffix_is_as_counted_one_by_one(table):
    experiment = experiment_at(table)
    assert tuple(suffix_agreement(experiment.positions.levels())) == slow_suffix(experiment)


def doubled(experiment, least, form, level):
    """Differences of 1/p_i, or their signs, a row per ordered pair and request with enough relevant items."""
    actual = []
    for rankings in positions_by_request(experiment).values():
        for x, y in permutations(rankings, 2):
            if len(x) < least or (form == "cascaded" and x[: level - 1] != y[: level - 1]):
                continue
            sizes = [1 / a - 1 / b for a, b in zip(x, y, strict=True)]
            actual.append([*(np.sign(sizes[:least]) if form == "sign" else sizes[:least])])
    return np.array(actual).reshape(-1, least)


@pytest.mark.parametrize("form", ["plain", "cascaded", "sign"])
def test_locality_is_correlation_and_least_squares(simulated, form):
    rows = [row for row in locality(simulated, levels=5, window=2).rows() if row.form == form]
    assert [(row.level, row.later) for row in rows] == list(combinations(range(1, 6), 2))
    assert sum(row.coefficient is not None for row in rows) == 6
    for row in rows:
        data = doubled(simulated, row.later, form, row.level)
        i, j = row.level - 1, row.later - 1
        assert row.r == pytest.approx(np.corrcoef(data[:, i], data[:, j])[0, 1])
        assert row.slope == pytest.approx(np.polyfit(data[:, j], data[:, i], 1)[0])
        if row.coefficient is not None:
            data = doubled(simulated, row.level + 2, form, row.level)
            columns = np.column_stack([data[:, row.level : row.level + 2], np.ones(len(data))])
            fitted = np.linalg.lstsq(columns, data[:, i], rcond=None)[0]
            assert row.coefficient == pytest.approx(fitted[j - row.level])


def test_locality_by_hand():
    # Differences of 1/p: q1 1/2 and 1/12, q2 1/2 and -1/4. r: (1/24 - 1/8) / (sqrt(1/2) sqrt(1/144 + 1/16)); slope:
    # -1/12 over 10/144; with a window of 1 the coefficient is the slope. Nothing is left where the first level ties.
    actual = locality(experiment_at({"q1": [[1, 3], [2, 4]], "q2": [[1, None], [2, 4]]}), levels=2, window=1)
    plain, cascaded, sign = actual.rows()
    assert plain[3:] == (
        pytest.approx((-1 / 12) / (0.5 * 10 / 144) ** 0.5),
        pytest.approx(-12 / 10),
        pytest.approx(-12 / 10),
    )
    assert cascaded[3:] == plain[3:]
    assert sign[3:] == (0.0, 0.0, 0.0)
    # One level has a next one, whose coefficient is the largest as there is no other.
    assert actual.conclusion.endswith("plain 1 of 1, cascaded 1 of 1, sign 1 of 1.")


def test_locality_without_any_case():
    rows = locality(experiment_at({"q": [[1, 3], [1, 3]]}), levels=3, window=1).rows()
    assert all(row[3:] == (None, None, None) for row in rows)


def test_difference_by_hand():
    # AP by level: run1 (1, 4): 1/2, 1/4; run2 (2, 4): 1/4, 1/4. Contributions 1/4 and 0, the other way -1/4 and 0.
    rows = difference(experiment_at({"q": [[1, 4], [2, 4]]}), ["AP", "RPP"])
    shares = {(row[0], row[1]): row[2] for row in rows.rows()}
    assert [shares["AP", at] for at in (-0.26, -0.25, -0.01, 0.0, 0.24, 0.25)] == [0, 0.25, 0.25, 0.75, 0.75, 1]
    assert [shares["RPP", at] for at in (-1.0, -0.01, 0.0, 0.99, 1.0)] == [0.25, 0.25, 0.75, 0.75, 1]
    assert rows.conclusion == "Contributions of a level below 0.01 in size: AP 50.0%, RPP 50.0%."
    assert "In 50.0% of 2 levels" in rows.notes[1]


def test_difference_is_the_distribution_of_disaggregated_differences(simulated):
    shares = {row[1]: row[2] for row in difference(simulated, "AP").rows()}
    every = [
        row.difference
        for x, y in permutations(simulated.positions.runs, 2)
        for row in tb.disaggregate(simulated.positions, "AP", x, y).rows()
    ]
    for at in (-0.5, -0.02, 0.0, 0.03, 0.6):
        assert shares[at] == sum(value <= at + 1e-12 for value in every) / len(every)


def test_surface_by_hand(small):
    actual = surface(small, ["RR", "RBP(p=0.5)", "RPP"], deepest=3)
    rows = {row[:3]: row[3] for row in actual.rows()}
    assert len(rows) == 27
    assert rows["RR", 1, 3] == pytest.approx(1 - 1 / 3) and rows["RR", 3, 1] == pytest.approx(1 / 3 - 1)
    assert rows["RBP(p=0.5)", 2, 3] == 0.5 * (0.5 - 0.25)
    assert [rows["RPP", *at] for at in ((1, 3), (2, 2), (3, 1))] == [1, 0, -1]


@given(tables, st.permutations(range(3)))
@settings(max_examples=examples(10))
def test_order_of_the_runs_changes_nothing(table, order):
    changed = {q: [rankings[k] for k in order] for q, rankings in table.items()}
    for figure in (suffix, partial(locality, levels=3, window=1), partial(difference, measures=["AP", "RPP"])):
        before, after = (figure(experiment_at(each)).rows() for each in (table, changed))
        for one, other in zip(before, after, strict=True):
            assert other == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("figure", [suffix, locality, partial(difference, measures="AP")])
def test_threads_change_nothing(simulated, figure):
    assert figure(simulated).rows() == figure(simulated, jobs=3).rows()


@pytest.mark.parametrize(
    ("figure", "options", "words"),
    [
        (difference, {"measures": ["LexiRecall"]}, "LexiRecall is not a sum over recall levels"),
        (difference, {"measures": ["bpref"]}, "bpref is not a sum over recall levels"),
        (locality, {"levels": 1}, "levels"),
        (locality, {"levels": 3, "window": 3}, "window"),
        (surface, {"deepest": 1}, "deepest"),
    ],
)
def test_what_makes_no_sense_is_refused(small, figure, options, words):
    with pytest.raises(tb.InputError, match=words):
        figure(small, **options)


@pytest.mark.parametrize("figure", [suffix, locality, difference, surface])
def test_every_figure_is_drawn(small, figure):
    pytest.importorskip("altair")
    assert figure(small).plot()
