"""Every metric, preference, population and ordering of the contract, as its slow twin in exact arithmetic.

Fractions where a measure is rational; where logarithms enter, fractions that are right to more than 80 digits, of which
60 count.
"""

import re
from fractions import Fraction
from functools import partial
from math import prod

from metrics import slow as metrics
from metrics import slow_subtopics as subtopics
from orderings import slow as orderings
from populations import slow as populations
from preferences import slow as preferences

SIXTY = Fraction(1, 10**60)


# Metrics and preferences: the twins of their own contracts, in one form each


def of_grades(twin):
    """(ranking, grades, subtopics) -> value."""
    return lambda ranking, grades, subtopics: twin(ranking, grades, None)


def of_subtopics(twin):
    return lambda ranking, grades, subtopics: twin(
        ranking, {item: subtopics[item] for item, grade in grades.items() if grade > 0}
    )


def of_pairs(twin):
    """(ranking, other, grades, subtopics) -> value."""
    return lambda x, y, grades, subtopics: twin(x, y, grades, subtopics, None)


METRICS = {spec: of_grades(twin) for spec, twin in metrics.TWINS.items() if not re.search(r"\brel=", spec)}
SUBTOPIC_METRICS = {spec: of_subtopics(twin) for spec, twin in subtopics.TWINS.items()}
PREFERENCES = {spec: of_pairs(twin) for spec, twin in preferences.TWINS.items() if not spec.startswith("ST-")}
SUBTOPIC_PREFERENCES = {spec: of_pairs(twin) for spec, twin in preferences.TWINS.items() if spec.startswith("ST-")}


# Populations: utilities of a run -> a number, the larger the better


def product(u):
    return prod((max(populations.FLOOR, value) for value in u), start=Fraction(1))


NUMBERS = {
    "mean": populations.mean,
    "median": populations.median,
    "quantile(share=0.3)": partial(populations.quantile, share=Fraction(3, 10)),
    "min": min,
    "max": max,
    "lower_area(share=0.6)": partial(populations.lower_area, share=Fraction(3, 5)),
    "positive": populations.positive,
    "owa": lambda u: populations.owa(u, [Fraction(1, i) for i in range(1, len(u) + 1)]),
    "gini_welfare": partial(populations.expected_worst, draws=2),
    "cvar(share=0.3)": partial(populations.cvar, share=Fraction(3, 10)),
    "gain(alpha=0.5)": lambda u: Fraction(5, 2) * populations.mean(u),
    "gini": lambda u: -populations.gini(u),
    "gmean": product,  # orders as its root does
}


def first_difference(x, y, slack):
    return next((sign(a - b, slack) for a, b in zip(x, y, strict=True) if sign(a - b, slack)), 0)


def windows(u, lag):
    ordered = sorted(u)
    return [sum(ordered[k : k + lag]) for k in range(len(u) - lag + 1)]


LEXICOGRAPHIC = {
    "leximin": sorted,
    "leximax": partial(sorted, reverse=True),
    "smoothed_leximin(lag=1)": partial(windows, lag=1),
    "smoothed_leximin(lag=2)": partial(windows, lag=2),
    "smoothed_leximin(lag=n)": lambda u: [sum(u)],
}


def sign(number, slack=0):
    return 0 if abs(number) <= slack else 1 if number > 0 else -1


def ranks(scores, slack=0):
    """1 for the best; those that tie share the best of their ranks."""
    return [1 + sum(sign(other - score, slack) > 0 for other in scores) for score in scores]


def lexicographic_ranks(vectors, slack=0):
    return [1 + sum(first_difference(other, vector, slack) > 0 for other in vectors) for vector in vectors]


def settled(matrices, slack):
    """Preferences that are 0 to 60 digits are 0."""
    return [[[value if sign(value, slack) else Fraction(0) for value in row] for row in one] for one in matrices]


def scores(method, matrices, slack):
    """The scores of runs by a method; where win rates only order the runs of a request, ranks stand for them."""
    if method in ("borda", "mc4"):
        rates = [ranks(orderings.win_rates(one), slack) for one in matrices]
        matrices = [[[b - a for b in rate] for a in rate] for rate in rates]
    return orderings.METHODS[method](matrices)


METHODS = orderings.METHODS
