"""Slow, obvious versions of preferences, orderings and correlations, written from the definitions in exact arithmetic.

A position vector holds None where an item is unretrieved. `matrices[request][i][j]` is the preference of run i over
run j; positive where i is better. Ranks are 1 for the best, and runs that tie share the best of their ranks.
"""

from fractions import Fraction
from itertools import combinations, permutations
from math import inf, nan, sqrt

# Preferences between two position vectors


def sign(number):
    return (number > 0) - (number < 0)


def level_signs(p, other):
    """At each recall level, 1 where the first vector has the smaller position."""
    p, other = ([inf if k is None else k for k in vector] for vector in (p, other))
    return [(a < b) - (a > b) for a, b in zip(p, other, strict=True)]


def rpp(p, other):
    return Fraction(sum(level_signs(p, other)), len(p))


def lexirecall(p, other):
    return Fraction(next((s for s in reversed(level_signs(p, other)) if s), 0))


def lexiprecision(p, other):
    return Fraction(next((s for s in level_signs(p, other) if s), 0))


def average_precision(p):
    return sum((Fraction(i, k) for i, k in enumerate(p, start=1) if k is not None), Fraction(0)) / len(p)


def difference_of_ap(p, other):
    return average_precision(p) - average_precision(other)


PREFERENCES = {"RPP": rpp, "LexiRecall": lexirecall, "LexiPrecision": lexiprecision, "diff(AP)": difference_of_ap}


def matrices(table, measure):
    """Preferences of all runs over all, request by request; `table[request][run]` are position vectors."""
    return [[[PREFERENCES[measure](p, other) for other in request] for p in request] for request in table]


# Orderings


def mean(numbers):
    return Fraction(sum(numbers)) / len(numbers)


def mean_matrix(matrices):
    runs = range(len(matrices[0]))
    return [[mean([prefer[i][j] for prefer in matrices]) for j in runs] for i in runs]


def win_rates(prefer):
    """One request: the sum of every run's preferences over the other runs."""
    return [sum(value for j, value in enumerate(row) if j != i) for i, row in enumerate(prefer)]


def win_rate(matrices):
    return [mean(rates) for rates in zip(*map(win_rates, matrices), strict=True)]


def mean_preference(matrices):
    return [rate / (len(matrices[0]) - 1) for rate in win_rate(matrices)]


def average_rank(score, scores):
    """The mean of the ranks that all who have this score take up together."""
    first = 1 + sum(other > score for other in scores)
    last = sum(other >= score for other in scores)
    return Fraction(first + last, 2)


def borda(matrices):
    """The number of runs minus the average rank by win rate, on average over requests."""
    points = []
    for prefer in matrices:
        rates = win_rates(prefer)
        points.append([len(rates) - average_rank(rate, rates) for rate in rates])
    return [mean(of_run) for of_run in zip(*points, strict=True)]


def mc4(matrices, steps=10, teleport=Fraction(0)):
    """Move from i to j with probability 1/S where more requests place j above i than i above j; else stay."""
    rates = [win_rates(prefer) for prefer in matrices]
    runs = range(len(matrices[0]))

    def places_above(j, i):
        return sum(rate[j] > rate[i] for rate in rates)

    moves = [[Fraction(places_above(j, i) > places_above(i, j), len(runs)) for j in runs] for i in runs]
    for i in runs:
        moves[i][i] = 1 - sum(moves[i][j] for j in runs if j != i)
    mass = [Fraction(1, len(runs)) for _ in runs]
    for _ in range(steps):
        walked = [sum(mass[i] * moves[i][j] for i in runs) for j in runs]
        mass = [(1 - teleport) * walked[j] + teleport / len(runs) for j in runs]
    return mass


def beats(matrices, i, j):
    """Whether more requests prefer i to j than j to i."""
    return sum(sign(prefer[i][j]) for prefer in matrices) > 0


def copeland(matrices):
    runs = range(len(matrices[0]))
    return [sum(beats(matrices, i, j) for j in runs) - sum(beats(matrices, j, i) for j in runs) for i in runs]


METHODS = {"win_rate": win_rate, "mean": mean_preference, "borda": borda, "mc4": mc4, "copeland": copeland}


def cycles(matrices):
    """Sets of runs each of which reaches every other along majorities."""
    runs = range(len(matrices[0]))

    def reached_from(start):
        actual, waiting = set(), [start]
        while waiting:
            i = waiting.pop()
            fresh = {j for j in runs if beats(matrices, i, j)} - actual
            actual |= fresh
            waiting += fresh
        return actual

    reached = [reached_from(i) for i in runs]
    return {frozenset(j for j in reached[i] if i in reached[j]) for i in runs if i in reached[i]}


def ranks(scores, tolerance=0):
    return [1 + sum(other - score > tolerance for other in scores) for score in scores]


# Correlations between two lists of ranks


def counts(x, y):
    """Pairs that agree less those that do not, and the product under tau_b's root."""
    agreed = disagreed = only_x_ties = only_y_ties = 0
    for i, j in combinations(range(len(x)), 2):
        a, b = sign(x[i] - x[j]), sign(y[i] - y[j])
        agreed += a * b == 1
        disagreed += a * b == -1
        only_x_ties += a == 0 and b != 0
        only_y_ties += b == 0 and a != 0
    untied = agreed + disagreed
    return agreed - disagreed, (untied + only_x_ties) * (untied + only_y_ties)


def tau_b(x, y):
    agreed, spread = counts(x, y)
    return agreed / sqrt(spread) if spread else nan


def tau_ap_without_ties(order, truth):
    """`order` lists the runs from the first; ties in truth are half right."""
    total = Fraction(0)
    for i in range(2, len(order) + 1):
        run, above = order[i - 1], order[: i - 1]
        right = sum(Fraction(1 + sign(truth[run] - truth[other]), 2) for other in above)
        total += right / (i - 1)
    return 2 * total / (len(order) - 1) - 1


def tau_ap(x, truth):
    """The mean over all orders of the runs that the ranks x allow."""
    every = permutations(range(len(x)))
    allowed = [order for order in every if [x[run] for run in order] == sorted(x)]
    return mean([tau_ap_without_ties(order, truth) for order in allowed])


def rbo(x, y, p):
    """The overlap of the first d, averaged with weights (1 - p) p^(d - 1); beyond the last, all is shared."""
    total, n = Fraction(0), len(x)
    for d in range(1, n + 1):
        first, second = ({run for run in range(n) if ranks[run] <= d} for ranks in (x, y))
        total += p ** (d - 1) * Fraction(2 * len(first & second), len(first) + len(second))
    return (1 - p) * total + p**n
