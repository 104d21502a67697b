"""Agreement between measures: numbers worked out by hand, and slow twins written from the papers."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from statistics import correlation

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from tiebreak.studies import agreement
from tiebreak.studies._agreement import OF_POSITIONS, VIEWS
from tiebreak.studies._agreement.suffix import suffix_agreement
from worked_examples import examples_of

INF = float("inf")


def made_of(table):
    """An experiment in which the relevant items stand at these positions: {request: [positions of every run]}."""
    judgements = {q: {f"r{i}": 1 for i in range(len(of_runs[0]))} for q, of_runs in table.items()}
    names = range(len(next(iter(table.values()))))
    runs = [{q: ranking(of_runs[r]) for q, of_runs in table.items()} for r in names]
    return tb.Experiment(judgements, [tb.Run(run, name=f"run{k}") for k, run in enumerate(runs, start=1)])


def ranking(positions):
    """Scores that put the relevant items at these positions, fillers between them."""
    last = max((p for p in positions if p is not None), default=1)
    at = {p: f"r{i}" for i, p in enumerate(positions) if p is not None}
    return {at.get(k, f"x{k}"): 1000.0 - k for k in range(1, last + 1)}


# Three runs and two requests. RR: q1 1, 1/2, 1/2; q2 1/3, 1/3, 1.
# Pairs (1, 2), (1, 3), (2, 3) by RR: q1 + + =, q2 = - -.
# LexiRecall compares the last positions, then the first ones: q1 4, 3, 4: - + +; q2 5, none, 6: + + -.
TABLE = {"q1": [[1, 4], [2, 3], [2, 4]], "q2": [[3, 5], [3, None], [1, 6]]}


@pytest.fixture
def small():
    return made_of(TABLE)


@pytest.fixture(scope="module")
def simulated():
    made = tb.simulate(requests=12, seed=3)
    return tb.Experiment(made.judgements, [tb.Run(run, name=name) for name, run in made.runs.items()])


def levels_of(experiment):
    """{request: [[1/p_1, 1/p_2, ...] of every run]}, 0 where an item is not retrieved."""
    found = {}
    for bucket in experiment.positions.levels().buckets():
        for k, request in enumerate(bucket.requests.tolist()):
            found[request] = [[p if p < 2**31 - 1 else INF for p in row] for row in bucket.p[:, k].tolist()]
    return found


def test_preference_by_hand(small):
    found = agreement(small, "preference", ["LexiRecall", "RR"])
    assert found.columns == ("given", "measure", "differ", "agree", "share")
    # RR differs for four: of + + in q1 LexiRecall says - +, of - - in q2 + -. Two agree.
    # LexiRecall differs for all six, of which RR agrees with the same two.
    assert found.rows() == (
        ("LexiRecall", "LexiRecall", 6, 6, 1.0),
        ("LexiRecall", "RR", 6, 2, 2 / 6),
        ("RR", "LexiRecall", 4, 2, 2 / 4),
        ("RR", "RR", 4, 4, 1.0),
    )
    assert found.conclusion == "LexiRecall agrees most with differences by RR: 50.0% of 4."


def test_preference_is_the_share_of_the_papers_equation(simulated):
    measures = ["LexiRecall", "AP", "RR", "R@10"]
    found = {(row[0], row[1]): row[2:] for row in agreement(simulated, "preference", measures).rows()}
    prefers = {}
    for name in measures:
        comparison = simulated.compare(name)
        prefers[name] = {
            (x, y, q): value
            for run, other in comparison.names()
            for x, y, sign in ((run, other, 1), (other, run, -1))
            for q, value in enumerate((sign * comparison.between(run, other)).tolist())
        }
    for mu, nu in permutations(measures, 2):
        above = sum(prefers[mu][key] > 0 and prefers[nu][key] > 0 for key in prefers[mu])
        below = sum(value > 0 for value in prefers[mu].values())
        assert found[mu, nu] == (below, above, above / below)


def test_sign_by_hand(small):
    found = agreement(small, "sign", ["RR", "LexiRecall"], points=3)
    # Sizes by RR: 1/2, 1/2, 0 and 0, -2/3, -2/3; signs by LexiRecall: -1, 1, 1 and 1, 1, -1. The products -1/2, 1/2, 0,
    # 0, -2/3 and 2/3 add up to 0. Two of six signs are the same; no pair ties by both.
    ((measure, other, r, agree),) = found.rows()
    assert (measure, other, agree) == ("RR", "LexiRecall", 2 / 6)
    assert r == pytest.approx(0, abs=1e-15)
    assert len(found.picture()[2]) == 3


def test_two_ties_are_the_same_sign():
    found = agreement(made_of({"q1": [[1], [1]], "q2": [[1], [2]]}), "sign", ["RR", "LexiRecall"])
    assert found.rows()[0][3] == 1.0


def test_sign_is_pearson_over_both_orders_of_every_pair(simulated):
    found = {row[:2]: row[2:] for row in agreement(simulated, "sign", ["RPP", "AP", "RR"]).rows()}
    values = {name: simulated.compare(name).values.ravel() for name in ("RPP", "AP", "RR")}
    for x, y in combinations(values, 2):
        both = [np.concatenate([values[name], -values[name]]).tolist() for name in (x, y)]
        assert found[x, y][0] == pytest.approx(correlation(*both))
        assert found[x, y][1] == np.mean(np.sign(values[x]) == np.sign(values[y]))


def test_points_do_not_depend_on_the_order_of_runs_and_requests():
    names, requests = ["b", "a", "c"], ["q2", "q10", "q1", "q3"]
    items = {name: {q: [f"d{k}" for k in Random(name + q).sample(range(6), 6)] for q in requests} for name in names}

    def points(names, requests):
        runs = [
            tb.Run({q: {d: -k for k, d in enumerate(items[name][q])} for q in requests}, name=name) for name in names
        ]
        experiment = tb.Experiment({q: {"d0": 1, "d1": 1, "d2": 1} for q in requests}, runs)
        return agreement(experiment, "sign", ["RPP", "AP"], points=5, seed=1).picture()[2]

    assert points(names, requests) == points(names[::-1], requests[::-1])


def test_points_are_those_of_the_measures(simulated):
    found = agreement(simulated, "sign", ["RPP", "AP"], points=10_000, seed=5)
    picture, names, rows = found.picture()
    # A field's name is fixed: Vega takes the dot of "RBP(p=0.5)" for a path.
    assert picture.y == names[2] == "first" and dict(picture.titles)["first"] == "RPP"
    rpp, ap = (np.abs(simulated.compare(name).values.ravel()) for name in ("RPP", "AP"))
    assert sorted((abs(x), abs(y)) for _, x, y, _ in rows) == sorted(zip(ap.tolist(), rpp.tolist(), strict=True))
    assert all((kind == "the same") == (np.sign(x) == np.sign(y)) for _, x, y, kind in rows)
    again = agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=1).picture()[2]
    assert again != agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=2).picture()[2]
    assert again == agreement(simulated, "sign", ["RPP", "AP"], points=10, seed=1).picture()[2]


def test_order_by_hand(small):
    found = agreement(small, "order", ["RR", "AP", "leximin(AP)"])
    # RR: 8/12, 5/12, 9/12. AP: run1 (1 + 1/2) / 2 and (1/3 + 2/5) / 2, run2 (1/2 + 2/3) / 2 and 1/6, run3 1/2 and
    # (1 + 1/3) / 2; means 67/120, 45/120, 70/120, worst 22/60, 10/60, 30/60. All order run3, run1, run2.
    assert found.rows() == (("RR", "AP", 1.0), ("RR", "leximin(AP)", 1.0), ("AP", "leximin(AP)", 1.0))
    # By majority LexiRecall puts run1 above run3 and ties the rest: run1, run2, run3. RR puts run1 and run3 above run2,
    # and ties them: one pair agrees, one does not, one ties.
    other = agreement(small, "order", ["RR", "LexiRecall"], ordering="copeland")
    assert other.rows() == (("RR", "LexiRecall", 0.0),)
    assert other.conclusion == "Most alike are RR and LexiRecall, tau_b 0.000."
    assert "RR by copeland, LexiRecall by copeland" in other.notes[1]


def test_order_is_as_preferences_and_metrics_are_ordered(simulated):
    found = agreement(simulated, "order", ["RPP", "AP"], correlation="tau_ap")
    assert found.columns == ("measure", "other", "tau_ap")
    assert found.rows()[0][2] == simulated.order("RPP", "mc4").correlation(simulated.order("AP", "mean"), "tau_ap")


def test_order_that_ties_all_has_no_correlation():
    found = agreement(made_of({"q": [[1], [2]]}), "order", ["RR", "R@5"])
    assert found.rows() == (("RR", "R@5", None),)
    assert found.conclusion == "No two orders can be compared: runs tie."


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
    found = agreement(small, "suffix")
    assert found.rows() == (("sgnLP", 4, 1, 1 / 4), ("RR_2", 4, 1, 1 / 4))


def test_suffix_looks_beyond_the_second_level_and_at_one_item_not_at_all():
    found = agreement(made_of({"q1": [[1, 3, 4], [2, 3, 5]], "q2": [[1], [2]], "q3": [[2], [2]]}), "suffix")
    # q1: the second levels tie, the third agrees; q2 has no second level and counts as no agreement.
    assert found.rows() == (("sgnLP", 2, 1, 1 / 2), ("RR_2", 2, 0, 0.0))
    assert agreement(made_of({"q": [[1, 2], [1, 3]]}), "suffix").rows() == (("sgnLP", 0, 0, None), ("RR_2", 0, 0, None))


def slow_suffix(experiment):
    differ = lexiprecision = second = 0
    for rankings in levels_of(experiment).values():
        for x, y in combinations(rankings, 2):
            if x[0] == y[0]:
                continue
            differ += 1
            first = x[0] < y[0]
            later = [(a < b) for a, b in zip(x[1:], y[1:], strict=True) if a != b]
            lexiprecision += bool(later) and later[0] == first
            second += len(x) > 1 and x[1] != y[1] and (x[1] < y[1]) == first
    return differ, lexiprecision, second


positions_of_a_request = st.integers(1, 4).flatmap(
    lambda m: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 12)), min_size=m, max_size=m, unique_by=lambda p: p or object()),
        min_size=3,
        max_size=3,
    )
)
tables = st.lists(positions_of_a_request, min_size=1, max_size=4).map(
    lambda requests: {f"q{k}": request for k, request in enumerate(requests)}
)


@given(tables)
@settings(max_examples=30, deadline=None)
def test_suffix_is_as_counted_one_by_one(table):
    made = made_of(table)
    assert tuple(suffix_agreement(made.positions.levels())) == slow_suffix(made)


@given(tables, st.permutations(range(3)))
@settings(max_examples=10, deadline=None)
def test_order_of_the_runs_changes_nothing(table, order):
    changed = {q: [rankings[k] for k in order] for q, rankings in table.items()}
    for view, how in (
        ("preference", {"measures": ["LexiRecall", "RR"]}),
        ("sign", {"measures": ["RPP", "AP"]}),
        ("suffix", {}),
        ("locality", {"levels": 3, "window": 1}),
        ("difference", {"measures": ["AP", "RPP"]}),
    ):
        before, after = (agreement(made_of(each), view, **how).rows() for each in (table, changed))
        for one, other in zip(before, after, strict=True):
            assert other == pytest.approx(one, abs=1e-9)


def doubled(experiment, least, form, level):
    """Differences of 1/p_i, or their signs, a row per ordered pair and request with enough relevant items."""
    found = []
    for rankings in levels_of(experiment).values():
        for x, y in permutations(rankings, 2):
            if len(x) < least or (form == "cascaded" and x[: level - 1] != y[: level - 1]):
                continue
            sizes = [1 / a - 1 / b for a, b in zip(x, y, strict=True)]
            found.append([*(np.sign(sizes[:least]) if form == "sign" else sizes[:least])])
    return np.array(found).reshape(-1, least)


@pytest.mark.parametrize("form", ["plain", "cascaded", "sign"])
def test_locality_is_correlation_and_least_squares(simulated, form):
    rows = [row for row in agreement(simulated, "locality", levels=5, window=2).rows() if row.form == form]
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
    found = agreement(made_of({"q1": [[1, 3], [2, 4]], "q2": [[1, None], [2, 4]]}), "locality", levels=2, window=1)
    plain, cascaded, sign = found.rows()
    assert plain[3:] == (
        pytest.approx((-1 / 12) / (0.5 * 10 / 144) ** 0.5),
        pytest.approx(-12 / 10),
        pytest.approx(-12 / 10),
    )
    assert cascaded[3:] == plain[3:]
    assert sign[3:] == (0.0, 0.0, 0.0)
    # One level has a next one, whose coefficient is the largest as there is no other.
    assert found.conclusion.endswith("plain 1 of 1, cascaded 1 of 1, sign 1 of 1.")


def test_locality_without_any_case():
    rows = agreement(made_of({"q": [[1, 3], [1, 3]]}), "locality", levels=3, window=1).rows()
    assert all(row[3:] == (None, None, None) for row in rows)


def test_difference_by_hand():
    # AP by level: run1 (1, 4): 1/2, 1/4; run2 (2, 4): 1/4, 1/4. Contributions 1/4 and 0, the other way -1/4 and 0.
    rows = agreement(made_of({"q": [[1, 4], [2, 4]]}), "difference", ["AP", "RPP"])
    shares = {(row[0], row[1]): row[2] for row in rows.rows()}
    assert [shares["AP", at] for at in (-0.26, -0.25, -0.01, 0.0, 0.24, 0.25)] == [0, 0.25, 0.25, 0.75, 0.75, 1]
    assert [shares["RPP", at] for at in (-1.0, -0.01, 0.0, 0.99, 1.0)] == [0.25, 0.25, 0.75, 0.75, 1]
    assert rows.conclusion == "Contributions of a level below 0.01 in size: AP 50.0%, RPP 50.0%."
    assert "In 50.0% of 2 levels" in rows.notes[1]


def test_difference_is_the_distribution_of_disaggregated_differences(simulated):
    shares = {row[1]: row[2] for row in agreement(simulated, "difference", "AP").rows()}
    every = [
        row.difference
        for x, y in permutations(simulated.positions.runs, 2)
        for row in tb.disaggregate(simulated.positions, "AP", x, y).rows()
    ]
    for at in (-0.5, -0.02, 0.0, 0.03, 0.6):
        assert shares[at] == sum(value <= at + 1e-12 for value in every) / len(every)


def test_surface_by_hand(small):
    found = agreement(small, "surface", ["RR", "RBP(p=0.5)", "RPP"], deepest=3)
    rows = {row[:3]: row[3] for row in found.rows()}
    assert len(rows) == 27
    assert rows["RR", 1, 3] == pytest.approx(1 - 1 / 3) and rows["RR", 3, 1] == pytest.approx(1 / 3 - 1)
    assert rows["RBP(p=0.5)", 2, 3] == 0.5 * (0.5 - 0.25)
    assert [rows["RPP", *at] for at in ((1, 3), (2, 2), (3, 1))] == [1, 0, -1]


def test_level_by_hand(small):
    found = agreement(small, "level", ["AP", "RPP"], run="run1", other="run2", request="q1")
    # AP: 1/2 - 1/4 and (2/4 - 2/3) / 2; together 1/4 + 1/12 = 1/3 in size.
    # Precision: 1/1 and 2/4 of run1, 1/2 and 2/3 of run2.
    assert found.rows() == (
        ("AP", 1, 0.25, pytest.approx(3 / 4), 1.0, 0.5, 1),
        ("AP", 2, pytest.approx(-1 / 12), pytest.approx(-1 / 4), 0.5, 2 / 3, 1),
        ("RPP", 1, 1.0, 0.5, 1.0, 0.5, 1),
        ("RPP", 2, -1.0, -0.5, 0.5, 2 / 3, 1),
    )
    assert [row[1:] for row in found.picture()[2][4:]] == [
        ("run1", 1, 1.0),
        ("run1", 2, 0.5),
        ("run2", 1, 0.5),
        ("run2", 2, 2 / 3),
    ]
    assert "AP 75%; RPP 50%" in found.conclusion


def test_level_of_a_search_length(small):
    # q2: run1 (3, 5), run2 (3, -). In a corpus of 9 items the unretrieved one is the last: (9 - 5) / 2.
    found = agreement(small, "level", "ASL(n=9)", run="run1", other="run2", request="q2")
    assert [row.difference for row in found.rows()] == [0.0, 2.0]
    with pytest.raises(tb.InputError, match="where unretrieved items stand"):
        agreement(small, "level", "ASL")
    # Without unretrieved items no size is needed: (2 - 1) / 1.
    assert agreement(made_of({"q": [[1], [2]]}), "level", "ASL").rows()[0].difference == 1.0


def test_precision_of_a_level_that_is_not_reached_is_0(small):
    found = agreement(small, "level", "RR", run="run2", other="run1", request="q2")
    assert [(row.precision, row.other_precision) for row in found.rows()] == [(1 / 3, 1 / 3), (0.0, 2 / 5)]


def test_runs_that_are_not_named_are_the_first_that_are_free(small):
    for run, other, said in (
        (None, None, "run1 minus run2"),
        ("run2", None, "run2 minus run1"),
        (None, "run1", "run2 minus run1"),
        (None, "run3", "run1 minus run3"),
    ):
        assert agreement(small, "level", "AP", run=run, other=other).conclusion.startswith(said)


def test_level_is_the_mean_over_requests_that_have_it(simulated):
    x, y = simulated.positions.runs[:2]
    by_request = tb.disaggregate(simulated.positions, "AP", x, y).rows()
    for row in agreement(simulated, "level", "AP").rows():
        values = [one.difference for one in by_request if one.level == row.level]
        assert (row.difference, row.requests) == (pytest.approx(sum(values) / len(values)), len(values))


def test_measures_without_a_value_for_some_requests_are_compared_on_the_others():
    judgements = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    runs = [{"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 2.0, "a": 1.0}}]
    found = agreement(tb.Experiment(judgements, runs), "preference", ["AP(rel=2)", "RR"])
    # Only q1 has an item of grade 2; there RR ties.
    assert found.rows()[1] == ("AP(rel=2)", "RR", 1, 0, 0.0)
    with pytest.raises(tb.InputError, match="has no value for any request"):
        agreement(tb.Experiment(judgements, runs), "preference", ["AP(rel=3)", "RR"])


@pytest.mark.parametrize("view", VIEWS)
def test_threads_change_nothing_and_progress_is_told(simulated, view):
    heard = []
    how = {"measures": {"level": ["AP"], "difference": ["AP"], "surface": ["AP"]}.get(view, ["RPP", "AP"])}
    how = {} if view in OF_POSITIONS else how
    one = agreement(simulated, view, **how)
    several = agreement(simulated, view, **how, jobs=3, tick=lambda done, total: heard.append((done, total)))
    assert one.rows() == several.rows()
    if view not in ("surface", "level"):
        assert heard[-1][0] == heard[-1][1] > 0


@pytest.mark.parametrize(
    ("view", "how", "said"),
    [
        ("signs", {}, r"unknown view .signs.*sign"),
        ("preference", {"measures": "AP"}, "there is one. Give at least two"),
        ("preference", {"measures": []}, "no measure was given"),
        ("sign", {"measures": ["AP", "AP "]}, "given twice"),
        ("order", {"measures": ["AP", "nothing"]}, "nothing"),
        ("order", {"ordering": "nothing"}, "nothing"),
        ("order", {"correlation": "tau"}, "unknown correlation"),
        ("suffix", {"measures": ["AP"]}, "takes no measures"),
        ("difference", {"measures": ["LexiRecall"]}, "LexiRecall is not a sum over recall levels"),
        ("difference", {"measures": ["dcgRPP"]}, "is not a sum over recall levels"),
        ("difference", {"measures": ["bpref"]}, "bpref is not a sum over recall levels"),
        ("level", {"run": "nobody"}, "nobody"),
        ("level", {"run": "run1", "other": "run1"}, "cannot be compared with itself"),
        ("level", {"request": "q9"}, "q9"),
        ("locality", {"levels": 1}, "levels"),
        ("locality", {"levels": 3, "window": 3}, "window"),
        ("surface", {"deepest": 1}, "deepest"),
        ("sign", {"points": 0}, "points"),
    ],
)
def test_what_cannot_be_meant_is_refused(small, view, how, said):
    with pytest.raises(tb.InputError, match=said):
        agreement(small, view, **how)


def test_one_run_is_refused():
    with pytest.raises(tb.InputError, match="there is one run"):
        agreement(made_of({"q": [[1]]}), "suffix")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_drawn(small, view):
    pytest.importorskip("altair")
    assert agreement(small, view).plot()
