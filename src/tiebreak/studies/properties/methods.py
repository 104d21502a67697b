"""What is checked: populations and functions of users, made to order exact allocations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from inspect import Parameter, signature
from numbers import Rational, Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tiebreak._base.spec import expand_alias, parse
from tiebreak._base.text import plural
from tiebreak.errors import InputError, quote
from tiebreak.exact import Number
from tiebreak.inputs.ids import Ids
from tiebreak.inputs.utilities import UtilityTable
from tiebreak.populations import ALIASES, CATALOGUE, Aggregation, Population, population
from tiebreak.populations.aggregations import GeometricMean
from tiebreak.populations.lexicographic import Lexicographic
from tiebreak.populations.risk import AgainstBaseline, Gain, GeoRisk
from tiebreak.studies.properties.allocations import (
    Allocation,
    Case,
    Domain,
    exact_allocations,
    exact_value,
    written,
)

Comparer: TypeAlias = Callable[[Sequence[Case], int], "Verdicts"]
"""Pairs of allocations, and how many units are 1 -> what a method says of each."""
MOST_REQUESTS = 50
"""A method that needs more is not searched."""
RELATIVE = (AgainstBaseline, GeoRisk)
"""Populations of a run that depend on other runs."""


class Verdicts(NamedTuple):
    """For every pair 1 where the first is better, -1 where the second is, 0 where they tie."""

    signs: list[int]
    is_exact: bool


@dataclass(frozen=True)
class Method:
    """Anything that orders allocations of at least so many requests."""

    name: str
    compare: Comparer
    fewest: int = 1


def by_scores(scores_of: Callable[[list[Allocation]], Sequence[Any]]) -> Comparer:
    """Allocations are compared by a score of each."""

    def compare(cases: Sequence[Case], unit: int) -> Verdicts:
        exact = exact_allocations(cases, unit)
        scores = dict(zip(exact, scores_of(list(exact.values())) if exact else (), strict=True))
        signs = [int(scores[x] > scores[y]) - int(scores[x] < scores[y]) for x, y in cases]
        return Verdicts(signs, all(isinstance(score, (Number, Rational)) for score in scores.values()))

    return compare


def by_pairs(order: Callable[[Allocation, Allocation], Any]) -> Comparer:
    """Allocations are compared by a function of two, positive where the first is better."""

    def compare(cases: Sequence[Case], unit: int) -> Verdicts:
        exact = exact_allocations(cases, unit)
        numbers = [order(exact[x], exact[y]) for x, y in cases]
        signs = [int(number > 0) - int(number < 0) for number in numbers]
        return Verdicts(signs, all(isinstance(number, (Number, Rational)) for number in numbers))

    return compare


def one_by_one(compare: Comparer) -> Comparer:
    """Every pair is compared as if there were no other allocations."""

    def each(cases: Sequence[Case], unit: int) -> Verdicts:
        made = [compare([case], unit) for case in cases]
        return Verdicts([sign for verdicts in made for sign in verdicts.signs], all(v.is_exact for v in made))

    return each


def standing_alone(method: str | Population) -> Population:
    """The population, unless it depends on more than the allocations that are compared."""
    kind: type[Population] | None = type(method) if isinstance(method, Population) else None
    if isinstance(method, str):
        spelled = parse(expand_alias(method.strip(), ALIASES)).name
        kind = CATALOGUE.get(spelled)
    if kind is not None and issubclass(kind, RELATIVE):
        raise InputError(
            f"{kind.name} depends on a baseline or on all systems, so it does not order two allocations by themselves. "
            "Give another population, or an order function f(x, y) such as the gain of x over y.",
            kind="spec",
        )
    return population(method)


def with_own_values(made: Population, domain: Domain) -> Domain:
    """With a utility below the floor of a geometric mean."""
    if not isinstance(made, GeometricMean) or made.shift is not None or made.floor > 1:
        return domain
    return Domain.of(domain.words, [*domain.values, exact_value(made.floor) / 2])


def of_population(made: Population, domain: Domain) -> Method:
    return Method(str(made), exact_comparer(made), fewest_requests(made, domain))


def exact_comparer(made: Population) -> Comparer:
    """How a population orders exact fractions."""
    # Scores are compared as they are, whatever the population's `tolerance`: it is there for the rounding of floats,
    # such as the logarithms of a geometric mean, in whose place exact products are compared here.
    if type(made) is GeometricMean:
        return by_scores(lambda some: [made.product(x) for x in some])
    if type(made) is Gain:
        alpha = exact_value(made.alpha)
        return by_scores(lambda some: [(2 + alpha) * sum(x) / len(x) for x in some])
    if isinstance(made, Lexicographic) and (digits := made.digits) is not None:
        plain = replace(made, digits=None)
        return by_scores(lambda some: plain.scores(table_of([tuple(round(u, digits) for u in x) for x in some])))
    together = by_scores(lambda some: made.scores(table_of(some)))
    return together if isinstance(made, (Aggregation, Lexicographic)) else one_by_one(together)


def gain_order(gain: Callable[..., Any], alpha: Fraction) -> Callable[[Allocation, Allocation], Any]:
    """T, or its symmetric form, as an order function."""
    return lambda x, y: gain(np.array(x, dtype=object), np.array(y, dtype=object), alpha)


def table_of(allocations: Sequence[Allocation]) -> UtilityTable:
    """Allocations as runs."""
    runs = tuple(map(str, range(len(allocations))))
    return UtilityTable(runs, Ids.from_names(range(len(allocations[0]))), np.array(allocations, dtype=object))


def fewest_requests(made: Population, domain: Domain) -> int:
    """The smallest number of requests that a population can be of."""
    for n in range(1, MOST_REQUESTS + 1):
        lowest = np.full((1, n), float(min(domain.values)))
        try:
            made.check(UtilityTable(("x",), Ids.from_names(range(n)), lowest))
        except InputError as error:
            if error.kind != "size":
                raise
        else:
            return n
    raise InputError(f"{made} needs more than {MOST_REQUESTS} requests, too many for a search.", kind="size")


def of_function(function: Any) -> Method:
    """A user's aggregation or order function."""
    if not callable(function):
        raise InputError(
            f"{quote(repr(function))} is no method. Give the name of a population or a function.", kind="spec"
        )
    name = str(getattr(function, "__name__", type(function).__name__))
    if needed_arguments(function, name) == 1:
        return Method(name, by_scores(lambda some: [number_of(function, name, x) for x in some]))
    return Method(name, by_pairs(lambda x, y: number_of(function, name, x, y)))


