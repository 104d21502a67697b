"""Slow, obvious versions of every metric, written from the definitions: one ranking and one request's grades in.

`ranking` is a list of items, `grades` maps items to grades, `rel` is the grade from which an item is relevant.
"""

from fractions import Fraction

from exact_logarithms import log2

INFINITE = None


def positions(ranking, grades, rel):
    """p: increasing positions of the relevant items, None for the unretrieved."""
    relevant = {item for item, grade in grades.items() if grade > 0 and (rel is None or grade >= rel)}
    found = [k for k, item in enumerate(ranking, start=1) if item in relevant]
    return found + [INFINITE] * (len(relevant) - len(found))


def retrieved(p, cutoff):
    """(recall level, position) of what is retrieved within the cutoff."""
    return [(i, k) for i, k in enumerate(p, start=1) if k is not None and (cutoff is None or k <= cutoff)]


def average_precision(p, cutoff=None):
    return sum(Fraction(i, k) for i, k in retrieved(p, cutoff)) / Fraction(len(p))


def reciprocal_rank(p, cutoff=None, level=1):
    return sum(Fraction(1, k) for i, k in retrieved(p, cutoff) if i == level)


def binary_ndcg(p, cutoff=None):
    ideal = range(1, min(len(p), cutoff or len(p)) + 1)
    return sum(1 / log2(k + 1) for _, k in retrieved(p, cutoff)) / sum(1 / log2(k + 1) for k in ideal)


def rbp(p, cutoff=None, persistence=Fraction(4, 5)):
    return sum((1 - persistence) * persistence ** (k - 1) for _, k in retrieved(p, cutoff))


def recall(p, cutoff=None):
    return Fraction(len(retrieved(p, cutoff)), len(p))


def r_precision(p, cutoff=None):
    return Fraction(len(retrieved(p, len(p))), len(p))


def precision(p, cutoff):
    return Fraction(len(retrieved(p, cutoff)), cutoff)


def success(p, cutoff):
    return int(bool(retrieved(p, cutoff)))


def tse(p, cutoff=None):
    return Fraction(0) if p[-1] is None else Fraction(1, p[-1])


def tse_ndcg(p, cutoff=None):
    return Fraction(0) if p[-1] is None else 1 / log2(p[-1] + 1)


def ncp_inverse(p, cutoff=None):
    total = sum(Fraction(1, i) for i in range(1, len(p) + 1))
    return sum(Fraction(1, i) / total * Fraction(i, k) for i, k in retrieved(p, cutoff))


def ncp_two_to_one(p, cutoff=None):
    """The first level has twice the weight of each of the others."""
    weights = [Fraction(2 if i == 1 else 1, len(p) + 1) for i in range(1, len(p) + 1)]
    return sum(weights[i - 1] * Fraction(i, k) for i, k in retrieved(p, cutoff))


def linear(p, cutoff=None, n=100):
    return Fraction(sum(1 - Fraction(k, n) for _, k in retrieved(p, cutoff))) / len(p)


def imputed(p, n):
    u = p.count(None)
    return [k for k in p if k is not None] + list(range(n - u + 1, n + 1))


def isl(p, n):
    return imputed(p, n)[0]


def tsl(p, n):
    return imputed(p, n)[-1]


def asl(p, n):
    return Fraction(sum(imputed(p, n)), len(p))


def sl3(p, n):
    return imputed(p, n)[-1] - len(p)


def recall_error(p, n):
    return asl(p, n) - Fraction(len(p) + 1, 2)


def ndcg(ranking, grades, rel, cutoff=None, gain=lambda grade: grade):
    counted = {item: gain(g) for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    best = sorted(counted.values(), reverse=True)[:cutoff]
    dcg = sum(counted.get(item, 0) / log2(k + 1) for k, item in enumerate(ranking[:cutoff], start=1))
    return dcg / sum(g / log2(k + 1) for k, g in enumerate(best, start=1))


def err(ranking, grades, rel, cutoff=None, max_grade=4):
    value, reached = Fraction(0), Fraction(1)
    for k, item in enumerate(ranking[:cutoff], start=1):
        grade = grades.get(item, 0)
        stop = Fraction(2**grade - 1, 2**max_grade) if grade > 0 and (rel is None or grade >= rel) else 0
        value += reached * stop / k
        reached *= 1 - stop
    return value


def bpref(ranking, grades, rel):
    relevant = {item for item, g in grades.items() if g > 0 and (rel is None or g >= rel)}
    other = set(grades) - relevant
    value, above = Fraction(0), 0
    for item in ranking:
        if item in other:
            above += 1
        elif item in relevant:
            value += 1 - Fraction(min(above, len(relevant)), min(len(relevant), len(other))) if above else 1
    return value / len(relevant)


def judged(ranking, grades, cutoff):
    seen = ranking[:cutoff]
    return Fraction(sum(item in grades for item in seen), max(len(seen), 1))


def metric_lexirecall(p, n):
    """1 - sum of w_i p_i / n with w_1 = d^(m-1) / (1+d)^(m-1), w_i = d^(m-i) / (1+d)^(m+1-i), d = 1/(n + 1/2)."""
    d, m = 1 / (n + Fraction(1, 2)), len(p)
    w = [d ** (m - i) / (1 + d) ** (m + 1 - i if i > 1 else m - 1) for i in range(1, m + 1)]
    return 1 - sum(wi * pi for wi, pi in zip(w, imputed(p, n), strict=True)) / n


def mu_lp(p):
    """The ranking read as a binary number between 0 and 1."""
    return sum(Fraction(1, 2**k) for k in p if k is not None)
