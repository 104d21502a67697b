"""P-values corrected for their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak.errors import UnknownNameError
from tiebreak.projection.primitives import Floats


def corrected(p: Floats | list[float], correction: str) -> Floats:
    """P-values corrected: ``bonferroni`` and ``holm`` hold the chance of any false finding, ``bh`` their share.

    Examples
    --------
    >>> [corrected(np.array([0.01, 0.04, 0.03]), name).round(3).tolist() for name in ("bonferroni", "holm", "bh")]
    [[0.03, 0.12, 0.09], [0.03, 0.06, 0.06], [0.03, 0.04, 0.04]]
    """
    if correction not in CORRECTIONS:
        raise UnknownNameError("correction", correction, CORRECTIONS)
    numbers = np.asarray(p, dtype=np.float64)
    return np.minimum(CORRECTIONS[correction](numbers), 1.0)


def bonferroni(p: Floats) -> Floats:
    return p * len(p)


def holm(p: Floats) -> Floats:
    """Step down: the k-th smallest is multiplied by the number of those not smaller."""
    order = np.argsort(p, kind="stable")
    stepped = np.empty_like(p)
    stepped[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return stepped


def benjamini_hochberg(p: Floats) -> Floats:
    """Step up: the k-th smallest is multiplied by the number of all over k."""
    order = np.argsort(p, kind="stable")[::-1]
    stepped = np.empty_like(p)
    stepped[order] = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    return stepped


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
WORDS = {
    "none": "no correction",
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "bh": "the correction of Benjamini and Hochberg",
}
