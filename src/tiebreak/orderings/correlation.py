"""Rank correlations of two orderings of the same runs, given their ranks; ties are allowed in both.

Pairs are counted in whole numbers and divided once: every correlation is the float nearest its exact value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt, lcm, nan

import numpy as np
from numpy.typing import NDArray

from tiebreak._base.checks import check_number
from tiebreak.exact import decimal
from tiebreak.exact.sums import sum_fractions

Ranks = NDArray[np.int64]
ROOT_BITS = 256
"""A quotient of two counts of pairs has far fewer leading zeros than this, and a float 53 digits."""


def tau_b(x: Ranks, y: Ranks) -> float:
    r"""Kendall's rank correlation, corrected for ties.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(C + D + T_x)(C + D + T_y)}}

    with C concordant and D discordant pairs, and :math:`T` pairs tied in the other ordering only. NaN if all runs
    tie in either ranking.
    """
    a, b = (np.sign(r[:, None] - r) for r in (x, y))
    spread = int(np.count_nonzero(a)) * int(np.count_nonzero(b))
    return over_root(int((a * b).sum()), spread) if spread else nan


def over_root(number: int, square: int) -> float:
    """The float nearest a whole number over the root of another."""
    scaled, rest = divmod(number**2 << 2 * ROOT_BITS, square)
    root = isqrt(scaled)
    # One more digit says whether anything follows, which decides between two floats.
    root = 2 * root + (rest > 0 or root**2 < scaled)
    return (root if number >= 0 else -root) / (1 << ROOT_BITS + 1)


def tau_ap(x: Ranks, y: Ranks) -> float:
    r"""Kendall's correlation weighted towards the top of the first ordering; the second is the truth.

    .. math:: \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1

    where C(i) of the i - 1 runs above the i-th are above it in truth. Runs that tie in truth count half; those that
    tie in the first ordering are averaged over all ways to break the ties.
    """
    n = len(x)
    if n < 2:
        return nan
    is_above = x < x[:, None]  # [run, other]
    right = ((1 + np.sign(y[:, None] - y)) * is_above).sum(axis=1)  # counted twice, so that a tie is 1
    terms = []
    for rank in np.unique(x):
        group = x == rank
        size, above = int(group.sum()), int((x < rank).sum())
        correct = int(right[group].sum())
        # One of the group is at each of its positions, k others of it above.
        terms += [Fraction(correct + k * size, 2 * size * (above + k)) for k in range(size) if above + k]
    return float(2 * sum_fractions(terms) / (n - 1) - 1)


def rbo(x: Ranks, y: Ranks, persistence: float = 0.9) -> float:
    r"""Rank-biased overlap of two orderings of the same runs, extrapolated beyond the last (Webber et al. 2010).

    .. math:: (1 - p) \sum_{d=1}^{n} p^{d-1} A_d + p^n

    with :math:`A_d` twice the runs that both have among the first d, by the number each has there; runs that tie are
    there together. The persistence means the decimal that was written.
    """
    check_number(persistence, "persistence", above=0, below=1)
    n, p = len(x), decimal(persistence)
    depth = np.arange(1, n + 1)[:, None]
    first, second = x <= depth, y <= depth
    shared, shown = (2 * (first & second).sum(axis=1)).tolist(), (first.sum(axis=1) + second.sum(axis=1)).tolist()
    common = lcm(*shown)
    total, power = 0, 1  # with p = a / b: common b^(d - 1) times the sum down to depth d, and a^d
    for both, either in zip(shared, shown, strict=True):
        total = total * p.denominator + both * (common // either) * power
        power *= p.numerator
    whole: int = common * p.denominator**n
    return ((p.denominator - p.numerator) * total + common * power) / whole


METHODS: dict[str, Callable[..., float]] = {"tau_b": tau_b, "tau_ap": tau_ap, "rbo": rbo}
