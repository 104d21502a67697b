"""Metrics of AB Table 1 from their equations, in the arithmetic of their parameters: floats cannot decide between them.

Normalised metrics are without their ideal: it is the same for both rankings of a user, and changes no comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from numbers import Rational
from typing import Any, TypeAlias

from tiebreak._base.tolerance import TOLERANCE
from tiebreak.exact.logarithms import BITS, dcg_discount_units
from tiebreak.studies._axiom_rankings import R_MAX, Items, Pair

Number: TypeAlias = Any
"""A Fraction or a float: parameters and interests are of one kind."""
Form: TypeAlias = Callable[..., Any]
"""(items, interest, r_max) -> a number, the larger the better."""
CLOSE = 1e-9
"""Floats of the package's metrics that differ by less are computed again as fractions."""
LOGARITHMS_TIE = Fraction(1, 10**40)
"""Where logarithms are known to 60 digits, fractions that differ by less tie; others are compared as they are."""


@dataclass(frozen=True)
class AxiomMeasure:
    """A metric: in exact arithmetic, and where it is known in floats too, which are faster."""

    name: str
    exact: Form
    quick: Form | None = None
    tie: Fraction = Fraction(0)

    def sign(self, pair: Pair) -> int:
        """1 where the better of a pair has the higher value, -1 where the worse has, 0 where they tie."""
        if self.quick is not None:
            interest = {aspect: float(share) for aspect, share in pair.interest.items()}
            difference = self.quick(pair.better, interest, R_MAX) - self.quick(pair.worse, interest, R_MAX)
            if abs(difference) > CLOSE:
                return 1 if difference > 0 else -1
        better, worse = self.values(pair)
        difference = better - worse
        tie = self.tie if isinstance(difference, Rational) else TOLERANCE
        return 0 if abs(difference) <= tie else 1 if difference > 0 else -1

    def values(self, pair: Pair) -> tuple[Any, Any]:
        """The values of the better and of the worse ranking."""
        return self.exact(pair.better, pair.interest, R_MAX), self.exact(pair.worse, pair.interest, R_MAX)


def discount(rank: int, is_exact: bool) -> Number:
    """1 / log2(rank + 1), as a fraction to 60 digits or as a float."""
    return Fraction(dcg_discount_units(rank), 1 << BITS) if is_exact else 1 / log2(rank + 1)


def alpha_beta_dcg(items: Items, interest: Mapping[str, Number], r_max: int, *, alpha: Number, beta: Number) -> Number:
    """The discounted gain of alpha-beta-nDCG (AB eqs 8 and 15)."""
    left, total = dict(interest), 0 * alpha
    for rank, (rating, aspects) in enumerate(items, start=1):
        chance = alpha if rating is None else beta * rating / r_max
        missed = 1
        for aspect in aspects:
            missed *= 1 - chance * left[aspect]
            left[aspect] *= 1 - chance
        if missed != 1:
            total += (1 - missed) * discount(rank, isinstance(alpha, Fraction))
    return total


def alpha_dcg(items: Items, interest: Mapping[str, Number], r_max: int, *, alpha: Number) -> Number:
    """The discounted gain of alpha-nDCG with ratings as gains."""
    return novelty_gain(items, r_max, alpha, lambda rank: discount(rank, isinstance(alpha, Fraction)))


def novelty_gain(items: Items, r_max: int, alpha: Number, discount: Callable[[int], Number]) -> Number:
    """Discounted gains of novelty: an item counts as seen where it is relevant."""
    seen, total = Counter[str](), 0 * alpha
    for rank, (rating, aspects) in enumerate(items, start=1):
        if rating:
            novel = sum((1 - alpha) ** seen[aspect] for aspect in aspects)
            total += rating * novel / r_max * discount(rank)
            seen.update(aspects)
    return total


def nrbp(items: Items, interest: Mapping[str, Number], r_max: int, *, alpha: Number, beta: Number) -> Number:
    """Novelty- and rank-biased precision (Clarke et al. 2009), with ratings as gains."""
    total = novelty_gain(items, r_max, alpha, lambda rank: beta ** (rank - 1))
    return total * (1 - (1 - alpha) * beta) / len(interest)


def expected_utility(
    items: Items, interest: Mapping[str, Number], r_max: int, *, p: Number, alpha: Number, e: Number
) -> Number:
    """EU, our reading of it: every item above that shows an aspect makes it worth less."""
    seen, looked, total = Counter[str](), 1 + 0 * p, 0 * p
    for rating, aspects in items:
        wanted = sum(interest[aspect] * (1 - alpha) ** seen[aspect] for aspect in aspects)
        total += looked * ((rating or 0) * wanted / r_max - e)
        looked *= p
        seen.update(aspects)
    return total


def rank_biased_utility(items: Items, interest: Mapping[str, Number], r_max: int, *, p: Number, e: Number) -> Number:
    """RBU (Amigo et al. 2018), with interests as weights."""
    left, looked, total = dict(interest), p, 0 * p
    for rating, aspects in items:
        chance = (2 ** (rating or 0) - 1) * (0 * p + 1) / 2**r_max
        total += looked * (chance * sum(left[aspect] for aspect in aspects) - e)
        looked *= p
        for aspect in aspects:
            left[aspect] *= 1 - chance
    return total
