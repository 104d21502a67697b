"""Recall-level metrics in exact arithmetic, and small rankings to try them on."""

from fractions import Fraction
from math import log2


class Twin:
    """A recall-level metric in exact arithmetic: exposure e(k), normalisation z(i, m)."""

    def __init__(self, e, z):
        self.e, self.z = e, z

    def __call__(self, p):
        return sum(self.e(k) * self.z(i, len(p)) for i, k in enumerate(p, start=1))


def discount(k):
    """A rational number within 1e-16 of 1/log2(k + 1), and as strictly decreasing."""
    return Fraction(1 / log2(k + 1))


N = 9


TWINS = {
    "AP": Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i, m)),
    "RR": Twin(lambda k: Fraction(1, k), lambda i, m: Fraction(i == 1)),
    "binary_nDCG": Twin(discount, lambda i, m: 1 / sum(discount(k) for k in range(1, m + 1))),
    "RBP(p=0.5)": Twin(lambda k: Fraction(1, 2**k), lambda i, m: Fraction(1)),
    f"linear(n={N})": Twin(lambda k: 1 - Fraction(k, N), lambda i, m: Fraction(1, m)),
}


QRELS = {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"x": 1}, "q3": {"a": 1, "c": 1}}


RUNS = [
    {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 1.0}, "q3": {"c": 2.0, "y": 1.5, "a": 1.0}},
    {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}, "q3": {"a": 1.0}},
]
