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
"""The function of every name of `CORRECTIONS`, before values are clipped to 1."""


def correct_pvalues(p: Floats | list[float], correction: str) -> Floats:
    """Corrected p-values: bonferroni and holm control the family-wise error, bh the false discovery rate."""
    function = FUNCTIONS[check_choice(correction, "correction", CORRECTIONS)]
    return np.minimum(function(np.asarray(p, dtype=np.float64)), 1.0)
