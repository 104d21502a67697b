"""P-values of every test beside SciPy's or a plain NumPy version: `python benchmarks/p_values.py [DRAWS] [N ...]`.

Two runs for tests of one pair, three for tests of all pairs at once. Preferences are whole numbers over denominators,
as recall-paired preferences are. NumPy draws otherwise: p-values of draws agree as two samples do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np
import scipy.stats

from report import Table
from tiebreak.exact import ExactValues
from tiebreak.inputs import Ids
from tiebreak.preferences import Pairs, PairValues
from tiebreak.significance import significance

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
LIKELY = 4.5
"""Standard errors that two samples may be apart."""

DIGITS = 1e-9
"""By what share p-values may differ that are not drawn."""


class Row(NamedTuple):
    """One test of so many requests: its p-value, the expected one, and by how much they may differ."""

    n: int
    test: str
    p: float
    expected: float
    allowed: float

    @property
    def agrees(self) -> bool:
        return abs(self.p - self.expected) <= self.allowed


def preferences(rng: np.random.Generator, n: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Numerators [pair, request] and denominators, the first pair's mean about 2.3 standard errors above 0."""
    denominator = rng.integers(1, 13, n)
    numerator = np.rint(rng.uniform(-1, 1, (pairs, n)) * denominator).astype(np.int64)
    values = numerator[0] / denominator
    lower = np.flatnonzero(numerator[0] < denominator)
    wanted = n * (2.3 * values.std() / np.sqrt(n) - values.mean())
    raised = lower[: np.searchsorted(np.cumsum(1 / denominator[lower]), max(wanted, 0.0))]
    numerator[0, raised] += 1
    return numerator, denominator


def metric(rng: np.random.Generator, n: int, runs: int) -> np.ndarray:
    """Values [run, request], the first run's mean some standard errors above the others'."""
    values = rng.beta(0.5, 1.0, n) + rng.normal(0, 0.2, (runs, n))
    values[0] += 2.3 * 0.2 * np.sqrt(2 / n)
    return values


def rows(n: int, draws: int) -> Iterator[Row]:
    """Every test of so many requests."""
    rng = np.random.default_rng(n)
    numerator, denominator = preferences(rng, n, 3)
    values = numerator / denominator
    table = metric(rng, n, 3)
    two = pair_values(numerator[:1], denominator)
    yield fixed(n, "t", two, scipy.stats.ttest_1samp(values[0], 0).pvalue)
    won, lost = int((values[0] > 0).sum()), int((values[0] < 0).sum())
    yield fixed(n, "sign", two, scipy.stats.binomtest(won, won + lost).pvalue)
    yield fixed(n, "wilcoxon", two, wilcoxon(values[0]))
    metrics = pair_values((table[0] - table[1])[None])
    yield fixed(n, "tukey", metrics, scipy.stats.ttest_rel(table[0], table[1]).pvalue, 1e-5)
    yield sampled(n, "permutation", two, sign_flips(values[0], rng, draws), draws)
    yield sampled(n, "bootstrap", two, bootstrap(values[0], rng, draws), draws)
    x, y = np.triu_indices(3, 1)
    metrics = pair_values(table[x] - table[y])
    yield sampled(n, "hsd", metrics, hsd_of_values(table, rng, draws), draws, " of a metric")
    of_three = pair_values(numerator, denominator)
    yield sampled(n, "hsd", of_three, hsd_of_preferences(values, rng, draws), draws, " of preferences")
    # Of two runs every shuffle flips signs.
    yield sampled(n, "hsd", two, scipy.stats.ttest_1samp(values[0], 0).pvalue, draws, " of two runs, beside t")


def pair_values(numerator: np.ndarray, denominator: np.ndarray | None = None) -> PairValues:
    """Whole preferences, or differences of a metric where there are no denominators."""
    runs = {1: 2, 3: 3}[len(numerator)]
    known = tuple(f"run{r}" for r in range(runs)), Ids.from_names(range(numerator.shape[1])), Pairs.all(runs), numerator
    if denominator is not None:
        return PairValues(*known, denominator)
    ones = np.ones(numerator.shape[1], dtype=np.int64)
    return PairValues(*known, ones, ExactValues.from_floats(numerator), is_difference=True)


