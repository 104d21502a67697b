"""The bootstrap where values are not kept: Poisson weights by the names of requests, the same for any blocks."""

import pickle
from fractions import Fraction
from hashlib import blake2b
from math import e, factorial

import numpy as np
import pytest
import scipy.stats

import tiebreak as tb
from engines.parity import experiment
from significance import slow
from tiebreak._base import visits
from tiebreak.exact import competition_ranks
from tiebreak.inputs import Ids
from tiebreak.orderings import CATALOGUE as METHODS
from tiebreak.orderings import Ballots, method
from tiebreak.orderings import block_bootstrap as block_bootstrap_of_orders
from tiebreak.orderings.poisson import PoissonWeights, hash_names
from tiebreak.populations import CATALOGUE as POPULATIONS
from tiebreak.populations import block_bootstrap as block_bootstrap_of_populations
from tiebreak.populations import population
from tiebreak.significance import block_bootstrap, whole_numbers

EXPERIMENTS = {size: experiment(size) for size in (None, 17, 9, 1)}
MEASURES = pytest.mark.parametrize("measure", ["RPP", "diff(nDCG@3)", "diff(P@5)", "LexiRecall", "RPP(weights='dcg')"])
pytestmark = pytest.mark.filterwarnings("ignore::tiebreak.errors.TiebreakWarning")


