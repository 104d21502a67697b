"""How likely each recall level is: the distribution p(i) over users who want i relevant items (RPP 3.2, 5.3)."""

from __future__ import annotations

import re
from typing import TypeAlias

import numpy as np

from tiebreak.errors import InputError, UnknownNameError
from tiebreak.projection.primitives import Floats
from tiebreak.words import many

Weights: TypeAlias = "str | tuple[float, ...]"

SHAPES = {
    "uniform": lambda i: np.ones_like(i),
    "dcg": lambda i: 1.0 / np.log2(i + 1),
    "inverse": lambda i: 1.0 / i,
}


def recall_weights(m: int, weights: Weights = "uniform") -> Floats:
    """Weights of the m recall levels, normalised to 1.

    Parameters
    ----------
    m : int
        Number of relevant items.
    weights : {"uniform", "dcg", "inverse"} or tuple of float
        1, 1/log2(i + 1) or 1/i; or weights of the first levels, the last of them for all beyond, as numbers or, in a
        spec, as text such as ``'2,1'``.

    Examples
    --------
    >>> recall_weights(2, "inverse").round(4).tolist(), recall_weights(3, (2, 1)).tolist()
    ([0.6667, 0.3333], [0.5, 0.25, 0.25])
    """
    weights = checked_weights(weights)
    i = np.arange(1, m + 1, dtype=np.float64)
    if isinstance(weights, str):
        w: Floats = SHAPES[weights](i)
    else:
        w = np.asarray(weights, dtype=np.float64)[np.minimum(np.arange(m), len(weights) - 1)]
    total = w.sum()
    if total == 0:
        raise InputError(
            f"weights={weights!r} leave nobody in requests with {many(m, 'relevant item')}. "
            "Give the first recall levels some weight.",
            kind="weights",
        )
    normalised: Floats = w / total
    return normalised


def checked_weights(weights: Weights) -> Weights:
    """The name of a shape, or a tuple of floats; text such as ``2,1`` is read as numbers."""
    if isinstance(weights, str):
        if weights in SHAPES:
            return weights
        if not re.fullmatch(r"[0-9.eE+,\s-]+", weights):
            raise UnknownNameError("weights", weights, SHAPES)
    elif not isinstance(weights, tuple):
        raise InputError(f"weights={weights!r}. Give the name of a shape, or a tuple of numbers.", kind="weights")
    try:
        given = tuple(float(w) for w in (weights.split(",") if isinstance(weights, str) else weights))
    except (TypeError, ValueError):
        given = ()
    if not given or not all(0 <= w < np.inf for w in given):
        raise InputError(f"weights={weights!r}. Give numbers of 0 and above, one per recall level.", kind="weights")
    return given