def fixed(n: int, test: str, inputs: PairValues, expected: float, digits: float = DIGITS) -> Row:
    return Row(n, test, float(significance("x", inputs, test).pvalue[0]), float(expected), digits * float(expected))


def sampled(n: int, test: str, inputs: PairValues, expected: float, draws: int, form: str = "") -> Row:
    p = float(significance("x", inputs, test, permutations=draws).pvalue[0])
    both = LIKELY * np.sqrt(2 * expected * (1 - expected) / draws) + 2 / draws
    return Row(n, test + form, p, float(expected), float(both))


# Plain versions


def wilcoxon(values: np.ndarray) -> float:
    """The normal approximation with shared ranks, in whole numbers of Python where squares are summed."""
    sizes, which, counts = np.unique(np.abs(values[values != 0]), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    twice = [int(end) * 2 - int(count) + 1 for end, count in zip(ends, counts, strict=True)]
    won = sum(
        twice[k] * int(c) for k, c in enumerate(np.bincount(which[values[values != 0] > 0], minlength=len(sizes)))
    )
    total = sum(rank * int(count) for rank, count in zip(twice, counts, strict=True))
    squares = sum(rank**2 * int(count) for rank, count in zip(twice, counts, strict=True))
    return float(2 * scipy.stats.norm.sf(abs(2 * won - total) / squares**0.5))


def share(draw: Callable[[], bool], draws: int) -> float:
    return (1 + sum(draw() for _ in range(draws))) / (draws + 1)


def sign_flips(values: np.ndarray, rng: np.random.Generator, draws: int) -> float:
    seen = abs(values.sum()) - 1e-9
    return share(lambda: abs(values.sum() - 2 * values[rng.random(len(values)) < 0.5].sum()) >= seen, draws)


def bootstrap(values: np.ndarray, rng: np.random.Generator, draws: int) -> float:
    return 2 * share(lambda: rng.choice(values, len(values)).sum() <= 1e-9, draws)


def hsd_of_values(table: np.ndarray, rng: np.random.Generator, draws: int) -> float:
    seen = abs((table[0] - table[1]).sum()) - 1e-9
    by_request = np.ascontiguousarray(table.T)
    return share(lambda: np.ptp(rng.permuted(by_request, axis=1).sum(axis=0)) >= seen, draws)


def hsd_of_preferences(values: np.ndarray, rng: np.random.Generator, draws: int) -> float:
    n = values.shape[1]
    matrix = np.zeros((3, 3, n))
    for (x, y), row in zip([(0, 1), (0, 2), (1, 2)], values, strict=True):
        matrix[x, y], matrix[y, x] = row, -row
    # Every order of three systems and what each says of all pairs.
    orders = np.array([[matrix[o[0], o[1]], matrix[o[0], o[2]], matrix[o[1], o[2]]] for o in permutations(range(3))])
    every, seen = np.arange(n), abs(values[0].sum()) - 1e-9

    def reaches() -> bool:
        return bool(np.abs(orders[rng.integers(6, size=n), :, every].sum(axis=0)).max() >= seen)

    return share(reaches, draws)


def main() -> None:
    draws, *sizes = map(int, sys.argv[1:]) if len(sys.argv) > 1 else (1000,)
    actual = [row for n in sizes or SIZES for row in rows(n, draws)]
    cells = [
        (
            f"{row.n:,}",
            row.test,
            f"{row.p:.6g}",
            f"{row.expected:.6g}",
            f"{row.allowed:.1g}",
            "yes" if row.agrees else "**no**",
        )
        for row in actual
    ]
    print(Table(("requests", "test", "p", "beside", "may differ by", "agrees"), cells))
    if not all(row.agrees for row in actual):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
