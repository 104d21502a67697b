"""Slow, obvious versions of all populations, written from the equations in exact arithmetic.

`u`, `x` and `y` are the utilities of one run, `rows` those of all runs: lists of fractions, a number per request.
Only roots and the normal distribution are floats.
"""

from fractions import Fraction
from itertools import product
from math import erfc, floor, inf, prod, sqrt

FLOOR = Fraction(1, 100_000)


def sign(number):
    return int(number > 0) - int(number < 0)


# A number per run


def mean(u):
    return Fraction(sum(u)) / len(u)


def weighted_mean(u, weights):
    return Fraction(sum(w * value for w, value in zip(weights, u, strict=True))) / sum(weights)


def quantile(u, share):
    """On the straight line between the two utilities around place (n - 1) share, counted from 0."""
    ordered = sorted(u)
    place = (len(u) - 1) * share
    j = floor(place)
    if j == place:
        return ordered[j]
    return (j + 1 - place) * ordered[j] + (place - j) * ordered[j + 1]


def median(u):
    """The one in the middle, or the mean of the two in the middle."""
    ordered, half = sorted(u), len(u) // 2
    return ordered[half] if len(u) % 2 else (ordered[half - 1] + ordered[half]) / 2


def gmean(u, least=FLOOR):
    return float(prod(max(least, value) for value in u)) ** (1 / len(u))


def weighted_gmean(u, weights, least=FLOOR):
    shares = [w / sum(weights) for w in weights]
    return prod(float(max(least, value)) ** float(share) for value, share in zip(u, shares, strict=True))


def lower_area(u, share=Fraction(1, 4)):
    """PE eq 7, with mu_1 the largest utility and mu_n the smallest."""
    n, k = len(u), floor(len(u) * share)
    mu = dict(enumerate(sorted(u, reverse=True), start=1))
    return sum(sum(mu[n - i + 1] for i in range(1, j + 1)) / Fraction(j) for j in range(1, k + 1)) / k


def positive(u):
    return Fraction(sum(value > 0 for value in u), len(u))


def cvar(u, share):
    """The mean of the worst share: every request lends 1/n of the whole, from the worst up, until the share is full."""
    left, held = share, Fraction(0)
    for value in sorted(u):
        lent = min(left, Fraction(1, len(u)))
        held, left = held + lent * value, left - lent
    return held / share


def gini(u):
    """PE eq 10; 0 where all utilities are 0."""
    n, middle = len(u), mean(u)
    return sum(abs(a - b) / middle for a in u for b in u) / (2 * n**2) if middle else Fraction(0)


def owa(u, weights):
    """Yager 1988: the i-th weight is for the i-th smallest utility."""
    return weighted_mean(sorted(u), weights)


def expected_worst(u, draws):
    """Of all ways to draw requests, with replacement, the mean of the worst utility that is drawn."""
    return Fraction(sum(min(some) for some in product(u, repeat=draws))) / len(u) ** draws


def atkinson(u, epsilon):
    """Atkinson 1970: the utility that, equal for all, has the same mean power."""
    return (sum(float(value) ** (1 - epsilon) for value in u) / len(u)) ** (1 / (1 - epsilon))


# Two runs, of which the first is better (1), worse (-1), or neither (0)


def first_difference(x, y):
    return next((sign(a - b) for a, b in zip(x, y, strict=True) if a != b), 0)


def leximin(x, y):
    return first_difference(sorted(x), sorted(y))


def leximax(x, y):
    return first_difference(sorted(x, reverse=True), sorted(y, reverse=True))


def smoothed_leximin(x, y, lag):
    """PE 7: i iterates from n - (k - 1) to 1; mu_1 is the largest utility."""
    n = len(x)
    x, y = (dict(enumerate(sorted(u, reverse=True), start=1)) for u in (x, y))
    for i in range(n - (lag - 1), 0, -1):
        if actual := sign(sum(x[i + j] for j in range(lag)) - sum(y[i + j] for j in range(lag))):
            return actual
    return 0


def by_mean(x, y):
    return sign(mean(x) - mean(y))


def runs_below(rows, compare):
    return [sum(compare(x, y) > 0 for y in rows) for x in rows]


def ranks(rows, compare):
    return [1 + sum(compare(y, x) > 0 for y in rows) for x in rows]


# Risk


def risk_gain(x, y, alpha):
    """T, PE eq 9."""
    n = len(x)
    gained = sum(max(0, a - b) for a, b in zip(x, y, strict=True))
    lost = sum(max(0, b - a) for a, b in zip(x, y, strict=True))
    return Fraction(gained) / n - (1 + alpha) * Fraction(lost) / n


def symmetric_gain(x, y, alpha):
    return risk_gain(x, y, alpha) - risk_gain(y, x, alpha)


def differences(x, base, alpha):
    return [(a - b) * (1 + alpha if a < b else 1) for a, b in zip(x, base, strict=True)]


def urisk(x, base, alpha):
    return mean(differences(x, base, alpha))


def weighted_urisk(x, base, alpha, weights):
    return weighted_mean(differences(x, base, alpha), weights)


def trisk(x, base, alpha):
    """URisk over the standard error of a mean; 0 where nothing differs, infinite where all differ by the same."""
    d = differences(x, base, alpha)
    n, middle = len(d), mean(d)
    variance = sum((value - middle) ** 2 for value in d) / (n - 1)
    if not variance:
        return middle and inf * sign(middle)
    return float(middle) / sqrt(variance / n)


def normal(z):
    return erfc(-z / sqrt(2)) / 2


def georisk(rows, alpha):
    """Dincer et al. 2016: of each run the root of its mean times Phi(zRisk / n), over the table of all runs."""
    n, everything = len(rows[0]), sum(map(sum, rows))
    of_request = [sum(column) for column in zip(*rows, strict=True)]
    actual = []
    for row in rows:
        z_risk = 0.0
        for value, column in zip(row, of_request, strict=True):
            expected = sum(row) * column / everything if everything else 0
            if float(expected):  # else the run or the request has only zeros, or next to, as was to be expected
                z = float(value - expected) / sqrt(expected)
                z_risk += z if z >= 0 else (1 + alpha) * z
        actual.append(sqrt(float(mean(row)) * normal(z_risk / n)))
    return actual
