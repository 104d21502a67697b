"""Lexicographic preferences written as one number: exact, for display only.

A number that orders runs as lexirecall or lexiprecision does must tell C(n, m) position vectors apart. Exact integers
and fractions can; floats cannot, so runs are ordered by comparing positions, never by these values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import ClassVar

import numpy as np

from tiebreak._base.catalogue import parameter
from tiebreak._base.checks import check_count, check_number
from tiebreak.errors import InputError
from tiebreak.exact import ExactValues, decimal
from tiebreak.metrics.base import Metric, Traits, check_corpus_size
from tiebreak.projection import Levels, Positions
from tiebreak.projection.primitives import UNRETRIEVED, Floats, Ranks

HALF = Fraction(1, 2)
NEGLIGIBLE = 1201
"""Positions from here on cannot change the nearest float, except as a sticky bit."""


def yager_weights(n: int, m: int, epsilon: float | Fraction = HALF) -> list[Fraction]:
    r"""Bottom-heavy weights of the m recall levels of a corpus of n items, which sum to 1 (LR 7.3.1).

    .. math:: w_1 = \Big(\frac{\Delta}{1 + \Delta}\Big)^{m-1}, \qquad
        w_i = \frac{\Delta^{m-i}}{(1 + \Delta)^{m+1-i}} \;\; (i > 1), \qquad
        \Delta = \frac{1}{n + \epsilon}, \; 0 < \epsilon < 1

    Examples
    --------
    >>> [str(w) for w in yager_weights(3, 3)]      # Delta = 2/7: (2/9)^2, 2/7 / (9/7)^2, 1 / (9/7)
    ['4/81', '14/81', '7/9']
    """
    weights = integer_weights(n, m, epsilon)
    total = sum(weights)
    return [Fraction(w, total) for w in weights]


def integer_weights(n: int, m: int, epsilon: float | Fraction = HALF) -> list[int]:
    """Yager's weights times their common denominator, which is their sum.

    With epsilon = a / b, the weights times (nb + a + b)^(m - 1).
    """
    check_count(m, "m", high=check_count(n, "n"))
    check_number(epsilon, "epsilon", above=0, below=1)
    a, b = decimal(epsilon).as_integer_ratio()
    scaled = n * b + a
    return [b ** (m - 1), *(b ** (m - i) * scaled * (scaled + b) ** (i - 2) for i in range(2, m + 1))]


def metric_lexirecall(p: Sequence[int | None], n: int, epsilon: float | Fraction = HALF) -> Fraction:
    r"""Lexirecall as an exact number (LR 7.3.1, eq 12): the larger one is preferred.

    .. math:: \mathrm{LR}(p) = 1 - \frac{1}{n} \sum_{i=1}^{m} w_i \, p_i

    The u unretrieved items, None in p, are at the end of the corpus of n items: n - u + 1, ..., n. The weights w are
    `yager_weights`.

    Examples
    --------
    >>> print(metric_lexirecall([1, 3], 4))      # Delta = 2/9: 1 - (2/11 * 1 + 9/11 * 3) / 4
    15/44
    """
    retrieved = positions_in_corpus(p, n)
    last = n - (len(p) - len(retrieved))
    return Fraction(*lexirecall([*retrieved, *range(last + 1, n + 1)], n, integer_weights(n, len(p), epsilon)))


def lexirecall(p: list[int], n: int, weights: list[int]) -> tuple[int, int]:
    """Numerator and denominator of LR(p)."""
    whole = n * sum(weights)
    return whole - sum(w * k for w, k in zip(weights, p, strict=True)), whole


def mu_lp(p: Sequence[int | None], n: int) -> int:
    r"""Lexiprecision as a number: relevance down a ranking of n items, read as binary digits (LP 6).

    .. math:: \mu_{\mathrm{LP}}(p) = \sum_{i=1}^{m} 2^{n - p_i}, \qquad \text{unretrieved items, None, adding 0.}
    """
    return sum(1 << (n - k) for k in positions_in_corpus(p, n))


def positions_in_corpus(p: Sequence[int | None], n: int) -> list[int]:
    """The retrieved positions, increasing; an error where they cannot be those of a corpus of n items."""
    check_count(n, "n")
    is_listed = isinstance(p, (Sequence, np.ndarray)) and all(k is None or isinstance(k, Integral) for k in p)
    retrieved = sorted(int(k) for k in p if k is not None) if is_listed else []
    last = n - (len(p) - len(retrieved)) if is_listed else n
    fits = not retrieved or 1 <= retrieved[0] <= retrieved[-1] <= last
    if not is_listed or not len(p) or len(set(retrieved)) < len(retrieved) or not fits:
        raise InputError(
            f"p={p!r:.60} are not positions in a corpus of n={n} items: they are distinct whole numbers, from 1 on, "
            f"and leave room at the end for the unretrieved ones, None.",
            kind="shape",
        )
    return retrieved


class DisplayMetric(Metric):
    """An exact quotient of whole numbers for each position vector, rounded to the nearest float."""

    traits: ClassVar[Traits] = Traits(cutoff="no", is_for_display=True)

    def levels(self, positions: Positions) -> Levels:
        return positions.levels(self.rel)

    def values(self, positions: Positions) -> ExactValues:
        return ExactValues.from_floats(self.levels(positions).each(self.score))

    def score(self, p: Ranks) -> Floats:
        quotients = self.quotients(p.reshape(-1, p.shape[-1]).tolist())
        return np.array([a / b for a, b in quotients], dtype=np.float64).reshape(p.shape[:-1])

    def quotients(self, rows: list[list[int]]) -> list[tuple[int, int]]:
        """Numerator and denominator for position vectors of one length."""
        raise NotImplementedError


@dataclass(frozen=True)
class LexiRecallValue(DisplayMetric):
    r"""Metric lexirecall, rounded to the nearest float (LR 7.3.1). For display only.

    .. math:: \mathrm{LR}(p) = 1 - \frac{1}{n} \sum_{i=1}^{m} w_i \, p_i

    Must not be used to order runs: floats collapse. At n = 100,000 and m = 5, moving the first relevant item from
    position 1 to 50,000 changes the value by about 5e-21, far below what a float near 1 resolves. The preference
    lexirecall compares positions and keeps what is lost here; `metric_lexirecall` is the exact value.

    Parameters
    ----------
    n : int
        Number of items in the corpus; unretrieved items are at its end.
    epsilon : float
        The free parameter of the weights, between 0 and 1.

    Examples
    --------
    >>> LexiRecallValue(n=10).evaluate(tb.positions([[1, 2, 3], [2, 3, None]])).round(4).tolist()
    [[0.7095], [0.0616]]
    """

    n: int = parameter(0, check_corpus_size, name="LR")
    epsilon: float = parameter(0.5, check_number, above=0, below=1, name="LR: epsilon")
    name: ClassVar[str] = "LR"

    def levels(self, positions: Positions) -> Levels:
        return super().levels(positions).pessimistic(self.n)

    def quotients(self, rows: list[list[int]]) -> list[tuple[int, int]]:
        weights = integer_weights(self.n, len(rows[0]), self.epsilon) if rows else []
        return [lexirecall(p, self.n, weights) for p in rows]


class LexiPrecisionValue(DisplayMetric):
    r"""Metric lexiprecision as a share of 2^n, rounded to the nearest float (LP 6). For display only.

    .. math:: \mathrm{LP}(p) = 2^{-n} \mu_{\mathrm{LP}}(p) = \sum_{i=1}^{m} 2^{-p_i}

    This is RBP with persistence 1/2, and n cancels. Must not be used to order runs: floats collapse. Beside an
    item at position 1, one at position 53 is the last to leave a trace. The preference lexiprecision compares
    positions and keeps what is lost here; `mu_lp` is the exact value.

    Examples
    --------
    >>> LexiPrecisionValue().evaluate(tb.positions([[1, 3], [2, None]])).tolist()      # 1/2 + 1/8 and 1/4
    [[0.625], [0.25]]
    """

    name: ClassVar[str] = "LP"

    def quotients(self, rows: list[list[int]]) -> list[tuple[int, int]]:
        digits = ({min(k, NEGLIGIBLE) for k in p if k != UNRETRIEVED} for p in rows)
        return [(sum(1 << (NEGLIGIBLE - k) for k in distinct), 1 << NEGLIGIBLE) for distinct in digits]
