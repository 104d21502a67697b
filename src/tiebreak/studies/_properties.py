"""Properties of populations: counterexamples are searched for in exact arithmetic (PE 3, Table 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, combinations_with_replacement, product
from math import comb, lcm
from numbers import Rational
from typing import Any

import numpy as np

from tiebreak._base.checks import check_count, check_names, check_number
from tiebreak._kernels.interface import Tick
from tiebreak.errors import InputError
from tiebreak.populations import Population
from tiebreak.populations.aggregations import GeometricMean
from tiebreak.studies._counterexamples import Domain, Finding, Law, LawTable, search, statements
from tiebreak.studies._population_orders import (
    MOST_REQUESTS,
    Case,
    Order,
    fewest_requests,
    format_allocation,
    order_function,
    population_order,
    standalone_population,
)
from tiebreak.studies.base import run_tasks, study_from_catalogue

POPULATIONS = ("min", "leximin", "mean", "gmean", "auc4", "gain", "gini")
BELOW_FLOOR = Fraction(1, 200_000)
"""Half the default floor of the geometric mean: a floor of others is likely to be above it as well."""
MOST_ON_GRID = 128
"""All allocations of a grid are compared with each other; a grid has no more of them than this."""
GRID_SIZES, RANDOM_SIZES = 4, 8
"""How many numbers of requests are tried, from the fewest that the population allows."""
LARGER_SIZES = (16, 24, 40)
"""Of random pairs also these, and twice the fewest: of few requests a small share is the worst one alone."""
SIMPLE_VALUES = 3
"""How many values are tried to simplify a counterexample."""
EXAMPLES = (
    ("1 0.9 0.1", "1 0.8 0.1"),
    ("1 0 0", "0.3 0.3 0.3"),
    ("1 0.9 0.1", "0.5 0.5 0.5"),
    ("0.25 0.25 0.25", "1 0.9 0.1"),
    ("0.6 0.5 0.5", "0.5 0.5 0.5"),
    ("1 0 0", "0.2 0.2 0.2"),
    ("0.1 0.1 0.1", "0.25 0.25 0"),
    ("0.8 0.6 0.5 0.3", "0.5 0.3 0.3 0.2"),
    ("1 0.9 0.7 0.6 0.4 0.3 0.1 0.05", "1 0.9 0.7 0.6 0.4 0.3 0.3 0"),
)
"""Well-known pairs, tried before all others (PE 3.4, 5 and 7)."""


@study_from_catalogue()
def properties(
    methods: str | Population | Callable[..., Any] | Iterable[str | Population | Callable[..., Any]] | None = None,
    *,
    utilities: Iterable[float | Fraction] | None = None,
    min_requests: int = 1,
    pairs: int = 250,
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
    tick: Tick | None = None,
) -> LawTable:
    r"""Search for violations of the Pareto property, average utilitarianism and the difference principle (PE 3).

    .. math::
        \text{PP:}&\quad \forall i\; x_i \ge y_i \wedge \exists i\; x_i > y_i \rightarrow x \succ y \\
        \text{AU:}&\quad \textstyle\sum_i x_i > \sum_i y_i \rightarrow x \succ y \\
        \text{DP:}&\quad \min_i x_i > \min_i y_i \rightarrow x \succ y

    Examples of the paper are tried first. Then all pairs of allocations on small grids, from five requests on in
    decreasing order, and random pairs: of one request, of two and so on. The counterexample reported has the fewest
    requests of all that were found, and among these the simplest fractions.

    Parameters
    ----------
    methods : str, Population or function, or several, optional
        A population that depends on nothing but the two allocations, such as ``"gmean"`` or
        ``"smoothed_leximin(lag=2)"``; an aggregation f(x), the larger the better, or an order function f(x, y),
        positive where x is better, also as ``"module:function"``. Functions get tuples of Fractions; Fractions and
        integers that they return are compared exactly. By default the populations of the paper.
    utilities : iterable of numbers, optional
        The values that a utility can take, such as ``(0, 1)``; floats are read as the decimals they print as. By
        default fractions from 0 to 1, one of them close to 0.
    min_requests : int
        The fewest requests of an allocation, for functions that need more than one.
    pairs : int
        Random pairs for each number of requests; both directions of each are tried.
    name : str, optional
        The name of a single method in tables.

    Examples
    --------
    >>> for row in properties("median", pairs=20).rows():
    ...     print(*row)
    median PP False 2 [3/5, 1/2, 1/2] [1/2, 1/2, 1/2] x = y
    median AU False 2 [1, 0, 0] [3/10, 3/10, 3/10] x < y
    median DP False 2 [1/2, 1/2, 1/2] [1, 9/10, 1/10] x < y
    """
    values = FROM_0_TO_1 if utilities is None else simplest_first(map(exact_value, utilities))
    if len(values) < 2:
        raise InputError("utilities needs at least two values, such as (0, 1).", kind="size")
    check_count(min_requests, "min_requests", 1, MOST_REQUESTS)
    several = POPULATIONS if methods is None else methods
    if isinstance(several, (str, Population)) or not isinstance(several, Iterable):
        several = [several]
    tasks = [allocation_task(method, values, utilities is None, min_requests, pairs, seed) for method in several]
    check_names([name or task.order.name for task in tasks], "method", "leximin")
    findings = run_tasks(lambda task: [search(law, task.order, task.domain()) for law in LAWS], tasks, jobs, tick)
    rows = [
        (name or task.order.name, law.name, finding.holds, finding.tried, *task.describe(finding))
        for task, of_task in zip(tasks, findings, strict=True)
        for law, finding in zip(LAWS, of_task, strict=True)
    ]
    are_exact = all(task.order.is_exact for task in tasks)
    details = (
        *statements(LAWS),
        *dict.fromkeys(task.search_note for task in tasks),
        *(() if are_exact else ("Floats that a method returned were compared as they are.",)),
    )
    return LawTable.from_rows(rows, ("x", "y", "verdict"), describe, details)


def describe(record: Mapping[str, Any], digits: int) -> str:
    return f"x = {record['x']}, y = {record['y']}: {record['verdict']}"


def is_not_preferred(order: Order, cases: Sequence[Case]) -> list[bool]:
    return [sign <= 0 for sign in order.signs(cases)]


def is_pareto_better(case: Case) -> bool:
    x, y = case
    return x != y and all(of_x >= of_y for of_x, of_y in zip(x, y, strict=True))


LAWS: tuple[Law[Order, Case], ...] = (
    Law("PP", "Pareto property, x > y where no request has less and one has more", is_not_preferred, is_pareto_better),
    Law(
        "AU",
        "average utilitarianism, x > y where the mean of x is higher",
        is_not_preferred,
        lambda case: sum(case[0]) > sum(case[1]),
    ),
    Law(
        "DP",
        "difference principle, x > y where the worst-off request of x has more",
        is_not_preferred,
        lambda case: min(case[0]) > min(case[1]),
    ),
)
"""PE eq 1, 2 and 4."""


def simplest_first(values: Iterable[Fraction]) -> tuple[Fraction, ...]:
    return tuple(sorted(set(values), key=lambda value: (value.denominator, abs(value), -value)))


FROM_0_TO_1 = simplest_first([*(Fraction(j, d) for d in (*range(1, 13), 20) for j in range(d + 1)), BELOW_FLOOR])


def exact_value(value: Any) -> Fraction:
    """A number as a fraction; floats as the decimals they print as."""
    number = check_number(value, "utility")
    return Fraction(value) if isinstance(value, Rational) else Fraction(str(number))


@dataclass(frozen=True)
class Task:
    """A method with the pairs of allocations that it is tried on: of these values, the simplest first."""

    order: Order
    values: tuple[Fraction, ...]
    fewest: int
    pairs: int
    seed: int

    @cached_property
    def in_units(self) -> dict[Fraction, int]:
        """Every value in whole numbers of units."""
        return {value: int(value * self.order.unit) for value in self.values}

    @cached_property
    def examples(self) -> list[list[Case]]:
        """The examples that are made of the values, in both directions."""
        pairs = []
        for texts in EXAMPLES:
            x, y = (tuple(map(Fraction, text.split())) for text in texts)
            if self.in_units.keys() >= {*x, *y} and len(x) >= self.fewest:
                there, back = (tuple(self.in_units[value] for value in side) for side in (x, y))
                pairs.append([(there, back), (back, there)])
        return pairs

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of requests, from the smallest."""
        small = range(self.fewest, self.fewest + RANDOM_SIZES)
        return [*small, *(n for n in sorted({*LARGER_SIZES, 2 * self.fewest}) if n > small[-1])]

    def domain(self) -> Domain[Case]:
        return Domain(self.stages(), self.effort, self.smaller)

    def stages(self) -> Iterator[list[Case]]:
        """The examples, then pairs of one size each."""
        yield from self.examples
        known = set(chain.from_iterable(self.examples))
        levels = tuple(self.in_units.values())
        for n in self.sizes:
            cases = pairs_of_size(levels, n, n < self.fewest + GRID_SIZES, self.pairs, self.seed)
            yield [case for case in cases if case not in known]

    def effort(self, case: Case) -> tuple[int, list[int]]:
        """Simple fractions first; the best requests first, as the paper writes them."""
        values = [*case[0], *case[1]]
        return sum(self.costs[value] for value in values), [-value for value in values]

    @cached_property
    def costs(self) -> dict[int, int]:
        return {units: value.denominator + abs(value.numerator) for value, units in self.in_units.items()}

    def smaller(self, case: Case) -> Iterator[Iterable[Case]]:
        """Without one request, or else with the utilities of one request replaced by the simplest; examples stay."""
        if any(case in pair for pair in self.examples):
            return
        x, y = case
        if len(x) > self.fewest:
            yield [(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :]) for i in range(len(x))]
        simplest = list(self.in_units.values())[:SIMPLE_VALUES]
        yield [
            ((*x[:i], of_x, *x[i + 1 :]), (*y[:i], of_y, *y[i + 1 :]))
            for i, of_x, of_y in product(range(len(x)), simplest, simplest)
        ]

    def describe(self, finding: Finding[Case]) -> tuple[str | None, ...]:
        """Both allocations as fractions, and how the method orders them."""
        if finding.case is None:
            return None, None, None
        (sign,) = self.order.signs([finding.case])
        x, y = (tuple(Fraction(u, self.order.unit) for u in side) for side in finding.case)
        return format_allocation(x), format_allocation(y), "x < y" if sign else "x = y"

    @property
    def search_note(self) -> str:
        return (
            f"Searched: utilities of {len(self.values)} values from {min(self.values)} to {max(self.values)}; the "
            f"paper's examples, all pairs on grids of {self.fewest} to {self.fewest + GRID_SIZES - 1} requests, "
            f"{self.pairs:,} random pairs for each of {', '.join(map(str, self.sizes))} requests, seed {self.seed}."
        )


