"""Slow, obvious versions of every measure of subtopics, written from the definitions of NIST's ndeval.

A ranking and the subtopics that every item is relevant to in: ``{item: subtopics}``.
"""

from collections import Counter
from fractions import Fraction

from exact_logarithms import log2


def gains(ranking, of_item, alpha):
    seen = Counter()
    for item in ranking:
        yield sum((1 - alpha) ** seen[t] for t in of_item.get(item, ()))
        seen.update(of_item.get(item, ()))


def ideal(of_item, alpha):
    """Each next item gains most; of equal ones that with the largest id."""
    order, left = [], sorted(of_item, reverse=True)
    while left:
        best = max(left, key=lambda item: list(gains([*order, item], of_item, alpha))[-1])
        order.append(best)
        left.remove(best)
    return order


def discounted(ranking, of_item, alpha, discount, cutoff=None):
    return sum(g * discount(k) for k, g in enumerate(gains(ranking, of_item, alpha), start=1) if k <= (cutoff or 10**9))


def logarithmic(k):
    return 1 / log2(k + 1)


def reciprocal(k):
    return Fraction(1, k)


def over_all_subtopics(discount, cutoff, alpha=Fraction(1, 2)):
    def twin(ranking, of_item):
        m = len(set().union(*of_item.values()))
        best = sum(m * (1 - alpha) ** (k - 1) * discount(k) for k in range(1, cutoff + 1))
        return discounted(ranking, of_item, alpha, discount, cutoff) / best

    return twin


def over_ideal(discount, cutoff, alpha=Fraction(1, 2)):
    def twin(ranking, of_item):
        best = discounted(ideal(of_item, alpha), of_item, alpha, discount, cutoff)
        return discounted(ranking, of_item, alpha, discount, cutoff) / best

    return twin


def halves(k):
    return Fraction(1, 2) ** (k - 1)


def nrbp(ranking, of_item, cutoff=None):
    m = len(set().union(*of_item.values()))
    return discounted(ranking, of_item, Fraction(1, 2), halves, cutoff) * Fraction(3, 4) / m


def ap_ia(ranking, of_item):
    subtopics = set().union(*of_item.values())
    total = Fraction(0)
    for t in subtopics:
        places = [k for k, item in enumerate(ranking, start=1) if t in of_item.get(item, ())]
        m = sum(t in of for of in of_item.values())
        total += sum((Fraction(i, k) for i, k in enumerate(places, start=1)), Fraction(0)) / m
    return total / len(subtopics)


def p_ia(cutoff):
    def twin(ranking, of_item):
        m = len(set().union(*of_item.values()))
        return Fraction(sum(len(of_item.get(item, ())) for item in ranking[:cutoff]), cutoff * m)

    return twin


def strec(cutoff):
    def twin(ranking, of_item):
        seen = set().union(*(of_item.get(item, set()) for item in ranking[:cutoff]))
        return Fraction(len(seen), len(set().union(*of_item.values())))

    return twin


TWINS = {
    "alpha_DCG@3": over_all_subtopics(logarithmic, 3),
    "alpha_nDCG@3": over_ideal(logarithmic, 3),
    "alpha_nDCG@20": over_ideal(logarithmic, 20),
    "alpha_nDCG(alpha=0.3)@5": over_ideal(logarithmic, 5, Fraction(3, 10)),
    "ERR_IA@3": over_all_subtopics(reciprocal, 3),
    "nERR_IA@4": over_ideal(reciprocal, 4),
    "nERR_IA(alpha=0.3)@20": over_ideal(reciprocal, 20, Fraction(3, 10)),
    "NRBP": nrbp,
    "NRBP@2": lambda ranking, of_item: nrbp(ranking, of_item, 2),
    "nNRBP": over_ideal(halves, None),
    "nNRBP@2": over_ideal(halves, 2),
    "AP_IA": ap_ia,
    "AP_IA@3": lambda ranking, of_item: ap_ia(ranking[:3], of_item),
    "P_IA@2": p_ia(2),
    "STREC@2": strec(2),
}
