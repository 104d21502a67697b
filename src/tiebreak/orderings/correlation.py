"""How alike two orderings of the same runs are, given their ranks; ties are allowed in both."""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InputError

Ranks = NDArray[np.int64]


def tau_b(x: Ranks, y: Ranks) -> float:
    r"""Kendall's rank correlation, corrected for ties.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(C + D + T_x)(C + D + T_y)}}

    with C concordant and D discordant pairs, and :math:`T` pairs tied in the other ordering only. NaN where one of them
    is nothing but one tie.

    Examples
    --------
    >>> tau_b(np.array([1, 2, 2, 4]), np.array([1, 3, 2, 3]))
    0.8
    """
    a, b = (np.sign(r[:, None] - r) for r in (x, y))
    spread = int(np.abs(a).sum()) * int(np.abs(b).sum())
    return int((a * b).sum()) / sqrt(spread) if spread else nan


def tau_ap(x: Ranks, y: Ranks) -> float:
    r"""Kendall's correlation weighed to the top of the first ordering; the second is the truth.

    .. math:: \tau_{AP} = \frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1

    where C(i) of the i - 1 runs above the i-th stand above it in truth. Runs that tie in truth count half; those that
    tie in the first ordering are averaged over all ways to break the ties.

    Examples
    --------
    >>> tau_ap(np.array([1, 2, 3]), np.array([2, 1, 3]))      # C = 0, 2: 2/2 (0/1 + 2/2) - 1
    0.0
    """
    n = len(x)
    if n < 2:
        return nan
    right = (1 + np.sign(y[:, None] - y)) / 2  # [run, other]: 1 where the other stands above in truth
    total = 0.0
    for rank in np.unique(x):
        group = np.flatnonzero(x == rank)
        above = np.flatnonzero(x < rank)
        correct = float(right[np.ix_(group, above)].sum(axis=1).mean())
        for k in range(len(group)):  # one of the group stands here, k others of it above
            if place := len(above) + k:
                total += (correct + k / 2) / place
    return 2 * total / (n - 1) - 1


def rbo(x: Ranks, y: Ranks, persistence: float = 0.9) -> float:
    r"""Rank-biased overlap of two orderings of the same runs, extrapolated beyond the last (Webber et al. 2010).

    .. math:: (1 - p) \sum_{d=1}^{n} p^{d-1} A_d + p^n

    with :math:`A_d` twice the runs that both have among the first d, by the number each has there; runs that tie are
    there together.

    Examples
    --------
    >>> round(rbo(np.array([1, 2, 3]), np.array([2, 1, 3]), persistence=0.5), 3)      # 0.5 (0 + 0.5 + 0.25) + 0.125
    0.5
    """
    p = persistence
    if not 0 < p < 1:
        raise InputError(f"persistence={p!r}. Give a persistence between 0 and 1.", kind="choice")
    n = len(x)
    total = 0.0
    for d in range(1, n + 1):
        a, b = x <= d, y <= d
        total += p ** (d - 1) * 2 * int((a & b).sum()) / int(a.sum() + b.sum())
    return (1 - p) * total + p**n


METHODS: dict[str, Callable[..., float]] = {"tau_b": tau_b, "tau_ap": tau_ap, "rbo": rbo}
