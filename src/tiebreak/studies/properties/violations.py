"""The search for violations: the paper's examples, grids and random pairs; what is found is made simple."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product
from math import comb

import numpy as np

from tiebreak.studies.properties.allocations import Allocation, Case, Domain, Scaled, exact_allocations
from tiebreak.studies.properties.findings import Counterexample, Finding, Property, PropertyReport
from tiebreak.studies.properties.methods import Method

MOST_ON_GRID = 128
"""All allocations of a grid are compared with each other; a grid has no more of them than this."""
GRID_SIZES, RANDOM_SIZES = 4, 8
"""How many numbers of requests are tried, from the fewest that the method allows."""
LARGER_SIZES = (16, 24, 40)
"""Of random pairs also these, and twice the fewest: of few requests a small share is the worst one alone."""
SIMPLE_VALUES = 3
"""How many values are tried to make a violation simpler."""
SEARCH = "search"


def allocation(text: str) -> Allocation:
    """Utilities from decimals."""
    return tuple(map(Fraction, text.split()))


PAPER_PAIRS: tuple[tuple[str, Allocation, Allocation], ...] = (
    ("PE 3.4", allocation("1 0.9 0.1"), allocation("1 0.8 0.1")),
    ("PE 3.4", allocation("1 0 0"), allocation("0.3 0.3 0.3")),
    ("PE 5", allocation("1 0.9 0.1"), allocation("0.5 0.5 0.5")),
    ("PE 5", allocation("0.25 0.25 0.25"), allocation("1 0.9 0.1")),
    ("PE 5", allocation("0.6 0.5 0.5"), allocation("0.5 0.5 0.5")),
    ("PE 7", allocation("1 0 0"), allocation("0.2 0.2 0.2")),
    ("PE 7", allocation("0.1 0.1 0.1"), allocation("0.25 0.25 0")),
    ("PE 5", allocation("0.8 0.6 0.5 0.3"), allocation("0.5 0.3 0.3 0.2")),
    ("PE 5", allocation("1 0.9 0.7 0.6 0.4 0.3 0.1 0.05"), allocation("1 0.9 0.7 0.6 0.4 0.3 0.3 0")),
)
"""The paper's own examples, those of few requests first."""


def search(method: Method, domain: Domain, properties: Sequence[Property], pairs: int, seed: int) -> PropertyReport:
    """Try each property until it is violated or all pairs are tried."""
    tried = dict.fromkeys(properties, 0)
    found: dict[Property, Counterexample] = {}
    is_exact = True
    for source, cases in stages(domain, method.fewest, pairs, seed):
        required = {each: [case for case in cases if each.requires(*case)] for each in properties if each not in found}
        asked = list(dict.fromkeys(chain.from_iterable(required.values())))
        verdicts = method.compare(asked, domain.unit)
        is_exact &= verdicts.is_exact
        sign = dict(zip(asked, verdicts.signs, strict=True))
        for each, of_property in required.items():
            tried[each] += len(of_property)
            if broken := [case for case in of_property if sign[case] <= 0]:
                found[each] = counterexample(simplest(broken, domain), each, method, domain, source)
    findings = tuple(Finding(each.short, count, found.get(each)) for each, count in tried.items())
    return PropertyReport(method.name, findings, searched(domain, method.fewest, pairs, seed), is_exact)


def counterexample(case: Case, violated: Property, method: Method, domain: Domain, source: str) -> Counterexample:
    """A violation in fractions; one that is not the paper's is made as simple as can be."""
    if source == SEARCH:
        case = shrunk(case, violated, method, domain)
    ((sign,), _) = method.compare([case], domain.unit)
    x, y = (exact_allocations([case], domain.unit)[scaled] for scaled in case)
    return Counterexample(x, y, "x < y" if sign else "x = y", source)


def shrunk(case: Case, violated: Property, method: Method, domain: Domain) -> Case:
    """The same violation with requests left out, or else with simpler utilities, as long as it is one."""

    def violations(cases: Iterable[Case]) -> list[Case]:
        asked = [each for each in cases if violated.requires(*each)]
        signs = method.compare(asked, domain.unit).signs
        return [each for each, sign in zip(asked, signs, strict=True) if sign <= 0]

    while True:
        fewer = violations(without_one_request(case)) if len(case[0]) > method.fewest else []
        best = simplest([case, *(fewer or violations(with_one_request_simpler(case, domain)))], domain)
        if best == case:
            return case
        case = best


