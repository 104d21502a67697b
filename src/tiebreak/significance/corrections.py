"""Corrections of p-values for multiple comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tiebreak._base.checks import check_choice
from tiebreak._base.corrections import CORRECTIONS
from tiebreak.projection.primitives import Floats


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


FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda p: p,
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": benjamini_hochberg,
}
"""For every name of `CORRECTIONS` the function, before what exceeds 1 is made 1."""


def correct_pvalues(p: Floats | list[float], correction: str) -> Floats:
    """Corrected p-values: ``bonferroni`` and ``holm`` control the family-wise error, ``bh`` the false discovery rate.

    Examples
    --------
    >>> [correct_pvalues([0.01, 0.04, 0.03], name).round(3).tolist() for name in ("bonferroni", "holm", "bh")]
    [[0.03, 0.12, 0.09], [0.03, 0.06, 0.06], [0.03, 0.04, 0.04]]
    """
    function = FUNCTIONS[check_choice(correction, "correction", CORRECTIONS)]
    return np.minimum(function(np.asarray(p, dtype=np.float64)), 1.0)