def allocation_task(
    method: Any, values: tuple[Fraction, ...], is_default: bool, min_requests: int, pairs: int, seed: int
) -> Task:
    """A method as an order of allocations; below the floor of a geometric mean there is a value of its own."""
    if not isinstance(method, Population) and (not isinstance(method, str) or ":" in method):
        return Task(order_function(method, unit(values)), values, min_requests, pairs, seed)
    one = standalone_population(method)
    if is_default and isinstance(one, GeometricMean) and one.shift is None and one.floor <= 1:
        values = simplest_first([*values, exact_value(one.floor) / 2])
    fewest = max(fewest_requests(one, float(min(values))), min_requests)
    return Task(population_order(one, unit(values)), values, fewest, pairs, seed)


def unit(values: Iterable[Fraction]) -> int:
    """How many units are 1, so that all values are whole numbers of units."""
    return lcm(*(value.denominator for value in values))


@lru_cache(32)
def pairs_of_size(levels: tuple[int, ...], n: int, has_grid: bool, pairs: int, seed: int) -> tuple[Case, ...]:
    """All pairs of a grid, and random ones."""
    return tuple(dict.fromkeys(chain(grid_pairs(levels, n) if has_grid else (), random_pairs(levels, n, pairs, seed))))


def grid_pairs(levels: tuple[int, ...], n: int) -> Iterator[Case]:
    """All pairs of allocations made of the simplest values."""
    most = max(k for k in range(1, len(levels) + 1) if k**n <= MOST_ON_GRID)
    allocations = list(product(levels[:most], repeat=n))
    if len(allocations) < min(3, len(levels)) ** n:
        # Too many for more than two values: those in decreasing order represent the others.
        most = max(k for k in range(1, len(levels) + 1) if comb(n + k - 1, n) <= MOST_ON_GRID)
        allocations = list(combinations_with_replacement(sorted(levels[:most], reverse=True), n))
    return ((x, y) for x in allocations for y in allocations)


def random_pairs(levels: tuple[int, ...], n: int, pairs: int, seed: int) -> Iterator[Case]:
    """Allocations that differ in one request, in two, in two while all others are best, or in any, both ways."""
    rng = np.random.default_rng([seed, n])
    for k in range(pairs):
        x, y = ([levels[j] for j in row] for row in rng.integers(len(levels), size=(2, n)).tolist())
        for i in rng.permutation(n)[(1, 2, 2, n)[k % 4] :].tolist():
            x[i] = y[i] = max(levels) if k % 4 == 2 else x[i]
        yield tuple(x), tuple(y)
        yield tuple(y), tuple(x)