def slow_weight(seed, draw, name):
    """How often a request is drawn: the smallest number of times that is likely enough."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
    word = next(slow.words(seed, draw // 2, number))
    share = (word >> 32 * (draw % 2)) % 2**32 / 2**32
    times = 0
    while share >= sum(1 / factorial(k) for k in range(times + 1)) / e:
        times += 1
    return times


def slow_bootstrap(kept, pair, draws, seed):
    """Weighted sums and means of all draws, in fractions."""
    values = kept.exact_values(pair, np.arange(kept.n_requests))
    for draw in range(draws):
        weights = [slow_weight(seed, draw, name) for name in kept.requests]
        total = sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))
        yield total, total / max(sum(weights), 1)


@MEASURES
def test_it_is_that_of_the_definition(measure):
    kept = EXPERIMENTS[None].compare(measure)
    result = EXPERIMENTS[9].compare(measure, per_request=False).test("bootstrap", permutations=60, seed=7)
    for pair in range(3):
        sums, means = zip(*slow_bootstrap(kept, pair, 60, 7), strict=True)
        tiny = Fraction(1, 10**50)
        beyond = min(sum(s <= tiny for s in sums), sum(s >= -tiny for s in sums))
        assert result.pvalue[pair] == min(2 * (1 + beyond) / 61, 1)
        bounds = np.quantile([*map(float, means)], [0.025, 0.975])
        np.testing.assert_allclose([result.outcome.low[pair], result.outcome.high[pair]], bounds, rtol=1e-9, atol=1e-11)


@MEASURES
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_it_does_not_depend_on_blocks(measure, alternative):
    how = {"permutations": 301, "seed": 4, "alternative": alternative}
    tests = [exp.compare(measure, per_request=False).test("bootstrap", **how) for exp in EXPERIMENTS.values()]
    for test in tests[1:]:
        assert test.pvalue.tolist() == tests[0].pvalue.tolist() and test.notes == tests[0].notes
        assert test.outcome.low.tolist() == tests[0].outcome.low.tolist()
    assert any("Poisson bootstrap" in note for note in tests[0].notes)
    kept = EXPERIMENTS[None].compare(measure).test("bootstrap", **how)
    assert not any("Poisson" in note for note in kept.notes)


@pytest.mark.parametrize("measure", ["diff(nDCG@3)", "RPP(weights='dcg')"])
def test_signs_that_coarse_numbers_leave_undecided_are_exact(measure, monkeypatch):
    compared = EXPERIMENTS[9].compare(measure, per_request=False)
    expected = compared.test("bootstrap", permutations=100).pvalue.tolist()
    monkeypatch.setattr(whole_numbers, "MOST_BITS", 3)
    assert compared.test("bootstrap", permutations=100).pvalue.tolist() == expected


def test_intervals_are_about_those_of_values_that_are_kept():
    rng = np.random.default_rng(2)
    judged = {f"q{k}": {"a": 1, "b": 1} for k in range(400)}
    runs = {name: {q: dict(zip("abcd", rng.random(4).tolist(), strict=True)) for q in judged} for name in "xy"}
    runs["x"] = {q: items | {"a": items["a"] + 0.2} for q, items in runs["x"].items()}
    kept = tb.Experiment(judged, runs).compare("AP").test("bootstrap", permutations=4000)
    counts = tb.Experiment(judged, runs, block_requests=90).compare("AP", per_request=False)
    result = counts.test("bootstrap", permutations=4000)
    width = kept.outcome.high - kept.outcome.low
    assert abs(result.outcome.low - kept.outcome.low) < 0.06 * width
    assert abs(result.outcome.high - kept.outcome.high) < 0.06 * width


@MEASURES
def test_orders_of_draws_are_those_of_repeated_requests(measure, monkeypatch):
    monkeypatch.setattr(visits, "MOST_SUMS", 300)
    kept = EXPERIMENTS[None].compare(measure)
    weights = [[slow_weight(5, draw, name) for name in kept.requests] for draw in range(15)]
    drawn = [Ballots(kept.take_requests(np.repeat(np.arange(kept.n_requests), row))) for row in weights]
    for by in METHODS:
        expected = [competition_ranks(method(by).scores(ballots)).tolist() for ballots in drawn]
        results = [
            exp.compare(measure, per_request=False).bootstrap(by, resamples=15, seed=5) for exp in EXPERIMENTS.values()
        ]
        for result in results:
            assert result.ranks.tolist() == expected
            assert any("Poisson bootstrap" in note for note in result.notes)
    wins = (kept.square(np.array([one.values.mean for one in drawn])) > 0).sum(axis=0)
    assert all(result.wins.tolist() == wins.tolist() for result in results)


def test_orders_that_estimates_leave_undecided_are_exact(monkeypatch):
    compared = EXPERIMENTS[9].compare("diff(nDCG@3)", per_request=False)
    expected = compared.bootstrap("mean", resamples=12)
    monkeypatch.setattr(block_bootstrap_of_orders, "SUM_ERROR", 1.0)
    monkeypatch.setattr(block_bootstrap_of_orders, "CELLS_AT_ONCE", 9)
    result = compared.bootstrap("mean", resamples=12)
    assert result.ranks.tolist() == expected.ranks.tolist() and result.wins.tolist() == expected.wins.tolist()


def test_runs_that_tie_tie_in_every_draw():
    judged = {f"q{k}": {"a": 1, "b": 2} for k in range(8)}
    runs = {name: {q: {"a": 2.0, "x": 1.5, "b": 1.0} for q in judged} for name in ("x", "y")}
    runs["z"] = {q: {"x": 1.0, "a": 0.5} for q in judged}
    compared = tb.Experiment(judged, runs, block_requests=3).compare("diff(nDCG)", per_request=False)
    for by in ("mean", "borda", "mc4"):
        result = compared.bootstrap(by, resamples=30)
        assert result.ranks[:, :2].tolist() == [[1, 1]] * 30 and result.shares("x", "y") == (0, 1, 0)


COUNTED = [name for name in POPULATIONS if name not in ("georisk", "gain", "urisk", "trisk")]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", [*COUNTED, "leximin(digits=1)", "smoothed_leximin(lag=2)", "smoothed_leximin(lag=1)"])
@pytest.mark.parametrize("measure", ["nDCG@3", "P@5", "ASL(n=20)"])
def test_populations_of_draws_are_those_of_repeated_requests(measure, spec, monkeypatch):
    monkeypatch.setattr(visits, "MOST_SUMS", 400)
    monkeypatch.setattr(block_bootstrap_of_populations, "WEIGHTS_AT_ONCE", 40)
    table = EXPERIMENTS[None].utilities(measure).table
    weights = [[slow_weight(2, draw, name) for name in table.requests] for draw in range(25)]
    chosen = population(spec)
    if measure == "ASL(n=20)" and not chosen.takes_negative:
        return
    expected = [chosen.ranks(table.take(np.repeat(np.arange(len(row)), row))).tolist() for row in weights]
    for exp in EXPERIMENTS.values():
        result = exp.utilities(measure, per_request=False).bootstrap(spec, resamples=25, seed=2)
        assert result.ranks.tolist() == expected
        assert any("Poisson bootstrap" in note for note in result.notes)
        assert result.settings["resamples"] == 25
    kept = EXPERIMENTS[None].utilities(measure).bootstrap(spec, resamples=2)
    assert not any("Poisson" in note for note in kept.notes)


def test_runs_tie_where_no_request_is_drawn():
    exp = tb.Experiment({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}, block_requests=1)
    ranks = exp.utilities("RR", per_request=False).bootstrap(resamples=40).ranks
    is_drawn = [slow_weight(0, draw, "q") > 0 for draw in range(40)]
    assert len({*is_drawn}) == 2 and ranks.tolist() == [[1, 2] if drawn else [1, 1] for drawn in is_drawn]


def test_samples_that_are_too_small_for_a_population_say_so():
    judged = {f"q{k}": {"a": 1} for k in range(4)}
    runs = {name: {q: {name: 1.0} for q in judged} for name in "ab"}
    utilities = tb.Experiment(judged, runs, block_requests=2).utilities("RR", per_request=False)
    with pytest.raises(tb.InputError, match=r"sample of the Poisson bootstrap has .* per_request=True"):
        utilities.bootstrap("lower_area", resamples=50)


def test_too_many_different_utilities_are_refused(monkeypatch):
    monkeypatch.setattr(visits, "MOST_SUMS", 8)
    with pytest.raises(tb.InputError, match=r"different utilities occurs in 3 runs: more than fits"):
        EXPERIMENTS[9].utilities("AP", per_request=False).bootstrap(resamples=5)


def test_copies_have_no_way_back_to_the_values():
    utilities = pickle.loads(pickle.dumps(EXPERIMENTS[9].utilities("AP", per_request=False)))
    assert utilities.order("leximin").ranking() == EXPERIMENTS[9].order("leximin(AP)").ranking()
    with pytest.raises(tb.InputError, match="Compute it again here"):
        utilities.bootstrap(resamples=5)


def test_weights_have_poisson_distribution():
    names = hash_names(Ids.from_names(f"user{k}" for k in range(3000)))[:, None]
    weights = PoissonWeights(3)(range(5, 45), names)
    assert weights.shape == (3000, 40)
    counts = np.bincount(weights.ravel(), minlength=8)
    counts = np.append(counts[:6], counts[6:].sum())
    shares = np.append(scipy.stats.poisson.pmf(range(6), 1), scipy.stats.poisson.sf(5, 1))
    assert scipy.stats.chisquare(counts, shares * counts.sum()).pvalue > 0.001
    for sums, size in ((weights.sum(axis=0), 3000), (weights.sum(axis=1), 40)):
        assert abs(sums.var() / size - 1) < 0.6, "neither draws nor requests move together"
    parts = [PoissonWeights(3)(range(5, 18), names), PoissonWeights(3)(range(18, 45), names)]
    assert np.array_equal(np.concatenate(parts, axis=1), weights)
    assert not np.array_equal(PoissonWeights(4)(range(5, 45), names), weights)


def test_too_many_means_are_refused(monkeypatch):
    monkeypatch.setattr(block_bootstrap, "MOST_SUMS_KEPT", 30)
    with pytest.raises(tb.InputError, match="more means than fit"):
        EXPERIMENTS[9].compare("RPP", per_request=False).test("bootstrap", permutations=11)
