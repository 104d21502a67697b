"""Slow, obvious versions of tests, corrections and effects, written from the definitions in exact arithmetic.

Differences are those of one pair, a number per request. `table[request][run]` is a number per run, the larger the
better; `matrices[request][i][j]` is the preference of run i over run j. Pairs are those of `pairs`, in that order.
"""

import re
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, inf, sqrt

# One pair at a time


def mean(numbers):
    return Fraction(sum(map(Fraction, numbers))) / len(numbers)


def variance(numbers):
    """That of a sample."""
    centre = mean(numbers)
    return sum((Fraction(number) - centre) ** 2 for number in numbers) / (len(numbers) - 1)


def ratio(number, root_of):
    """A number over a square root; where that is 0, without bounds unless the number is 0, too."""
    if not root_of:
        return inf * ((number > 0) - (number < 0)) if number else 0.0
    return float(number) / sqrt(root_of)


def t(differences):
    return ratio(mean(differences), variance(differences) / len(differences))


def cohens_d(differences):
    return ratio(mean(differences), variance(differences))


def wins_and_losses(differences):
    return sum(d > 0 for d in differences), sum(d < 0 for d in differences)


def sign_test(differences):
    """Twice the chance that a fair coin falls as often on its rarer side, at most 1; ties are dropped."""
    wins, losses = wins_and_losses(differences)
    n, rarer = wins + losses, min(wins, losses)
    return min(2 * Fraction(sum(comb(n, k) for k in range(rarer + 1)), 2**n), Fraction(1))


def superiority(differences):
    wins, losses = wins_and_losses(differences)
    return Fraction(2 * wins + (len(differences) - wins - losses), 2 * len(differences))


def sign_flip(differences):
    """The share of all signs whose sum is at least as far from 0."""
    exact = [Fraction(d) for d in differences]
    seen = abs(sum(exact))
    sums = [abs(sum(s * d for s, d in zip(signs, exact, strict=True))) for signs in product((1, -1), repeat=len(exact))]
    return Fraction(sum(total >= seen for total in sums), len(sums))


def wilcoxon(differences):
    """Signed ranks, all signs tried; for differences without ties among them."""
    untied = [d for d in differences if d]
    order = sorted(map(abs, untied))
    ranks = [order.index(abs(d)) + 1 for d in untied]
    seen = sum(rank for rank, d in zip(ranks, untied, strict=True) if d > 0)
    middle = Fraction(sum(ranks), 2)
    sums = [
        sum(rank for rank, kept in zip(ranks, signs, strict=True) if kept)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    return Fraction(sum(abs(total - middle) >= abs(seen - middle) for total in sums), len(sums))


def bootstrap(differences):
    """Twice the share of all samples whose mean lies on the other side of 0, at most 1."""
    exact = [Fraction(d) for d in differences]
    sums = [sum(sample) for sample in product(exact, repeat=len(exact))]
    beyond = min(sum(total <= 0 for total in sums), sum(total >= 0 for total in sums))
    return min(Fraction(2 * beyond, len(sums)), Fraction(1))


# All pairs at once


def pairs(runs):
    return list(combinations(range(runs), 2))


def differences(table):
    """Of every pair, a number per request."""
    return [[row[x] - row[y] for row in table] for x, y in pairs(len(table[0]))]


def hsd_of_values(table):
    """The share of all shuffles of runs within requests whose range of means reaches the difference of a pair."""
    shuffles = product(*(list(permutations(row)) for row in table))
    ranges = [max(sums) - min(sums) for sums in ([sum(run) for run in zip(*rows, strict=True)] for rows in shuffles)]
    return [share_reached(ranges, sum(values)) for values in differences(table)]


def hsd_of_preferences(matrices):
    """The same where rows and columns of every matrix are shuffled together: the largest mean of any pair."""
    runs = len(matrices[0])

    def largest(orders):
        return max(abs(sum(m[o[x]][o[y]] for m, o in zip(matrices, orders, strict=True))) for x, y in pairs(runs))

    shuffles = product(list(permutations(range(runs))), repeat=len(matrices))
    actual = [largest(orders) for orders in shuffles]
    return [share_reached(actual, sum(m[x][y] for m in matrices)) for x, y in pairs(runs)]


def share_reached(actual, seen):
    return Fraction(sum(value >= abs(seen) for value in actual), len(actual))


# Corrections


def bonferroni(p):
    return [min(len(p) * value, 1) for value in p]


def holm(p):
    """The largest over those not larger of: the value times how many are not smaller, ties in order."""
    ordered = sorted(range(len(p)), key=p.__getitem__)
    return [min(max((len(p) - k) * p[ordered[k]] for k in range(ordered.index(i) + 1)), 1) for i in range(len(p))]


def benjamini_hochberg(p):
    """The smallest over those not smaller of: the value times their number over how many are not larger."""
    ordered = sorted(range(len(p)), key=p.__getitem__)
    n = len(p)
    return [min(1, *(n * p[ordered[k]] / (k + 1) for k in range(ordered.index(i), n))) for i in range(n)]


CORRECTIONS = {"none": list, "bonferroni": bonferroni, "holm": holm, "bh": benjamini_hochberg}


# An interval and letters


def at_least(k, n, chance):
    """The chance of k or more successes of n."""
    return sum(comb(n, i) * chance**i * (1 - chance) ** (n - i) for i in range(k, n + 1))


def bisected(reaches):
    """Where, between 0 and 1, something that grows begins to hold."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return (low + high) / 2


def clopper_pearson(wins, losses, alpha):
    """The chances of a win under which so many, or so few, are not rarer than alpha / 2."""
    n = wins + losses
    low = bisected(lambda chance: at_least(wins, n, chance) >= alpha / 2) if wins else 0.0
    high = bisected(lambda chance: 1 - at_least(wins + 1, n, chance) <= alpha / 2) if losses else 1.0
    return low, high


def letters_in(text):
    """A to z, each with or without a number behind."""
    actual = re.findall(r"[a-z]\d*", text)
    assert "".join(actual) == text
    return set(actual)


# Shuffles: splitmix64 on whole numbers without bounds, cut to 64 bits

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def words(seed, shuffle, request):
    state = mixed(mixed(mixed(seed + STEP & MASK) ^ shuffle) ^ request)
    while True:
        state = state + STEP & MASK
        yield mixed(state)


def parts(words):
    """21 bits at a time, three from every word, the lowest first."""
    for word in words:
        for k in range(3):
            yield word >> 21 * k & 2**21 - 1


def shuffled(things, seed, shuffle, request):
    """Fisher and Yates: from the last place down, each thing changes places with one not behind it."""
    order, drawn = list(things), parts(words(seed, shuffle, request))
    for last in range(len(order) - 1, 0, -1):
        place = next(drawn) * (last + 1) >> 21
        order[last], order[place] = order[place], order[last]
    return order


def largest_difference(kind, rows, seed, shuffle):
    """Of one shuffle; `rows` holds a row per request, or a matrix."""
    runs = len(rows[0])
    orders = [shuffled(range(runs), seed, shuffle, request) for request in range(len(rows))]

    def between(row, a, b):
        if kind == "preferences":
            return row[a][b]
        return row[a] - row[b] if kind == "values" else (row[a] < row[b]) - (row[b] < row[a])

    sums = [sum(between(row, o[x], o[y]) for row, o in zip(rows, orders, strict=True)) for x, y in pairs(runs)]
    return max(map(abs, sums), default=0)
