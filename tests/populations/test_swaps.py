"""The test of populations that swaps two runs in random requests."""

from itertools import product

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.populations import population
from tiebreak.populations.swaps import swap_test


def table(x, y):
    names = [f"q{k}" for k in range(len(x))]
    return tb.Utilities({run: dict(zip(names, v, strict=True)) for run, v in (("x", x), ("y", y))}).table


def slow_difference(name, x, y):
    if name == "leximin":
        return next((a - b for a, b in zip(sorted(x), sorted(y), strict=True) if a != b), 0.0)
    if name == "leximax":
        pairs = zip(sorted(x, reverse=True), sorted(y, reverse=True), strict=True)
        return next((a - b for a, b in pairs if a != b), 0.0)
    value = {
        "min": min,
        "max": max,
        "cvar(share=0.5)": lambda u: sum(sorted(u)[: len(u) // 2]) / (len(u) // 2),
        "mean": lambda u: sum(u) / len(u),
    }[name]
    return value(x) - value(y)


def slow_size(name, x, y):
    """What is compared: of lexicographic orders first how early they decide."""
    early = 0
    if name.startswith("lexi"):
        pairs = zip(*(sorted(u, reverse=name == "leximax") for u in (x, y)), strict=True)
        early = next((len(x) - k for k, (a, b) in enumerate(pairs) if a != b), 0)
    return early, round(abs(slow_difference(name, x, y)), 9)


def slow_pvalue(name, x, y):
    """Over all ways to swap: the share with a difference at least as large."""
    observed = slow_size(name, x, y)
    sizes = []
    for swaps in product([False, True], repeat=len(x)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(x, y, swaps, strict=True)]
        sizes.append(slow_size(name, *zip(*pairs, strict=True)))
    return np.mean([size >= observed for size in sizes])


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("min", "max", "cvar(share=0.5)")]


@pytest.mark.parametrize("name", ["leximin", "leximax", "mean", *SLOW])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_p_value_is_near_that_of_all_swaps(name, seed):
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, 8, 8) / 8 for _ in range(2))
    x, y = x.tolist(), y.tolist()
    difference, p = swap_test(population(name), table(x, y), 4000)
    assert difference == pytest.approx(slow_difference(name, x, y))
    assert p == pytest.approx(slow_pvalue(name, x, y), abs=0.03)


def test_identical_runs_have_p_1_and_sides_are_symmetric():
    assert swap_test(population("leximin"), table([0.1, 0.2], [0.2, 0.1]), 50) == (0.0, 1.0)
    x, y = [0.1, 0.5, 0.3, 0.8], [0.2, 0.6, 0.4, 0.9]
    (one, p), (other, q) = (swap_test(population("min"), table(*pair), 300) for pair in ((x, y), (y, x)))
    assert (one, p) == (-other, q)


def test_of_a_population_of_which_lower_is_better_lower_is_better():
    assert swap_test(population("gini"), table([1, 1, 1], [0, 1, 2]), 20)[0] > 0


def test_draws_do_not_depend_on_the_order_of_requests():
    rng = np.random.default_rng(0)
    values = {run: {f"q{k}": float(v) for k, v in enumerate(rng.random(12))} for run in "xy"}
    turned = {run: dict(reversed(of_run.items())) for run, of_run in values.items()}
    results = [swap_test(population("min"), tb.Utilities(one).table, 200, seed=4) for one in (values, turned)]
    assert results[0] == results[1]


def test_p_values_are_uniform_where_nothing_changes():
    """Under the null hypothesis at most 5% of p-values are below 0.05, but for chance."""
    rng = np.random.default_rng(5)
    small = 0
    for _ in range(200):
        quality = rng.random(30)
        x, y = ((quality + rng.normal(0, 0.1, 30)).tolist() for _ in range(2))
        small += swap_test(population("leximin"), table(x, y), 200, seed=int(rng.integers(1000)))[1] < 0.05
    assert small <= 20  # 10 expected; 20 or more has a probability of 0.003