def without_one_request(case: Case) -> Iterator[Case]:
    x, y = case
    return ((x[:i] + x[i + 1 :], y[:i] + y[i + 1 :]) for i in range(len(x)))


def with_one_request_simpler(case: Case, domain: Domain) -> Iterator[Case]:
    """One request's utilities are replaced by two of the simplest values."""
    x, y = case
    levels = list(domain.scaled().values())[:SIMPLE_VALUES]
    for i, of_x, of_y in product(range(len(x)), levels, levels):
        yield (*x[:i], of_x, *x[i + 1 :]), (*y[:i], of_y, *y[i + 1 :])


def stages(domain: Domain, fewest: int, pairs: int, seed: int) -> Iterator[tuple[str, list[Case]]]:
    """Pairs of allocations of one size each, in the order in which they are tried, and where they are from."""
    seen: set[Case] = set()
    for source, cases in paper_cases(domain):
        if len(cases[0][0]) >= fewest:
            seen.update(cases)
            yield source, cases
    for n in sizes_tried(fewest):
        grid = grid_cases(domain, n) if n < fewest + GRID_SIZES else ()
        tried = dict.fromkeys(chain(grid, random_cases(domain, n, pairs, seed)))
        yield SEARCH, [case for case in tried if case not in seen]


def paper_cases(domain: Domain) -> Iterator[tuple[str, list[Case]]]:
    """The paper's examples that are made of the domain's values, in both directions."""
    held = domain.scaled()
    for source, x, y in PAPER_PAIRS:
        if held.keys() >= {*x, *y}:
            there, back = tuple(held[value] for value in x), tuple(held[value] for value in y)
            yield source, [(there, back), (back, there)]


def sizes_tried(fewest: int) -> list[int]:
    """Numbers of requests, from the smallest."""
    some = range(fewest, fewest + RANDOM_SIZES)
    return [*some, *(n for n in sorted({*LARGER_SIZES, 2 * fewest}) if n > some[-1])]


def grid_cases(domain: Domain, n: int) -> Iterator[Case]:
    """All pairs of allocations made of the simplest values."""
    values = list(domain.scaled().values())
    allocations = grid_of(values, lambda k: k**n, lambda levels: product(levels, repeat=n))
    if len(allocations) < min(3, len(values)) ** n:
        # Too many for more than two values: those in decreasing order stand for the others.
        allocations = grid_of(
            values,
            lambda k: comb(n + k - 1, n),
            lambda levels: combinations_with_replacement(sorted(levels, reverse=True), n),
        )
    return ((x, y) for x in allocations for y in allocations)


def grid_of(
    values: list[int], size: Callable[[int], int], made_of: Callable[[list[int]], Iterable[Scaled]]
) -> list[Scaled]:
    """Allocations made of as many of the simplest values as are not too many."""
    most = max(k for k in range(1, len(values) + 1) if size(k) <= MOST_ON_GRID)
    return list(made_of(values[:most]))


def random_cases(domain: Domain, n: int, pairs: int, seed: int) -> Iterator[Case]:
    """Allocations that differ in one request, in two, in two while all others are best, or in any, both ways."""
    rng = np.random.default_rng([seed, n])
    values = list(domain.scaled().values())
    for k in range(pairs):
        x, y = ([values[j] for j in row] for row in rng.integers(len(values), size=(2, n)).tolist())
        for i in rng.permutation(n)[(1, 2, 2, n)[k % 4] :].tolist():
            x[i] = y[i] = max(values) if k % 4 == 2 else x[i]
        yield tuple(x), tuple(y)
        yield tuple(y), tuple(x)


def simplest(cases: Iterable[Case], domain: Domain) -> Case:
    """The pair with the simplest fractions; the best requests first, as the paper writes them."""
    cost = {scaled: value.denominator + abs(value.numerator) for value, scaled in domain.scaled().items()}

    def effort(case: Case) -> tuple[int, list[int]]:
        values = [*case[0], *case[1]]
        return sum(cost[value] for value in values), [-value for value in values]

    return min(cases, key=effort)


def searched(domain: Domain, fewest: int, pairs: int, seed: int) -> str:
    """What was tried, in words."""
    return (
        f"Searched: utilities {domain.words}; the paper's examples, all pairs on grids of {fewest} to "
        f"{fewest + GRID_SIZES - 1} requests, {pairs:,} random pairs for each of "
        f"{', '.join(map(str, sizes_tried(fewest)))} requests, seed {seed}."
    )
