"""Which properties a population has: violations are searched for in exact arithmetic (PE 3, Table 1).

A violation that is found is a proof. Where none is found the property may still fail elsewhere: the report says how
many pairs of allocations were compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tiebreak.analysis.theory import whole
from tiebreak.populations import Population
from tiebreak.studies.properties.allocations import FROM_0_TO_1, Domain, given_values
from tiebreak.studies.properties.findings import (
    DIFFERENCE,
    PARETO,
    PROPERTIES,
    UTILITARIAN,
    Counterexample,
    Finding,
    Property,
    PropertyReport,
)
from tiebreak.studies.properties.methods import (
    MOST_REQUESTS,
    Method,
    by_pairs,
    of_function,
    of_population,
    standing_alone,
    with_own_values,
)
from tiebreak.studies.properties.paper import (
    FROM_FLOOR,
    Cell,
    Footnote,
    PropertyTable,
    paper_table,
    success_at_ten,
)
from tiebreak.studies.properties.violations import PAPER_PAIRS, search

__all__ = [
    "DIFFERENCE",
    "FROM_0_TO_1",
    "FROM_FLOOR",
    "PAPER_PAIRS",
    "PARETO",
    "PROPERTIES",
    "UTILITARIAN",
    "Cell",
    "Counterexample",
    "Domain",
    "Finding",
    "Footnote",
    "Method",
    "Property",
    "PropertyReport",
    "PropertyTable",
    "by_pairs",
    "check_properties",
    "of_population",
    "paper_table",
    "search",
    "success_at_ten",
]


def check_properties(
    method: str | Population | Callable[..., Any],
    *,
    utilities: Iterable[float | Fraction] | None = None,
    min_requests: int = 1,
    pairs: int = 250,
    seed: int = 0,
    name: str | None = None,
) -> PropertyReport:
    r"""Search for violations of the Pareto property, average utilitarianism and the difference principle (PE 3).

    .. math::
        \text{PP:}&\quad \forall i\; x_i \ge y_i \wedge \exists i\; x_i > y_i \rightarrow x \succ y \\
        \text{AU:}&\quad \textstyle\sum_i x_i > \sum_i y_i \rightarrow x \succ y \\
        \text{DP:}&\quad \min_i x_i > \min_i y_i \rightarrow x \succ y

    The paper's own examples are tried first. Then all pairs of allocations on small grids, from five requests on in
    decreasing order, and random pairs: of one request, of two and so on. What is reported has the fewest requests of
    all violations found, and among these the simplest fractions.

    Parameters
    ----------
    method : str, Population or function
        A population that depends on nothing but the two allocations, such as ``"gmean"`` or
        ``"smoothed_leximin(lag=2)"``; an aggregation f(x), the larger the better; or an order function f(x, y),
        positive where x is better. Functions get tuples of Fractions; what they return as a Fraction or an integer is
        compared exactly.
    utilities : iterable of numbers, optional
        The values that a utility can take, such as ``(0, 1)``; floats are read as the decimals they print as. By
        default fractions from 0 to 1, one of them close to 0.
    min_requests : int
        The fewest requests of an allocation, for functions that need more than one.
    pairs : int
        How many random pairs are drawn for each number of requests; both directions of each are tried.
    seed : int
        For the random pairs.
    name : str, optional
        What to call the method in tables.

    Examples
    --------
    >>> found = check_properties("median")
    >>> found["PP"].holds, str(found["PP"].counterexample)
    (False, 'fails: x = [3/5, 1/2, 1/2], y = [1/2, 1/2, 1/2], x = y')
    >>> check_properties(lambda x, y: sum(x) - sum(y), name="total")["AU"].holds
    True
    """
    domain = FROM_0_TO_1 if utilities is None else given_values(utilities)
    whole("min_requests", min_requests, 1, MOST_REQUESTS)
    whole("pairs", pairs, 0)
    whole("seed", seed, 0)
    if isinstance(method, (str, Population)):
        alone = standing_alone(method)
        domain = with_own_values(alone, domain) if utilities is None else domain
        made = of_population(alone, domain)
    else:
        made = of_function(method)
    made = replace(made, name=name or made.name, fewest=max(made.fewest, min_requests))
    return search(made, domain, PROPERTIES, pairs, seed)
