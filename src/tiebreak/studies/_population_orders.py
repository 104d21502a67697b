"""Populations and functions of users as orders of exact allocations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from inspect import Parameter, signature
from itertools import chain
from numbers import Rational, Real
from typing import Any, TypeAlias

import numpy as np

from tiebreak._base.spec import expand_alias, parse
from tiebreak._base.text import plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import Number
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.metrics.function import import_function
from tiebreak.orderings import Ordering
from tiebreak.populations import ALIASES, CATALOGUE, Aggregation, Population, population
from tiebreak.populations.aggregations import GeometricMean
from tiebreak.populations.lexicographic import Lexicographic
from tiebreak.populations.risk import AgainstBaseline, Gain, GeoRisk
from tiebreak.utilities import Utilities

Allocation: TypeAlias = tuple[Fraction, ...]
"""The utility of every request."""
Scaled: TypeAlias = tuple[int, ...]
"""An allocation in whole numbers of one unit: sums and comparisons are fast and exact."""
Case: TypeAlias = tuple[Scaled, Scaled]
Scores: TypeAlias = Callable[[list[Allocation]], Sequence[Any]]
"""Allocations that are compared with each other -> a score of each, the larger the better."""
MOST_REQUESTS = 50
"""A population that needs more is not searched."""


@dataclass(eq=False)
class Order:
    """How a method orders allocations, `in_pairs` or all together; `is_exact` while all scores were rational."""

    name: str
    scores: Scores
    unit: int
    in_pairs: bool = False
    is_exact: bool = True
    signs_known: dict[Case, int] = field(default_factory=dict)

    def signs(self, cases: Sequence[Case]) -> list[int]:
        """For every pair 1 where the first is better, -1 where the second is, 0 where they tie."""
        new = [case for case in cases if case not in self.signs_known]
        for batch in [[case] for case in new] if self.in_pairs else [new] if new else []:
            scaled = list(dict.fromkeys(chain.from_iterable(batch)))
            allocations = [tuple(Fraction(value, self.unit) for value in x) for x in scaled]
            scores = dict(zip(scaled, self.scores(allocations), strict=True))
            self.is_exact &= all(isinstance(score, (Number, Rational)) for score in scores.values())
            for x, y in batch:
                self.signs_known[x, y] = int(scores[x] > scores[y]) - int(scores[x] < scores[y])
        return [self.signs_known[case] for case in cases]


def standalone_population(method: str | Population) -> Population:
    """The population, unless it depends on more than the allocations that are compared."""
    kind: type[Population] | None = type(method) if isinstance(method, Population) else None
    if isinstance(method, str):
        kind = CATALOGUE.get(parse(expand_alias(method.strip(), ALIASES)).name)
    if kind is not None and issubclass(kind, (AgainstBaseline, GeoRisk)):
        raise InputError(
            f"{kind.name} depends on a baseline or on all systems, so it does not order two allocations by themselves. "
            "Give another population, or an order function f(x, y) such as the gain of x over y.",
            kind="spec",
        )
    return population(method)


def order_by(utilities: Utilities, by: str | Population | Ordering) -> Ordering:
    """The order of runs by a population; one that takes no weights counts every request once."""
    if isinstance(by, Ordering):
        return by
    if utilities.groups is None and not population(by).takes_weights:
        utilities = Utilities.from_table(replace(utilities.table, weights=None), utilities.measure)
    return utilities.order(by)


def population_order(one: Population, unit: int) -> Order:
    """How a population orders exact fractions; those of unknown kind may depend on all runs, so pair by pair."""
    in_pairs = not isinstance(one, (Aggregation, Lexicographic, Gain))
    return Order(str(one), exact_scores(one), unit, in_pairs)


def exact_scores(one: Population) -> Scores:
    """Scores of exact fractions, compared without the population's `tolerance`; products for geometric means."""
    if type(one) is GeometricMean:
        return lambda allocations: [one.product(x) for x in allocations]
    if type(one) is Gain:
        alpha = Fraction(str(one.alpha))
        return lambda allocations: [(2 + alpha) * sum(x) / len(x) for x in allocations]
    if isinstance(one, Lexicographic) and (digits := one.digits) is not None:
        plain = replace(one, digits=None)
        return lambda allocations: plain.scores(as_runs([tuple(round(u, digits) for u in x) for x in allocations]))
    return lambda allocations: one.scores(as_runs(allocations))


def as_runs(allocations: Sequence[Allocation]) -> UtilityTable:
    runs = tuple(map(str, range(len(allocations))))
    return UtilityTable(runs, Ids.from_names(range(len(allocations[0]))), np.array(allocations, dtype=object))


def fewest_requests(one: Population, lowest: float) -> int:
    """The smallest number of requests that a population can be of."""
    for n in range(1, MOST_REQUESTS + 1):
        try:
            one.check(UtilityTable(("x",), Ids.from_names(range(n)), np.full((1, n), lowest)))
        except InputError as error:
            if error.kind != "size":
                raise
        else:
            return n
    raise InputError(f"{one} needs more than {MOST_REQUESTS} requests, too many for a search.", kind="size")


def order_function(method: Any, unit: int) -> Order:
    """A user's aggregation or order function, or the path of one."""
    function = import_function(method.strip()) if isinstance(method, str) else method
    if not callable(function):
        raise InputError(
            f"{quote(repr(function))} is neither a population nor a function. Give one, or its name.", kind="spec"
        )
    name = method.strip() if isinstance(method, str) else str(getattr(function, "__name__", type(function).__name__))
    if count_arguments(function, name) == 1:
        return Order(name, lambda allocations: [call(function, name, x) for x in allocations], unit)
    return Order(name, lambda pair: (call(function, name, *pair), 0), unit, in_pairs=True)


def count_arguments(function: Callable[..., Any], name: str) -> int:
    """How many arguments a function must get: 1 makes an aggregation, 2 an order function."""
    advice = "Give an aggregation f(x) or an order function f(x, y), if need be as a lambda."
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{quote(name)} has no signature that Python can inspect. {advice}", kind="function"
        ) from error
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    needed = [each for each in parameters if each.default is Parameter.empty and each.kind not in variable]
    if len(needed) not in (1, 2) or any(each.kind is Parameter.KEYWORD_ONLY for each in needed):
        raise InputError(f"{quote(name)} needs {plural(len(needed), 'argument')}. {advice}", kind="function")
    return len(needed)


def format_allocation(x: Allocation) -> str:
    return f"[{', '.join(map(str, x))}]"


def call(function: Callable[..., Any], name: str, *allocations: Allocation) -> Any:
    """What a user's function returns, if it is a number."""
    what = f"{quote(name)} of {' and '.join(map(format_allocation, allocations))}"
    try:
        number = function(*allocations)
    except Exception as error:
        raise InputError(
            f"{what} fails: {quote(str(error), 200)}. Functions get tuples of Fractions; where one needs more "
            "requests, give min_requests.",
            kind="function",
        ) from error
    # Only nan differs from itself.
    if not isinstance(number, Real) or number != number:
        raise InputError(f"{what} is {quote(repr(number))}. Return a number.", kind="function")
    return number