def needed_arguments(function: Callable[..., Any], name: str) -> int:
    """How many arguments must be given: 1 makes an aggregation, 2 an order function."""
    advice = "Give an aggregation f(x) or an order function f(x, y), if need be as a lambda."
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise InputError(f"{quote(name)} does not tell its parameters. {advice}", kind="function") from error
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    needed = [each for each in parameters if each.default is Parameter.empty and each.kind not in variable]
    if len(needed) not in (1, 2) or any(each.kind is Parameter.KEYWORD_ONLY for each in needed):
        raise InputError(f"{quote(name)} needs {plural(len(needed), 'argument')}. {advice}", kind="function")
    return len(needed)


def number_of(function: Callable[..., Any], name: str, *allocations: Allocation) -> Any:
    """What a user's function returns, if it is a number."""
    try:
        number = function(*allocations)
    except Exception as error:
        raise InputError(
            f"{called(name, allocations)} fails: {quote(str(error), 200)}. Functions get tuples of Fractions; where "
            "one needs more requests, give min_requests.",
            kind="function",
        ) from error
    # Only nan differs from itself.
    if not isinstance(number, Real) or number != number:
        raise InputError(f"{called(name, allocations)} is {quote(repr(number))}. Return a number.", kind="function")
    return number


def called(name: str, allocations: Iterable[Allocation]) -> str:
    return f"{quote(name)} of {' and '.join(map(written, allocations))}"
