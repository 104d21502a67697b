"""Imputation of unretrieved items, and requests without relevant items (LR 2.2).

An unretrieved item is at +infinity: it ties with other unretrieved items, and any retrieved item beats it. A request
missing from a run is an empty ranking. A request without relevant items is in no bucket, its metrics are NaN, and
populations leave it out and count it. What needs a finite position asks for one of two imputations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak._kernels.interface import UNRETRIEVED
from tiebreak.errors import InputError
from tiebreak.projection.primitives import Ranks


def pessimistic(p: Ranks, n: ArrayLike, retrieved: NDArray[np.int32]) -> NDArray[np.int64]:
    """Put the u unretrieved items of ``p[run, request, m]`` at the bottom of a corpus of n items: n - u + 1, ..., n.

    `n` is one number or [request], `retrieved` [run, request] the length of each ranking.
    """
    m = p.shape[-1]
    n = np.broadcast_to(np.asarray(n, dtype=np.int64), p.shape[1:2])
    if n.size and n.max() >= UNRETRIEVED:
        raise InputError(
            f"n={n.max()} items in the corpus are too many: at most {UNRETRIEVED - 1:,}.", kind="corpus_size"
        )
    unretrieved = (p == UNRETRIEVED).sum(-1)
    too_small = n[None] < retrieved + unretrieved
    if too_small.any():
        run, request = np.argwhere(too_small)[0]
        raise InputError(
            f"n={n[request]} items in the corpus are too few: one ranking retrieves {retrieved[run, request]} and "
            f"leaves {unretrieved[run, request]} relevant ones unretrieved. Give the corpus's true size.",
            kind="corpus_size",
        )
    bottom = n[:, None] - m + np.arange(1, m + 1)
    return np.where(p == UNRETRIEVED, bottom, p)


def optimistic(p: Ranks, retrieved: NDArray[np.int32]) -> NDArray[np.int64]:
    """Put unretrieved items right after the last retrieved one. For study: it favours short rankings."""
    first = p.shape[-1] - (p == UNRETRIEVED).sum(-1)
    after = np.arange(1, p.shape[-1] + 1) - first[..., None] + retrieved[..., None].astype(np.int64)
    return np.where(p == UNRETRIEVED, after, p)
