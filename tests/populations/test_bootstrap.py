"""Orders by populations of resampled requests: every population, against orders of the same draws one by one."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from populations.tables import binary_values, tables
from populations.test_contracts import TABLES, make, utilities
from populations.test_exactness import SQUARES
from tiebreak.populations import CATALOGUE
from tiebreak.populations.bootstrap import requests_to_draw, samples


def draws(n, resamples, seed=0):
    """Which of n requests, numbered by name, every sample holds."""
    return [np.random.default_rng([seed, k]).integers(n, size=n).tolist() for k in range(resamples)]


def test_shares_worked_by_hand():
    # Samples q q, q r, r q and r r: the worst of a is 1, 0.4, 0.4, 0.4, of b 0, 0, 0, 0.5. So a wins three of four.
    table = tb.Utilities({"a": {"q": 1, "r": 0.4}, "b": {"q": 0, "r": 0.5}})
    boot = table.bootstrap("min", resamples=1000)
    assert boot.shares("a", "b").first == pytest.approx(3 / 4, abs=0.04)
    assert boot.shares("a", "b").second == pytest.approx(1 / 4, abs=0.04)
    assert boot.rows() == [("a", 1, 2), ("b", 1, 2)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rows", [TABLES[0], pytest.param(TABLES[1], marks=pytest.mark.slow)], ids=["first", "second"])
@pytest.mark.parametrize("name", CATALOGUE)
def test_ranks_of_samples_are_those_of_orders_of_the_same_requests(name, rows):
    by = make(CATALOGUE[name])
    boot = utilities(rows).bootstrap(by, resamples=20, seed=3)
    expected = [
        utilities([[row[q] for q in some] for row in rows]).order(by).ranks.tolist() for some in draws(9, 20, 3)
    ]
    assert boot.ranks.tolist() == expected


@pytest.mark.parametrize(
    "spec", ["leximin(digits=1)", "leximax", "smoothed_leximin(lag=1)", "smoothed_leximin(lag=3, digits=0)"]
)
@settings(max_examples=examples(20))
@given(rows=tables(binary_values, (2, 4), (3, 6)))
def test_samples_by_other_parameters(spec, rows):
    boot = utilities(rows).bootstrap(spec, resamples=5)
    some = draws(len(rows[0]), 5)
    expected = [utilities([[row[q] for q in places] for row in rows]).order(spec).ranks.tolist() for places in some]
    assert boot.ranks.tolist() == expected


@pytest.mark.parametrize("measure", ["AP", "nDCG"])
def test_mean_is_resampled_as_the_mean_preference_of_the_metric(measure):
    simulation = tb.simulate(requests=12, seed=5)
    exp = tb.Experiment(simulation.judgements, [tb.Run(one, name=name) for name, one in simulation.runs.items()])
    both = exp.utilities(measure).bootstrap("mean", resamples=40), exp.compare(measure).bootstrap("mean", resamples=40)
    assert both[0].ranks.tolist() == both[1].ranks.tolist() and both[0].wins.tolist() == both[1].wins.tolist()


def test_values_that_are_equal_as_real_numbers_tie_in_every_sample():
    for by in ("leximin", "mean", "gmean", "cvar"):
        assert SQUARES.utilities("nDCG").bootstrap(by, resamples=5).ranks.tolist() == [[1, 1]] * 5


@pytest.mark.parametrize("by", ["leximin", "mean", "gmean"])
def test_samples_do_not_depend_on_the_order_of_the_input(by):
    rows = TABLES[0]
    order = [5, 0, 7, 2, 1, 8, 3, 6, 4]
    names = ["run2", "run0", "run3", "run1"]
    moved = utilities([[rows[int(name[-1])][q] for q in order] for name in names], names, requests=order)
    first, second = (one.bootstrap(by, resamples=30) for one in (utilities(rows), moved))
    places = [second.runs.index(run) for run in first.runs]
    assert first.ranks.tolist() == second.ranks[:, places].tolist()


def test_trials_are_drawn_with_their_request():
    cells = [(run, q, t, 1) for run in "ab" for q in "xy" for t in range(3)]
    table = [dict(zip(("run", "request", "trial", "value"), cell, strict=True)) for cell in cells]
    kept = tb.Utilities(table, trials="keep")
    for places in samples(requests_to_draw(kept.table, None), 10, 0):
        origins = [kept.table.origins[place] for place in places.tolist()]
        assert len(origins) == 6 and all(origins.count(q) % 3 == 0 for q in origins)


def test_requests_are_drawn_within_their_groups():
    groups = {f"q{q}": "few" if q < 2 else "many" for q in range(9)}
    table = utilities(TABLES[0], groups=groups)
    for places in samples(requests_to_draw(table.table, table.groups), 10, 0):
        assert sorted(table.groups[place] for place in places.tolist()) == ["few"] * 2 + ["many"] * 7
    for how in ({}, {"tiers": ["many"]}):
        boot = table.bootstrap("leximin", resamples=3, **how)
        for places, ranks in zip(samples(requests_to_draw(table.table, table.groups), 3, 0), boot.ranks, strict=True):
            drawn = {f"s{k}": place for k, place in enumerate(places.tolist())}
            values = {
                run: {s: row[q] for s, q in drawn.items()} for run, row in zip(table.runs, table.values, strict=True)
            }
            alone = tb.Utilities(values, groups={s: table.groups[q] for s, q in drawn.items()})
            assert alone.order("leximin", **how).ranks.tolist() == ranks.tolist()


def test_requests_without_weight_are_not_drawn():
    weighted = utilities(TABLES[0], weights={f"q{q}": float(q == 4) for q in range(9)})
    assert (weighted.bootstrap("mean", resamples=20).ranks == weighted.order("mean").ranks).all()


def test_support_is_the_share_of_samples_in_which_a_run_is_above_the_next():
    table = utilities(TABLES[0])
    order, boot = table.order("leximin"), table.bootstrap("leximin", resamples=50)
    rows = boot.add_to(order).rows()
    assert [row[: len(order.columns)] for row in rows] == [tuple(row) for row in order.rows()]
    for row, below in pairwise(rows):
        assert row.rank < below.rank and row.support == boot.shares(row.run, below.run).first
    assert np.isnan(rows[-1].support)
    assert [(row.run, row.low, row.high) for row in rows] == sorted(
        boot.rows(), key=lambda one: order.ranking().index(one.run)
    )


def test_progress_is_told():
    ticks = []
    utilities(TABLES[0]).bootstrap("mean", resamples=7, tick=lambda done, total: ticks.append((done, total)))
    assert ticks == [(k, 7) for k in range(1, 8)]
    ticks.clear()
    exp = tb.Experiment({"q": {"a": 1}}, [{"q": {"a": 1.0}}, {"q": {"b": 1.0}}])
    boot = exp.compare("RPP").bootstrap(resamples=250, tick=lambda done, total: ticks.append((done, total)))
    assert ticks[0] == (3, 250) and ticks[-1] == (250, 250)
    assert boot.ranks.tolist() == exp.compare("RPP").bootstrap(resamples=250).ranks.tolist()


@pytest.mark.parametrize(("options", "message"), [({"resamples": 0}, "resamples=0"), ({"seed": -1}, "seed=-1")])
def test_what_cannot_be_drawn_is_refused(options, message):
    with pytest.raises(tb.InputError, match=message):
        utilities(TABLES[0]).bootstrap(**options)


@given(st.integers(0, 2**32))
@settings(max_examples=examples(5))
def test_settings_say_what_was_drawn(seed):
    settings = utilities(TABLES[0], measure="accuracy").bootstrap("gmean", resamples=2, seed=seed).settings
    assert (settings["measure"], settings["by"], settings["resamples"], settings["seed"]) == (
        "accuracy",
        "gmean",
        2,
        seed,
    )
